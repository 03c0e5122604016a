//! What is known of all methods.

use super::*;

#[test]
fn scene_files_know_every_method() {
    let names = ["auto"].into_iter().chain(METHODS.iter().map(|method| method.name));
    assert!(crate::scene::METHOD_NAMES.iter().copied().eq(names), "METHOD_NAMES in scene/keys.rs must list METHODS");
}

#[test]
fn a_device_without_linear_systems_is_refused_with_what_to_do() {
    let text = "pliant = 1\n[[solid]]\nshape = 'box'\ncells = 2\nmodel = 'corotated'\n";
    let scene = crate::scene::Scene::parse(text, "soft", ".".as_ref(), &[]).unwrap();
    let (model, _) = Model::new(&scene).unwrap();
    let method = find_method("corotated-cg").unwrap();
    method.check_device(&model, true, "a CPU").unwrap();
    let error = method.check_device(&model, false, "a GPU").unwrap_err().to_string();
    for word in ["'corotated-cg'", "linear system of a step", "a GPU", "--device cpu", "'descent'"] {
        assert!(error.contains(word), "`{word}` is missing in {error}");
    }
}

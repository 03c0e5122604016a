//! Which method `auto` takes, and what is known of all.

use super::*;

#[test]
fn scene_files_know_every_method() {
    let names = ["auto"].into_iter().chain(METHODS.iter().map(|method| method.name));
    assert!(crate::scene::METHOD_NAMES.iter().copied().eq(names), "METHOD_NAMES in scene/keys.rs must list METHODS");
}

#[test]
fn what_is_small_and_stiff_is_left_to_newton() {
    let chosen = |text: &str, direct: bool| {
        let text = format!("pliant = 1\n{text}\n[[collider]]\nshape = 'half-space'\nposition = [0, -1, 0]\n");
        let scene = Scene::parse(&text, "cloth", ".".as_ref(), &[]).unwrap();
        choose_method(&scene, &Model::new(&scene).unwrap().0, direct).name
    };
    let small = "[[cloth]]\nsize = '2 cm'\nresolution = 41\nmaterial = 'silk'";
    assert_eq!(chosen(small, true), "newton");
    assert_eq!(chosen(small, false), "pd-multigrid-chebyshev");
    assert_eq!(chosen(&format!("[solver]\nbudget_ms = 5\n{small}"), true), "pd-multigrid-chebyshev");
    assert_eq!(chosen("[[cloth]]\nresolution = 41", true), "pd-multigrid-chebyshev");
    assert_eq!(chosen("[[cloth]]\nresolution = 101\nsize = '2 cm'", true), "pd-multigrid-chebyshev");
    let solid = "[[solid]]\nshape = 'box'\ncells = 4\nyoungs_modulus = ";
    assert_eq!(chosen(&format!("{solid}'2 GPa'"), true), "newton");
    assert_eq!(chosen(&format!("{solid}'1 MPa'"), true), "pd-multigrid-chebyshev");
    let rubber = format!("{solid}'1 MPa'\nmodel = 'neo-hookean'");
    assert_eq!((chosen(&rubber, true), chosen(&rubber, false)), ("newton", "descent"));
    assert_eq!(chosen(&format!("[contact]\nself_collision = true\n{solid}'1 MPa'"), true), "pd-jacobi-chebyshev");
}

#[test]
fn stiffness_over_inertia_grows_with_the_square_of_the_resolution_and_with_the_stiffness() {
    let ratio = |resolution: usize, stiffness: f64| {
        let text = format!(
            "pliant = 1\n[[cloth]]\nresolution = {resolution}\nstretch_stiffness = {stiffness}\nbend = 'none'\n"
        );
        let scene = Scene::parse(&text, "cloth", ".".as_ref(), &[]).unwrap();
        largest_stiffness_ratio(&Model::new(&scene).unwrap().0, 1.0 / 60.0)
    };
    let base = ratio(21, 1e4);
    assert!((ratio(41, 1e4) / base - 4.0).abs() < 0.1);
    assert!((ratio(21, 4e4) / base - 4.0).abs() < 1e-9);
}

//! What is known of all methods.

use super::*;

#[test]
fn scene_files_know_every_method() {
    let names = ["auto"].into_iter().chain(METHODS.iter().map(|method| method.name));
    assert!(crate::scene::METHOD_NAMES.iter().copied().eq(names), "METHOD_NAMES in scene/keys.rs must list METHODS");
}

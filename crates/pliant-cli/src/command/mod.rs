//! The commands, one file each.

pub(crate) mod bench;
mod bench_colouring;
mod bench_descent;
pub(crate) mod check;
pub(crate) mod colour;
pub(crate) mod compare;
pub(crate) mod devices;
pub(crate) mod material;
pub(crate) mod mesh;
pub(crate) mod methods;
pub(crate) mod run;
pub(crate) mod selftest;
pub(crate) mod tune;
pub(crate) mod view;

use crate::args::SceneArgs;
use crate::progress::say;
use pliant::device::DeviceChoice;
use pliant::scene::{Precision, Scene};
use std::path::PathBuf;

/// The scene that was asked for, with everything typed after it.
fn scene(args: &SceneArgs) -> anyhow::Result<Scene> {
    let mut scene = Scene::read(&args.scene, &args.set)?;
    if let Some(method) = &args.method {
        scene.solver.method = method.clone();
    }
    if let Some(device) = &args.device {
        scene.device.name = device.clone();
    }
    match args.precision.as_deref() {
        Some("f32") => scene.device.precision = Precision::F32,
        Some("f64") => scene.device.precision = Precision::F64,
        _ => {}
    }
    DeviceChoice::of(&scene.device.name)?;
    scene.notes.iter().for_each(|note| say(note));
    Ok(scene)
}

/// `out/NAME`, whatever letters the name is made of.
fn default_folder(name: &str) -> PathBuf {
    let safe: String =
        name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ') { c } else { '_' }).collect();
    let safe = safe.trim_matches(['.', ' ']);
    PathBuf::from("out").join(if safe.is_empty() { "scene" } else { safe })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_scene_name_leads_out_of_the_output_folder() {
        for (name, folder) in
            [("cloth", "out/cloth"), ("../../etc", "out/_.._etc"), ("..", "out/scene"), ("a b", "out/a b")]
        {
            assert_eq!(default_folder(name), PathBuf::from(folder));
        }
    }
}

//! `[[collider]]`.

use std::path::Path;

use super::super::reader::Section;
use super::super::types::{Collider, ColliderShape};
use super::default_name;

pub(super) fn colliders(sections: &[Section<'_>], folder: &Path) -> Vec<Collider> {
    sections.iter().enumerate().map(|(i, s)| collider(s, default_name("collider", i, sections.len()), folder)).collect()
}

fn collider(s: &Section<'_>, default_name: String, folder: &Path) -> Collider {
    s.missing("shape", "write for example `shape = \"half-space\"`");
    let shape = s.choice("shape");
    s.check_keys(shape);
    Collider {
        name: s.text("name").unwrap_or(default_name),
        shape: geometry(s, shape, folder),
        position: s.vector("position").unwrap_or_default(),
        rotation: s.vector("rotation").unwrap_or_default(),
        velocity: s.vector("velocity").unwrap_or_default(),
        angular_velocity: s.vector("angular_velocity").unwrap_or_default(),
        moves: s.interval("moves").unwrap_or([0.0, f64::INFINITY]),
        friction: s.number("friction").unwrap_or(0.3),
    }
}

fn geometry(s: &Section<'_>, shape: Option<&'static str>, folder: &Path) -> ColliderShape {
    let needed = |key: &'static str, example: &str| {
        s.missing(key, format!("write for example `{key} = {example}`"));
        s.number(key).unwrap_or(1.0)
    };
    match shape {
        Some("sphere") => ColliderShape::Sphere { radius: needed("radius", "0.5") },
        Some("capsule") => ColliderShape::Capsule { radius: needed("radius", "0.1"), height: needed("height", "0.5") },
        Some("cylinder") => {
            ColliderShape::Cylinder { radius: needed("radius", "0.1"), height: needed("height", "0.5") }
        }
        Some("box") => {
            s.missing("size", "write for example `size = [1, 0.5, 1]`");
            ColliderShape::Box { size: s.numbers("size").unwrap_or([1.0; 3]) }
        }
        Some("mesh") => {
            s.missing("mesh", "write for example `mesh = \"chair.obj\"`");
            let scale = s.number("scale").unwrap_or(1.0);
            ColliderShape::Mesh { file: s.file("mesh", folder).unwrap_or_default(), scale, cells: cells(s) }
        }
        Some("armchair") => {
            let [width, height, depth] = s.numbers("size").unwrap_or([1.0; 3]);
            if width != height || width != depth {
                s.fail("size", "an armchair has one size, its width", "write for example `size = 1`");
            }
            ColliderShape::Armchair { width, cells: cells(s) }
        }
        _ => {
            let normal = s.vector("normal").unwrap_or([0.0, 1.0, 0.0]);
            if normal.iter().map(|c| c * c).sum::<f64>() == 0.0 {
                s.fail("normal", "`normal` has no direction", "write for example `normal = [0, 1, 0]`");
            }
            ColliderShape::HalfSpace { normal }
        }
    }
}

/// Cells of a distance grid along its longest side.
fn cells(s: &Section<'_>) -> usize {
    s.count("cells").unwrap_or(96)
}

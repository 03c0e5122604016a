//! Memory that a scene needs, estimated before any of it is taken: an allocation that fails ends the program without a word.

use super::ModelError;
use crate::material::SplineTet;
use crate::scene::{MeshSource, Precision, Scene, Solid, SolidModel};
use std::f64::consts::TAU;

/// What is to be done with a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Its model is built and looked at.
    Check,
    /// It is simulated.
    Run,
}

/// Bytes per vertex of a cloth and per tet of a solid, a little more than was measured on a CPU with method `auto`: sheets of
/// 160,000 and 490,000 vertices took 2.6 to 2.8 kB in `f32` and 3.3 to 3.6 kB in `f64`, blocks of 48,000 and 384,000 tets 0.8
/// and 1.0 kB; to check them took 0.7 and 0.36 kB.
fn bytes_each(scene: &Scene, use_: Use) -> [f64; 2] {
    match (use_, scene.device.precision) {
        (Use::Check, _) => [750.0, 400.0],
        (Use::Run, Precision::F64) => [3700.0, 1100.0],
        (Use::Run, _) => [3000.0, 900.0],
    }
}

/// Bytes per vertex of a cloth and per tet of a solid that contact between bodies takes besides. A sheet of 2 million vertices
/// took 2.6 kB each in `f32`: boxes, cells, and what every vertex and edge found in this step and the one before; half as much
/// again comes when a step is cut into pieces. The rest is estimated from that: numbers of twice the size, and that most tets
/// of a solid have no vertex at its surface.
fn bytes_of_contact(scene: &Scene, use_: Use) -> [f64; 2] {
    match (scene.contact.self_collision, use_, scene.device.precision) {
        (false, ..) | (_, Use::Check, _) => [0.0; 2],
        (_, Use::Run, Precision::F64) => [6500.0, 1300.0],
        (_, Use::Run, _) => [3900.0, 800.0],
    }
}

/// Bytes per tet of a spline model that its knots take besides: of the model, of the device, and, while something is converted, of
/// the objective.
fn bytes_of_splines(use_: Use, precision: Precision) -> f64 {
    let own = [size_of::<SplineTet<f32>>(), size_of::<SplineTet<f64>>()].map(|bytes| bytes as f64);
    match (use_, precision) {
        (Use::Check, _) => own[1],
        (Use::Run, Precision::F32) => own[0] + 2.0 * own[1],
        (Use::Run, Precision::F64) => 3.0 * own[1],
    }
}

/// Refuses a scene that needs more memory than there is. How large a mesh file is, nobody knows before it is read: it counts
/// as nothing. Where the system does not tell what there is, nothing is refused.
pub fn check_memory(scene: &Scene, use_: Use) -> Result<(), ModelError> {
    let Some(there) = available() else { return Ok(()) };
    let needed = needed(scene, use_);
    if needed > there { Err(ModelError::Memory { needed, there }) } else { Ok(()) }
}

/// Bytes.
fn needed(scene: &Scene, use_: Use) -> f64 {
    let [of_vertex, of_tet] = bytes_of_contact(scene, use_);
    let [vertex, tet] = bytes_each(scene, use_);
    let [vertex, tet] = [vertex + of_vertex, tet + of_tet];
    let cloth = scene.cloth.iter().map(|cloth| vertex * count(&cloth.mesh));
    let splines = bytes_of_splines(use_, scene.device.precision);
    let each = |solid: &Solid| tet + if solid.model == SolidModel::Spline { splines } else { 0.0 };
    let solid = scene.solid.iter().map(|solid| each(solid) * count(&solid.mesh));
    cloth.chain(solid).sum()
}

/// Vertices of a cloth, tets of a solid; as a real, because the product of silly counts overflows integers. What is beyond the
/// reach of indices counts as nothing: the generator has its own words for that.
fn count(mesh: &MeshSource) -> f64 {
    let cells = |x: f64, y: f64, z: f64| 6.0 * x * y * z;
    let count = match *mesh {
        MeshSource::File(_) => 0.0,
        MeshSource::Grid { resolution: [x, z], .. } => x as f64 * z as f64,
        MeshSource::Box { cells: [x, y, z], .. } => cells(x as f64, y as f64, z as f64),
        MeshSource::Cylinder { radius, height, edge } => {
            let edge = edge.min(radius).min(height);
            cells(2.0 * radius / edge, 2.0 * radius / edge, height / edge)
        }
        MeshSource::Sphere { radius, edge } => cells(2.0 * radius / edge, 2.0 * radius / edge, 2.0 * radius / edge),
        MeshSource::Torus { major_radius, minor_radius, edge } => {
            let edge = edge.min(minor_radius);
            cells(2.0 * minor_radius / edge, 2.0 * minor_radius / edge, TAU * major_radius / edge)
        }
        MeshSource::DoubleHelix { tets }
        | MeshSource::Creature { tets }
        | MeshSource::Car { tets }
        | MeshSource::Snowman { tets } => tets as f64,
    };
    if count <= (1u64 << 30) as f64 { count } else { 0.0 }
}

/// Bytes that can still be had, as far as the system tells.
fn available() -> Option<f64> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    if cfg!(target_os = "linux") { least(&read("/proc/meminfo"), &read("/proc/self/limits")) } else { None }
}

/// The smaller one of free memory and the limit of the address space, bytes.
fn least(meminfo: &str, limits: &str) -> Option<f64> {
    let first_number = |text: &str, name: &str, unit: f64| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        Some(unit * line.split_whitespace().next()?.parse::<f64>().ok()?)
    };
    let free = first_number(meminfo, "MemAvailable:", 1024.0);
    let limit = first_number(limits, "Max address space", 1.0);
    free.into_iter().chain(limit).reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;

    #[test]
    fn the_least_of_memory_and_limit_counts_and_nothing_known_refuses_nothing() {
        let meminfo = "MemTotal:       24684208 kB\nMemAvailable:    2000 kB\n";
        let limited =
            |limit: &str| format!("Limit  Soft  Hard  Units\nMax address space         {limit}  unlimited  bytes\n");
        assert_eq!(least(meminfo, &limited("unlimited")), Some(2_048_000.0));
        assert_eq!(least(meminfo, &limited("5000")), Some(5000.0));
        assert_eq!(least("", &limited("5000")), Some(5000.0));
        assert_eq!(least("", ""), None);
    }

    #[test]
    fn counts_are_those_of_the_meshes() {
        let shapes = [
            "[[cloth]]\nresolution = [30, 20]",
            "[[solid]]\nshape = 'box'\ncells = [7, 8, 9]",
            "[[solid]]\nshape = 'cylinder'\nradius = 0.5\nheight = 1\nedge = 0.1",
            "[[solid]]\nshape = 'sphere'\nradius = 0.5\nedge = 0.07",
            "[[solid]]\nshape = 'torus'\nmajor_radius = 0.5\nminor_radius = 0.15\nedge = 0.04",
            "[[solid]]\nshape = 'double-helix'\ntets = 4000",
        ];
        for shape in shapes {
            let scene = Scene::parse(&format!("pliant = 1\n{shape}\n"), "t", ".".as_ref(), &[]).unwrap();
            let (model, _) = Model::new(&scene).unwrap();
            let made = if scene.solid.is_empty() { model.vertices() } else { model.bodies[0].tets.len() } as f64;
            let each = bytes_each(&scene, Use::Run)[usize::from(!scene.solid.is_empty())];
            let told = needed(&scene, Use::Run) / each;
            assert!((told / made - 1.0).abs() < 0.25, "{shape}: {told}, made {made}");
        }
    }

    #[test]
    fn bodies_that_touch_each_other_need_more() {
        let needed = |text: &str| {
            let text = format!("pliant = 1\n{text}\n[[cloth]]\nresolution = 1000\n");
            needed(&Scene::parse(&text, "t", ".".as_ref(), &[]).unwrap(), Use::Run)
        };
        let more = needed("[contact]\nself_collision = true") - needed("");
        assert!(more > 2.6e9, "{more}");
    }

    #[test]
    fn more_than_there_is_is_refused_with_both_numbers() {
        let scene =
            Scene::parse("pliant = 1\n[[cloth]]\nresolution = [20000, 2000]\n", "t", ".".as_ref(), &[]).unwrap();
        let needed = needed(&scene, Use::Run);
        assert_eq!(needed, 1.2e11);
        let message = ModelError::Memory { needed, there: 24e9 }.to_string();
        for word in ["120 GB", "24.0 GB", "resolution", "edge"] {
            assert!(message.contains(word), "{word}: {message}");
        }
    }
}

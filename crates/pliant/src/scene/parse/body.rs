//! `[[cloth]]` and `[[solid]]`.

use std::path::Path;

use super::super::presets;
use super::super::reader::Section;
use super::super::types::{BendModel, Cloth, MembraneModel, MeshSource, Placement, Solid, StretchModel, Triangulation};
use super::super::units::shown;
use super::copies::{Copied, copied};
use super::{data, default_name, elasticity};

/// More cells than this would not fit into memory; it is a typing error.
const MOST_CELLS: f64 = 5e7;

pub(super) fn cloths(sections: &[Section<'_>], folder: &Path, seed: u64) -> Vec<Copied<Cloth>> {
    let each = sections.iter().enumerate().flat_map(|(i, s)| {
        let one = cloth(s, default_name("cloth", i, sections.len()), folder);
        copied(s, i, one, seed, |cloth| (&mut cloth.name, &mut cloth.placement))
    });
    each.collect()
}

/// `notes` are for people: which mesh is taken where there is a choice.
pub(super) fn solids(
    sections: &[Section<'_>],
    folder: &Path,
    seed: u64,
    notes: &mut Vec<String>,
) -> Vec<Copied<Solid>> {
    let each = sections.iter().enumerate().flat_map(|(i, s)| {
        let one = solid(s, default_name("solid", i, sections.len()), folder, notes);
        copied(s, i, one, seed, |solid| (&mut solid.name, &mut solid.placement))
    });
    each.collect()
}

fn cloth(s: &Section<'_>, default_name: String, folder: &Path) -> Cloth {
    let shape = if s.has("mesh") { s.choice("shape") } else { s.choice("shape").or(Some("grid")) };
    let mesh = file_or(s, shape, folder).unwrap_or_else(|| grid(s));
    let preset = presets::cloth(s.choice("material"));
    let stiffness = s.number("stretch_stiffness").unwrap_or(preset.stretch_stiffness);
    let poisson_ratio = s.number("poisson_ratio").unwrap_or(preset.poisson_ratio);
    let membrane = |model| StretchModel::Membrane { youngs_modulus: stiffness, poisson_ratio, model };
    let bend_stiffness = s.number("bend_stiffness").unwrap_or(preset.bend_stiffness);
    Cloth {
        name: s.text("name").unwrap_or(default_name),
        mesh,
        placement: placement(s),
        density: s.number("density").unwrap_or(preset.density),
        stretch: match s.choice("stretch") {
            Some("arap") => membrane(MembraneModel::AsRigidAsPossible),
            Some("corotated") => membrane(MembraneModel::Corotated),
            Some("stvk") => membrane(MembraneModel::StVenantKirchhoff),
            Some("baraff-witkin") => membrane(MembraneModel::BaraffWitkin),
            _ => StretchModel::Springs { stiffness },
        },
        bend: match s.choice("bend") {
            Some("none") => BendModel::None,
            Some("dihedral") => BendModel::Dihedral { stiffness: bend_stiffness },
            _ => BendModel::Quadratic { stiffness: bend_stiffness },
        },
        strain_limit: limit(s, "strain_limit"),
        thickness: s.number("thickness").unwrap_or(1e-3),
    }
}

fn solid(s: &Section<'_>, default_name: String, folder: &Path, notes: &mut Vec<String>) -> Solid {
    let shape = s.choice("shape");
    if !s.has("mesh") {
        s.missing("shape", "write for example `shape = \"box\"`, or `mesh = \"file.obj\"`");
    }
    let name = s.text("name").unwrap_or(default_name);
    let mesh = file_or(s, shape, folder).unwrap_or_else(|| solid_shape(s, shape));
    let mesh = data::or_else(s, &name, folder, mesh, notes);
    let preset = presets::solid(s.choice("material"));
    let model = elasticity::model(s);
    Solid {
        name,
        mesh,
        placement: Placement { flatten: s.flag("flatten").unwrap_or(false), ..placement(s) },
        density: s.number("density").unwrap_or(preset.density),
        model,
        elasticity: elasticity::elasticity(s, model, &preset),
        fibres: elasticity::fibres(s, model),
        conversion: elasticity::conversion(s, model),
        strain_limit: limit(s, "strain_limit"),
        volume_limit: limit(s, "volume_limit"),
        thickness: s.number("thickness").unwrap_or(1e-3),
    }
}

/// The mesh file if there is one; checks the keys either way.
fn file_or(s: &Section<'_>, shape: Option<&'static str>, folder: &Path) -> Option<MeshSource> {
    if !s.has("mesh") {
        s.check_keys(shape);
        return None;
    }
    let file = s.file("mesh", folder);
    if s.has("shape") {
        s.fail(
            "shape",
            "there is a `mesh` and a `shape`",
            "keep the `mesh` to read a file, or the `shape` to generate one",
        );
        s.check_keys(shape);
    } else {
        // Of a file that is not there nobody knows whether it is what was meant.
        s.check_keys(file.as_ref().map(|_| ""));
    }
    Some(MeshSource::File(file.unwrap_or_default()))
}

fn grid(s: &Section<'_>) -> MeshSource {
    let resolution: [usize; 2] = s.counts("resolution").unwrap_or([51; 2]);
    let vertices = resolution[0].saturating_mul(resolution[1]);
    if vertices as f64 > MOST_CELLS {
        s.fail("resolution", format!("{vertices} vertices are too many"), format!("at most {MOST_CELLS} fit"));
    }
    MeshSource::Grid {
        size: s.numbers("size").unwrap_or([1.0; 2]),
        resolution,
        triangulation: match s.choice("triangulation") {
            Some("uniform") => Triangulation::Uniform,
            Some("delaunay") => Triangulation::Delaunay,
            _ => Triangulation::Alternating,
        },
    }
}

fn solid_shape(s: &Section<'_>, shape: Option<&'static str>) -> MeshSource {
    match shape {
        Some("bar") => block(s, [1.0, 0.2, 0.2]),
        Some("cylinder") => {
            let radius = s.number("radius").unwrap_or(0.1);
            let height = s.number("height").unwrap_or(0.3);
            let edge = edge(s, radius.min(height) / 4.0, [2.0 * radius, height, 2.0 * radius]);
            MeshSource::Cylinder { radius, height, edge }
        }
        Some("sphere") => {
            let radius = s.number("radius").unwrap_or(0.1);
            MeshSource::Sphere { radius, edge: edge(s, radius / 4.0, [2.0 * radius; 3]) }
        }
        Some("torus") => {
            let major_radius = s.number("major_radius").unwrap_or(0.15);
            let minor_radius = s.number("minor_radius").unwrap_or(0.05);
            if minor_radius >= major_radius {
                let key = if s.has("minor_radius") { "minor_radius" } else { "major_radius" };
                let message = format!(
                    "a torus with a tube of radius {minor_radius} m around one of {major_radius} m has no hole"
                );
                s.fail(key, message, "make `minor_radius` smaller than `major_radius`");
            }
            let wide = 2.0 * (major_radius + minor_radius);
            let edge = edge(s, minor_radius / 2.0, [wide, 2.0 * minor_radius, wide]);
            MeshSource::Torus { major_radius, minor_radius, edge }
        }
        Some("snowman") => MeshSource::Snowman { tets: s.count("tets").unwrap_or(20_000) },
        Some("car") => MeshSource::Car { tets: s.count("tets").unwrap_or(20_000) },
        Some("creature") => MeshSource::Creature { tets: s.count("tets").unwrap_or(20_000) },
        Some("double-helix") => MeshSource::DoubleHelix { tets: s.count("tets").unwrap_or(20_000) },
        _ => block(s, [0.2; 3]),
    }
}

fn block(s: &Section<'_>, default_size: [f64; 3]) -> MeshSource {
    let size: [f64; 3] = s.numbers("size").unwrap_or(default_size);
    let shortest = size.into_iter().fold(f64::INFINITY, f64::min);
    if s.has("cells") && s.has("edge") {
        s.fail("edge", "`edge` and `cells` both say how fine the mesh is", "keep one of them");
    }
    let given: Option<[usize; 3]> = s.counts("cells");
    let cells = given.unwrap_or_else(|| {
        let edge = edge(s, shortest / 4.0, size);
        size.map(|side| (side / edge).round().clamp(1.0, MOST_CELLS) as usize)
    });
    let count: f64 = cells.iter().map(|c| *c as f64).product();
    if count > MOST_CELLS && given.is_some() {
        s.fail("cells", format!("{count} cells are too many"), format!("at most {MOST_CELLS} fit"));
    }
    MeshSource::Box { size, cells }
}

/// The `edge` wanted, if it suits a shape with these extents, m.
fn edge(s: &Section<'_>, default: f64, extents: [f64; 3]) -> f64 {
    let edge = s.number("edge").unwrap_or(default);
    let longest = extents.into_iter().fold(0.0, f64::max);
    let cells: f64 = extents.iter().map(|e| (e / edge).max(1.0)).product();
    if edge > longest {
        s.fail(
            "edge",
            format!("an edge of {} m is longer than the shape, {} m", shown(edge), shown(longest)),
            "make `edge` shorter",
        );
    } else if cells > MOST_CELLS {
        let message =
            format!("edges of {} m in a shape of {} m make some {cells:.1e} cells", shown(edge), shown(longest));
        s.fail("edge", message, format!("at most {MOST_CELLS:e} fit: make `edge` longer"));
    }
    edge
}

/// A range of ratios that holds the rest state, 1.
fn limit(s: &Section<'_>, key: &str) -> Option<[f64; 2]> {
    let [low, high] = s.interval(key)?;
    if low <= 1.0 && high >= 1.0 {
        return Some([low, high]);
    }
    s.fail(key, format!("`{key}` [{low}, {high}] leaves out 1, the rest state"), "write for example [0.9, 1.1]");
    None
}

fn placement(s: &Section<'_>) -> Placement {
    Placement {
        position: s.vector("position").unwrap_or_default(),
        rotation: s.vector("rotation").unwrap_or_default(),
        scale: s.number("scale").unwrap_or(1.0),
        velocity: s.vector("velocity").unwrap_or_default(),
        jitter: s.number("jitter").unwrap_or(0.0),
        scramble: s.flag("scramble").unwrap_or(false),
        flatten: false,
    }
}

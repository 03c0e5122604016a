//! The good meshes of the data folder: all formats agree, and all numbers are those of its manifest.

mod common;

use std::path::Path;

use pliant::mesh::{self, Info, Kind, Mesh};
use serde_json::Value;

/// Meshes of the folder that touch or cross themselves, with the number of triangles that do. `erleben_hole` has four
/// T-junctions, vertices exactly on an edge of another triangle: touching, though nothing crosses.
const INTERSECTING: &[(&str, usize)] = &[("erleben_hole.obj", 8), ("two_cubes_intersecting.obj", 89)];

fn manifest(folder: &Path) -> Vec<Value> {
    serde_json::from_slice(&std::fs::read(folder.join("manifest.json")).unwrap()).unwrap()
}

fn number(entry: &Value, key: &str) -> f64 {
    entry[key].as_f64().unwrap_or_else(|| panic!("{}: no {key}", entry["file"]))
}

fn assert_close(what: &str, found: f64, expected: f64, scale: f64) {
    assert!((found - expected).abs() <= 1e-9 * scale.abs(), "{what}: found {found}, expected {expected}");
}

fn assert_surface(name: &str, info: &Info, surface: &Value) {
    let count = |key: &str| surface[key].as_i64().unwrap();
    assert_eq!(info.watertight, surface["watertight"].as_bool().unwrap(), "{name}");
    assert_eq!(info.euler, count("euler"), "{name}: Euler number");
    assert_eq!(info.components as i64, count("components"), "{name}: components");
    assert_eq!(info.non_manifold_edges as i64, count("nonmanifold_edges"), "{name}");
    assert_eq!(info.non_manifold_vertices as i64, count("nonmanifold_verts"), "{name}");
    assert_close(name, info.area, number(surface, "area"), info.area);
}

fn assert_common(name: &str, info: &Info, entry: &Value) {
    let count = |key: &str| entry[key].as_u64().unwrap() as usize;
    assert_eq!(info.vertices, count("nv"), "{name}");
    assert_eq!(info.unused_vertices, count("nv_unused"), "{name}");
    assert_eq!(info.edges, count("ne"), "{name}: edges");
    assert_close(name, info.min_edge, number(entry, "min_edge"), info.max_edge);
    for (side, corner) in info.bounding_box.iter().enumerate() {
        for (axis, coordinate) in corner.iter().enumerate() {
            assert_eq!(*coordinate, entry["bbox"][side][axis].as_f64().unwrap(), "{name}: bounding box");
        }
    }
}

#[test]
fn surfaces_have_the_numbers_of_the_manifest() {
    let Some(folder) = common::data_folder() else { return };
    let manifest = manifest(&folder);
    let surfaces: Vec<&Value> = manifest.iter().filter(|entry| entry.get("nf").is_some()).collect();
    assert!(surfaces.len() >= 20);
    for entry in surfaces {
        let name = entry["file"].as_str().unwrap();
        let mesh = mesh::read(&folder.join(name)).unwrap();
        let info = mesh::info(&mesh);
        assert_common(name, &info, entry);
        assert_surface(name, &info, entry);
        assert_eq!(info.triangles as u64, entry["nf"].as_u64().unwrap());
        assert_eq!(info.boundary_edges as u64, entry["boundary_edges"].as_u64().unwrap());
        assert_close(name, info.volume, number(entry, "signed_volume"), info.area);
    }
}

#[test]
fn solids_have_the_numbers_of_the_manifest_and_their_formats_agree() {
    let Some(folder) = common::data_folder() else { return };
    let manifest = manifest(&folder);
    let solids: Vec<&Value> = manifest.iter().filter(|entry| entry.get("nt").is_some()).collect();
    assert!(solids.len() >= 19);
    let mut files = 0;
    for entry in solids {
        let name = entry["file"].as_str().unwrap();
        let mut first: Option<Mesh> = None;
        for format in entry["formats"].as_array().unwrap() {
            let extension = if format == "msh41" { "v41.msh" } else { format.as_str().unwrap() };
            let mesh = mesh::read(&folder.join(format!("{name}.{extension}"))).unwrap();
            assert!(first.as_ref().is_none_or(|first| *first == mesh), "{name}.{extension} differs");
            first = Some(mesh);
            files += 1;
        }
        let info = mesh::info(&first.unwrap());
        assert_common(name, &info, entry);
        assert_surface(name, &info, &entry["boundary"]);
        assert_eq!(info.tets as u64, entry["nt"].as_u64().unwrap());
        assert_eq!(info.surface_triangles as u64, entry["n_boundary_faces"].as_u64().unwrap());
        assert_eq!(info.max_degree as u64, entry["max_degree"].as_u64().unwrap(), "{name}: degree");
        assert_close(name, info.volume, number(entry, "total_vol"), info.volume);
        let (angles, volumes) = (info.dihedral_deg.unwrap(), info.tet_volume.unwrap());
        assert_close(name, angles[0], number(entry, "min_dihedral_deg"), 1e3);
        assert_close(name, angles[1], number(entry, "max_dihedral_deg"), 1e3);
        assert_close(name, volumes[0], number(entry, "min_vol"), volumes[1]);
        assert_close(name, volumes[1], number(entry, "max_vol"), volumes[1]);
    }
    let in_folder = std::fs::read_dir(folder.join("tet")).unwrap().count();
    assert_eq!(files, in_folder, "files in tet/ that the manifest does not name");
}

#[test]
fn good_meshes_have_no_errors() {
    let Some(folder) = common::data_folder() else { return };
    for sub_folder in ["surface", "tet"] {
        for entry in std::fs::read_dir(folder.join(sub_folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            if path.extension().unwrap() == "vtk" || INTERSECTING.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let report = mesh::check(&mesh::read(&path).unwrap());
            assert!(!report.has_errors(), "{name}: {report}");
        }
    }
}

#[test]
fn self_intersections_are_those_of_the_manifest() {
    let Some(folder) = common::data_folder() else { return };
    for entry in manifest(&folder).iter().filter(|entry| entry.get("nf").is_some()) {
        let name = entry["file"].as_str().unwrap();
        let mesh = mesh::read(&folder.join(name)).unwrap();
        let pairs = mesh::self_intersections(&mesh.points, &mesh.triangles, 1_000_000);
        let mut faces = pairs.concat();
        faces.sort_unstable();
        faces.dedup();
        let known = INTERSECTING.iter().find(|(known, _)| name.ends_with(known));
        assert_eq!(faces.len(), known.map_or(0, |(_, faces)| *faces), "{name}");
        let crossing = entry["self_intersecting_faces"].as_u64().unwrap() as usize;
        assert!(faces.len() >= crossing, "{name}");
    }
}

#[test]
fn twenty_thousand_triangles_are_searched_in_well_under_a_second() {
    let Some(folder) = common::data_folder() else { return };
    for name in ["surface/armadillo_10k.obj", "surface/cloth_100x100_alt.obj"] {
        let mesh = mesh::read(&folder.join(name)).unwrap();
        let start = std::time::Instant::now();
        let pairs = mesh::self_intersections(&mesh.points, &mesh.triangles, 10);
        let elapsed = start.elapsed();
        println!("{name}: {} triangles in {elapsed:?}", mesh.triangles.len());
        assert!(pairs.is_empty());
        // Ten times what it takes, for busy machines and unoptimised builds.
        assert!(elapsed.as_secs_f64() < 2.0, "{elapsed:?}");
    }
}

#[test]
fn report_and_info_speak_to_people_and_programs() {
    let Some(folder) = common::data_folder() else { return };
    let mesh = mesh::read(&folder.join("surface/two_cubes_intersecting.obj")).unwrap();
    let report = mesh::check(&mesh);
    assert_eq!(report.kinds(), [Kind::IsolatedVertex, Kind::SelfIntersection]);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["findings"][1]["kind"], "self_intersection");
    assert_eq!(json["findings"][1]["severity"], "warning");
    assert!(report.to_string().contains("warning: "), "{report}");
    let info = mesh::info(&mesh);
    assert_eq!(serde_json::to_value(&info).unwrap()["triangles"], 480);
    assert!(info.to_string().contains("components      2"), "{info}");
}

//! Every broken or awkward file of the data folder has the outcome written here.

mod common;

use pliant::mesh::{self, Kind};

enum Outcome {
    /// Cannot be read; the message has all of these words.
    Refused(&'static [&'static str]),
    /// Is read, and the check finds exactly these kinds.
    Reported(&'static [Kind]),
    /// Is read, with so many vertices and triangles, and no error.
    Good(usize, usize),
}
use Outcome::{Good, Refused, Reported};

const TABLE: &[(&str, Outcome)] = &[
    ("binary_garbage.obj", Refused(&["line 1", "OBJ record"])),
    ("denormal_coords.obj", Reported(&[Kind::DegenerateTriangle])),
    ("duplicate_faces.obj", Reported(&[Kind::DuplicateFace, Kind::NonManifoldEdge])),
    ("duplicate_vertices.obj", Reported(&[Kind::DuplicateVertex, Kind::SelfIntersection])),
    ("empty.msh", Refused(&["end of the file", "$MeshFormat"])),
    ("empty.obj", Refused(&["no vertices"])),
    ("empty.vtk", Refused(&["line 1", "# vtk DataFile"])),
    ("face_with_two_vertices.obj", Refused(&["line 4", "2 corners", "three or more"])),
    ("huge_coords_1e30.obj", Reported(&[Kind::CoordinateTooLarge])),
    (
        "inconsistent_orientation.obj",
        Reported(&[Kind::DuplicateFace, Kind::NonManifoldEdge, Kind::InconsistentOrientation]),
    ),
    ("index_float.obj", Refused(&["line 4", "2.5", "whole number"])),
    ("index_huge.obj", Refused(&["line 4", "99999999999999999999"])),
    ("index_negative_bad.obj", Refused(&["line 4", "-4", "3 vertices"])),
    ("index_negative_ok.obj", Good(3, 1)),
    ("index_out_of_range.obj", Refused(&["line 4", "vertex index 4", "1 to 3"])),
    ("index_zero.obj", Refused(&["line 4", "vertex index 0"])),
    ("inf_vertex.obj", Refused(&["line 3", "inf", "finite"])),
    ("isolated_vertex.obj", Reported(&[Kind::IsolatedVertex])),
    ("locale_comma.obj", Refused(&["line 1", "0,0", "comma"])),
    ("nan_vertex.obj", Refused(&["line 3", "nan", "finite"])),
    ("nonmanifold_bowtie_vertex.obj", Reported(&[Kind::NonManifoldVertex])),
    ("nonmanifold_edge.obj", Reported(&[Kind::NonManifoldEdge])),
    ("only_comments.obj", Refused(&["no vertices"])),
    ("overflow_1e400.obj", Refused(&["line 2", "1e400", "finite"])),
    // Legal polygons; that the pentagon covers part of the quad is another matter.
    (
        "quad_and_pentagon_faces.obj",
        Reported(&[Kind::DuplicateFace, Kind::NonManifoldEdge, Kind::InconsistentOrientation]),
    ),
    ("repeated_index_face.obj", Reported(&[Kind::RepeatedIndex])),
    ("self_intersecting_cubes.obj", Reported(&[Kind::SelfIntersection])),
    ("self_intersecting_triangles.obj", Reported(&[Kind::SelfIntersection])),
    ("slashes_and_crlf_ok.obj", Good(3, 1)),
    ("tet_all_inverted.msh", Reported(&[Kind::AllTetsInverted])),
    ("tet_binary_flag_ascii_body.msh", Refused(&["binary", "text"])),
    ("tet_count_negative.msh", Refused(&["line 13", "-1", "number of elements"])),
    ("tet_count_too_big.msh", Refused(&["line 5", "4000000000", "bytes are left"])),
    ("tet_duplicate.msh", Reported(&[Kind::IsolatedVertex, Kind::DuplicateTet])),
    ("tet_face_shared_by_three.msh", Reported(&[Kind::IsolatedVertex, Kind::FaceSharedByThreeTets])),
    ("tet_flat.msh", Reported(&[Kind::FlatTet])),
    ("tet_index_out_of_range.msh", Refused(&["line 14", "77"])),
    ("tet_inverted.msh", Reported(&[Kind::InvertedTet])),
    ("tet_nan_vertex.msh", Refused(&["line 8", "nan"])),
    ("tet_repeated_vertex.msh", Reported(&[Kind::RepeatedIndex, Kind::IsolatedVertex])),
    ("tet_sliver_1e-18.msh", Reported(&[Kind::FlatTet])),
    ("tet_truncated.msh", Refused(&["line 14", "vertex index"])),
    ("tet_unknown_version.msh", Refused(&["line 2", "9.9", "4.1"])),
    // The cut leaves a legal last line, `f 81 94 9`: no reader can know, but the check sees what it did.
    ("truncated.obj", Reported(&[Kind::IsolatedVertex, Kind::NonManifoldVertex])),
    ("truncated_vertex.obj", Refused(&["line 3", "2 coordinates"])),
    ("utf8_bom_ok.obj", Good(3, 1)),
    ("very_long_line.obj", Good(3, 1)),
    ("vtk_bad_cell_size.vtk", Refused(&["line 7", "9999"])),
    ("vtk_short_points.vtk", Refused(&["line 7", "CELLS", "coordinate"])),
    ("vtk_wrong_cell_type.vtk", Refused(&["line 10", "type 12", "hexahedron"])),
    ("zero_area_triangle.obj", Reported(&[Kind::DegenerateTriangle])),
    ("zero_length_edge.obj", Reported(&[Kind::DegenerateTriangle, Kind::DuplicateVertex])),
];

#[test]
fn every_bad_file_has_the_outcome_of_the_table() {
    let Some(folder) = common::data_folder() else { return };
    let mut failures = Vec::new();
    for (name, outcome) in TABLE {
        let path = folder.join("bad").join(name);
        let result = mesh::read(&path);
        let failure = match (outcome, &result) {
            (Refused(wanted), Err(error)) => {
                let message = error.to_string();
                let missing: Vec<&&str> = wanted.iter().filter(|word| !message.contains(**word)).collect();
                let names_file = message.contains(name);
                (!missing.is_empty() || !names_file).then(|| format!("message lacks {missing:?}: {message}"))
            }
            (Reported(kinds), Ok(mesh)) => {
                let found = mesh::check(mesh).kinds();
                (found != *kinds).then(|| format!("found {found:?}, expected {kinds:?}"))
            }
            (Good(vertices, triangles), Ok(mesh)) => {
                let report = mesh::check(mesh);
                let counts = (mesh.points.len(), mesh.triangles.len());
                (counts != (*vertices, *triangles) || report.has_errors()).then(|| format!("{counts:?} {report}"))
            }
            (Refused(_), Ok(_)) => Some("was read, but must be refused".to_string()),
            (_, Err(error)) => Some(format!("was refused: {error}")),
        };
        failures.extend(failure.map(|failure| format!("{name}: {failure}")));
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn every_bad_file_is_in_the_table() {
    let Some(folder) = common::data_folder() else { return };
    for entry in std::fs::read_dir(folder.join("bad")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let known = name == "README.md" || TABLE.iter().any(|(known, _)| *known == name);
        assert!(known, "bad/{name} is not in the table");
    }
}

#[test]
fn legal_polygons_become_fans() {
    let Some(folder) = common::data_folder() else { return };
    let mesh = mesh::read(&folder.join("bad/quad_and_pentagon_faces.obj")).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2], [0, 2, 4], [0, 4, 3]]);
}

#[test]
fn inverted_tets_are_mended_by_swapping() {
    let Some(folder) = common::data_folder() else { return };
    for (name, swapped) in [("tet_all_inverted.msh", 1), ("tet_inverted.msh", 1)] {
        let mut mesh = mesh::read(&folder.join("bad").join(name)).unwrap();
        assert_eq!(mesh.orient_tets(), swapped, "{name}");
        assert!(!mesh::check(&mesh).has_errors(), "{name}");
        assert_eq!(mesh.orient_tets(), 0, "{name}");
    }
}

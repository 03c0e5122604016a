//! Corners of the formats, checks of meshes made by hand, and what once went wrong.

use std::time::{Duration, Instant};

use pliant::mesh::{self, Format, Kind, Mesh, TetgenPart};

fn message(bytes: &[u8], format: Format) -> String {
    mesh::parse(bytes, format, "a file").unwrap_err().to_string()
}

#[test]
fn obj_faces_may_stand_before_their_vertices() {
    let mesh = mesh::parse(b"f 1 2 3 # a face\nv 0 0 0\nv 1 0 0\nv 0 1 0", Format::Obj, "a").unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2]]);
}

#[test]
fn an_obj_error_names_the_line_of_the_face_and_not_of_the_end() {
    let text = message(b"f 1 2 7\nv 0 0 0\nv 1 0 0\nv 0 1 0\n\n\n", Format::Obj);
    assert_eq!(
        text,
        "a file: line 1: found vertex index 7, expected 1 to 3, as there are 3 vertices; export the mesh again, or \
         remove this element"
    );
}

#[test]
fn a_backslash_at_the_end_of_an_obj_comment_continues_nothing() {
    let mesh = mesh::parse(b"# C:\\\nv 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", Format::Obj, "a").unwrap();
    assert_eq!(mesh.points.len(), 3);
}

#[test]
fn a_binary_stl_that_begins_with_solid_is_binary() {
    let mut bytes = b"solid".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(1u32.to_le_bytes());
    for value in [0.0f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend([0, 0]);
    assert_eq!(mesh::parse(&bytes, Format::Stl, "a").unwrap().triangles, [[0, 1, 2]]);
    bytes.truncate(100);
    assert!(mesh::parse(&bytes, Format::Stl, "a").is_err());
}

#[test]
fn cut_off_text_stl_is_refused() {
    let text = message(b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n", Format::Stl);
    assert!(text.contains("line 6") && text.contains("endsolid") && text.contains("cut off"), "{text}");
}

#[test]
fn hexahedra_and_curved_tets_are_refused_with_advice() {
    let file = |element: &str| {
        let nodes: String = (1..=10).map(|i| format!("{i} {i} 0 {}\n", i * i)).collect();
        format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n{nodes}$EndNodes\n$Elements\n1\n{element}\n$EndElements\n"
        )
    };
    let text = message(file("1 5 2 1 1 1 2 3 4 5 6 7 8").as_bytes(), Format::Gmsh);
    assert!(text.contains("hexahedra") && text.contains("tetrahedra"), "{text}");
    let text = message(file("1 11 2 1 1 1 2 3 4 5 6 7 8 9 10").as_bytes(), Format::Gmsh);
    assert!(text.contains("-order 1"), "{text}");
    let mesh = mesh::parse(file("1 3 2 1 1 1 2 3 4").as_bytes(), Format::Gmsh, "a").unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn a_tetgen_file_with_a_missing_line_is_refused() {
    let part = |bytes| TetgenPart { bytes, name: "a.node" };
    let error = mesh::parse_tetgen(part(b"3 3 0 0\n1 0 0 0\n3 1 0 0\n4 0 0 1\n"), None, None).unwrap_err().to_string();
    assert!(error.contains("line 3") && error.contains("index 3") && error.contains("missing"), "{error}");
}

#[test]
fn vtu_of_other_kinds_and_single_tetgen_files_are_refused_with_advice() {
    let mut bytes = Vec::new();
    mesh::write_vtu(&tet([0.0, 0.0, 1.0]), &[], &mut bytes).unwrap();
    assert!(mesh::parse(&bytes, Format::Vtu, "a").is_ok());
    let cut = message(&bytes[..bytes.len() - 60], Format::Vtu);
    assert!(cut.contains("bytes are left") || cut.contains("cut off"), "{cut}");
    let other = |from: &str, to: &str| {
        let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
        message(&[&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat(), Format::Vtu)
    };
    for (from, to) in [
        ("raw", "base64"),
        ("LittleEndian", "BigEndian"),
        ("UInt64", "UInt32"),
        ("<VTKFile", "<VTKFile compressor=\"vtkZLibDataCompressor\""),
        ("UnstructuredGrid", "PolyData"),
        ("AppendedData", "InlineData"),
        ("connectivity", "links"),
    ] {
        assert!(other(from, to).contains("legacy VTK"), "{from}: {}", other(from, to));
    }
    assert!(message(b"", Format::Tetgen).contains(".node"));
}

#[test]
fn points_without_elements_are_no_mesh() {
    let text = message(b"v 0 0 0\nv 1 0 0\n", Format::Obj);
    assert!(text.contains("2 vertices but no triangles"), "{text}");
}

/// Was: a denormal number printed with 300 zeros.
#[test]
fn a_tiny_real_number_does_not_make_a_long_message() {
    let mut bytes = b"# vtk DataFile Version 5.1\nt\nBINARY\nDATASET POLYDATA\nPOLYGONS 2 3\nOFFSETS double\n".to_vec();
    bytes.extend(6e-310f64.to_be_bytes());
    bytes.extend([0; 64]);
    let text = message(&bytes, Format::Vtk);
    assert!(text.contains("real number 6e-310") && text.len() < 200, "{text}");
}

/// Was: the search for the end of a section with a name as long as the file took time with the square of its length.
#[test]
fn a_gmsh_section_with_an_endless_name_is_refused_at_once() {
    let mut bytes = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$".to_vec();
    bytes.extend(b"$End".repeat(100_000));
    bytes.extend(b"x\n");
    bytes.extend(b"$End".repeat(200_000));
    let start = Instant::now();
    let text = message(&bytes, Format::Gmsh);
    assert!(text.contains("a section such as") && text.len() < 200, "{text}");
    assert!(start.elapsed() < Duration::from_secs(1));
}

fn tet(apex: [f64; 3]) -> Mesh {
    Mesh { points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], apex], triangles: vec![], tets: vec![[0, 1, 2, 3]] }
}

#[test]
fn a_check_stops_where_the_mesh_makes_no_sense() {
    let mut mesh = tet([0.0, 0.0, 1.0]);
    assert!(mesh::check(&mesh).findings.is_empty());
    mesh.points[1][2] = f64::NAN;
    assert_eq!(mesh::check(&mesh).kinds(), [Kind::NonFiniteCoordinate]);
    mesh.triangles.push([0, 1, 9]);
    assert_eq!(mesh::check(&mesh).kinds(), [Kind::IndexOutOfRange]);
    assert_eq!(mesh::info(&mesh).tets, 1);
}

#[test]
fn slivers_are_warnings_and_flat_tets_are_errors() {
    let thin = mesh::check(&tet([0.3, 0.3, 1e-4]));
    assert_eq!((thin.kinds(), thin.has_errors()), (vec![Kind::SliverTet], false));
    let flat = mesh::check(&tet([0.3, 0.3, 1e-14]));
    assert_eq!((flat.kinds(), flat.has_errors()), (vec![Kind::FlatTet], true));
}

#[test]
fn two_solids_in_one_place_intersect() {
    let mut mesh = tet([0.0, 0.0, 1.0]);
    mesh.points.extend(mesh.points.clone().into_iter().map(|p| p.map(|c| c + 0.1)));
    mesh.tets.push([4, 5, 6, 7]);
    let report = mesh::check(&mesh);
    assert_eq!(report.kinds(), [Kind::SelfIntersection]);
    assert_eq!((report.findings[0].count, &report.findings[0].at), (1, &vec![vec![0, 1]]));
}

#[test]
fn an_empty_mesh_is_described_and_checked_without_a_word() {
    let mesh = Mesh::default();
    assert!(mesh::check(&mesh).findings.is_empty());
    assert_eq!(mesh::info(&mesh).components, 0);
    assert_eq!(mesh::check(&mesh).to_string(), "no problems found");
}

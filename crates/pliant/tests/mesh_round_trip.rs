//! What is written is what is read, for all formats and pairs of them.

mod encode;

use pliant::mesh::{self, Format, Mesh, MeshError, PointField, TetgenPart};
use proptest::prelude::*;

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        -10.0..10.0f64,
        prop_oneof![Just(0.0), Just(-0.0), Just(1.0), Just(1e-310), Just(f64::MAX), Just(f64::MIN_POSITIVE)],
        proptest::num::f64::NORMAL,
    ]
}

fn any_mesh(coordinate: impl Strategy<Value = f64> + Clone) -> impl Strategy<Value = Mesh> {
    (3usize..12).prop_flat_map(move |n| {
        let index = 0..n as u32;
        let points = prop::collection::vec([coordinate.clone(), coordinate.clone(), coordinate.clone()], n);
        let triangles = prop::collection::vec(prop::array::uniform3(index.clone()), 1..12);
        let tets = prop::collection::vec(prop::array::uniform4(index), 0..12);
        (points, triangles, tets).prop_map(|(points, triangles, tets)| Mesh { points, triangles, tets })
    })
}

fn without_tets(mesh: &Mesh) -> Mesh {
    Mesh { tets: Vec::new(), ..mesh.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_variant_of_every_format_gives_the_mesh_back(mesh in any_mesh(coordinate().boxed())) {
        for (sample, has_tets) in encode::all(&mesh) {
            let expected = if has_tets { mesh.clone() } else { without_tets(&mesh) };
            let read = mesh::parse(&sample.bytes, sample.format, sample.variant);
            prop_assert_eq!(read.map_err(|error| TestCaseError::fail(error.to_string()))?, expected, "{}", sample.variant);
            prop_assert!(Format::from_content(&sample.bytes).is_none_or(|format| format == sample.format));
        }
    }

    #[test]
    fn every_pair_of_written_formats_gives_the_mesh_back(mesh in any_mesh(coordinate().boxed())) {
        let folder = tempfile::tempdir().unwrap();
        let formats = [("obj", false), ("ply", false), ("msh", true), ("vtk", true), ("vtu", true)];
        for (first, first_tets) in formats {
            for (second, second_tets) in formats {
                let [a, b] = [first, second].map(|extension| folder.path().join(format!("a.{extension}")));
                mesh::write(&a, &mesh).unwrap();
                mesh::write(&b, &mesh::read(&a).unwrap()).unwrap();
                let expected = if first_tets && second_tets { mesh.clone() } else { without_tets(&mesh) };
                prop_assert_eq!(mesh::read(&b).unwrap(), expected, "{} to {}", first, second);
            }
        }
    }

    #[test]
    fn stl_keeps_the_corners_and_welds_equal_ones(mesh in any_mesh((-100.0..100.0f64).prop_map(|c| f64::from(c as f32)).boxed())) {
        let soup = |mesh: &Mesh| -> Vec<[[f64; 3]; 3]> {
            mesh.triangles.iter().map(|t| t.map(|corner| mesh.points[corner as usize])).collect()
        };
        for sample in encode::stl(&mesh) {
            let read = mesh::parse(&sample.bytes, sample.format, sample.variant).unwrap();
            prop_assert_eq!(soup(&read), soup(&mesh), "{}", sample.variant);
            for (i, point) in read.points.iter().enumerate() {
                prop_assert!(!read.points[..i].contains(point), "{} twice", i);
            }
        }
    }

    #[test]
    fn tetgen_counts_from_zero_or_one(mesh in any_mesh(coordinate().boxed()), first in 0usize..2) {
        let [node, ele, face] = encode::tetgen(&mesh, first);
        let part = |bytes| TetgenPart { bytes, name: "a" };
        let read = mesh::parse_tetgen(part(&node), Some(part(&ele)), Some(part(&face))).unwrap();
        prop_assert_eq!(read, mesh);
    }
}

fn two_tets() -> Mesh {
    Mesh {
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]],
        triangles: Vec::new(),
        tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
    }
}

#[test]
fn tetgen_is_read_from_any_of_its_files_with_or_without_faces() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = two_tets();
    let [node, ele, _] = encode::tetgen(&mesh, 1);
    std::fs::write(folder.path().join("a.node"), node).unwrap();
    std::fs::write(folder.path().join("a.ele"), ele).unwrap();
    for name in ["a.node", "a.ele"] {
        assert_eq!(mesh::read(&folder.path().join(name)).unwrap(), mesh);
    }
    std::fs::remove_file(folder.path().join("a.ele")).unwrap();
    let error = mesh::read(&folder.path().join("a.node")).unwrap_err();
    assert!(matches!(error, MeshError::Read { .. }) && error.to_string().contains("a.ele"), "{error}");
}

#[test]
fn content_goes_before_a_wrong_extension() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = two_tets();
    mesh::write(&folder.path().join("a.msh"), &mesh).unwrap();
    for name in ["a.obj", "b", "c.unknown"] {
        std::fs::copy(folder.path().join("a.msh"), folder.path().join(name)).unwrap();
        assert_eq!(mesh::read(&folder.path().join(name)).unwrap(), mesh, "{name}");
    }
    std::fs::write(folder.path().join("d"), "hello").unwrap();
    let error = mesh::read(&folder.path().join("d")).unwrap_err().to_string();
    assert!(error.contains("no extension") && error.contains(".obj"), "{error}");
}

#[test]
fn surface_formats_get_the_boundary_of_a_solid() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.obj", "a.ply", "a.stl"] {
        let path = folder.path().join(name);
        mesh::write(&path, &two_tets()).unwrap();
        let info = mesh::info(&mesh::read(&path).unwrap());
        assert_eq!((info.triangles, info.watertight, info.euler), (6, true, 2), "{name}");
        assert!((info.volume - 0.5).abs() < 1e-12, "{name}: outward, so {} is positive", info.volume);
    }
}

#[test]
fn a_mesh_that_cannot_be_stored_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.stl");
    std::fs::write(&path, "old").unwrap();
    let mut mesh = two_tets();
    mesh.points[0][0] = 1e300;
    let error = mesh::write(&path, &mesh).unwrap_err().to_string();
    assert!(error.contains("a.stl") && error.contains("f32"), "{error}");
    mesh.tets.push([0, 1, 2, 99]);
    let error = mesh::write(&path, &mesh).unwrap_err().to_string();
    assert!(error.contains("vertex 99 of 5"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let error = mesh::write(&folder.path().join("a.xyz"), &two_tets()).unwrap_err().to_string();
    assert!(error.contains(".xyz") && error.contains(".vtu"), "{error}");
}

/// The appended array of that name, found as VTK finds it: by its offset behind the underscore.
fn appended<'a>(vtu: &'a [u8], name: &str) -> &'a [u8] {
    let find = |needle: &str| vtu.windows(needle.len()).position(|window| window == needle.as_bytes()).unwrap();
    let header = &vtu[find(&format!("Name=\"{name}\""))..];
    let text = String::from_utf8_lossy(&header[..200.min(header.len())]).into_owned();
    let offset: usize = text.split("offset=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    let start = find("<AppendedData encoding=\"raw\">\n_") + "<AppendedData encoding=\"raw\">\n_".len();
    let array = &vtu[start + offset..];
    let length = u64::from_le_bytes(array[..8].try_into().unwrap()) as usize;
    &array[8..8 + length]
}

#[test]
fn vtu_holds_points_cells_and_fields_where_its_header_says() {
    let mut mesh = two_tets();
    mesh.triangles.push([4, 2, 1]);
    let velocity: Vec<[f64; 3]> = mesh.points.iter().map(|p| p.map(|c| 2.0 * c - 1.0)).collect();
    let pressure: Vec<f64> = mesh.points.iter().map(|p| p[0] - 7.0).collect();
    let fields = [
        PointField::Vector { name: "velocity (m/s)", values: &velocity },
        PointField::Scalar { name: "pressure", values: &pressure },
    ];
    let mut vtu = Vec::new();
    mesh::write_vtu(&mesh, &fields, &mut vtu).unwrap();
    let reals = |name| -> Vec<f64> {
        appended(&vtu, name).chunks(8).map(|chunk| f64::from_le_bytes(chunk.try_into().unwrap())).collect()
    };
    let wholes = |name| -> Vec<i64> {
        appended(&vtu, name).chunks(8).map(|chunk| i64::from_le_bytes(chunk.try_into().unwrap())).collect()
    };
    assert_eq!(reals("Points"), mesh.points.as_flattened());
    assert_eq!(reals("velocity (m/s)"), velocity.as_flattened());
    assert_eq!(reals("pressure"), pressure);
    assert_eq!(wholes("connectivity"), [4, 2, 1, 0, 1, 2, 3, 1, 2, 3, 4]);
    assert_eq!(wholes("offsets"), [3, 7, 11]);
    assert_eq!(appended(&vtu, "types"), [5, 10, 10]);
    let short = [PointField::Scalar { name: "short", values: &[1.0] }];
    let error = mesh::write_vtu(&mesh, &short, &mut Vec::new()).unwrap_err().to_string();
    assert!(error.contains("`short` has 1 values for 5 points"), "{error}");
}

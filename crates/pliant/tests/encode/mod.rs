//! One mesh in every variant of every format that can be read, written the long way for tests.

use pliant::mesh::{self, Format, Mesh};

/// A file in memory.
pub struct Sample {
    pub variant: &'static str,
    pub format: Format,
    pub bytes: Vec<u8>,
}

/// All variants that keep points and triangles as they are (and tetrahedra, where the second value says so).
pub fn all(mesh: &Mesh) -> Vec<(Sample, bool)> {
    let sample = |variant, format, bytes| Sample { variant, format, bytes };
    let mut samples = vec![
        (sample("obj", Format::Obj, written(|out| mesh::write_obj(mesh, out))), false),
        (sample("obj with negative indices", Format::Obj, obj_negative(mesh)), false),
        (sample("ply little", Format::Ply, written(|out| mesh::write_ply(mesh, out))), false),
        (sample("ply big", Format::Ply, ply_big(mesh)), false),
        (sample("ply text", Format::Ply, ply_text(mesh)), false),
        (sample("vtk polydata", Format::Vtk, vtk_polydata(mesh)), false),
        (sample("gmsh 2.2 text", Format::Gmsh, written(|out| mesh::write_gmsh(mesh, out))), true),
        (sample("gmsh 4.1 text", Format::Gmsh, gmsh_41_text(mesh)), true),
        (sample("vtk text", Format::Vtk, written(|out| mesh::write_vtk(mesh, out))), true),
        (sample("vtk binary", Format::Vtk, vtk_binary(mesh)), true),
        (sample("vtk 5 text", Format::Vtk, vtk_5(mesh, false)), true),
        (sample("vtk 5 binary", Format::Vtk, vtk_5(mesh, true)), true),
    ];
    for big in [false, true] {
        samples.push((sample("gmsh 2.2 binary", Format::Gmsh, gmsh_22_binary(mesh, big)), true));
        samples.push((sample("gmsh 4.1 binary", Format::Gmsh, gmsh_41_binary(mesh, big)), true));
    }
    samples
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    bytes
}

/// Both kinds of STL.
pub fn stl(mesh: &Mesh) -> [Sample; 2] {
    let mut text = String::from("solid a mesh\n");
    for triangle in &mesh.triangles {
        text += "  facet normal 0 0 0\n    outer loop\n";
        for &corner in triangle {
            let [x, y, z] = mesh.points[corner as usize];
            text += &format!("      vertex {x:?} {y:?} {z:?}\n");
        }
        text += "    endloop\n  endfacet\n";
    }
    text += "endsolid a mesh\n";
    let binary = written(|out| mesh::write_stl(mesh, out));
    [
        Sample { variant: "stl text", format: Format::Stl, bytes: text.into_bytes() },
        Sample { variant: "stl binary", format: Format::Stl, bytes: binary },
    ]
}

/// The `.node`, `.ele` and `.face` files, counting from `first`.
pub fn tetgen(mesh: &Mesh, first: usize) -> [Vec<u8>; 3] {
    let mut node = format!("# points\n{} 3 0 1\n", mesh.points.len());
    for (i, [x, y, z]) in mesh.points.iter().enumerate() {
        node += &format!("{} {x:?} {y:?} {z:?} 1\n", i + first);
    }
    fn list<const N: usize>(header: String, elements: &[[u32; N]], first: usize) -> String {
        elements.iter().enumerate().fold(header, |text, (i, corners)| {
            let corners: Vec<String> = corners.iter().map(|&corner| (corner as usize + first).to_string()).collect();
            text + &format!("{} {}\n", i + first, corners.join(" "))
        })
    }
    let ele = list(format!("{} 4 0\n", mesh.tets.len()), &mesh.tets, first);
    let face = list(format!("{} 0\n", mesh.triangles.len()), &mesh.triangles, first);
    [node.into_bytes(), ele.into_bytes(), face.into_bytes()]
}

fn obj_negative(mesh: &Mesh) -> Vec<u8> {
    let mut text = String::from("\u{feff}# a comment\r\nmtllib none.mtl\r\n");
    for [x, y, z] in &mesh.points {
        text += &format!("v {x:?} {y:?} \\\r\n {z:?}\r\nvn 0 0 1\r\n");
    }
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|corner| i64::from(corner) - mesh.points.len() as i64);
        text += &format!("f {a}//1 {b}/1/1 {c}/1\r\n");
    }
    text.into_bytes()
}

fn ply_text(mesh: &Mesh) -> Vec<u8> {
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty uchar red\nproperty double x\nproperty double y\n\
         property double z\nelement other 2\nproperty list uchar float junk\nelement face {}\n\
         property list uchar int vertex_index\nend_header\n",
        mesh.points.len(),
        mesh.triangles.len()
    );
    for [x, y, z] in &mesh.points {
        text += &format!("255 {x:?} {y:?} {z:?}\n");
    }
    text += "3 1 2 3\n0\n";
    for [a, b, c] in &mesh.triangles {
        text += &format!("3 {a} {b} {c}\n");
    }
    text.into_bytes()
}

fn ply_big(mesh: &Mesh) -> Vec<u8> {
    let mut bytes = format!(
        "ply\r\nformat binary_big_endian 1.0\r\nelement face {}\r\nproperty list ushort uint vertex_indices\r\n\
         property short flags\r\nelement vertex {}\r\nproperty double x\r\nproperty double y\r\nproperty double z\r\n\
         end_header\r\n",
        mesh.triangles.len(),
        mesh.points.len()
    )
    .into_bytes();
    for corners in &mesh.triangles {
        bytes.extend(3u16.to_be_bytes());
        corners.iter().for_each(|corner| bytes.extend(corner.to_be_bytes()));
        bytes.extend(7i16.to_be_bytes());
    }
    mesh.points.iter().flatten().for_each(|c| bytes.extend(c.to_be_bytes()));
    bytes
}

fn vtk_polydata(mesh: &Mesh) -> Vec<u8> {
    let mut text =
        format!("# vtk DataFile Version 2.0\ntitle\nASCII\nDATASET POLYDATA\nPOINTS {} double\n", mesh.points.len());
    for [x, y, z] in &mesh.points {
        text += &format!("{x:?} {y:?} {z:?} ");
    }
    text += "\nMETADATA\nINFORMATION 0\n\nLINES 1 3\n2 0 1\n";
    text += &format!("POLYGONS {} {}\n", mesh.triangles.len(), 4 * mesh.triangles.len());
    for [a, b, c] in &mesh.triangles {
        text += &format!("3 {a} {b} {c}\n");
    }
    text += "POINT_DATA 1\nSCALARS s double\nLOOKUP_TABLE default\n0\n";
    text.into_bytes()
}

/// Triangles then tetrahedra, each with its VTK type.
fn cells(mesh: &Mesh) -> Vec<(i32, &[u32])> {
    let triangles = mesh.triangles.iter().map(|corners| (5, corners.as_slice()));
    triangles.chain(mesh.tets.iter().map(|corners| (10, corners.as_slice()))).collect()
}

fn vtk_binary(mesh: &Mesh) -> Vec<u8> {
    let mut bytes = b"# vtk DataFile Version 3.0\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\n".to_vec();
    bytes.extend(b"FIELD FieldData 1\nTIME 1 1 double\n");
    bytes.extend(1.5f64.to_be_bytes());
    bytes.extend(format!("\nPOINTS {} double\n", mesh.points.len()).bytes());
    mesh.points.iter().flatten().for_each(|c| bytes.extend(c.to_be_bytes()));
    let cells = cells(mesh);
    let size: usize = cells.iter().map(|(_, corners)| 1 + corners.len()).sum();
    bytes.extend(format!("\nCELLS {} {size}\n", cells.len()).bytes());
    for (_, corners) in &cells {
        bytes.extend((corners.len() as i32).to_be_bytes());
        corners.iter().for_each(|corner| bytes.extend(corner.to_be_bytes()));
    }
    bytes.extend(format!("\nCELL_TYPES {}\n", cells.len()).bytes());
    cells.iter().for_each(|(cell_type, _)| bytes.extend(cell_type.to_be_bytes()));
    bytes.push(b'\n');
    bytes
}

fn vtk_5(mesh: &Mesh, binary: bool) -> Vec<u8> {
    let mut bytes = format!(
        "# vtk DataFile Version 5.1\ntitle\n{}\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n",
        if binary { "BINARY" } else { "ASCII" },
        mesh.points.len()
    )
    .into_bytes();
    let put = |bytes: &mut Vec<u8>, value: i64| match binary {
        true => bytes.extend(value.to_be_bytes()),
        false => bytes.extend(format!("{value} ").bytes()),
    };
    for c in mesh.points.iter().flatten() {
        match binary {
            true => bytes.extend(c.to_be_bytes()),
            false => bytes.extend(format!("{c:?} ").bytes()),
        }
    }
    let cells = cells(mesh);
    let size: usize = cells.iter().map(|(_, corners)| corners.len()).sum();
    bytes.extend(format!("\nCELLS {} {size}\nOFFSETS vtktypeint64\n", cells.len() + 1).bytes());
    let mut end = 0;
    put(&mut bytes, 0);
    for (_, corners) in &cells {
        end += corners.len() as i64;
        put(&mut bytes, end);
    }
    bytes.extend(b"\nCONNECTIVITY vtktypeint64\n");
    for (_, corners) in &cells {
        corners.iter().for_each(|&corner| put(&mut bytes, corner.into()));
    }
    bytes.extend(format!("\nCELL_TYPES {}\n", cells.len()).bytes());
    for (cell_type, _) in &cells {
        match binary {
            true => bytes.extend(cell_type.to_be_bytes()),
            false => bytes.extend(format!("{cell_type}\n").bytes()),
        }
    }
    bytes.push(b'\n');
    bytes
}

struct Binary {
    bytes: Vec<u8>,
    big: bool,
}

impl Binary {
    fn int(&mut self, value: i32) {
        self.bytes.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
    }
    fn size(&mut self, value: u64) {
        self.bytes.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
    }
    fn real(&mut self, value: f64) {
        self.bytes.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
    }
    fn text(&mut self, text: &str) {
        self.bytes.extend(text.bytes());
    }
}

/// Node tags of the samples: neither from 1 nor without gaps.
fn tag(index: usize) -> u64 {
    10 + 3 * index as u64
}

fn gmsh_22_binary(mesh: &Mesh, big: bool) -> Vec<u8> {
    let mut out = Binary { bytes: b"$MeshFormat\n2.2 1 8\n".to_vec(), big };
    out.int(1);
    out.text(&format!("\n$EndMeshFormat\n$Nodes\n{}\n", mesh.points.len()));
    for (i, point) in mesh.points.iter().enumerate() {
        out.int(tag(i) as i32);
        point.iter().for_each(|&c| out.real(c));
    }
    let lists: [(i32, Vec<&[u32]>); 2] = [
        (2, mesh.triangles.iter().map(|t| t.as_slice()).collect()),
        (4, mesh.tets.iter().map(|t| t.as_slice()).collect()),
    ];
    out.text(&format!("\n$EndNodes\n$Elements\n{}\n", mesh.triangles.len() + mesh.tets.len()));
    for (element_type, elements) in lists.iter().filter(|(_, elements)| !elements.is_empty()) {
        [*element_type, elements.len() as i32, 2].into_iter().for_each(|value| out.int(value));
        for (i, corners) in elements.iter().enumerate() {
            [i as i32 + 1, 1, 1].into_iter().for_each(|value| out.int(value));
            corners.iter().for_each(|&corner| out.int(tag(corner as usize) as i32));
        }
    }
    out.text("\n$EndElements\n");
    out.bytes
}

fn gmsh_41_text(mesh: &Mesh) -> Vec<u8> {
    let n = mesh.points.len();
    let mut text =
        String::from("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"a body\"\n$EndPhysicalNames\n");
    text += &format!("$Nodes\n2 {n} 1 {n}\n2 1 1 1\n{}\n", tag(0));
    let [x, y, z] = mesh.points[0];
    text += &format!("{x:?} {y:?} {z:?} 0.5 0.5\n3 1 0 {}\n", n - 1);
    (1..n).for_each(|i| text += &format!("{}\n", tag(i)));
    mesh.points[1..].iter().for_each(|[x, y, z]| text += &format!("{x:?} {y:?} {z:?}\n"));
    let (triangles, tets) = (mesh.triangles.len(), mesh.tets.len());
    text += &format!("$EndNodes\n$Elements\n2 {0} 1 {0}\n2 1 2 {triangles}\n", triangles + tets);
    let line = |i: usize, corners: &[u32]| {
        let corners: Vec<String> = corners.iter().map(|&corner| tag(corner as usize).to_string()).collect();
        format!("{} {}\n", i + 1, corners.join(" "))
    };
    mesh.triangles.iter().enumerate().for_each(|(i, corners)| text += &line(i, corners));
    text += &format!("3 1 4 {tets}\n");
    mesh.tets.iter().enumerate().for_each(|(i, corners)| text += &line(triangles + i, corners));
    text += "$EndElements\n";
    text.into_bytes()
}

fn gmsh_41_binary(mesh: &Mesh, big: bool) -> Vec<u8> {
    let mut out = Binary { bytes: b"$MeshFormat\n4.1 1 8\n".to_vec(), big };
    out.int(1);
    out.text("\n$EndMeshFormat\n$Nodes\n");
    let n = mesh.points.len() as u64;
    [1, n, 1, n].into_iter().for_each(|value| out.size(value));
    [3, 1, 0].into_iter().for_each(|value| out.int(value));
    out.size(n);
    (0..mesh.points.len()).for_each(|i| out.size(tag(i)));
    mesh.points.iter().flatten().for_each(|&c| out.real(c));
    out.text("\n$EndNodes\n$Elements\n");
    let total = (mesh.triangles.len() + mesh.tets.len()) as u64;
    [2, total, 1, total].into_iter().for_each(|value| out.size(value));
    let mut next = 1;
    let triangles: Vec<&[u32]> = mesh.triangles.iter().map(|t| t.as_slice()).collect();
    let tets: Vec<&[u32]> = mesh.tets.iter().map(|t| t.as_slice()).collect();
    for (dimension, element_type, elements) in [(2, 2, triangles), (3, 4, tets)] {
        [dimension, 1, element_type].into_iter().for_each(|value| out.int(value));
        out.size(elements.len() as u64);
        for corners in elements {
            out.size(next);
            next += 1;
            corners.iter().for_each(|&corner| out.size(tag(corner as usize)));
        }
    }
    out.text("\n$EndElements\n");
    out.bytes
}

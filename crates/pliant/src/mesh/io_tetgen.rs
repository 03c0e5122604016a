//! TetGen: points in `.node`, tetrahedra in `.ele`, and where wanted triangles in `.face`.

use super::Mesh;
use super::error::MeshError;
use super::io_cursor::{CUT_OFF, Cursor, EXPORT_AGAIN, words};

/// One file of a TetGen mesh: its bytes, and its name for messages.
#[derive(Clone, Copy, Debug)]
pub struct TetgenPart<'a> {
    /// Content.
    pub bytes: &'a [u8],
    /// Name for messages.
    pub name: &'a str,
}

/// Reads a TetGen mesh from the contents of its files. The first index in the `.node` file says whether counting
/// starts at 0 or 1.
pub fn parse_tetgen(node: TetgenPart, ele: Option<TetgenPart>, face: Option<TetgenPart>) -> Result<Mesh, MeshError> {
    let mut mesh = Mesh::default();
    let first = parse_nodes(node, &mut mesh)?;
    if let Some(ele) = ele {
        mesh.tets = parse_elements::<4>(ele, first, mesh.points.len(), "tetrahedra")?;
    }
    if let Some(face) = face {
        mesh.triangles = parse_elements::<3>(face, first, mesh.points.len(), "triangles")?;
    }
    super::io::require_content(&mesh, node.name)?;
    Ok(mesh)
}

fn data_line<'a>(cursor: &mut Cursor<'a>, what: &str) -> Result<&'a [u8], MeshError> {
    cursor.next_data_line(b'#').ok_or_else(|| cursor.error("the end of the file", what, CUT_OFF))
}

/// Reads the points and returns the index of the first.
fn parse_nodes(part: TetgenPart, mesh: &mut Mesh) -> Result<i64, MeshError> {
    let mut cursor = Cursor::new(part.bytes, part.name);
    let header = data_line(&mut cursor, "`points 3 attributes markers`")?;
    let mut header = words(header);
    let count = cursor.parse_integer(header.next().unwrap_or_default(), "the number of points")?;
    let count = cursor.check_count(count, "the number of points", 8)?;
    let dimension = cursor.parse_integer(header.next().unwrap_or(b"3"), "the dimension")?;
    if dimension != 3 {
        return Err(cursor.error(format!("dimension {dimension}"), "3", "flat meshes cannot be read: use a 3D mesh"));
    }
    mesh.points.reserve(count);
    let mut first = 0;
    for i in 0..count {
        let line = data_line(&mut cursor, "a point")?;
        let mut line = words(line);
        let index = cursor.parse_integer(line.next().unwrap_or_default(), "a point index")?;
        if i == 0 {
            first = index;
        }
        expect_sequence(&cursor, index, first, i)?;
        let mut point = [0.0; 3];
        for coordinate in &mut point {
            *coordinate = cursor.parse_real(line.next().unwrap_or_default(), "one of three coordinates")?;
        }
        mesh.points.push(point);
    }
    Ok(first)
}

/// TetGen numbers its records in order, from 0 or 1; anything else means that lines are missing.
fn expect_sequence(cursor: &Cursor, index: i64, first: i64, i: usize) -> Result<(), MeshError> {
    if !(0..=1).contains(&first) {
        return Err(cursor.error(format!("first index {first}"), "0 or 1", EXPORT_AGAIN));
    }
    let expected = first + i as i64;
    if index != expected {
        return Err(cursor.error(format!("index {index}"), format!("{expected}"), "a line is missing or out of order"));
    }
    Ok(())
}

fn parse_elements<const N: usize>(
    part: TetgenPart,
    first: i64,
    points: usize,
    what: &str,
) -> Result<Vec<[u32; N]>, MeshError> {
    let mut cursor = Cursor::new(part.bytes, part.name);
    let header = data_line(&mut cursor, "a header with the number of elements")?;
    let mut header = words(header);
    let number_of = format!("the number of {what}");
    let count = cursor.parse_integer(header.next().unwrap_or_default(), &number_of)?;
    let count = cursor.check_count(count, &number_of, 2 * (N + 1))?;
    if N == 4 {
        let corners = cursor.parse_integer(header.next().unwrap_or(b"4"), "corners per tetrahedron")?;
        if corners != 4 {
            let advice = "run TetGen without -o2, for straight tetrahedra";
            return Err(cursor.error(format!("{corners} corners per tetrahedron"), "4", advice));
        }
    }
    let mut elements = Vec::with_capacity(count);
    for i in 0..count {
        let line = data_line(&mut cursor, "an element")?;
        let mut line = words(line);
        let index = cursor.parse_integer(line.next().unwrap_or_default(), "an element index")?;
        expect_sequence(&cursor, index, first, i)?;
        let mut corners = [0; N];
        for corner in &mut corners {
            let raw = cursor.parse_integer(line.next().unwrap_or_default(), "a vertex index")?;
            *corner = cursor.index(raw, first, points)?;
        }
        elements.push(corners);
    }
    Ok(elements)
}

//! STL, text and binary: triangles without shared vertices, welded on reading where coordinates are identical.

use crate::counted::counted;
use std::collections::HashMap;
use std::io::{self, Write};

use super::Mesh;
use super::error::MeshError;
use super::io_cursor::{CUT_OFF, Cursor, EXPORT_AGAIN, Endian, Scalar, push_fan, quote, words};

const HEADER: usize = 80;
const FACET: usize = 50;

/// Reads an STL file of either kind.
pub(super) fn parse(bytes: &[u8], name: &str) -> Result<Mesh, MeshError> {
    // Binary headers may begin with `solid` too, so the length decides first.
    let count = bytes.get(HEADER..HEADER + 4).map(|b| u64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
    let exactly_binary = count.is_some_and(|n| (HEADER + 4) as u64 + n * FACET as u64 == bytes.len() as u64);
    if !exactly_binary && looks_like_text(bytes) { parse_text(bytes, name) } else { parse_binary(bytes, name) }
}

/// Whether a file could be text STL.
pub(super) fn looks_like_text(bytes: &[u8]) -> bool {
    let start = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    start.len() >= 5 && start[..5].eq_ignore_ascii_case(b"solid")
}

/// Gives equal points one number, in the order of first appearance.
#[derive(Default)]
struct Weld {
    points: Vec<[f64; 3]>,
    numbers: HashMap<[u64; 3], u32>,
}

impl Weld {
    fn number(&mut self, point: [f64; 3]) -> u32 {
        // Adding zero turns −0 into +0: they are one place.
        let key = point.map(|c| (c + 0.0).to_bits());
        let next = self.points.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.points.push(point);
        }
        number
    }
}

fn parse_text(bytes: &[u8], name: &str) -> Result<Mesh, MeshError> {
    let mut cursor = Cursor::new(bytes, name);
    let mut weld = Weld::default();
    let mut triangles = Vec::new();
    let mut corners: Option<Vec<u32>> = None;
    let mut inside_solid = false;
    while let Some(line) = cursor.next_line() {
        let mut words = words(line);
        let Some(keyword) = words.next() else { continue };
        match (keyword.to_ascii_lowercase().as_slice(), &mut corners) {
            (b"solid", None) => inside_solid = true,
            (b"endsolid", None) => inside_solid = false,
            (b"facet" | b"endfacet", None) => {}
            (b"outer", None) => corners = Some(Vec::new()),
            (b"vertex", Some(corners)) => {
                let mut point = [0.0; 3];
                for coordinate in &mut point {
                    let word = words.next().unwrap_or_default();
                    *coordinate = cursor.parse_real(word, "one of three coordinates")?;
                }
                corners.push(weld.number(point));
            }
            (b"endloop", Some(loop_corners)) => {
                if loop_corners.len() < 3 {
                    let found = format!("a loop with {}", counted(loop_corners.len(), "vertex", "vertices"));
                    return Err(cursor.error(found, "three", EXPORT_AGAIN));
                }
                push_fan(loop_corners, &mut triangles);
                corners = None;
            }
            _ => {
                let expected =
                    if corners.is_some() { "`vertex` or `endloop`" } else { "`facet`, `outer loop` or `endsolid`" };
                return Err(cursor.error(quote(keyword), expected, EXPORT_AGAIN));
            }
        }
    }
    if inside_solid || corners.is_some() {
        return Err(cursor.error("the end of the file", "`endsolid`", CUT_OFF));
    }
    Ok(Mesh { points: weld.points, triangles, tets: Vec::new() })
}

fn parse_binary(bytes: &[u8], name: &str) -> Result<Mesh, MeshError> {
    let mut cursor = Cursor::new_binary(bytes, name);
    cursor.take(HEADER, "STL header")?;
    let count = cursor.binary_integer(Scalar::U32, Endian::Little, "the number of triangles")?;
    let count = cursor.check_count(count, "the number of triangles", FACET)?;
    let mut weld = Weld::default();
    let mut triangles = Vec::with_capacity(count);
    for _ in 0..count {
        cursor.take(12, "a normal")?;
        let mut corners = [0; 3];
        for corner in &mut corners {
            let mut point = [0.0; 3];
            for coordinate in &mut point {
                *coordinate = cursor.binary_real(Scalar::F32, Endian::Little, "a coordinate")?;
            }
            *corner = weld.number(point);
        }
        cursor.take(2, "an attribute")?;
        triangles.push(corners);
    }
    Ok(Mesh { points: weld.points, triangles, tets: Vec::new() })
}

/// Writes the triangles as binary STL. STL holds `f32` only: coordinates are rounded, and an error when too large.
pub fn write_stl(mesh: &Mesh, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let surface = mesh.surface();
    let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidInput, text);
    let count = u32::try_from(surface.len()).map_err(|_| invalid("STL holds at most 4294967295 triangles".into()))?;
    let mut header = [b' '; HEADER];
    header[..14].copy_from_slice(b"Pliant, metres");
    out.write_all(&header)?;
    out.write_all(&count.to_le_bytes())?;
    for triangle in surface.iter() {
        let mut corners = [[0.0f32; 3]; 3];
        for (corner, &index) in corners.iter_mut().zip(triangle) {
            let point = mesh.points.get(index as usize);
            let point =
                point.ok_or_else(|| invalid(format!("a triangle refers to vertex {index}, which is not there")))?;
            *corner = point.map(|c| c as f32);
            if corner.iter().any(|c| !c.is_finite()) {
                return Err(invalid(format!("vertex {index} at {point:?} does not fit into f32: use OBJ, PLY or VTU")));
            }
        }
        for value in normal(&corners).into_iter().chain(corners.into_iter().flatten()) {
            out.write_all(&value.to_le_bytes())?;
        }
        out.write_all(&[0, 0])?;
    }
    Ok(())
}

/// The unit normal, or zero for a triangle that has none (readers then compute their own).
fn normal(corners: &[[f32; 3]; 3]) -> [f32; 3] {
    let [a, b, c] = corners.map(|p| p.map(f64::from));
    let (u, v) = ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
    let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
    if length > 0.0 && length.is_finite() { n.map(|c| (c / length) as f32) } else { [0.0; 3] }
}

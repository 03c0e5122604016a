//! Wavefront OBJ: `v` and `f` records; the rest of the format says nothing about shape and is skipped.

use crate::counted::counted;
use std::borrow::Cow;
use std::io::{self, Write};

use super::Mesh;
use super::error::{MeshError, Place};
use super::io_cursor::{BAD_INDEX, CUT_OFF, Cursor, EXPORT_AGAIN, push_fan, quote, vertices_are, words};

/// Records of the format that do not change the triangles.
const SKIPPED: &[&str] = &[
    "vt",
    "vn",
    "vp",
    "g",
    "o",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "l",
    "p",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "cstype",
    "deg",
    "bmat",
    "step",
    "curv",
    "curv2",
    "surf",
    "parm",
    "trim",
    "hole",
    "scrv",
    "sp",
    "end",
    "con",
    "ctech",
    "stech",
];

/// Reads an OBJ file; polygons become fans of triangles.
pub(super) fn parse(bytes: &[u8], name: &str) -> Result<Mesh, MeshError> {
    let mut cursor = Cursor::new(bytes, name);
    let mut mesh = Mesh::default();
    let mut faces = Faces::default();
    while let Some(line) = next_record(&mut cursor) {
        let mut words = words(&line);
        match words.next() {
            None => {}
            Some(word) if word.starts_with(b"#") => {}
            Some(b"v") => mesh.points.push(parse_vertex(&cursor, words)?),
            Some(b"f") => faces.push(&cursor, words, mesh.points.len())?,
            Some(word) if SKIPPED.iter().any(|known| known.as_bytes() == word) => {}
            Some(word) => {
                let advice = "the file is perhaps no OBJ file: check its name, or remove the line";
                return Err(cursor.error(quote(word), "an OBJ record such as `v`, `f` or `#`", advice));
            }
        }
    }
    faces.triangulate(&cursor, &mut mesh)?;
    Ok(mesh)
}

/// The next line, joined with the following ones where it ends in a backslash.
fn next_record<'a>(cursor: &mut Cursor<'a>) -> Option<Cow<'a, [u8]>> {
    let first = cursor.next_line()?;
    // A comment is never continued: paths such as `# C:\` end in a backslash.
    if !first.ends_with(b"\\") || first.trim_ascii_start().starts_with(b"#") {
        return Some(Cow::Borrowed(first));
    }
    let mut joined = first[..first.len() - 1].to_vec();
    while let Some(line) = cursor.next_line() {
        joined.push(b' ');
        match line.strip_suffix(b"\\") {
            Some(part) => joined.extend_from_slice(part),
            None => {
                joined.extend_from_slice(line);
                break;
            }
        }
    }
    Some(Cow::Owned(joined))
}

fn parse_vertex<'w>(cursor: &Cursor, mut words: impl Iterator<Item = &'w [u8]>) -> Result<[f64; 3], MeshError> {
    let mut point = [0.0; 3];
    for (i, coordinate) in point.iter_mut().enumerate() {
        let Some(word) = words.next() else {
            return Err(cursor.error(
                format!("a vertex with {}", counted(i, "coordinate", "coordinates")),
                "three: `v x y z`",
                CUT_OFF,
            ));
        };
        *coordinate = cursor.parse_real(word, "a coordinate")?;
    }
    Ok(point)
}

/// Faces with their lines: a face may stand before its vertices, so the range check waits for the end of the file.
#[derive(Default)]
struct Faces {
    corners: Vec<i64>,
    ends: Vec<(usize, usize)>,
}

impl Faces {
    fn push<'w>(
        &mut self,
        cursor: &Cursor,
        words: impl Iterator<Item = &'w [u8]>,
        points_so_far: usize,
    ) -> Result<(), MeshError> {
        let start = self.corners.len();
        for word in words.take_while(|word| !word.starts_with(b"#")) {
            let index = word.split(|&b| b == b'/').next().unwrap_or(word);
            let raw = cursor.parse_integer(index, "a vertex index")?;
            self.corners.push(absolute(cursor, raw, points_so_far)?);
        }
        let corners = self.corners.len() - start;
        if corners < 3 {
            return Err(cursor.error(
                format!("a face with {}", counted(corners, "corner", "corners")),
                "three or more",
                EXPORT_AGAIN,
            ));
        }
        self.ends.push((self.corners.len(), cursor.line_number()));
        Ok(())
    }

    fn triangulate(self, cursor: &Cursor, mesh: &mut Mesh) -> Result<(), MeshError> {
        let mut polygon = Vec::new();
        let mut start = 0;
        for (end, line) in self.ends {
            polygon.clear();
            for &raw in &self.corners[start..end] {
                polygon.push(cursor.index_at(Place::Line(line), raw, 1, mesh.points.len())?);
            }
            push_fan(&polygon, &mut mesh.triangles);
            start = end;
        }
        Ok(())
    }
}

/// OBJ counts from 1; a negative index counts back from the last vertex so far.
fn absolute(cursor: &Cursor, raw: i64, points_so_far: usize) -> Result<i64, MeshError> {
    match raw {
        0 => Err(cursor.error("vertex index 0", "1 or more, or negative to count back", BAD_INDEX)),
        1.. => Ok(raw),
        _ => match (points_so_far as i64).checked_add(raw) {
            Some(index @ 0..) => Ok(index + 1),
            _ => Err(cursor.error(
                format!("vertex index {raw}"),
                format!("-{points_so_far} to -1, as {} so far", vertices_are(points_so_far)),
                BAD_INDEX,
            )),
        },
    }
}

/// Writes the points and triangles as OBJ.
pub fn write_obj(mesh: &Mesh, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    writeln!(out, "# Pliant, metres, y up")?;
    for [x, y, z] in &mesh.points {
        writeln!(out, "v {x:?} {y:?} {z:?}")?;
    }
    for [a, b, c] in mesh.surface().iter() {
        writeln!(out, "f {} {} {}", u64::from(*a) + 1, u64::from(*b) + 1, u64::from(*c) + 1)?;
    }
    Ok(())
}

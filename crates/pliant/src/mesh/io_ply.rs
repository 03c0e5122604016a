//! PLY (Stanford polygon format), text and binary of both byte orders.

use crate::counted::counted;
use std::io::{self, Write};

use super::Mesh;
use super::error::MeshError;
use super::io_cursor::{CUT_OFF, Cursor, EXPORT_AGAIN, Endian, Number, Scalar, push_fan, quote, words};

/// How the numbers behind the header are stored.
#[derive(Clone, Copy)]
enum Encoding {
    Text,
    Binary(Endian),
}

struct Element<'a> {
    name: &'a [u8],
    count: i64,
    properties: Vec<Property<'a>>,
}

struct Property<'a> {
    name: &'a [u8],
    kind: Scalar,
    /// For a list: how its length is stored.
    length: Option<Scalar>,
}

/// Reads a PLY file; polygons become fans of triangles.
pub(super) fn parse(bytes: &[u8], name: &str) -> Result<Mesh, MeshError> {
    let mut cursor = Cursor::new(bytes, name);
    let (encoding, elements) = parse_header(&mut cursor)?;
    let mut body = Body { cursor, encoding, mesh: Mesh::default(), polygon: Vec::new() };
    for element in &elements {
        body.read_element(element)?;
    }
    let Body { cursor, mut mesh, polygon, .. } = body;
    // Faces may stand before vertices, so corners are checked last; `polygon` holds [n, i0 … i(n-1)] per face.
    let mut rest = polygon.as_slice();
    let mut corners = Vec::new();
    let mut face_number = 0;
    while let Some((&n, tail)) = rest.split_first() {
        let (face, tail) = tail.split_at((n as usize).min(tail.len()));
        corners.clear();
        for &raw in face {
            corners.push(cursor.index_in("face", face_number, raw, mesh.points.len())?);
        }
        push_fan(&corners, &mut mesh.triangles);
        rest = tail;
        face_number += 1;
    }
    Ok(mesh)
}

fn parse_header<'a>(cursor: &mut Cursor<'a>) -> Result<(Encoding, Vec<Element<'a>>), MeshError> {
    if cursor.next_line().map(<[u8]>::trim_ascii) != Some(b"ply".as_slice()) {
        return Err(cursor.error("another first line", "`ply`", "the file is no PLY file: check its name"));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    while let Some(line) = cursor.next_line() {
        let mut words = words(line);
        match words.next() {
            None | Some(b"comment" | b"obj_info") => {}
            Some(b"format") => encoding = Some(parse_encoding(cursor, words.next().unwrap_or_default())?),
            Some(b"element") => {
                let name = words.next().unwrap_or_default();
                let count = cursor.parse_integer(words.next().unwrap_or_default(), "the number of elements")?;
                elements.push(Element { name, count, properties: Vec::new() });
            }
            Some(b"property") => {
                let property = parse_property(cursor, words)?;
                let Some(element) = elements.last_mut() else {
                    return Err(cursor.error("`property`", "an `element` line before it", EXPORT_AGAIN));
                };
                element.properties.push(property);
            }
            Some(b"end_header") => {
                let missing = || cursor.error("the end of the header", "a `format` line in it", EXPORT_AGAIN);
                return Ok((encoding.ok_or_else(missing)?, elements));
            }
            Some(word) => {
                let expected = "`format`, `element`, `property`, `comment` or `end_header`";
                return Err(cursor.error(quote(word), expected, EXPORT_AGAIN));
            }
        }
    }
    Err(cursor.error("the end of the file", "`end_header`", CUT_OFF))
}

fn parse_encoding(cursor: &Cursor, word: &[u8]) -> Result<Encoding, MeshError> {
    match word {
        b"ascii" => Ok(Encoding::Text),
        b"binary_little_endian" => Ok(Encoding::Binary(Endian::Little)),
        b"binary_big_endian" => Ok(Encoding::Binary(Endian::Big)),
        _ => Err(cursor.error(
            quote(word),
            "`ascii`, `binary_little_endian` or `binary_big_endian`",
            "export the mesh again in one of these",
        )),
    }
}

fn parse_property<'a>(cursor: &Cursor, mut words: impl Iterator<Item = &'a [u8]>) -> Result<Property<'a>, MeshError> {
    let mut next = || words.next().unwrap_or_default();
    let first = next();
    let (kind, length) = if first == b"list" {
        let length = parse_kind(cursor, next())?;
        (parse_kind(cursor, next())?, Some(length))
    } else {
        (parse_kind(cursor, first)?, None)
    };
    if length.is_some_and(|length| !length.is_whole()) {
        return Err(cursor.error("a list whose length is a real number", "a whole number", EXPORT_AGAIN));
    }
    Ok(Property { name: next(), kind, length })
}

fn parse_kind(cursor: &Cursor, word: &[u8]) -> Result<Scalar, MeshError> {
    Ok(match word {
        b"char" | b"int8" => Scalar::I8,
        b"uchar" | b"uint8" => Scalar::U8,
        b"short" | b"int16" => Scalar::I16,
        b"ushort" | b"uint16" => Scalar::U16,
        b"int" | b"int32" => Scalar::I32,
        b"uint" | b"uint32" => Scalar::U32,
        b"float" | b"float32" => Scalar::F32,
        b"double" | b"float64" => Scalar::F64,
        _ => return Err(cursor.error(quote(word), "a PLY type such as `float` or `int`", EXPORT_AGAIN)),
    })
}

struct Body<'a> {
    cursor: Cursor<'a>,
    encoding: Encoding,
    mesh: Mesh,
    polygon: Vec<i64>,
}

impl Body<'_> {
    fn read_element(&mut self, element: &Element) -> Result<(), MeshError> {
        // Without properties a record has no bytes: nothing to read, and no reason to loop over the count.
        if element.properties.is_empty() {
            return Ok(());
        }
        let bytes_each = match self.encoding {
            Encoding::Text => 2 * element.properties.len(),
            Encoding::Binary(_) => element.properties.iter().map(|p| p.length.unwrap_or(p.kind).size()).sum(),
        };
        let what = format!("the number of `{}` elements", String::from_utf8_lossy(element.name));
        let count = self.cursor.check_count(element.count, &what, bytes_each)?;
        for _ in 0..count {
            match element.name {
                b"vertex" => self.read_vertex(&element.properties)?,
                b"face" => self.read_face(&element.properties)?,
                _ => element.properties.iter().try_for_each(|property| self.skip(property))?,
            }
        }
        Ok(())
    }

    fn read_vertex(&mut self, properties: &[Property]) -> Result<(), MeshError> {
        let mut point = [f64::NAN; 3];
        for property in properties {
            let axis = [b"x", b"y", b"z"].iter().position(|axis| axis.as_slice() == property.name);
            match axis {
                Some(axis) if property.length.is_none() => point[axis] = self.coordinate(property.kind)?,
                _ => self.skip(property)?,
            }
        }
        if point.iter().any(|c| c.is_nan()) {
            return Err(self.cursor.error("vertices without x, y or z", "properties x, y and z", EXPORT_AGAIN));
        }
        self.mesh.points.push(point);
        Ok(())
    }

    fn coordinate(&mut self, kind: Scalar) -> Result<f64, MeshError> {
        match self.encoding {
            Encoding::Text => self.cursor.real("a coordinate"),
            Encoding::Binary(endian) => self.cursor.binary_real(kind, endian, "a coordinate"),
        }
    }

    fn read_face(&mut self, properties: &[Property]) -> Result<(), MeshError> {
        for property in properties {
            match property.length {
                Some(length) if matches!(property.name, b"vertex_indices" | b"vertex_index") => {
                    let n = self.length(length, property.kind)?;
                    if n < 3 {
                        let found = format!("a face with {}", counted(n, "corner", "corners"));
                        return Err(self.cursor.error(found, "three or more", EXPORT_AGAIN));
                    }
                    self.polygon.push(n as i64);
                    for _ in 0..n {
                        let index = self.whole(property.kind, "a vertex index")?;
                        self.polygon.push(index);
                    }
                }
                _ => self.skip(property)?,
            }
        }
        Ok(())
    }

    fn whole(&mut self, kind: Scalar, what: &str) -> Result<i64, MeshError> {
        match self.encoding {
            Encoding::Text => self.cursor.integer(what),
            Encoding::Binary(endian) => self.cursor.binary_integer(kind, endian, what),
        }
    }

    fn length(&mut self, length: Scalar, item: Scalar) -> Result<usize, MeshError> {
        let n = self.whole(length, "the length of a list")?;
        let bytes_each = match self.encoding {
            Encoding::Text => 2,
            Encoding::Binary(_) => item.size(),
        };
        self.cursor.check_count(n, "the length of a list", bytes_each)
    }

    fn skip(&mut self, property: &Property) -> Result<(), MeshError> {
        let items = match property.length {
            Some(length) => self.length(length, property.kind)?,
            None => 1,
        };
        for _ in 0..items {
            match self.encoding {
                Encoding::Text => {
                    self.cursor.word("a property")?;
                }
                Encoding::Binary(endian) => {
                    let _: Number = self.cursor.number(property.kind, endian, "a property")?;
                }
            }
        }
        Ok(())
    }
}

/// Writes the points (as `double`) and triangles as binary little-endian PLY.
pub fn write_ply(mesh: &Mesh, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let surface = mesh.surface();
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\ncomment Pliant, metres, y up\nelement vertex {}\nproperty double x\n\
         property double y\nproperty double z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.points.len(),
        surface.len()
    )?;
    for coordinate in mesh.points.iter().flatten() {
        out.write_all(&coordinate.to_le_bytes())?;
    }
    for triangle in surface.iter() {
        out.write_all(&[3])?;
        for &index in triangle {
            let index = i32::try_from(index).map_err(|_| {
                io::Error::new(io::ErrorKind::InvalidInput, "PLY holds at most 2147483648 vertices: use VTU")
            })?;
            out.write_all(&index.to_le_bytes())?;
        }
    }
    Ok(())
}

//! Reads VTU as [`super::write_vtu`] writes it, and ParaView with raw appended data: little-endian arrays behind the XML.
//! Other encodings are refused. Of the XML only what says where the arrays lie is looked at.

use super::Mesh;
use super::error::{MeshError, Place};
use super::io_cursor::{CUT_OFF, Cursor, EXPORT_AGAIN, Endian, Scalar};
use super::io_vtk::push_cell;
use crate::counted::counted;

const EXPECTED: &str = "an UnstructuredGrid of one piece with raw appended data, little-endian, UInt64, not compressed";
const ADVICE: &str = "in ParaView, save it as legacy VTK (.vtk)";

/// Reads a VTU file; `name` is for messages.
pub(super) fn parse(bytes: &[u8], name: &str) -> Result<Mesh, MeshError> {
    let file = Arrays::new(bytes, name)?;
    let wrong = |found: String, expected: &str, advice| file.error(found, expected, advice);
    let real = |cursor: &mut Cursor, kind| cursor.binary_real(kind, Endian::Little, "a coordinate");
    let whole = |cursor: &mut Cursor, kind| cursor.binary_integer(kind, Endian::Little, "a number of the cells");
    let coordinates = file.read("Points", None, real)?;
    let indices = file.read("Cells", Some("connectivity"), whole)?;
    let ends = file.read("Cells", Some("offsets"), whole)?;
    let types = file.read("Cells", Some("types"), whole)?;

    let (points, rest) = coordinates.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(wrong(counted(coordinates.len(), "coordinate", "coordinates"), "three for each point", CUT_OFF));
    }
    if types.len() != ends.len() {
        return Err(wrong(
            format!("{} and {}", counted(ends.len(), "cell", "cells"), counted(types.len(), "cell type", "cell types")),
            "a type for each cell",
            CUT_OFF,
        ));
    }
    let mut mesh = Mesh { points: points.to_vec(), ..Mesh::default() };
    let cursor = Cursor::new_binary(bytes, name);
    let (mut start, mut corners) = (0, Vec::new());
    for (i, (&end, &cell_type)) in ends.iter().zip(&types).enumerate() {
        let Some(own) = usize::try_from(end).ok().and_then(|end| indices.get(start..end)) else {
            let found = format!("cell {i} from corner {start} to {end} of {}", indices.len());
            return Err(wrong(found, "offsets that grow and stay within the corners", EXPORT_AGAIN));
        };
        start += own.len();
        corners.clear();
        for &raw in own {
            corners.push(cursor.index_in("cell", i, raw, mesh.points.len())?);
        }
        if !push_cell(&mut mesh, cell_type, &corners) {
            let found = format!("cell {i} of type {cell_type} with {}", counted(corners.len(), "corner", "corners"));
            return Err(wrong(found, "triangles, quads, polygons or tetrahedra with all their corners", EXPORT_AGAIN));
        }
    }
    Ok(mesh)
}

/// The XML, and where the data behind it starts.
struct Arrays<'a> {
    bytes: &'a [u8],
    name: &'a str,
    xml: String,
    data: usize,
}

impl<'a> Arrays<'a> {
    fn new(bytes: &'a [u8], name: &'a str) -> Result<Self, MeshError> {
        let mut cursor = Cursor::new(bytes, name);
        let refuse = |found: &str| Cursor::new(bytes, name).error_at(Place::File, found, EXPECTED, ADVICE);
        for mark in [b"<AppendedData".as_slice(), b">", b"_"] {
            cursor.skip_past(mark).map_err(|_| refuse("a VTU file without appended data"))?;
        }
        let data = bytes.len() - cursor.remaining();
        let xml = String::from_utf8_lossy(&bytes[..data]).into_owned();
        let says = |tag, key, value| attribute(xml_tag(&xml, tag), key) == Some(value);
        let plain = says("VTKFile", "type", "UnstructuredGrid")
            && says("VTKFile", "byte_order", "LittleEndian")
            && says("VTKFile", "header_type", "UInt64")
            && attribute(xml_tag(&xml, "VTKFile"), "compressor").is_none()
            && says("AppendedData", "encoding", "raw")
            && xml.matches("<Piece").count() == 1;
        if plain { Ok(Self { bytes, name, xml, data }) } else { Err(refuse("a VTU file of another kind")) }
    }

    fn error(&self, found: String, expected: &str, advice: &'static str) -> MeshError {
        Cursor::new(self.bytes, self.name).error_at(Place::File, found, expected, advice)
    }

    /// The array of that name in `section`, or its first one.
    fn read<T>(
        &self,
        section: &str,
        array: Option<&str>,
        number: impl Fn(&mut Cursor, Scalar) -> Result<T, MeshError>,
    ) -> Result<Vec<T>, MeshError> {
        let what = array.unwrap_or(section);
        let missing = || self.error(format!("no usable array `{what}`"), EXPECTED, ADVICE);
        let inside = self.xml.split_once(&format!("<{section}>")).map_or("", |(_, after)| after);
        let inside = inside.split(&format!("</{section}>")).next().unwrap_or("");
        let mut tags = inside.split("<DataArray").skip(1).map(|after| after.split('>').next().unwrap_or(""));
        let tag = tags.find(|tag| array.is_none() || attribute(tag, "Name") == array).ok_or_else(missing)?;
        let kind = attribute(tag, "type").and_then(scalar).ok_or_else(missing)?;
        let offset: Option<usize> = attribute(tag, "offset").and_then(|offset| offset.parse().ok());
        let start = offset.and_then(|offset| self.data.checked_add(offset)).ok_or_else(missing)?;
        let mut cursor = Cursor::new_binary(self.bytes, self.name);
        cursor.take(start, "what comes before the array")?;
        let size = cursor.binary_integer(Scalar::U64, Endian::Little, "the size of an array")?;
        let size = cursor.check_count(size, "bytes of an array", 1)?;
        (0..size / kind.size()).map(|_| number(&mut cursor, kind)).collect()
    }
}

/// The opening tag of that name, without its brackets; empty if there is none.
fn xml_tag<'x>(xml: &'x str, name: &str) -> &'x str {
    let after = xml.split_once(&format!("<{name}")).map_or("", |(_, after)| after);
    after.split('>').next().unwrap_or("")
}

fn attribute<'x>(tag: &'x str, key: &str) -> Option<&'x str> {
    tag.split_once(&format!(" {key}=\""))?.1.split('"').next()
}

fn scalar(name: &str) -> Option<Scalar> {
    Some(match name {
        "Int8" => Scalar::I8,
        "UInt8" => Scalar::U8,
        "Int32" => Scalar::I32,
        "UInt32" => Scalar::U32,
        "Int64" => Scalar::I64,
        "UInt64" => Scalar::U64,
        "Float32" => Scalar::F32,
        "Float64" => Scalar::F64,
        _ => return None,
    })
}

//! Legacy VTK, text and binary (big-endian): `UNSTRUCTURED_GRID` and `POLYDATA`, with the cell lists of versions up to
//! 4 (each cell led by its length) and of version 5 (offsets and connectivity). Layout: "VTK file formats".

use crate::counted::counted;
use std::io::{self, Write};

use super::Mesh;
use super::error::MeshError;
use super::io_cursor::{CUT_OFF, Cursor, EXPORT_AGAIN, Endian, Scalar, push_fan, quote, words};

/// Reads a legacy VTK file.
pub(super) fn parse(bytes: &[u8], name: &str) -> Result<Mesh, MeshError> {
    let mut reader = Reader::start(Cursor::new(bytes, name))?;
    let dataset = reader.dataset()?;
    while let Some(section) = reader.cursor.next_word() {
        match section.to_ascii_uppercase().as_slice() {
            b"POINTS" => reader.points()?,
            b"CELLS" | b"POLYGONS" => reader.cells = reader.cell_list()?,
            b"CELL_TYPES" => reader.cell_types()?,
            b"VERTICES" | b"LINES" => {
                reader.cell_list()?;
            }
            b"FIELD" => reader.skip_field()?,
            b"METADATA" => reader.skip_metadata(),
            b"POINT_DATA" | b"CELL_DATA" => break,
            _ => {
                let expected = "a section such as `POINTS` or `CELLS`";
                return Err(reader.cursor.error(
                    quote(section),
                    expected,
                    "a count is wrong, or save it again as polygons or tetrahedra",
                ));
            }
        }
    }
    reader.finish(dataset)
}

#[derive(Clone, Copy, PartialEq)]
enum Dataset {
    UnstructuredGrid,
    PolyData,
}

/// Cells as one run of vertex indices; cell i is `indices[ends[i-1]..ends[i]]`.
#[derive(Default)]
struct Cells {
    indices: Vec<i64>,
    ends: Vec<usize>,
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    binary: bool,
    major_version: u32,
    points: Vec<[f64; 3]>,
    cells: Cells,
    types: Vec<i64>,
}

impl<'a> Reader<'a> {
    fn start(mut cursor: Cursor<'a>) -> Result<Self, MeshError> {
        let first = cursor.next_line().unwrap_or_default();
        let Some(version) = first.strip_prefix(b"# vtk DataFile Version") else {
            let advice = "the file is no legacy VTK file: check its name, or save it as legacy VTK";
            return Err(cursor.error(quote(first), "`# vtk DataFile Version 3.0`", advice));
        };
        let digit = version.trim_ascii().first().copied().unwrap_or(b'3');
        let major_version = u32::from(digit.saturating_sub(b'0'));
        cursor.next_line();
        let word = cursor.word("`ASCII` or `BINARY`")?;
        let binary = match word.to_ascii_uppercase().as_slice() {
            b"ASCII" => false,
            b"BINARY" => true,
            _ => return Err(cursor.error(quote(word), "`ASCII` or `BINARY`", EXPORT_AGAIN)),
        };
        Ok(Reader { cursor, binary, major_version, points: Vec::new(), cells: Cells::default(), types: Vec::new() })
    }

    fn dataset(&mut self) -> Result<Dataset, MeshError> {
        loop {
            let word = self.cursor.word("`DATASET`")?;
            match word.to_ascii_uppercase().as_slice() {
                b"DATASET" => break,
                b"FIELD" => self.skip_field()?,
                _ => return Err(self.cursor.error(quote(word), "`DATASET`", EXPORT_AGAIN)),
            }
        }
        let word = self.cursor.word("a kind of dataset")?;
        match word.to_ascii_uppercase().as_slice() {
            b"UNSTRUCTURED_GRID" => Ok(Dataset::UnstructuredGrid),
            b"POLYDATA" => Ok(Dataset::PolyData),
            _ => {
                let advice = "save a triangle mesh as POLYDATA or a tetrahedral one as UNSTRUCTURED_GRID";
                Err(self.cursor.error(quote(word), "`UNSTRUCTURED_GRID` or `POLYDATA`", advice))
            }
        }
    }

    /// A count on a section line.
    fn count(&mut self, what: &str, numbers_each: usize) -> Result<usize, MeshError> {
        self.cursor.count(what, numbers_each)
    }

    fn kind(&mut self) -> Result<Scalar, MeshError> {
        let word = self.cursor.word("a type such as `double`")?;
        Ok(match word.to_ascii_lowercase().as_slice() {
            b"double" => Scalar::F64,
            b"float" => Scalar::F32,
            b"int" => Scalar::I32,
            b"unsigned_int" => Scalar::U32,
            b"long" | b"vtktypeint64" => Scalar::I64,
            b"unsigned_long" | b"vtktypeuint64" => Scalar::U64,
            // VTK stores its index type as int in legacy files.
            b"vtkidtype" => Scalar::I32,
            b"short" => Scalar::I16,
            b"unsigned_short" => Scalar::U16,
            b"char" | b"signed_char" => Scalar::I8,
            b"unsigned_char" => Scalar::U8,
            _ => return Err(self.cursor.error(quote(word), "a type such as `double` or `int`", EXPORT_AGAIN)),
        })
    }

    /// Checks that `n` numbers can still follow, and in binary files goes to the line they start on.
    fn begin_array(&mut self, n: usize, kind: Scalar, what: &str) -> Result<(), MeshError> {
        let each = if self.binary { kind.size() } else { 2 };
        let n = i64::try_from(n).unwrap_or(-1);
        self.cursor.check_count(n, what, each)?;
        if self.binary {
            self.cursor.next_line();
        }
        Ok(())
    }

    fn real(&mut self, kind: Scalar) -> Result<f64, MeshError> {
        let what = "a coordinate";
        if self.binary { self.cursor.binary_real(kind, Endian::Big, what) } else { self.cursor.real(what) }
    }

    fn whole(&mut self, kind: Scalar, what: &str) -> Result<i64, MeshError> {
        if self.binary { self.cursor.binary_integer(kind, Endian::Big, what) } else { self.cursor.integer(what) }
    }

    fn points(&mut self) -> Result<(), MeshError> {
        let count = self.count("the number of points", 3)?;
        let kind = self.kind()?;
        self.begin_array(count.saturating_mul(3), kind, "the number of coordinates")?;
        self.points.clear();
        for _ in 0..count {
            let point = [self.real(kind)?, self.real(kind)?, self.real(kind)?];
            self.points.push(point);
        }
        Ok(())
    }

    fn cell_list(&mut self) -> Result<Cells, MeshError> {
        let count = self.count("the number of cells", 1)?;
        let size = self.count("the number of values", 1)?;
        if self.major_version >= 5 {
            return self.offset_cells(count, size);
        }
        let kind = Scalar::I32;
        self.begin_array(size, kind, "the number of values in CELLS")?;
        let mut cells = Cells::default();
        let mut left = size;
        for i in 0..count {
            let n = self.whole(kind, "the number of corners of a cell")?;
            left = match usize::try_from(n) {
                Ok(n) if n < left => left - 1 - n,
                _ => {
                    let found = format!("cell {i} with {}", counted(n, "corner", "corners"));
                    let expected = format!("a number that fits the {left} values left of the {size} announced");
                    return Err(self.cursor.error(found, expected, "correct the counts or export the mesh again"));
                }
            };
            for _ in 0..n {
                let index = self.whole(kind, "a vertex index")?;
                cells.indices.push(index);
            }
            cells.ends.push(cells.indices.len());
        }
        if left > 0 {
            let found = format!("{} in {}", counted(size - left, "value", "values"), counted(count, "cell", "cells"));
            return Err(self.cursor.error(
                found,
                format!("{size}, as announced"),
                "correct the second count of the section",
            ));
        }
        Ok(cells)
    }

    fn offset_cells(&mut self, offsets: usize, size: usize) -> Result<Cells, MeshError> {
        let mut cells = Cells::default();
        let kind = self.array_header(b"OFFSETS")?;
        self.begin_array(offsets, kind, "the number of offsets")?;
        let mut last = 0;
        for i in 0..offsets {
            let offset = self.whole(kind, "an offset")?;
            let here = match usize::try_from(offset) {
                Ok(here) if here >= last && here <= size && (i > 0 || here == 0) => here,
                _ => {
                    let expected = format!("{last} to {size}, beginning with 0");
                    return Err(self.cursor.error(format!("offset {offset}"), expected, EXPORT_AGAIN));
                }
            };
            if i > 0 {
                cells.ends.push(here);
            }
            last = here;
        }
        if last != size {
            return Err(self.cursor.error(format!("{last} as the last offset"), format!("{size}"), EXPORT_AGAIN));
        }
        let kind = self.array_header(b"CONNECTIVITY")?;
        self.begin_array(size, kind, "the number of values in CONNECTIVITY")?;
        for _ in 0..size {
            let index = self.whole(kind, "a vertex index")?;
            cells.indices.push(index);
        }
        Ok(cells)
    }

    fn array_header(&mut self, wanted: &[u8]) -> Result<Scalar, MeshError> {
        let wanted_text = String::from_utf8_lossy(wanted).into_owned();
        let word = self.cursor.word(&wanted_text)?;
        if word != wanted {
            return Err(self.cursor.error(quote(word), format!("`{wanted_text}`"), EXPORT_AGAIN));
        }
        self.kind()
    }

    fn cell_types(&mut self) -> Result<(), MeshError> {
        let count = self.count("the number of cell types", 1)?;
        self.begin_array(count, Scalar::I32, "the number of cell types")?;
        self.types.clear();
        for i in 0..count {
            let cell_type = self.whole(Scalar::I32, "a cell type")?;
            self.check_type(cell_type, i)?;
            self.types.push(cell_type);
        }
        Ok(())
    }

    fn check_type(&self, cell_type: i64, cell: usize) -> Result<(), MeshError> {
        let (name, advice) = match cell_type {
            1..=5 | 7 | 9 | 10 => return Ok(()),
            6 => ("triangle strip", "save with triangles (in ParaView: the Triangulate filter)"),
            8 | 11 => ("pixel or voxel", "save with triangles or tetrahedra"),
            12..=14 => ("hexahedron, wedge or pyramid", "use tetrahedra (in ParaView: the Tetrahedralize filter)"),
            21..=37 => ("curved cell", "save with straight triangles or tetrahedra"),
            _ => ("unknown", "save with triangles or tetrahedra"),
        };
        let expected = "5 (triangle), 7 (polygon), 9 (quad) or 10 (tetrahedron)";
        Err(self.cursor.error(format!("cell {cell} of type {cell_type} ({name})"), expected, advice))
    }

    /// Skips `FIELD name n`, then n arrays of `name components tuples type` and data.
    fn skip_field(&mut self) -> Result<(), MeshError> {
        self.cursor.word("the name of a field")?;
        let arrays = self.count("the number of arrays", 8)?;
        for _ in 0..arrays {
            self.cursor.word("the name of an array")?;
            let components = self.count("the number of components", 1)?;
            let tuples = self.count("the number of tuples", 1)?;
            let kind = self.kind()?;
            let n = components.saturating_mul(tuples);
            self.begin_array(n, kind, "the number of values in a field")?;
            if self.binary {
                self.cursor.take(n * kind.size(), "a field")?;
            } else {
                for _ in 0..n {
                    self.cursor.word("a value of a field")?;
                }
            }
        }
        Ok(())
    }

    /// Metadata ends with a blank line.
    fn skip_metadata(&mut self) {
        self.cursor.next_line();
        while self.cursor.next_line().is_some_and(|line| words(line).next().is_some()) {}
    }

    fn finish(self, dataset: Dataset) -> Result<Mesh, MeshError> {
        let Reader { cursor, points, cells, types, .. } = self;
        if dataset == Dataset::UnstructuredGrid && types.len() != cells.ends.len() {
            let found = format!(
                "{} and {}",
                counted(cells.ends.len(), "cell", "cells"),
                counted(types.len(), "cell type", "cell types")
            );
            return Err(cursor.error(found, "a type for each cell", CUT_OFF));
        }
        let mut mesh = Mesh { points, ..Mesh::default() };
        let mut corners = Vec::new();
        let mut start = 0;
        for (i, &end) in cells.ends.iter().enumerate() {
            corners.clear();
            for &raw in &cells.indices[start..end] {
                corners.push(cursor.index_in("cell", i, raw, mesh.points.len())?);
            }
            start = end;
            let cell_type = if dataset == Dataset::PolyData { 7 } else { types[i] };
            if !push_cell(&mut mesh, cell_type, &corners) {
                let found =
                    format!("cell {i} of type {cell_type} with {}", counted(corners.len(), "corner", "corners"));
                return Err(cursor.error(found, "as many corners as the type has", EXPORT_AGAIN));
            }
        }
        Ok(mesh)
    }
}

/// Adds a cell by VTK's number of its type; points and lines add nothing. False if the type is another, or has other
/// corners.
pub(super) fn push_cell(mesh: &mut Mesh, cell_type: i64, corners: &[u32]) -> bool {
    match (cell_type, corners) {
        (1..=4, _) => {}
        (10, &[a, b, c, d]) => mesh.tets.push([a, b, c, d]),
        (5, [_, _, _]) | (9, [_, _, _, _]) | (7, [_, _, _, ..]) => push_fan(corners, &mut mesh.triangles),
        _ => return false,
    }
    true
}

/// Writes points, triangles and tetrahedra as legacy VTK text (`UNSTRUCTURED_GRID`).
pub fn write_vtk(mesh: &Mesh, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    write!(out, "# vtk DataFile Version 3.0\nPliant, metres, y up\nASCII\nDATASET UNSTRUCTURED_GRID\n")?;
    writeln!(out, "POINTS {} double", mesh.points.len())?;
    for [x, y, z] in &mesh.points {
        writeln!(out, "{x:?} {y:?} {z:?}")?;
    }
    let (triangles, tets) = (mesh.triangles.len(), mesh.tets.len());
    writeln!(out, "CELLS {} {}", triangles + tets, 4 * triangles + 5 * tets)?;
    for [a, b, c] in &mesh.triangles {
        writeln!(out, "3 {a} {b} {c}")?;
    }
    for [a, b, c, d] in &mesh.tets {
        writeln!(out, "4 {a} {b} {c} {d}")?;
    }
    writeln!(out, "CELL_TYPES {}", triangles + tets)?;
    for _ in 0..triangles {
        writeln!(out, "5")?;
    }
    for _ in 0..tets {
        writeln!(out, "10")?;
    }
    Ok(())
}

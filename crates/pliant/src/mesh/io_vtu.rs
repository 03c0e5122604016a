//! VTU, the XML format of VTK, for ParaView, with raw appended data.

use std::io::{self, Write};

use super::Mesh;

/// Values at the points of a mesh, one per point.
#[derive(Clone, Copy, Debug)]
pub enum PointField<'a> {
    /// One number per point.
    Scalar {
        /// Name as ParaView shows it.
        name: &'a str,
        /// Values, in the unit the name says.
        values: &'a [f64],
    },
    /// One vector per point.
    Vector {
        /// Name as ParaView shows it.
        name: &'a str,
        /// Values, in the unit the name says.
        values: &'a [[f64; 3]],
    },
}

impl PointField<'_> {
    fn name(&self) -> &str {
        match self {
            PointField::Scalar { name, .. } | PointField::Vector { name, .. } => name,
        }
    }

    fn len(&self) -> usize {
        match self {
            PointField::Scalar { values, .. } => values.len(),
            PointField::Vector { values, .. } => values.len(),
        }
    }
}

type WriteData<'a> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>;

/// An array of the appended block, before it is written.
struct Array<'a> {
    data_type: &'static str,
    name: &'a str,
    components: usize,
    bytes: u64,
    write: WriteData<'a>,
}

/// Writes points, triangles, tetrahedra and fields as VTU. A field with another length than the points is an error.
pub fn write_vtu(mesh: &Mesh, fields: &[PointField], out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    for field in fields {
        if field.len() != mesh.points.len() {
            let text = format!("field `{}` has {} values for {} points", field.name(), field.len(), mesh.points.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
    }
    let point_data: Vec<Array> = fields.iter().map(field_array).collect();
    let points = reals("Points", 3, mesh.points.as_flattened());
    let cells = cell_arrays(mesh);

    let mut offset = 0;
    writeln!(out, "<?xml version=\"1.0\"?>")?;
    writeln!(
        out,
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
    )?;
    writeln!(out, "<UnstructuredGrid>")?;
    let cell_count = mesh.triangles.len() + mesh.tets.len();
    writeln!(out, "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{cell_count}\">", mesh.points.len())?;
    write_headers("PointData", &point_data, &mut offset, out)?;
    write_headers("Points", std::slice::from_ref(&points), &mut offset, out)?;
    write_headers("Cells", &cells, &mut offset, out)?;
    write!(out, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_")?;
    for array in point_data.iter().chain([&points]).chain(&cells) {
        out.write_all(&array.bytes.to_le_bytes())?;
        (array.write)(&mut &mut *out)?;
    }
    write!(out, "\n</AppendedData>\n</VTKFile>\n")
}

fn write_headers(section: &str, arrays: &[Array], offset: &mut u64, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    writeln!(out, "<{section}>")?;
    for array in arrays {
        writeln!(
            out,
            "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{offset}\"/>",
            array.data_type,
            escape(array.name),
            array.components
        )?;
        *offset += 8 + array.bytes;
    }
    writeln!(out, "</{section}>")
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

fn field_array<'a>(field: &'a PointField) -> Array<'a> {
    match *field {
        PointField::Scalar { name, values } => reals(name, 1, values),
        PointField::Vector { name, values } => reals(name, 3, values.as_flattened()),
    }
}

fn reals<'a>(name: &'a str, components: usize, values: &'a [f64]) -> Array<'a> {
    let write = move |out: &mut dyn Write| values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()));
    Array { data_type: "Float64", name, components, bytes: 8 * values.len() as u64, write: Box::new(write) }
}

fn cell_arrays(mesh: &Mesh) -> [Array<'_>; 3] {
    let (triangles, tets) = (mesh.triangles.as_slice(), mesh.tets.as_slice());
    let corners = 3 * triangles.len() + 4 * tets.len();
    let cells = triangles.len() + tets.len();
    let connectivity = move |out: &mut dyn Write| {
        let indices = triangles.as_flattened().iter().chain(tets.as_flattened());
        indices.into_iter().try_for_each(|&index| out.write_all(&i64::from(index).to_le_bytes()))
    };
    let offsets = move |out: &mut dyn Write| {
        let lengths = triangles.iter().map(|t| t.len()).chain(tets.iter().map(|t| t.len()));
        let mut end = 0i64;
        lengths.into_iter().try_for_each(|length| {
            end += length as i64;
            out.write_all(&end.to_le_bytes())
        })
    };
    let types = move |out: &mut dyn Write| {
        triangles.iter().try_for_each(|_| out.write_all(&[5]))?;
        tets.iter().try_for_each(|_| out.write_all(&[10]))
    };
    let array =
        |data_type, name, bytes: usize, write| Array { data_type, name, components: 1, bytes: bytes as u64, write };
    [
        array("Int64", "connectivity", 8 * corners, Box::new(connectivity) as WriteData),
        array("Int64", "offsets", 8 * cells, Box::new(offsets)),
        array("UInt8", "types", cells, Box::new(types)),
    ]
}

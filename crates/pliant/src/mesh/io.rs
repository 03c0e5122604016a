//! Meshes from and to files: which format a file has, and who reads or writes it.

use crate::counted::counted;
use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::Path;

use super::error::{MeshError, Place};
use super::io_tetgen::{TetgenPart, parse_tetgen};
use super::io_vtu::{PointField, write_vtu};
use super::{Mesh, check_adjacency, io_gmsh, io_obj, io_ply, io_stl, io_vtk, io_vtu_read};
use crate::atomic_file::write_atomically;

const READABLE: &str = "a mesh file (.obj, .stl, .ply, .msh, .vtk, .vtu, or .node with .ele)";
const WRITABLE: &str = "a mesh file to write (.obj, .stl, .ply, .msh, .vtk or .vtu)";

/// A mesh file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// STL, text or binary.
    Stl,
    /// PLY, text or binary.
    Ply,
    /// Gmsh 2.2 or 4.1, text or binary.
    Gmsh,
    /// Legacy VTK, text or binary.
    Vtk,
    /// VTK's XML format with raw appended data.
    Vtu,
    /// TetGen's `.node`, `.ele` and `.face`; read only, with [`parse_tetgen`] or from a path.
    Tetgen,
}

impl Format {
    /// The format a file name promises.
    pub fn from_extension(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "obj" => Format::Obj,
            "stl" => Format::Stl,
            "ply" => Format::Ply,
            "msh" => Format::Gmsh,
            "vtk" => Format::Vtk,
            "vtu" => Format::Vtu,
            "node" | "ele" | "face" => Format::Tetgen,
            _ => return None,
        })
    }

    /// The format that the first bytes of a file prove, where they prove one.
    pub fn from_content(bytes: &[u8]) -> Option<Format> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
            Some(Format::Ply)
        } else if bytes.starts_with(b"$MeshFormat") {
            Some(Format::Gmsh)
        } else if bytes.starts_with(b"# vtk DataFile Version") {
            Some(Format::Vtk)
        } else if bytes[..bytes.len().min(256)].windows(8).any(|window| window == b"<VTKFile") {
            Some(Format::Vtu)
        } else {
            None
        }
    }

    /// Whether tetrahedra do not fit: of a solid only the surface is written.
    pub fn holds_surfaces_only(self) -> bool {
        matches!(self, Format::Obj | Format::Ply | Format::Stl)
    }

    /// The format that a file without a telling name probably has.
    fn guess(bytes: &[u8]) -> Option<Format> {
        if io_stl::looks_like_text(bytes) {
            return Some(Format::Stl);
        }
        let first = bytes.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).find(|l| !l.is_empty() && l[0] != b'#')?;
        let obj =
            [b"v ".as_slice(), b"vn ", b"vt ", b"o ", b"g ", b"mtllib "].iter().any(|start| first.starts_with(start));
        obj.then_some(Format::Obj)
    }
}

/// Reads a mesh file. What the content proves goes before what the extension promises. For TetGen give the `.node` or
/// the `.ele` file; the others are looked for beside it.
pub fn read(path: &Path) -> Result<Mesh, MeshError> {
    let promised = Format::from_extension(path);
    if promised == Some(Format::Tetgen) {
        return read_tetgen(path);
    }
    let bytes = read_bytes(path)?;
    let name = path.display().to_string();
    match Format::from_content(&bytes).or(promised).or_else(|| Format::guess(&bytes)) {
        Some(format) => parse(&bytes, format, &name),
        None => Err(unknown(path, READABLE)),
    }
}

/// Reads a mesh from the content of a file; `name` is for messages. Time and memory are bounded by the length.
pub fn parse(bytes: &[u8], format: Format, name: &str) -> Result<Mesh, MeshError> {
    let mesh = match format {
        Format::Obj => io_obj::parse(bytes, name)?,
        Format::Stl => io_stl::parse(bytes, name)?,
        Format::Ply => io_ply::parse(bytes, name)?,
        Format::Gmsh => io_gmsh::parse(bytes, name)?,
        Format::Vtk => io_vtk::parse(bytes, name)?,
        Format::Vtu => io_vtu_read::parse(bytes, name)?,
        Format::Tetgen => return Err(refuse(name, "one file of a TetGen mesh", "give the path of the .node file")),
    };
    require_content(&mesh, name)?;
    Ok(mesh)
}

fn refuse(name: &str, found: &str, advice: &'static str) -> MeshError {
    let (found, expected) = (found.to_string(), READABLE.to_string());
    MeshError::Malformed { name: name.to_string(), place: Place::File, found, expected, advice }
}

/// A mesh without points or elements is nobody's intention.
pub(super) fn require_content(mesh: &Mesh, name: &str) -> Result<(), MeshError> {
    let (found, expected) = if mesh.points.is_empty() {
        ("no vertices".to_string(), "vertices and triangles or tetrahedra")
    } else if mesh.triangles.is_empty() && mesh.tets.is_empty() {
        (
            format!("{} but no triangles or tetrahedra", counted(mesh.points.len(), "vertex", "vertices")),
            "at least one of them",
        )
    } else {
        return Ok(());
    };
    let (name, expected) = (name.to_string(), expected.to_string());
    let advice = "the file is empty or cut off, or holds no mesh: export it again";
    Err(MeshError::Malformed { name, place: Place::File, found, expected, advice })
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, MeshError> {
    let failed = |source| MeshError::Read { path: path.display().to_string(), source };
    let about = fs::metadata(path).map_err(failed)?;
    // A device or a pipe may have no end.
    if !about.is_file() && !about.is_dir() {
        return Err(failed(io::Error::other("this is no regular file")));
    }
    fs::read(path).map_err(failed)
}

fn read_tetgen(path: &Path) -> Result<Mesh, MeshError> {
    let read_part = |extension: &str, needed: bool| {
        let path = path.with_extension(extension);
        if !needed && !path.exists() {
            return Ok(None);
        }
        Ok::<_, MeshError>(Some((read_bytes(&path)?, path.display().to_string())))
    };
    let face = read_part("face", false)?;
    let ele = read_part("ele", face.is_none())?;
    let Some((bytes, name)) = &read_part("node", true)? else { return Err(unknown(path, READABLE)) };
    fn part(part: &Option<(Vec<u8>, String)>) -> Option<TetgenPart<'_>> {
        part.as_ref().map(|(bytes, name)| TetgenPart { bytes, name })
    }
    parse_tetgen(TetgenPart { bytes, name }, part(&ele), part(&face))
}

fn unknown(path: &Path, expected: &'static str) -> MeshError {
    let found = match path.extension() {
        Some(extension) => format!("the extension `.{}`", extension.to_string_lossy()),
        None => "no extension".to_string(),
    };
    MeshError::UnknownFormat { path: path.display().to_string(), found, expected }
}

/// Writes a mesh in the format of the extension; the file is replaced as a whole or not at all.
///
/// OBJ, PLY and STL hold surfaces: they get [`Mesh::surface`], with all points (STL: only those in use).
pub fn write(path: &Path, mesh: &Mesh) -> Result<(), MeshError> {
    write_with_fields(path, mesh, &[])
}

/// Like [`write()`], with values per point, which only VTU can hold; for another format fields are an error.
pub fn write_with_fields(path: &Path, mesh: &Mesh, fields: &[PointField]) -> Result<(), MeshError> {
    let format = match Format::from_extension(path) {
        None | Some(Format::Tetgen) => return Err(unknown(path, WRITABLE)),
        Some(format) => format,
    };
    let fail = |source| MeshError::Write { path: path.display().to_string(), source };
    let invalid = |text: String| fail(std::io::Error::new(std::io::ErrorKind::InvalidInput, text));
    if !fields.is_empty() && format != Format::Vtu {
        return Err(invalid("values per point fit into .vtu only".to_string()));
    }
    let mut corners = mesh.triangles.as_flattened().iter().chain(mesh.tets.as_flattened());
    if let Some(index) = corners.find(|&&index| index as usize >= mesh.points.len()) {
        return Err(invalid(format!("an element refers to vertex {index} of {}", mesh.points.len())));
    }
    write_atomically(path, |out| match format {
        Format::Obj => io_obj::write_obj(mesh, out),
        Format::Stl => io_stl::write_stl(mesh, out),
        Format::Ply => io_ply::write_ply(mesh, out),
        Format::Gmsh => io_gmsh::write_gmsh(mesh, out),
        Format::Vtk => io_vtk::write_vtk(mesh, out),
        Format::Vtu | Format::Tetgen => write_vtu(mesh, fields, out),
    })
    .map_err(fail)
}

impl Mesh {
    /// The triangles, or where there are none the boundary of the tetrahedra, outward where these are positive.
    pub fn surface(&self) -> Cow<'_, [[u32; 3]]> {
        if self.triangles.is_empty() && !self.tets.is_empty() {
            let boundary = check_adjacency::boundary_faces(&self.tets);
            return Cow::Owned(boundary.into_iter().map(|face| face.corners).collect());
        }
        Cow::Borrowed(&self.triangles)
    }
}

//! `pliant mesh info|check|convert`

use crate::args::Args;
use crate::printed::{print, print_json};
use crate::progress::{say, showing};
use crate::table::{counts, mesh_counts, pairs, short};
use crate::{Exit, failure};
use pliant::counted::counted;
use pliant::mesh::{self, Info, Mesh, MeshError, Report};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What was found in each file, and what is wrong with those that could not be read.
struct Looked<'f, T> {
    found: Vec<(&'f PathBuf, T)>,
    unreadable: Vec<(&'f PathBuf, anyhow::Error)>,
}

/// Looks at every file, whatever the others are like.
fn look<'f, T>(doing: &str, files: &'f [PathBuf], at: impl Fn(&Mesh) -> T) -> Looked<'f, T> {
    let mut looked = Looked { found: Vec::new(), unreadable: Vec::new() };
    for file in files {
        match showing(doing, || Ok::<_, MeshError>(at(&mesh::read(file)?))) {
            Ok(found) => looked.found.push((file, found)),
            Err(error) => looked.unreadable.push((file, error.into())),
        }
    }
    looked
}

impl<T> Looked<'_, T> {
    /// Prints what `text` or `object` make of each file, then what is wrong with the others.
    fn tell(
        &self,
        json: bool,
        text: impl Fn(&Path, &T) -> String,
        object: impl Fn(&Path, &T) -> Value,
    ) -> anyhow::Result<Exit> {
        if json {
            let found = self.found.iter().map(|(file, found)| object(file, found));
            let unreadable = self
                .unreadable
                .iter()
                .map(|(file, error)| json!({ "file": file.display().to_string(), "error": failure::object(error) }));
            let mut all = json!({ "files": found.chain(unreadable).collect::<Vec<_>>() });
            if let Some((_, first)) = self.unreadable.first() {
                all["error"] = failure::object(first);
            }
            print_json(&all)?;
        } else if !self.found.is_empty() {
            print(&self.found.iter().map(|(file, found)| text(file, found)).collect::<Vec<_>>().join("\n"))?;
        }
        Ok(self.unreadable.iter().fold(Exit::Done, |_, (_, error)| failure::explain(error)))
    }
}

pub(crate) fn info(args: &Args, files: &[PathBuf]) -> anyhow::Result<Exit> {
    let text = |file: &Path, info: &Info| format!("{}\n{}", file.display(), pairs(&lines(info)));
    let object = |file: &Path, info: &Info| json!({ "file": file.display().to_string(), "info": info });
    look("reading", files, mesh::info).tell(args.json, text, object)
}

fn lines(info: &Info) -> Vec<(&'static str, String)> {
    let [low, high] = info.bounding_box;
    let extent: Vec<String> = (0..3).map(|axis| short(high[axis] - low[axis])).collect();
    let mut lines = vec![
        ("vertices", format!("{} ({} unused)", info.vertices, info.unused_vertices)),
        (
            "elements",
            counts(&[
                (info.triangles as u64, "triangle", "triangles"),
                (info.tets as u64, "tetrahedron", "tetrahedra"),
                (info.edges as u64, "edge", "edges"),
            ]),
        ),
        ("extent", format!("{} m", extent.join(" x "))),
        ("edges", format!("{} to {} m", short(info.min_edge), short(info.max_edge))),
        ("area, volume", format!("{} m^2, {} m^3", short(info.area), short(info.volume))),
        (
            "surface",
            format!(
                "{} in {}, {}, Euler number {}",
                counted(info.surface_triangles, "triangle", "triangles"),
                counted(info.components, "piece", "pieces"),
                if info.watertight {
                    "watertight".to_string()
                } else {
                    counted(info.boundary_edges, "open edge", "open edges")
                },
                info.euler
            ),
        ),
        (
            "non-manifold",
            counts(&[
                (info.non_manifold_edges as u64, "edge", "edges"),
                (info.non_manifold_vertices as u64, "vertex", "vertices"),
            ]),
        ),
    ];
    if let (Some([least, most]), Some([small, large])) = (info.dihedral_deg, info.tet_volume) {
        lines.push(("tets", format!("angles {least:.1} to {most:.1} deg, volumes {small:.2e} to {large:.2e} m^3")));
    }
    lines
}

pub(crate) fn check(args: &Args, files: &[PathBuf]) -> anyhow::Result<Exit> {
    let text =
        |file: &Path, report: &Report| format!("{}\n  {}", file.display(), report.to_string().replace('\n', "\n  "));
    let object = |file: &Path, report: &Report| {
        json!({
            "file": file.display().to_string(),
            "valid": !report.has_errors(),
            "findings": report.findings,
            "notes": report.notes,
        })
    };
    let looked = look("checking", files, mesh::check);
    let exit = looked.tell(args.json, text, object)?;
    let bad = looked.found.iter().any(|(_, report)| report.has_errors());
    Ok(if bad { Exit::BadInput } else { exit })
}

/// A converted mesh lacks what its format or Pliant does not know, such as comments: it never takes the place of the file it
/// was made from, nor of one that somebody protected.
fn refuse_to_replace(from: &Path, to: &Path) -> anyhow::Result<()> {
    let Ok(there) = to.metadata() else { return Ok(()) };
    let same = matches!((from.canonicalize(), to.canonicalize()), (Ok(from), Ok(to)) if from == to);
    anyhow::ensure!(!same, "{} would replace itself; give the new file another name", from.display());
    let protected = there.permissions().readonly();
    anyhow::ensure!(!protected, "{} is there and read-only; give the new file another name", to.display());
    Ok(())
}

/// What did not fit into the new file, in words.
fn losses(tets: usize, vertices: usize) -> Vec<String> {
    let of_tets = (tets > 0).then(|| {
        let lost = counted(tets, "tetrahedron is", "tetrahedra are");
        format!("{lost} lost, because this format holds surfaces only; a .msh, .vtk or .vtu file keeps them")
    });
    let of_vertices = (vertices > 0).then(|| {
        let lost = counted(vertices, "vertex is", "vertices are");
        format!(
            "{lost} lost, because this format holds corners of triangles only: vertices of no triangle are gone, and those in \
             the same place are one; a .ply, .msh, .vtk or .vtu file keeps them"
        )
    });
    of_tets.into_iter().chain(of_vertices).collect()
}

pub(crate) fn convert(args: &Args, from: &Path, to: &Path) -> anyhow::Result<Exit> {
    let mesh = showing("reading", || mesh::read(from))?;
    refuse_to_replace(from, to)?;
    let name = to.display().to_string();
    let holds_surfaces = mesh::Format::from_extension(to).is_some_and(mesh::Format::holds_surfaces_only);
    if holds_surfaces && mesh.surface().is_empty() {
        anyhow::bail!("{name}: only a surface fits, and {} has none; write a .msh, .vtk or .vtu file", from.display());
    }
    let written = showing("writing", || -> Result<_, MeshError> {
        mesh::write(to, &mesh)?;
        // What the file holds, not what was read: formats differ in what fits. A pipe cannot be read again.
        if to.is_file() { mesh::read(to) } else { Ok(mesh.clone()) }
    })?;
    let (vertices, triangles, tets) = (written.points.len(), written.triangles.len(), written.tets.len());
    let lost_tets = mesh.tets.len().saturating_sub(tets);
    let lost_vertices = mesh.points.len().saturating_sub(vertices);
    let warnings = losses(lost_tets, lost_vertices);
    if args.json {
        print_json(&json!({
            "from": from.display().to_string(),
            "to": name,
            "vertices": vertices,
            "triangles": triangles,
            "tets": tets,
            "lost_tets": lost_tets,
            "lost_vertices": lost_vertices,
            "warnings": warnings,
        }))?;
    } else {
        say(&format!("{name}: {}", mesh_counts(vertices, triangles, tets)));
    }
    for warning in warnings {
        say(&format!("warning: {name}: {warning}"));
    }
    Ok(Exit::Done)
}

//! What is wrong with a mesh: findings by kind, worst first where one hides another.

use std::fmt;

use serde::Serialize;

use super::{Mesh, check_notes, check_surface, check_tets};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// A simulation runs, perhaps not as intended.
    Warning,
    /// A simulation cannot or must not start: elements without a shape, or counted twice.
    Error,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A coordinate is NaN or infinite.
    NonFiniteCoordinate,
    /// An element refers to a vertex that is not there.
    IndexOutOfRange,
    /// Products of coordinates overflow in `f32`.
    CoordinateTooLarge,
    /// An element names a vertex twice.
    RepeatedIndex,
    /// A triangle without area, or so little that it underflows.
    DegenerateTriangle,
    /// Two triangles over the same three vertices.
    DuplicateFace,
    /// Two vertices in the same place.
    DuplicateVertex,
    /// A vertex in no element.
    IsolatedVertex,
    /// An edge of three or more triangles.
    NonManifoldEdge,
    /// Fans of triangles that meet in a vertex only.
    NonManifoldVertex,
    /// Two neighbours that face opposite ways.
    InconsistentOrientation,
    /// A tetrahedron with negative volume, among positive ones.
    InvertedTet,
    /// Every tetrahedron has negative volume.
    AllTetsInverted,
    /// A tetrahedron without volume.
    FlatTet,
    /// A tetrahedron with very little volume for its edges.
    SliverTet,
    /// Two tetrahedra over the same four vertices.
    DuplicateTet,
    /// A face of three or more tetrahedra.
    FaceSharedByThreeTets,
    /// Triangles that share no vertex and touch or cross.
    SelfIntersection,
}

impl Kind {
    /// How bad it is.
    pub fn severity(self) -> Severity {
        match self {
            Kind::DuplicateVertex
            | Kind::IsolatedVertex
            | Kind::NonManifoldVertex
            | Kind::InconsistentOrientation
            | Kind::SliverTet
            | Kind::SelfIntersection => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// What it is and what to do about it.
    fn text(self) -> (&'static str, &'static str) {
        match self {
            Kind::NonFiniteCoordinate => ("a coordinate is not a finite number", "export the mesh again"),
            Kind::IndexOutOfRange => ("a corner is a vertex that is not there", "export the mesh again"),
            Kind::CoordinateTooLarge => {
                ("products of the coordinates overflow in f32", "scale the mesh: coordinates are metres")
            }
            Kind::RepeatedIndex => ("a vertex is named twice", "remove these elements"),
            Kind::DegenerateTriangle => ("the area is zero or underflows", "remove them or merge their vertices"),
            Kind::DuplicateFace => ("the same three vertices, twice", "remove the second of each pair"),
            Kind::DuplicateVertex => ("in the same place, not welded", "merge them, unless the seam is meant to open"),
            Kind::IsolatedVertex => {
                ("in no element, so without mass", "remove them, or ignore this if they are unused")
            }
            Kind::NonManifoldEdge => ("three or more triangles on one edge", "split the mesh there"),
            Kind::NonManifoldVertex => ("fans that meet in a vertex only", "split the vertex, unless a hinge is meant"),
            Kind::InconsistentOrientation => ("the two triangles face opposite ways", "make normals consistent"),
            Kind::InvertedTet => ("negative volume", "mesh the volume again, or swap two corners of each"),
            Kind::AllTetsInverted => (
                "negative volume in every one: another corner order",
                "swap two corners of each; scenes do that by themselves",
            ),
            Kind::FlatTet => ("no volume", "remove them or mesh the volume again"),
            Kind::SliverTet => ("very little volume for the edges", "expect slow solves, or mesh the volume again"),
            Kind::DuplicateTet => ("the same four vertices, twice", "remove the second of each pair"),
            Kind::FaceSharedByThreeTets => ("three or more tetrahedra on one face", "remove all but two"),
            Kind::SelfIntersection => (
                "touch or cross without sharing a vertex",
                "move them apart, unless they are meant to lie on each other",
            ),
        }
    }
}

/// What the indices of a finding count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    /// One vertex each.
    Vertex,
    /// Two vertices each.
    VertexPair,
    /// One triangle each.
    Triangle,
    /// Two triangles each.
    TrianglePair,
    /// The two vertices of an edge.
    Edge,
    /// The three vertices of a face.
    Face,
    /// One tetrahedron each.
    Tet,
    /// Two tetrahedra each.
    TetPair,
}

impl Of {
    fn text(self, count: usize) -> &'static str {
        let texts = match self {
            Of::Vertex => ["vertex", "vertices"],
            Of::VertexPair => ["pair of vertices", "pairs of vertices"],
            Of::Triangle => ["triangle", "triangles"],
            Of::TrianglePair => ["pair of triangles", "pairs of triangles"],
            Of::Edge => ["edge", "edges"],
            Of::Face => ["face", "faces"],
            Of::Tet => ["tetrahedron", "tetrahedra"],
            Of::TetPair => ["pair of tetrahedra", "pairs of tetrahedra"],
        };
        texts[usize::from(count != 1)]
    }
}

/// Something wrong, with where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What it is.
    pub kind: Kind,
    /// What it is, where, and what to do, for people.
    pub message: String,
    /// How many there are; of self-intersections at most 10,000 are counted.
    pub count: usize,
    /// There are more than were counted.
    pub capped: bool,
    /// What `at` counts, from 0.
    pub of: Of,
    /// The first few places.
    pub at: Vec<Vec<u32>>,
}

/// All findings about a mesh; without any it is good.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// At most one per kind and `of`.
    pub findings: Vec<Finding>,
    /// What is not wrong, but not good for everything, for people.
    pub notes: Vec<String>,
}

impl Report {
    /// Whether a simulation cannot or must not start.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// The kinds found, in order, each once.
    pub fn kinds(&self) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = self.findings.iter().map(|finding| finding.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// Records a kind of finding at some places; no places, no finding.
    pub(super) fn add<const N: usize>(&mut self, kind: Kind, of: Of, places: &[[u32; N]]) {
        self.add_first(kind, of, places, usize::MAX);
    }

    /// The same for places of which at most so many count; there may be one more, which shows that there are.
    pub(super) fn add_first<const N: usize>(&mut self, kind: Kind, of: Of, places: &[[u32; N]], most: usize) {
        const SHOWN: usize = 16;
        if places.is_empty() {
            return;
        }
        let at: Vec<Vec<u32>> = places.iter().take(SHOWN).map(|place| place.to_vec()).collect();
        let shown = at.iter().take(4).map(|place| match place.as_slice() {
            [one] => one.to_string(),
            more => format!("{more:?}"),
        });
        let shown: Vec<String> = shown.collect();
        let dots = if places.len() > shown.len() { ", ..." } else { "" };
        let (what, advice) = kind.text();
        let (count, capped) = (places.len().min(most), places.len() > most);
        let least = if capped { "at least " } else { "" };
        let message = format!("{least}{count} {} ({}{dots}): {what}; {advice}", of.text(count), shown.join(", "));
        self.findings.push(Finding { severity: kind.severity(), kind, message, count, capped, of, at });
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}", self.message)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut lines: Vec<String> = self.findings.iter().map(Finding::to_string).collect();
        if lines.is_empty() {
            lines.push("no problems found".to_string());
        }
        lines.extend(self.notes.iter().map(|note| format!("note: {note}")));
        write!(f, "{}", lines.join("\n"))
    }
}

/// Looks for everything in [`Kind`], and notes surfaces that are open or inside out. Where a defect makes later questions
/// meaningless (an index out of range, a coordinate that is no number) these are not asked.
pub fn check(mesh: &Mesh) -> Report {
    let mut report = Report::default();
    if !check_indices(mesh, &mut report) {
        return report;
    }
    let finite = check_coordinates(mesh, &mut report);
    check_vertices(mesh, &mut report);
    check_surface::check_topology(mesh, &mut report);
    check_tets::check_topology(mesh, &mut report);
    if finite {
        check_surface::check_shapes(mesh, &mut report);
        check_tets::check_shapes(mesh, &mut report);
        check_surface::check_self_intersections(mesh, &mut report);
        check_notes::note_surface(mesh, &mut report);
    }
    report
}

fn check_indices(mesh: &Mesh, report: &mut Report) -> bool {
    fn outside<const N: usize>(elements: &[[u32; N]], points: usize) -> Vec<[u32; 1]> {
        places(elements, |corners| corners.iter().any(|&corner| corner as usize >= points))
    }
    let triangles = outside(&mesh.triangles, mesh.points.len());
    let tets = outside(&mesh.tets, mesh.points.len());
    report.add(Kind::IndexOutOfRange, Of::Triangle, &triangles);
    report.add(Kind::IndexOutOfRange, Of::Tet, &tets);
    triangles.is_empty() && tets.is_empty()
}

/// The numbers of the elements for which `is_bad` holds.
pub(super) fn places<T>(elements: &[T], is_bad: impl Fn(&T) -> bool) -> Vec<[u32; 1]> {
    elements.iter().enumerate().filter(|(_, element)| is_bad(element)).map(|(i, _)| [i as u32]).collect()
}

/// The fourth root of the largest `f32`: squared areas are products of four coordinates.
const LARGEST_COORDINATE: f64 = 4.2e9;

fn check_coordinates(mesh: &Mesh, report: &mut Report) -> bool {
    let non_finite = places(&mesh.points, |point| point.iter().any(|c| !c.is_finite()));
    let large = places(&mesh.points, |point| point.iter().any(|c| c.is_finite() && c.abs() > LARGEST_COORDINATE));
    report.add(Kind::NonFiniteCoordinate, Of::Vertex, &non_finite);
    report.add(Kind::CoordinateTooLarge, Of::Vertex, &large);
    non_finite.is_empty()
}

fn check_vertices(mesh: &Mesh, report: &mut Report) {
    let mut used = vec![false; mesh.points.len()];
    for &corner in mesh.triangles.as_flattened().iter().chain(mesh.tets.as_flattened()) {
        used[corner as usize] = true;
    }
    // Adding zero turns −0 into +0: they are one place.
    let key = |i: u32| mesh.points[i as usize].map(|c| (c + 0.0).to_bits());
    let mut order: Vec<u32> = (0..mesh.points.len() as u32).filter(|&i| used[i as usize]).collect();
    order.sort_unstable_by_key(|&i| (key(i), i));
    let groups = order.chunk_by(|&a, &b| key(a) == key(b));
    let mut pairs: Vec<[u32; 2]> = groups.flat_map(|group| group[1..].iter().map(|&i| [group[0], i])).collect();
    pairs.sort_unstable();
    report.add(Kind::DuplicateVertex, Of::VertexPair, &pairs);
    report.add(Kind::IsolatedVertex, Of::Vertex, &places(&used, |used| !used));
}

//! What can be known about a scene without simulating it.

use super::at_start::{crossing, held_vertices, inverted_tets, odd_at_start};
use super::report::count_intersections;
use crate::device::DeviceChoice;
use crate::disk_cache::DiskCache;
use crate::math::Vec3;
use crate::mesh::{self, Finding, Mesh, Severity};
use crate::model::{Body, Model, State, Use, check_memory};
use crate::scene::{MeshSource, Scene};
use crate::solver::find_method_for;
use crate::step::SimulationError;

/// What a check of a scene found.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct SceneCheck {
    /// The scene's name.
    pub scene: String,
    /// No finding about its meshes is an error.
    pub valid: bool,
    /// The method that would solve it.
    pub method: String,
    /// Frames it asks for.
    pub frames: usize,
    /// Steps it asks for.
    pub steps: usize,
    /// Length of a step, s.
    pub step_seconds: f64,
    /// Vertices.
    pub vertices: usize,
    /// Held vertices.
    pub pins: usize,
    /// Colliders.
    pub colliders: usize,
    /// Mass of everything, kg.
    pub mass: f64,
    /// Elements by kind.
    pub elements: Vec<ElementCount>,
    /// Its bodies.
    pub bodies: Vec<BodyCheck>,
    /// Pairs of surface triangles that touch or cross at the start; at most 1000 are counted.
    pub intersections: usize,
    /// There are more than were counted.
    pub intersections_capped: bool,
    /// Tets with negative volume at the start.
    pub inverted: usize,
    /// Smallest signed distance of a vertex from a collider at the start, m; not finite without colliders.
    pub min_gap: f64,
    /// What is odd but not wrong.
    pub warnings: Vec<String>,
}

/// How many elements of one kind.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ElementCount {
    /// The kind.
    pub kind: String,
    /// How many.
    pub count: usize,
}

/// One body at rest.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct BodyCheck {
    /// Name in the scene.
    pub name: String,
    /// Vertices.
    pub vertices: usize,
    /// Triangles of its surface.
    pub triangles: usize,
    /// Tetrahedra.
    pub tets: usize,
    /// What is wrong with its mesh.
    pub findings: Vec<Finding>,
}

impl BodyCheck {
    /// Whether a run must not start; `pliant check` and `pliant run` both ask this.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}

/// Bodies from mesh files that have findings. Generated ones have none, and to look for any would delay large scenes.
pub(super) fn faulty_bodies(scene: &Scene, model: &Model) -> Vec<BodyCheck> {
    let sources = scene.cloth.iter().map(|cloth| &cloth.mesh).chain(scene.solid.iter().map(|solid| &solid.mesh));
    let from_files = model.bodies.iter().zip(sources).filter(|(_, source)| matches!(source, MeshSource::File(_)));
    let checks = from_files.map(|(body, _)| check_body(model, body));
    checks.filter(|check| !check.findings.is_empty()).collect()
}

/// Builds a scene, with a cache for what takes long, and looks at it at rest and at the start.
pub fn check_scene(scene: &Scene, cache: &DiskCache) -> Result<SceneCheck, SimulationError> {
    check_memory(scene, Use::Check)?;
    let (model, start) = Model::with_cache(scene, cache)?;
    // No device is opened here; of GPUs none has a direct solver.
    let choice = DeviceChoice::of(&scene.device.name).map_err(SimulationError::from)?;
    let direct = matches!(choice, DeviceChoice::Auto | DeviceChoice::Cpu);
    let method = find_method_for(&scene.solver.method, scene, &model, direct)?;
    method.check_device(&model, direct, "a GPU")?;
    method.check(&model)?;
    let bodies: Vec<BodyCheck> = model.bodies.iter().map(|body| check_body(&model, body)).collect();
    let surface: Vec<[u32; 3]> = model.surface().collect();
    let (intersections, intersections_capped) = count_intersections(&start.x, &surface);
    let inverted = model.bodies.iter().map(|body| inverted_tets(body, &start)).sum();
    let min_gap = min_gap(&model, &start);
    let mut warnings = model.warnings.clone();
    if intersections > 0 {
        warnings.push(crossing(intersections, intersections_capped));
    }
    warnings.extend(odd_at_start(scene, &model, &start));
    let element = |e: &crate::material::Elements<f64>| ElementCount { kind: e.name().to_string(), count: e.len() };
    Ok(SceneCheck {
        scene: scene.name.clone(),
        valid: !bodies.iter().any(BodyCheck::has_errors),
        method: method.name.to_string(),
        frames: scene.time.frames,
        steps: scene.time.frames * scene.time.steps_per_frame,
        step_seconds: scene.time.step_size(),
        vertices: model.vertices(),
        pins: held_vertices(&model),
        colliders: model.colliders.len(),
        mass: model.mass.iter().sum(),
        elements: model.elements.iter().map(element).collect(),
        bodies,
        intersections,
        intersections_capped,
        inverted,
        min_gap,
        warnings,
    })
}

fn check_body(model: &Model, body: &Body) -> BodyCheck {
    let points = model.rest_x[body.vertices.clone()].to_vec();
    // The surface of a solid is made from its tets: checking both would report everything twice.
    let triangles = if body.tets.is_empty() { body.triangles.clone() } else { Vec::new() };
    let mesh = Mesh { points, triangles, tets: body.tets.clone() };
    BodyCheck {
        name: body.name.clone(),
        vertices: body.vertices.len(),
        triangles: body.triangles.len(),
        tets: body.tets.len(),
        findings: mesh::check(&mesh).findings,
    }
}

fn min_gap(model: &Model, start: &State) -> f64 {
    let colliders: Vec<_> = model.colliders.iter().map(|collider| collider.at::<f64>(0.0)).collect();
    let gap = |x: &[f64; 3]| colliders.iter().map(|c| c.distance(Vec3::of(*x)).0).fold(f64::INFINITY, f64::min);
    start.x.iter().map(gap).fold(f64::INFINITY, f64::min)
}

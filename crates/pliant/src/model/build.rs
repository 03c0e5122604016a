//! Scene → Model and its first State.

mod solids;

use super::select::{Candidates, bounds, select};
use super::{Body, Drag, Model, ModelError, Path as DragPath, Pin, State};
use crate::contact::{Collider, GridShape, rotation_from_degrees};
use crate::disk_cache::DiskCache;
use crate::material::elastic_constants::warp_weft_shear;
use crate::material::{
    ArapTet, ArapTriangle, BaraffWitkinTriangle, Batch, CorotatedTet, CorotatedTriangle, CurvedBending,
    DihedralBending, Elements, FungTet, LameParameters, MaterialError, MooneyRivlinTet, NeoHookeanTet,
    QuadraticBending, SplineTet, Spring, StableNeoHookeanTet, StrainLimitTet, StrainLimitTriangle, StvkTet,
    StvkTriangle, VolumeLimitTet,
};
use crate::math::{Mat3, SplitMix, Vec3};
use crate::mesh::{self, Mesh, generate, topology, turned_over};
use crate::scene::{
    self, BendModel, Cloth, Force, MembraneModel, MeshSource, PLAUSIBLE_LENGTHS, Placement, Scene, StretchModel,
};
use std::path::Path;
use std::sync::Arc;

/// A share of a collider's surface that may be lost between the points of its grid without a warning: tips and edges.
const LOST: f64 = 0.01;

/// Collects bodies and elements, then freezes them.
#[derive(Default)]
pub struct ModelBuilder {
    model: Model,
    state: State,
    /// Positions in each body's own frame, for pins at grid corners.
    own: Vec<[f64; 3]>,
    springs: Batch<Spring<f64>, 2>,
    quadratic_bending: Batch<QuadraticBending<f64>, 4>,
    curved_bending: Batch<CurvedBending<f64>, 4>,
    dihedral_bending: Batch<DihedralBending<f64>, 4>,
    arap_triangles: Batch<ArapTriangle<f64>, 3>,
    corotated_triangles: Batch<CorotatedTriangle<f64>, 3>,
    stvk_triangles: Batch<StvkTriangle<f64>, 3>,
    baraff_witkin_triangles: Batch<BaraffWitkinTriangle<f64>, 3>,
    triangle_strain_limits: Batch<StrainLimitTriangle<f64>, 3>,
    arap_tets: Batch<ArapTet<f64>, 4>,
    corotated_tets: Batch<CorotatedTet<f64>, 4>,
    stvk_tets: Batch<StvkTet<f64>, 4>,
    neo_hookean_tets: Batch<NeoHookeanTet<f64>, 4>,
    mooney_rivlin_tets: Batch<MooneyRivlinTet<f64>, 4>,
    fung_tets: Batch<FungTet<f64>, 4>,
    stable_neo_hookean_tets: Batch<StableNeoHookeanTet<f64>, 4>,
    spline_tets: Batch<SplineTet<f64>, 4>,
    tet_strain_limits: Batch<StrainLimitTet<f64>, 4>,
    volume_limits: Batch<VolumeLimitTet<f64>, 4>,
}

impl Model {
    /// Builds everything a scene describes.
    pub fn new(scene: &Scene) -> Result<(Model, State), ModelError> {
        Self::with_cache(scene, &DiskCache::default())
    }

    /// As [`Model::new`], with a cache for what takes long: distance grids of colliders.
    pub fn with_cache(scene: &Scene, cache: &DiskCache) -> Result<(Model, State), ModelError> {
        let mut builder = ModelBuilder::new(&scene.name);
        for cloth in &scene.cloth {
            builder.add_cloth(cloth, &scene.folder, scene.seed)?;
        }
        for solid in &scene.solid {
            builder.add_solid(solid, &scene.folder, scene.seed)?;
        }
        builder.add_pins(scene)?;
        builder.add_drags(scene);
        builder.add_colliders(scene, cache)?;
        let model = &mut builder.model;
        model.quasistatic = scene.time.quasistatic;
        model.acceleration = scene.gravity;
        model.contact_stiffness = scene.solver.contact_stiffness;
        model.self_friction = scene.contact.self_collision.then_some(scene.contact.friction);
        for force in &scene.force {
            match *force {
                Force::Acceleration(a) => (0..3).for_each(|k| model.acceleration[k] += a[k]),
                Force::Wind { velocity, drag } => model.winds.push((velocity, drag)),
                Force::Damping(rate) => model.damping += rate,
                // What is in equilibrium has no velocity to be damped.
                Force::Rayleigh { .. } if model.quasistatic => {}
                Force::Rayleigh { rate, retardation } => {
                    model.rayleigh.rate += rate;
                    model.rayleigh.retardation += retardation;
                }
            }
        }
        if model.vertices() == 0 {
            return Err(ModelError::NoBody);
        }
        let (model, state) = builder.finish();
        model.check_rest()?;
        Ok((model, state))
    }
}

/// A body's mesh, at rest in its own frame and placed in the world.
struct Placed {
    name: String,
    mesh: Mesh,
    rest: Vec<Vec3<f64>>,
    first: u32,
}

impl Placed {
    fn corners<const N: usize>(&self, stencil: &[u32; N]) -> [Vec3<f64>; N] {
        stencil.map(|i| self.rest[i as usize])
    }

    /// Adds an element per stencil; the constructor gets rest positions.
    fn fill<E, const N: usize>(
        &self,
        what: &'static str,
        stencils: &[[u32; N]],
        batch: &mut Batch<E, N>,
        make: impl Fn([Vec3<f64>; N]) -> Result<E, MaterialError>,
    ) -> Result<(), ModelError> {
        for (index, stencil) in stencils.iter().enumerate() {
            let element = make(self.corners(stencil)).map_err(|source| ModelError::Element {
                body: self.name.clone(),
                what,
                index,
                vertices: stencil.to_vec(),
                source: source.into(),
            })?;
            batch.push(stencil.map(|i| i + self.first), element);
        }
        Ok(())
    }
}

impl ModelBuilder {
    /// An empty model.
    pub fn new(name: &str) -> Self {
        let model = Model { name: name.to_string(), contact_stiffness: 1.0, ..Model::default() };
        Self { model, ..Self::default() }
    }

    /// Adds bare vertices as a body of their own; returns the index of the first. Masses in kg, positions in m; a vertex
    /// without a mass stays where it is.
    pub fn add_points(&mut self, name: &str, x: &[[f64; 3]], mass: &[f64]) -> u32 {
        let first = self.model.vertices();
        self.model.rest_x.extend_from_slice(x);
        self.model.mass.extend(mass.iter().take(x.len()));
        self.model.mass.resize(first + x.len(), 0.0);
        self.model.thickness.resize(first + x.len(), 0.0);
        self.state.x.extend_from_slice(x);
        self.state.v.resize(first + x.len(), [0.0; 3]);
        self.own.extend_from_slice(x);
        let vertices = first..first + x.len();
        self.model.bodies.push(Body { name: name.to_string(), vertices, triangles: Vec::new(), tets: Vec::new() });
        first as u32
    }

    /// Adds a spring between two vertices at their rest distance, N/m.
    pub fn add_spring(&mut self, [a, b]: [u32; 2], stiffness: f64) -> Result<(), MaterialError> {
        // In ascending order: devices look at indices to tell the ends of a collapsed spring apart.
        let ends = [a.min(b), a.max(b)];
        let vertices = self.model.vertices();
        if let Some(&found) = ends.iter().find(|i| **i as usize >= vertices) {
            return Err(MaterialError::NoSuchVertex { element: "spring", found, vertices });
        }
        let rest = ends.map(|i| Vec3::of(self.model.rest_x[i as usize]));
        self.springs.push(ends, Spring::new(rest, stiffness)?);
        self.model.edges.push(ends);
        Ok(())
    }

    /// The model under construction, for what has no method here: pins, gravity, colliders.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Freezes the model; batches without elements are left out.
    pub fn finish(mut self) -> (Model, State) {
        self.model.pins.sort_by_key(|pin| pin.vertex);
        let batches: [Elements<f64>; 19] = [
            self.springs.into(),
            self.quadratic_bending.into(),
            self.curved_bending.into(),
            self.dihedral_bending.into(),
            self.arap_triangles.into(),
            self.corotated_triangles.into(),
            self.stvk_triangles.into(),
            self.baraff_witkin_triangles.into(),
            self.triangle_strain_limits.into(),
            self.arap_tets.into(),
            self.corotated_tets.into(),
            self.stvk_tets.into(),
            self.neo_hookean_tets.into(),
            self.mooney_rivlin_tets.into(),
            self.fung_tets.into(),
            self.stable_neo_hookean_tets.into(),
            self.spline_tets.into(),
            self.tet_strain_limits.into(),
            self.volume_limits.into(),
        ];
        self.model.elements.extend(batches.into_iter().filter(|batch| !batch.is_empty()));
        (self.model, self.state)
    }

    fn add_colliders(&mut self, scene: &Scene, cache: &DiskCache) -> Result<(), ModelError> {
        for described in &scene.collider {
            let collider = Collider::new(described, &scene.folder, cache)
                .map_err(|source| ModelError::Collider { collider: described.name.clone(), source: source.into() })?;
            let turned = turned_over(collider.solid().map_or(0, GridShape::turned_tets));
            self.model.warnings.extend(turned.map(|told| format!("collider '{}': {told}", described.name)));
            let lost = collider.solid().map_or(0.0, GridShape::lost);
            if lost > LOST {
                self.model.warnings.push(format!(
                    "{:.0} % of the surface of the collider '{}' is thinner than the cells of its distance grid, and nothing \
                     touches it there: raise its `cells`",
                    100.0 * lost,
                    described.name
                ));
            }
            self.model.colliders.push(collider);
        }
        Ok(())
    }

    fn add_cloth(&mut self, cloth: &Cloth, folder: &Path, seed: u64) -> Result<(), ModelError> {
        let mesh = load(&cloth.name, &cloth.mesh, cloth.placement.scale, folder)?;
        if mesh.triangles.is_empty() {
            let hint = "a cloth needs a triangle mesh (a tet mesh belongs to a [[solid]])";
            return Err(ModelError::Empty { body: cloth.name.clone(), expected: "triangles", hint });
        }
        let mesh = Mesh { tets: Vec::new(), ..mesh };
        let areas = topology::vertex_areas(&mesh.points, &mesh.triangles);
        let scale_sq = cloth.placement.scale * cloth.placement.scale;
        let mass: Vec<f64> = areas.iter().map(|area| area * scale_sq * cloth.density).collect();
        if mass.iter().all(|mass| *mass == 0.0) {
            let reason = "no triangle has an area, so it has no mass; `pliant mesh check FILE` shows where".to_string();
            return Err(ModelError::Shape { body: cloth.name.clone(), reason });
        }
        let placed = self.place(&cloth.name, mesh, &cloth.placement, &mass, cloth.thickness, seed);
        let vertices = placed.rest.len();
        let edges = topology::edges(&placed.mesh);
        self.model.edges.extend(edges.iter().map(|e| e.map(|i| i + placed.first)));
        self.add_stretch(cloth, &placed, &edges)?;
        let hinges = topology::hinges(vertices, &placed.mesh.triangles);
        match cloth.bend {
            BendModel::None => {}
            BendModel::Quadratic { stiffness } if hinges.iter().any(|hinge| is_bent(placed.corners(hinge))) => {
                placed.fill("hinge", &hinges, &mut self.curved_bending, |rest| CurvedBending::new(rest, stiffness))?;
            }
            BendModel::Quadratic { stiffness } => {
                placed.fill("hinge", &hinges, &mut self.quadratic_bending, |rest| {
                    QuadraticBending::new(rest, stiffness)
                })?;
            }
            BendModel::Dihedral { stiffness } => {
                placed
                    .fill("hinge", &hinges, &mut self.dihedral_bending, |rest| DihedralBending::new(rest, stiffness))?;
            }
        }
        Ok(())
    }

    fn add_stretch(&mut self, cloth: &Cloth, placed: &Placed, edges: &[[u32; 2]]) -> Result<(), ModelError> {
        let triangles = &placed.mesh.triangles;
        let stiffness = match cloth.stretch {
            StretchModel::Springs { stiffness } => {
                placed.fill("edge", edges, &mut self.springs, |rest| Spring::new(rest, stiffness))?;
                stiffness
            }
            StretchModel::Membrane { youngs_modulus, poisson_ratio, model } => {
                let constants = LameParameters::membrane(youngs_modulus, poisson_ratio);
                match model {
                    MembraneModel::AsRigidAsPossible => {
                        placed.fill("triangle", triangles, &mut self.arap_triangles, |rest| {
                            ArapTriangle::new(rest, constants.clone()?.mu)
                        })?
                    }
                    MembraneModel::Corotated => {
                        placed.fill("triangle", triangles, &mut self.corotated_triangles, |rest| {
                            CorotatedTriangle::new(rest, constants.clone()?)
                        })?
                    }
                    MembraneModel::StVenantKirchhoff => {
                        placed.fill("triangle", triangles, &mut self.stvk_triangles, |rest| {
                            StvkTriangle::new(rest, constants.clone()?)
                        })?
                    }
                    MembraneModel::BaraffWitkin => {
                        placed.fill("triangle", triangles, &mut self.baraff_witkin_triangles, |rest| {
                            let stiffness = warp_weft_shear(youngs_modulus, poisson_ratio)?;
                            BaraffWitkinTriangle::new(rest, Vec3::axis(0), stiffness)
                        })?
                    }
                }
                youngs_modulus
            }
        };
        if let Some([low, high]) = cloth.strain_limit {
            placed.fill("triangle", triangles, &mut self.triangle_strain_limits, |rest| {
                StrainLimitTriangle::new(rest, LIMIT_STIFFNESS * stiffness, [low, high])
            })?;
        }
        Ok(())
    }

    /// Scales the rest shape, then puts the body into the world.
    fn place(
        &mut self,
        name: &str,
        mesh: Mesh,
        placement: &Placement,
        mass: &[f64],
        thickness: f64,
        seed: u64,
    ) -> Placed {
        let rest: Vec<[f64; 3]> = mesh.points.iter().map(|p| p.map(|c| c * placement.scale)).collect();
        let first = self.add_points(name, &rest, mass);
        let vertices = first as usize..first as usize + rest.len();
        self.model.thickness[vertices.clone()].fill(thickness);
        let unused = mass.iter().filter(|mass| **mass == 0.0).count();
        if unused > 0 {
            let warning = if unused == 1 {
                "1 vertex has no mass, because it belongs to no element of any size; it stays where it is".to_string()
            } else {
                format!(
                    "{unused} vertices have no mass, because they belong to no element of any size; they stay where they \
                     are"
                )
            };
            let warning = format!("body '{name}': {warning}");
            self.model.warnings.push(warning);
        }
        if let Some(body) = self.model.bodies.last_mut() {
            (body.triangles, body.tets) = (mesh.triangles.clone(), mesh.tets.clone());
        }
        let rotation: Mat3<f64> = rotation_from_degrees(placement.rotation);
        let mut random = SplitMix(seed ^ (u64::from(first) << 32));
        let (low, high) = bounds(&rest);
        for i in vertices {
            let mut x = Vec3::of(self.model.rest_x[i]);
            if placement.scramble {
                x = Vec3::of(std::array::from_fn(|k| low[k] + (high[k] - low[k]) * random.unit()));
            }
            if placement.flatten {
                x.y = low[1];
            }
            if placement.jitter > 0.0 {
                x += Vec3::of(std::array::from_fn(|_| placement.jitter * random.signed()));
            }
            self.state.x[i] = (rotation * x + Vec3::of(placement.position)).f64();
            self.state.v[i] = placement.velocity;
        }
        let rest = rest.into_iter().map(Vec3::of).collect();
        Placed { name: name.to_string(), mesh, rest, first }
    }

    fn add_pins(&mut self, scene: &Scene) -> Result<(), ModelError> {
        let mut faults = Vec::new();
        for (index, pin) in scene.pin.iter().enumerate() {
            match self.held_by(pin) {
                Ok(vertices) => {
                    let pins = vertices.into_iter().map(|v| Pin::of(pin, v, self.state.x[v as usize]));
                    self.model.pins.extend(pins);
                }
                Err(fault) => faults.push((index, fault)),
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(ModelError::Pins(faults)) }
    }

    fn add_drags(&mut self, scene: &Scene) {
        for drag in &scene.drag {
            let body = self.model.bodies.iter().find(|body| body.name == drag.body);
            let vertices = body.map_or(0..self.model.vertices(), |body| body.vertices.clone());
            let path = Arc::new(DragPath::new(drag.path.clone()));
            self.model.drags.push(Drag { vertices, path, radius: drag.radius, stiffness: drag.stiffness });
        }
    }

    /// Vertices that a pin holds, or what is wrong with it.
    fn held_by(&self, pin: &scene::Pin) -> Result<Vec<u32>, String> {
        let body = self.model.bodies.iter().find(|body| pin.body.is_empty() || body.name == pin.body);
        let range = body.ok_or_else(|| format!("there is no body named '{}'", pin.body))?.vertices.clone();
        let candidates = Candidates { x: &self.state.x[range.clone()], own: &self.own[range.clone()] };
        let picked = select(&pin.select, &candidates)?;
        Ok(picked.into_iter().map(|i| range.start as u32 + i).collect())
    }
}

/// Limits are this many times stiffer than the material they guard: stiff enough to hold, not so stiff as to dominate
/// the matrix.
const LIMIT_STIFFNESS: f64 = 10.0;

/// Whether a hinge is bent at rest: its normals differ by more than rounding of a flat sheet.
fn is_bent([a, b, p, q]: [Vec3<f64>; 4]) -> bool {
    let normal = |u: Vec3<f64>, v: Vec3<f64>| u.cross(v).unit_or(Vec3::ZERO);
    normal(b - a, p - a).cross(normal(q - a, b - a)).length() > 1e-6
}

/// Reads or generates a mesh; `scale` is what its points will be multiplied by.
fn load(body: &str, source: &MeshSource, scale: f64, folder: &Path) -> Result<Mesh, ModelError> {
    let mesh = if let MeshSource::File(path) = source {
        mesh::read(&folder.join(path))
            .map_err(|source| ModelError::Mesh { body: body.to_string(), source: source.into() })?
    } else {
        let generated = generate::from_source(source);
        generated
            .map(Option::unwrap_or_default)
            .map_err(|error| ModelError::Shape { body: body.to_string(), reason: error.to_string() })?
    };
    match implausible(&mesh.points, scale) {
        Some(reason) => Err(ModelError::Shape { body: body.to_string(), reason }),
        None => Ok(mesh),
    }
}

/// What is wrong with the size of a body or its distance from the origin, if nobody can mean it.
fn implausible(points: &[[f64; 3]], scale: f64) -> Option<String> {
    let [least, most] = PLAUSIBLE_LENGTHS;
    let (low, high) = bounds(points);
    let size = scale * (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let reach = scale * low.iter().chain(&high).fold(0.0, |reach: f64, c| reach.max(c.abs()));
    let advice = format!("it must be from {least:e} to {most:e} m; is the unit of the mesh right? `scale` changes it");
    if !(least..=most).contains(&size) {
        Some(format!("its size is {size:.3e} m, which is not plausible: {advice}"))
    } else if reach > most {
        Some(format!("it lies {reach:.3e} m from its origin, farther than {most:e} m: move it nearer"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cloth_without_area_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("line.obj"), "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n").unwrap();
        let text = "pliant = 1\n[[cloth]]\nmesh = 'line.obj'\n";
        let scene = Scene::parse(text, "line", folder.path(), &[]).unwrap();
        let error = Model::new(&scene).unwrap_err().to_string();
        assert!(error.contains("no triangle has an area"), "{error}");
    }

    #[test]
    fn every_pin_that_holds_nothing_is_named() {
        let text = "pliant = 1\n[[cloth]]\nresolution = 3\n[[pin]]\ninside = [[5, 5, 5], [9, 9, 9]]\n\
                    [[pin]]\ncorners = ['-x-z']\n[[pin]]\ninside = [[1, 1, 1], [2, 2, 2]]\n";
        let scene = Scene::parse(text, "pins", ".".as_ref(), &[]).unwrap();
        let error = Model::new(&scene).unwrap_err().to_string();
        let lines: Vec<&str> = error.lines().collect();
        assert_eq!(lines.len(), 2, "{error}");
        assert!(lines[0].starts_with("pin 0: selects no vertex") && lines[1].starts_with("pin 2: selects"), "{error}");
    }

    #[test]
    fn a_mesh_with_a_fault_leads_to_the_check_of_meshes_and_a_surface_to_all_formats_of_tets() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.obj"), "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 4\n").unwrap();
        let told = |body: &str| {
            let text = format!("pliant = 1\n[[{body}]]\nmesh = 'a.obj'\n");
            let scene = Scene::parse(&text, "a", folder.path(), &[]).unwrap();
            Model::new(&scene).unwrap_err().to_string()
        };
        assert!(told("cloth").contains("`pliant mesh check FILE`"), "{}", told("cloth"));
        assert!(told("solid").contains(".vtu"), "{}", told("solid"));
    }

    #[test]
    fn a_spring_to_a_vertex_that_is_not_there_and_a_missing_mass_are_no_panic() {
        let mut builder = ModelBuilder::new("two");
        builder.add_points("two", &[[0.0; 3], [1.0, 0.0, 0.0]], &[1.0]);
        let error = builder.add_spring([1, 2], 10.0).unwrap_err().to_string();
        assert!(error.contains("vertex 2 does not exist"), "{error}");
        assert!(builder.add_spring([0, 1], 10.0).is_ok());
        assert_eq!(builder.finish().0.mass, [1.0, 0.0]);
    }

    #[test]
    fn a_mesh_file_of_absurd_size_or_place_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let told = |a: &str, b: &str, scale: &str| {
            let text = format!("v {a} 0 0\nv {b} 0 0\nv {b} 0.01 0\nf 1 2 3\n");
            std::fs::write(folder.path().join("a.obj"), text).unwrap();
            let text = format!("pliant = 1\n[[cloth]]\nmesh = 'a.obj'\nscale = {scale}\n");
            let scene = Scene::parse(&text, "huge", folder.path(), &[]).unwrap();
            Model::new(&scene).err().map(|error| error.to_string())
        };
        assert!(told("0", "1e30", "1").unwrap().contains("its size is 1.000e30 m"));
        assert!(told("0", "1", "1e-9").is_none());
        assert!(told("0", "0.1", "1e-9").unwrap().contains("scale"));
        assert!(told("1e8", "1.00001e8", "1").unwrap().contains("move it nearer"));
        assert!(told("1e8", "1.00001e8", "1e-3").is_none());
    }
}

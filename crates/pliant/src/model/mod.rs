//! A scene made ready to simulate: a frozen [`Model`] and a [`State`] that changes.
//!
//! [`Model`] knows rest shapes, masses, elements, pins and colliders. [`System`] adds what depends on the step size:
//! the constant matrix of projective dynamics. [`Potential`] is the one objective every solver minimises.

mod build;
mod conversion;
mod drag;
mod error;
mod hands;
mod measure;
mod memory;
mod parts;
mod pin;
mod potential;
mod select;
mod system;
mod unwinding;
mod viscous;

pub use build::ModelBuilder;
pub use conversion::{Conversion, UNDONE};
pub use drag::{Drag, Path, Pinched};
pub use error::ModelError;
pub use hands::{Hands, Held};
pub use memory::{Use, check_memory};
pub use parts::{Links, connected_parts, free_parts, part_of_each};
pub use pin::Pin;
pub use potential::{Curvature, Potential};
pub use system::{STILL, System};
pub use unwinding::Unwinding;
pub use viscous::Viscous;

use crate::contact::Collider;
use crate::contact::close::{CloseSurface, SurfaceParts};
use crate::material::Elements;
use crate::math::Fnv;
use std::ops::Range;

/// Everything about a scene that does not change while it is simulated. SI units, `f64`.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Name for reports.
    pub name: String,
    /// Rest positions, m.
    pub rest_x: Vec<[f64; 3]>,
    /// Lumped masses, kg.
    pub mass: Vec<f64>,
    /// Distance each vertex keeps from colliders, m.
    pub thickness: Vec<f64>,
    /// All elements, one batch per kind.
    pub elements: Vec<Elements<f64>>,
    /// Bodies, in the order of their vertices. What is of no body feels no friction.
    pub bodies: Vec<Body>,
    /// Edges whose stretch is reported, over all vertices.
    pub edges: Vec<[u32; 2]>,
    /// Held vertices, sorted by vertex.
    pub pins: Vec<Pin>,
    /// Hands that will pinch bodies.
    pub drags: Vec<Drag>,
    /// What bodies bounce off.
    pub colliders: Vec<Collider>,
    /// Acceleration of every vertex by gravity and uniform forces, m/s².
    pub acceleration: [f64; 3],
    /// Winds, as air velocity, m/s, and drag, N·s/m³.
    pub winds: Vec<([f64; 3], f64)>,
    /// Rate at which velocity decays, 1/s.
    pub damping: f64,
    /// Nothing has inertia.
    pub quasistatic: bool,
    /// Damping that is part of E.
    pub rayleigh: Rayleigh,
    /// Coulomb friction of bodies with each other and themselves; `None`: they do not feel each other.
    pub self_friction: Option<f64>,
    /// Stiffness of contact as a multiple of each vertex's own diagonal.
    pub contact_stiffness: f64,
    /// What was odd but not wrong, for people.
    pub warnings: Vec<String>,
}

/// D = a M + b K.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rayleigh {
    /// a, 1/s.
    pub rate: f64,
    /// b, s.
    pub retardation: f64,
}

impl Rayleigh {
    /// There is none.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// A connected part of a model with a name: one cloth or one solid of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name in the scene.
    pub name: String,
    /// Its vertices.
    pub vertices: Range<usize>,
    /// Its surface, counted from its own first vertex.
    pub triangles: Vec<[u32; 3]>,
    /// Its tetrahedra, counted from its own first vertex.
    pub tets: Vec<[u32; 4]>,
}

/// What changes: positions and velocities at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Positions, m.
    pub x: Vec<[f64; 3]>,
    /// Velocities, m/s.
    pub v: Vec<[f64; 3]>,
    /// Simulated time, s.
    pub time: f64,
    /// Steps done.
    pub step: u64,
    /// What drags have pinched so far, and may have let go since.
    pub pinched: Vec<Pinched>,
    /// Velocities one step before, m/s; empty where no method asked for them.
    pub v_before: Vec<[f64; 3]>,
    /// How far elements are converted because they are crushed; see [`Conversion::shares`].
    pub converted: Vec<f64>,
    /// For how long something has been wound up; see [`Unwinding::wound`].
    pub wound: u32,
    /// α that the last solve of a descent method ended with; 0 where there is none.
    pub step_length: f64,
}

impl State {
    /// A hash of every bit of positions and velocities (FNV-1a): equal states, equal hashes.
    pub fn hash(&self) -> u64 {
        let bytes = self.x.iter().chain(&self.v).flatten().flat_map(|c| c.to_bits().to_le_bytes());
        Fnv::of(bytes)
    }

    /// Every number is finite.
    pub fn is_finite(&self) -> bool {
        self.x.iter().chain(&self.v).flatten().all(|c| c.is_finite())
    }
}

impl Model {
    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.rest_x.len()
    }

    /// Number of elements of all kinds.
    pub fn element_count(&self) -> usize {
        self.elements.iter().map(Elements::len).sum()
    }

    /// Whether every body is a solid.
    pub fn is_of_solids(&self) -> bool {
        self.bodies.iter().all(|body| !body.tets.is_empty())
    }

    /// Whether anything may touch something: a collider, another body or itself.
    pub fn has_contacts(&self) -> bool {
        !self.colliders.is_empty() || self.self_friction.is_some()
    }

    /// Surface triangles of all bodies, over all vertices.
    pub fn surface(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.bodies.iter().flat_map(|body| body.triangles.iter().map(|t| t.map(|i| i + body.vertices.start as u32)))
    }

    /// The surfaces of all bodies, as what may touch each other, each vertex with its thickness.
    pub fn close_surface(&self) -> CloseSurface {
        let (mut body, mut solid) = (vec![0; self.vertices()], vec![false; self.vertices()]);
        for (number, each) in (0..).zip(&self.bodies) {
            body[each.vertices.clone()].fill(number);
            solid[each.vertices.clone()].fill(!each.tets.is_empty());
        }
        let triangles: Vec<[u32; 3]> = self.surface().collect();
        let parts =
            SurfaceParts { rest_x: &self.rest_x, thickness: &self.thickness, body: &body, triangles: &triangles };
        CloseSurface::new(&parts).with_solids(solid)
    }
}

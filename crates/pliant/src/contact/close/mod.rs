//! What of bodies is close to other parts of bodies, or of the same body: the contacts of a step.
//!
//! Once per step, [`CloseContacts::find`] looks for vertices near triangles and for edges near edges and freezes each pair as a
//! [`Contact`]: four vertices, weights, a normal and a gap to keep. [`Touch`] is the energy of one.
//!
//! **What is found.** A pair whose distance d at the start of the step is less than
//!
//! ```text
//!  gap + min(reach, how far its faster vertex of either side would go, both added)
//! ```
//!
//! so two triangles that are not connected cannot touch without being found, if no vertex goes farther than its target and all
//! is within `reach`. Beyond it fast things may pass each other, and so may what the solve moves farther than the target, or
//! past the end of a frozen contact onto the next triangle: this is no guarantee against penetration. In solids, what has got
//! below a surface is found down to `deepest`, a quarter of a mean edge.
//!
//! **What is not.** Pairs that share a vertex. Pairs of one body that are closer than their gap in the rest shape, or a fine
//! mesh of thick cloth would push itself apart for ever. Of a connected surface, what is not nearest to a vertex round about: a
//! triangle that is closest at its border counts only if the surface beyond comes no nearer, and if several have that edge or
//! corner, one of them for all; else what lies flat on a cloth would be pushed sideways by all triangles around. A border that
//! is far off the way the surface round the vertex faces (`facing.rs`). Pairs of edges that are closest at an end, because a
//! vertex there is as close to a triangle.
//!
//! **Which side.** The normal points to where the pair was at the start of the step, so that it cannot pass in the step. A pair
//! that was found in the step before, too, and whose direction has turned by more than 90° since (120° at a hem, which one can
//! go round), has passed: it keeps the side of the step before and is pushed back. Of a pair that is first seen when it has
//! passed, solids know the side, because their surfaces have an outside: the nearer way out along it counts. Of cloth nobody
//! knows.
//!
//! **How.** Boxes of triangles and of edges lie in hashed cells (`grid.rs`). Each vertex and each edge looks for itself and
//! keeps the nearest few, in an order that depends on nothing but positions. A shader can do the same: arrays of fixed size,
//! no recursion, no lists that grow.

mod facing;
mod find;
mod grid;
mod kept;
mod normal;
mod pairs;
mod surface;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_motion;
mod touch;

pub use find::{CloseContacts, CloseReport};
pub use kept::{Side, Since};
pub use surface::{CloseLimits, CloseSurface, SurfaceParts, SurfaceVertex};
pub use touch::{Felt, Touch};

use crate::math::{Real, Vec3};

/// Twin of [`Touch`] in WGSL; it follows [`crate::contact::WGSL`].
pub const TOUCH_WGSL: &str = include_str!("touch.wgsl");

/// Twins of the search in WGSL: what it is told about boxes, which pairs count, and what becomes of those that are kept. They
/// follow [`crate::math::WGSL`] and [`crate::math::CLOSEST_WGSL`]; `pairs.wgsl` and `turned.wgsl` say what the module must have.
pub const PAIRS_WGSL: &str =
    concat!(include_str!("facing.wgsl"), include_str!("pairs.wgsl"), include_str!("grid.wgsl"));

/// The second half of these twins, which follows [`PAIRS_WGSL`].
pub const TURNED_WGSL: &str = concat!(include_str!("normal.wgsl"), include_str!("turned.wgsl"));

/// Two parts of surfaces that are close in a step. n · Σ weight · x is their signed distance, m, as long as it is small.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact<R> {
    /// Vertices: the vertex and the triangle's corners, or the ends of both edges.
    pub stencil: [u32; 4],
    /// Of these vertices. The first side's add up to 1, the second's to −1.
    pub weight: [R; 4],
    /// From the second side to the first, of length one.
    pub normal: Vec3<R>,
    /// Distance to keep, m.
    pub gap: R,
    /// Which sides.
    pub kind: ContactKind,
}

/// What is close to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum ContactKind {
    /// One vertex, and three corners of a triangle.
    #[default]
    VertexTriangle,
    /// Two ends of an edge, and two of another.
    EdgeEdge,
}

impl<R: Real> Contact<R> {
    /// How many vertices of the stencil are the first side.
    pub fn first_side(&self) -> usize {
        match self.kind {
            ContactKind::VertexTriangle => 1,
            ContactKind::EdgeEdge => 2,
        }
    }

    /// Signed distance at `x` along the normal, less the gap, m: negative where the contact pushes.
    #[inline(always)]
    pub fn clearance(&self, x: &[[R; 4]]) -> R {
        let apart = (0..4).fold(Vec3::ZERO, |sum, k| sum + Vec3::load(x[self.stencil[k] as usize]) * self.weight[k]);
        self.normal.dot(apart) - self.gap
    }
}

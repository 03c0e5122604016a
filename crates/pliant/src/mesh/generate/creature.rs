//! A creature on two legs with arms, ears and a tail: the union of tapered limbs, filled with a lattice of cells.
//!
//! It has about the size and pose of the Stanford armadillo, which not everybody has, so that the same pins fit: 1 m high,
//! hands up at x = ±0.37 m, y = 0.82 m.

use super::GenerateError;
use super::filled::{Form, V};
use crate::mesh::Mesh;

/// A ball that moves from one place to another while its radius goes from one to another, m.
struct Limb {
    ends: [[f64; 3]; 2],
    radii: [f64; 2],
    /// There is another one at −x.
    paired: bool,
}

const fn limb(ends: [[f64; 3]; 2], radii: [f64; 2], paired: bool) -> Limb {
    Limb { ends, radii, paired }
}

const LIMBS: [Limb; 13] = [
    limb([[0.0, 0.42, 0.02], [0.0, 0.66, 0.0]], [0.185, 0.16], false), // trunk
    limb([[0.0, 0.7, -0.02], [0.0, 0.83, -0.12]], [0.11, 0.105], false), // neck and head
    limb([[0.0, 0.82, -0.14], [0.0, 0.77, -0.27]], [0.09, 0.05], false), // snout
    limb([[0.07, 0.88, -0.12], [0.13, 0.965, -0.15]], [0.05, 0.035], true), // ear
    limb([[0.12, 0.68, 0.0], [0.31, 0.64, 0.0]], [0.085, 0.06], true), // upper arm
    limb([[0.31, 0.64, 0.0], [0.36, 0.77, -0.17]], [0.06, 0.05], true), // forearm
    limb([[0.36, 0.77, -0.17], [0.375, 0.84, -0.23]], [0.055, 0.045], true), // hand
    limb([[0.1, 0.36, 0.02], [0.2, 0.22, -0.06]], [0.12, 0.09], true), // thigh
    limb([[0.2, 0.22, -0.06], [0.21, 0.06, 0.02]], [0.085, 0.06], true), // shin
    limb([[0.21, 0.055, 0.02], [0.23, 0.05, -0.15]], [0.055, 0.05], true), // foot
    limb([[0.0, 0.36, 0.1], [0.0, 0.22, 0.22]], [0.09, 0.065], false), // tail
    limb([[0.0, 0.22, 0.22], [0.0, 0.25, 0.3]], [0.065, 0.05], false),
    limb([[0.0, 0.25, 0.3], [0.0, 0.32, 0.34]], [0.05, 0.04], false), // its tip
];

const FORM: Form = Form {
    shape: "creature",
    corners: [[-0.46, 0.0, -0.4], [0.46, 1.0, 0.4]],
    // In the trunk.
    middle: [0.0, 0.5, 0.0],
    volume: 0.078,
    // Of fewer tets arms and legs are not even two cells thick.
    least: 4000,
    distance,
};

/// A creature that stands on the origin and looks along −z, with as nearly `tets` tets as whole cells allow (within 3 %).
pub fn creature(tets: usize) -> Result<Mesh, GenerateError> {
    FORM.filled(tets)
}

/// Signed distance from the surface, m; inside it is a bound.
fn distance(p: V) -> f64 {
    let each = |limb: &Limb| {
        let p = if limb.paired { V::new(p.x.abs(), p.y, p.z) } else { p };
        let [a, b] = limb.ends.map(V::of);
        let t = ((p - a).dot(b - a) / (b - a).length_sq()).clamp(0.0, 1.0);
        (p - a - (b - a) * t).length() - (limb.radii[0] + (limb.radii[1] - limb.radii[0]) * t)
    };
    LIMBS.iter().map(each).fold(f64::INFINITY, f64::min)
}

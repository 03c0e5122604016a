//! An armchair of rounded boxes: seat, back and two arm rests, with fillets where they meet (vivace's cloth falls on one).

use crate::math::Vec3;

type V = Vec3<f64>;

/// A box with round edges, as parts of the chair's width: low and high corner, and the radius of its edges.
struct Part {
    low: [f64; 3],
    high: [f64; 3],
    round: f64,
}

/// It stands on y = 0 and looks along z. The left arm rest is the mirror image of the right one. No two parts are flush: a
/// fillet between faces that look the same way would be a bulge.
const PARTS: [Part; 3] = [
    Part { low: [0.34, 0.0, -0.38], high: [0.5, 0.6, 0.4], round: 0.07 },
    Part { low: [-0.38, 0.04, -0.34], high: [0.38, 0.42, 0.44], round: 0.06 },
    Part { low: [-0.42, 0.04, -0.46], high: [0.42, 0.92, -0.24], round: 0.09 },
];

/// Radius of the fillets, as a part of the width.
const FILLET: f64 = 0.03;

/// Low and high corner of the box around an armchair of this width, m.
pub(super) fn bounds(width: f64) -> [[f64; 3]; 2] {
    [[-0.5, 0.0, -0.46], [0.5, 0.92, 0.44]].map(|corner| corner.map(|c: f64| width * c))
}

/// Signed distance from an armchair of this width, m; far inside, where fillets overlap, more than that.
pub(super) fn distance(width: f64, p: V) -> f64 {
    let p = p * (1.0 / width);
    let right = V::new(p.x.abs(), p.y, p.z);
    width * PARTS.iter().map(|part| part.distance(right)).reduce(joined).unwrap_or(f64::INFINITY)
}

impl Part {
    fn distance(&self, p: V) -> f64 {
        let (low, high) = (V::of(self.low), V::of(self.high));
        let (from_centre, half) = (p - (low + high) * 0.5, (high - low) * 0.5);
        let q = |k: usize| from_centre[k].abs() - (half[k] - self.round);
        let outside = V::new(q(0).max(0.0), q(1).max(0.0), q(2).max(0.0)).length();
        outside + q(0).max(q(1)).max(q(2)).min(0.0) - self.round
    }
}

/// The union of two shapes, with a fillet where they meet: the distance from a circle that touches both.
fn joined(a: f64, b: f64) -> f64 {
    FILLET.max(a.min(b)) - (FILLET - a).max(0.0).hypot((FILLET - b).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_to_sit_between_the_arm_rests() {
        let d = |x, y, z| distance(2.0, V::new(x, y, z));
        assert!((d(0.0, 0.94, 0.2) - 0.1).abs() < 1e-12, "{}", d(0.0, 0.94, 0.2));
        assert!(d(0.84, 1.1, 0.2) < -0.09 && d(-0.84, 1.1, 0.2) < -0.09 && d(0.0, 1.7, -0.7) < -0.09);
        assert!(d(0.0, 1.4, 0.3) > 0.3 && d(0.0, -0.01, 0.0) > 0.0);
        let [low, high] = bounds(2.0);
        for (x, outward) in [([low[0], 0.8, 0.0], -1.0), ([high[0], 0.8, 0.0], 1.0)] {
            assert!(d(x[0], x[1], x[2]).abs() < 1e-12 && d(x[0] + outward * 0.1, x[1], x[2]) > 0.09);
        }
        assert!(d(0.0, high[1], -0.7).abs() < 1e-12 && d(0.0, 0.5, high[2]).abs() < 1e-12);
        assert!(d(0.0, 0.8, low[2]).abs() < 1e-12 && d(0.84, 0.0, 0.0).abs() < 1e-12);
    }
}

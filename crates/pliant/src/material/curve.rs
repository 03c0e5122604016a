//! How a material answers to being pulled, squeezed, sheared and swollen: the curves of course fig 20, which materials are
//! chosen by.
//!
//! Nominal stress is P = ∂ψ/∂F: force per area at rest. In two of the tests the sides are free, so their stretch t is the one
//! at which P of the sides is zero:
//!
//! ```text
//! uniaxial    F = diag(s, t, t)    P₂₂ = 0    small strains: P₁₁ = E (s − 1)
//! biaxial     F = diag(s, s, t)    P₃₃ = 0    small strains: P₁₁ = E/(1 − ν) (s − 1)
//! shear       F = 1 + (s − 1) e₁e₂ᵀ           small strains: P₁₂ = μ (s − 1)
//! volumetric  F = s                           small strains: P₁₁ = 3K (s − 1)
//! ```
//!
//! There may be several such t, and none. The one that belongs to the body is found by following it from rest, in steps that get
//! shorter where it moves fast, between a t that is pushed outwards and one that is pulled inwards. Where the sides fold up or
//! would not stay as thick as each other, there is no curve, and [`LeftOut`] says why. What is drawn is the model itself,
//! without the conversion of crushed elements.

use super::law::SolidLaw;
use crate::counted::{counted, short};
use crate::math::{Mat3, Vec3};
use std::fmt;

/// How a piece of material is deformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StretchTest {
    /// Pulled along one axis, free sides.
    Uniaxial,
    /// Pulled along two axes alike, free thickness.
    Biaxial,
    /// One layer slides over the other; stretch is 1 + shear.
    Shear,
    /// Larger or smaller along all axes alike.
    Volumetric,
}

impl StretchTest {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Uniaxial, Self::Biaxial, Self::Shear, Self::Volumetric];

    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniaxial => "uniaxial",
            Self::Biaxial => "biaxial",
            Self::Shear => "shear",
            Self::Volumetric => "volumetric",
        }
    }

    fn has_free_sides(self) -> bool {
        matches!(self, Self::Uniaxial | Self::Biaxial)
    }

    fn deformation(self, s: f64, t: f64) -> Mat3<f64> {
        let by = |x, y, z| Mat3::diagonal(Vec3::new(x, y, z));
        match self {
            Self::Uniaxial => by(s, t, t),
            Self::Biaxial => by(s, s, t),
            Self::Shear => Mat3::IDENTITY + Vec3::axis(0).outer(Vec3::axis(1)) * (s - 1.0),
            Self::Volumetric => by(s, s, s),
        }
    }

    /// What the sides do where nobody frees them.
    fn lateral_stretch(self, s: f64) -> f64 {
        if self == Self::Volumetric { s } else { 1.0 }
    }
}

/// One point of a curve.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct StressPoint {
    /// s: length over length at rest; for shear 1 + how far one layer slides over the other per distance.
    pub stretch: f64,
    /// t: of the free sides; 1 for shear, s for volumetric.
    pub lateral_stretch: f64,
    /// P, force per area at rest, Pa; positive where it pulls back.
    pub nominal_stress: f64,
}

/// Why a curve has no points somewhere.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The sides are not free of stress at any thickness that could be reached.
    NoFreeSides {
        /// The last stretch at which they were.
        beyond: f64,
        /// Their stretch there.
        lateral_stretch: f64,
    },
    /// Sides of equal thickness are no minimum of energy: one would get thinner and the other thicker.
    UnequalSides,
    /// The stress is infinite.
    NotFinite,
}

/// A run of stretches at which there is no point.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct LeftOut {
    /// The smallest stretch left out.
    pub from: f64,
    /// The largest.
    pub to: f64,
    /// How many were asked for there.
    pub points: usize,
    /// Why.
    pub why: Why,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let points = counted(self.points, "point", "points");
        let place = if self.points == 1 {
            format!("at {}", short(self.from))
        } else {
            format!("from {} to {}", short(self.from), short(self.to))
        };
        write!(f, "{points} {place} left out: ")?;
        match self.why {
            Why::NoFreeSides { beyond, lateral_stretch } => write!(
                f,
                "beyond a stretch of {beyond:.3}, where the lateral stretch has come to {lateral_stretch:.3}, no lateral \
                 stretch leaves the sides free of stress"
            ),
            Why::UnequalSides => {
                write!(f, "the material is not stable there: one side would get thinner and the other thicker")
            }
            Why::NotFinite => write!(f, "the stress is not finite there"),
        }
    }
}

/// Stress against stretch of one material in one test.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct StressCurve {
    /// By growing stretch.
    pub points: Vec<StressPoint>,
    /// Where there are none, by growing stretch.
    pub left_out: Vec<LeftOut>,
    /// Between which stretches the stress falls though the stretch grows: there the body gives way to a load.
    pub falls: Vec<[f64; 2]>,
}

/// `count` stretches from `from` to `to`, evenly.
pub fn even_stretches(from: f64, to: f64, count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count).map(|k| if k + 1 == count { to } else { from + (to - from) * (k as f64 / last) }).collect()
}

/// The stress of a material at stretches that grow, all positive.
pub fn stress_curve(law: &SolidLaw, test: StretchTest, stretches: &[f64]) -> StressCurve {
    let specimen = Specimen { law, test };
    let smaller = stretches.partition_point(|s| *s < 1.0);
    let (below, above) = stretches.split_at(smaller);
    let mut found: Vec<(f64, Result<f64, Why>)> =
        below.iter().rev().copied().zip(specimen.sides(below.iter().rev())).collect();
    found.reverse();
    found.extend(above.iter().copied().zip(specimen.sides(above.iter())));

    let mut curve = StressCurve { points: Vec::new(), left_out: Vec::new(), falls: Vec::new() };
    let mut gap_is_open = false;
    for (stretch, side) in found {
        match side.and_then(|t| specimen.point(stretch, t)) {
            Ok(point) => {
                curve.points.push(point);
                gap_is_open = false;
            }
            Err(why) => {
                match curve.left_out.last_mut() {
                    Some(last) if gap_is_open && last.why == why => (last.to, last.points) = (stretch, last.points + 1),
                    _ => curve.left_out.push(LeftOut { from: stretch, to: stretch, points: 1, why }),
                }
                gap_is_open = true;
            }
        }
    }
    curve.falls = falls(&curve.points, law.shear_modulus());
    curve
}

/// Where the stress falls by more than rounding can explain.
fn falls(points: &[StressPoint], modulus: f64) -> Vec<[f64; 2]> {
    let most = points.iter().fold(modulus, |most, p| most.max(p.nominal_stress.abs()));
    let mut falls: Vec<[f64; 2]> = Vec::new();
    for pair in points.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        if b.nominal_stress >= a.nominal_stress - 1e-9 * most {
            continue;
        }
        match falls.last_mut() {
            Some(last) if last[1] == a.stretch => last[1] = b.stretch,
            _ => falls.push([a.stretch, b.stretch]),
        }
    }
    falls
}

/// Longest step of the logarithm of the stretch along which the sides are followed.
const LONGEST_STEP: f64 = 0.01;
/// Where steps this short are still too long, the sides end.
const SHORTEST_STEP: f64 = 1e-9;
/// Most that the logarithm of the lateral stretch may change in a step.
const REACH: f64 = 0.1;

struct Specimen<'l> {
    law: &'l SolidLaw,
    test: StretchTest,
}

impl Specimen<'_> {
    /// The lateral stretch at each stretch, which lead away from 1.
    fn sides<'s>(&self, stretches: impl Iterator<Item = &'s f64>) -> Vec<Result<f64, Why>> {
        if !self.test.has_free_sides() {
            return stretches.map(|s| Ok(self.test.lateral_stretch(*s))).collect();
        }
        let mut at = Ok([1.0, 1.0]);
        let follow = |stretch: &f64| {
            at = at.and_then(|from| self.follow(from, *stretch));
            at.map(|[_, t]| t)
        };
        stretches.map(follow).collect()
    }

    /// From one stretch with free sides, [s, t], to another.
    fn follow(&self, [mut s, mut t]: [f64; 2], target: f64) -> Result<[f64; 2], Why> {
        let mut step = LONGEST_STEP;
        while s != target {
            let left = (target / s).ln();
            let next = if left.abs() <= step { target } else { s * (step * left.signum()).exp() };
            if let Some(side) = self.free_side(next, t) {
                (s, t) = (next, side);
                step = (2.0 * step).min(LONGEST_STEP);
            } else if step > SHORTEST_STEP {
                step *= 0.5;
            } else {
                return Err(Why::NoFreeSides { beyond: s, lateral_stretch: t });
            }
        }
        Ok([s, t])
    }

    /// P of the sides: positive where they are pulled outwards by somebody.
    fn side_stress(&self, s: f64, t: f64) -> f64 {
        self.law.stress(self.test.deformation(s, t)).at(2, 2)
    }

    /// The t nearest to `near` that the sides would come back to, if it is within reach: their stress is negative below it and
    /// positive above.
    fn free_side(&self, s: f64, near: f64) -> Option<f64> {
        let first = self.side_stress(s, near);
        if first == 0.0 {
            return Some(near);
        }
        let outwards = if first < 0.0 { 1.0 } else { -1.0 };
        let (mut inside, mut distance) = (near, REACH / 64.0);
        while distance <= REACH {
            let beyond = near * f64::exp(outwards * distance);
            let stress = self.side_stress(s, beyond);
            if stress * outwards >= 0.0 {
                return Some(self.bisect(s, inside, beyond, outwards));
            }
            (inside, distance) = (beyond, 2.0 * distance);
        }
        None
    }

    /// Down to neighbouring numbers: the stress of the sides has the sign of −`outwards` at `a`, and not at `b`.
    fn bisect(&self, s: f64, mut a: f64, mut b: f64, outwards: f64) -> f64 {
        loop {
            let middle = 0.5 * (a + b);
            if middle == a || middle == b {
                return b;
            }
            if self.side_stress(s, middle) * outwards >= 0.0 {
                b = middle;
            } else {
                a = middle;
            }
        }
    }

    fn point(&self, stretch: f64, lateral_stretch: f64) -> Result<StressPoint, Why> {
        if self.test == StretchTest::Uniaxial && !self.sides_stay_equal(stretch, lateral_stretch) {
            return Err(Why::UnequalSides);
        }
        let P = self.law.stress(self.test.deformation(stretch, lateral_stretch));
        let nominal_stress = if self.test == StretchTest::Shear { P.at(0, 1) } else { P.at(0, 0) };
        let point = StressPoint { stretch, lateral_stretch, nominal_stress };
        if nominal_stress.is_finite() { Ok(point) } else { Err(Why::NotFinite) }
    }

    /// ψ₂₂ > ψ₂₃, by central differences.
    fn sides_stay_equal(&self, s: f64, t: f64) -> bool {
        let change = 1e-5 * t;
        let thinner = |by: f64| self.law.stress(Mat3::diagonal(Vec3::new(s, t - by, t + by))).at(2, 2);
        thinner(change) > thinner(-change)
    }
}

#[cfg(test)]
#[path = "curve_tests.rs"]
mod tests;

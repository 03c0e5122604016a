//! Volume limit: det F outside a range is pulled back into it. Bouaziz et al. 2014, "Projective dynamics", section 5.1.
//!
//! Ψ = w/2 V ‖F − p(F)‖², p(F) = U diag(s) Vᵀ the closest matrix with det in [low, high], 0 < low. Deviation: Bouaziz
//! iterates on the constraint linearised about the last iterate, which stops at a stationary point; here the stationary
//! points are found exactly and the nearest one is taken, so ∂Ψ/∂F = w V (F − p) holds.
//!
//! Stationary: s_i − σ_i = ν/s_i with one ν for all i, that is s_i = (σ_i ± √(σ_i² + 4ν))/2. At a minimum at most the
//! smallest one has the minus sign (two would leave a direction of negative curvature). With t = s₂ as the unknown,
//! ν = t (t − σ₂) and only t s₀(ν) s₁(ν) = c is left to solve. For det F < low (ν > 0) its left side increases with t:
//! one root. For det F > high there can be a root with t ≥ σ₂/2 (all shrink alike) and one with t < σ₂/2 (one axis gives
//! way): both are computed and compared. Where they are equally far p jumps, as any closest point must.
//!
//! | symbol | code | |
//! |---|---|---|
//! | w | `stiffness` | Pa |
//! | low, high | `range` | 1 |
//! | σ, s, ν | `sigma`, `s`, `nu` | 1 |

use super::error::{not_negative, positive_range};
use super::isotropic::PrincipalHessian;
use super::simplex::RestTet;
use super::{Compliant, Energy, Hessian, LocalStep, MaterialError, Projective, Pull, WgslTwin, diagonal};
use crate::math::eigen::project_psd;
use crate::math::{Mat3, Real, Svd, Vec3, svd};

/// Keeps the volume of a tetrahedron in a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeLimitTet<R> {
    /// Shape at rest.
    pub rest: RestTet<R>,
    /// w, Pa.
    pub stiffness: R,
    /// Smallest and largest det F that cost nothing.
    pub range: [R; 2],
}

impl VolumeLimitTet<f64> {
    /// From rest positions, m, stiffness, Pa, and the range of det F.
    pub fn new(rest: [Vec3<f64>; 4], stiffness: f64, range: [f64; 2]) -> Result<Self, MaterialError> {
        let name = "volume limit tet";
        let stiffness = not_negative(name, "stiffness", stiffness, "a finite number >= 0 Pa")?;
        let range = positive_range(name, "range of det F", range)?;
        Ok(Self { rest: RestTet::new(name, rest)?, stiffness, range })
    }
}

/// Π s and its derivative for s₂ = t, with s₀ and s₁ on their + branch.
#[derive(Clone, Copy)]
struct Trial {
    s: [f64; 3],
    nu: f64,
    product: f64,
    slope: f64,
}

fn trial(sigma: [f64; 3], t: f64) -> Trial {
    let nu = t * (t - sigma[2]);
    let d_nu = 2.0 * t - sigma[2];
    let axis = |s: f64| {
        // σ² + 4ν without cancellation.
        let root = (d_nu * d_nu + (s - sigma[2]) * (s + sigma[2])).max(0.0).sqrt();
        (0.5 * (s + root), d_nu / root.max(1e-150))
    };
    let ((a, da), (b, db)) = (axis(sigma[0]), axis(sigma[1]));
    Trial { s: [a, b, t], nu, product: t * a * b, slope: a * b + t * (da * b + a * db) }
}

/// The root of Π s = target in [low, high], where Π s − target changes sign: Newton, kept inside by bisection.
fn root_between(sigma: [f64; 3], target: f64, mut low: f64, mut high: f64) -> Trial {
    let mut t = high;
    let mut here = trial(sigma, t);
    for _ in 0..100 {
        if here.product > target {
            high = t;
        } else {
            low = t;
        }
        let newton = t - (here.product - target) / here.slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - t).abs() <= 4.0 * f64::EPSILON * t.abs() {
            break;
        }
        t = next;
        here = trial(sigma, t);
    }
    here
}

/// The smallest root of Π s = target, by Newton from t = 0, which approaches it from below; `None` if there is none
/// below σ₂/2.
fn smallest_root(sigma: [f64; 3], target: f64) -> Option<Trial> {
    let mut t = 0.0;
    let mut here = trial(sigma, t);
    for _ in 0..60 {
        let step = (target - here.product) / here.slope;
        // Newton doubles the digits with each step: what follows a step this small is rounding.
        let last = step.abs() <= 64.0 * f64::EPSILON * t;
        t += step;
        if here.slope <= 0.0 || t >= 0.5 * sigma[2] {
            return None;
        }
        here = trial(sigma, t);
        if last {
            break;
        }
    }
    Some(here)
}

/// The singular values nearest to `sigma` with product in `range`, and ν; 0 inside the range.
fn nearest(sigma: [f64; 3], range: [f64; 2]) -> ([f64; 3], f64) {
    let det = sigma[0] * sigma[1] * sigma[2];
    if det >= range[0] && det <= range[1] {
        return (sigma, 0.0);
    }
    if det < range[0] {
        // All s are at least t, so t³ is at most the product.
        let high = sigma[2].max(range[0].cbrt());
        let Trial { s, nu, .. } = root_between(sigma, range[0], sigma[2].max(0.0), high);
        return (s, nu);
    }
    let target = range[1];
    let half = 0.5 * sigma[2];
    let alike = trial(sigma, half).product <= target;
    let distance = |t: &Trial| (0..3).map(|i| (t.s[i] - sigma[i]).powi(2)).sum::<f64>();
    let one_gives_way = smallest_root(sigma, target);
    let best = match (alike, one_gives_way) {
        (false, Some(root)) => root,
        (false, None) => root_between(sigma, target, 0.0, half),
        (true, None) => root_between(sigma, target, half, sigma[2]),
        (true, Some(root)) => {
            let other = root_between(sigma, target, half, sigma[2]);
            if distance(&root) < distance(&other) { root } else { other }
        }
    };
    (best.s, best.nu)
}

/// ∂²/∂σ² of ½‖σ − s(σ)‖² = I − ∂s/∂σ. With T a basis of the tangent plane of Π s = c and L = ∂²(½‖s−σ‖² − ν ln Π s):
/// ∂s/∂σ = T (TᵀLT)⁻¹ Tᵀ.
fn scaling(s: [f64; 3], nu: f64) -> [[f64; 3]; 3] {
    let normal = Vec3::new(1.0 / s[0], 1.0 / s[1], 1.0 / s[2]).unit_or(Vec3::axis(2));
    let T = [crate::math::svd::any_perpendicular(normal), Vec3::ZERO];
    let T = [T[0], normal.cross(T[0])];
    let apply = |v: Vec3<f64>| {
        Vec3::new(v.x * (1.0 + nu / (s[0] * s[0])), v.y * (1.0 + nu / (s[1] * s[1])), v.z * (1.0 + nu / (s[2] * s[2])))
    };
    let (a, b, c) = (T[0].dot(apply(T[0])), T[0].dot(apply(T[1])), T[1].dot(apply(T[1])));
    let det = (a * c - b * b).max(1e-12 * (a * a + c * c)).max(1e-300);
    let inverse = [[c / det, -b / det], [-b / det, a / det]];
    let mut out = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            let moved: f64 =
                (0..2).flat_map(|p| (0..2).map(move |q| (p, q))).map(|(p, q)| T[p][i] * inverse[p][q] * T[q][j]).sum();
            out[i][j] = f64::from(u8::from(i == j)) - moved;
        }
    }
    project_psd(out)
}

impl<R: Real> VolumeLimitTet<R> {
    /// The same limit in another precision.
    pub fn cast<S: Real>(&self) -> VolumeLimitTet<S> {
        VolumeLimitTet {
            rest: self.rest.cast(),
            stiffness: S::of(self.stiffness.f64()),
            range: self.range.map(|r| S::of(r.f64())),
        }
    }

    /// w V, N·m.
    pub fn weight(&self) -> R {
        self.stiffness * self.rest.measure
    }

    /// s and ν, in f64 in either precision: the products of three would lose half the digits of f32.
    fn nearest(&self, svd: &Svd<R>) -> ([f64; 3], f64) {
        nearest(svd.sigma.f64(), self.range.map(|r| r.f64()))
    }

    /// F and p(F).
    fn deformation_and_projection(&self, x: &[Vec3<R>; 4]) -> (Mat3<R>, Mat3<R>) {
        let F = Mat3 { c: self.rest.deformation(x) };
        let det = F.det();
        if det >= self.range[0] && det <= self.range[1] {
            return (F, F);
        }
        let svd = svd(F);
        let (s, _) = self.nearest(&svd);
        (F, svd.with_sigma(Vec3::of(s)))
    }

    fn principal_hessian(&self, x: &[Vec3<R>; 4]) -> PrincipalHessian<R> {
        let svd = svd(Mat3 { c: self.rest.deformation(x) });
        let (s, nu) = self.nearest(&svd);
        let w = self.stiffness.f64();
        let zero = [R::ZERO; 3];
        if nu == 0.0 {
            return PrincipalHessian::new(&svd, [zero; 3], zero, zero);
        }
        // With σ − s = −ν/s the quotients (d_i ± d_j)/(σ_i ± σ_j) are −r/(1 − r) and r/(1 + r), r = ν/(s_i s_j).
        let ratio = [nu / (s[1] * s[2]), nu / (s[0] * s[2]), nu / (s[0] * s[1])];
        let twist = ratio.map(|r| R::of(if r < 0.0 { -w * r / (1.0 - r) } else { 0.0 }));
        let flip = ratio.map(|r| R::of(if r > 0.0 { w * r / (1.0 + r) } else { 0.0 }));
        PrincipalHessian::new(&svd, scaling(s, nu).map(|row| row.map(|e| R::of(w * e))), twist, flip)
    }
}

impl<R: Real> Energy<R, 4> for VolumeLimitTet<R> {
    fn value(&self, x: &[Vec3<R>; 4]) -> R {
        let (F, p) = self.deformation_and_projection(x);
        R::of(0.5) * self.weight() * (F - p).norm_sq()
    }
    fn gradient(&self, x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let (F, p) = self.deformation_and_projection(x);
        self.rest.pull_back(&((F - p) * self.weight()).c)
    }
    fn hessian_psd(&self, x: &[Vec3<R>; 4]) -> Hessian<R, 4> {
        self.principal_hessian(x).blocks(&self.rest)
    }
    fn hessian_diagonal(&self, x: &[Vec3<R>; 4]) -> [Mat3<R>; 4] {
        self.principal_hessian(x).diagonal(&self.rest)
    }
    /// As if the limit was reached: it may be, meanwhile.
    fn scale(&self, _: &[Vec3<R>; 4]) -> [Mat3<R>; 4] {
        diagonal(self.stiffness())
    }
    fn pull(&self, rotation: Mat3<R>) -> Option<Pull<R, 4>> {
        Some(Pull::new(&self.rest, self.weight(), rotation))
    }
}

impl<R: Real> Projective<R, 4> for VolumeLimitTet<R> {
    const LOCAL: LocalStep = LocalStep::Slots;
    fn stiffness(&self) -> [[R; 4]; 4] {
        self.rest.stiffness(self.weight())
    }
    fn project(&self, x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let (_, p) = self.deformation_and_projection(x);
        self.rest.pull_back(&(p * self.weight()).c)
    }
}

impl<R: Real> Compliant<R, 4> for VolumeLimitTet<R> {
    fn compliance(&self) -> R {
        R::ONE / self.weight()
    }
    /// C = ‖F − p(F)‖.
    fn constraint(&self, x: &[Vec3<R>; 4]) -> (R, [Vec3<R>; 4]) {
        let (F, p) = self.deformation_and_projection(x);
        self.rest.distance_constraint(&(F - p).c)
    }
}

impl<R: Real> WgslTwin for VolumeLimitTet<R> {
    const PREFIX: &'static str = "volume_limit_tet";
    const SOURCE: &'static str = include_str!("volume_limit_tet.wgsl");
    const WORDS: usize = 12;
    fn pack(&self, out: &mut [f32]) {
        out[..9].copy_from_slice(&self.rest.pack());
        out[9..].copy_from_slice(&[self.weight(), self.range[0], self.range[1]].map(|r| r.f64() as f32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{
        TET, UNIT_TET, check_compliant, check_energy, check_invariance, check_projective, check_scales, check_spectral,
    };
    use crate::math::SplitMix;

    #[test]
    fn volume_limit_meets_its_derivatives_projection_and_constraint() {
        let limit = VolumeLimitTet::new(TET, 5.0, [0.95, 1.05]).unwrap();
        let single = limit.cast::<f32>();
        check_energy(&limit, &single, &TET);
        check_invariance(&limit, &TET);
        check_projective(&limit, &single, &TET);
        check_compliant(&limit, &single, &TET);
    }

    #[test]
    fn volumes_inside_the_range_cost_nothing() {
        let limit = VolumeLimitTet::new(TET, 5.0, [0.95, 1.05]).unwrap();
        let sheared = TET.map(|p| Vec3::new(2.0 * p.x + p.y, 0.5 * p.y, p.z + 3.0 * p.x));
        assert!(limit.value(&sheared) < 1e-25);
    }

    /// Against brute force over the surface s₀ s₁ s₂ = c.
    #[test]
    fn projection_is_the_nearest_point_of_all() {
        let mut random = SplitMix(3);
        for _ in 0..60 {
            let mut sigma = [0; 3].map(|_| (1.5 * random.signed()).exp());
            sigma.sort_by(|a, b| b.total_cmp(a));
            if random.signed() < -0.5 {
                sigma[2] = -sigma[2];
            }
            let range = [0.9, 1.1];
            let (s, _) = nearest(sigma, range);
            let product = s[0] * s[1] * s[2];
            assert!(product > 0.9 * (1.0 - 1e-12) && product < 1.1 * (1.0 + 1e-12), "{product}");
            let square = |a: f64| a * a;
            let found: f64 = (0..3).map(|i| square(s[i] - sigma[i])).sum();
            for target in range {
                let mut best = f64::INFINITY;
                for i in 0..200 {
                    for j in 0..200 {
                        let a = (-3.0 + 6.0 * f64::from(i) / 199.0).exp();
                        let b = (-3.0 + 6.0 * f64::from(j) / 199.0).exp();
                        let c = target / (a * b);
                        best = f64::min(best, square(a - sigma[0]) + square(b - sigma[1]) + square(c - sigma[2]));
                    }
                }
                assert!(found <= best + 1e-12, "sigma {sigma:?}: found {s:?} at {found}, grid {best}");
            }
        }
    }

    #[test]
    fn strong_uniform_growth_gives_way_along_one_axis() {
        let (s, _) = nearest([1.0, 1.0, 1.0], [0.1, 0.14]);
        assert!(s[2] < 0.5 && s[0] > 0.6, "{s:?}");
    }

    /// Rounding once kept Newton from stopping, and a root that was there was not taken.
    #[test]
    fn one_axis_gives_way_whatever_the_last_bits_are() {
        let mut random = SplitMix(8);
        for _ in 0..20_000 {
            let mut sigma = [0; 3].map(|_| 1.0 + 1e-7 * random.signed());
            sigma.sort_by(|a, b| b.total_cmp(a));
            let (s, _) = nearest(sigma, [0.1, 0.14]);
            assert!(s[2] < 0.5, "{sigma:?} became {s:?}");
        }
    }

    #[test]
    fn hessian_is_the_exact_one_without_its_negative_eigenvalues() {
        check_spectral(&VolumeLimitTet::new(UNIT_TET, 5.0, [0.9, 1.2]).unwrap(), &UNIT_TET, 1);
    }

    #[test]
    fn micrometres_and_kilometres_are_both_fine() {
        check_scales(&TET, |rest| VolumeLimitTet::new(rest, 5.0, [0.9, 1.2]).unwrap(), |e| e.cast());
    }
}

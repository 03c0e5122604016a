//! A tetrahedron whose material is drawn by splines (Xu, Sin, Zhu, Barbič 2015, "Nonlinear material design using principal
//! stretches"), with fibres.
//!
//! Ψ = vol (Σ_i f(σ_i) + Σ_{i<j} g(σ_i σ_j) + h(σ₀σ₁σ₂) + Σ_k f_k(|F a_k|)), with f′, g′, h′ and f_k′ by knots
//! ([`super::spline_energy`]); σ₂ has the sign of det F. Fibres lie along unit vectors a_k of the rest shape and make it orthotropic.
//! P = U diag(ψ_i) Vᵀ + Σ_k f_k′/|F a_k| F a_k a_kᵀ, ψ_i = f′(σ_i) + Σ_j σ_j g′(σ_i σ_j) + σ_j σ_k h′.
//!
//! The Hessian of the first three is that of `isotropic`, with the quotients divided out but for those of f′ and g′ themselves:
//!
//! ```text
//! twist of axes i, j = (f′_i + f′_j + σ_k (g′_ik + g′_jk))/(σ_i + σ_j) + g′_ij + σ_k h′
//! flip of axes i, j  = [f′; σ_i, σ_j] + σ_k² [g′; σ_i σ_k, σ_j σ_k] − g′_ij − σ_k h′      [f; a, b] = (f(a) − f(b))/(a − b)
//! ```
//!
//! With fibres the sum is made positive semi-definite as a 9×9 matrix, where a part of it is not. Deviations from the paper: each
//! of f, g, h, f_k has its rest at 1, where the paper asks only for no stress in all; f_k are added (the paper has a ψ_i for each of
//! three orthogonal directions). Crushed elements are converted as in [`super::hyperelastic`].
//!
//! A tetrahedron carries its own knots: 0.7 kB in `f32`.

use super::convert::{least_to_share, with_projective};
use super::elastic_constants::LameParameters;
use super::error::not_negative;
use super::isotropic::{PrincipalHessian, over_sum};
use super::simplex::RestTet;
use super::spline_energy::SplineEnergy;
use super::{Convertible, Energy, Hessian, MaterialError, Pull};
use crate::math::eigen::project_psd;
use crate::math::{Mat3, Real, Vec3, polar_rotation, svd};

/// The most directions of fibres.
pub const MOST_FIBRES: usize = 3;
/// λ⁺: the least stretch below which an element is converted.
const CONVERTED_BELOW: f64 = 0.15;

/// Fibres all along one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fibre<R> {
    /// a_k, one long, in the rest frame.
    pub direction: Vec3<R>,
    /// f_k of their stretch |F a_k|, Pa.
    pub energy: SplineEnergy<R>,
}

/// ψ by splines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplineMaterial<R> {
    /// f of each stretch, Pa.
    pub f: SplineEnergy<R>,
    /// g of the product of two stretches, Pa.
    pub g: SplineEnergy<R>,
    /// h of the volume, Pa.
    pub h: SplineEnergy<R>,
    /// Fibres, if any.
    pub fibres: [Option<Fibre<R>>; MOST_FIBRES],
}

/// Where the default material has knots.
const STRETCHES: [f64; 8] = [0.2, 0.35, 0.6, 1.0, 1.5, 2.2, 3.5, 6.0];

impl SplineMaterial<f64> {
    /// Rubber-like, from linear elasticity: f′ = μ (x − 1/x) at the knots, which is neo-Hookean, g = 0 and h′ = λ (x − 1). Poisson's
    /// ratio must not be negative.
    pub fn from_lame(LameParameters { mu, lambda }: LameParameters) -> Result<Self, MaterialError> {
        not_negative("spline", "mu", mu, "a finite number >= 0 Pa")?;
        not_negative("spline", "lambda", lambda, "a finite number >= 0 Pa, hence a Poisson's ratio >= 0")?;
        let f = SplineEnergy::of_knots(&STRETCHES.map(|x| [x, mu * (x - 1.0 / x), mu * (1.0 + 1.0 / (x * x))]))?;
        let h = SplineEnergy::of_knots(&[[1.0, 0.0, lambda], [2.0, lambda, lambda]])?;
        Ok(Self::new(f, SplineEnergy::NONE, h))
    }

    /// Without fibres.
    pub const fn new(f: SplineEnergy<f64>, g: SplineEnergy<f64>, h: SplineEnergy<f64>) -> Self {
        Self { f, g, h, fibres: [None; MOST_FIBRES] }
    }

    /// With fibres along a direction of the rest frame, besides those there are.
    pub fn with_fibre(mut self, direction: Vec3<f64>, energy: SplineEnergy<f64>) -> Result<Self, MaterialError> {
        let wrong =
            |parameter, found, expected| MaterialError::BadParameter { element: "spline", parameter, found, expected };
        let length = direction.length();
        if !(length.is_finite() && length > 0.0) {
            return Err(wrong("the length of a fibre direction", length, "a finite number > 0"));
        }
        let free = self.fibres.iter().position(Option::is_none);
        let free = free.ok_or(wrong("the number of fibre directions", 4.0, "at most 3"))?;
        self.fibres[free] = Some(Fibre { direction: direction / length, energy });
        Ok(self)
    }
}

/// f, g and h where they are needed, [value, slope, bend] each. Pair k means the two axes other than k.
struct Parts<R> {
    f: [[R; 3]; 3],
    g: [[R; 3]; 3],
    h: [R; 3],
}

impl<R: Real> SplineMaterial<R> {
    /// The same material in another precision.
    pub fn cast<S: Real>(&self) -> SplineMaterial<S> {
        let fibres = self.fibres.map(|f| f.map(|f| Fibre { direction: f.direction.cast(), energy: f.energy.cast() }));
        SplineMaterial { f: self.f.cast(), g: self.g.cast(), h: self.h.cast(), fibres }
    }

    /// Shear modulus at rest without the fibres, Pa: (f″ + g″)/2.
    pub fn shear_modulus(&self) -> R {
        R::of(0.5) * (self.f.bend_at_rest() + self.g.bend_at_rest())
    }

    /// Lamé's λ at rest without the fibres, Pa: g″ + h″.
    pub fn lame_lambda(&self) -> R {
        self.g.bend_at_rest() + self.h.bend_at_rest()
    }

    fn parts(&self, s: Vec3<R>) -> Parts<R> {
        Parts {
            f: [s.x, s.y, s.z].map(|x| self.f.at(x)),
            g: [s.y * s.z, s.x * s.z, s.x * s.y].map(|x| self.g.at(x)),
            h: self.h.at(s.x * s.y * s.z),
        }
    }

    /// F a and f_k, f_k′, f_k″ of each direction.
    fn pulled(&self, F: Mat3<R>) -> impl Iterator<Item = (Vec3<R>, Vec3<R>, [R; 3])> {
        self.fibres.into_iter().flatten().map(move |Fibre { direction, energy }| {
            let along = F * direction;
            (direction, along, energy.at(along.length()))
        })
    }

    /// ψ(F), Pa.
    pub fn density(&self, F: Mat3<R>) -> R {
        let Parts { f, g, h } = self.parts(svd(F).sigma);
        let own = (0..3).map(|k| f[k][0] + g[k][0]).sum::<R>() + h[0];
        own + self.pulled(F).map(|(_, _, energy)| energy[0]).sum::<R>()
    }

    /// P(F) = ∂ψ/∂F, Pa.
    pub fn stress(&self, F: Mat3<R>) -> Mat3<R> {
        let svd = svd(F);
        let s = svd.sigma;
        let Parts { f, g, h } = self.parts(s);
        let slope = |p: usize| {
            let (j, k) = ((p + 1) % 3, (p + 2) % 3);
            f[p][1] + s[j] * g[k][1] + s[k] * g[j][1] + s[j] * s[k] * h[1]
        };
        let mut P = svd.with_sigma(Vec3::new(slope(0), slope(1), slope(2)));
        for (direction, along, energy) in self.pulled(F) {
            // A fibre of no length has no direction.
            P += (along.unit_or(Vec3::ZERO) * energy[1]).outer(direction);
        }
        P
    }

    /// Scaling matrix, twists and flips of ψ without fibres, Pa.
    fn principal(&self, s: Vec3<R>) -> ([[R; 3]; 3], [R; 3], [R; 3]) {
        let Parts { f, g, h } = self.parts(s);
        let scale = std::array::from_fn(|p| {
            std::array::from_fn(|q| {
                let (j, k) = ((p + 1) % 3, (p + 2) % 3);
                if p == q {
                    let area = s[j] * s[k];
                    return f[p][2] + s[j] * s[j] * g[k][2] + s[k] * s[k] * g[j][2] + area * area * h[2];
                }
                let r = 3 - p - q;
                g[r][1] + s[p] * s[q] * g[r][2] + s[r] * (h[1] + s[p] * s[q] * s[r] * h[2])
            })
        });
        let (mut twist, mut flip) = ([R::ZERO; 3], [R::ZERO; 3]);
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let shared = g[k][1] + s[k] * h[1];
            twist[k] = over_sum(f[i][1] + f[j][1] + s[k] * (g[j][1] + g[i][1]), s[i] + s[j]) + shared;
            let of_g = quotient(&self.g, s[i] * s[k], s[j] * s[k]);
            flip[k] = quotient(&self.f, s[i], s[j]) + s[k] * s[k] * of_g - shared;
        }
        (scale, twist, flip)
    }
}

/// (f′(a) − f′(b))/(a − b), or f″ where they are too near.
fn quotient<R: Real>(energy: &SplineEnergy<R>, a: R, b: R) -> R {
    let gap = a - b;
    if gap.abs() <= R::EPSILON.sqrt() * (a.abs() + b.abs()) {
        return energy.at(R::of(0.5) * (a + b))[2];
    }
    (energy.at(a)[1] - energy.at(b)[1]) / gap
}

/// A tetrahedron with a material of splines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplineTet<R> {
    /// Shape at rest.
    pub rest: RestTet<R>,
    /// ψ.
    pub material: SplineMaterial<R>,
    /// l, from 0 to 1.
    pub share: R,
}

impl SplineTet<f64> {
    /// From rest positions, m.
    pub fn new(rest: [Vec3<f64>; 4], material: SplineMaterial<f64>) -> Result<Self, MaterialError> {
        Ok(Self { rest: RestTet::new("spline tet", rest)?, material, share: 0.0 })
    }
}

/// ∂²ψ/∂F² by columns of F, as it is and made positive semi-definite, Pa.
struct ColumnHessians<R> {
    exact: [[Mat3<R>; 3]; 3],
    psd: [[Mat3<R>; 3]; 3],
}

/// Negative eigenvalues larger than this many times the stiffness are held there: beside them nothing would be left of the others.
const DEEPEST: f64 = 10.0;

impl<R: Real> SplineTet<R> {
    /// The same tetrahedron in another precision.
    pub fn cast<S: Real>(&self) -> SplineTet<S> {
        SplineTet { rest: self.rest.cast(), material: self.material.cast(), share: S::of(self.share.f64()) }
    }

    fn deformation(&self, x: &[Vec3<R>; 4]) -> Mat3<R> {
        Mat3 { c: self.rest.deformation(x) }
    }

    fn kappa(&self) -> R {
        self.share * self.material.shear_modulus()
    }

    fn has_fibres(&self) -> bool {
        self.material.fibres.iter().any(Option::is_some)
    }

    fn principal_hessian(&self, F: Mat3<R>) -> PrincipalHessian<R> {
        let svd = svd(F);
        let own = self.material.principal(svd.sigma);
        let (scale, twist, flip) = with_projective(own, self.share, self.kappa(), svd.sigma);
        if !self.has_fibres() {
            return PrincipalHessian::projected(&svd, scale, twist, flip);
        }
        let most = scale.as_flattened().iter().fold(R::ZERO, |most, e| most.max(e.abs())) * R::of(DEEPEST);
        let held = |e: R| e.max(-most);
        PrincipalHessian::projected(&svd, scale, twist.map(held), flip.map(held))
    }

    /// With fibres.
    fn column_hessians(&self, F: Mat3<R>) -> ColumnHessians<R> {
        let bare = self.principal_hessian(F);
        let blocks = bare.exact().blocks(&unit_rest());
        let mut exact: [[Mat3<R>; 3]; 3] = std::array::from_fn(|p| std::array::from_fn(|q| blocks[p + 1][q + 1]));
        let mut positive = bare.excess().is_none();
        for (a, along, [_, slope, bend]) in self.material.pulled(F) {
            let n = along.unit_or(Vec3::ZERO);
            let across = (slope / along.length().max(R::EPSILON)).max(-bend.abs() * R::of(DEEPEST));
            positive &= bend >= R::ZERO && across >= R::ZERO;
            let K = (Mat3::scalar(across) + n.outer(n) * (bend - across)) * (R::ONE - self.share);
            for p in 0..3 {
                for q in 0..3 {
                    exact[p][q] += K * (a[p] * a[q]);
                }
            }
        }
        ColumnHessians { exact, psd: if positive { exact } else { projected(&exact) } }
    }
}

/// Corners 1, 2 and 3 are the columns of F.
fn unit_rest<R: Real>() -> RestTet<R> {
    let axis = |p: usize| std::array::from_fn(|q| if p == q { R::ONE } else { R::ZERO });
    RestTet { shape_gradient: [[-R::ONE; 3], axis(0), axis(1), axis(2)], measure: R::ONE }
}

/// Without its negative eigenvalues.
fn projected<R: Real>(H: &[[Mat3<R>; 3]; 3]) -> [[Mat3<R>; 3]; 3] {
    let positive: [[R; 9]; 9] =
        project_psd(std::array::from_fn(|i| std::array::from_fn(|j| H[i / 3][j / 3].at(i % 3, j % 3))));
    std::array::from_fn(|p| {
        std::array::from_fn(|q| Mat3 {
            c: std::array::from_fn(|c| {
                Vec3::new(positive[3 * p][3 * q + c], positive[3 * p + 1][3 * q + c], positive[3 * p + 2][3 * q + c])
            }),
        })
    })
}

impl<R: Real> Energy<R, 4> for SplineTet<R> {
    fn value(&self, x: &[Vec3<R>; 4]) -> R {
        let F = self.deformation(x);
        let mut psi = (R::ONE - self.share) * self.material.density(F);
        if self.share > R::ZERO {
            psi += self.kappa() * (F - polar_rotation(F)).norm_sq();
        }
        self.rest.measure * psi
    }
    fn gradient(&self, x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let F = self.deformation(x);
        let mut P = self.material.stress(F) * (R::ONE - self.share);
        if self.share > R::ZERO {
            P += (F - polar_rotation(F)) * (R::of(2.0) * self.kappa());
        }
        self.rest.pull_back(&(P * self.rest.measure).c)
    }
    fn hessian_psd(&self, x: &[Vec3<R>; 4]) -> Hessian<R, 4> {
        let F = self.deformation(x);
        if self.has_fibres() {
            return self.rest.pull_back_hessian(&self.column_hessians(F).psd);
        }
        self.principal_hessian(F).blocks(&self.rest)
    }
    fn hessian_exact(&self, x: &[Vec3<R>; 4]) -> Hessian<R, 4> {
        let F = self.deformation(x);
        if self.has_fibres() {
            return self.rest.pull_back_hessian(&self.column_hessians(F).exact);
        }
        self.principal_hessian(F).exact().blocks(&self.rest)
    }
    fn hessian_excess(&self, x: &[Vec3<R>; 4]) -> Option<Hessian<R, 4>> {
        let F = self.deformation(x);
        if self.has_fibres() {
            let ColumnHessians { exact, psd } = self.column_hessians(F);
            let excess = std::array::from_fn(|p| std::array::from_fn(|q| psd[p][q] - exact[p][q]));
            return (psd != exact).then(|| self.rest.pull_back_hessian(&excess));
        }
        Some(self.principal_hessian(F).excess()?.blocks(&self.rest))
    }
    fn hessian_diagonal(&self, x: &[Vec3<R>; 4]) -> [Mat3<R>; 4] {
        if self.has_fibres() {
            let hessian = self.hessian_psd(x);
            return std::array::from_fn(|i| hessian[i][i]);
        }
        self.principal_hessian(self.deformation(x)).diagonal(&self.rest)
    }
    fn pull(&self, rotation: Mat3<R>) -> Option<Pull<R, 4>> {
        let weight = R::of(2.0) * self.material.shear_modulus() * self.rest.measure;
        Some(Pull::new(&self.rest, weight, rotation))
    }
}

impl<R: Real> Convertible<R, 4> for SplineTet<R> {
    fn share(&self) -> R {
        self.share
    }
    fn set_share(&mut self, share: R) {
        self.share = share;
    }
    fn share_at(&self, x: &[Vec3<R>; 4]) -> R {
        least_to_share(svd(self.deformation(x)).sigma.z, CONVERTED_BELOW)
    }
}

#[cfg(test)]
#[path = "spline_tests.rs"]
mod tests;

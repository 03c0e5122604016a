//! Elements and their energies. One file per element: formula, citation, tests.
//!
//! A formula is a pure function of a stencil of `N` points, generic over precision. It declares what it offers by the
//! traits it implements; assembly, colouring and solving are written once, elsewhere.

// Matrices keep the letters they have in the papers: F, P, R, C, J.
#![allow(non_snake_case)]

mod arap_tet;
mod arap_triangle;
mod baraff_witkin_triangle;
pub mod batch;
mod convert;
mod corotated_tet;
mod corotated_triangle;
mod correct;
mod curve;
mod curved_bending;
mod dihedral_bending;
pub mod elastic_constants;
mod error;
mod frozen_tet;
#[cfg(test)]
mod harness;
pub mod hyperelastic;
pub mod isotropic;
mod law;
mod pin;
mod pull;
mod quadratic_bending;
mod registry;
pub mod simplex;
mod spline_energy;
mod spline_tet;
mod spring;
mod strain_limit;
mod stvk_triangle;
mod volume_limit;
mod wgsl;

pub use arap_tet::ArapTet;
pub use arap_triangle::ArapTriangle;
pub use baraff_witkin_triangle::BaraffWitkinTriangle;
pub use batch::{Batch, CompliantBatch, ConvertibleBatch, ElementBatch, ProjectiveBatch};
pub use corotated_tet::CorotatedTet;
pub use corotated_triangle::CorotatedTriangle;
pub use correct::{CorrectionSetting, Corrections, Disjoint};
pub use curve::{LeftOut, StressCurve, StressPoint, StretchTest, Why, even_stretches, stress_curve};
pub use curved_bending::CurvedBending;
pub use dihedral_bending::DihedralBending;
pub use elastic_constants::LameParameters;
pub use error::MaterialError;
pub use frozen_tet::FrozenTet;
pub use hyperelastic::{FungTet, MooneyRivlinTet, NeoHookeanTet, StableNeoHookeanTet, StvkTet};
pub use law::{LAWS, LawError, LawKind, SolidLaw, find_law};
pub use pin::Pin;
pub use pull::Pull;
pub use quadratic_bending::QuadraticBending;
pub use registry::Elements;
pub use spline_energy::{MOST_KNOTS, SplineEnergy};
pub use spline_tet::{Fibre, MOST_FIBRES, SplineMaterial, SplineTet};
pub use spring::Spring;
pub use strain_limit::{StrainLimit, StrainLimitTet, StrainLimitTriangle};
pub use stvk_triangle::StvkTriangle;
pub use volume_limit::VolumeLimitTet;
pub use wgsl::{WgslElement, WgslTwin, wgsl_formulas};

use crate::math::{Mat3, Real, Vec3};

/// The Hessian of an element on `N` points: a 3×3 block per pair of points, N/m.
pub type Hessian<R, const N: usize> = [[Mat3<R>; N]; N];

/// An elastic energy on a stencil of `N` points.
pub trait Energy<R: Real, const N: usize>: Copy + Send + Sync {
    /// Ψ(x), J. Never negative for the elements here; zero at rest.
    fn value(&self, x: &[Vec3<R>; N]) -> R;
    /// ∂Ψ/∂x, N.
    fn gradient(&self, x: &[Vec3<R>; N]) -> [Vec3<R>; N];
    /// [`Energy::gradient`] of several elements, to the same bits; override where several together are faster. All three
    /// slices have the same length.
    fn gradient_many(elements: &[Self], x: &[[Vec3<R>; N]], out: &mut [[Vec3<R>; N]]) {
        for ((element, x), out) in elements.iter().zip(x).zip(out) {
            *out = element.gradient(x);
        }
    }
    /// A positive semi-definite approximation of ∂²Ψ/∂x²; equal to it wherever that is positive semi-definite
    /// (up to the projection of the element's own eigenvalues), N/m.
    fn hessian_psd(&self, x: &[Vec3<R>; N]) -> Hessian<R, N>;
    /// ∂²Ψ/∂x² itself, where it is known and the element is not crushed; [`Energy::hessian_psd`] for other elements, N/m.
    fn hessian_exact(&self, x: &[Vec3<R>; N]) -> Hessian<R, N> {
        self.hessian_psd(x)
    }
    /// What [`Energy::hessian_psd`] is more than [`Energy::hessian_exact`], N/m; `None` if they are the same.
    fn hessian_excess(&self, _x: &[Vec3<R>; N]) -> Option<Hessian<R, N>> {
        None
    }
    /// The diagonal blocks of [`Energy::hessian_psd`] alone; override where they are cheaper on their own, N/m.
    fn hessian_diagonal(&self, x: &[Vec3<R>; N]) -> [Mat3<R>; N] {
        let hessian = self.hessian_psd(x);
        std::array::from_fn(|i| hessian[i][i])
    }
    /// What stands for it while the solid around it is wound up, with R̄; `None` of what has no part in that.
    fn pull(&self, _rotation: Mat3<R>) -> Option<Pull<R, N>> {
        None
    }
    /// What descents divide gradients by, for some iterations: [`Energy::hessian_diagonal`] of solids. What is thin turns
    /// meanwhile, and is stiff where it was slack; its blocks are as stiff in all directions (`in_all_directions`), N/m.
    fn scale(&self, x: &[Vec3<R>; N]) -> [Mat3<R>; N] {
        self.hessian_diagonal(x)
    }
}

/// The blocks of a constant Hessian's diagonal.
pub(crate) fn diagonal<R: Real, const N: usize>(stiffness: [[R; N]; N]) -> [Mat3<R>; N] {
    std::array::from_fn(|i| Mat3::scalar(stiffness[i][i]))
}

/// A bound of positive semi-definite blocks, however they turn: their traces.
pub(crate) fn in_all_directions<R: Real, const N: usize>(blocks: [Mat3<R>; N]) -> [Mat3<R>; N] {
    blocks.map(|block| Mat3::scalar(block.trace()))
}

/// What the local step of projective dynamics has to do for an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalStep {
    /// Nothing: the energy is quadratic in x, its constant Hessian goes into the matrix and p = 0.
    None,
    /// A spring: the projection is fused into the sweep over vertices.
    Spring,
    /// A projection per element; what the element does to its corners is written to a slot per corner and gathered by
    /// the vertices.
    Slots,
}

/// An energy w/2 ‖A_c x − p_c(x)‖² with constant `A_c`: what projective dynamics can solve (course eq 13, 14).
///
/// For every x: `gradient(x) = stiffness · x − project(x)`.
pub trait Projective<R: Real, const N: usize>: Energy<R, N> {
    /// What the local step does.
    const LOCAL: LocalStep;
    /// w_c A_cᵀA_c: the element's constant contribution to the global matrix, acting on x, y and z alike, N/m.
    fn stiffness(&self) -> [[R; N]; N];
    /// w_c A_cᵀ p_c(x): the element's contribution to the right-hand side, N.
    fn project(&self, x: &[Vec3<R>; N]) -> [Vec3<R>; N];
}

/// An energy ½ C(x)²/α: what position-based dynamics can solve.
pub trait Compliant<R: Real, const N: usize>: Energy<R, N> {
    /// α = 1/k; unit so that C²/α is in J. Infinite for an element of zero stiffness: leave that one out.
    fn compliance(&self) -> R;
    /// C(x) and ∇C(x). A zero gradient means that the constraint is satisfied or has no direction: skip it.
    fn constraint(&self, x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]);
}

/// An energy that is replaced where its element is crushed: (1 − l) of one that knows nothing of it, and l of one that pulls the
/// element back (course eq 46).
pub trait Convertible<R: Real, const N: usize>: Energy<R, N> {
    /// l in use, from 0 to 1.
    fn share(&self) -> R;
    /// Replaces it.
    fn set_share(&mut self, share: R);
    /// l of the element at x alone: above 1 where it is crushed, negative where it is not (course eq 45).
    fn share_at(&self, x: &[Vec3<R>; N]) -> R;
}

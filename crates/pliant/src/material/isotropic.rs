//! Hessians of isotropic energies, positive semi-definite by construction.
//!
//! Smith, de Goes, Kim 2019, "Analytic eigensystems for isotropic distortion energies": an energy of the singular
//! values alone, ψ(σ₀, σ₁, σ₂), has a Hessian whose eigenmatrices are known in the frame of U and V:
//!
//! ```text
//! twist of axes i, j:  (ψ_i + ψ_j)/(σ_i + σ_j)    U (e_i e_jᵀ − e_j e_iᵀ) Vᵀ/√2
//! flip of axes i, j:   (ψ_i − ψ_j)/(σ_i − σ_j)    U (e_i e_jᵀ + e_j e_iᵀ) Vᵀ/√2
//! scaling:             the 3×3 matrix ψ_ij        U e_i e_iᵀ Vᵀ
//! ```
//!
//! Negative ones are replaced by zero. Deviation: no 9×9 matrix is formed; block (i, j) of the element is U K Uᵀ with K
//! from β_i = Vᵀ b_i, about 40 operations. A membrane is the case where the third component of every β is zero; its
//! out-of-plane stiffness ψ_i/σ_i takes the place of twist and flip of axes i and 2.

use super::Hessian;
use super::simplex::Simplex;
use crate::math::eigen::project_psd;
use crate::math::{Mat3, Real, Svd, Vec3};

/// ∂²ψ/∂F² in the principal frame. Pair k means the two axes other than k.
#[derive(Clone, Copy, Debug)]
pub struct PrincipalHessian<R> {
    u: Mat3<R>,
    v: Mat3<R>,
    scale: [[R; 3]; 3],
    same: [R; 3],
    cross: [R; 3],
    /// Negative eigenvalues of twists and flips, without their sign.
    cut_twist: [R; 3],
    cut_flip: [R; 3],
    /// What projection added to the scaling matrix.
    cut_scale: [[R; 3]; 3],
}

impl<R: Real> PrincipalHessian<R> {
    /// From the eigenvalues of twists and flips (clamped here) and a scaling matrix that is positive semi-definite
    /// already; all in Pa (N/m for a membrane).
    #[inline]
    pub fn new(svd: &Svd<R>, scale: [[R; 3]; 3], twist: [R; 3], flip: [R; 3]) -> Self {
        // Where an element turns inside out they have no bound.
        let most = scale[0][0].max(R::ZERO);
        let (cut_twist, cut_flip) =
            (twist.map(|e| (-e).max(R::ZERO).min(most)), flip.map(|e| (-e).max(R::ZERO).min(most)));
        let (twist, flip) = (twist.map(|e| e.max(R::ZERO)), flip.map(|e| e.max(R::ZERO)));
        let none = [R::ZERO; 3];
        let cut_scale = [none; 3];
        let whole = Self { u: svd.u, v: svd.v, scale, same: none, cross: none, cut_twist, cut_flip, cut_scale };
        whole.with(twist, flip)
    }

    /// From eigenvalues and a scaling matrix that are all finite, whatever their sign.
    #[inline]
    pub fn projected(svd: &Svd<R>, scale: [[R; 3]; 3], twist: [R; 3], flip: [R; 3]) -> Self {
        let positive = project_psd(scale);
        let cut_scale = std::array::from_fn(|p| std::array::from_fn(|q| positive[p][q] - scale[p][q]));
        let cut = |eigenvalues: [R; 3]| eigenvalues.map(|e| (-e).max(R::ZERO));
        Self { cut_scale, cut_twist: cut(twist), cut_flip: cut(flip), ..Self::new(svd, positive, twist, flip) }
    }

    fn with(mut self, twist: [R; 3], flip: [R; 3]) -> Self {
        let half = R::of(0.5);
        self.same = std::array::from_fn(|k| (flip[k] + twist[k]) * half);
        self.cross = std::array::from_fn(|k| (flip[k] - twist[k]) * half);
        self
    }

    /// The Hessian before clamping; eigenvalues far below zero are not followed all the way.
    pub fn exact(self) -> Self {
        let Some(excess) = self.excess() else { return self };
        let less = |a: [R; 3], b: [R; 3]| std::array::from_fn(|k| a[k] - b[k]);
        let scale = std::array::from_fn(|p| less(self.scale[p], excess.scale[p]));
        Self { scale, same: less(self.same, excess.same), cross: less(self.cross, excess.cross), ..self }
    }

    /// What clamping added; `None` if nothing.
    pub fn excess(self) -> Option<Self> {
        let cuts = self.cut_twist.iter().chain(&self.cut_flip).chain(self.cut_scale.as_flattened());
        let none = cuts.into_iter().all(|cut| *cut == R::ZERO);
        let bare = Self { scale: self.cut_scale, ..self };
        (!none).then(|| bare.with(self.cut_twist, self.cut_flip))
    }

    /// The 3×3 block between corners with shape gradients β and γ (in V's frame), in U's frame.
    #[inline]
    fn block(&self, beta: Vec3<R>, gamma: Vec3<R>) -> Mat3<R> {
        let mut K = Mat3::ZERO;
        for p in 0..3 {
            for q in 0..3 {
                let entry = if p == q {
                    let (a, b) = ((p + 1) % 3, (p + 2) % 3);
                    self.scale[p][p] * beta[p] * gamma[p]
                        + self.same[b] * beta[a] * gamma[a]
                        + self.same[a] * beta[b] * gamma[b]
                } else {
                    self.scale[p][q] * beta[p] * gamma[q] + self.cross[3 - p - q] * beta[q] * gamma[p]
                };
                K.c[q][p] = entry;
            }
        }
        self.u * K * self.u.transpose()
    }

    /// All blocks of an element, N/m.
    pub fn blocks<const N: usize, const D: usize>(&self, simplex: &Simplex<R, N, D>) -> Hessian<R, N> {
        let vt = self.v.transpose();
        let beta: [Vec3<R>; N] = std::array::from_fn(|i| vt * simplex.gradient_of_corner(i));
        let mut out = [[Mat3::ZERO; N]; N];
        for i in 0..N {
            out[i][i] = self.block(beta[i], beta[i]) * simplex.measure;
            for j in 0..i {
                out[i][j] = self.block(beta[i], beta[j]) * simplex.measure;
                out[j][i] = out[i][j].transpose();
            }
        }
        out
    }

    /// The diagonal blocks of an element alone, N/m.
    pub fn diagonal<const N: usize, const D: usize>(&self, simplex: &Simplex<R, N, D>) -> [Mat3<R>; N] {
        let vt = self.v.transpose();
        std::array::from_fn(|i| {
            let beta = vt * simplex.gradient_of_corner(i);
            self.block(beta, beta) * simplex.measure
        })
    }
}

/// `numerator / denominator` where a sum of singular values may be zero: the denominator is kept off zero, so the
/// result is large and of the numerator's sign, never NaN.
#[inline]
pub fn over_sum<R: Real>(numerator: R, denominator: R) -> R {
    numerator / denominator.max(R::EPSILON)
}

/// Eigenvalues of the twists and flips of corotated elasticity μ‖F−R‖² + λ/2 tr²(RᵀF−I): 2μ + (λ tr − 2μ)·2/(σ_i+σ_j)
/// and 2μ. `dims` is 3 for a solid; 2 for a membrane, whose pairs 0 and 1 are the out-of-plane modes of axes 1 and 0.
pub fn corotated_twists<R: Real>(mu: R, lambda: R, sigma: Vec3<R>, dims: usize) -> ([R; 3], [R; 3]) {
    let two_mu = mu + mu;
    if dims == 3 {
        let pull = lambda * (sigma.x + sigma.y + sigma.z - R::of(3.0)) - two_mu;
        let sums = [sigma.y + sigma.z, sigma.x + sigma.z, sigma.x + sigma.y];
        return (sums.map(|s| two_mu + over_sum(pull + pull, s)), [two_mu; 3]);
    }
    let pull = lambda * (sigma.x + sigma.y - R::of(2.0)) - two_mu;
    let out = [two_mu + over_sum(pull, sigma.y), two_mu + over_sum(pull, sigma.x)];
    let twist = two_mu + over_sum(pull + pull, sigma.x + sigma.y);
    ([out[0], out[1], twist], [out[0], out[1], two_mu])
}

/// Twists, flips and scaling of ψ = f(σ₀) + f(σ₁) + f(σ₂), from f′ and f″ at each σ; `dims` as above.
pub fn separable<R: Real>(sigma: Vec3<R>, slope: Vec3<R>, bend: Vec3<R>, dims: usize) -> ([[R; 3]; 3], [R; 3], [R; 3]) {
    let mut scale = [[R::ZERO; 3]; 3];
    for p in 0..dims {
        scale[p][p] = bend[p].max(R::ZERO);
    }
    let (mut twist, mut flip) = ([R::ZERO; 3], [R::ZERO; 3]);
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        if dims == 2 && k < 2 {
            let in_plane = 1 - k;
            twist[k] = over_sum(slope[in_plane], sigma[in_plane]);
            flip[k] = twist[k];
            continue;
        }
        twist[k] = over_sum(slope[i] + slope[j], sigma[i] + sigma[j]);
        let gap = sigma[i] - sigma[j];
        let close = gap.abs() <= R::EPSILON.sqrt() * (sigma[i].abs() + sigma[j].abs());
        flip[k] = if close { bend[i] } else { (slope[i] - slope[j]) / gap };
    }
    (scale, twist, flip)
}

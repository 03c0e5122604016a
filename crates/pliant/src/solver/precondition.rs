//! z = P⁻¹ r: what turns a gradient into a step. Projective dynamics is x⁺ = x − P⁻¹∇E(x) with P made from the constant
//! matrix A, because ∇E(x) = A x − b(p(x)) (course eq 14).

use super::stationary::{PLAIN, Sweep};
use crate::device::{Blend, Device, DeviceError, Slot};

/// A symmetric positive definite approximation of A⁻¹.
pub(super) trait Precondition<D: Device> {
    /// z = P⁻¹ r, with the contacts of the last gradient.
    fn apply(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        r: &D::Points,
        z: &mut D::Points,
    ) -> Result<(), DeviceError>;
}

/// P = D
pub(super) struct Diagonal;

impl<D: Device> Precondition<D> for Diagonal {
    fn apply(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        r: &D::Points,
        z: &mut D::Points,
    ) -> Result<(), DeviceError> {
        device.divide_by_diagonal(problem, r, z);
        Ok(())
    }
}

/// x̂ = x − P⁻¹∇E(x): local step, then a global step that is as good as P.
pub(super) struct Preconditioned<D: Device, P> {
    precondition: P,
    relaxation: f64,
    fields: Option<[D::Points; 2]>,
}

impl<D: Device, P> Preconditioned<D, P> {
    /// With γ unless the user says otherwise. P⁻¹∇²E has eigenvalues in (0, 1], so any γ < 2 converges and never raises E.
    pub fn new(precondition: P, relaxation: f64) -> Self {
        Self { precondition, relaxation, fields: None }
    }
}

/// γ for a method with or without acceleration.
///
/// Alone, γ = 1 minimises fastest at first; Chebyshev wants the eigenvalues of I − γP⁻¹∇²E spread evenly about zero, which
/// takes γ near 2 (the tighter range of the footnote in course 2.1). Contacts turn, come and go, which so bold a γ answers with
/// restless hems; 1.4 is a compromise.
pub(super) fn relaxation(accelerated: bool, colliders: bool) -> f64 {
    match (accelerated, colliders) {
        (false, _) => 1.0,
        (true, false) => 1.9,
        (true, true) => 1.4,
    }
}

impl<D: Device, P: Precondition<D>> Sweep<D> for Preconditioned<D, P> {
    fn safe_relaxation(&mut self, _device: &mut D, _problem: &mut D::Problem) -> f64 {
        self.relaxation
    }

    /// Chebyshev leaves the same fraction of every mode; a plain iteration all but removes the stiffest ones, which hold
    /// most of the energy.
    fn plain_end(&self, accelerated: bool) -> usize {
        if accelerated { 2 } else { 0 }
    }

    /// A global step takes a remote device many kernels, and acceleration needs somebody to restart it.
    fn look_every(&self) -> usize {
        20
    }

    fn sweep(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        (x, x_before): (&mut D::Points, &mut D::Points),
        blends: &[Blend],
        residual: Option<Slot>,
    ) -> Result<(), DeviceError> {
        let [g, z] = self.fields.get_or_insert_with(|| [device.points(problem), device.points(problem)]);
        device.gradient(problem, x, g);
        self.precondition.apply(device, problem, g, z)?;
        if let Some(residual) = residual {
            device.dot(g, z, residual);
        }
        device.descend(problem, z, x, x_before, blends.first().copied().unwrap_or(PLAIN));
        std::mem::swap(x, x_before);
        Ok(())
    }
}

//! Position-based dynamics (course 1.3.5, 2.2.3, eq 27) and XPBD (Macklin, Müller, Chentanez 2016).
//!
//! Jacobi adds up all corrections and takes a fraction α of them; Gauss-Seidel applies them colour by colour; XPBD is
//! Gauss-Seidel that remembers its multipliers within a step. None of them minimises E exactly; E is reported all the
//! same.
//!
//! `vivace-pbd` (vivace 6) is symmetric Gauss-Seidel with the constant factor of line 7 in place of Chebyshev's sequence.
//! Deviations: line 7 acts on whole sweeps (`vivace.rs` says why), constraints are coloured, not vertices, and by `greedy`.

use super::stationary::{Sweep, take};
use crate::device::{Blend, Device, DeviceError, Factor, Slot};

/// All constraints at once.
pub(super) struct JacobiConstraints<D: Device> {
    /// α
    pub relaxation: f64,
    pub x_hat: Option<D::Points>,
}

impl<D: Device> Sweep<D> for JacobiConstraints<D> {
    fn end(&mut self, device: &mut D, problem: &mut D::Problem, x: &mut D::Points) {
        device.turn_free_parts(problem, x);
    }

    fn safe_relaxation(&mut self, _device: &mut D, _problem: &mut D::Problem) -> f64 {
        1.0
    }

    /// By what colliders push.
    fn moves_both(&self) -> bool {
        true
    }

    /// α was chosen for meshes of usual valence, and hinges add to it.
    fn may_overshoot(&self) -> bool {
        true
    }

    fn sweep(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        (x, x_before): (&mut D::Points, &mut D::Points),
        blends: &[Blend],
        residual: Option<Slot>,
    ) -> Result<(), DeviceError> {
        let x_hat = self.x_hat.get_or_insert_with(|| device.points(problem));
        device.constrain_jacobi(problem, self.relaxation, x, x_hat);
        finish(device, problem, (x, x_hat, x_before), blends, residual);
        Ok(())
    }
}

/// Colour after colour.
pub(super) struct ColouredConstraints<D: Device> {
    /// Keep multipliers (XPBD).
    pub extended: bool,
    /// Forward and backward, as Chebyshev needs.
    pub symmetric: bool,
    pub x_hat: Option<D::Points>,
}

impl<D: Device> Sweep<D> for ColouredConstraints<D> {
    fn begin(&mut self, device: &mut D, problem: &mut D::Problem) {
        device.reset_multipliers(problem);
    }

    fn end(&mut self, device: &mut D, problem: &mut D::Problem, x: &mut D::Points) {
        device.turn_free_parts(problem, x);
    }

    fn safe_relaxation(&mut self, _device: &mut D, _problem: &mut D::Problem) -> f64 {
        1.0
    }

    /// By what colliders push.
    fn moves_both(&self) -> bool {
        true
    }

    fn sweep(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        (x, x_before): (&mut D::Points, &mut D::Points),
        blends: &[Blend],
        residual: Option<Slot>,
    ) -> Result<(), DeviceError> {
        let x_hat = self.x_hat.get_or_insert_with(|| device.points(problem));
        device.copy(x, x_hat);
        let colours = device.constraint_colours(problem);
        let back = if self.symmetric { colours } else { 0 };
        for colour in (0..colours).chain((0..back).rev()) {
            device.constrain_colour(problem, colour, self.extended, x_hat);
        }
        finish(device, problem, (x, x_hat, x_before), blends, residual);
        Ok(())
    }
}

/// The blend, then pins and colliders; the residual is ‖x̂ − x‖², with what colliders do.
///
/// What they do is not accelerated: it moves x⁻ as well as x⁺. Nothing in a position-based sweep holds a body where it is, so
/// acceleration would carry it on, off the collider, by ten times the last push: a ball rose higher with every bounce.
fn finish<D: Device>(
    device: &mut D,
    problem: &mut D::Problem,
    (x, x_hat, x_before): (&mut D::Points, &mut D::Points, &mut D::Points),
    blends: &[Blend],
    residual: Option<Slot>,
) {
    take(device, x_hat, (x, x_before), blends);
    if residual.is_some() {
        device.axpy(Factor::Value(-1.0), x_before, x_hat);
    }
    device.enforce(problem, x, [x_before, x_hat]);
    if let Some(residual) = residual {
        device.dot(x_hat, x_hat, residual);
    }
}

//! Vivace: projective dynamics by over-relaxed Gauss-Seidel, colour by colour (vivace Algorithm 1).
//!
//! ω: over-relaxation. A sweep visits all colours; x⁺ᵢ = xᵢ + ω (x̂ᵢ − xᵢ) with x̂ᵢ = xᵢ − Dᵢ⁻¹∇ᵢE(x).
//!
//! Every vertex projects the elements around it anew, from the newest positions. A bounds the curvature of E from above, so for
//! 0 < ω < 2 no colour ever raises E. Along a cloth it is about twice that curvature, so there ω = 1.9 is hardly more than
//! plain Gauss-Seidel, which is why it is calm, and slow. Solving A z = ∇E(x) by over-relaxed sweeps that all go forward would
//! be true over-relaxation, with a third of the error after 100 sweeps of `hanging`; but its eigenvalues are complex, and with
//! 10 or 20 sweeps per step cloth gains speed without bound. Chebyshev on sweeps that go both ways has real ones and less error
//! yet.
//!
//! Deviations. (1) ω is applied to the last iterate (textbook SOR), not to the one before it (line 7): colour by colour and for
//! two colours that has eigenvalues r with (r² + ω − 1)² = ω² μ² r³, which is unstable for ω above 4/3. `vivace-momentum` does so
//! for whole symmetric sweeps: r² − ω λ r + ω − 1 = 0, stable for every ω < 2, since their λ are real and in [0, 1). (2) Sweeps go forward and backward in turn,
//! and the last is plain; a plain sweep (ω = 1) goes both ways. A step that ends with the error G(x̃ − x*) is stable in time
//! only if the eigenvalues of G are real and in [−1/3, 1], or small; those of a symmetric sweep are in [0, 1), those of a
//! single one with ω = 1.9 are anywhere up to 0.9 from zero. (3) Colours are those of `greedy` (line 2 asks for Algorithm 2,
//! [`crate::colouring::vivace`]): the graph is that of A, which does not change from step to step, and fewer colours are fewer
//! launches. Contacts between bodies are not in the graph; vertices of one colour that share one move together, for which their
//! blocks on the diagonal are large enough.

use super::stationary::{Sweep, take};
use crate::device::{Blend, Device, DeviceError, Factor, Slot};

pub(super) struct Vivace<D: Device> {
    /// ω
    pub omega: f64,
    /// Whole symmetric sweeps, as Chebyshev needs.
    pub symmetric: bool,
    /// The next sweep goes backward.
    pub backward: bool,
    pub x_hat: Option<D::Points>,
}

impl<D: Device> Vivace<D> {
    pub fn new(omega: f64, symmetric: bool) -> Self {
        Self { omega, symmetric, backward: false, x_hat: None }
    }
}

/// Relaxes all colours, in this or the other order.
fn visit<D: Device>(
    device: &mut D,
    problem: &mut D::Problem,
    (omega, backward): (f64, bool),
    x: &mut D::Points,
    residual: Option<Slot>,
) {
    let colours = device.colours(problem);
    for k in 0..colours {
        let colour = if backward { colours - 1 - k } else { k };
        device.relax(problem, colour, omega, x, residual);
    }
}

impl<D: Device> Sweep<D> for Vivace<D> {
    fn begin(&mut self, _device: &mut D, _problem: &mut D::Problem) {
        self.backward = false;
    }

    fn safe_relaxation(&mut self, _device: &mut D, _problem: &mut D::Problem) -> f64 {
        if self.symmetric { 1.0 } else { self.omega }
    }

    fn plain_end(&self, accelerated: bool) -> usize {
        if accelerated { 2 } else { 1 }
    }

    /// A sweep takes a remote device as many kernels as there are colours.
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
        if self.symmetric {
            let x_hat = self.x_hat.get_or_insert_with(|| device.points(problem));
            device.copy(x, x_hat);
            visit(device, problem, (1.0, false), x_hat, None);
            visit(device, problem, (1.0, true), x_hat, None);
            take(device, x_hat, (x, x_before), blends);
            if let Some(residual) = residual {
                // ‖x̂ − x‖²: acceleration has to know how far x is off, not what is left on the way to x̂.
                device.axpy(Factor::Value(-1.0), x_before, x_hat);
                device.dot(x_hat, x_hat, residual);
            }
            return Ok(());
        }
        let omega = blends.first().map_or(1.0, |blend| blend.under_relaxation);
        device.copy(x, x_before);
        visit(device, problem, (omega, self.backward), x, residual);
        self.backward = !self.backward;
        if omega == 1.0 {
            visit(device, problem, (omega, self.backward), x, None);
        }
        Ok(())
    }
}

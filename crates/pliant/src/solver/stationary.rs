//! The loop that projective and position-based dynamics share: a sweep gives a candidate, Chebyshev blends it
//! (course Algorithm 1).

use super::{Chebyshev, Control, SolveError, SolveReport, Solver};
use crate::device::{Blend, Device, DeviceError, Slot};

/// One fixed-point iteration.
pub(super) trait Sweep<D: Device> {
    /// A step begins.
    fn begin(&mut self, _device: &mut D, _problem: &mut D::Problem) {}

    /// γ that is safe for this problem.
    fn safe_relaxation(&mut self, device: &mut D, problem: &mut D::Problem) -> f64;

    /// From the iterate x computes the candidate x̂ and turns x⁻ into x⁺; writes the squared residual to `residual`.
    fn sweep(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        iterates: (&D::Points, &mut D::Points),
        blend: Blend,
        residual: Slot,
    ) -> Result<(), DeviceError>;
}

/// A sweep, repeated.
pub(super) struct Stationary<D: Device, S> {
    sweep: S,
    chebyshev: Option<Chebyshev>,
    /// γ; `None`: what is safe.
    under_relaxation: Option<f64>,
    safe: Option<f64>,
    x_before: Option<D::Points>,
}

const RESIDUAL: Slot = Slot(0);

impl<D: Device, S: Sweep<D>> Stationary<D, S> {
    pub fn new(sweep: S, chebyshev: Option<Chebyshev>, under_relaxation: Option<f64>) -> Self {
        Self { sweep, chebyshev, under_relaxation, safe: None, x_before: None }
    }
}

impl<D: Device, S: Sweep<D>> Solver<D> for Stationary<D, S> {
    fn solve(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        control: &mut Control<D>,
    ) -> Result<SolveReport, SolveError> {
        let x_before = self.x_before.get_or_insert_with(|| device.points(problem));
        device.copy(x, x_before);
        self.sweep.begin(device, problem);
        let safe = *self.safe.get_or_insert_with(|| self.sweep.safe_relaxation(device, problem));
        let under_relaxation = self.under_relaxation.unwrap_or(safe);
        if let Some(chebyshev) = &mut self.chebyshev {
            chebyshev.begin(control.iterations);
        }
        let mut report = SolveReport::default();
        let mut first_residual = f64::INFINITY;
        while control.go_on(device, problem, report.iterations, x) {
            let omega = self.chebyshev.as_mut().map_or(1.0, Chebyshev::next_omega);
            let blend = Blend { omega, under_relaxation };
            self.sweep.sweep(device, problem, (x, &mut *x_before), blend, RESIDUAL)?;
            std::mem::swap(x, x_before);

            let residual = device.scalar(RESIDUAL);
            if !residual.is_finite() {
                return Err(SolveError::NotFinite { iteration: report.iterations });
            }
            if report.iterations == 0 {
                first_residual = residual;
            }
            report.iterations += 1;
            if let Some(chebyshev) = &mut self.chebyshev {
                chebyshev.observe(residual);
                report.restarts = chebyshev.restarts;
            }
            if control.converged(residual, first_residual) {
                report.converged = true;
                break;
            }
        }
        Ok(report)
    }

    fn set_rho(&mut self, rho: f64) {
        if let Some(chebyshev) = &mut self.chebyshev {
            *chebyshev = Chebyshev::new(rho, chebyshev.delay);
        }
    }
}

//! Nonlinear conjugate gradients for any energy (course 3.1, eq 32, Fletcher and Reeves), with Jacobi's preconditioner or none.
//!
//! d = −P⁻¹g + (z/z⁻) d⁻, z = g · P⁻¹g, and α = −g·d/(d·H d), with H d = (∇E(x + t d) − g)/t, t being the last α. Deviations:
//! the paper evaluates H, which costs more than the second gradient does here; α is halved until E falls; a direction that
//! leads up, or along which E is not convex, starts again from −P⁻¹g.

use super::descent::{LONGEST, RENEWED};
use super::descent_ahead::ROUNDING;
use super::{Control, SolveError, SolveReport, Solver};
use crate::device::{Device, Factor, Scale, Slot};

pub(super) struct NonlinearCg<D: Device> {
    scale: Scale,
    /// Gradient, P⁻¹ times it, direction, a trial and the gradient there.
    fields: Option<[D::Points; 5]>,
}

impl<D: Device> NonlinearCg<D> {
    pub fn new(scale: Scale) -> Self {
        Self { scale, fields: None }
    }
}

const ZR: Slot = Slot(0);
const ZR_BEFORE: Slot = Slot(1);
const SLOPE: Slot = Slot(2);
const SLOPE_THERE: Slot = Slot(3);

/// How often α is halved before the solve ends.
pub(super) const HALVINGS: usize = 30;

impl<D: Device> Solver<D> for NonlinearCg<D> {
    fn solve(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        control: &mut Control<D>,
    ) -> Result<SolveReport, SolveError> {
        let [g, z, d, there, g_there] =
            self.fields.get_or_insert_with(|| std::array::from_fn(|_| device.points(problem)));
        let mut report = SolveReport::default();
        let mut energy = device.objective(problem, x)?;
        let (mut trial, mut first, mut fresh) = (1.0, f64::INFINITY, true);
        while control.go_on(device, problem, report.iterations, x) {
            let renewed = report.iterations.is_multiple_of(RENEWED);
            if renewed {
                device.rescale(problem, self.scale, x);
            }
            device.gradient(problem, x, g);
            device.divide_by_scale(problem, g, z);
            device.dot(z, g, ZR);
            let residual = device.scalar(ZR)?;
            if !residual.is_finite() {
                return Err(SolveError::NotFinite { iteration: report.iterations });
            }
            first = if first.is_infinite() { residual } else { first };
            report.converged = control.converged(residual, first) || residual == 0.0;
            if report.converged || control.settle(report.iterations, residual, 0) {
                report.settled = !report.converged;
                break;
            }
            // d is kept as −d: the direction of ascent.
            if fresh || renewed {
                device.copy(z, d);
            } else {
                device.xpay(z, Factor::Ratio(ZR, ZR_BEFORE), d);
            }
            device.copy_scalar(ZR, ZR_BEFORE);
            device.dot(g, d, SLOPE);
            if device.scalar(SLOPE)? <= 0.0 {
                device.copy(z, d);
                device.dot(g, d, SLOPE);
            }
            device.copy(x, there);
            device.axpy(Factor::Value(-trial), d, there);
            device.gradient(problem, there, g_there);
            device.dot(g_there, d, SLOPE_THERE);
            let (slope, slope_there) = (device.scalar(SLOPE)?, device.scalar(SLOPE_THERE)?);
            let curvature = (slope - slope_there) / trial;
            fresh = curvature.is_nan() || curvature <= 0.0;
            let mut step_length = if fresh { trial } else { slope / curvature };
            report.iterations += 1;
            match lower(device, problem, (x, there), d, (energy, &mut step_length))? {
                Some(lower) => energy = lower,
                // Not even along −P⁻¹g.
                None if fresh => break,
                None => fresh = true,
            }
            trial = step_length.clamp(1e-6, LONGEST);
        }
        Ok(report)
    }
}

/// x −= α d with α halved until E falls; E there, or `None` if it does not fall and x stays. Where a device that is far away would
/// see only rounding of E, the direction is believed.
pub(super) fn lower<D: Device>(
    device: &mut D,
    problem: &mut D::Problem,
    (x, there): (&mut D::Points, &mut D::Points),
    d: &D::Points,
    (energy, step_length): (f64, &mut f64),
) -> Result<Option<f64>, SolveError> {
    let least = if device.is_remote() { energy + ROUNDING * energy.abs() } else { energy };
    for _ in 0..HALVINGS {
        device.copy(x, there);
        device.axpy(Factor::Value(-*step_length), d, there);
        let lower = device.objective(problem, there)?;
        if lower < least {
            std::mem::swap(x, there);
            return Ok(Some(lower.min(energy)));
        }
        *step_length *= 0.5;
    }
    Ok(None)
}

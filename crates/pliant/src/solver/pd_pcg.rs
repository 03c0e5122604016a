//! Projective dynamics by nonlinear preconditioned conjugate gradients (course Algorithm 2).
//!
//! Deviation: as printed, α and the update stand inside the `else` branch, which would skip the first step; they belong
//! after it. α = (p·r)/(p·A p) never increases E, because A bounds its curvature from above.

use super::control::RARELY;
use super::precondition::Precondition;
use super::{Control, SolveError, SolveReport, Solver};
use crate::device::{Device, Factor, Slot};

pub(super) struct NonlinearPcg<D: Device, P> {
    precondition: P,
    fields: Option<[D::Points; 4]>,
}

impl<D: Device, P> NonlinearPcg<D, P> {
    pub fn new(precondition: P) -> Self {
        Self { precondition, fields: None }
    }
}

const ZR: Slot = Slot(0);
const ZR_BEFORE: Slot = Slot(1);
const PR: Slot = Slot(2);
const PAP: Slot = Slot(3);

impl<D: Device, P: Precondition<D>> Solver<D> for NonlinearPcg<D, P> {
    fn solve(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        control: &mut Control<D>,
    ) -> Result<SolveReport, SolveError> {
        let [g, z, p, ap] = self.fields.get_or_insert_with(|| std::array::from_fn(|_| device.points(problem)));
        let mut report = SolveReport::default();
        let mut first = f64::INFINITY;
        while control.go_on(device, problem, report.iterations, x) {
            // r = −g, so the signs of z and p are those of ascent until the update.
            device.gradient(problem, x, g);
            self.precondition.apply(device, problem, g, z)?;
            device.dot(z, g, ZR);
            if report.iterations == 0 {
                device.copy(z, p);
            } else {
                device.xpay(z, Factor::Ratio(ZR, ZR_BEFORE), p);
            }
            device.copy_scalar(ZR, ZR_BEFORE);
            device.multiply(problem, p, ap);
            device.dot(p, g, PR);
            device.dot(p, ap, PAP);
            device.axpy(Factor::MinusRatio(PR, PAP), p, x);
            report.iterations += 1;
            if control.looks(device, report.iterations - 1, RARELY) {
                let residual = device.scalar(ZR)?;
                if !residual.is_finite() {
                    return Err(SolveError::NotFinite { iteration: report.iterations - 1 });
                }
                if first.is_infinite() {
                    first = residual;
                }
                report.converged = control.converged(residual, first);
                if report.converged {
                    break;
                }
                report.settled |= control.settle(report.iterations, residual, 0);
            }
        }
        Ok(report)
    }
}

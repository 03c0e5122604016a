//! Corotated finite elements by early-terminated conjugate gradients (cg sections 3 and 4): one linear system per step, and as many
//! iterations on it as there is time for.
//!
//! Linearly implicit Euler (cg eq 9) in positions, u = x − x_n = h v, as all of E is: (M/h² + K + D/h + contacts) u = −∇E(x_n), with K
//! and forces of the rotations at x_n. Solving for v − v_n (cg eq 13) is solving for how x differs from the first iterate; from zero
//! its iterates are those of eq 9 from v_n. The result is one step of Newton's method with a stiffness that misses how elements
//! turn, so that E is near its minimum, and nearer the shorter the step.
//!
//! Contacts are those of x̃; what another body does to a vertex comes in as it is there.
//!
//! | symbol | code |
//! |---|---|
//! | r, z = P⁻¹ r, p, q = A p | `r`, `z`, `p`, `q` |
//! | α = r·z / p·q | in [`Device::advance`], for all objects together or for each alone |
//! | β = r·z / (r·z before) | in [`Device::conjugate`] |

use super::{Control, SolveError, SolveReport, Solver};
use crate::device::{Device, DeviceError, Factor, LinearSetting, Slot};
use crate::scene::{LinearForm, LinearSettings, Stopping};

/// Iterations whose gain is taken for the error before them: the error of conjugate gradients falls in leaps.
const BEHIND: usize = 4;

pub(super) struct CorotatedCg<D: Device> {
    settings: LinearSettings,
    fields: Option<Fields<D>>,
    /// What the last iterations gained, m².
    gained: [f64; BEHIND],
}

struct Fields<D: Device> {
    /// Where u is zero.
    origin: D::Points,
    b: D::Points,
    u: D::Points,
    r: D::Points,
    z: D::Points,
    p: D::Points,
    q: D::Points,
}

/// b·b and r·r.
const BB: Slot = Slot(0);
const RR: Slot = Slot(1);

impl<D: Device> CorotatedCg<D> {
    pub fn new(settings: LinearSettings) -> Self {
        Self { settings, fields: None, gained: [f64::INFINITY; BEHIND] }
    }

    /// Whether vertices are as near to the solution as they are asked to be, after so many iterations.
    fn is_near(&mut self, device: &mut D, problem: &mut D::Problem, done: usize) -> Result<bool, DeviceError> {
        let Some(accuracy) = self.settings.accuracy else { return Ok(false) };
        let progress = device.linear_progress(problem)?;
        self.gained[done % BEHIND] = progress.gained_sq;
        let left_sq = match self.settings.stopping {
            Stopping::Energy => self.gained.iter().sum(),
            Stopping::Motion => progress.moved_sq,
        };
        Ok(left_sq <= accuracy * accuracy)
    }
}

impl<D: Device> Fields<D> {
    fn new(device: &D, problem: &D::Problem) -> Self {
        let field = || device.points(problem);
        Self { origin: field(), b: field(), u: field(), r: field(), z: field(), p: field(), q: field() }
    }

    /// The system, and the residual of the first iterate.
    fn begin(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        settings: LinearSettings,
        x: &D::Points,
    ) -> Result<(), DeviceError> {
        let Self { origin, b, u, r, p, q, .. } = self;
        let LinearSettings { preconditioner, assembled, per_object, .. } = settings;
        device.linearise(problem, LinearSetting { preconditioner, assembled, per_object }, [origin, b])?;
        device.copy(x, u);
        device.axpy(Factor::Value(-1.0), origin, u);
        device.multiply_linear(problem, u, q);
        device.copy(b, r);
        device.axpy(Factor::Value(-1.0), q, r);
        if settings.form == LinearForm::VelocityDifference {
            device.copy(x, origin);
            device.copy(r, b);
            device.clear(u);
        }
        device.clear(p);
        Ok(())
    }

    /// x of the iterate.
    fn place(&self, device: &mut D, problem: &D::Problem, x: &mut D::Points) {
        device.copy(&self.origin, x);
        device.axpy(Factor::Value(1.0), &self.u, x);
        // To the bit.
        device.hold(problem, x);
    }
}

impl<D: Device> Solver<D> for CorotatedCg<D> {
    fn solve(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        control: &mut Control<D>,
    ) -> Result<SolveReport, SolveError> {
        let mut fields = self.fields.take().unwrap_or_else(|| Fields::new(device, problem));
        fields.begin(device, problem, self.settings, x)?;
        self.gained = [f64::INFINITY; BEHIND];
        let solved = self.iterate(device, problem, &mut fields, (x, control));
        fields.place(device, problem, x);
        self.fields = Some(fields);
        solved
    }
}

impl<D: Device> CorotatedCg<D> {
    fn iterate(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        fields: &mut Fields<D>,
        (x, control): (&mut D::Points, &mut Control<D>),
    ) -> Result<SolveReport, SolveError> {
        let mut report = SolveReport::default();
        let mut whole = 0.0;
        if control.tolerance > 0.0 {
            device.dot(&fields.b, &fields.b, BB);
            whole = device.scalar(BB)?;
        }
        while control.go_on(device, problem, report.iterations, x) {
            let Fields { u, r, z, p, q, .. } = fields;
            device.precondition_linear(problem, r, z);
            device.conjugate(problem, z, p);
            device.multiply_linear(problem, p, q);
            device.advance(problem, [p, q], [u, r]);
            report.iterations += 1;
            if control.watch.is_some() {
                fields.place(device, problem, x);
            }
            report.converged = self.is_near(device, problem, report.iterations)?;
            if control.tolerance > 0.0 || control.settles() {
                device.dot(&fields.r, &fields.r, RR);
                let residual = device.scalar(RR)?;
                if !residual.is_finite() {
                    return Err(SolveError::NotFinite { iteration: report.iterations - 1 });
                }
                report.converged |= control.converged(residual, whole);
                report.settled |= !report.converged && control.settle(report.iterations, residual, 0);
            }
            if report.converged {
                break;
            }
        }
        Ok(report)
    }
}

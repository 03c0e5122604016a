//! Descent with Jacobi's preconditioner and momentum (course section 3, Algorithm 3; Wang and Yang 2016), for any energy.
//!
//! x̄⁺ = x − α P⁻¹ ∇E(x) (steps 1 to 3), then momentum (step 4): Chebyshev's, x⁺ = ω (x̄⁺ − x⁻) + x⁻; Nesterov's,
//! x⁺ = x̄⁺ + β (x̄⁺ − x̄); or none. P = diag ∇²E in blocks of a vertex, renewed every M = 32 iterations; or one number for
//! all, which is plain gradient descent. Every eighth iteration E must have fallen (c = 0 in course eq 35); else the solve goes
//! back to where it was eight iterations ago, with α smaller by γ = 0.7, and momentum starts again; P stays, as in the paper, unless it
//! was renewed at an iterate that is lost by that. The next step begins with
//! α/0.98; the paper has α/γ, with which nearly every step goes back at its first look. So α/γ is only for what is below the α
//! that solves begin with, after a solve that never went back: what a crash made small recovers.
//!
//! Beyond the paper: who goes back again also doubles 1 − ρ of Chebyshev, because too large a ρ and too large an α look alike;
//! and in contacts there is no momentum (`contact/cover.rs`).
//!
//! On a device that is far away the loop is another one, which hardly ever waits: `descent_ahead.rs`.
//!
//! | symbol | code |
//! |---|---|
//! | α | `step_length` |
//! | ω, ρ | [`Chebyshev`] |
//! | β = (t − 1)/t⁺, t⁺ = (1 + √(1 + 4t²))/2 | [`Nesterov`] |

use super::descent_ahead::Verdict;
use super::{Chebyshev, Control, SolveError, SolveReport, Solver};
use crate::device::{Blend, Device, Factor, Scale, Slot};
use std::time::Instant;

/// M unless the scene says otherwise: iterations between renewals of the preconditioner.
pub(super) const RENEWED: usize = 32;
/// Iterations between looks at E.
const LOOKED_AT: usize = 8;
/// γ: what α is multiplied by when E has not fallen.
pub(super) const SHORTER: f64 = 0.7;
/// E is not known better than to this part of it.
const ROUNDING: f64 = 1e-14;
/// α of the first solve, unless the scene says otherwise.
const FIRST: f64 = 0.6;
/// What α is divided by at the end of a solve in which E fell.
const LONGER: f64 = 0.98;
/// α below which it is not worthwhile to go on; the next solve begins like the first.
pub(super) const SHORTEST: f64 = 1e-3;
/// Jacobi's blocks bound a quarter of the curvature of a tetrahedron at worst, so no α above 2 is safe anywhere.
pub(super) const LONGEST: f64 = 2.0;

/// Step 4 of Algorithm 3.
pub(super) enum Momentum {
    None,
    Chebyshev(Box<Chebyshev>),
    Nesterov(Nesterov),
}

/// The sequence of Nesterov 1983 for functions that are not known to be strongly convex.
#[derive(Default)]
pub(super) struct Nesterov {
    t: f64,
}

impl Nesterov {
    fn next_beta(&mut self) -> f64 {
        let t = self.t.max(1.0);
        self.t = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        (t - 1.0) / self.t
    }
}

/// Algorithm 3.
pub(super) struct Descent<D: Device> {
    pub(super) scale: Scale,
    pub(super) momentum: Momentum,
    /// α of the first solve.
    first: f64,
    /// M.
    pub(super) renewed: usize,
    /// α for the next solve, if it is not too short; 0 before the first.
    pub(super) step_length: f64,
    pub(super) fields: Option<Fields<D>>,
}

pub(super) struct Fields<D: Device> {
    pub gradient: D::Points,
    pub z: D::Points,
    /// x⁻, or x̄ of Nesterov.
    pub before: D::Points,
    /// x̄⁺ of Nesterov.
    pub ahead: D::Points,
    /// The iterate with the least E that was looked at.
    pub kept: D::Points,
    /// The iterate whose E is on its way, of a device that is far away.
    pub tried: Option<D::Points>,
}

impl<D: Device> Descent<D> {
    /// `first` is the α to begin with, `renewed` M.
    pub fn new(scale: Scale, momentum: Momentum, first: Option<f64>, renewed: Option<usize>) -> Self {
        let (first, renewed) = (first.unwrap_or(FIRST), renewed.unwrap_or(RENEWED));
        Self { scale, momentum, first, renewed, step_length: 0.0, fields: None }
    }

    /// Momentum starts again from x.
    pub(super) fn restart(&mut self, device: &mut D, x: &D::Points, carefully: bool) {
        let Some(fields) = &mut self.fields else { return };
        device.copy(x, &mut fields.before);
        match &mut self.momentum {
            Momentum::None => {}
            Momentum::Chebyshev(chebyshev) => chebyshev.restart(if carefully { 2.0 } else { 1.0 }),
            Momentum::Nesterov(nesterov) => *nesterov = Nesterov::default(),
        }
    }

    /// Step 1: the direction at x; ∇Eᵀ P⁻¹ ∇E.
    fn aim(&mut self, device: &mut D, problem: &mut D::Problem, x: &D::Points) -> Result<f64, SolveError> {
        if let Some(Fields { gradient, z, .. }) = &mut self.fields {
            device.gradient(problem, x, gradient);
            device.divide_by_scale(problem, gradient, z);
            device.dot(gradient, z, RESIDUAL);
        }
        Ok(device.scalar(RESIDUAL)?)
    }

    /// Steps 3 and 4.
    pub(super) fn go(&mut self, device: &mut D, problem: &D::Problem, x: &mut D::Points, step_length: f64) {
        let Some(Fields { z, before, ahead, .. }) = &mut self.fields else { return };
        match &mut self.momentum {
            Momentum::None => device.axpy(Factor::Value(-step_length), z, x),
            Momentum::Chebyshev(chebyshev) => {
                let blend = Blend { omega: chebyshev.next_omega(), under_relaxation: step_length };
                device.descend(problem, z, x, before, blend);
                std::mem::swap(x, before);
            }
            Momentum::Nesterov(nesterov) => {
                let beta = nesterov.next_beta();
                device.copy(x, ahead);
                device.axpy(Factor::Value(-step_length), z, ahead);
                // By differences, which are exactly zero where vertices are held: rounding must not move those.
                device.axpy(Factor::Value(-1.0), ahead, before);
                device.xpay(ahead, Factor::Value(-beta), before);
                std::mem::swap(x, before);
                std::mem::swap(before, ahead);
            }
        }
    }
}

/// ∇Eᵀ P⁻¹ ∇E of the last iterate.
pub(super) const RESIDUAL: Slot = Slot(0);
/// How many elements were converted.
pub(super) const RAISED: Slot = Slot(1);

impl<D: Device> Descent<D> {
    /// A solve of at most so many iterations begins at x; α to begin with.
    fn begin(&mut self, device: &mut D, problem: &D::Problem, x: &D::Points, iterations: usize) -> f64 {
        let point = || device.points(problem);
        let fields = self.fields.take().unwrap_or_else(|| Fields {
            gradient: point(),
            z: point(),
            before: point(),
            ahead: point(),
            kept: point(),
            tried: device.is_remote().then(point),
        });
        let fields = self.fields.insert(fields);
        device.copy(x, &mut fields.kept);
        device.copy(x, &mut fields.before);
        match &mut self.momentum {
            Momentum::None => {}
            Momentum::Chebyshev(chebyshev) => chebyshev.begin(iterations),
            Momentum::Nesterov(nesterov) => *nesterov = Nesterov::default(),
        }
        // With steps that were too short, or were lost in rounding, the next solve would get nowhere either.
        if self.step_length >= SHORTEST { self.step_length } else { self.first }.min(LONGEST)
    }

    /// A solve in which E fell has ended; it went back so often.
    pub(super) fn lengthen(&mut self, restarts: usize) {
        self.step_length /= if restarts == 0 && self.step_length < self.first { SHORTER } else { LONGER };
    }
}

/// What a solve knows.
struct Descending {
    report: SolveReport,
    /// α
    step_length: f64,
    /// E at the first iterate, and the least that was looked at: of x or of what was kept.
    start: f64,
    least: f64,
    /// E has fallen since the solve began.
    fell: bool,
    /// Iterations since x was what is kept.
    since: usize,
    /// P was renewed in these.
    renewed_since: bool,
}

impl<D: Device> Descent<D> {
    fn descend(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        (control, state): (&mut Control<D>, &mut Descending),
    ) -> Result<(), SolveError> {
        let mut first = f64::INFINITY;
        while control.go_on(device, problem, state.report.iterations, x) {
            if state.report.iterations.is_multiple_of(self.renewed) {
                device.rescale(problem, self.scale, x);
                state.renewed_since = state.since > 0;
            }
            let residual = self.aim(device, problem, x)?;
            if state.since == 0 && !residual.is_finite() {
                return Err(SolveError::NotFinite { iteration: state.report.iterations });
            }
            first = if first.is_infinite() { residual } else { first };
            // Before momentum carries x away from here.
            let report = &mut state.report;
            report.converged = control.converged(residual, first) || residual == 0.0;
            if report.converged || control.settle(report.iterations, residual, 0) {
                report.settled = !report.converged;
                break;
            }
            self.go(device, problem, x, state.step_length);
            report.iterations += 1;
            state.since += 1;
            let looks = report.iterations.is_multiple_of(LOOKED_AT) || report.iterations == control.iterations;
            if looks && matches!(self.look(device, problem, x, (state, residual))?, Verdict::End) {
                break;
            }
        }
        Ok(())
    }

    /// Whether E fell; else x goes back to what was kept. `residual` is that of the iterate before.
    fn look(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        (state, residual): (&mut Descending, f64),
    ) -> Result<Verdict, SolveError> {
        if self.convert(device, problem, x, state)? {
            device.rescale(problem, self.scale, x);
            state.renewed_since = true;
        }
        let Some(fields) = &mut self.fields else { return Ok(Verdict::End) };
        let energy = device.objective(problem, x)?;
        state.since = 0;
        let renewed = std::mem::take(&mut state.renewed_since);
        if energy <= state.least + ROUNDING * state.least.abs() {
            device.copy(x, &mut fields.kept);
            (state.least, self.step_length, state.fell) = (energy, state.step_length, true);
            return Ok(Verdict::Fell);
        }
        device.copy(&fields.kept, x);
        // What ∇Eᵀ P⁻¹ ∇E promises is lost in rounding if it is less than this part of what the solve has gained.
        let drowned = if device.precision() == "f64" { 1e-18 } else { 1e-6 };
        if residual <= drowned * (state.start - state.least) {
            state.report.settled = true;
            return Ok(Verdict::End);
        }
        state.step_length *= SHORTER;
        if !state.fell {
            self.step_length = state.step_length;
        }
        state.report.restarts += 1;
        if renewed {
            // At an iterate that is lost.
            device.rescale(problem, self.scale, x);
        }
        self.restart(device, x, state.report.restarts > 1);
        Ok(if state.step_length < SHORTEST { Verdict::End } else { Verdict::Back })
    }

    /// Raises l where x needs it; whether that changed E, which was another at what is kept, too.
    fn convert(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &D::Points,
        state: &mut Descending,
    ) -> Result<bool, SolveError> {
        device.convert(problem, x, RAISED);
        let raised = device.scalar(RAISED)? > 0.0;
        if let Some(fields) = self.fields.as_ref().filter(|_| raised) {
            state.report.converted = true;
            state.least = device.objective(problem, &fields.kept)?;
        }
        Ok(raised)
    }

    /// The iterations since the last look.
    fn finish(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        state: &mut Descending,
    ) -> Result<(), SolveError> {
        if state.since == 0 {
            return Ok(());
        }
        self.convert(device, problem, x, state)?;
        let energy = device.objective(problem, x)?;
        let fell = energy <= state.least + ROUNDING * state.least.abs();
        if let Some(fields) = self.fields.as_ref().filter(|_| !fell) {
            device.copy(&fields.kept, x);
            state.report.converged = false;
        }
        Ok(())
    }
}

impl<D: Device> Solver<D> for Descent<D> {
    fn solve(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        control: &mut Control<D>,
    ) -> Result<SolveReport, SolveError> {
        let step_length = self.begin(device, problem, x, control.iterations);
        if device.is_remote() {
            return self.solve_ahead(device, problem, x, (control, step_length));
        }
        let begun = Instant::now();
        let start = device.objective(problem, x)?;
        control.reserve(begun.elapsed());
        let report = SolveReport::default();
        let (fell, since, renewed_since) = (false, 0, false);
        let mut state = Descending { report, step_length, start, least: start, fell, since, renewed_since };
        self.descend(device, problem, x, (control, &mut state))?;
        self.finish(device, problem, x, &mut state)?;
        if state.fell {
            self.lengthen(state.report.restarts);
        }
        Ok(state.report)
    }

    fn set_rho(&mut self, rho: f64) {
        if let Momentum::Chebyshev(chebyshev) = &mut self.momentum {
            **chebyshev = chebyshev.with_rho(rho);
        }
    }

    fn step_length(&self) -> f64 {
        self.step_length
    }

    fn set_step_length(&mut self, step_length: f64) {
        self.step_length = step_length;
    }
}

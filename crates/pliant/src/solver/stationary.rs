//! The loop that projective and position-based dynamics share: a sweep gives a candidate, Chebyshev blends it
//! (course Algorithm 1).

use super::best::Best;
use super::control::RARELY;
use super::{Chebyshev, Control, SolveError, SolveReport, Solver};
use crate::device::{Blend, Device, DeviceError, Slot};

/// One fixed-point iteration.
pub(super) trait Sweep<D: Device> {
    /// A step begins.
    fn begin(&mut self, _device: &mut D, _problem: &mut D::Problem) {}

    /// A step ends with x.
    fn end(&mut self, _device: &mut D, _problem: &mut D::Problem, _x: &mut D::Points) {}

    /// γ that is safe for this problem.
    fn safe_relaxation(&mut self, device: &mut D, problem: &mut D::Problem) -> f64;

    /// Whether γ = [`Sweep::safe_relaxation`] is a guess that may turn out too large.
    fn may_overshoot(&self) -> bool {
        false
    }

    /// How many plain iterations (ω = γ = 1) a solve should end with, accelerated or not.
    fn plain_end(&self, _accelerated: bool) -> usize {
        0
    }

    /// A sweep moves x⁻, too, so that after it only x is an iterate.
    fn moves_both(&self) -> bool {
        false
    }

    /// How many iterations the device may be given at once.
    fn batch(&self) -> usize {
        1
    }

    /// After how many iterations a look at the residual, which a remote device is waited for, costs little beside them.
    fn look_every(&self) -> usize {
        RARELY
    }

    /// For each blend computes the candidate x̂ from the iterate x and blends; then x is the last iterate and x⁻ the one
    /// before it. Writes the squared residual of x⁻ to `residual` if asked to.
    fn sweep(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        iterates: (&mut D::Points, &mut D::Points),
        blends: &[Blend],
        residual: Option<Slot>,
    ) -> Result<(), DeviceError>;
}

/// A sweep, repeated.
pub(super) struct Stationary<D: Device, S> {
    sweep: S,
    chebyshev: Option<Chebyshev>,
    /// γ; `None`: what is safe.
    under_relaxation: Option<f64>,
    /// No γ above 1.
    careful: bool,
    safe: Option<f64>,
    x_before: Option<D::Points>,
    best: Best<D>,
    blends: Vec<Blend>,
    /// Iterations of the last solve: what a deadline will leave time for.
    last_iterations: Option<usize>,
}

/// A solve under way; residuals are squared.
struct Progress {
    report: SolveReport,
    /// γ
    under_relaxation: f64,
    /// γ may turn out too large.
    may_overshoot: bool,
    first_residual: f64,
    least_residual: f64,
}

const RESIDUAL: Slot = Slot(0);

/// An iteration without acceleration.
pub(super) const PLAIN: Blend = Blend { omega: 1.0, under_relaxation: 1.0 };

/// What a deadline is expected to leave time for until it is known.
const FIRST_GUESS: usize = 30;

/// A squared residual this many times the least so far means that a sweep without guarantees diverges.
const DIVERGED: f64 = 16.0;

impl<D: Device, S: Sweep<D>> Stationary<D, S> {
    pub fn new(sweep: S, chebyshev: Option<Chebyshev>, under_relaxation: Option<f64>) -> Self {
        let (safe, x_before, best, blends) = (None, None, Best::default(), Vec::new());
        let (careful, last_iterations) = (false, None);
        Self { sweep, chebyshev, under_relaxation, careful, safe, x_before, best, blends, last_iterations }
    }

    /// x⁻ = x, and everything as it is before the first iteration.
    fn begin(&mut self, device: &mut D, problem: &mut D::Problem, x: &D::Points, control: &Control<D>) -> Progress {
        let x_before = self.x_before.get_or_insert_with(|| device.points(problem));
        device.copy(x, x_before);
        self.sweep.begin(device, problem);
        self.best.begin();
        let safe = *self.safe.get_or_insert_with(|| self.sweep.safe_relaxation(device, problem));
        let mut under_relaxation = self.under_relaxation.unwrap_or(safe);
        if self.careful || self.chebyshev.is_some_and(|chebyshev| chebyshev.rho == 0.0) {
            // Acceleration is switched off for safety; a γ above 1 is part of it, and overshoots into new contacts.
            under_relaxation = under_relaxation.min(1.0);
        }
        if let Some(chebyshev) = &mut self.chebyshev {
            let in_time = control.deadline.map(|_| self.last_iterations.unwrap_or(FIRST_GUESS));
            chebyshev.begin(control.iterations.min(in_time.unwrap_or(usize::MAX)));
        }
        Progress {
            report: SolveReport::default(),
            under_relaxation,
            may_overshoot: self.under_relaxation.is_none() && self.sweep.may_overshoot(),
            first_residual: f64::INFINITY,
            least_residual: f64::INFINITY,
        }
    }

    /// ω and γ of as many iterations as are made in one go; whether somebody looks at the residual of the last one.
    fn choose_blends(&mut self, device: &D, control: &mut Control<D>, progress: &Progress) -> bool {
        let (done, every) = (progress.report.iterations, self.sweep.look_every());
        let count = self.sweep.batch().min(control.until_look(device, done, every));
        self.blends.clear();
        for k in done..done + count {
            let omega = self.chebyshev.as_mut().map_or(1.0, Chebyshev::next_omega);
            let ending = ends_soon(self.plain_end(), k, control);
            let under_relaxation = progress.under_relaxation;
            self.blends.push(if ending { PLAIN } else { Blend { omega, under_relaxation } });
        }
        control.looks(device, done + count - 1, every)
    }

    /// Looks at the residual: whether acceleration restarts, γ was too large, or the solve is over.
    fn observe(
        &mut self,
        device: &mut D,
        (problem, x): (&D::Problem, &D::Points),
        control: &mut Control<D>,
        progress: &mut Progress,
    ) -> Result<(), SolveError> {
        let Progress { report, under_relaxation, may_overshoot, first_residual, least_residual } = progress;
        let residual = device.scalar(RESIDUAL)?;
        if !residual.is_finite() {
            return Err(SolveError::NotFinite { iteration: report.iterations - 1 });
        }
        if first_residual.is_infinite() {
            *first_residual = residual;
        }
        // What was swept is in x⁻ now.
        let swept = if self.sweep.moves_both() { Some(x) } else { self.x_before.as_ref() };
        if let Some(swept) = swept.filter(|_| control.deadline.is_some()) {
            self.best.observe(device, problem, swept, residual);
        }
        if let Some(chebyshev) = &mut self.chebyshev {
            chebyshev.observe(residual);
            report.restarts = chebyshev.restarts;
        }
        *least_residual = least_residual.min(residual);
        if *may_overshoot && residual > DIVERGED * *least_residual {
            // Only in this step: what the next ones do must not depend on where a run was resumed.
            *under_relaxation *= 0.5;
            *least_residual = residual;
        }
        report.converged = control.converged(residual, *first_residual);
        if !report.converged {
            report.settled |= control.settle(report.iterations, residual, self.plain_end());
        }
        Ok(())
    }

    /// How many plain iterations the solve should end with.
    fn plain_end(&self) -> usize {
        self.sweep.plain_end(self.chebyshev.is_some())
    }
}

/// Takes a candidate for the next iterate: x⁻ becomes x⁺, and the two change places. For sweeps one at a time.
pub(super) fn take<D: Device>(
    device: &mut D,
    x_hat: &D::Points,
    (x, x_before): (&mut D::Points, &mut D::Points),
    blends: &[Blend],
) {
    device.blend(x_hat, x, x_before, blends.first().copied().unwrap_or(PLAIN));
    std::mem::swap(x, x_before);
}

/// Whether no more than `end` iterations are left, by their number or by the clock. The first before a deadline may be the
/// last: nobody knows yet how long one takes.
fn ends_soon<D: Device>(end: usize, done: usize, control: &mut Control<D>) -> bool {
    let unknown = done == 0 && control.deadline.is_some();
    end > 0 && (unknown || done + end >= control.iterations || !control.in_time(done, end + 1))
}

impl<D: Device, S: Sweep<D>> Solver<D> for Stationary<D, S> {
    fn solve(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        control: &mut Control<D>,
    ) -> Result<SolveReport, SolveError> {
        let mut progress = self.begin(device, problem, x, control);
        while control.go_on(device, problem, progress.report.iterations, x) {
            let look = self.choose_blends(device, control, &progress);
            let x_before = self.x_before.get_or_insert_with(|| device.points(problem));
            self.sweep.sweep(device, problem, (x, x_before), &self.blends, look.then_some(RESIDUAL))?;
            progress.report.iterations += self.blends.len();
            if look {
                self.observe(device, (problem, x), control, &mut progress)?;
            }
            if progress.report.converged {
                break;
            }
        }
        if control.deadline.is_some() {
            self.best.restore(device, x);
        }
        self.sweep.end(device, problem, x);
        if !control.is_stopped() {
            self.last_iterations = Some(progress.report.iterations);
        }
        Ok(progress.report)
    }

    fn set_careful(&mut self, careful: bool) {
        self.careful = careful;
    }

    fn set_rho(&mut self, rho: f64) {
        if let Some(chebyshev) = &mut self.chebyshev {
            *chebyshev = chebyshev.with_rho(rho);
        }
    }
}

use super::Stop;
use crate::device::{Device, DeviceError};
use std::time::{Duration, Instant};

/// Called after each iteration (and before the first, with 0) with the iterate.
pub type Watch<'a, D> = dyn FnMut(&mut D, &mut <D as Device>::Problem, usize, &<D as Device>::Points) + 'a;

/// Iterations between looks at a residual that is far away, where an iteration costs less than a look.
pub(super) const RARELY: usize = 32;

/// When a solver stops, and who looks on.
pub struct Control<'a, D: Device> {
    /// At most so many iterations.
    pub iterations: usize,
    /// Stop once ‖∇E‖ is this fraction of its first value; 0 = never. In the norm of the method's preconditioner.
    pub tolerance: f64,
    /// Be done at this moment; the first iteration is always made.
    pub deadline: Option<Instant>,
    /// Stop once the residual has settled.
    settling: Option<Settling>,
    /// Looks on.
    pub watch: Option<&'a mut Watch<'a, D>>,
    /// When the first iteration began.
    begun: Option<Instant>,
    /// What the solve does after its last iteration takes that long.
    reserve: Duration,
    stop: Stop,
}

impl<'a, D: Device> Control<'a, D> {
    /// A number of iterations and nothing else.
    pub fn iterations(iterations: usize) -> Self {
        let (settling, watch, begun, reserve) = (None, None, None, Duration::ZERO);
        Self { iterations, tolerance: 0.0, deadline: None, settling, watch, begun, reserve, stop: Stop::default() }
    }

    /// The same, until a moment.
    pub fn until(self, deadline: Option<Instant>) -> Self {
        Self { deadline, ..self }
    }

    /// The same, or until the residual has fallen by this factor.
    pub fn to_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// The same, or until more iterations change nothing, if asked for.
    pub fn until_settled(self, asked: bool) -> Self {
        Self { settling: asked.then(Settling::default), ..self }
    }

    /// The same, until somebody raises this.
    pub fn heeding(self, stop: &Stop) -> Self {
        Self { stop: stop.clone(), ..self }
    }

    /// The same, watched.
    pub fn watched(self, watch: &'a mut Watch<'a, D>) -> Self {
        Self { watch: Some(watch), ..self }
    }

    /// Whether iteration `k` (from 0) may start, with `x` the iterate before it.
    pub fn go_on(&mut self, device: &mut D, problem: &mut D::Problem, k: usize, x: &D::Points) -> bool {
        if let Some(watch) = &mut self.watch {
            watch(device, problem, k, x);
        }
        k < self.iterations && !self.is_stopped() && self.in_time(k, 1)
    }

    /// Leaves so much time between the last iteration and the deadline.
    pub(super) fn reserve(&mut self, time: Duration) {
        self.reserve = time;
    }

    /// Whether somebody wants no more of this solve: what it leaves is not used.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_raised()
    }

    /// Whether so many more iterations end before the deadline, at the pace of the `done` ones.
    pub(super) fn in_time(&mut self, done: usize, more: usize) -> bool {
        let Some(deadline) = self.deadline else { return true };
        let now = Instant::now();
        let begun = *self.begun.get_or_insert(now);
        done == 0 || now + (now - begun) / done as u32 * more as u32 + self.reserve <= deadline
    }

    /// How many iterations may be made in one go from iteration `k` on: up to the next one that somebody looks at.
    pub(super) fn until_look(&self, device: &D, k: usize, every: usize) -> usize {
        if self.watch.is_some() || !device.is_remote() {
            return 1;
        }
        if k == 0 && self.tolerance > 0.0 {
            return 1;
        }
        let look = if self.looks_far(every) { (k + 1).next_multiple_of(every) } else { usize::MAX };
        look.min(self.iterations).saturating_sub(k).max(1)
    }

    /// Whether the host reads the residual of iteration `k`. Where that is cheap, always; else every so many iterations if
    /// these cost more than a look, or if a tolerance asks for it, which the first residual is the measure of. What goes
    /// wrong meanwhile is found by the certificate, as is what the last iteration did.
    pub(super) fn looks(&self, device: &D, k: usize, every: usize) -> bool {
        let due = (k + 1).is_multiple_of(every) && k + 1 < self.iterations;
        !device.is_remote() || (self.looks_far(every) && due) || (k == 0 && self.tolerance > 0.0)
    }

    fn looks_far(&self, every: usize) -> bool {
        self.tolerance > 0.0 || every < RARELY
    }

    /// Whether the solve ends when more iterations change nothing.
    pub(super) fn settles(&self) -> bool {
        self.settling.is_some()
    }

    /// Ends the solve after `more` iterations if the residual (squared norm) after `done` ones has settled; whether it has.
    pub(super) fn settle(&mut self, done: usize, residual: f64, more: usize) -> bool {
        let settled = self.settling.as_mut().is_some_and(|settling| settling.observe(done, residual));
        if settled {
            self.iterations = self.iterations.min(done + more);
            self.settling = None;
        }
        settled
    }

    /// Whether a residual (squared norm) is small enough compared with the first one.
    pub fn converged(&self, residual: f64, first: f64) -> bool {
        residual <= self.tolerance * self.tolerance * first
    }
}

/// Notices that more iterations change nothing: the residual is as small as the reference's, or it falls no more, because
/// rounding is all that is left of it or the method has got as far as it can.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settling {
    /// Squared norm of the first one.
    first: Option<f64>,
    /// Squared norm of the least one, and how many iterations it took.
    least: f64,
    at: usize,
}

impl Settling {
    /// A residual that has fallen by this factor is as good as none; Newton's method ends there, too.
    const ENOUGH: f64 = 1e-10;
    /// A squared residual that is not below this part of the least one is no progress. Slow methods make more while the
    /// number of iterations doubles: plain Jacobi on a tablecloth about halves its gradient, so the square is a quarter.
    const PROGRESS: f64 = 0.9;
    /// Iterations that may pass without progress before anybody doubts.
    const PATIENCE: usize = 100;

    /// Takes note of the squared residual after `done` iterations; whether it has settled.
    fn observe(&mut self, done: usize, residual: f64) -> bool {
        if residual < Self::PROGRESS * self.least {
            (self.least, self.at) = (residual, done);
        }
        let first = *self.first.get_or_insert(residual);
        residual <= Self::ENOUGH * Self::ENOUGH * first || done >= 2 * self.at + Self::PATIENCE
    }
}

impl Default for Settling {
    fn default() -> Self {
        Self { first: None, least: f64::INFINITY, at: 0 }
    }
}

/// What a solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Iterations done.
    pub iterations: usize,
    /// How often acceleration was restarted with a smaller ρ.
    pub restarts: usize,
    /// The tolerance was reached.
    pub converged: bool,
    /// It ended because the residual fell no more.
    pub settled: bool,
    /// It ended because no step along its direction lowers E; Newton only.
    pub stuck: bool,
    /// Elements were converted meanwhile: E is not the function any more that it was at the start.
    pub converted: bool,
}

/// Why a solve gave up. The iterate may be anything.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// A number was infinite or NaN.
    #[error("iteration {iteration} gave a number that is not finite")]
    NotFinite {
        /// Which one, from 0.
        iteration: usize,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Newton's linear system could not be solved.
    #[error("Newton: {0}")]
    Newton(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends_at(residual: impl Fn(usize) -> f64) -> Option<usize> {
        let mut settling = Settling::default();
        (1..100_000).find(|done| settling.observe(*done, residual(*done)))
    }

    #[test]
    fn a_residual_settles_when_only_rounding_is_left_and_not_while_it_falls_slowly_or_swings() {
        let noise = |k: usize| 1.0 + 0.05 * (k as f64 * 1.7).sin();
        let fast = ends_at(|k| 0.5f64.powi(k as i32).max(1e-12) * noise(k)).unwrap();
        assert!((140..300).contains(&fast), "{fast}");
        assert_eq!(ends_at(|k| noise(k) / (k * k) as f64), None);
        assert_eq!(ends_at(|k| (2.0 + (k as f64 / 50.0).sin()) / (k * k) as f64), None);
        assert_eq!(ends_at(|k| 0.09f64.powi(k as i32)), Some(21));
        assert_eq!(ends_at(|_| 1.0), Some(102));
    }
}

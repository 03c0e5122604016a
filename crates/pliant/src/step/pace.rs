//! How many iterations fit into a budget on a device that works behind the host's back, so that the clock cannot be asked
//! between iterations. Learnt from the steps before:
//!
//! ```text
//! wall time = host + slowness · (overhead + iterations · pace)
//! ```
//!
//! Overhead and pace come from the first steps, which try more and more iterations. After that two things are followed, as
//! medians of the last few steps, so that a single stall says nothing and a change that lasts is believed soon: how long the
//! host takes beside the device, and how much slower the device is than in the first steps, by its own clock where it has
//! one. What remains unpredictable is covered by a reserve that grows with every surprise and shrinks slowly, so that a
//! machine with stalls keeps its promise with fewer iterations, and a calm one uses its budget.

use std::time::Duration;

/// What is known of a device's speed on one problem. Times in s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Of the device, as the first steps were.
    overhead: f64,
    /// As above; 0 as long as it is not known.
    per_iteration: f64,
    /// Iterations and time of the shortest and of the last of the first steps.
    shortest: Option<(usize, f64)>,
    last: usize,
    /// Time of the device over what the first steps let expect.
    slowness: Recent,
    /// Wall time beside the device's.
    host: Recent,
    /// Part of the budget that is left for surprises.
    reserve: f64,
}

/// One step, as it was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observed {
    pub iterations: usize,
    /// From its begin to its certificate, s.
    pub wall: f64,
    /// How much of that the device worked, s, if it can tell.
    pub device: Option<f64>,
}

/// Iterations of the first step.
const FIRST: usize = 8;

/// Trials end once a step takes this part of the budget: then the pace is known well enough.
const ENOUGH: f64 = 0.25;

/// Bounds of the reserve, and what it is at first, as parts of the budget.
const RESERVE: [f64; 2] = [0.02, 0.4];
const FIRST_RESERVE: f64 = 0.03;

/// How much a surprise raises the reserve: by what was missing, but at least and at most so much of the budget.
const RAISE: [f64; 2] = [0.02, 0.08];

/// How much any other step lowers it. A step that surprises by 8 % or more is balanced by 200 that do not, so large
/// surprises stay below one step in 200.
const LOWER: f64 = RAISE[1] / 200.0;

impl Default for Pace {
    fn default() -> Self {
        Self {
            overhead: 0.0,
            per_iteration: 0.0,
            shortest: None,
            last: 0,
            slowness: Recent::default(),
            host: Recent::default(),
            reserve: FIRST_RESERVE,
        }
    }
}

impl Pace {
    /// Iterations for a step of `budget`, at least one.
    pub fn iterations(&self, budget: f64) -> usize {
        if self.per_iteration > 0.0 {
            let device = ((1.0 - self.reserve) * budget - self.host.median(0.0)) / self.slowness.median(1.0);
            return ((device - self.overhead) / self.per_iteration).clamp(1.0, 1e6) as usize;
        }
        if self.last == 0 { FIRST } else { 3 * self.last }
    }

    /// How long a step of so many iterations should take, s, if that is known.
    pub fn expected(&self, iterations: usize) -> Option<f64> {
        (self.per_iteration > 0.0).then(|| self.host.median(0.0) + self.slowness.median(1.0) * self.base(iterations))
    }

    /// Time on the device as the first steps let expect, s.
    fn base(&self, iterations: usize) -> f64 {
        self.overhead + iterations as f64 * self.per_iteration
    }

    /// Takes note of a step.
    pub fn observe(&mut self, step: Observed, budget: f64) {
        let Observed { iterations, wall, device } = step;
        let device = device.filter(|seconds| *seconds > 0.0 && *seconds <= wall).unwrap_or(wall);
        if let Some(expected) = self.expected(iterations) {
            let missing = (wall - expected) / budget - self.reserve;
            self.reserve += if missing > 0.0 { missing.clamp(RAISE[0], RAISE[1]) } else { -LOWER };
            self.reserve = self.reserve.clamp(RESERVE[0], RESERVE[1]);
            self.slowness.push(device / self.base(iterations));
        } else {
            self.try_longer(iterations, device, budget);
        }
        self.host.push(wall - device);
    }

    /// Takes note of one of the first steps.
    fn try_longer(&mut self, iterations: usize, seconds: f64, budget: f64) {
        self.last = iterations;
        // The very first step also makes what later ones find ready, so a later one may be shorter.
        let (fewer, shorter) = self.shortest.filter(|(_, shorter)| *shorter < seconds).unwrap_or((iterations, seconds));
        self.shortest = Some((fewer, shorter));
        if seconds > ENOUGH * budget && iterations > FIRST {
            let share = if iterations > fewer { (seconds - shorter) / (iterations - fewer) as f64 } else { 0.0 };
            let overhead = seconds - iterations as f64 * share;
            let plausible = share > 0.0 && overhead >= 0.0;
            (self.per_iteration, self.overhead) =
                if plausible { (share, overhead) } else { (seconds / iterations as f64, 0.0) };
        }
    }
}

/// How long what ends a step took in the last few steps, certificate included.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Endings(Recent);

/// Part of the budget that what ends a step gets at most.
const MOST_FOR_ENDING: f64 = 0.5;

impl Endings {
    /// Takes note of one.
    pub fn observe(&mut self, ending: Duration) {
        self.0.push(ending.as_secs_f64());
    }

    /// Until when a step may iterate, from its begin: a tenth more than the usual ending and a fiftieth of the budget are
    /// left. One ending that was held up says nothing of the next one.
    pub fn iterate_for(&self, budget: Duration) -> Duration {
        let room = (1.1 * self.0.median(0.0)).min(MOST_FOR_ENDING * budget.as_secs_f64());
        (budget - budget / 50).saturating_sub(Duration::from_secs_f64(room))
    }
}

/// The last few values.
#[derive(Clone, Copy, Debug, Default)]
struct Recent {
    values: [f64; 5],
    /// How many were pushed.
    count: usize,
}

impl Recent {
    fn push(&mut self, value: f64) {
        self.values[self.count % self.values.len()] = value;
        self.count += 1;
    }

    /// Their median; `nothing` where there are none.
    fn median(&self, nothing: f64) -> f64 {
        let mut sorted = self.values;
        let known = &mut sorted[..self.count.min(self.values.len())];
        known.sort_unstable_by(f64::total_cmp);
        known.get(known.len() / 2).copied().unwrap_or(nothing)
    }
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;

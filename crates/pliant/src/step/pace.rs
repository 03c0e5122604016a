//! How many iterations fit into a budget on a device that works behind the host's back, so that the clock cannot be asked
//! between iterations: t = overhead + iterations · pace, learnt from the steps before.

/// What is known of a device's speed on one problem. Times in s.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    overhead: f64,
    per_iteration: f64,
    /// Iterations and time of the shortest and of the last of the first steps, which try longer and longer ones.
    shortest: Option<(usize, f64)>,
    last: usize,
}

/// Iterations of the first step.
const FIRST: usize = 8;

/// Trials end once a step takes this part of the budget: then the pace is known well enough.
const ENOUGH: f64 = 0.25;

/// Part of the budget that is left for what varies from step to step.
const RESERVE: f64 = 0.03;

/// How far one step may shift the overhead, as a part of the budget: a stalled machine says nothing about the next step.
const LARGEST_SHIFT: f64 = 0.02;

impl Pace {
    /// Iterations for a step of `budget`, at least one.
    pub fn iterations(&self, budget: f64) -> usize {
        if self.per_iteration > 0.0 {
            return (((1.0 - RESERVE) * budget - self.overhead) / self.per_iteration).clamp(1.0, 1e6) as usize;
        }
        if self.last == 0 { FIRST } else { 3 * self.last }
    }

    /// Takes note of a step.
    pub fn observe(&mut self, iterations: usize, seconds: f64, budget: f64) {
        if self.per_iteration > 0.0 {
            let late = seconds - (self.overhead + iterations as f64 * self.per_iteration);
            let limit = LARGEST_SHIFT * budget;
            self.overhead += 0.5 * late.clamp(-limit, limit);
            return;
        }
        self.last = iterations;
        // The very first step also makes what later ones find ready, so a later one may be shorter.
        let (fewer, shorter) = self.shortest.filter(|(_, shorter)| *shorter < seconds).unwrap_or((iterations, seconds));
        self.shortest = Some((fewer, shorter));
        if seconds > ENOUGH * budget && iterations > FIRST {
            let share = if iterations > fewer { (seconds - shorter) / (iterations - fewer) as f64 } else { 0.0 };
            self.per_iteration = if share > 0.0 { share } else { seconds / iterations as f64 };
            self.overhead = seconds - iterations as f64 * self.per_iteration;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps on a device with this overhead and pace, some of them disturbed; returns the times.
    fn simulate(overhead: f64, pace: f64, budget: f64, disturbed: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut known = Pace::default();
        (0..1000)
            .map(|k| {
                let iterations = known.iterations(budget);
                let seconds = overhead + pace * iterations as f64 + disturbed(k);
                known.observe(iterations, seconds, budget);
                seconds
            })
            .collect()
    }

    fn share_late(times: &[f64], limit: f64) -> f64 {
        times[20..].iter().filter(|t| **t > limit).count() as f64 / (times.len() - 20) as f64
    }

    #[test]
    fn the_budget_is_used_and_kept() {
        for (overhead, pace) in [(2e-4, 2e-6), (1e-3, 5e-5), (1e-5, 1e-6)] {
            let times = simulate(overhead, pace, 5e-3, |_| 0.0);
            assert_eq!(share_late(&times, 5e-3), 0.0);
            assert!(times[900] > 0.9 * 5e-3, "{}", times[900]);
        }
    }

    #[test]
    fn a_slow_first_step_and_stalls_do_no_lasting_harm() {
        let stall = |k: usize| {
            if k == 0 {
                0.3
            } else if k % 200 == 199 {
                0.02
            } else {
                1e-4 * (k as f64 * 1.7).sin().abs()
            }
        };
        let times = simulate(2e-4, 2e-6, 5e-3, stall);
        assert!(share_late(&times, 1.05 * 5e-3) <= 0.01);
        assert!(times[950] > 0.85 * 5e-3, "{}", times[950]);
    }

    #[test]
    fn a_hopeless_budget_still_makes_one_iteration() {
        let times = simulate(1e-2, 1e-3, 1e-4, |_| 0.0);
        assert!((times[999] - 1.1e-2).abs() < 1e-9);
    }
}

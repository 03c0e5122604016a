//! What is counted while a run goes on, and kept in its checkpoints.

use crate::step::{Certificate, StepReport};

/// Counts over all steps of a run, resumed or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Iterations of the solver.
    pub iterations: u64,
    /// Restarts of Chebyshev.
    pub restarts: u64,
    /// Tries that were rolled back.
    pub retries: u64,
    /// Steps that could not lower E although ‖∇E‖ was not small.
    pub stalled: u64,
    /// Steps that ended after their deadline.
    pub over_budget: u64,
    /// Steps that say something of how well forces balance.
    pub untouched: u64,
    /// Forces along gravity that these lacked to move as they should, N; see [`Certificate::unbalanced`].
    pub unbalanced: f64,
    /// Time of each step, ms.
    pub ms: Vec<f32>,
    /// Of the last step.
    pub certificate: Option<Certificate>,
}

impl Tally {
    /// Takes in one step. What is nearer to a collider than `near`, m, may touch it; forces of contacts in a solve that is not
    /// finished are many times the weight, and so are those of pins unless iterations are global, though they act for a moment
    /// and on few vertices; position-based methods balance none. So steps say something of how well forces balance only where
    /// nothing touches, and if `balances`.
    pub fn add(&mut self, step: &StepReport, near: f64, balances: bool) {
        self.iterations += step.iterations as u64;
        self.restarts += step.restarts as u64;
        self.retries += step.retries as u64;
        self.stalled += u64::from(step.stalled);
        self.over_budget += u64::from(step.over_budget);
        if balances && step.certificate.min_gap > near {
            self.untouched += 1;
            self.unbalanced += step.certificate.unbalanced.abs();
        }
        self.ms.push(step.ms as f32);
        self.certificate = Some(step.certificate);
    }

    /// Mean, median, 95th percentile and maximum of the times, ms; NaN without steps.
    pub fn times(&self) -> Times {
        let mut sorted: Vec<f64> = self.ms.iter().map(|ms| f64::from(*ms)).collect();
        sorted.sort_by(f64::total_cmp);
        // The smallest value that at least this share of all values does not exceed.
        let percentile = |share: f64| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
        };
        Times {
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            p50: percentile(0.5),
            p95: percentile(0.95),
            max: percentile(1.0),
        }
    }
}

/// How long steps took, ms.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Times {
    /// Mean, ms.
    pub mean: f64,
    /// Median, ms.
    pub p50: f64,
    /// 95 of 100 steps took no longer, ms.
    pub p95: f64,
    /// Longest, ms.
    pub max: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let times = Tally { ms: (1..=100).rev().map(|i| i as f32).collect(), ..Tally::default() }.times();
        assert_eq!(times, Times { mean: 50.5, p50: 50.0, p95: 95.0, max: 100.0 });
        let one = Tally { ms: vec![3.0], ..Tally::default() }.times();
        assert_eq!(one, Times { mean: 3.0, p50: 3.0, p95: 3.0, max: 3.0 });
        assert!(Tally::default().times().max.is_nan());
    }
}

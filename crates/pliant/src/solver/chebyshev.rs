//! Chebyshev semi-iterative acceleration (course 2.2, Algorithm 1, eq 23-26).
//!
//! ω = 1 for k < S, 2/(2 − ρ²) at k = S, 4/(4 − ρ² ω) after; x⁺ = ω (γ (x̂ − x) + x − x⁻) + x⁻. S ≥ 1, because x⁻ does
//! not exist before, and at most an eighth of the iterations. Beyond the paper: ρ is held down to what the number of
//! iterations can use; across contacts there is no momentum (`contact/cover.rs`); and when the residual grows above what it was
//! where the acceleration (re)started, the recurrence starts again with a smaller ρ instead of diverging. Where the host does
//! not look at residuals (Jacobi on a GPU), it never restarts; the certificate finds a step that went wrong.
//!
//! ρ may differ from phase to phase (course 3.2.3): each begins with an iteration without momentum.

//! With the same ω from S on it is over-relaxation from the iterate before the last (vivace Algorithm 1, line 7), which is what
//! the sequence of Chebyshev tends to for ρ² = 1 − (2/ω − 1)².

use crate::scene::{MOST_PHASES, Phase};

/// Phases of a solve; none: one ρ throughout.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseList {
    phases: [Phase; MOST_PHASES],
    count: usize,
}

impl PhaseList {
    /// One ρ throughout.
    pub const NONE: Self = Self { phases: [Phase { iterations: 0, rho: 0.0 }; MOST_PHASES], count: 0 };

    /// The first eight.
    pub fn new(phases: &[Phase]) -> Self {
        let mut list = Self { count: phases.len().min(MOST_PHASES), ..Self::default() };
        list.phases.iter_mut().zip(phases).for_each(|(to, from)| *to = *from);
        list
    }

    /// All of them.
    pub fn all(&self) -> &[Phase] {
        &self.phases[..self.count]
    }

    /// The largest ρ; `None` without phases.
    pub fn largest_rho(&self) -> Option<f64> {
        self.all().iter().map(|phase| phase.rho).reduce(f64::max)
    }

    /// The phase that begins with this iteration.
    fn beginning(&self, iteration: usize) -> Option<Phase> {
        let mut begin = 0;
        for phase in self.all() {
            if begin == iteration {
                return Some(*phase);
            }
            begin += phase.iterations;
        }
        None
    }
}

/// The sequence of ω.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chebyshev {
    /// ρ, the estimated spectral radius.
    pub rho: f64,
    /// S, iterations before it starts, at most.
    pub delay: usize,
    /// The ω that the sequence tends to, from S on.
    constant: bool,
    phases: PhaseList,
    /// Iterations of this solve so far.
    iteration: usize,
    /// How many times as far from 1 ρ is as it should be, after restarts.
    caution: f64,
    /// S of this solve: at most an eighth of its iterations.
    delay_now: usize,
    omega: f64,
    since_restart: usize,
    rho_now: f64,
    residual_at_restart: f64,
    /// How often it was restarted in this solve.
    pub restarts: usize,
}

/// A residual (squared norm) that grows by more than this since the restart is oscillation, not noise.
const GROWTH: f64 = 4.0;

impl Chebyshev {
    /// With spectral radius ρ < 1 and delay S.
    pub fn new(rho: f64, delay: usize) -> Self {
        let delay = delay.max(1);
        Self {
            rho,
            delay,
            constant: false,
            phases: PhaseList::default(),
            iteration: 0,
            caution: 1.0,
            delay_now: delay,
            omega: 1.0,
            since_restart: 0,
            rho_now: rho,
            residual_at_restart: f64::INFINITY,
            restarts: 0,
        }
    }

    /// With the ω that the sequence tends to, from S on.
    pub fn with_constant(self, constant: bool) -> Self {
        Self { constant, ..self }
    }

    /// With phases; ρ is then the largest that one of them has, and a smaller one makes all of them as much smaller.
    pub fn with_phases(self, phases: PhaseList) -> Self {
        Self { phases, ..self }
    }

    /// Another ρ.
    pub fn with_rho(self, rho: f64) -> Self {
        Self::new(rho, self.delay).with_constant(self.constant).with_phases(self.phases)
    }

    /// ρ of a phase, as far from 1 as that in use is from the largest of all.
    fn rho_of(&self, phase: Phase) -> f64 {
        let largest = self.phases.largest_rho().unwrap_or(phase.rho);
        (1.0 - (1.0 - phase.rho) * (1.0 - self.rho) / (1.0 - largest) * self.caution).clamp(0.0, phase.rho)
    }

    /// A solve of about so many iterations begins.
    pub fn begin(&mut self, iterations: usize) {
        let delay_now = self.delay.min(iterations / 8).max(1);
        let rho_now = self.rho.min(largest_useful_rho(iterations.saturating_sub(delay_now) as f64));
        *self = Self { delay_now, rho_now, ..self.with_rho(self.rho) };
        if let Some(first) = self.phases.all().first() {
            self.rho_now = self.rho_of(*first);
        }
    }

    /// ω of the next iteration.
    pub fn next_omega(&mut self) -> f64 {
        if let Some(phase) = self.phases.beginning(self.iteration).filter(|_| self.iteration > 0) {
            self.since_restart = self.delay_now - 1;
            self.rho_now = self.rho_of(phase);
            self.residual_at_restart = f64::INFINITY;
        }
        self.iteration += 1;
        let k = self.since_restart;
        let rho_sq = self.rho_now * self.rho_now;
        self.since_restart += 1;
        self.omega = match k.cmp(&self.delay_now) {
            std::cmp::Ordering::Less => 1.0,
            _ if self.constant => 2.0 / (1.0 + (1.0 - rho_sq).sqrt()),
            std::cmp::Ordering::Equal => 2.0 / (2.0 - rho_sq),
            std::cmp::Ordering::Greater => 4.0 / (4.0 - rho_sq * self.omega),
        };
        self.omega
    }

    /// Takes note of the residual (squared norm) that the last iteration started from.
    pub fn observe(&mut self, residual: f64) {
        // Where looks are rare, the first one gives the measure.
        if self.since_restart <= self.delay_now + 1 || self.residual_at_restart.is_infinite() {
            self.residual_at_restart = residual;
        } else if self.rho_now > 0.0 && residual > GROWTH * self.residual_at_restart {
            self.residual_at_restart = residual;
            self.restart(4.0);
        }
    }

    /// Starts again with a ρ that is so many times as far from 1.
    pub fn restart(&mut self, farther: f64) {
        self.restarts += 1;
        self.caution *= farther;
        self.since_restart = self.delay_now.saturating_sub(2);
        self.rho_now = (1.0 - farther * (1.0 - self.rho_now)).max(0.0);
    }
}

/// ρ of the sequence that tends to ω in [1, 2).
pub(crate) fn rho_of_omega(omega: f64) -> f64 {
    (1.0 - (2.0 / omega.max(1.0) - 1.0).powi(2)).sqrt()
}

/// The largest ρ that pays within `accelerated` iterations.
///
/// Chebyshev divides the error by T_k(1/ρ) ≈ cosh(k √(2(1 − ρ))), evenly for all modes. With ρ so near 1 that the
/// argument stays small, no mode has decayed by the end: all still swing about the solution with their first amplitude,
/// and steps that end like that pass the swing on to each other until the simulation explodes, although each of them
/// lowers its E. An argument of 2.5 leaves a sixth.
pub(crate) fn largest_useful_rho(accelerated: f64) -> f64 {
    let k = accelerated;
    if k < 1.0 { 0.0 } else { (1.0 - 0.5 * (2.5 / k) * (2.5 / k)).max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_begins_plainly_and_goes_on_as_a_solve_with_its_rho_does() {
        let phases = [(20, 0.9), (30, 0.99)].map(|(iterations, rho)| Phase { iterations, rho });
        let omegas = |mut sequence: Chebyshev| -> Vec<f64> {
            sequence.begin(50);
            (0..50).map(|_| sequence.next_omega()).collect()
        };
        let phased = |rho: f64| omegas(Chebyshev::new(rho, 1).with_phases(PhaseList::new(&phases)));
        let single = |rho: f64| {
            let mut sequence = Chebyshev::new(rho, 1);
            sequence.begin(1_000_000);
            (0..30).map(|_| sequence.next_omega()).collect::<Vec<_>>()
        };
        let both = phased(0.99);
        assert_eq!(both[..20], single(0.9)[..20]);
        assert_eq!(both[20..], single(0.99)[..]);
        assert_eq!(both[20], 1.0);
        // What is left of ρ after restarts is left of that of each phase.
        let careful = phased(0.98);
        assert!(careful[..20].iter().zip(&single(0.8)).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(phased(0.0).iter().all(|omega| *omega == 1.0));
        // A restart in the first phase is remembered in the second.
        let mut sequence = Chebyshev::new(0.99, 1).with_phases(PhaseList::new(&phases));
        sequence.begin(50);
        sequence.next_omega();
        sequence.restart(2.0);
        let later: Vec<f64> = (1..50).map(|_| sequence.next_omega()).collect();
        assert!(later[19..].iter().zip(&single(0.98)).all(|(a, b)| (a - b).abs() < 1e-12), "{later:?}");
    }

    #[test]
    fn a_constant_omega_is_where_the_sequence_of_its_rho_ends() {
        let constant = |omega: f64| Chebyshev::new(rho_of_omega(omega), 1).with_constant(true);
        let mut none = constant(1.0);
        let mut constant = constant(1.9);
        constant.begin(1000);
        assert_eq!(constant.next_omega(), 1.0);
        assert!((1..9).all(|_| (constant.next_omega() - 1.9).abs() < 1e-12));
        let mut sequence = Chebyshev::new(constant.rho, 1);
        sequence.begin(1000);
        let last = (0..400).map(|_| sequence.next_omega()).last().unwrap();
        assert!((last - 1.9).abs() < 1e-9, "{last}");
        // Few iterations cannot use it.
        constant.begin(10);
        constant.next_omega();
        assert!((1.2..1.6).contains(&constant.next_omega()));
        none.begin(1000);
        assert!((0..5).all(|_| none.next_omega() == 1.0));
    }

    #[test]
    fn omega_follows_the_paper() {
        let mut chebyshev = Chebyshev::new(0.9, 2);
        let omegas: Vec<f64> = (0..5).map(|_| chebyshev.next_omega()).collect();
        let second = 2.0 / (2.0 - 0.81);
        let third = 4.0 / (4.0 - 0.81 * second);
        assert_eq!(omegas, [1.0, 1.0, second, third, 4.0 / (4.0 - 0.81 * third)]);
    }

    #[test]
    fn a_short_solve_has_a_short_delay() {
        let mut chebyshev = Chebyshev::new(0.9, 10);
        chebyshev.begin(16);
        assert_eq!([1, 2, 3].map(|_| chebyshev.next_omega() > 1.0), [false, false, true]);
    }

    #[test]
    fn rho_zero_changes_nothing() {
        let mut chebyshev = Chebyshev::new(0.0, 1);
        assert!((0..10).all(|_| chebyshev.next_omega() == 1.0));
    }

    #[test]
    fn growth_restarts_with_a_smaller_rho() {
        let mut chebyshev = Chebyshev::new(0.99, 1);
        for residual in [4.0, 2.0, 1.5, 1.8] {
            chebyshev.next_omega();
            chebyshev.observe(residual);
        }
        assert_eq!(chebyshev.restarts, 0);
        chebyshev.next_omega();
        chebyshev.observe(100.0);
        assert_eq!((chebyshev.restarts, chebyshev.next_omega()), (1, 1.0));
        assert!(chebyshev.rho_now < 0.97);
        chebyshev.begin(100);
        assert_eq!((chebyshev.restarts, chebyshev.rho_now), (0, 0.99));
    }

    #[test]
    fn growth_is_seen_by_rare_looks_too() {
        let mut chebyshev = Chebyshev::new(0.99, 10);
        chebyshev.begin(80);
        let mut look = |residual| {
            for _ in 0..20 {
                chebyshev.next_omega();
            }
            chebyshev.observe(residual);
            chebyshev.restarts
        };
        assert_eq!([1.0, 0.5, 100.0].map(&mut look), [0, 0, 1]);
        assert_eq!([90.0, 1e4].map(look), [1, 2], "measured from where it was restarted");
    }

    #[test]
    fn rho_is_held_down_to_what_the_iterations_can_use() {
        let mut chebyshev = Chebyshev::new(0.99999, 10);
        let mut used = |iterations| {
            chebyshev.begin(iterations);
            chebyshev.rho_now
        };
        assert_eq!(used(1), 0.0);
        assert!((0.997..0.998).contains(&used(40)));
        assert_eq!(used(10_000), 0.99999);
    }
}

//! Newton's method in `f64`: exact or positive semi-definite Hessian, sparse Cholesky, backtracking. The ground truth for
//! every error reported anywhere, and a solver of its own; with conjugate gradients in place of Cholesky two more.

use super::newton_hessian::{Hessian, Way};
use super::{Control, SolveError, SolveReport, Solver};
use crate::device::Device;
use crate::math::Vec3;
use crate::model::Potential;
use std::sync::Arc;

/// What a minimisation reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonReport {
    /// Iterations done.
    pub iterations: usize,
    /// E, J.
    pub energy: f64,
    /// ‖∇E‖, N.
    pub gradient_norm: f64,
    /// The tolerance was reached, or ‖∇E‖ is no more than rounding of positions leaves of it; if not, the iteration limit
    /// stopped it, or it is stuck.
    pub converged: bool,
    /// It ended because no step along its direction lowers E, nor ‖∇E‖.
    pub stuck: bool,
}

/// Sufficient decrease of the line search (Armijo).
const SUFFICIENT: f64 = 1e-4;

/// Minimises E from x until ‖∇E‖ ≤ tolerance · ‖∇E at the start‖, or until rounding lets neither E nor ‖∇E‖ fall any
/// further. `watch` is called before each iteration and returns whether to go on.
///
/// Where elements are compressed, the projected Hessian differs from the exact one even at the minimum, and convergence
/// would be linear. So the exact one is used, with just so much of the projection mixed in as Cholesky asks for.
pub fn minimise(
    potential: &Potential,
    x: &mut Vec<[f64; 4]>,
    tolerance: f64,
    watch: impl FnMut(usize, &[[f64; 4]]) -> bool,
) -> Result<NewtonReport, SolveError> {
    Minimiser::new(potential, Way::Cholesky)?.minimise(potential, x, tolerance, watch)
}

/// Newton's method with its memory, for many minimisations with one system.
struct Minimiser {
    hessian: Hessian,
    dx: Vec<Vec3<f64>>,
    gradient: Vec<[f64; 4]>,
    /// The next iterate and its gradient.
    next: Vec<[f64; 4]>,
    next_gradient: Vec<[f64; 4]>,
}

/// How low an iterate is.
#[derive(Clone, Copy)]
struct Level {
    energy: f64,
    gradient_norm: f64,
}

impl Minimiser {
    fn new(potential: &Potential, way: Way) -> Result<Self, SolveError> {
        let n = potential.model().vertices();
        let field = || vec![[0.0; 4]; n];
        let (gradient, next, next_gradient) = (field(), field(), field());
        Ok(Self { hessian: Hessian::new(potential, way)?, dx: vec![Vec3::ZERO; n], gradient, next, next_gradient })
    }

    fn minimise(
        &mut self,
        potential: &Potential,
        x: &mut Vec<[f64; 4]>,
        tolerance: f64,
        mut watch: impl FnMut(usize, &[[f64; 4]]) -> bool,
    ) -> Result<NewtonReport, SolveError> {
        self.hessian.restart(potential)?;
        potential.gradient(x, &mut self.gradient);
        let mut level = Level { energy: potential.value(x), gradient_norm: norm(&self.gradient) };
        let enough = tolerance * level.gradient_norm;
        let (mut iterations, mut stuck) = (0, false);
        let mut converged = level.gradient_norm <= least_gradient(potential, x);
        while !converged && !stuck && watch(iterations, x) {
            self.hessian.assemble(potential, x)?;
            match self.lower(potential, x, level)? {
                Some(lower) => {
                    level = lower;
                    std::mem::swap(x, &mut self.next);
                    std::mem::swap(&mut self.gradient, &mut self.next_gradient);
                    iterations += 1;
                    converged = level.gradient_norm <= enough;
                }
                None => stuck = true,
            }
        }
        let Level { energy, gradient_norm } = level;
        converged |= as_good_as_none(gradient_norm, potential, x);
        Ok(NewtonReport { iterations, energy, gradient_norm, converged, stuck: stuck && !converged })
    }

    /// Finds the next iterate; `None` if there is none that lowers E or ‖∇E‖, not even with a direction in `f64`.
    fn lower(&mut self, potential: &Potential, x: &[[f64; 4]], now: Level) -> Result<Option<Level>, SolveError> {
        loop {
            self.hessian.direction(potential, x, &self.gradient, &mut self.dx)?;
            if let Some(energy) = self.line_search(potential, x, now.energy) {
                potential.gradient(&self.next, &mut self.next_gradient);
                let gradient_norm = norm(&self.next_gradient);
                if energy < now.energy || gradient_norm < now.gradient_norm {
                    return Ok(Some(Level { energy, gradient_norm }));
                }
            }
            if as_good_as_none(now.gradient_norm, potential, x) || !self.hessian.be_precise() {
                return Ok(None);
            }
        }
    }

    /// Halves the step until E decreases enough; `None` if it never does.
    fn line_search(&mut self, potential: &Potential, x: &[[f64; 4]], energy: f64) -> Option<f64> {
        let slope: f64 = self.dx.iter().zip(&self.gradient).map(|(d, g)| d.dot(Vec3::load(*g))).sum();
        // A direction of rounded factors may lead up.
        if slope.is_nan() || slope >= 0.0 {
            return None;
        }
        let mut step_length = 1.0;
        for _ in 0..40 {
            let moved = x.iter().zip(&self.dx).map(|(x, d)| (Vec3::load(*x) + *d * step_length).store());
            self.next.clear();
            self.next.extend(moved);
            let lower = potential.value(&self.next);
            // Near the minimum the decrease drowns in rounding: a full step that keeps E to the last digits is still
            // taken, and the gradient decides whether it was progress.
            let drowned = step_length == 1.0 && -slope < 1e-10 * energy.abs();
            let rounding = if drowned { 1e-12 * energy.abs() } else { 0.0 };
            if lower <= energy + SUFFICIENT * step_length * slope + rounding {
                return Some(lower);
            }
            step_length *= 0.5;
        }
        None
    }
}

fn norm(g: &[[f64; 4]]) -> f64 {
    g.iter().map(|g| Vec3::load(*g).length_sq()).sum::<f64>().sqrt()
}

/// Whether a ‖∇E‖ may be all rounding, N.
fn as_good_as_none(gradient_norm: f64, potential: &Potential, x: &[[f64; 4]]) -> bool {
    gradient_norm <= 10.0 * least_gradient(potential, x)
}

/// ‖∇E‖ that rounding of x to `f64` makes, N: every force is a stiffness times a difference of positions.
fn least_gradient(potential: &Potential, x: &[[f64; 4]]) -> f64 {
    let square = |(x, k): (&[f64; 4], &f64)| Vec3::load(*x).length_sq() * k * k;
    f64::EPSILON * x.iter().zip(&potential.system().stiffness).map(square).sum::<f64>().sqrt()
}

/// Newton as a solver: the minimisation runs on the host in `f64`, whatever the device.
pub(super) struct Newton {
    way: Way,
    /// Made at the first solve.
    memory: Option<Memory>,
}

struct Memory {
    minimiser: Minimiser,
    potential: Potential,
    host: Vec<[f64; 3]>,
    wide: Vec<[f64; 4]>,
}

impl Newton {
    pub fn new(way: Way) -> Self {
        Self { way, memory: None }
    }
}

impl Memory {
    fn new(potential: &Potential, way: Way) -> Result<Self, SolveError> {
        let minimiser = Minimiser::new(potential, way)?;
        let (n, potential) = (potential.model().vertices(), potential.clone());
        Ok(Self { minimiser, potential, host: vec![[0.0; 3]; n], wide: vec![[0.0; 4]; n] })
    }

    fn is_about(&self, potential: &Potential) -> bool {
        Arc::ptr_eq(self.potential.system(), potential.system())
    }

    /// Takes over what changes from step to step.
    fn take(&mut self, potential: &Potential) {
        self.potential.x_tilde.clone_from(&potential.x_tilde);
        self.potential.spring_pins.clone_from(&potential.spring_pins);
        self.potential.colliders.clone_from(&potential.colliders);
        self.potential.grips.clone_from(&potential.grips);
        self.potential.set_touches(potential.touches().iter().copied());
        self.potential.convert_like(potential);
        self.potential.viscous.clone_from(&potential.viscous);
    }
}

impl<D: Device> Solver<D> for Newton {
    fn solve(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        control: &mut Control<D>,
    ) -> Result<SolveReport, SolveError> {
        let potential = device.potential(problem)?;
        let memory = match self.memory.take().filter(|memory| memory.is_about(potential)) {
            Some(memory) => self.memory.insert(memory),
            None => self.memory.insert(Memory::new(potential, self.way)?),
        };
        memory.take(potential);
        let Memory { minimiser, potential, host, wide } = memory;
        device.read(x, host)?;
        wide.iter_mut().zip(&*host).for_each(|(wide, &p)| *wide = Vec3::of(p).store());
        let tolerance = if control.tolerance > 0.0 { control.tolerance } else { 1e-10 };
        let report = minimiser.minimise(potential, wide, tolerance, |k, iterate| {
            host.iter_mut().zip(iterate).for_each(|(host, x)| *host = Vec3::load(*x).f64());
            device.write(host, x);
            control.go_on(device, problem, k, x)
        })?;
        if control.is_stopped() {
            minimiser.hessian.go_back();
        }
        if !report.energy.is_finite() {
            return Err(SolveError::NotFinite { iteration: report.iterations });
        }
        host.iter_mut().zip(&*wide).for_each(|(host, x)| *host = Vec3::load(*x).f64());
        device.write(host, x);
        // The watcher sees the last iterate too.
        control.go_on(device, problem, report.iterations, x);
        let NewtonReport { iterations, converged, stuck, .. } = report;
        Ok(SolveReport { iterations, converged, stuck, ..SolveReport::default() })
    }
}

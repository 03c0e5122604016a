//! L-BFGS for any energy (course 3.1; Nocedal and Wright 2006, Algorithm 7.4), with Jacobi's preconditioner as its first guess of
//! H⁻¹, or with (s·y)/(y·y) for all vertices alike. α starts from 1 and is halved until E falls.

use super::descent::RENEWED;
use super::nonlinear_cg::lower;
use super::{Control, SolveError, SolveReport, Solver};
use crate::device::{Device, Factor, Scale, Slot};
use std::collections::VecDeque;

/// m: how many steps it remembers.
const REMEMBERED: usize = 5;

pub(super) struct Lbfgs<D: Device> {
    scale: Scale,
    /// Gradient, the one before, direction, the iterate before, a trial.
    fields: Option<[D::Points; 5]>,
    pairs: VecDeque<Pair<D>>,
    /// Forgotten ones, whose fields the next take.
    spare: Vec<Pair<D>>,
}

/// What one step taught.
struct Pair<D: Device> {
    /// Change of x, and of the gradient.
    s: D::Points,
    y: D::Points,
    /// s·y
    sy: f64,
}

const DOT: Slot = Slot(0);

fn dot<D: Device>(device: &mut D, a: &D::Points, b: &D::Points) -> Result<f64, SolveError> {
    device.dot(a, b, DOT);
    Ok(device.scalar(DOT)?)
}

impl<D: Device> Lbfgs<D> {
    pub fn new(scale: Scale) -> Self {
        Self { scale, fields: None, pairs: VecDeque::new(), spare: Vec::new() }
    }

    fn forget(&mut self) {
        self.spare.extend(self.pairs.drain(..));
    }

    /// d = H⁻¹ d, by the two loops; `z` is scratch.
    fn turn(
        &self,
        device: &mut D,
        problem: &D::Problem,
        d: &mut D::Points,
        z: &mut D::Points,
    ) -> Result<(), SolveError> {
        let mut shares = [0.0; REMEMBERED];
        for (pair, share) in self.pairs.iter().zip(&mut shares).rev() {
            *share = dot(device, &pair.s, d)? / pair.sy;
            device.axpy(Factor::Value(-*share), &pair.y, d);
        }
        match self.pairs.back().filter(|_| self.scale == Scale::Largest) {
            Some(pair) => {
                let scale = pair.sy / dot(device, &pair.y, &pair.y)?;
                device.copy(d, z);
                device.axpy(Factor::Value(scale - 1.0), z, d);
            }
            None => {
                device.divide_by_scale(problem, d, z);
                device.copy(z, d);
            }
        }
        for (pair, share) in self.pairs.iter().zip(shares) {
            let again = dot(device, &pair.y, d)? / pair.sy;
            device.axpy(Factor::Value(share - again), &pair.s, d);
        }
        Ok(())
    }

    /// Learns from the step from `x_before` to `x`; both differences are made in the fields of the oldest pair.
    fn learn(
        &mut self,
        device: &mut D,
        problem: &D::Problem,
        (x, x_before): (&D::Points, &D::Points),
        (g, g_before): (&D::Points, &D::Points),
    ) -> Result<(), SolveError> {
        let oldest = if self.pairs.len() < REMEMBERED { self.spare.pop() } else { self.pairs.pop_front() };
        let mut pair = oldest.unwrap_or_else(|| Pair { s: device.points(problem), y: device.points(problem), sy: 0.0 });
        for (to, now, before) in [(&mut pair.s, x, x_before), (&mut pair.y, g, g_before)] {
            device.copy(now, to);
            device.axpy(Factor::Value(-1.0), before, to);
        }
        pair.sy = dot(device, &pair.s, &pair.y)?;
        // Along directions of negative curvature there is nothing to learn.
        match pair.sy > 0.0 {
            true => self.pairs.push_back(pair),
            false => self.spare.push(pair),
        }
        Ok(())
    }
}

impl<D: Device> Solver<D> for Lbfgs<D> {
    fn solve(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        control: &mut Control<D>,
    ) -> Result<SolveReport, SolveError> {
        let made = self.fields.take();
        let [mut g, mut g_before, mut d, mut x_before, mut there] =
            made.unwrap_or_else(|| std::array::from_fn(|_| device.points(problem)));
        self.forget();
        let mut report = SolveReport::default();
        let mut energy = device.objective(problem, x)?;
        let mut first = f64::INFINITY;
        while control.go_on(device, problem, report.iterations, x) {
            if report.iterations.is_multiple_of(RENEWED) {
                device.rescale(problem, self.scale, x);
            }
            device.gradient(problem, x, &mut g);
            if report.iterations > 0 {
                self.learn(device, problem, (x, &x_before), (&g, &g_before))?;
            }
            let residual = dot(device, &g, &g)?;
            if !residual.is_finite() {
                return Err(SolveError::NotFinite { iteration: report.iterations });
            }
            first = if first.is_infinite() { residual } else { first };
            report.converged = control.converged(residual, first) || residual == 0.0;
            if report.converged || control.settle(report.iterations, residual, 0) {
                report.settled = !report.converged;
                break;
            }
            device.copy(&g, &mut d);
            self.turn(device, problem, &mut d, &mut there)?;
            if dot(device, &g, &d)? <= 0.0 {
                self.forget();
                device.divide_by_scale(problem, &g, &mut d);
            }
            device.copy(x, &mut x_before);
            device.copy(&g, &mut g_before);
            report.iterations += 1;
            let mut step_length = 1.0;
            match lower(device, problem, (x, &mut there), &d, (energy, &mut step_length))? {
                Some(lower) => energy = lower,
                None if self.pairs.is_empty() => break,
                None => self.forget(),
            }
        }
        self.fields = Some([g, g_before, d, x_before, there]);
        Ok(report)
    }
}

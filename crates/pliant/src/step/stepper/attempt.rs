//! One try of a step: its pieces, each begun, solved, measured and judged.

use super::super::Certificate;
use super::super::accept::{accept, accept_beside_staying, accept_shape, negligible_energy};
use super::super::guess::{Before, guess};
use super::super::input::refill;
use super::{DeviceStepper, Fields, Piece, Settings, StepReport};
use crate::contact::close::Since;
use crate::device::{Device, DeviceError, Measures, Moment, Slot};
use crate::model::State;
use crate::scene::InitialGuess;
use crate::solver::{Control, SolveError, SolveReport};
use std::time::{Duration, Instant};

/// On a remote device nobody looks whether iterations still change anything: however long the deadline, a step makes at most
/// this many times the method's usual number. Methods without acceleration might still gain a little after that.
const FAR_PATIENCE: usize = 100;

/// E before and after bodies are balanced.
const ENERGY_BEFORE: Slot = Slot(0);
const ENERGY: Slot = Slot(1);

impl<D: Device + 'static> DeviceStepper<D>
where
    D::Points: 'static,
{
    /// Advances `x_next`, `v_next` by a whole step, in pieces.
    pub(super) fn attempt(
        &mut self,
        pieces: usize,
        careful: bool,
        deadline: Option<Instant>,
        see: &mut dyn FnMut(State),
    ) -> Result<StepReport, Failure> {
        let h = self.settings.h / pieces as f64;
        let mut report = StepReport { pieces, ..StepReport::default() };
        self.device.copy(&self.fields.x, &mut self.fields.x_next);
        self.device.copy(&self.fields.v, &mut self.fields.v_next);
        for k in 0..pieces {
            let time = self.time + h * (k + 1) as f64;
            let index = self.piece_for(h, time)?;
            self.input.since = match k {
                0 if self.searched == Some(self.step) => Since::Retry,
                0 => Since::Step,
                _ => Since::Piece,
            };
            self.searched = Some(self.step);
            let solved = self.solve_piece(index, time, careful, deadline, see)?;
            report.iterations += solved.solve.iterations;
            report.restarts += solved.solve.restarts;
            report.converged = solved.solve.converged;
            report.settled = solved.solve.settled;
            report.stalled |= solved.stalled;
            report.certificate = solved.certificate;
        }
        Ok(report)
    }

    /// Advances `x_next`, `v_next` by a piece.
    pub(super) fn solve_piece(
        &mut self,
        index: usize,
        time: f64,
        careful: bool,
        deadline: Option<Instant>,
        see: &mut dyn FnMut(State),
    ) -> Result<SolvedPiece, Failure> {
        self.begin_piece(index, time, careful)?;
        let paced = self.settings.budget.filter(|_| self.device.is_remote() && deadline.is_some());
        let mut control = self.control(careful, deadline, paced);
        let Piece { problem, solver, .. } = &mut self.pieces[index];
        solver.set_rho(if careful { 0.0 } else { self.rho });
        solver.set_step_length(self.step_length[0]);
        solver.set_careful(careful && self.settings.method.is_bold());
        let solve = solver.solve(&mut self.device, problem, &mut self.fields.iterate, &mut control);
        if self.stop.is_raised() {
            return Err(Failure::Stopped);
        }
        let solve = solve?;
        self.step_length[1] = solver.step_length();
        self.end_piece(index);

        let expected = paced.and_then(|_| Duration::try_from_secs_f64(self.pace.expected(solve.iterations)?).ok());
        if let Some(expected) = expected {
            self.device.expect_measures(self.begun + expected);
        }
        if let Some(showing) = self.showing.take() {
            see(showing.receive(&mut self.device, self.grasp.model().vertices())?);
        }
        let measures = self.device.measures(&mut self.pieces[index].problem)?;
        let method = self.settings.method;
        let negligible = negligible_energy(self.grasp.model(), self.pieces[index].h);
        // Of another function than it ended with, if elements were converted meanwhile: there is nothing to compare.
        let start_energy = if solve.converted { f64::INFINITY } else { measures.start_energy };
        let fallen = start_energy - measures.energy;
        if fallen + measures.possible_decrease <= measures.rounding_energy.max(negligible) {
            // In free flight E is rounding, and its ups and downs would make steps shorter and shorter.
            self.step_length[1] = self.step_length[0];
        }
        accept(method, &Measures { start_energy, ..measures }, negligible).map_err(Failure::Step)?;
        accept_shape(&measures, self.first_stretch).map_err(Failure::Step)?;
        if !careful && method.may_jump(self.grasp.model().vertices()) && solve.iterations >= method.iterations {
            accept_beside_staying(&measures, negligible).map_err(Failure::Step)?;
        }
        let unmoved = solve.iterations > 0 && measures.energy >= start_energy;
        let stalled = (unmoved || solve.stuck) && measures.possible_decrease > measures.rounding_energy;
        std::mem::swap(&mut self.fields.x_next, &mut self.fields.iterate);
        Ok(SolvedPiece { solve, stalled, certificate: measures.into() })
    }

    /// Puts the iterate where the solve of a piece starts.
    fn begin_piece(&mut self, index: usize, time: f64, careful: bool) -> Result<(), DeviceError> {
        let Piece { problem, h, .. } = &mut self.pieces[index];
        let device = &mut self.device;
        let Fields { x_next: x_start, v_next, iterate: x, v_before, .. } = &mut self.fields;
        refill(&mut self.input, self.grasp.model(), time, *h);
        self.grasp.guide(&mut self.input);
        device.begin_step(problem, &self.input, x_start, v_next);
        if self.settings.method.may_jump(self.grasp.model().vertices()) {
            device.measure(problem, Moment::Still, x_start);
        }
        let first_piece = self.has_v_before && *h == self.settings.h;
        let v_before = v_before.as_ref().filter(|_| first_piece);
        let before = Before { x: x_start, v: v_next, v_before, h: *h, still: self.grasp.model().quasistatic };
        // From where it is, who only goes down ends no higher than by not moving.
        let careful = careful && self.settings.method.descends();
        let which = if careful { InitialGuess::Position } else { self.settings.initial_guess };
        guess(device, problem, which, &before, x)?;
        // Position-based sweeps have contacts and friction of their own.
        if self.settings.method.minimises {
            device.meet_colliders(problem, x);
        }
        device.measure(problem, Moment::Start, x);
        Ok(())
    }

    /// When the solve of a piece ends. `paced` is the budget of a device that cannot look at the clock meanwhile.
    fn control(&self, careful: bool, deadline: Option<Instant>, paced: Option<Duration>) -> Control<'static, D> {
        let Settings { method, budget, tolerance, until_settled, .. } = self.settings;
        // Without the deadline nothing would end them.
        let usual = if careful && budget.is_some() { method.iterations } else { usize::MAX };
        let mut iterations = self.settings.iterations.min(usual);
        if let Some(budget) = paced {
            iterations = iterations.min(self.pace.iterations(budget.as_secs_f64()));
            if until_settled {
                iterations = iterations.min(FAR_PATIENCE * method.iterations);
            }
        }
        // Between the iterations of a remote device there is no time to look at the clock.
        let deadline = deadline.filter(|_| !self.device.is_remote());
        let control = Control::iterations(iterations).until(deadline).to_tolerance(tolerance).heeding(&self.stop);
        let until_settled = until_settled && (deadline.is_some() || self.grasp.model().quasistatic);
        control.until_settled(until_settled)
    }

    /// Measures the solution of a piece, and ends the piece with it.
    fn end_piece(&mut self, index: usize) {
        let solved = Instant::now();
        self.balance(index);
        let (device, problem) = (&mut self.device, &mut self.pieces[index].problem);
        let Fields { x_next: x_start, v_next, iterate: x, .. } = &mut self.fields;
        let begun = Instant::now();
        device.measure(problem, Moment::Solution, x);
        let measured = begun.elapsed();
        device.end_step(problem, x_start, x, v_next);
        if self.grasp.model().quasistatic {
            device.clear(v_next);
        }
        let begun = Instant::now();
        device.measure(problem, Moment::End, x);
        self.certificate_time = measured + begun.elapsed();
        self.endings.observe(solved.elapsed());
    }

    /// Moves bodies as a whole to where E is least. Solves that start at x̃ change nothing of how bodies fly, unless something
    /// touches something.
    fn balance(&mut self, index: usize) {
        let (device, problem) = (&mut self.device, &mut self.pieces[index].problem);
        // Velocities are those of the end from here on: this one is free.
        let Fields { v_next: before, iterate: x, .. } = &mut self.fields;
        let Settings { method, initial_guess, .. } = self.settings;
        let touches = self.grasp.model().has_contacts();
        let moves_bodies = if method.is_linear() { touches } else { method.minimises };
        if !moves_bodies || (!touches && initial_guess == InitialGuess::Inertia) {
            return;
        }
        let looks_at_energy = method.descends() || method.is_linear();
        if !looks_at_energy || !touches {
            device.balance_bodies(problem, x);
            return;
        }
        // Contacts that the motion meets are not in the Hessian that it is found by, and solves that look at E end near the least.
        device.objective_to(problem, x, ENERGY_BEFORE);
        device.copy(x, before);
        device.balance_bodies(problem, x);
        device.objective_to(problem, x, ENERGY);
        device.copy_unless_lower([ENERGY, ENERGY_BEFORE], before, x);
    }
}

/// Why an attempt failed.
pub(super) enum Failure {
    /// The step went wrong; a more careful try may do.
    Step(String),
    /// The device went wrong: no try will do.
    Device(DeviceError),
    /// Somebody wants no more of this step.
    Stopped,
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        match error {
            // Another step size has another matrix.
            DeviceError::Cholesky(_) => Self::Step(error.to_string()),
            _ => Self::Device(error),
        }
    }
}

impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Device(error) => error.into(),
            _ => Self::Step(error.to_string()),
        }
    }
}

pub(super) struct SolvedPiece {
    solve: SolveReport,
    stalled: bool,
    certificate: Certificate,
}

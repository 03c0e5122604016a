//! Algorithm 3 on a device that is far away, where to wait for a number costs as much as several iterations.
//!
//! E is looked at every 16th iteration in place of every 8th, and the device goes on meanwhile: what it saw is judged at the
//! next look, when it has long been there. Where E had not fallen, the solve goes back to where it last had, and what was done
//! since is lost. The last look is judged by the device itself ([`Device::copy_unless_lower`]), so that a calm solve of 96 iterations
//! waits for nothing that is not there. Once elements were converted, which makes E another one, the rest of the solve waits for
//! its looks.

use super::descent::{Descent, Fields, Momentum, RAISED, RESIDUAL, SHORTER, SHORTEST};
use super::{Control, SolveError, SolveReport};
use crate::device::{Blend, Device, Slot};

/// Iterations between looks at E.
const LOOKED_AT: usize = 16;
/// E is not known better than to this part of it: its terms are of single precision, and the strains that they are made of are
/// differences of it.
pub(super) const ROUNDING: f64 = 1e-6;
/// What ∇Eᵀ P⁻¹ ∇E promises is lost in rounding if it is less than this part of what the solve has gained.
const DROWNED: f64 = 1e-6;

/// E of the last iterate, and of the best before it.
const ENERGY: Slot = Slot(2);
const LEAST: Slot = Slot(3);

/// What a solve knows.
struct Descending {
    report: SolveReport,
    /// α
    step_length: f64,
    /// E at the first iterate, and the least that was looked at.
    start: f64,
    least: f64,
    /// The first ∇Eᵀ P⁻¹ ∇E.
    first: f64,
    /// E has fallen since the solve began.
    fell: bool,
    /// Elements were converted: nothing is done ahead any more.
    converts: bool,
    /// Iterations when what is kept and what is tried was x, and when P was renewed.
    kept_at: usize,
    tried_at: usize,
    renewed_at: usize,
}

/// How a look came out.
pub(super) enum Verdict {
    Fell,
    Back,
    End,
}

impl<D: Device> Descent<D> {
    /// A solve that was begun, with α.
    pub(super) fn solve_ahead(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        (control, step_length): (&mut Control<D>, f64),
    ) -> Result<SolveReport, SolveError> {
        let mut state = Descending {
            report: SolveReport::default(),
            step_length,
            start: f64::NAN,
            least: f64::INFINITY,
            first: f64::INFINITY,
            fell: false,
            converts: false,
            kept_at: 0,
            tried_at: 0,
            renewed_at: 0,
        };
        self.go_ahead(device, problem, x, (control, &mut state))?;
        if state.fell {
            self.lengthen(state.report.restarts);
        }
        Ok(state.report)
    }

    fn go_ahead(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        (control, state): (&mut Control<D>, &mut Descending),
    ) -> Result<(), SolveError> {
        device.objective_to(problem, x, ENERGY);
        if let Some(fields) = self.fields.as_mut().filter(|_| control.tolerance > 0.0) {
            device.rescale(problem, self.scale, x);
            device.gradient(problem, x, &mut fields.gradient);
            device.divide_by_scale(problem, &fields.gradient, &mut fields.z);
            device.dot(&fields.gradient, &fields.z, RESIDUAL);
        }
        let mut asked = Some(device.request_scalars()?);
        self.remember(device, x);
        loop {
            if !control.go_on(device, problem, state.report.iterations, x) {
                break;
            }
            let done = state.report.iterations;
            if done.is_multiple_of(self.renewed) {
                device.rescale(problem, self.scale, x);
                state.renewed_at = done;
            }
            let more = control.until_look(device, done, LOOKED_AT);
            self.descend_many(device, problem, x, (state.step_length, more));
            state.report.iterations += more;
            let looks = state.report.iterations.is_multiple_of(LOOKED_AT);
            if !looks || state.report.iterations >= control.iterations {
                continue;
            }
            let verdict = self.look_ahead(device, problem, x, (control, state, &mut asked))?;
            match verdict {
                Verdict::Fell => {}
                Verdict::Back => self.go_back(device, problem, x, state),
                Verdict::End => {
                    self.give_kept(device, x);
                    return Ok(());
                }
            }
            if state.step_length < SHORTEST {
                return Ok(());
            }
        }
        self.end(device, problem, x, (control, state, asked))
    }

    /// Asks about x, and judges what was asked about before; x, too, where nothing is done ahead.
    fn look_ahead(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &D::Points,
        (control, state, asked): (&Control<D>, &mut Descending, &mut Option<D::Numbers>),
    ) -> Result<Verdict, SolveError> {
        device.convert(problem, x, RAISED);
        device.objective_to(problem, x, ENERGY);
        let next = device.request_scalars()?;
        let verdict = match asked.take() {
            Some(numbers) => self.judge(device, problem, control, (state, numbers))?,
            None => Verdict::Fell,
        };
        match verdict {
            Verdict::Fell => {
                self.remember(device, x);
                state.tried_at = state.report.iterations;
                if state.converts {
                    return self.judge(device, problem, control, (state, next));
                }
                *asked = Some(next);
            }
            Verdict::Back => self.heed(device, problem, (state, next))?,
            // What was asked is of no interest any more.
            Verdict::End => {}
        }
        Ok(verdict)
    }

    /// What was asked about an iterate that is not gone on from: if l was raised there, E is another one where the solve goes back
    /// to, too.
    fn heed(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        (state, numbers): (&mut Descending, D::Numbers),
    ) -> Result<(), SolveError> {
        let raised = device.receive_numbers(numbers)?.get(RAISED.0).is_some_and(|raised| *raised > 0.0);
        if let Some(fields) = self.fields.as_ref().filter(|_| raised) {
            (state.converts, state.report.converted) = (true, true);
            state.least = device.objective(problem, &fields.kept)?;
            device.rescale(problem, self.scale, &fields.kept);
            state.renewed_at = state.kept_at;
        }
        Ok(())
    }

    /// So many iterations.
    fn descend_many(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        (step_length, count): (f64, usize),
    ) {
        let Some(fields) = &mut self.fields else { return };
        if let Momentum::Chebyshev(chebyshev) = &mut self.momentum {
            let mut blends = [Blend { omega: 1.0, under_relaxation: step_length }; LOOKED_AT];
            let blends = &mut blends[..count.min(LOOKED_AT)];
            blends.iter_mut().for_each(|blend| blend.omega = chebyshev.next_omega());
            let scratch = [&mut fields.gradient, &mut fields.z];
            device.descend_many(problem, [x, &mut fields.before], blends, Some(RESIDUAL), scratch);
            return;
        }
        for k in 0..count {
            let Some(fields) = &mut self.fields else { return };
            device.gradient(problem, x, &mut fields.gradient);
            device.divide_by_scale(problem, &fields.gradient, &mut fields.z);
            if k + 1 == count {
                device.dot(&fields.gradient, &fields.z, RESIDUAL);
            }
            self.go(device, problem, x, step_length);
        }
    }

    /// x is what E is on its way of.
    fn remember(&mut self, device: &mut D, x: &D::Points) {
        if let Some(tried) = self.fields.as_mut().and_then(|fields| fields.tried.as_mut()) {
            device.copy(x, tried);
        }
    }

    fn give_kept(&mut self, device: &mut D, x: &mut D::Points) {
        if let Some(fields) = &self.fields {
            device.copy(&fields.kept, x);
        }
    }

    /// Judges the iterate that was tried by what was asked about it; where E fell it is kept.
    fn judge(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        control: &Control<D>,
        (state, numbers): (&mut Descending, D::Numbers),
    ) -> Result<Verdict, SolveError> {
        let numbers = device.receive_numbers(numbers)?;
        let of = |slot: Slot| numbers.get(slot.0).copied().unwrap_or(f64::NAN);
        let (mut energy, residual) = (of(ENERGY), of(RESIDUAL));
        let Some(Fields { kept, tried: Some(tried), .. }) = &mut self.fields else { return Ok(Verdict::End) };
        if state.start.is_nan() {
            if !energy.is_finite() {
                return Err(SolveError::NotFinite { iteration: 0 });
            }
            (state.start, state.least) = (energy, energy);
            state.first = if control.tolerance > 0.0 { residual } else { 0.0 };
            return Ok(Verdict::Fell);
        }
        if of(RAISED) > 0.0 {
            // Of another objective E was another.
            (state.converts, state.report.converted) = (true, true);
            state.least = device.objective(problem, kept)?;
            energy = device.objective(problem, tried)?;
            device.rescale(problem, self.scale, tried);
            state.renewed_at = state.tried_at;
        }
        if energy <= state.least + ROUNDING * state.least.abs() {
            std::mem::swap(kept, tried);
            state.kept_at = state.tried_at;
            (state.least, self.step_length, state.fell) = (energy.min(state.least), state.step_length, true);
            state.report.converged = control.tolerance > 0.0 && control.converged(residual, state.first);
            return Ok(if state.report.converged || residual == 0.0 { Verdict::End } else { Verdict::Fell });
        }
        if residual <= DROWNED * (state.start - state.least) {
            state.report.settled = true;
            return Ok(Verdict::End);
        }
        state.step_length *= SHORTER;
        if !state.fell {
            self.step_length = state.step_length;
        }
        state.report.restarts += 1;
        Ok(Verdict::Back)
    }

    /// To the best iterate so far; momentum starts again.
    fn go_back(&mut self, device: &mut D, problem: &mut D::Problem, x: &mut D::Points, state: &mut Descending) {
        self.give_kept(device, x);
        if state.renewed_at > state.kept_at {
            // At an iterate that is lost.
            device.rescale(problem, self.scale, x);
        }
        (state.kept_at, state.renewed_at) = (state.report.iterations, state.report.iterations);
        self.restart(device, x, state.report.restarts > 1);
    }

    /// The iterations since the last look: the device decides.
    fn end(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        (control, state, asked): (&Control<D>, &mut Descending, Option<D::Numbers>),
    ) -> Result<(), SolveError> {
        if let Some(numbers) = asked {
            let verdict = self.judge(device, problem, control, (state, numbers))?;
            if !matches!(verdict, Verdict::Fell) {
                self.give_kept(device, x);
                return Ok(());
            }
        }
        device.convert(problem, x, RAISED);
        device.objective_to(problem, x, ENERGY);
        if let Some(fields) = &mut self.fields {
            device.objective_to(problem, &fields.kept, LEAST);
            device.copy_unless_lower([ENERGY, LEAST], &fields.kept, x);
        }
        Ok(())
    }
}

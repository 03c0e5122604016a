//! The verbs of [`Device`]: each records a few kernels.

use crate::buffer::Field;
use crate::close::CloseSearch;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::order::Order;
use crate::problem::GpuProblem;
use crate::readback::Ticket;
use pliant::contact::close::{Side, Touch};
use pliant::device::{
    Blend, Device, DeviceError, Factor, Measures, Moment, SLOTS, Scale, Slot, StepInput, descend_by_verbs,
};
use pliant::model::{Model, Potential, System};
use std::sync::Arc;
use std::time::Instant;

/// A point per vertex on the device, in the device's order.
#[derive(Debug)]
pub struct Points {
    pub(crate) field: Field,
    pub(crate) order: Arc<Order>,
}

/// Points on their way to the host.
#[derive(Debug)]
pub struct Reading {
    ticket: Option<Ticket>,
    order: Arc<Order>,
}

/// Numbers on their way to the host.
#[derive(Debug)]
pub struct Numbers(Wanted);

#[derive(Debug)]
enum Wanted {
    Nothing,
    /// Pairs (high, low).
    Scalars(Ticket),
    Shares(Ticket),
}

impl Gpu {
    fn upload_model(&mut self, model: &Arc<Model>, system: &Arc<System>) -> Result<GpuProblem, GpuError> {
        let problem = GpuProblem::new(&self.context, &mut self.library, model, system)?;
        self.ensure_shares(&problem)?;
        if model.self_friction.is_none() {
            self.search = None;
        } else if !self.search.as_ref().is_some_and(|search| search.is_about(model)) {
            self.search = Some(CloseSearch::new(&self.context, &mut self.library, model, &problem.order)?);
        }
        Ok(problem)
    }

    fn device_error(&self, error: GpuError) -> DeviceError {
        error.on(self.name())
    }
}

impl Device for Gpu {
    type Points = Points;
    type Problem = GpuProblem;
    type Reading = Reading;
    type Numbers = Numbers;

    fn name(&self) -> String {
        format!("gpu: {}", self.info().name)
    }

    fn precision(&self) -> &'static str {
        "f32"
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn has_direct_solver(&self) -> bool {
        false
    }

    fn sweep_way(&self, problem: &GpuProblem) -> &'static str {
        problem.way()
    }

    fn sweep_bytes(&self, problem: &GpuProblem) -> [u64; 2] {
        [problem.moved_bytes(), 16 * u64::from(problem.n)]
    }

    fn force_bytes(&self, problem: &GpuProblem) -> [u64; 2] {
        [problem.force_bytes(), 16 * u64::from(problem.n)]
    }

    fn stream(&mut self, bytes: [u64; 2], times: usize) -> Result<(), DeviceError> {
        self.stream_bytes(bytes, times).map_err(|error| self.device_error(error))
    }

    fn upload(&mut self, model: &Arc<Model>, system: &Arc<System>) -> Result<GpuProblem, DeviceError> {
        let uploaded = self.upload_model(model, system);
        uploaded.map_err(|error| self.device_error(error))
    }

    fn sides(&mut self) -> Result<[Vec<Side>; 2], DeviceError> {
        let Some(search) = &self.search else { return Ok(Default::default()) };
        search.sides(&self.context, &mut self.recorder).map_err(|error| self.device_error(error))
    }

    fn set_sides(&mut self, sides: &[Vec<Side>; 2]) {
        if let Some(search) = &mut self.search {
            search.set_sides(&mut self.recorder, sides);
        }
    }

    fn request_conversion(&mut self) -> Result<Numbers, DeviceError> {
        let Some(shares) = self.known_shares() else { return Ok(Numbers(Wanted::Nothing)) };
        let bytes = 0..shares.bytes();
        let Self { recorder, shares, .. } = self;
        let asked = shares.as_ref().map(|shares| recorder.request_read(shares.now(), bytes));
        let asked = asked.transpose().map_err(|error| self.device_error(error))?;
        Ok(Numbers(asked.map_or(Wanted::Nothing, Wanted::Shares)))
    }

    fn set_conversion(&mut self, shares: &[f64]) {
        self.write_shares(shares);
    }

    fn undo_conversion(&mut self) {
        self.undo_shares();
    }

    /// GPUs do not look.
    fn wound(&self) -> u32 {
        0
    }

    fn set_wound(&mut self, _wound: u32) {}

    fn points(&self, problem: &GpuProblem) -> Points {
        let field = Field::new(&self.context, "points", problem.model.vertices()).unwrap_or_else(|error| {
            // The next wait says so; on an empty field nothing is computed.
            self.context.faults.report(error);
            Field::empty(&self.context, &problem.nothing.read)
        });
        Points { field, order: problem.order.clone() }
    }

    fn write(&mut self, from: &[[f64; 3]], to: &mut Points) {
        self.recorder.write_points(&to.field, to.order.vertex.iter().map(|&i| from[i as usize]));
    }

    fn read(&mut self, from: &Points, to: &mut [[f64; 3]]) -> Result<(), DeviceError> {
        let reading = self.request(from)?;
        self.receive(reading, to)
    }

    fn request(&mut self, from: &Points) -> Result<Reading, DeviceError> {
        let ticket = self.recorder.request_points(&from.field).map_err(|error| self.device_error(error))?;
        Ok(Reading { ticket, order: from.order.clone() })
    }

    fn receive(&mut self, Reading { ticket, order }: Reading, to: &mut [[f64; 3]]) -> Result<(), DeviceError> {
        let read = self.recorder.receive_points(ticket, |place, x| to[order.vertex[place] as usize] = x);
        read.map_err(|error| self.device_error(error))
    }

    fn copy(&mut self, from: &Points, to: &mut Points) {
        self.vector.copy(&mut self.recorder, &from.field, &to.field);
    }

    fn clear(&mut self, z: &mut Points) {
        self.vector.clear(&mut self.recorder, &z.field);
    }

    fn axpy(&mut self, a: Factor, x: &Points, y: &mut Points) {
        self.vector.axpy(&mut self.recorder, a, &x.field, &y.field);
    }

    fn xpay(&mut self, x: &Points, a: Factor, y: &mut Points) {
        self.vector.xpay(&mut self.recorder, &x.field, a, &y.field);
    }

    fn dot(&mut self, a: &Points, b: &Points, out: Slot) {
        self.vector.dot(&mut self.recorder, &a.field, &b.field, out);
    }

    fn copy_scalar(&mut self, from: Slot, to: Slot) {
        self.vector.copy_scalar(&mut self.recorder, from, to);
    }

    fn request_scalars(&mut self) -> Result<Numbers, DeviceError> {
        let asked = self.recorder.request_read(&self.vector.scalars, 0..8 * SLOTS as u64);
        asked.map(|ticket| Numbers(Wanted::Scalars(ticket))).map_err(|error| self.device_error(error))
    }

    fn receive_numbers(&mut self, Numbers(wanted): Numbers) -> Result<Vec<f64>, DeviceError> {
        let (ticket, pairs) = match wanted {
            Wanted::Nothing => return Ok(Vec::new()),
            Wanted::Scalars(ticket) => (ticket, true),
            Wanted::Shares(ticket) => (ticket, false),
        };
        let read = self.recorder.wait(ticket, |bytes| {
            let mut values = bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned::<f32>).map(f64::from);
            if !pairs {
                return values.collect();
            }
            std::iter::from_fn(|| Some(values.next()? + values.next()?)).collect()
        });
        read.map_err(|error| self.device_error(error))
    }

    fn copy_unless_lower(&mut self, lower: [Slot; 2], from: &Points, to: &mut Points) {
        self.vector.copy_unless_lower(&mut self.recorder, lower, &from.field, &to.field);
    }

    fn scalar(&mut self, slot: Slot) -> Result<f64, DeviceError> {
        let read = self.vector.scalars(&mut self.recorder);
        read.map(|scalars| scalars[slot.0]).map_err(|error| self.device_error(error))
    }

    fn begin_step(&mut self, problem: &mut GpuProblem, input: &StepInput, x: &Points, v: &Points) {
        self.step_clock.scope = self.recorder.time_begin();
        // Software shares its processors with the thread that waits.
        self.step_clock.begun = self.context.info.kind.is_hardware().then(Instant::now);
        self.predict(problem, input, &x.field, &v.field);
        self.begin_conversion(problem, &x.field, input.since);
        self.find_touches(problem, input.since, &x.field);
    }

    fn start(&mut self, problem: &GpuProblem, x: &mut Points) {
        self.vector.copy(&mut self.recorder, &problem.x_tilde, &x.field);
    }

    fn hold(&mut self, problem: &GpuProblem, x: &mut Points) {
        self.hold_vertices(problem, &x.field);
    }

    fn convert(&mut self, problem: &mut GpuProblem, x: &Points, raised: Slot) {
        self.raise_shares(problem, &x.field, raised);
    }

    fn objective_to(&mut self, problem: &mut GpuProblem, x: &Points, out: Slot) {
        self.record_objective(problem, &x.field, out);
    }

    fn meet_colliders(&mut self, problem: &mut GpuProblem, x: &mut Points) {
        self.meet_all_colliders(problem, &x.field, true);
        self.meet_bodies(problem, &x.field);
    }

    fn end_step(&mut self, problem: &GpuProblem, x_prev: &Points, x: &mut Points, v: &mut Points) {
        self.finish_step(problem, &x_prev.field, &x.field, &v.field);
    }

    fn measure(&mut self, problem: &mut GpuProblem, moment: Moment, x: &Points) {
        self.measure_moment(problem, moment, &x.field);
    }

    fn measures(&mut self, problem: &mut GpuProblem) -> Result<Measures, DeviceError> {
        self.read_measures(problem).map_err(|error| self.device_error(error))
    }

    fn working_time(&self) -> Option<f64> {
        self.step_clock.seconds
    }

    fn expect_measures(&mut self, at: Instant) {
        self.step_clock.expected = Some(at);
    }

    fn potential<'a>(&mut self, problem: &'a mut GpuProblem) -> Result<&'a Potential, DeviceError> {
        self.read_grips(problem).map_err(|error| self.device_error(error))?;
        let GpuProblem { order, potential, x_tilde, .. } = &mut *problem;
        let target = &mut potential.x_tilde;
        let read = self.recorder.read_points(x_tilde, |place, x| {
            target[order.vertex[place] as usize] = [x[0], x[1], x[2], 0.0];
        });
        read.map_err(|error| self.device_error(error))?;
        let converted = self.request_conversion()?;
        problem.potential.convert(&self.receive_numbers(converted)?, std::iter::empty());
        let GpuProblem { order, potential, touching, .. } = problem;
        if let Some(touching) = touching {
            let touches = touching.read(&mut self.recorder, order).map_err(|error| self.device_error(error))?;
            potential.set_touches(touches.iter().map(Touch::cast));
        }
        Ok(potential)
    }

    fn gradient(&mut self, problem: &mut GpuProblem, x: &Points, g: &mut Points) {
        self.gradient_at(problem, &x.field, &g.field);
    }

    fn jacobi(
        &mut self,
        problem: &mut GpuProblem,
        x: &mut Points,
        x_before: &mut Points,
        blends: &[Blend],
        residual: Option<Slot>,
    ) {
        let (fused, single) = blends.split_at(blends.len() - usize::from(residual.is_some()).min(blends.len()));
        self.sweeps(problem, &mut x.field, &mut x_before.field, fused);
        for blend in single {
            self.sweep(problem, &x.field, &x_before.field, *blend, residual);
            std::mem::swap(&mut x.field, &mut x_before.field);
        }
    }

    fn blend(&mut self, x_hat: &Points, x: &Points, x_before: &mut Points, blend: Blend) {
        self.vector.blend(&mut self.recorder, &x_hat.field, &x.field, &x_before.field, blend);
    }

    fn descend(&mut self, problem: &GpuProblem, z: &Points, x: &Points, x_before: &mut Points, blend: Blend) {
        if problem.may_touch() == 0 {
            self.vector.descend(&mut self.recorder, &z.field, &x.field, &x_before.field, blend);
        } else {
            self.descend_touching(problem, &z.field, &x.field, &x_before.field, blend);
        }
    }

    fn divide_by_diagonal(&mut self, problem: &GpuProblem, r: &Points, z: &mut Points) {
        self.divide(problem, &r.field, &z.field);
    }

    fn rescale(&mut self, problem: &mut GpuProblem, scale: Scale, x: &Points) {
        self.rescale_at(problem, scale, &x.field);
    }

    fn divide_by_scale(&mut self, problem: &GpuProblem, r: &Points, z: &mut Points) {
        self.divide_scaled(problem, &r.field, &z.field);
    }

    fn descend_many(
        &mut self,
        problem: &mut GpuProblem,
        [x, x_before]: [&mut Points; 2],
        blends: &[Blend],
        residual: Option<Slot>,
        scratch: [&mut Points; 2],
    ) {
        if problem.may_touch() > 0 {
            return descend_by_verbs(self, problem, [x, x_before], (blends, residual), scratch);
        }
        for (k, blend) in blends.iter().enumerate() {
            let wanted = residual.filter(|_| k + 1 == blends.len());
            self.descend_once(problem, &x.field, &x_before.field, (*blend, wanted));
            std::mem::swap(&mut x.field, &mut x_before.field);
        }
    }

    fn multiply(&mut self, problem: &GpuProblem, p: &Points, out: &mut Points) {
        Gpu::multiply(self, problem, &p.field, &out.field);
    }

    fn colours(&mut self, problem: &mut GpuProblem) -> usize {
        self.matrix_colours(problem)
    }

    fn gauss_seidel(&mut self, problem: &GpuProblem, colour: usize, omega: f64, r: &Points, z: &mut Points) {
        self.gauss_seidel_colour(problem, colour, omega, &r.field, &z.field);
    }

    fn relax(&mut self, problem: &mut GpuProblem, colour: usize, omega: f64, x: &mut Points, residual: Option<Slot>) {
        self.relax_colour(problem, colour, omega, &x.field, residual);
    }

    fn solve_direct(&mut self, _problem: &mut GpuProblem, _r: &Points, _z: &mut Points) -> Result<(), DeviceError> {
        let help = "use --device cpu, or a method that factors nothing such as pd-multigrid-chebyshev".to_string();
        Err(DeviceError::Unsupported { device: self.name(), what: "direct solver".to_string(), help })
    }

    fn cycle(&mut self, problem: &mut GpuProblem, r: &Points, z: &mut Points) {
        self.v_cycle(problem, &r.field, &z.field);
    }

    fn largest_jacobi_eigenvalue(&mut self, problem: &mut GpuProblem) -> f64 {
        problem.system.matrix.largest_jacobi_eigenvalue(60)
    }

    fn reset_multipliers(&mut self, problem: &mut GpuProblem) {
        self.clear_multipliers(problem);
    }

    fn constrain_jacobi(&mut self, problem: &mut GpuProblem, relaxation: f64, x: &Points, x_hat: &mut Points) {
        self.correct_all(problem, relaxation, &x.field, &x_hat.field);
    }

    fn constraint_colours(&mut self, problem: &mut GpuProblem) -> usize {
        self.constraint_colour_count(problem)
    }

    fn constrain_colour(&mut self, problem: &mut GpuProblem, colour: usize, extended: bool, x: &mut Points) {
        self.correct_colour(problem, colour, extended, &x.field);
    }

    fn enforce(&mut self, problem: &mut GpuProblem, x: &mut Points, [first, second]: [&mut Points; 2]) {
        self.enforce_positions(problem, &x.field, [&first.field, &second.field]);
    }

    fn balance_bodies(&mut self, problem: &mut GpuProblem, x: &mut Points) {
        self.balance_all(problem, &x.field);
    }

    fn turn_free_parts(&mut self, problem: &mut GpuProblem, x: &mut Points) {
        self.turn_parts(problem, &x.field);
    }
}

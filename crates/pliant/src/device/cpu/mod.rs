//! The CPU: rayon over fixed chunks of vertices, eight vertices at a time in the hot loop, `f32` or `f64`.

mod balance;
mod constrain;
mod force;
mod grips;
mod linear;
mod linear_blocks;
mod matrix;
mod measure;
mod multigrid;
mod problem;
mod relax;
mod rows;
mod scale;
mod stepping;
mod touching;
mod turn;

pub use balance::{LEAST_SPREAD, MOST_TURN};
pub use problem::CpuProblem;

use super::parallel::{self, for_chunks};
use super::touches::TouchSearch;
use super::{
    Blend, Device, DeviceError, Factor, LinearSetting, Measures, Moment, Progress, SLOTS, Scale, Slot, StepInput,
};
use crate::colouring::greedy;
use crate::contact::close::Side;
use crate::contact::without_momentum;
use crate::math::{Real, Vec3};
use crate::mesh::topology::Incidence;
use crate::model::{Conversion, Model, Potential, System, Unwinding};
use std::sync::Arc;

/// The CPU, computing in `R`.
#[derive(Default)]
pub struct Cpu<R> {
    scalars: [f64; SLOTS],
    parts: Vec<f64>,
    /// Where bodies touch each other: remembers from step to step on which side, whatever the size of steps.
    search: Option<TouchSearch<R>>,
    /// Which elements are crushed: remembers, too.
    conversion: Conversion,
    /// Which solids are wound up: the same.
    unwinding: Unwinding,
}

impl<R: Real> Cpu<R> {
    /// The CPU with rayon's threads.
    pub fn new() -> Self {
        Self::default()
    }

    fn factor(&self, factor: Factor) -> R {
        let ratio =
            |a: Slot, b: Slot| if self.scalars[b.0] != 0.0 { self.scalars[a.0] / self.scalars[b.0] } else { 0.0 };
        R::of(match factor {
            Factor::Value(value) => value,
            Factor::Ratio(a, b) => ratio(a, b),
            Factor::MinusRatio(a, b) => -ratio(a, b),
        })
    }
}

/// out[i] = f(i, out[i]) for all vertices.
#[inline(always)]
fn map<R: Real>(out: &mut [[R; 4]], f: impl Fn(usize, Vec3<R>) -> Vec3<R> + Sync + Send) {
    for_chunks(out, |first, chunk| {
        for (i, out) in (first..).zip(chunk) {
            *out = f(i, Vec3::load(*out)).store();
        }
    });
}

impl<R: Real> Device for Cpu<R> {
    type Points = Vec<[R; 4]>;
    type Problem = CpuProblem<R>;
    type Reading = Vec<[R; 4]>;
    type Numbers = Vec<f64>;

    fn name(&self) -> String {
        "cpu".to_string()
    }

    fn precision(&self) -> &'static str {
        R::NAME
    }

    fn sweep_bytes(&self, problem: &CpuProblem<R>) -> [u64; 2] {
        [problem.sweep_bytes() as u64, (problem.model.vertices() * size_of::<[R; 4]>()) as u64]
    }

    fn force_bytes(&self, problem: &CpuProblem<R>) -> [u64; 2] {
        // Of a sweep all but the iterate before.
        let [bytes, written] = self.sweep_bytes(problem);
        [bytes - written, written]
    }

    fn stream(&mut self, [bytes, _]: [u64; 2], times: usize) -> Result<(), DeviceError> {
        let data = vec![1u64; (bytes / 8) as usize];
        for _ in 0..times {
            // Reads only: to write costs a processor at least as much.
            let sum = parallel::sum_ranges(data.len(), &mut self.parts, |range| {
                data[range].iter().fold(0u64, |a, b| a.wrapping_add(*b)) as f64
            });
            std::hint::black_box(sum);
        }
        Ok(())
    }

    fn upload(&mut self, model: &Arc<Model>, system: &Arc<System>) -> Result<CpuProblem<R>, DeviceError> {
        if !self.search.as_ref().is_some_and(|search| search.is_about(model)) {
            self.search = TouchSearch::new(model);
        }
        Ok(CpuProblem::new(model, system))
    }

    fn sides(&mut self) -> Result<[Vec<Side>; 2], DeviceError> {
        Ok(self.search.as_ref().map_or_else(Default::default, |search| search.sides()))
    }

    fn set_sides(&mut self, sides: &[Vec<Side>; 2]) {
        if let Some(search) = &mut self.search {
            search.set_sides(sides);
        }
    }

    fn request_conversion(&mut self) -> Result<Vec<f64>, DeviceError> {
        Ok(self.conversion.shares().to_vec())
    }

    fn undo_conversion(&mut self) {
        self.conversion.undo();
        self.unwinding.undo();
    }

    fn set_conversion(&mut self, shares: &[f64]) {
        self.conversion.set_shares(shares);
    }

    fn wound(&self) -> u32 {
        self.unwinding.wound()
    }

    fn set_wound(&mut self, wound: u32) {
        self.unwinding.set_wound(wound);
    }

    fn points(&self, problem: &CpuProblem<R>) -> Vec<[R; 4]> {
        vec![[R::ZERO; 4]; problem.model.vertices()]
    }

    fn write(&mut self, from: &[[f64; 3]], to: &mut Vec<[R; 4]>) {
        to.clear();
        to.extend(from.iter().map(|&p| Vec3::of(p).store()));
    }

    fn read(&mut self, from: &Vec<[R; 4]>, to: &mut [[f64; 3]]) -> Result<(), DeviceError> {
        to.iter_mut().zip(from).for_each(|(to, &from)| *to = Vec3::load(from).f64());
        Ok(())
    }

    fn request(&mut self, from: &Vec<[R; 4]>) -> Result<Vec<[R; 4]>, DeviceError> {
        Ok(from.clone())
    }

    fn receive(&mut self, reading: Vec<[R; 4]>, to: &mut [[f64; 3]]) -> Result<(), DeviceError> {
        self.read(&reading, to)
    }

    fn copy(&mut self, from: &Vec<[R; 4]>, to: &mut Vec<[R; 4]>) {
        to.copy_from_slice(from);
    }

    fn clear(&mut self, z: &mut Vec<[R; 4]>) {
        z.fill([R::ZERO; 4]);
    }

    fn axpy(&mut self, a: Factor, x: &Vec<[R; 4]>, y: &mut Vec<[R; 4]>) {
        let a = self.factor(a);
        map(y, |i, y| y + Vec3::load(x[i]) * a);
    }

    fn xpay(&mut self, x: &Vec<[R; 4]>, a: Factor, y: &mut Vec<[R; 4]>) {
        let a = self.factor(a);
        map(y, |i, y| Vec3::load(x[i]) + y * a);
    }

    fn dot(&mut self, a: &Vec<[R; 4]>, b: &Vec<[R; 4]>, out: Slot) {
        self.scalars[out.0] = parallel::sum_ranges(a.len(), &mut self.parts, |range| {
            // Lane sums keep the loop vectorised; their order is fixed.
            let mut sum = [R::ZERO; 4];
            for i in range {
                for k in 0..4 {
                    sum[k] += a[i][k] * b[i][k];
                }
            }
            sum.iter().map(|s| s.f64()).sum()
        });
    }

    fn copy_scalar(&mut self, from: Slot, to: Slot) {
        self.scalars[to.0] = self.scalars[from.0];
    }

    fn request_scalars(&mut self) -> Result<Vec<f64>, DeviceError> {
        Ok(self.scalars.to_vec())
    }

    fn receive_numbers(&mut self, numbers: Vec<f64>) -> Result<Vec<f64>, DeviceError> {
        Ok(numbers)
    }

    fn copy_unless_lower(&mut self, [a, b]: [Slot; 2], from: &Vec<[R; 4]>, to: &mut Vec<[R; 4]>) {
        let is_lower = self.scalars[a.0] <= self.scalars[b.0];
        if !is_lower {
            self.copy(from, to);
        }
    }

    fn scalar(&mut self, slot: Slot) -> Result<f64, DeviceError> {
        Ok(self.scalars[slot.0])
    }

    fn begin_step(&mut self, problem: &mut CpuProblem<R>, input: &StepInput, x: &Vec<[R; 4]>, v: &Vec<[R; 4]>) {
        problem.predict(x, v);
        problem.hold(input);
        self.conversion.begin(&mut problem.elements, x, input.since);
        self.unwinding.begin(&problem.model, &mut problem.elements, x, input.since);
        if let Some(viscous) = &mut problem.viscous {
            viscous.begin(&problem.elements, problem.model.rayleigh.retardation / problem.system.h, x);
        }
        if let Some(search) = &mut self.search {
            problem.find_touches(search, input.since);
        }
        problem.potential_is_current = false;
        if let Some(direct) = &mut problem.direct {
            direct.fresh_step = true;
        }
        problem.fresh_step = true;
    }

    fn start(&mut self, problem: &CpuProblem<R>, x: &mut Vec<[R; 4]>) {
        x.copy_from_slice(&problem.x_tilde);
    }

    fn hold(&mut self, problem: &CpuProblem<R>, x: &mut Vec<[R; 4]>) {
        let held = |(i, _): &(usize, &mut [R; 4])| problem.system.held[*i];
        x.iter_mut().enumerate().filter(held).for_each(|(i, x)| *x = problem.x_tilde[i]);
    }

    fn convert(&mut self, problem: &mut CpuProblem<R>, x: &Vec<[R; 4]>, raised: Slot) {
        let count = self.conversion.raise(&mut problem.elements, x);
        problem.potential_is_current &= count == 0;
        self.scalars[raised.0] = count as f64;
    }

    fn objective_to(&mut self, problem: &mut CpuProblem<R>, x: &Vec<[R; 4]>, out: Slot) {
        self.scalars[out.0] = problem.objective(x);
    }

    fn meet_colliders(&mut self, problem: &mut CpuProblem<R>, x: &mut Vec<[R; 4]>) {
        problem.meet_colliders(x, true);
        problem.meet_bodies(x);
    }

    fn end_step(&mut self, problem: &CpuProblem<R>, x_prev: &Vec<[R; 4]>, x: &mut Vec<[R; 4]>, v: &mut Vec<[R; 4]>) {
        problem.finish_contacts(x);
        let inv_h = R::of(1.0 / problem.system.h);
        let x = &*x;
        map(v, |i, _| (Vec3::load(x[i]) - Vec3::load(x_prev[i])) * inv_h);
    }

    fn measure(&mut self, problem: &mut CpuProblem<R>, moment: Moment, x: &Vec<[R; 4]>) {
        problem.measure(moment, x);
    }

    fn measures(&mut self, problem: &mut CpuProblem<R>) -> Result<Measures, DeviceError> {
        Ok(problem.measures)
    }

    fn potential<'a>(&mut self, problem: &'a mut CpuProblem<R>) -> Result<&'a Potential, DeviceError> {
        Ok(problem.current_potential())
    }

    fn gradient(&mut self, problem: &mut CpuProblem<R>, x: &Vec<[R; 4]>, g: &mut Vec<[R; 4]>) {
        problem.gradient(x, g);
    }

    fn jacobi(
        &mut self,
        problem: &mut CpuProblem<R>,
        x: &mut Vec<[R; 4]>,
        x_before: &mut Vec<[R; 4]>,
        blends: &[Blend],
        residual: Option<Slot>,
    ) {
        for (k, blend) in blends.iter().enumerate() {
            let wanted = residual.filter(|_| k + 1 == blends.len());
            let value = problem.jacobi(x, x_before, *blend, wanted.is_some());
            std::mem::swap(x, x_before);
            if let Some(slot) = wanted {
                self.scalars[slot.0] = value;
            }
        }
    }

    fn blend(&mut self, x_hat: &Vec<[R; 4]>, x: &Vec<[R; 4]>, x_before: &mut Vec<[R; 4]>, blend: Blend) {
        let (omega, gamma) = (R::of(blend.omega), R::of(blend.under_relaxation));
        map(x_before, |i, before| {
            let x = Vec3::load(x[i]);
            before + ((Vec3::load(x_hat[i]) - x) * gamma + x - before) * omega
        });
    }

    fn descend(
        &mut self,
        problem: &CpuProblem<R>,
        z: &Vec<[R; 4]>,
        x: &Vec<[R; 4]>,
        x_before: &mut Vec<[R; 4]>,
        blend: Blend,
    ) {
        let (omega, gamma) = (R::of(blend.omega), R::of(blend.under_relaxation));
        let touching = problem.has_contacts();
        map(x_before, |i, before| {
            let (x, z) = (Vec3::load(x[i]), Vec3::load(z[i]));
            let next = before + (x - z * gamma - before) * omega;
            if touching { without_momentum(problem.pushes[i], x - z, next) } else { next }
        });
    }

    fn divide_by_diagonal(&mut self, problem: &CpuProblem<R>, r: &Vec<[R; 4]>, z: &mut Vec<[R; 4]>) {
        map(z, |i, _| problem.divide_by_diagonal(i, Vec3::load(r[i])));
    }

    fn rescale(&mut self, problem: &mut CpuProblem<R>, scale: Scale, x: &Vec<[R; 4]>) {
        problem.rescale(scale, x);
    }

    fn divide_by_scale(&mut self, problem: &CpuProblem<R>, r: &Vec<[R; 4]>, z: &mut Vec<[R; 4]>) {
        map(z, |i, _| problem.divide_by_scale(i, Vec3::load(r[i])));
    }

    fn multiply(&mut self, problem: &CpuProblem<R>, p: &Vec<[R; 4]>, out: &mut Vec<[R; 4]>) {
        map(out, |i, _| problem.row_product(i, p) + problem.contact[i].times(Vec3::load(p[i])));
    }

    fn colours(&mut self, problem: &mut CpuProblem<R>) -> usize {
        let matrix = &problem.system.matrix;
        let colouring = problem
            .colouring
            .get_or_insert_with(|| greedy(&Incidence { offset: matrix.offset.clone(), item: matrix.column.clone() }));
        colouring.count()
    }

    fn gauss_seidel(
        &mut self,
        problem: &CpuProblem<R>,
        colour: usize,
        omega: f64,
        r: &Vec<[R; 4]>,
        z: &mut Vec<[R; 4]>,
    ) {
        problem.gauss_seidel(colour, R::of(omega), r, z);
    }

    fn relax(
        &mut self,
        problem: &mut CpuProblem<R>,
        colour: usize,
        omega: f64,
        x: &mut Vec<[R; 4]>,
        residual: Option<Slot>,
    ) {
        let value = problem.relax(colour, R::of(omega), x);
        if let Some(slot) = residual {
            self.scalars[slot.0] = value;
        }
    }

    fn solve_direct(
        &mut self,
        problem: &mut CpuProblem<R>,
        r: &Vec<[R; 4]>,
        z: &mut Vec<[R; 4]>,
    ) -> Result<(), DeviceError> {
        problem.refactor()?;
        let n = r.len();
        let mut rhs = std::mem::take(&mut problem.scratch.rhs);
        rhs.resize(3 * n, 0.0);
        for (i, r) in r.iter().enumerate() {
            (0..3).for_each(|k| rhs[k * n + i] = r[k].f64());
        }
        if let Some(direct) = &mut problem.direct {
            direct.cholesky.solve(&mut rhs);
        }
        for (i, z) in z.iter_mut().enumerate() {
            *z = Vec3::of([rhs[i], rhs[n + i], rhs[2 * n + i]]).store();
        }
        problem.scratch.rhs = rhs;
        Ok(())
    }

    fn cycle(&mut self, problem: &mut CpuProblem<R>, r: &Vec<[R; 4]>, z: &mut Vec<[R; 4]>) {
        problem.cycle(r, z);
    }

    fn divide_by_inertia(&mut self, problem: &CpuProblem<R>, r: &mut Vec<[R; 4]>) -> Result<(), DeviceError> {
        let inertia = &problem.inertia;
        map(r, |i, r| if inertia[i] > R::ZERO { r * (R::ONE / inertia[i]) } else { Vec3::ZERO });
        Ok(())
    }

    fn linearise(
        &mut self,
        problem: &mut CpuProblem<R>,
        setting: LinearSetting,
        [start, b]: [&mut Vec<[R; 4]>; 2],
    ) -> Result<(), DeviceError> {
        problem.linearise(setting, start, b);
        Ok(())
    }

    fn multiply_linear(&mut self, problem: &mut CpuProblem<R>, p: &Vec<[R; 4]>, q: &mut Vec<[R; 4]>) {
        problem.multiply_linear(p, q);
    }

    fn precondition_linear(&mut self, problem: &mut CpuProblem<R>, r: &Vec<[R; 4]>, z: &mut Vec<[R; 4]>) {
        problem.precondition_linear(r, z);
    }

    fn conjugate(&mut self, problem: &mut CpuProblem<R>, z: &Vec<[R; 4]>, p: &mut Vec<[R; 4]>) {
        problem.conjugate(z, p);
    }

    fn advance(&mut self, problem: &mut CpuProblem<R>, [p, q]: [&Vec<[R; 4]>; 2], [u, r]: [&mut Vec<[R; 4]>; 2]) {
        problem.advance([p, q], [u, r]);
    }

    fn linear_progress(&mut self, problem: &mut CpuProblem<R>) -> Result<Progress, DeviceError> {
        Ok(problem.linear_progress())
    }

    fn largest_jacobi_eigenvalue(&mut self, problem: &mut CpuProblem<R>) -> f64 {
        problem.system.matrix.largest_jacobi_eigenvalue(60)
    }

    fn reset_multipliers(&mut self, problem: &mut CpuProblem<R>) {
        problem.constraints().reset();
    }

    fn constrain_jacobi(
        &mut self,
        problem: &mut CpuProblem<R>,
        relaxation: f64,
        x: &Vec<[R; 4]>,
        x_hat: &mut Vec<[R; 4]>,
    ) {
        problem.constrain_jacobi(relaxation, x, x_hat);
    }

    fn constraint_colours(&mut self, problem: &mut CpuProblem<R>) -> usize {
        problem.constraints().colours()
    }

    fn constrain_colour(&mut self, problem: &mut CpuProblem<R>, colour: usize, extended: bool, x: &mut Vec<[R; 4]>) {
        problem.constrain_colour(colour, extended, x);
    }

    fn enforce(&mut self, problem: &mut CpuProblem<R>, x: &mut Vec<[R; 4]>, others: [&mut Vec<[R; 4]>; 2]) {
        problem.enforce(x, others);
    }

    fn balance_bodies(&mut self, problem: &mut CpuProblem<R>, x: &mut Vec<[R; 4]>) {
        problem.balance_bodies(x);
    }

    fn turn_free_parts(&mut self, problem: &mut CpuProblem<R>, x: &mut Vec<[R; 4]>) {
        problem.turn_free_parts(x);
    }
}

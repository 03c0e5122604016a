//! What happens to a step before and after its solve, and the measures of its certificate.

use crate::buffer::{Buffer, Field};
use crate::elements::ElementParameters;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{GROUP, Kernel};
use crate::problem::{CountParameters, GpuProblem, PackedPin, RangeParameters, StepParameters};
use crate::vector::Reduction::{Max, Min, Sum};
use pliant::device::{Measures, Moment, Slot, StepInput};

// Slots of the certificate: the first ones belong to solvers.
const START: [Slot; 2] = [Slot(8), Slot(9)];
const SOLUTION: [Slot; 2] = [Slot(10), Slot(11)];
const GRADIENT_SQ: Slot = Slot(12);
const POSSIBLE: Slot = Slot(13);
const ROUNDING: Slot = Slot(14);
const MAX_STRETCH: Slot = Slot(15);
const SUM_STRETCH: Slot = Slot(16);
const MIN_GAP: Slot = Slot(17);
const INVERTED: Slot = Slot(18);

impl GpuProblem {
    /// Takes the pins and colliders of a step; whether they differ from those before.
    fn take_input(&mut self, input: &StepInput) -> [bool; 2] {
        let colliders = input.colliders.iter().map(|collider| collider.cast::<f32>().pack());
        let moved = !colliders.clone().eq(self.packed_colliders.iter().copied());
        if moved {
            self.packed_colliders.clear();
            self.packed_colliders.extend(colliders);
        }
        let (system, order) = (&self.system, &self.order);
        let pins = input.targets.iter().map(|&(i, goal)| {
            let i = i as usize;
            let stiffness = if system.held[i] { -1.0 } else { system.pin_stiffness[i] as f32 };
            PackedPin {
                goal: goal.map(|c| c as f32),
                vertex: order.place[i],
                stiffness,
                inertia: system.inertia[i] as f32,
                padding: [0.0; 2],
            }
        });
        let pulled = !pins.clone().eq(self.packed_pins.iter().copied());
        if pulled {
            self.packed_pins.clear();
            self.packed_pins.extend(pins);
        }
        self.potential.colliders.clear();
        self.potential.colliders.extend_from_slice(&input.colliders);
        self.potential.spring_pins.clear();
        let springs = input.targets.iter().filter(|(i, _)| !system.held[*i as usize]);
        self.potential.spring_pins.extend(springs.map(|&(i, goal)| (i, goal, system.pin_stiffness[i as usize])));
        [moved, pulled]
    }

    fn step_parameters(&self) -> StepParameters {
        let h = self.system.h;
        StepParameters {
            n: self.n,
            count: 0,
            h: h as f32,
            drift: (h * (-self.model.damping * h).exp()) as f32,
            fall: self.model.acceleration.map(|a| (a * h * h) as f32),
            relaxation: 0.0,
        }
    }

    fn groups(&self) -> u32 {
        self.n.div_ceil(GROUP)
    }
}

impl Gpu {
    pub(crate) fn predict(&mut self, problem: &mut GpuProblem, input: &StepInput, x: &Field, v: &Field) {
        let [moved, pulled] = problem.take_input(input);
        if moved {
            self.recorder.write(&problem.colliders, 0, &problem.packed_colliders);
        }
        if pulled {
            self.recorder.write(&problem.pins, 0, &problem.packed_pins);
        }
        let parameters = StepParameters { count: problem.wind.count, ..problem.step_parameters() };
        self.step(problem, &problem.kernels.predict, (&x.buffer, &v.buffer), &problem.x_tilde, &parameters, problem.n);
        let pins = problem.packed_pins.len() as u32;
        let parameters = StepParameters { count: pins, ..parameters };
        let nothing = (&problem.nothing.read, &problem.nothing.write[0]);
        self.step(problem, &problem.kernels.pin, nothing, &problem.x_tilde, &parameters, pins);
    }

    /// One of the kernels of `step.wgsl`.
    fn step(
        &mut self,
        problem: &GpuProblem,
        kernel: &Kernel,
        (x_start, v): (&Buffer, &Buffer),
        x: &Field,
        parameters: &StepParameters,
        n: u32,
    ) {
        let wind = &problem.wind;
        let buffers = [
            x_start,
            v,
            &x.buffer,
            &problem.x_pull.buffer,
            &problem.inertia,
            &problem.colliders,
            &problem.touch,
            &wind.offsets,
            &wind.items,
            &wind.winds,
            &problem.pins,
            &problem.pushed,
            &problem.nothing.read,
        ];
        self.recorder.run(kernel, &buffers, parameters, n);
    }

    pub(crate) fn finish_step(&mut self, problem: &GpuProblem, x_prev: &Field, x: &Field, v: &Field) {
        let parameters = problem.step_parameters();
        self.step(problem, &problem.kernels.finish_step, (&x_prev.buffer, &v.buffer), x, &parameters, problem.n);
    }

    pub(crate) fn enforce_positions(&mut self, problem: &GpuProblem, x: &Field) {
        let nothing = (&problem.nothing.read, &problem.nothing.write[0]);
        let pins = problem.packed_pins.len() as u32;
        let parameters = StepParameters { count: pins, ..problem.step_parameters() };
        self.step(problem, &problem.kernels.pull, nothing, x, &parameters, pins);
        if !problem.packed_colliders.is_empty() {
            self.step(problem, &problem.kernels.push, nothing, x, &parameters, problem.n);
        }
    }

    /// Forces of the elements that have slots.
    pub(crate) fn fill_slots(&mut self, problem: &GpuProblem, x: &Field) {
        let nothing = &problem.nothing;
        for batch in &problem.batches {
            let Some(first) = batch.first_slot else { continue };
            let buffers = [
                &batch.data,
                &batch.stencils,
                &x.buffer,
                &problem.slots,
                &nothing.write[0],
                &nothing.read,
                &nothing.write[1],
                &problem.destinations,
            ];
            let parameters = ElementParameters { n: batch.count, first, ..Default::default() };
            self.recorder.run(&batch.fill, &buffers, &parameters, batch.count);
        }
    }

    pub(crate) fn measure_moment(&mut self, problem: &GpuProblem, moment: Moment, x: &Field) {
        match moment {
            Moment::Start => self.measure_energy(problem, x, START, false),
            Moment::Solution => {
                self.fill_slots(problem, x);
                self.measure_energy(problem, x, SOLUTION, true);
            }
            Moment::End => self.measure_state(problem, x),
        }
    }

    fn reserved(&mut self, groups: u32, quantities: usize) -> bool {
        let made = self.vector.reserve(groups, quantities);
        made.map_err(|error| self.context.faults.report(error)).is_ok()
    }

    fn vertex_measure(&mut self, problem: &GpuProblem, kernel: &Kernel, x: &Field) {
        let buffers = [
            &x.buffer,
            &problem.x_pull.buffer,
            &problem.inv_diagonal,
            &problem.rows.slices,
            &problem.rows.entries,
            &problem.rows.pulls,
            &problem.slots,
            &problem.slot_offsets,
            &problem.colliders,
            &problem.touch,
            &problem.x_tilde.buffer,
            self.vector.partials(),
            &problem.inertia,
        ];
        self.recorder.run(kernel, &buffers, &CountParameters { n: problem.n }, problem.n);
    }

    /// Energy of vertices and of elements, and of the solution the measures of its gradient.
    fn measure_energy(&mut self, problem: &GpuProblem, x: &Field, [own, elastic]: [Slot; 2], solution: bool) {
        let pins = problem.packed_pins.len() as u32;
        let batches: u32 = problem.batches.iter().map(|batch| batch.count.div_ceil(GROUP)).sum();
        let element_groups = batches + pins.div_ceil(GROUP);
        if !self.reserved(problem.groups().max(element_groups), 4) {
            return;
        }
        if solution {
            self.vertex_measure(problem, &problem.kernels.solution, x);
            let quantities = [(Sum, own), (Sum, GRADIENT_SQ), (Sum, POSSIBLE), (Sum, ROUNDING)];
            self.vector.finish(&mut self.recorder, self.vector.partials(), problem.groups(), &quantities);
        } else {
            self.vertex_measure(problem, &problem.kernels.start, x);
            self.vector.finish(&mut self.recorder, self.vector.partials(), problem.groups(), &[(Sum, own)]);
        }
        let (nothing, mut first) = (&problem.nothing, 0);
        for batch in &problem.batches {
            let buffers = [
                &batch.data,
                &batch.stencils,
                &x.buffer,
                &nothing.write[0],
                self.vector.partials(),
                &nothing.read,
                &nothing.write[1],
                &nothing.read,
            ];
            let parameters = ElementParameters { n: batch.count, first, ..Default::default() };
            self.recorder.run(&batch.energy, &buffers, &parameters, batch.count);
            first += batch.count.div_ceil(GROUP);
        }
        self.shape_measure(problem, &problem.kernels.pin_energy, x, &nothing.read, RangeParameters { n: pins, first });
        self.vector.finish(&mut self.recorder, self.vector.partials(), element_groups, &[(Sum, elastic)]);
    }

    fn shape_measure(
        &mut self,
        problem: &GpuProblem,
        kernel: &Kernel,
        x: &Field,
        stencils: &Buffer,
        parameters: RangeParameters,
    ) {
        let buffers = [&x.buffer, stencils, &problem.shape.rest, self.vector.partials(), &problem.pins];
        self.recorder.run(kernel, &buffers, &parameters, parameters.n);
    }

    fn measure_state(&mut self, problem: &GpuProblem, x: &Field) {
        let shape = &problem.shape;
        let [edges, tets] = [shape.edge_count, shape.tet_count].map(|count| count.div_ceil(GROUP));
        if !self.reserved(edges.max(tets).max(problem.groups()), 2) {
            return;
        }
        let all = |n| RangeParameters { n, first: 0 };
        self.shape_measure(problem, &problem.kernels.stretch, x, &shape.edges, all(shape.edge_count));
        let quantities = [(Max, MAX_STRETCH), (Sum, SUM_STRETCH)];
        self.vector.finish(&mut self.recorder, self.vector.partials(), edges, &quantities);
        if tets > 0 {
            self.shape_measure(problem, &problem.kernels.inverted, x, &shape.tets, all(shape.tet_count));
            self.vector.finish(&mut self.recorder, self.vector.partials(), tets, &[(Sum, INVERTED)]);
        }
        if !problem.packed_colliders.is_empty() {
            self.vertex_measure(problem, &problem.kernels.gap, x);
            self.vector.finish(&mut self.recorder, self.vector.partials(), problem.groups(), &[(Min, MIN_GAP)]);
        }
    }

    pub(crate) fn read_measures(&mut self, problem: &GpuProblem) -> Result<Measures, GpuError> {
        let scalars = self.vector.scalars(&mut self.recorder)?;
        let value = |slot: Slot| scalars[slot.0];
        let edges = f64::from(problem.shape.edge_count.max(1));
        Ok(Measures {
            start_energy: START.map(value).iter().sum(),
            energy: SOLUTION.map(value).iter().sum(),
            gradient_norm: value(GRADIENT_SQ).sqrt(),
            possible_decrease: value(POSSIBLE),
            rounding_energy: value(ROUNDING),
            max_stretch: value(MAX_STRETCH).max(0.0),
            mean_stretch: value(SUM_STRETCH) / edges,
            min_gap: if problem.packed_colliders.is_empty() { f64::INFINITY } else { value(MIN_GAP) },
            inverted: if problem.shape.tet_count > 0 { value(INVERTED) as usize } else { 0 },
        })
    }
}

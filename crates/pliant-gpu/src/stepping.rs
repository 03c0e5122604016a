//! What happens to a step before and after its solve, and the measures of its certificate.

use crate::buffer::{Buffer, Field};
use crate::elements::ElementParameters;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{GROUP, Kernel};
use crate::kernels::{MeasureParameters, RangeParameters, StepParameters};
use crate::problem::{GpuProblem, PackedPin};
use crate::sweep::force_buffers;
use crate::touching::ENERGY_GROUPS;
use crate::vector::Quantity;
use crate::vector::Reduction::{Max, Min, Sum};
use pliant::contact::STICKING_SPEED;
use pliant::device::{Measures, Moment, Slot, StepInput};
use pliant::model::{Model, System};

// Slots of the certificate: the first ones belong to solvers.
const START: Slot = Slot(8);
const SOLUTION: Slot = Slot(9);
const GRADIENT_SQ: Slot = Slot(10);
const POSSIBLE: Slot = Slot(11);
const ROUNDING: Slot = Slot(12);
const MAX_STRETCH: Slot = Slot(13);
const SUM_STRETCH: Slot = Slot(14);
const INVERTED: Slot = Slot(15);
const MIN_GAP: Slot = Slot(16);
const UNBALANCED: Slot = Slot(17);
const STILL: Slot = Slot(18);
const MOTION: Slot = Slot(19);

/// Where the partials of a problem's measures lie: each measure has its place, so that all are finished in one dispatch.
pub(crate) struct Layout {
    vertex_groups: u32,
    energy_groups: u32,
    pin_groups: u32,
    edge_groups: u32,
    tet_groups: u32,
    /// Of contacts between bodies.
    touch_groups: u32,
    start: u32,
    solution: u32,
    gradient: u32,
    stretch: u32,
    inverted: u32,
    gap: u32,
    /// Of the objective alone.
    objective: u32,
}

impl Layout {
    /// For so many elements of each kind.
    pub(crate) fn new(model: &Model, system: &System, elements: impl Iterator<Item = u32>) -> Self {
        // Where no pin is a spring, none is looked at.
        let pins = if system.pin_stiffness.iter().any(|k| *k > 0.0) { model.pins.len() } else { 0 };
        let tets = model.bodies.iter().map(|body| body.tets.len()).sum();
        let [vertex_groups, pin_groups, edge_groups, tet_groups] =
            [model.vertices(), pins, model.edges.len(), tets].map(|count| (count as u32).div_ceil(GROUP));
        let touch_groups = if model.self_friction.is_some() { ENERGY_GROUPS } else { 0 };
        let element_groups: u32 = elements.map(|count| count.div_ceil(GROUP)).sum();
        let energy_groups = vertex_groups + element_groups + pin_groups + touch_groups;
        let (start, solution) = (0, energy_groups);
        let gradient = solution + energy_groups;
        let stretch = gradient + 4 * vertex_groups;
        let inverted = stretch + 2 * edge_groups;
        let gap = inverted + tet_groups;
        let objective = gap + vertex_groups;
        Self {
            vertex_groups,
            energy_groups,
            pin_groups,
            edge_groups,
            tet_groups,
            touch_groups,
            start,
            solution,
            gradient,
            stretch,
            inverted,
            gap,
            objective,
        }
    }

    /// Bytes of all partials.
    pub(crate) fn bytes(&self) -> u64 {
        8 * u64::from(self.objective + self.energy_groups)
    }

    /// The first partial of the objective alone.
    pub(crate) fn first_objective(&self) -> u32 {
        self.objective
    }

    fn quantities(&self, contacts: bool) -> [Quantity; 10] {
        let quantity = |first, count, reduction, slot| Quantity { first, count, reduction, slot };
        let vertex = |k: u32, slot| quantity(self.gradient + k * self.vertex_groups, self.vertex_groups, Sum, slot);
        [
            quantity(self.start, self.energy_groups, Sum, START),
            quantity(self.solution, self.energy_groups, Sum, SOLUTION),
            vertex(0, GRADIENT_SQ),
            vertex(1, POSSIBLE),
            vertex(2, ROUNDING),
            vertex(3, UNBALANCED),
            quantity(self.stretch, self.edge_groups, Max, MAX_STRETCH),
            quantity(self.stretch + self.edge_groups, self.edge_groups, Sum, SUM_STRETCH),
            quantity(self.inverted, self.tet_groups, Sum, INVERTED),
            quantity(self.gap, if contacts { self.vertex_groups } else { 0 }, Min, MIN_GAP),
        ]
    }
}

impl GpuProblem {
    /// Takes the pins and colliders of a step; whether they differ from those before.
    fn take_input(&mut self, input: &StepInput) -> [bool; 2] {
        let sticking = STICKING_SPEED * self.system.h;
        let placed = input.colliders.iter().zip(&self.grids_at);
        let colliders = placed.map(|(collider, grid_at)| collider.cast::<f32>().pack(sticking, *grid_at));
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

    /// Of kernels that work on pins.
    fn pin_parameters(&self) -> StepParameters {
        StepParameters { n: self.packed_pins.len() as u32, ..self.step_parameters() }
    }

    fn step_parameters(&self) -> StepParameters {
        let h = self.system.h;
        StepParameters {
            n: self.n,
            wind_count: self.wind.count,
            h: h as f32,
            drift: (h * (-self.model.damping * h).exp()) as f32,
            fall: self.model.acceleration.map(|a| (a * h * h) as f32),
            rough: 1,
        }
    }
}

impl Gpu {
    pub(crate) fn predict(&mut self, problem: &mut GpuProblem, input: &StepInput, x: &Field, v: &Field) {
        let [moved, pulled] = problem.take_input(input);
        problem.fresh_step = true;
        problem.still_is_known = false;
        if moved {
            self.recorder.write(&problem.colliders, 0, &problem.packed_colliders);
        }
        if pulled {
            self.recorder.write(&problem.pins, 0, &problem.packed_pins);
        }
        let (kernels, started) = (&problem.kernels, (&x.buffer, &v.buffer));
        self.step(problem, &kernels.predict, started, &problem.x_tilde, &problem.step_parameters());
        self.step(problem, &kernels.pin, problem.nothing.start(), &problem.x_tilde, &problem.pin_parameters());
        self.take_grips(problem, x);
    }

    /// Vertices go where contact and inertia balance, and if it is `rough`, friction shortens their slip.
    pub(crate) fn meet_all_colliders(&mut self, problem: &GpuProblem, x: &Field, rough: bool) {
        if problem.grips.is_some() {
            let nothing = problem.nothing.start();
            let parameters = StepParameters { rough: u32::from(rough), ..problem.step_parameters() };
            self.step(problem, &problem.kernels.meet_colliders, nothing, x, &parameters);
        }
    }

    /// One of the kernels of `step.wgsl`.
    fn step(
        &mut self,
        problem: &GpuProblem,
        kernel: &Kernel,
        (x_start, v): (&Buffer, &Buffer),
        x: &Field,
        parameters: &StepParameters,
    ) {
        self.step_on(problem, kernel, [x_start, v, &x.buffer, &problem.x_pull.buffer], parameters);
    }

    /// The same with all that it may write.
    fn step_on(&mut self, problem: &GpuProblem, kernel: &Kernel, fields: [&Buffer; 4], parameters: &StepParameters) {
        let wind = &problem.wind;
        let [x_start, v, x, x_pull] = fields;
        let buffers = [
            x_start,
            v,
            x,
            x_pull,
            &problem.inertia,
            &problem.colliders,
            &problem.touch,
            &wind.offsets,
            &wind.triangles,
            &wind.winds,
            &problem.pins,
            &problem.before,
        ];
        self.recorder.run(kernel, &buffers, parameters, parameters.n);
    }

    pub(crate) fn finish_step(&mut self, problem: &GpuProblem, x_prev: &Field, x: &Field, v: &Field) {
        let started = (&x_prev.buffer, &v.buffer);
        self.step(problem, &problem.kernels.finish_step, started, x, &problem.step_parameters());
    }

    pub(crate) fn enforce_positions(&mut self, problem: &GpuProblem, x: &Field, [first, second]: [&Field; 2]) {
        let nothing = problem.nothing.start();
        self.step(problem, &problem.kernels.pull, nothing, x, &problem.pin_parameters());
        self.enforce_touches(problem, x, [first, second]);
        if !problem.packed_colliders.is_empty() {
            let fields = [nothing.0, &first.buffer, &x.buffer, &second.buffer];
            self.step_on(problem, &problem.kernels.push, fields, &problem.step_parameters());
        }
    }

    /// Forces of the elements that have slots, and of contacts between bodies.
    pub(crate) fn fill_slots(&mut self, problem: &GpuProblem, x: &Field) {
        let nothing = &problem.nothing;
        for batch in &problem.batches {
            let Some(first) = batch.first_slot else { continue };
            let buffers = [
                &batch.data,
                &batch.stencils,
                &x.buffer,
                &problem.slots.vectors,
                &nothing.write[0],
                &nothing.read,
                &nothing.write[1],
                &problem.slots.destinations,
            ];
            let parameters = ElementParameters { n: batch.count, first, ..Default::default() };
            self.recorder.run(&batch.fill, &buffers, &parameters, batch.count);
        }
        self.feel_bodies(problem, x);
    }

    pub(crate) fn measure_moment(&mut self, problem: &mut GpuProblem, moment: Moment, x: &Field) {
        if moment == Moment::Still {
            return self.measure_still(problem, x);
        }
        let problem = &*problem;
        let layout = &problem.layout;
        match moment {
            Moment::Start => self.energies(problem, x, layout.start),
            Moment::Solution => {
                self.fill_slots(problem, x);
                self.vertex_measure(problem, &problem.kernels.solution, x, [layout.solution, layout.gradient]);
                self.element_energies(problem, x, layout.solution + layout.vertex_groups);
                self.touch_energies(problem, x, layout.solution + layout.energy_groups - layout.touch_groups);
            }
            Moment::Still => {}
            Moment::End => {
                let shape = &problem.shape;
                let kernels = &problem.kernels;
                let edges = RangeParameters { n: shape.edge_count, first: layout.stretch };
                self.shape_measure(problem, &kernels.stretch, x, &shape.edges, edges);
                let tets = RangeParameters { n: shape.tet_count, first: layout.inverted };
                self.shape_measure(problem, &kernels.inverted, x, &shape.tets, tets);
                if !problem.packed_colliders.is_empty() {
                    self.vertex_measure(problem, &kernels.gap, x, [layout.gap, 0]);
                }
            }
        }
    }

    /// All partials of E.
    fn energies(&mut self, problem: &GpuProblem, x: &Field, first: u32) {
        let layout = &problem.layout;
        self.vertex_measure(problem, &problem.kernels.start, x, [first, 0]);
        self.element_energies(problem, x, first + layout.vertex_groups);
        self.touch_energies(problem, x, first + layout.energy_groups - layout.touch_groups);
    }

    /// out = E(x)
    pub(crate) fn record_objective(&mut self, problem: &GpuProblem, x: &Field, out: Slot) {
        let first = problem.layout.objective;
        self.energies(problem, x, first);
        let quantity = Quantity { first, count: problem.layout.energy_groups, reduction: Sum, slot: out };
        self.vector.finish_all(&mut self.recorder, &problem.measured, &[quantity]);
    }

    /// Held vertices of x go to their targets.
    pub(crate) fn hold_vertices(&mut self, problem: &GpuProblem, x: &Field) {
        let started = (&problem.nothing.read, &problem.x_tilde.buffer);
        self.step(problem, &problem.kernels.hold, started, x, &problem.step_parameters());
    }

    /// E of not moving, and the part of it that is motion. Their partials lie where those of the start and the solution come to
    /// lie, so they are added up at once.
    fn measure_still(&mut self, problem: &mut GpuProblem, x: &Field) {
        let holds = problem.holds_some();
        if holds && problem.stayed.is_none() {
            match Field::new(&self.context, "still", problem.n as usize) {
                Ok(field) => problem.stayed = Some(field),
                Err(error) => return self.context.faults.report(error),
            }
        }
        problem.still_is_known = true;
        let problem = &*problem;
        let x = match problem.stayed.as_ref().filter(|_| holds) {
            Some(stayed) => {
                let started = (&x.buffer, &problem.x_tilde.buffer);
                self.step(problem, &problem.kernels.stay, started, stayed, &problem.step_parameters());
                stayed
            }
            None => x,
        };
        let layout = &problem.layout;
        self.vertex_measure(problem, &problem.kernels.still, x, [layout.start, layout.gradient]);
        self.element_energies(problem, x, layout.start + layout.vertex_groups);
        self.touch_energies(problem, x, layout.start + layout.energy_groups - layout.touch_groups);
        let sum = |first, count, slot| Quantity { first, count, reduction: Sum, slot };
        let quantities =
            [sum(layout.start, layout.energy_groups, STILL), sum(layout.gradient, layout.vertex_groups, MOTION)];
        self.vector.finish_all(&mut self.recorder, &problem.measured, &quantities);
    }

    fn vertex_measure(&mut self, problem: &GpuProblem, kernel: &Kernel, x: &Field, [first, others]: [u32; 2]) {
        let mut buffers = [&problem.inertia; 15];
        buffers[..12].copy_from_slice(&force_buffers(problem, x));
        (buffers[12], buffers[13]) = (&problem.x_tilde.buffer, &problem.measured);
        let n = problem.n;
        let parameters = MeasureParameters { n, first, others, down: problem.down, ..Default::default() };
        self.recorder.run(kernel, &buffers, &parameters, n);
    }

    /// Energies of all elements and of the pins that are springs.
    fn element_energies(&mut self, problem: &GpuProblem, x: &Field, mut first: u32) {
        let nothing = &problem.nothing;
        for batch in &problem.batches {
            let buffers = [
                &batch.data,
                &batch.stencils,
                &x.buffer,
                &nothing.write[0],
                &problem.measured,
                &nothing.read,
                &nothing.write[1],
                &nothing.read,
            ];
            let parameters = ElementParameters { n: batch.count, first, ..Default::default() };
            self.recorder.run(&batch.energy, &buffers, &parameters, batch.count);
            first += batch.count.div_ceil(GROUP);
        }
        if problem.layout.pin_groups > 0 {
            let pins = RangeParameters { n: problem.packed_pins.len() as u32, first };
            self.shape_measure(problem, &problem.kernels.pin_energy, x, &nothing.read, pins);
        }
    }

    fn shape_measure(
        &mut self,
        problem: &GpuProblem,
        kernel: &Kernel,
        x: &Field,
        stencils: &Buffer,
        parameters: RangeParameters,
    ) {
        let buffers = [&x.buffer, stencils, &problem.shape.rest, &problem.measured, &problem.pins];
        self.recorder.run(kernel, &buffers, &parameters, parameters.n);
    }

    pub(crate) fn read_measures(&mut self, problem: &GpuProblem) -> Result<Measures, GpuError> {
        let quantities = problem.layout.quantities(!problem.packed_colliders.is_empty());
        self.vector.finish_all(&mut self.recorder, &problem.measured, &quantities);
        let scalars = self.vector.step_scalars(&mut self.recorder, &mut self.step_clock)?;
        let value = |slot: Slot| scalars[slot.0];
        let edges = f64::from(problem.shape.edge_count.max(1));
        Ok(Measures {
            still_energy: if problem.still_is_known { value(STILL) } else { f64::INFINITY },
            motion_energy: if problem.still_is_known { value(MOTION) } else { 0.0 },
            start_energy: value(START),
            energy: value(SOLUTION),
            gradient_norm: value(GRADIENT_SQ).sqrt(),
            unbalanced: value(UNBALANCED),
            possible_decrease: value(POSSIBLE),
            rounding_energy: value(ROUNDING),
            max_stretch: value(MAX_STRETCH).max(0.0),
            mean_stretch: value(SUM_STRETCH) / edges,
            min_gap: value(MIN_GAP),
            inverted: value(INVERTED) as usize,
        })
    }
}

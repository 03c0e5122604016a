//! The CPU with one thing wrong.

use pliant::contact::close::Side;
use pliant::device::{
    Blend, Cpu, CpuProblem, Device, DeviceError, Factor, Measures, Moment, Scale, Slot, StepInput, descend_by_verbs,
};
use pliant::material::Elements;
use pliant::model::{Model, Potential, System};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    Nothing,
    /// One element of a kind is missing.
    Drops(&'static str),
    /// Rest lengths of springs are a hundred thousandth off.
    RestLength,
    /// A collapsed spring pushes the other way.
    OtherEndFirst,
    NoWind,
    NoDamping,
    NoContacts,
    NoFriction,
    /// Colliders come in another order.
    CollidersReversed,
    NoPins,
    /// Bodies do not feel each other.
    NoBodies,
    /// They do without friction.
    SmoothBodies,
    IgnoresGamma,
    IgnoresOmega,
    /// Several sweeps take the first blend.
    RepeatsBlend,
    /// The verb leaves the last vertex as it was.
    SkipsLast(&'static str),
    /// Vertices are one place off, there and back.
    OffByOne,
    /// Reading gives the last two vertices in the wrong order.
    WrongOrder,
    DividesByZero,
    LosesSign,
    DotMissesLast,
    /// The residual goes to another slot.
    WrongSlot,
    StaleContacts,
    ColoursReversed,
    KeepsMultipliers,
    ForgetsMultipliers,
    StalePotential,
    /// Goes back where E fell.
    TakesTheWorse,
    /// Nothing is converted in a step.
    NeverConverts,
    /// All vertices are divided by the same.
    OneScale,
    Measure(&'static str),
    /// The verb does nothing, and says nothing where it should.
    Idle(&'static str),
    /// The last bit is different each time.
    Unsteady,
    NotANumber,
}

/// A device with a fault.
pub struct Wrong {
    cpu: Cpu<f32>,
    fault: Fault,
    count: u32,
    /// Whether it gives up: its fault was noticed.
    pub noticed: Rc<Cell<bool>>,
}

type Points = Vec<[f32; 4]>;

impl Wrong {
    pub fn new(fault: Fault) -> Self {
        Self { cpu: Cpu::new(), fault, count: 0, noticed: Rc::default() }
    }

    fn is_idle(&self, verb: &'static str) -> bool {
        self.fault == Fault::Idle(verb)
    }

    /// Does a verb, and then undoes it for the last vertex if that is what is wrong.
    fn maybe_skip(&mut self, verb: &'static str, out: &mut Points, work: impl FnOnce(&mut Cpu<f32>, &mut Points)) {
        let last = out.last().copied();
        work(&mut self.cpu, out);
        if let (true, Some(last), Some(out)) = (self.fault == Fault::SkipsLast(verb), last, out.last_mut()) {
            *out = last;
        }
    }

    fn changed(&self, model: &Model) -> Model {
        let mut model = model.clone();
        match self.fault {
            Fault::Drops(kind) => {
                for elements in model.elements.iter_mut().filter(|elements| elements.name() == kind) {
                    pliant::with_batch!(elements, |batch| {
                        batch.stencil.pop();
                        batch.element.pop();
                    });
                }
            }
            Fault::RestLength | Fault::OtherEndFirst => {
                for elements in &mut model.elements {
                    let Elements::Spring(batch) = elements else { continue };
                    for (stencil, spring) in batch.stencil.iter_mut().zip(&mut batch.element) {
                        match self.fault {
                            Fault::RestLength => spring.rest_length *= 1.0 + 1e-5,
                            _ => stencil.reverse(),
                        }
                    }
                }
            }
            Fault::NoWind => model.winds.clear(),
            Fault::NoDamping => model.damping = 0.0,
            Fault::NoBodies => model.self_friction = None,
            Fault::SmoothBodies => model.self_friction = model.self_friction.map(|_| 0.0),
            _ => {}
        }
        model
    }
}

/// Verbs that can leave out a vertex.
pub const SKIPPED: [&str; 20] = [
    "copy",
    "clear",
    "axpy",
    "xpay",
    "begin_step, start",
    "meet_colliders",
    "gradient",
    "jacobi",
    "blend",
    "divide_by_diagonal",
    "multiply",
    "relax",
    "constrain_jacobi",
    "constrain_colour",
    "enforce",
    "balance_bodies",
    "turn_free_parts",
    "end_step",
    "hold",
    "rescale, divide_by_scale",
];

impl Device for Wrong {
    type Points = Points;
    type Problem = CpuProblem<f32>;
    type Reading = Points;
    type Numbers = Vec<f64>;

    fn request(&mut self, from: &Points) -> Result<Points, DeviceError> {
        if self.is_idle("request") {
            return Ok(Vec::new());
        }
        self.cpu.request(from)
    }
    fn receive(&mut self, reading: Points, to: &mut [[f64; 3]]) -> Result<(), DeviceError> {
        if self.is_idle("receive") {
            return Ok(());
        }
        self.read(&reading, to)
    }
    fn name(&self) -> String {
        format!("{:?}", self.fault)
    }
    fn precision(&self) -> &'static str {
        "f32"
    }
    fn sweep_bytes(&self, problem: &CpuProblem<f32>) -> [u64; 2] {
        self.cpu.sweep_bytes(problem)
    }
    fn stream(&mut self, bytes: [u64; 2], times: usize) -> Result<(), DeviceError> {
        self.cpu.stream(bytes, times)
    }
    fn upload(&mut self, model: &Arc<Model>, system: &Arc<System>) -> Result<CpuProblem<f32>, DeviceError> {
        self.cpu.upload(&Arc::new(self.changed(model)), system)
    }
    fn points(&self, problem: &CpuProblem<f32>) -> Points {
        self.cpu.points(problem)
    }
    fn write(&mut self, from: &[[f64; 3]], to: &mut Points) {
        if self.is_idle("write") {
            return;
        }
        self.cpu.write(from, to);
        if self.fault == Fault::OffByOne && !to.is_empty() {
            to.rotate_left(1);
        }
    }
    fn read(&mut self, from: &Points, to: &mut [[f64; 3]]) -> Result<(), DeviceError> {
        if self.is_idle("read") {
            return Ok(());
        }
        if self.noticed.get() {
            let [device, reason, help] = ["wrong", "it was noticed", "stop"].map(str::to_string);
            return Err(DeviceError::Failed { device, reason, help });
        }
        self.cpu.read(from, to)?;
        let n = to.len();
        match self.fault {
            Fault::OffByOne if n > 0 => to.rotate_right(1),
            Fault::WrongOrder if n > 1 => to.swap(n - 2, n - 1),
            _ => {}
        }
        Ok(())
    }

    fn copy(&mut self, from: &Points, to: &mut Points) {
        if self.is_idle("copy") {
            return;
        }
        self.maybe_skip("copy", to, |cpu, to| cpu.copy(from, to));
    }
    fn clear(&mut self, z: &mut Points) {
        if self.is_idle("clear") {
            return;
        }
        self.maybe_skip("clear", z, |cpu, z| cpu.clear(z));
    }
    fn axpy(&mut self, a: Factor, x: &Points, y: &mut Points) {
        if self.is_idle("axpy") {
            return;
        }
        let a = match (self.fault, a) {
            (Fault::DividesByZero, Factor::Ratio(above, below)) => {
                let [above, below] = [above, below].map(|slot| self.cpu.scalar(slot).unwrap_or(0.0));
                Factor::Value(above / below)
            }
            (Fault::LosesSign, Factor::MinusRatio(above, below)) => Factor::Ratio(above, below),
            _ => a,
        };
        self.maybe_skip("axpy", y, |cpu, y| cpu.axpy(a, x, y));
    }
    fn xpay(&mut self, x: &Points, a: Factor, y: &mut Points) {
        if self.is_idle("xpay") {
            return;
        }
        self.maybe_skip("xpay", y, |cpu, y| cpu.xpay(x, a, y));
    }
    fn dot(&mut self, a: &Points, b: &Points, out: Slot) {
        if self.is_idle("dot") {
            return;
        }
        let n = if self.fault == Fault::DotMissesLast { a.len().saturating_sub(1) } else { a.len() };
        self.cpu.dot(&a[..n].to_vec(), &b[..n].to_vec(), out);
    }
    fn copy_scalar(&mut self, from: Slot, to: Slot) {
        if self.is_idle("copy_scalar") {
            return;
        }
        self.cpu.copy_scalar(from, to);
    }
    fn scalar(&mut self, slot: Slot) -> Result<f64, DeviceError> {
        if self.is_idle("scalar") {
            return Ok(0.0);
        }
        self.cpu.scalar(slot)
    }
    fn request_scalars(&mut self) -> Result<Vec<f64>, DeviceError> {
        if self.is_idle("request_scalars") {
            return Ok(Vec::new());
        }
        self.cpu.request_scalars()
    }
    fn receive_numbers(&mut self, numbers: Vec<f64>) -> Result<Vec<f64>, DeviceError> {
        if self.is_idle("receive_numbers") {
            return Ok(Vec::new());
        }
        self.cpu.receive_numbers(numbers)
    }
    fn copy_unless_lower(&mut self, lower: [Slot; 2], from: &Points, to: &mut Points) {
        if self.is_idle("copy_unless_lower") {
            return;
        }
        let lower = if self.fault == Fault::TakesTheWorse { [lower[1], lower[0]] } else { lower };
        self.cpu.copy_unless_lower(lower, from, to);
    }
    fn request_conversion(&mut self) -> Result<Vec<f64>, DeviceError> {
        if self.is_idle("request_conversion") {
            return Ok(Vec::new());
        }
        self.cpu.request_conversion()
    }
    fn set_conversion(&mut self, shares: &[f64]) {
        if self.is_idle("set_conversion") {
            return;
        }
        self.cpu.set_conversion(shares);
    }
    fn wound(&self) -> u32 {
        self.cpu.wound()
    }
    fn set_wound(&mut self, wound: u32) {
        self.cpu.set_wound(wound);
    }
    fn undo_conversion(&mut self) {
        if self.is_idle("undo_conversion") {
            return;
        }
        self.cpu.undo_conversion();
    }
    fn hold(&mut self, problem: &CpuProblem<f32>, x: &mut Points) {
        if self.is_idle("hold") {
            return;
        }
        // Of those that are held, the last: the very last vertex need not be among them.
        let before = x.clone();
        self.cpu.hold(problem, x);
        let last = x.iter().zip(&before).rposition(|(x, before)| x != before);
        if let (Fault::SkipsLast("hold"), Some(last)) = (self.fault, last) {
            x[last] = before[last];
        }
    }
    fn convert(&mut self, problem: &mut CpuProblem<f32>, x: &Points, raised: Slot) {
        if self.is_idle("convert") {
            return;
        }
        if self.fault != Fault::NeverConverts {
            self.cpu.convert(problem, x, raised);
        }
    }
    fn objective(&mut self, problem: &mut CpuProblem<f32>, x: &Points) -> Result<f64, DeviceError> {
        if self.is_idle("objective") {
            return Ok(0.0);
        }
        self.cpu.objective(problem, x)
    }
    fn descend_many(
        &mut self,
        problem: &mut CpuProblem<f32>,
        [x, x_before]: [&mut Points; 2],
        blends: &[Blend],
        residual: Option<Slot>,
        scratch: [&mut Points; 2],
    ) {
        if !self.is_idle("descend_many") {
            descend_by_verbs(self, problem, [x, x_before], (blends, residual), scratch);
        }
    }
    fn objective_to(&mut self, problem: &mut CpuProblem<f32>, x: &Points, out: Slot) {
        if self.is_idle("objective_to") {
            return;
        }
        self.cpu.objective_to(problem, x, out);
    }
    fn rescale(&mut self, problem: &mut CpuProblem<f32>, scale: Scale, x: &Points) {
        if self.is_idle("rescale") {
            return;
        }
        let scale = if self.fault == Fault::OneScale { Scale::Largest } else { scale };
        self.cpu.rescale(problem, scale, x);
    }
    fn divide_by_scale(&mut self, problem: &CpuProblem<f32>, r: &Points, z: &mut Points) {
        if self.is_idle("divide_by_scale") {
            return;
        }
        self.maybe_skip("rescale, divide_by_scale", z, |cpu, z| cpu.divide_by_scale(problem, r, z));
    }
    fn force_bytes(&self, problem: &CpuProblem<f32>) -> [u64; 2] {
        self.cpu.force_bytes(problem)
    }

    fn begin_step(&mut self, problem: &mut CpuProblem<f32>, input: &StepInput, x: &Points, v: &Points) {
        if self.is_idle("begin_step") {
            return;
        }
        let mut input = input.clone();
        match self.fault {
            Fault::NoContacts => input.colliders.clear(),
            Fault::NoFriction => input.colliders.iter_mut().for_each(|collider| collider.friction = 0.0),
            Fault::CollidersReversed => input.colliders.reverse(),
            Fault::NoPins => input.targets.clear(),
            _ => {}
        }
        self.cpu.begin_step(problem, &input, x, v);
    }
    fn start(&mut self, problem: &CpuProblem<f32>, x: &mut Points) {
        if self.is_idle("start") {
            return;
        }
        self.maybe_skip("begin_step, start", x, |cpu, x| cpu.start(problem, x));
    }
    fn meet_colliders(&mut self, problem: &mut CpuProblem<f32>, x: &mut Points) {
        if self.is_idle("meet_colliders") {
            return;
        }
        let before = x.clone();
        self.cpu.meet_colliders(problem, x);
        // Of those that touch, the last: the very last vertex need not be among them.
        let last = x.iter().zip(&before).rposition(|(x, before)| x != before);
        if let (Fault::SkipsLast("meet_colliders"), Some(last)) = (self.fault, last) {
            x[last] = before[last];
        }
    }
    fn end_step(&mut self, problem: &CpuProblem<f32>, x_prev: &Points, x: &mut Points, v: &mut Points) {
        if self.is_idle("end_step") {
            return;
        }
        self.maybe_skip("end_step", v, |cpu, v| cpu.end_step(problem, x_prev, x, v));
    }
    fn measure(&mut self, problem: &mut CpuProblem<f32>, moment: Moment, x: &Points) {
        if self.is_idle("measure") {
            return;
        }
        self.cpu.measure(problem, moment, x);
    }
    fn measures(&mut self, problem: &mut CpuProblem<f32>) -> Result<Measures, DeviceError> {
        if self.is_idle("measures") {
            return Ok(Measures::default());
        }
        let mut measures = self.cpu.measures(problem)?;
        if let Fault::Measure(which) = self.fault {
            match which {
                "start_energy" => measures.start_energy *= 1.0 + 1e-4,
                "energy" => measures.energy *= 1.0 + 1e-4,
                "gradient_norm" => measures.gradient_norm *= 1.0 + 1e-4,
                "unbalanced" => measures.unbalanced *= 1.0 + 1e-4,
                "possible_decrease" => measures.possible_decrease *= 1.0 + 1e-4,
                "rounding_energy" => measures.rounding_energy *= 2.0,
                "max_stretch" => measures.max_stretch *= 1.0 + 1e-3,
                "mean_stretch" => measures.mean_stretch *= 1.0 + 1e-3,
                "min_gap" => measures.min_gap += 1e-5,
                _ => measures.inverted += 1,
            }
        }
        Ok(measures)
    }
    fn potential<'a>(&mut self, problem: &'a mut CpuProblem<f32>) -> Result<&'a Potential, DeviceError> {
        if self.fault == Fault::StalePotential || self.is_idle("potential") {
            // Begun from elsewhere.
            let mut x = self.cpu.points(problem);
            self.cpu.start(problem, &mut x);
            let v = vec![[0.1, 0.0, 0.0, 0.0]; x.len()];
            self.cpu.begin_step(problem, &StepInput::default(), &x, &v);
        }
        self.cpu.potential(problem)
    }

    fn gradient(&mut self, problem: &mut CpuProblem<f32>, x: &Points, g: &mut Points) {
        if self.is_idle("gradient") {
            return;
        }
        if self.fault == Fault::StaleContacts {
            let far = vec![[0.0, 10.0, 0.0, 0.0]; x.len()];
            let mut own = g.clone();
            self.cpu.gradient(problem, x, g);
            self.cpu.gradient(problem, &far, &mut own);
            return;
        }
        self.maybe_skip("gradient", g, |cpu, g| cpu.gradient(problem, x, g));
    }
    fn jacobi(
        &mut self,
        problem: &mut CpuProblem<f32>,
        x: &mut Points,
        x_before: &mut Points,
        blends: &[Blend],
        residual: Option<Slot>,
    ) {
        if self.is_idle("jacobi") {
            return;
        }
        let mut blends = blends.to_vec();
        for k in 0..blends.len() {
            match self.fault {
                Fault::IgnoresGamma => blends[k].under_relaxation = 1.0,
                Fault::IgnoresOmega => blends[k].omega = 1.0,
                Fault::RepeatsBlend => blends[k] = blends[0],
                _ => {}
            }
        }
        let wrong = self.fault == Fault::WrongSlot;
        let residual = residual.map(|slot| if wrong { Slot(slot.0 + 1) } else { slot });
        self.maybe_skip("jacobi", x, |cpu, x| cpu.jacobi(problem, x, x_before, &blends, residual));
        let Some(first) = x.first_mut() else { return };
        match self.fault {
            Fault::Unsteady => {
                self.count += 1;
                first[0] = f32::from_bits(first[0].to_bits() ^ ((self.count / 3) & 1));
            }
            Fault::NotANumber => first[1] = f32::NAN,
            _ => {}
        }
    }
    fn blend(&mut self, x_hat: &Points, x: &Points, x_before: &mut Points, blend: Blend) {
        if self.is_idle("blend") {
            return;
        }
        self.maybe_skip("blend", x_before, |cpu, out| cpu.blend(x_hat, x, out, blend));
    }
    fn descend(&mut self, problem: &CpuProblem<f32>, z: &Points, x: &Points, x_before: &mut Points, blend: Blend) {
        if self.is_idle("descend") {
            return;
        }
        self.maybe_skip("descend", x_before, |cpu, x_before| cpu.descend(problem, z, x, x_before, blend));
    }
    fn divide_by_diagonal(&mut self, problem: &CpuProblem<f32>, r: &Points, z: &mut Points) {
        if self.is_idle("divide_by_diagonal") {
            return;
        }
        self.maybe_skip("divide_by_diagonal", z, |cpu, z| cpu.divide_by_diagonal(problem, r, z));
    }
    fn multiply(&mut self, problem: &CpuProblem<f32>, p: &Points, out: &mut Points) {
        if self.is_idle("multiply") {
            return;
        }
        self.maybe_skip("multiply", out, |cpu, out| cpu.multiply(problem, p, out));
    }
    fn colours(&mut self, problem: &mut CpuProblem<f32>) -> usize {
        if self.is_idle("colours") {
            return 0;
        }
        self.count = self.cpu.colours(problem) as u32;
        self.count as usize
    }
    fn gauss_seidel(&mut self, problem: &CpuProblem<f32>, colour: usize, omega: f64, r: &Points, z: &mut Points) {
        if self.is_idle("gauss_seidel") {
            return;
        }
        let colour = if self.fault == Fault::ColoursReversed { self.count as usize - 1 - colour } else { colour };
        self.cpu.gauss_seidel(problem, colour, omega, r, z);
    }
    fn relax(
        &mut self,
        problem: &mut CpuProblem<f32>,
        colour: usize,
        omega: f64,
        x: &mut Points,
        residual: Option<Slot>,
    ) {
        if self.is_idle("relax") {
            return;
        }
        let colour = if self.fault == Fault::ColoursReversed { self.count as usize - 1 - colour } else { colour };
        self.maybe_skip("relax", x, |cpu, x| cpu.relax(problem, colour, omega, x, residual));
    }
    fn solve_direct(&mut self, problem: &mut CpuProblem<f32>, r: &Points, z: &mut Points) -> Result<(), DeviceError> {
        if self.is_idle("solve_direct") {
            return Ok(());
        }
        self.cpu.solve_direct(problem, r, z)
    }
    fn cycle(&mut self, problem: &mut CpuProblem<f32>, r: &Points, z: &mut Points) {
        if self.is_idle("cycle") {
            return;
        }
        self.maybe_skip("cycle", z, |cpu, z| cpu.cycle(problem, r, z));
    }
    fn largest_jacobi_eigenvalue(&mut self, problem: &mut CpuProblem<f32>) -> f64 {
        if self.is_idle("largest_jacobi_eigenvalue") {
            return 0.0;
        }
        self.cpu.largest_jacobi_eigenvalue(problem)
    }

    fn reset_multipliers(&mut self, problem: &mut CpuProblem<f32>) {
        if self.is_idle("reset_multipliers") {
            return;
        }
        if self.fault != Fault::KeepsMultipliers {
            self.cpu.reset_multipliers(problem);
        }
    }
    fn constrain_jacobi(&mut self, problem: &mut CpuProblem<f32>, relaxation: f64, x: &Points, x_hat: &mut Points) {
        if self.is_idle("constrain_jacobi") {
            return;
        }
        self.maybe_skip("constrain_jacobi", x_hat, |cpu, out| cpu.constrain_jacobi(problem, relaxation, x, out));
    }
    fn constraint_colours(&mut self, problem: &mut CpuProblem<f32>) -> usize {
        if self.is_idle("constraint_colours") {
            return 0;
        }
        self.cpu.constraint_colours(problem)
    }
    fn constrain_colour(&mut self, problem: &mut CpuProblem<f32>, colour: usize, extended: bool, x: &mut Points) {
        if self.is_idle("constrain_colour") {
            return;
        }
        let extended = extended && self.fault != Fault::ForgetsMultipliers;
        self.maybe_skip("constrain_colour", x, |cpu, x| cpu.constrain_colour(problem, colour, extended, x));
    }
    fn enforce(&mut self, problem: &mut CpuProblem<f32>, x: &mut Points, others: [&mut Points; 2]) {
        if self.is_idle("enforce") {
            return;
        }
        self.maybe_skip("enforce", x, |cpu, x| cpu.enforce(problem, x, others));
    }
    fn sides(&mut self) -> Result<[Vec<Side>; 2], DeviceError> {
        if self.is_idle("sides") {
            return Ok(Default::default());
        }
        self.cpu.sides()
    }
    fn set_sides(&mut self, sides: &[Vec<Side>; 2]) {
        if self.is_idle("set_sides") {
            return;
        }
        self.cpu.set_sides(sides);
    }
    fn balance_bodies(&mut self, problem: &mut CpuProblem<f32>, x: &mut Points) {
        if self.is_idle("balance_bodies") {
            return;
        }
        self.maybe_skip("balance_bodies", x, |cpu, x| cpu.balance_bodies(problem, x));
    }
    fn turn_free_parts(&mut self, problem: &mut CpuProblem<f32>, x: &mut Points) {
        if self.is_idle("turn_free_parts") {
            return;
        }
        self.maybe_skip("turn_free_parts", x, |cpu, x| cpu.turn_free_parts(problem, x));
    }
}

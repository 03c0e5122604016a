//! Whole steps with every method that a GPU has but descents without preconditioner, and the same steps again.

use super::Check;
use super::answer::{Answer, Expected, rounding};
use super::case::{H, MOVED, ROUNDING};
use super::models::bodies;
use super::verb::BALANCED;
use pliant::device::{Cpu, Device, DeviceError};
use pliant::material::Elements;
use pliant::math::SplitMix;
use pliant::model::{Model, State, System};
use pliant::scene::Scene;
use pliant::solver::{Control, METHODS, Method, Needs, Parameters, SolveError};
use pliant::step::step_input;
use std::sync::Arc;
use std::time::Instant;

/// A sheet held by a pin and a spring, and a solid, in the wind, over a floor and a ball that moves.
const SCENE: &str = "
pliant = 1
[[cloth]]
size = 0.6
resolution = 15
position = [0, 0.12, 0]
stretch_stiffness = 50
velocity = [0, -1, 0]
[[solid]]
shape = 'box'
size = 0.2
cells = 2
material = 'gelatine'
position = [0.35, 0.1, 0]
rotation = [10, 20, 30]
velocity = [0.5, -0.5, 0]
[[pin]]
body = 'cloth'
corners = ['-x-z']
velocity = [0.2, 0, 0]
[[pin]]
body = 'cloth'
corners = ['+x-z']
stiffness = 100
[[collider]]
shape = 'half-space'
friction = 0.3
[[collider]]
shape = 'sphere'
radius = 0.12
velocity = [0, 0, 1]
[[force]]
kind = 'wind'
velocity = [1, 0, 3]
[solver]
contact_stiffness = 0.2
";

/// Steps, and iterations of a step.
const STEPS: usize = 10;
const ITERATIONS: usize = 20;

/// How much further other drivers may be off than what is derived in [`StepScene::bound`], which counts operations as
/// rounded once: WGSL lets a quotient be rounded five times and a root nine times, and those are not the only ones.
const OTHER_DRIVERS: f64 = 4.0;

/// The same for all devices: nothing is left for a device to find out.
fn parameters_of(method: &Method) -> Parameters {
    Parameters {
        rho: 0.6,
        delay: 5,
        // Descents look at E in other iterations on a device that is far away: α is so short that E falls at every look.
        under_relaxation: (method.needs == Needs::Energy).then_some(0.25),
        over_relaxation: Some(1.2),
        relaxation: Some(0.1),
        ..Parameters::default()
    }
}

/// Scenes with where every method is after some steps of them.
pub(super) struct Steps {
    scenes: [StepScene; 3],
}

struct StepScene {
    /// For reports.
    name: &'static str,
    steps: usize,
    model: Arc<Model>,
    state: State,
    expected: Vec<(&'static Method, Expected)>,
}

impl Steps {
    pub fn new() -> Result<Self, DeviceError> {
        let scene = Scene::parse(SCENE, "steps", ".".as_ref(), &[]).expect("the scene is sound");
        let scene = Model::new(&scene).expect("the scene has bodies");
        // Which contacts bodies have with each other in a second step may depend on how the first was rounded.
        let bodies = StepScene::new("a step of bodies", 1, bodies())?;
        let material = SCENE.replace("shape = 'box'", "shape = 'box'\nmodel = 'neo-hookean'");
        let material = Scene::parse(&material, "steps", ".".as_ref(), &[]).expect("the scene is sound");
        let material = Model::new(&material).expect("the scene has bodies");
        let material = StepScene::new("ten steps of descent", STEPS, material)?;
        Ok(Self { scenes: [StepScene::new("ten steps", STEPS, scene)?, bodies, material] })
    }

    pub fn count(&self) -> usize {
        self.scenes.iter().map(|scene| 2 * scene.expected.len()).sum()
    }

    /// Lets a device do the steps of all scenes twice.
    pub fn run<D: Device + 'static>(&self, device: &mut D, seen: &mut dyn FnMut(Check)) -> Result<(), DeviceError>
    where
        D::Points: 'static,
    {
        self.scenes.iter().try_for_each(|scene| scene.run(device, seen))
    }
}

impl StepScene {
    fn new(name: &'static str, steps: usize, (model, state): (Model, State)) -> Result<Self, DeviceError> {
        let model = Arc::new(model);
        let mut expected = Vec::new();
        let projective = model.elements.iter().all(Elements::is_projective);
        let asked = |method: &&Method| match method.needs {
            // Without preconditioner they hardly move in so few iterations, and E in f32 does not tell whether it fell.
            Needs::Energy => !projective && (method.name == "descent" || method.name.ends_with("jacobi")),
            _ => projective,
        };
        for method in METHODS.iter().filter(|method| !method.needs_cpu()).filter(asked) {
            let after = |state: &State| run(&mut Cpu::<f64>::new(), method, &model, state, steps);
            let exact = after(&state)?;
            let moved: Result<Vec<Answer>, _> = (0..4).map(|number| after(&moved(&state, number))).collect();
            expected.push((method, Expected::new(exact, &moved?)));
        }
        Ok(Self { name, steps, model, state, expected })
    }

    /// Roundings that may add up in the steps of a method. An iteration rounds positions twice (a candidate, a blend), one of
    /// a position-based method once for each of some 16 constraints of a vertex. What k roundings do adds up to √k of them
    /// at most: iterations and steps after them make it fade. Where bodies touch, their balance comes on top.
    ///
    /// Seen on lavapipe: in ten steps 11 of 80 of projective methods, 44 of 226 of position-based ones, 15 of 80 of descents;
    /// in a step of bodies 31 of 238 and 5 of 72.
    fn bound(&self, method: &Method) -> f64 {
        let roundings = if method.needs == Needs::Constraints { 16.0 } else { 2.0 };
        let balanced = method.minimises && self.model.self_friction.is_some();
        let balance = if balanced { BALANCED } else { 0.0 };
        OTHER_DRIVERS * (roundings * (ITERATIONS * self.steps) as f64).sqrt() + balance
    }

    /// Lets a device do the steps twice.
    fn run<D: Device + 'static>(&self, device: &mut D, seen: &mut dyn FnMut(Check)) -> Result<(), DeviceError>
    where
        D::Points: 'static,
    {
        let vertices = self.model.vertices();
        for (method, expected) in &self.expected {
            let bound = self.bound(method) * rounding(device);
            let mut timed = || {
                let begun = Instant::now();
                run(device, method, &self.model, &self.state, self.steps)
                    .map(|found| (found, 1e3 * begun.elapsed().as_secs_f64()))
            };
            let ((first, first_ms), (second, second_ms)) = (timed()?, timed()?);
            let check = |how: &str, error: f64, bound: f64, ms: f64| Check {
                verb: method.name,
                model: format!("{}{how}", self.name),
                vertices,
                error,
                bound,
                passed: error <= bound,
                ms,
            };
            seen(check("", expected.error(&first), bound, first_ms));
            let bits = |answer: &Answer| answer.points.as_flattened().iter().map(|c| c.to_bits()).collect::<Vec<_>>();
            let differing = bits(&first).iter().zip(bits(&second)).filter(|(a, b)| **a != *b).count();
            seen(check(", twice", differing as f64, 0.0, second_ms));
        }
        Ok(())
    }
}

/// The state with every position and velocity a few roundings off.
fn moved(state: &State, number: u64) -> State {
    let mut random = SplitMix(number / 2);
    let sign = if number.is_multiple_of(2) { 1.0 } else { -1.0 };
    let mut moved = |field: &[[f64; 3]]| -> Vec<[f64; 3]> {
        let reach = sign * MOVED * ROUNDING;
        let one = |x: &[f64; 3]| {
            let by = random.point();
            std::array::from_fn(|k| x[k] + reach * by[k])
        };
        field.iter().map(one).collect()
    };
    State { x: moved(&state.x), v: moved(&state.v), ..state.clone() }
}

/// Positions after some steps; no numbers where the solver met none.
fn run<D: Device + 'static>(
    device: &mut D,
    method: &Method,
    model: &Arc<Model>,
    state: &State,
    steps: usize,
) -> Result<Answer, DeviceError>
where
    D::Points: 'static,
{
    let system = Arc::new(System::new(model, H, H));
    let mut problem = device.upload(model, &system)?;
    device.set_sides(&Default::default());
    device.set_conversion(&[]);
    device.set_wound(0);
    let parameters = parameters_of(method);
    let mut solver = method.solver::<D>(model, &parameters);
    let [mut x, mut v, mut next] = [(); 3].map(|()| device.points(&problem));
    device.write(&state.x, &mut x);
    device.write(&state.v, &mut v);
    let mut out = Answer { points: vec![[f64::NAN; 3]; model.vertices()], scalars: vec![0.0] };
    for step in 1..=steps {
        device.begin_step(&mut problem, &step_input(model, H * step as f64, H), &x, &v);
        device.start(&problem, &mut next);
        if method.minimises {
            device.meet_colliders(&mut problem, &mut next);
        }
        match solver.solve(device, &mut problem, &mut next, &mut Control::iterations(ITERATIONS)) {
            // There must be none: a device that is far away would not see the need.
            Ok(report) => out.scalars[0] += report.restarts as f64,
            Err(SolveError::Device(error)) => return Err(error),
            Err(_) => return Ok(out),
        }
        if method.minimises {
            device.balance_bodies(&mut problem, &mut next);
        }
        device.end_step(&problem, &x, &mut next, &mut v);
        std::mem::swap(&mut x, &mut next);
    }
    device.read(&x, &mut out.points)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_method_restarts_so_that_all_devices_do_the_same() {
        let steps = Steps::new().unwrap();
        for (scene, (method, _)) in steps.scenes.iter().flat_map(|s| s.expected.iter().map(move |e| (s, e))) {
            let found = run(&mut Cpu::<f64>::new(), method, &scene.model, &scene.state, scene.steps).unwrap();
            assert!(found.points.as_flattened().iter().all(|c| c.is_finite()), "{}", method.name);
            assert_eq!(found.scalars, [0.0], "{}", method.name);
        }
    }
}

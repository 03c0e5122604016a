//! Whole steps with every method, and the same steps again.

use super::Check;
use super::answer::{Answer, Expected, rounding};
use super::case::{H, MOVED, ROUNDING};
use super::models::bodies;
use super::verb::{BALANCE, BALANCE_ALONE};
use pliant::device::{Cpu, Device, DeviceError};
use pliant::math::SplitMix;
use pliant::model::{Model, State, System};
use pliant::scene::Scene;
use pliant::solver::{Control, METHODS, Method, Needs, Parameters, PhaseList, SolveError};
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

/// Steps, and iterations of a step. Every iteration rounds positions once or twice, and what that does to them fades, so errors
/// are at most as many roundings as there are iterations. Seen: a quarter of that, on lavapipe.
const STEPS: usize = 10;
const ITERATIONS: usize = 20;

/// The same for all devices: nothing is left for a device to find out.
const PARAMETERS: Parameters = Parameters {
    rho: 0.6,
    phases: PhaseList::NONE,
    delay: 5,
    under_relaxation: None,
    over_relaxation: Some(1.2),
    relaxation: Some(0.1),
    renew_every: None,
};

/// Scenes with where every method is after some steps of them.
pub(super) struct Steps {
    scenes: [StepScene; 2],
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
        Ok(Self { scenes: [StepScene::new("ten steps", STEPS, scene)?, bodies] })
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
        // What descents do next depends on E, which a device that is far away looks at in other iterations.
        for method in METHODS.iter().filter(|method| method.needs != Needs::Energy && !method.needs_cpu()) {
            let after = |state: &State| run(&mut Cpu::<f64>::new(), method, &model, state, steps);
            let exact = after(&state)?;
            let moved: Result<Vec<Answer>, _> = (0..4).map(|number| after(&moved(&state, number))).collect();
            expected.push((method, Expected::new(exact, &moved?)));
        }
        Ok(Self { name, steps, model, state, expected })
    }

    /// Lets a device do the steps twice.
    fn run<D: Device + 'static>(&self, device: &mut D, seen: &mut dyn FnMut(Check)) -> Result<(), DeviceError>
    where
        D::Points: 'static,
    {
        let vertices = self.model.vertices();
        for (method, expected) in &self.expected {
            // Solves that end with bodies moved as a whole have the roundings of that, too.
            let balance = match &*self.model {
                model if !method.minimises || !model.has_contacts() => 0.0,
                model if model.self_friction.is_some() => BALANCE,
                _ => BALANCE_ALONE,
            };
            let bound = self.steps as f64 * (ITERATIONS as f64 + balance) * rounding(device);
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
    let mut solver = method.solver::<D>(model, &PARAMETERS);
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

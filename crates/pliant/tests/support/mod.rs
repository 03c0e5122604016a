//! Scenes, models and single steps that the tests of solvers share.
#![allow(dead_code)]

use pliant::device::{Cpu, Device};
#[allow(unused_imports)]
pub use pliant::math::SplitMix as Random;
use pliant::math::{Real, Vec3};
use pliant::model::{Model, ModelBuilder, Pin, Potential, State, System};
use pliant::scene::Scene;
use pliant::solver::{Control, NewtonReport, Parameters, SolveError, SolveReport, find_method, minimise};
use pliant::step::{Simulation, step_input};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scene from its text, with `pliant = 1` added.
pub fn scene(text: &str) -> Scene {
    Scene::parse(&format!("pliant = 1\n{text}"), "test", Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Where the middle of everything is before and after so many steps, m.
pub fn middle_after(text: &str, method: &str, frames: usize) -> [[f64; 3]; 2] {
    let mut scene = scene(text);
    scene.solver.method = method.to_string();
    let mut simulation = Simulation::new(&scene).unwrap();
    let middle = |simulation: &mut Simulation| {
        let x = simulation.state().unwrap().x;
        [0, 1, 2].map(|k| x.iter().map(|x| x[k]).sum::<f64>() / x.len() as f64)
    };
    let before = middle(&mut simulation);
    for _ in 0..frames {
        simulation.step().unwrap();
    }
    [before, middle(&mut simulation)]
}

/// The folder of the scenes that are shipped.
pub fn scenes_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

/// A shipped scene, with overrides.
pub fn shipped(name: &str, set: &[(&str, &str)]) -> Scene {
    let set: Vec<(String, String)> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Scene::read(&scenes_folder().join(name), &set).unwrap_or_else(|error| panic!("{error}"))
}

pub fn build(scene: &Scene) -> (Arc<Model>, State) {
    let (model, state) = Model::new(scene).unwrap_or_else(|error| panic!("{error}"));
    (Arc::new(model), state)
}

/// n masses of 0.1 kg on springs of 100 N/m and 0.1 m, hanging from the first, which is held; starts level.
pub fn chain(n: usize) -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new("chain");
    let x: Vec<[f64; 3]> = (0..n).map(|i| [0.1 * i as f64, 0.0, 0.0]).collect();
    builder.add_points("chain", &x, &vec![0.1; n]);
    for i in 1..n as u32 {
        builder.add_spring([i - 1, i], 100.0).unwrap();
    }
    builder.model().acceleration = [0.0, -9.81, 0.0];
    builder.model().pins.push(Pin::fixed(0, x[0]));
    let (model, state) = builder.finish();
    (Arc::new(model), state)
}

/// A net of n × n masses with structural and diagonal springs; two corners held.
pub fn net(n: usize, stiffness: f64, held: bool) -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new("net");
    let side = 1.0 / (n - 1) as f64;
    let x: Vec<[f64; 3]> = (0..n * n).map(|i| [(i % n) as f64 * side, 0.0, (i / n) as f64 * side]).collect();
    builder.add_points("net", &x, &vec![0.2 / (n * n) as f64; n * n]);
    let at = |i: usize, j: usize| (j * n + i) as u32;
    for j in 0..n {
        for i in 0..n {
            if i + 1 < n {
                builder.add_spring([at(i, j), at(i + 1, j)], stiffness).unwrap();
            }
            if j + 1 < n {
                builder.add_spring([at(i, j), at(i, j + 1)], stiffness).unwrap();
            }
            if i + 1 < n && j + 1 < n {
                builder.add_spring([at(i, j), at(i + 1, j + 1)], stiffness).unwrap();
                builder.add_spring([at(i + 1, j), at(i, j + 1)], stiffness).unwrap();
            }
        }
    }
    if held {
        builder.model().acceleration = [0.0, -9.81, 0.0];
        for corner in [at(0, 0), at(n - 1, 0)] {
            builder.model().pins.push(Pin::fixed(corner, x[corner as usize]));
        }
    }
    let (model, state) = builder.finish();
    (Arc::new(model), state)
}

/// A step about to be solved.
pub struct Step<R: Real> {
    pub device: Cpu<R>,
    pub problem: <Cpu<R> as Device>::Problem,
    pub x_prev: Vec<[R; 4]>,
    pub v: Vec<[R; 4]>,
    pub x: Vec<[R; 4]>,
    pub model: Arc<Model>,
    pub system: Arc<System>,
}

impl<R: Real> Step<R> {
    pub fn new(model: &Arc<Model>, state: &State, h: f64) -> Self {
        let mut device = Cpu::<R>::new();
        let time = state.time + h;
        let system = Arc::new(System::new(model, h, time));
        let mut problem = device.upload(model, &system).unwrap();
        let mut x_prev = device.points(&problem);
        let (mut v, mut x) = (x_prev.clone(), x_prev.clone());
        device.write(&state.x, &mut x_prev);
        device.write(&state.v, &mut v);
        device.set_conversion(&state.converted);
        device.set_wound(state.wound);
        device.begin_step(&mut problem, &step_input(model, time, h), &x_prev, &v);
        device.start(&problem, &mut x);
        Self { device, problem, x_prev, v, x, model: model.clone(), system }
    }

    /// The objective in `f64`.
    pub fn potential(&mut self) -> Potential {
        self.device.potential(&mut self.problem).unwrap().clone()
    }

    /// Solves with a method; ρ = 0.9 where it has one. `watch` gets the iteration and E.
    pub fn solve(
        &mut self,
        method: &str,
        iterations: usize,
        tolerance: f64,
        mut watch: impl FnMut(usize, f64),
    ) -> Result<SolveReport, SolveError> {
        let method = find_method(method).unwrap();
        // As a stepper does.
        if method.minimises {
            self.device.meet_colliders(&mut self.problem, &mut self.x);
        }
        let mut solver = method.solver::<Cpu<R>>(&self.model, &parameters(0.9));
        let mut look = |device: &mut Cpu<R>, problem: &mut <Cpu<R> as Device>::Problem, k: usize, x: &Vec<[R; 4]>| {
            watch(k, device.objective(problem, x).unwrap());
        };
        let mut control = Control::iterations(iterations).to_tolerance(tolerance).watched(&mut look);
        solver.solve(&mut self.device, &mut self.problem, &mut self.x, &mut control)
    }

    /// Ends the step.
    pub fn end(mut self, state: &State) -> State {
        self.device.end_step(&self.problem, &self.x_prev, &mut self.x, &mut self.v);
        let mut after = State { time: state.time + self.system.h, step: state.step + 1, ..state.clone() };
        self.device.read(&self.x, &mut after.x).unwrap();
        self.device.read(&self.v, &mut after.v).unwrap();
        after
    }
}

pub fn parameters(rho: f64) -> Parameters {
    Parameters { rho, delay: 10, over_relaxation: Some(1.5), ..Parameters::default() }
}

/// Newton's answer to the step that follows a state.
pub fn newton(model: &Arc<Model>, state: &State, h: f64) -> (Step<f64>, NewtonReport) {
    let mut step = Step::<f64>::new(model, state, h);
    let potential = step.potential();
    let report = minimise(&potential, &mut step.x, 1e-10, |k, _| k < 2000).unwrap();
    (step, report)
}

/// Advances by Newton.
pub fn newton_steps(model: &Arc<Model>, state: &State, h: f64, steps: usize) -> State {
    (0..steps).fold(state.clone(), |state, _| newton(model, &state, h).0.end(&state))
}

/// Largest distance between two sets of points.
pub fn distance<R: Real, S: Real>(a: &[[R; 4]], b: &[[S; 4]]) -> f64 {
    let apart = |(a, b): (&[R; 4], &[S; 4])| (Vec3::<f64>::of(wide(*a)) - Vec3::of(wide(*b))).length();
    a.iter().zip(b).map(apart).fold(0.0, f64::max)
}

pub fn wide<R: Real>(p: [R; 4]) -> [f64; 3] {
    Vec3::load(p).f64()
}

pub fn norm(g: &[[f64; 4]]) -> f64 {
    g.iter().map(|g| Vec3::load(*g).length_sq()).sum::<f64>().sqrt()
}

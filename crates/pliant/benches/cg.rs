//! What cg says of early-terminated conjugate gradients, measured: energy of motion and error against iterations, which first
//! iterates are stable with how many, time on one core, with a matrix or without, and how time grows with the mesh.
//!
//! `cargo bench -p pliant --bench cg [-- curves] [stability] [time] [size]`; charts go to the folder that `PLIANT_CHARTS` names.

#![allow(missing_docs)]

use pliant::device::{Cpu, CpuProblem, Device, Factor, LinearSetting};
use pliant::math::Vec3;
use pliant::model::{Model, State, System};
use pliant::output::{Chart, Series};
use pliant::scene::{LinearPreconditioner, Scene};
use pliant::step::{Simulation, step_input};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

type Points = Vec<[f64; 4]>;

const SCENES: [&str; 3] = ["bowling", "snowman", "cars"];
const GUESSES: [&str; 3] = ["zero", "velocity", "velocity+force"];
const PRECONDITIONERS: [(&str, LinearPreconditioner); 3] = [
    ("jacobi", LinearPreconditioner::Jacobi),
    ("mass", LinearPreconditioner::Mass),
    ("identity", LinearPreconditioner::Identity),
];

fn scene(name: &str, set: &[(&str, &str)]) -> Scene {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let set: Vec<(String, String)> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Scene::read(path.as_ref(), &set).unwrap()
}

/// A step about to be solved in `R`.
struct Step<R: pliant::math::Real> {
    device: Cpu<R>,
    problem: CpuProblem<R>,
    x: Vec<[R; 4]>,
    v: Vec<[R; 4]>,
    h: f64,
}

impl<R: pliant::math::Real> Step<R> {
    fn new(model: &Arc<Model>, state: &State, h: f64) -> Self {
        let mut device = Cpu::<R>::new();
        let time = state.time + h;
        let mut problem = device.upload(model, &Arc::new(System::new(model, h, time))).unwrap();
        let [mut x, mut v] = [(); 2].map(|()| device.points(&problem));
        device.write(&state.x, &mut x);
        device.write(&state.v, &mut v);
        device.begin_step(&mut problem, &step_input(model, time, h), &x, &v);
        Self { device, problem, x, v, h }
    }

    fn field(&self) -> Vec<[R; 4]> {
        self.device.points(&self.problem)
    }

    /// u of the first iterate.
    fn guess(&mut self, which: &str) -> Vec<[R; 4]> {
        let mut u = self.field();
        if which == "velocity+force" {
            let mut g = self.field();
            self.device.gradient(&mut self.problem, &self.x, &mut g);
            self.device.divide_by_inertia(&self.problem, &mut g).unwrap();
            self.device.axpy(Factor::Value(-1.0), &g, &mut u);
        }
        if which == "velocity" {
            self.device.axpy(Factor::Value(self.h), &self.v, &mut u);
        }
        // Held vertices where they are to be.
        let mut x = self.x.clone();
        self.device.axpy(Factor::Value(1.0), &u, &mut x);
        self.device.hold(&self.problem, &mut x);
        self.device.axpy(Factor::Value(-1.0), &self.x, &mut x);
        x
    }

    /// u and r·r/b·b of each iterate.
    fn solve(&mut self, setting: LinearSetting, guess: &str, iterations: usize) -> Vec<(Vec<[R; 4]>, f64)> {
        let mut u = self.guess(guess);
        let [mut start, mut b, mut z, mut p, mut q] = [(); 5].map(|()| self.field());
        let Self { device, problem, .. } = self;
        device.linearise(problem, setting, [&mut start, &mut b]).unwrap();
        let mut r = b.clone();
        device.multiply_linear(problem, &u, &mut q);
        device.axpy(Factor::Value(-1.0), &q, &mut r);
        let whole = dot(&b, &b);
        let mut all = vec![(u.clone(), dot(&r, &r) / whole)];
        for _ in 0..iterations {
            device.precondition_linear(problem, &r, &mut z);
            device.conjugate(problem, &z, &mut p);
            device.multiply_linear(problem, &p, &mut q);
            device.advance(problem, [&p, &q], [&mut u, &mut r]);
            all.push((u.clone(), dot(&r, &r) / whole));
            if dot(&r, &r) < 1e-24 * whole {
                break;
            }
        }
        all
    }
}

fn dot<R: pliant::math::Real>(a: &[[R; 4]], b: &[[R; 4]]) -> f64 {
    a.iter().zip(b).map(|(a, b)| Vec3::<f64>::of(Vec3::load(*a).f64()).dot(Vec3::of(Vec3::load(*b).f64()))).sum()
}

/// ½ Σ m u²/h², J.
fn kinetic(model: &Model, u: &Points, h: f64) -> f64 {
    model.mass.iter().zip(u).map(|(m, u)| 0.5 * m * Vec3::load(*u).length_sq() / (h * h)).sum()
}

/// The step of a scene with the most to solve: the one in which the energy of motion falls most, solved exactly so far; of the
/// snowman, the one after its foot stops.
fn moment(name: &str) -> (Arc<Model>, State, f64) {
    let scene =
        scene(name, &[("device.precision", "f64"), ("solver.iterations", "1000"), ("solver.tolerance", "1e-5")]);
    let mut simulation = Simulation::new(&scene).unwrap();
    let h = scene.time.step_size();
    let energy = |state: &State, model: &Model| {
        model.mass.iter().zip(&state.v).map(|(m, v)| 0.5 * m * Vec3::<f64>::of(*v).length_sq()).sum::<f64>()
    };
    let mut states = vec![simulation.state().unwrap()];
    for _ in 0..60 {
        simulation.step().unwrap();
        states.push(simulation.state().unwrap());
    }
    let model = simulation.model().clone();
    let fall = |k: usize| energy(&states[k], &model) - energy(&states[k + 1], &model);
    let most = (0..60).max_by(|a, b| fall(*a).total_cmp(&fall(*b))).unwrap();
    println!("{name}: step {most} of {h:.5} s, {} vertices, {} tets", model.vertices(), model.element_count());
    (model, states.swap_remove(most), h)
}

fn curves() {
    println!("\n## Energy of motion and error against iterations\n");
    for name in SCENES {
        let (model, state, h) = moment(name);
        let exact =
            Step::<f64>::new(&model, &state, h).solve(LinearSetting::default(), "velocity", 3000).pop().unwrap().0;
        let off = |u: &Points| {
            let apart = model.mass.iter().zip(u.iter().zip(&exact));
            let sum: f64 = apart.map(|(m, (a, b))| m * (Vec3::load(*a) - Vec3::load(*b)).length_sq()).sum();
            (sum / model.mass.iter().sum::<f64>()).sqrt() * 1e3
        };
        let whole = kinetic(&model, &exact, h);
        println!("exact: {whole:.4} J\n");
        println!(
            "| guess | preconditioner | energy/exact after 0, 1, 2, 5, 10, 20 | error, mm | iterations to r.r = 1e-10 b.b |"
        );
        println!("|---|---|---|---|---|");
        let (mut energies, mut errors) = (Vec::new(), Vec::new());
        for guess in GUESSES {
            for (called, preconditioner) in PRECONDITIONERS {
                let setting = LinearSetting { preconditioner, ..LinearSetting::default() };
                let all = Step::<f64>::new(&model, &state, h).solve(setting, guess, 1500);
                let at = |k: usize| &all[k.min(all.len() - 1)].0;
                let list =
                    |f: &dyn Fn(&Points) -> f64| [0, 1, 2, 5, 10, 20].map(|k| format!("{:.3}", f(at(k)))).join(", ");
                let done = all.iter().position(|(_, rr)| *rr <= 1e-10);
                println!(
                    "| {guess} | {called} | {} | {} | {} |",
                    list(&|u| kinetic(&model, u, h) / whole),
                    list(&off),
                    done.map_or("over 1500".to_string(), |k| k.to_string())
                );
                let series = |f: &dyn Fn(&Points) -> f64| Series {
                    name: format!("{guess}, {called}"),
                    points: all.iter().take(61).enumerate().map(|(k, (u, _))| [k as f64, f(u)]).collect(),
                    dashed: preconditioner != LinearPreconditioner::Jacobi,
                };
                energies.push(series(&|u| kinetic(&model, u, h)));
                errors.push(series(&off));
            }
        }
        let chart = |what: &str, y_label: &str, y_log, series| {
            let (title, x_label) = (format!("{name}: {what} in one solve"), "iterations".to_string());
            save(
                &format!("cg-{name}-{}.svg", if y_log { "error" } else { "energy" }),
                &Chart { title, x_label, y_label: y_label.to_string(), x_log: false, y_log, series },
            );
        };
        energies.retain(|series| !series.name.starts_with("velocity+force"));
        chart("energy of motion", "energy of motion, J", false, energies);
        chart("distance from the exact solution", "error, mm", true, errors);
        println!();
    }
}

fn save(name: &str, chart: &Chart) {
    if let Ok(folder) = std::env::var("PLIANT_CHARTS") {
        std::fs::write(Path::new(&folder).join(name), chart.to_svg()).unwrap();
    }
}

/// Runs a second; the largest energy of motion and that at the end, J, and why it ended early.
fn play(name: &str, guess: &str, iterations: usize) -> Result<[f64; 2], String> {
    let tolerance = if iterations > 100 { "1e-5" } else { "0" };
    let set = [
        ("solver.initial_guess", guess),
        ("solver.iterations", &iterations.to_string()),
        ("solver.tolerance", tolerance),
    ];
    let scene = scene(name, &set);
    let mut simulation = Simulation::new(&scene).unwrap();
    let (mut most, mut last) = (0.0f64, 0.0);
    for _ in 0..150 {
        let report = simulation.step().map_err(|_| "stuck".to_string())?;
        let state = simulation.state().unwrap();
        let mass = &simulation.model().mass;
        last = mass.iter().zip(&state.v).map(|(m, v)| 0.5 * m * Vec3::<f64>::of(*v).length_sq()).sum();
        most = most.max(last);
        if report.retries > 0 || report.certificate.max_stretch > 10.0 {
            return Err(format!("after {:.2} s", state.time));
        }
    }
    Ok([most, last])
}

fn stability() {
    println!(
        "\n## A second of each scene: largest energy of motion over that of exact solves, and the one at the end, J\n"
    );
    for name in SCENES {
        let exact = play(name, "velocity", 1000).unwrap();
        println!("{name}, exact: {:.2} J, {:.4} J at the end\n", exact[0], exact[1]);
        println!("| guess | 1 | 2 | 5 | 10 |\n|---|---|---|---|---|");
        for guess in ["zero", "velocity", "blend", "velocity+force"] {
            let cells = [1, 2, 5, 10].map(|iterations| match play(name, guess, iterations) {
                Ok([most, last]) => format!("{:.2}; {last:.3}", most / exact[0]),
                Err(why) => format!("unstable {why}"),
            });
            println!("| {guess} | {} |", cells.join(" | "));
        }
        println!();
    }
}

/// The shortest of some runs, ms.
fn shortest(mut run: impl FnMut()) -> f64 {
    let once = |run: &mut dyn FnMut()| {
        let begun = Instant::now();
        run();
        begun.elapsed().as_secs_f64() * 1e3
    };
    let first = once(&mut run);
    let times = (200.0 / first.max(0.01)).clamp(3.0, 200.0) as usize;
    (0..times).map(|_| once(&mut run)).fold(first, f64::min)
}

/// ms of making the system, of a product and of the rest of an iteration.
fn parts(model: &Arc<Model>, state: &State, h: f64, assembled: bool) -> [f64; 3] {
    let mut step = Step::<f32>::new(model, state, h);
    let setting = LinearSetting { assembled, ..LinearSetting::default() };
    let [mut start, mut b, mut r, mut z, mut p, mut q, mut u] = [(); 7].map(|()| step.field());
    let Step { device, problem, .. } = &mut step;
    let make = shortest(|| device.linearise(problem, setting, [&mut start, &mut b]).unwrap());
    r.clone_from(&b);
    device.precondition_linear(problem, &r, &mut z);
    device.conjugate(problem, &z, &mut p);
    let product = shortest(|| device.multiply_linear(problem, &p, &mut q));
    // Over and over from the same place: how long it takes does not depend on the numbers.
    let rest = shortest(|| {
        device.advance(problem, [&p, &q], [&mut u, &mut r]);
        r.clone_from(&b);
        device.precondition_linear(problem, &r, &mut z);
        device.conjugate(problem, &z, &mut p);
    });
    [make, product, rest]
}

fn time() {
    println!("\n## Time on one core, ms\n");
    println!(
        "| scene | operator | forces, rotations, matrix | product | rest of an iteration | 10 iterations | step | frame of 5 steps | cg |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, paper) in
        [("bowling", 1.196 + 5.359 + 1.478), ("snowman", 1.507 + 8.331 + 2.92), ("cars", 13.745 + 87.878 + 23.86)]
    {
        let (model, state, h) = moment(name);
        let [free, written] = [false, true].map(|assembled| parts(&model, &state, h, assembled));
        for (called, [make, product, rest]) in [("matrix-free", free), ("assembled", written)] {
            let ten = 10.0 * (product + rest);
            println!(
                "| {name} | {called} | {make:.3} | {product:.4} | {rest:.4} | {ten:.3} | {:.3} | {:.2} | {paper:.1} |",
                make + product + ten,
                5.0 * (make + product + ten)
            );
        }
        println!("crossing point: {:.1} products\n", (written[0] - free[0]) / (free[1] - written[1]));
    }
}

fn size() {
    println!("\n## Time of a step of 10 iterations against size, one core\n");
    println!(
        "| tets | vertices | operator | system, ns per tet | product, ns per tet | step, ms | ns per tet |\n|---|---|---|---|---|---|---|"
    );
    for across in [2usize, 4, 8, 16, 26, 34] {
        let text = format!(
            "pliant = 1\n[time]\nframe_rate = 150\n[[solid]]\nshape = 'bar'\nsize = [0.8, 0.2, 0.2]\ncells = [{}, {across}, {across}]\n\
             model = 'corotated'\njitter = '{} mm'\n",
            4 * across,
            20.0 / across as f64
        );
        let scene = Scene::parse(&text, "bar", ".".as_ref(), &[]).unwrap();
        let (model, state) = Model::new(&scene).unwrap();
        let model = Arc::new(model);
        for assembled in [false, true] {
            let [make, product, rest] = parts(&model, &state, 1.0 / 150.0, assembled);
            let tets = model.element_count() as f64;
            let step = make + product + 10.0 * (product + rest);
            println!(
                "| {tets} | {} | {} | {:.1} | {:.2} | {step:.2} | {:.1} |",
                model.vertices(),
                if assembled { "assembled" } else { "matrix-free" },
                1e6 * make / tets,
                1e6 * product / tets,
                1e6 * step / tets
            );
        }
    }
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let wants = |name: &str| asked.is_empty() || asked.iter().any(|asked| asked == name);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for (name, part) in [("curves", curves as fn()), ("stability", stability), ("time", time), ("size", size)] {
        if wants(name) {
            one.install(part);
        }
    }
}

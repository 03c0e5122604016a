//! Newton is the ground truth: it must really reach the minimum.
mod support;
use support::*;

#[test]
fn trace() {
    for (name, set) in [("hanging.toml", vec![("cloth.resolution", "32")]), ("bar.toml", vec![("solid.model","arap")]), ("drape.toml", vec![("cloth.resolution", "21"),("cloth.position","[0,0.76,0]")])] {
        let scene = shipped(name, &set);
        let (model, mut state) = build(&scene);
        let h = 1.0 / 60.0;
        for s in 0..4 {
            let mut step = Step::<f64>::new(&model, &state, h);
            let potential = step.potential();
            let mut g = Vec::new();
            let mut log = String::new();
            let begun = std::time::Instant::now();
            let report = pliant::solver::minimise(&potential, &mut step.x, 1e-10, |k, x| {
                potential.gradient(x, &mut g);
                if s == 0 || s == 3 { log += &format!("{k}: {:.10e} {:.2e}\n", potential.value(x), norm(&g)); }
                k < 500
            }).unwrap();
            println!("{name} {s} {report:?} {:?}\n{log}", begun.elapsed());
            state = step.end(&state);
        }
    }
}

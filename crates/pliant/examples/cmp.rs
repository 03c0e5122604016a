//! cmp
use pliant::scene::Scene;
use pliant::step::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let set: Vec<(String, String)> = args[4..].iter().map(|a| { let (k, v) = a.split_once('=').unwrap(); (k.to_string(), v.to_string()) }).collect();
    let steps: usize = args[3].parse().unwrap();
    let mut s2 = set.clone(); s2.push(("solver.method".into(), "pd-direct-chebyshev".into())); 
    let scene = Scene::read(args[1].as_ref(), &s2).unwrap();
    let mut sim = Simulation::new(&scene).unwrap();
    for _ in 0..steps { sim.step().unwrap(); }
    let state = sim.state();
    let mut ms = vec![];
    for m in args[2].split(',') {
        let (m, it) = m.split_once(':').unwrap();
        let it: usize = it.parse().unwrap();
        let mut set = set.clone();
        set.push(("solver.method".into(), m.into()));
        set.push(("solver.iterations".into(), it.to_string()));
        let scene = Scene::read(args[1].as_ref(), &set).unwrap();
        let rho = if m.contains("chebyshev") { Simulation::new(&scene).unwrap().rho() } else { None };
        ms.push((m, rho, it));
    }
    let q = Question { scene: &scene, model: sim.model(), state: &state };
    let c = compare(&q, &ms, |_| {}).unwrap();
    println!("E* {:.6e}", c.reference_energy);
    for m in &c.methods {
        print!("{:30} rho {:?} {:?}", m.name, m.rho, m.failed);
        for k in [10, 20, 40, 80, 100, 200, 400, 1000, 4000] { if let Some(p) = m.curve.get(k) { print!(" {k}: {:.1e}({:.1}ms)", p.relative_error, p.ms); } }
        let l = m.curve.last().unwrap();
        println!(" end {}: {:.2e} g {:.2e} {:.1} ms", l.iteration, l.relative_error, l.gradient_norm, l.ms);
    }
}

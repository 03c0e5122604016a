//! Wind pushes up to the velocity of the air, never beyond, however long the step.

mod support;

use pliant::model::{Model, State};
use pliant::step::Simulation;
use std::sync::Arc;
use support::*;

/// Velocity of the air, m/s, across the patch; drag, N·s/m³.
const AIR: f64 = 8.0;
const DRAG: f64 = 2.5;

/// A free patch of nylon, level, without weight, in a wind from below.
fn patch() -> (Arc<Model>, State) {
    build(&scene(&format!(
        "gravity = [0, 0, 0]\n[[cloth]]\nsize = 0.5\nresolution = 9\ntriangulation = \"delaunay\"\nmaterial = \"nylon\"\n\
         [[force]]\nkind = \"wind\"\nvelocity = [3, {AIR}, 1]\ndrag = {DRAG}"
    )))
}

/// The velocity that one step of wind alone leaves: of its inertial target, which forces of elements do not see.
fn blown(model: &Arc<Model>, state: &State, h: f64) -> State {
    Step::<f64>::new(model, state, h).end(state)
}

#[test]
fn light_cloth_in_strong_wind_nears_its_speed_without_ever_passing_it() {
    let (model, start) = patch();
    for h in [1e-4, 1e-2, 1.0 / 30.0, 0.1, 1.0, 100.0] {
        let mut state = start.clone();
        for _ in 0..60 {
            let mut after = blown(&model, &state, h);
            for (v, before) in after.v.iter().zip(&state.v) {
                let rounding = 1e-12 * AIR;
                assert!(
                    v[1] > before[1] - rounding && v[1] < AIR + rounding,
                    "h = {h}: {} m/s after {} m/s",
                    v[1],
                    before[1]
                );
                assert_eq!([v[0], v[2]], [0.0; 2], "level cloth feels no wind along it");
            }
            // The elements of real cloth keep its shape meanwhile.
            after.x.clone_from(&start.x);
            state = after;
        }
        let slowest = state.v.iter().map(|v| v[1]).fold(f64::INFINITY, f64::min);
        assert!(h < 0.03 || slowest > 0.99 * AIR, "h = {h}: only {slowest} m/s");
    }
}

#[test]
fn short_steps_of_wind_are_force_over_mass() {
    let (model, mut state) = patch();
    let mut random = Random(3);
    for (x, v) in state.x.iter_mut().zip(&mut state.v) {
        x.iter_mut().for_each(|x| *x += 0.01 * random.signed());
        *v = random.point();
    }
    let force = explicit_wind(&model, &state);
    let error = |h: f64| {
        let after = blown(&model, &state, h);
        (0..model.vertices()).fold(0.0f64, |most, i| {
            (0..3).fold(most, |most, k| {
                most.max(((after.v[i][k] - state.v[i][k]) / h - force[i][k] / model.mass[i]).abs())
            })
        })
    };
    for h in [1e-4, 5e-5] {
        assert!(error(h) < 1e-6, "{} m/s² off at h = {h}, of some 400", error(h));
    }
}

/// Regression: drag was divided by 1 + h drag/density, so that what falls reached 1.8 times its final speed and what hangs in
/// the wind felt half of it.
#[test]
fn what_falls_through_still_air_reaches_the_speed_at_which_drag_carries_it() {
    for (material, density) in [("nylon", 0.05), ("cotton", 0.2)] {
        for steps in [1, 4] {
            let text = format!(
                "[time]\nframe_rate = 60\nsteps_per_frame = {steps}\n[[cloth]]\nresolution = 5\ndensity = {density}\n\
                 material = \"{material}\"\n[[force]]\nkind = \"wind\"\nvelocity = [0, 0, 0]\ndrag = 2.5\n"
            );
            let mut simulation = Simulation::new(&scene(&text)).unwrap();
            (0..180 * steps).for_each(|_| assert_eq!(simulation.step().unwrap().retries, 0));
            let v = simulation.state().unwrap().v;
            let speed = -v.iter().map(|v| v[1]).sum::<f64>() / v.len() as f64;
            let exact = density * 9.81 / 2.5;
            println!("{material}, {steps} steps: {speed} m/s, exactly {exact}");
            assert!((speed - exact).abs() < 0.01 * exact, "{material}, {steps} steps: {speed} m/s, not {exact}");
        }
    }
}

/// Σ drag · area/3 · ((air − mean velocity) · n) n of the triangles around each vertex, N.
fn explicit_wind(model: &Model, state: &State) -> Vec<[f64; 3]> {
    let mut force = vec![[0.0; 3]; model.vertices()];
    for t in model.surface().map(|t| t.map(|i| i as usize)) {
        let side = |k: usize, c: usize| state.x[t[k]][c] - state.x[t[0]][c];
        let cross = [(1, 2), (2, 0), (0, 1)].map(|(a, b)| side(1, a) * side(2, b) - side(1, b) * side(2, a));
        let length = cross.iter().map(|c| c * c).sum::<f64>().sqrt();
        let mean = [0, 1, 2].map(|c| t.iter().map(|&i| state.v[i][c]).sum::<f64>() / 3.0);
        let across = (0..3).map(|c| ([3.0, AIR, 1.0][c] - mean[c]) * cross[c] / length).sum::<f64>();
        for i in t {
            (0..3).for_each(|c| force[i][c] += DRAG * length / 6.0 * across * cross[c] / length);
        }
    }
    force
}

//! Bodies that may pass each other are told, and those that cannot are not.

use super::*;
use crate::device::CpuOnly;
use crate::output::{RunOptions, RunReport, Tally, run};

/// Two cloths, 10 cm apart, edges of 5 cm and more.
fn cloths(second: &str, more: &str) -> Scene {
    let text = format!(
        "pliant = 1\ngravity = [0, 0, 0]\n[contact]\nself_collision = true\n{more}\n[[cloth]]\nname = 'still'\n\
         resolution = 11\nsize = 0.5\nthickness = '4 mm'\n[[cloth]]\nname = 'thrown'\nresolution = 9\nsize = 0.4\n\
         thickness = '4 mm'\n{second}\n"
    );
    Scene::parse(&text, "scene", ".".as_ref(), &[]).unwrap()
}

fn report(scene: &Scene) -> RunReport {
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { out: folder.path().to_path_buf(), ..RunOptions::default() };
    run(&CpuOnly, scene, &options, &mut ()).unwrap()
}

const DOWN: &str = "position = [0, 0.1, 0]\nvelocity = [0, -5, 0]";

/// Regression: they did, nothing crossed at the end, and nothing was told.
#[test]
fn cloths_that_pass_through_each_other_in_a_step_are_told_once_and_with_enough_steps_they_do_not() {
    let with = |steps: usize| report(&cloths(DOWN, &format!("[time]\nframes = 6\nsteps_per_frame = {steps}\n")));
    let passed = with(1);
    assert_eq!(passed.intersections, 0);
    let said: Vec<_> = passed.warnings.iter().filter(|said| said.contains("may pass through each other")).collect();
    assert_eq!(said.len(), 1, "{:?}", passed.warnings);
    let words = [
        "'still' and 'thrown'",
        "first in frame 1",
        "83.3 mm in a step",
        "5.00 m/s",
        "steps_per_frame (1) to 2 or more",
    ];
    assert!(words.iter().all(|word| said[0].contains(word)), "{said:?}");
    assert_eq!(with(2).warnings, [""; 0]);
}

/// What is told of a frame that begins so.
fn told(second: &str, more: &str) -> Option<String> {
    let scene = cloths(second, more);
    let (model, state) = Model::new(&scene).unwrap();
    let known = Arc::new(Known { state, rho: None, sides: Default::default(), tally: Tally::default() });
    let mut passing = Passing::new(&scene, &Arc::new(model), &known);
    passing.observe(1, &known);
    passing.warning()
}

#[test]
fn what_slides_along_goes_away_flies_past_or_goes_together_is_not_told() {
    assert!(told(DOWN, "").is_some());
    for harmless in [
        "position = [-0.45, 0.004, 0]\nvelocity = [5, 0, 0]",
        "position = [0, 0.1, 0]\nvelocity = [0, 5, 0]",
        "position = [0, 0.01, 0]\nvelocity = [0, 5, 0]",
        "position = [0.6, 0.1, 0]\nvelocity = [0, -5, 0]",
        "position = [0, 0.5, 0]\nvelocity = [0, -5, 0]",
    ] {
        assert_eq!(told(harmless, ""), None, "{harmless}");
    }
    let both = "[[pin]]\nbody = 'still'\ninside = [[-9, -9, -9], [9, 9, 9]]\n[[pin]]\nbody = 'thrown'\ninside = [[-9, -9, -9], \
                [9, 9, 9]]\nvelocity = [0, -5, 0]";
    assert_eq!(told(&format!("{DOWN}\n{both}"), ""), None);
    // One that is held, and one that is thrown at it.
    let one = "[[pin]]\nbody = 'still'\ninside = [[-9, -9, -9], [9, 9, 9]]";
    assert!(told(&format!("{DOWN}\n{one}"), "").is_some());
    assert_eq!(told(&DOWN.replace('5', "2"), ""), None);
}

#[test]
fn where_bodies_do_not_feel_each_other_nothing_is_told() {
    let mut scene = cloths(DOWN, "");
    scene.contact.self_collision = false;
    scene.time.frames = 2;
    assert_eq!(report(&scene).warnings, [""; 0]);
}

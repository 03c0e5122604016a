//! `pliant tune`

use crate::support::Place;

/// A bar that hangs from one end.
const BAR: &str = "
pliant = 1
[time]
frame_rate = 30
frames = 12
[[solid]]
shape = 'bar'
size = [0.4, 0.1, 0.1]
cells = [6, 2, 2]
model = 'neo-hookean'
youngs_modulus = '30 kPa'
[[pin]]
inside = [[-0.21, -1, -1], [-0.19, 1, 1]]
[solver]
method = 'descent'
iterations = 32
[device]
precision = 'f64'
";

#[test]
fn a_run_takes_the_phases_that_were_found_and_refuses_where_there_are_none() {
    let place = Place::new(BAR);
    let run = ["run", "scene.toml", "--set", "solver.phases=tuned", "--no-preview", "--json"];
    let refused = place.call(&run);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("pliant tune") && refused.stderr.contains("'descent'"), "{}", refused.stderr);

    let tuned = place.json(&["tune", "scene.toml", "--json"]);
    let stages = tuned["stages"].as_array().unwrap();
    let error = |k: usize| stages[k]["error"].as_f64().unwrap();
    assert!(stages.len() == 3 && error(2) <= error(1) && error(1) <= error(0), "{tuned}");
    let found = place.json(&run)["state_hash"].clone();

    // The line that it prints does the same; the scene's own rho something else.
    let phases = stages[2]["phases"].as_array().unwrap();
    let phases: Vec<String> =
        phases.iter().map(|phase| format!("[{}, {}]", phase["iterations"], phase["rho"])).collect();
    let typed = format!("solver.phases=[{}]", phases.join(", "));
    let text = place.call(&["tune", "scene.toml"]).stdout;
    assert!(text.contains(&format!("phases = [{}]", phases.join(", "))), "{text}");
    let again =
        |set: &str| place.json(&["run", "scene.toml", "--set", set, "--no-preview", "--json"])["state_hash"].clone();
    assert_eq!(again(&typed), found);
    assert_ne!(again("solver.phases=[[32, 0.5]]"), found);
}

#[test]
fn what_cannot_be_tuned_is_refused_with_what_to_do() {
    let place = Place::new(BAR);
    let plain = place.call(&["tune", "scene.toml", "--method", "newton"]);
    assert!(plain.code == 2 && plain.stderr.contains("'newton' has no phases"), "{}", plain.stderr);
    let many = place.call(&["tune", "scene.toml", "--phases", "9"]);
    assert!(many.code == 2 && many.stderr.contains("1..=8"), "{}", many.stderr);
    for (set, what) in [
        ("solver.phases=best", "1 to 8 phases"),
        ("solver.phases=[[32, 1.5]]", "below 1"),
        ("solver.phases=[[0, 0.5]]", "from 1 to"),
        ("solver.phases=[32, 0.5]", "expected [iterations, rho]"),
        ("solver.phases=[]", "1 to 8 phases"),
    ] {
        let wrong = place.call(&["check", "scene.toml", "--set", set]);
        assert!(wrong.code == 2 && wrong.stderr.contains(what), "{set}: {}", wrong.stderr);
    }
}

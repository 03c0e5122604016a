//! What clients know besides frames.

use crate::recording::Recording;
use crate::settings::Settings;
use crate::view::View;
use pliant::scene::Scene;
use pliant::solver::METHODS;
use serde_json::{Value, json};

/// What the state is made of.
pub(crate) struct Facts<'a> {
    /// As its file says it.
    pub scene: &'a Scene,
    pub scenes: &'a [String],
    pub views: &'a [View],
    pub settings: &'a Settings,
    pub playing: bool,
    pub residual: bool,
    pub curve: bool,
    pub recording: Option<&'a Recording>,
    pub error: Option<&'a str>,
}

/// The message, but for what is different for each client.
pub(crate) fn describe(facts: &Facts) -> Value {
    let Facts { scene, views, recording, .. } = facts;
    let simulation = &views[0].simulation;
    let solver = &scene.solver;
    let view = |view: &View| {
        let simulation = &view.simulation;
        json!({
            "method": simulation.method().name, "iterations": simulation.iterations(), "rho": simulation.rho(),
        })
    };
    json!({
        "is": "state",
        "version": 1,
        "playing": facts.playing,
        "busy": null,
        "error": facts.error,
        "scene": scene.name,
        "scenes": facts.scenes,
        "device": simulation.device(),
        "precision": simulation.precision(),
        "methods": methods(&views[0]),
        "views": views.iter().map(view).collect::<Vec<_>>(),
        "settings": facts.settings,
        "scene_says": {
            "method": solver.method, "iterations": solver.iterations, "rho": solver.rho, "budget_ms": solver.budget_ms,
            "gravity": scene.gravity, "wind": scene.wind(),
        },
        "pins": views[0].pins(),
        "show": { "residual": facts.residual, "curve": facts.curve },
        "recording": {
            "on": recording.is_some_and(|recording| recording.on),
            "frames": recording.map_or(0, Recording::frames),
            "seconds": recording.map_or(0.0, Recording::seconds),
            "full": recording.is_some_and(Recording::is_full),
        },
    })
}

/// Every method, and whether it can solve this scene on this device.
fn methods(view: &View) -> Vec<Value> {
    let (model, simulation) = (view.model(), &view.simulation);
    let describe = |method: &pliant::solver::Method| {
        let on_device = || method.check_device(model, simulation.has_direct_solver(), simulation.device());
        let why = method.check(model).and_then(|()| on_device()).err().map(|error| error.to_string());
        json!({
            "name": method.name, "iterations": method.iterations, "summary": method.summary, "fits": why.is_none(),
            "why": why,
        })
    };
    METHODS.iter().map(describe).collect()
}

//! What clients know besides frames.

use crate::recording::Recording;
use crate::settings::Settings;
use crate::view::View;
use pliant::scene::Scene;
use pliant::solver::{METHODS, Method};
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
    pub begun: u64,
    pub error: Option<&'a str>,
}

/// The message, but for what is different for each client.
pub(crate) fn describe(facts: &Facts) -> Value {
    let Facts { scene, views, recording, .. } = facts;
    let simulation = &views[0].simulation;
    let solver = &scene.solver;
    let view = |view: &View| {
        let simulation = &view.simulation;
        let solver = &view.scene.solver;
        // Where only the clock counts there is no number.
        let counted = solver.iterations.is_some() || solver.budget_ms.is_none();
        json!({
            "method": simulation.method().name, "iterations": counted.then(|| simulation.iterations()),
            "rho": simulation.rho(),
        })
    };
    json!({
        "is": "state",
        "version": 1,
        "begun": facts.begun,
        "playing": facts.playing,
        "busy": null,
        "error": facts.error,
        "scene": scene.name,
        "scenes": facts.scenes,
        "device": simulation.device(),
        "precision": simulation.precision(),
        "steps_per_frame": scene.time.steps_per_frame,
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

/// Why a method cannot solve this scene on this device; `None` if it can.
fn misfit(view: &View, method: &Method) -> Option<String> {
    let (model, simulation) = (view.model(), &view.simulation);
    let on_device = || method.check_device(model, simulation.has_direct_solver(), simulation.device());
    method.check(model).and_then(|()| on_device()).err().map(|error| error.to_string())
}

/// Methods that can solve this scene on this device.
pub(crate) fn fitting(view: &View) -> Vec<&'static str> {
    METHODS.iter().filter(|method| misfit(view, method).is_none()).map(|method| method.name).collect()
}

/// Every method, and whether it can solve this scene on this device.
fn methods(view: &View) -> Vec<Value> {
    let describe = |method: &Method| {
        let why = misfit(view, method);
        json!({
            "name": method.name, "iterations": method.iterations, "summary": method.summary, "fits": why.is_none(),
            "why": why,
        })
    };
    METHODS.iter().map(describe).collect()
}

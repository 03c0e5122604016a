//! What went wrong, for people on stderr and, with `--json`, for programs on stdout.

use crate::printed::print_json;
use crate::{Exit, progress};
use pliant::contact::ColliderError;
use pliant::device::DeviceError;
use pliant::material::LawError;
use pliant::mesh::{MeshError, Place};
use pliant::model::ModelError;
use pliant::output::{FolderError, RunError};
use pliant::scene::{Diagnostic, Location, SceneError};
use pliant::solver::MethodError;
use pliant::step::SimulationError;
use serde_json::{Value, json};
use std::io;

/// One thing that is wrong, with its place as far as it is known.
#[derive(Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Problem {
    /// `scene`, `mesh`, `model`, `material`, `method`, `device`, `output`, `checkpoint`, `preview`, `stuck`, `reference` or
    /// `other`.
    kind: &'static str,
    message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    help: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// From 1, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    /// Offset into a binary file, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    byte: Option<usize>,
    /// The override, as it was typed after `--set`.
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<String>,
    /// Name of the body in the scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

/// Everything that an error says is wrong; never empty.
pub(crate) fn problems(error: &anyhow::Error) -> Vec<Problem> {
    if let Some(scene) = error.downcast_ref::<SceneError>() {
        return scene.diagnostics.iter().map(of_scene).collect();
    }
    if let Some(RunError::Meshes(faults)) = error.downcast_ref() {
        let of_fault = |(body, message): &(String, String)| {
            let (body, message) = (Some(body.clone()), message.clone());
            Problem { kind: "mesh", message, body, ..Problem::default() }
        };
        return faults.iter().map(of_fault).collect();
    }
    let message = said(error);
    let plain = |kind| Problem { kind, message: message.clone(), ..Problem::default() };
    let run = error.downcast_ref::<RunError>();
    let simulation = match run {
        Some(RunError::Simulation(inside)) => Some(inside),
        _ => error.downcast_ref::<SimulationError>(),
    };
    vec![match (simulation, run) {
        (Some(SimulationError::Model(inside)), _) => Problem { message, ..of_model(inside) },
        (Some(SimulationError::Method(_)), _) => plain("method"),
        (Some(SimulationError::Device(_)), _) => plain("device"),
        (Some(SimulationError::Reference { .. }), _) => plain("reference"),
        (Some(SimulationError::Stuck { .. } | SimulationError::Stopped { .. }), _) => plain("stuck"),
        (Some(SimulationError::WrongState { .. }), _) => plain("model"),
        (_, Some(RunError::Preview(_))) => plain("preview"),
        (_, Some(RunError::Beyond { .. } | RunError::Folder(FolderError::Checkpoint(_)))) => plain("checkpoint"),
        (_, Some(_)) => plain("output"),
        _ if error.is::<MethodError>() => plain("method"),
        _ if error.is::<DeviceError>() => plain("device"),
        _ if error.is::<LawError>() => plain("material"),
        _ if error.is::<io::Error>() => plain("output"),
        _ => match error.downcast_ref::<MeshError>() {
            Some(mesh) => Problem { message, ..of_mesh(mesh) },
            None => plain("other"),
        },
    }]
}

fn of_scene(Diagnostic { location, message, help }: &Diagnostic) -> Problem {
    let problem = Problem { kind: "scene", message: message.clone(), help: help.clone(), ..Problem::default() };
    match location.clone() {
        Location::Text { file, line, column, .. } => {
            Problem { file: Some(file), line: Some(line), column: Some(column), ..problem }
        }
        Location::Override { text } => Problem { set: Some(text), ..problem },
        Location::File { file } => Problem { file: Some(file), ..problem },
    }
}

fn of_model(error: &ModelError) -> Problem {
    let plain = Problem { kind: "model", ..Problem::default() };
    match error {
        ModelError::Mesh { body, source } => Problem { body: Some(body.clone()), ..of_mesh(source) },
        ModelError::Collider { source, .. } => of_collider(source),
        ModelError::Shape { body, .. }
        | ModelError::Element { body, .. }
        | ModelError::Empty { body, .. }
        | ModelError::Law { body, .. }
        | ModelError::Unheld { body, .. } => Problem { body: Some(body.clone()), ..plain },
        _ => plain,
    }
}

fn of_collider(error: &ColliderError) -> Problem {
    match error {
        ColliderError::Mesh(inside) => of_mesh(inside),
        ColliderError::Surface { file, .. } => Problem { kind: "mesh", file: Some(file.clone()), ..Problem::default() },
        ColliderError::Shape(_) => Problem { kind: "model", ..Problem::default() },
    }
}

fn of_mesh(error: &MeshError) -> Problem {
    let (file, place) = match error {
        MeshError::Read { path, .. } | MeshError::Write { path, .. } => (path, Place::File),
        MeshError::UnknownFormat { path, .. } => (path, Place::File),
        MeshError::Malformed { name, place, .. } => (name, *place),
    };
    let problem = Problem { kind: "mesh", file: Some(file.clone()), ..Problem::default() };
    match place {
        Place::Line(line) => Problem { line: Some(line), ..problem },
        Place::Byte(byte) => Problem { byte: Some(byte), ..problem },
        Place::File => problem,
    }
}

/// The message, with causes where it does not already say them.
fn said(error: &anyhow::Error) -> String {
    let mut said = error.to_string().trim_end().to_string();
    for cause in error.chain().skip(1).map(|cause| cause.to_string()) {
        if !said.contains(cause.trim_end()) {
            said = format!("{said}\n  because: {}", cause.trim_end());
        }
    }
    said
}

fn device_error(error: &anyhow::Error) -> Option<&DeviceError> {
    match (error.downcast_ref(), error.downcast_ref()) {
        (Some(SimulationError::Device(inside)), _) => Some(inside),
        (_, Some(RunError::Simulation(SimulationError::Device(inside)))) => Some(inside),
        _ => error.downcast_ref(),
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge)
}

fn exit_of(error: &anyhow::Error) -> Exit {
    let midway = error.downcast_ref::<RunError>().is_some_and(RunError::is_midway);
    use SimulationError::{Reference, Stopped, Stuck};
    let stuck = matches!(error.downcast_ref(), Some(Stuck { .. } | Stopped { .. } | Reference { .. }));
    // A device that nobody has, and work that no GPU does, are asked for by mistake.
    let device = device_error(error)
        .is_some_and(|e| !matches!(e, DeviceError::Unknown { .. } | DeviceError::Unsupported { .. }));
    // Whatever was to be written: with more room the same command will do.
    let full = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(is_full);
    match (midway || stuck || full, device) {
        (true, _) => Exit::Stuck,
        (_, true) => Exit::DeviceFailed,
        _ => Exit::BadInput,
    }
}

/// What `"error"` holds: all that is said to people, and the place of the first problem.
pub(crate) fn object(error: &anyhow::Error) -> Value {
    let problems = problems(error);
    let mut object = json!(problems.first());
    object["message"] = said(error).into();
    object["exit_code"] = (exit_of(error) as u8).into();
    if problems.len() > 1 {
        object["problems"] = json!(problems);
    }
    object
}

/// Tells people what went wrong.
pub(crate) fn explain(error: &anyhow::Error) -> Exit {
    progress::say(&format!("error: {}", said(error)));
    exit_of(error)
}

/// `{"error": ...}` for what is no error of the library: bad usage, an interruption.
pub(crate) fn print_plain(kind: &str, message: &str, exit: Exit) {
    // Nobody can be told that stdout is gone; the exit code says the rest.
    let _ = print_json(&json!({ "error": { "kind": kind, "message": message, "exit_code": exit as u8 } }));
}

//! `[contact]`, `[time]`, `[solver]`, `[device]` and `[output]`.

use super::super::reader::Section;
use super::super::types::{
    ContactSettings, DeviceSettings, InitialGuess, LinearForm, LinearPreconditioner, LinearSettings, OutputSettings,
    Precision, SolverSettings, Stopping, Time,
};

pub(super) fn contact(s: &Section<'_>) -> ContactSettings {
    s.check_keys(None);
    ContactSettings {
        self_collision: s.flag("self_collision").unwrap_or(false),
        friction: s.number("friction").unwrap_or(0.3),
    }
}

pub(super) fn time(s: &Section<'_>, contact: &ContactSettings) -> Time {
    s.check_keys(None);
    if contact.self_collision && s.flag("quasistatic") == Some(true) {
        let message = "quasistatic steps know no contact between bodies";
        s.fail("quasistatic", message, "take `self_collision` out of [contact], or `quasistatic` out of [time]");
    }
    Time {
        frame_rate: s.number("frame_rate").unwrap_or(60.0),
        frames: s.count("frames").unwrap_or(120),
        steps_per_frame: s.count("steps_per_frame").unwrap_or(1),
        quasistatic: s.flag("quasistatic").unwrap_or(false),
    }
}

pub(super) fn solver(s: &Section<'_>) -> SolverSettings {
    s.check_keys(None);
    let blend = s.number("blend").unwrap_or(0.5);
    SolverSettings {
        method: s.choice("method").unwrap_or("auto").to_string(),
        iterations: s.count("iterations"),
        tolerance: s.number("tolerance").unwrap_or(0.0),
        budget_ms: s.number("budget_ms"),
        rho: s.number("rho"),
        phases: s.phases("phases").unwrap_or_default(),
        delay: s.count("delay").unwrap_or(10),
        under_relaxation: s.number("under_relaxation"),
        over_relaxation: s.number("over_relaxation"),
        relaxation: s.number("relaxation"),
        renew_every: s.count("renew_every"),
        initial_guess: s.choice("initial_guess").map(|guess| match guess {
            "position" => InitialGuess::Position,
            "velocity" => InitialGuess::Velocity,
            "acceleration" => InitialGuess::Acceleration,
            "optimal" => InitialGuess::Optimal,
            "zero" => InitialGuess::Explicit { velocity: 0.0, force: 0.0 },
            "velocity+force" => InitialGuess::Explicit { velocity: 0.0, force: 1.0 },
            "blend" => InitialGuess::Explicit { velocity: blend, force: 1.0 - blend },
            _ => InitialGuess::Inertia,
        }),
        contact_stiffness: s.number("contact_stiffness").unwrap_or(1.0),
        linear: linear(s),
    }
}

fn linear(s: &Section<'_>) -> LinearSettings {
    LinearSettings {
        preconditioner: match s.choice("preconditioner") {
            Some("mass") => LinearPreconditioner::Mass,
            Some("identity") => LinearPreconditioner::Identity,
            _ => LinearPreconditioner::Jacobi,
        },
        form: match s.choice("form") {
            Some("velocity-difference") => LinearForm::VelocityDifference,
            _ => LinearForm::Velocity,
        },
        assembled: s.choice("operator") == Some("assembled"),
        per_object: s.flag("per_object").unwrap_or(false),
        accuracy: s.number("accuracy"),
        stopping: if s.choice("stopping") == Some("motion") { Stopping::Motion } else { Stopping::Energy },
    }
}

pub(super) fn device(s: &Section<'_>) -> DeviceSettings {
    s.check_keys(None);
    DeviceSettings {
        name: s.text("name").unwrap_or_else(|| "auto".to_string()),
        precision: match s.choice("precision") {
            Some("f64") => Precision::F64,
            _ => Precision::F32,
        },
    }
}

pub(super) fn output(s: &Section<'_>) -> OutputSettings {
    s.check_keys(None);
    OutputSettings {
        formats: s
            .choices("formats")
            .map_or_else(|| vec!["glb".to_string()], |formats| formats.into_iter().map(str::to_string).collect()),
        checkpoint_every: s.count("checkpoint_every").unwrap_or(10),
    }
}

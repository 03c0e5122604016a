//! The command line of Pliant, as a library: the binary only calls it.
//!
//! [`args`] is what was typed; each file in `command` turns it into calls of the library and shows the result.

pub mod args;
mod command;
mod interrupt;
mod printed;
mod progress;
mod table;

use args::{Args, Command, MeshCommand};
use clap::Parser;
use pliant::output::RunError;
use pliant::step::SimulationError;
use std::process::ExitCode;

/// How a command ended, as its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// Bad usage or input.
    BadInput = 2,
    /// The simulation could not go on; its state is saved.
    Stuck = 3,
    /// A device is missing or failed; the state is saved as far as there was one.
    DeviceFailed = 4,
    /// Interrupted; the state is saved.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// Runs the command that was typed.
pub fn main() -> ExitCode {
    let args = Args::parse();
    progress::start_log(args.verbose);
    execute(&args).unwrap_or_else(|error| explain(&error)).into()
}

fn execute(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Run(run) => command::run::run(args, run),
        Command::Check(check) => command::check::check(args, check),
        Command::Compare(compare) => command::compare::compare(args, compare),
        Command::Methods => command::methods::methods(args),
        Command::Devices => command::devices::devices(args),
        Command::Mesh(MeshCommand::Info { files }) => command::mesh::info(args, files),
        Command::Mesh(MeshCommand::Check { files }) => command::mesh::check(args, files),
        Command::Mesh(MeshCommand::Convert { from, to }) => command::mesh::convert(args, from, to),
    }
}

/// Tells people what went wrong, causes included where the message does not already say them.
fn explain(error: &anyhow::Error) -> Exit {
    let mut said = error.to_string().trim_end().to_string();
    for cause in error.chain().skip(1).map(|cause| cause.to_string()) {
        if !said.contains(cause.trim_end()) {
            said = format!("{said}\n  because: {}", cause.trim_end());
        }
    }
    progress::say(&format!("error: {said}"));
    let midway = error.downcast_ref::<RunError>().is_some_and(RunError::is_midway);
    let stuck = matches!(error.downcast_ref(), Some(SimulationError::Stuck { .. } | SimulationError::Reference { .. }));
    let device = matches!(error.downcast_ref(), Some(SimulationError::Device(_)))
        || matches!(error.downcast_ref(), Some(RunError::Simulation(SimulationError::Device(_))));
    match (midway || stuck, device) {
        (true, _) => Exit::Stuck,
        (_, true) => Exit::DeviceFailed,
        _ => Exit::BadInput,
    }
}

//! The command line of Pliant, as a library: the binary only calls it.
//!
//! [`args`] is what was typed; each file in `command` turns it into calls of the library and shows the result.

pub mod args;
mod command;
mod failure;
mod interrupt;
mod printed;
mod progress;
mod table;

use args::{Args, Command, MaterialCommand, MeshCommand};
use clap::Parser;
use serde_json::json;
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
    ask_no_desktop();
    interrupt::outlive_file_limits();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return misused(&error),
    };
    // The page shows steps that were tried again, and there may be many.
    progress::start_log(args.verbose, matches!(args.command, Command::View(_)));
    match execute(&args) {
        Ok(exit) => exit.into(),
        Err(error) => {
            let exit = failure::explain(&error);
            if args.json {
                // A stdout that is gone changes nothing about how the command ended.
                let _ = printed::print_json(&failure_object(&args, &error));
            }
            exit.into()
        }
    }
}

/// Mesa's Vulkan layer that orders GPUs asks the desktop which one draws it. Where there is no desktop, libwayland prints
/// an "error" about XDG_RUNTIME_DIR on stderr that is none; Pliant does its own ordering. Who wants the layer's still
/// gets it.
fn ask_no_desktop() {
    let is_set = |name: &str| std::env::var_os(name).is_some();
    if !["XDG_RUNTIME_DIR", "MESA_VK_DEVICE_SELECT", "DRI_PRIME"].into_iter().any(is_set) {
        // SAFETY: the program has no other thread yet.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}

/// Help, the version, or what is wrong with the command line.
fn misused(error: &clap::Error) -> ExitCode {
    // As clap itself: a terminal that is gone needs no help.
    let _ = error.print();
    if !error.use_stderr() {
        return Exit::Done.into();
    }
    if std::env::args_os().any(|arg| arg == "--json") {
        failure::print_plain("usage", error.to_string().trim_end(), Exit::BadInput);
    }
    Exit::BadInput.into()
}

/// What stdout gets instead of a result.
fn failure_object(args: &Args, error: &anyhow::Error) -> serde_json::Value {
    let object = failure::object(error);
    match &args.command {
        Command::Check(typed) => {
            let scene = typed.scene.display().to_string();
            json!({ "scene": scene, "valid": false, "errors": failure::problems(error), "error": object })
        }
        _ => json!({ "error": object }),
    }
}

fn execute(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Run(run) => command::run::run(args, run),
        Command::View(view) => command::view::view(args, view),
        Command::Check(check) => command::check::check(args, check),
        Command::Compare(compare) => command::compare::compare(args, compare),
        Command::Tune(tune) => command::tune::tune(args, tune),
        Command::Methods => command::methods::methods(args),
        Command::Bench(bench) => command::bench::bench(args, bench),
        Command::Devices => command::devices::devices(args),
        Command::Selftest(selftest) => command::selftest::selftest(args, selftest),
        Command::Mesh(MeshCommand::Info { files }) => command::mesh::info(args, files),
        Command::Mesh(MeshCommand::Check { files }) => command::mesh::check(args, files),
        Command::Mesh(MeshCommand::Colour(colour)) => command::colour::colour(args, colour),
        Command::Mesh(MeshCommand::Convert { from, to }) => command::mesh::convert(args, from, to),
        Command::Material(MaterialCommand::Curve(curve)) => command::material::curve(args, curve),
    }
}

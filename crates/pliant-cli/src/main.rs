//! `pliant`, the program: everything is in the library, where tests can call it.

use std::process::ExitCode;

fn main() -> ExitCode {
    pliant_cli::main()
}

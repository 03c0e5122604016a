//! `pliant tune`.

use super::{SceneArgs, count};

const TUNE_AFTER: &str = "\
Examples:
  pliant tune scenes/box-twist.toml --set solid.cells=[10,15,10]
  pliant tune scenes/squash-recover.toml --phases 4 --iterations 64
  pliant run scenes/squash-recover.toml --set solver.phases=tuned --set solver.iterations=64

Chebyshev's acceleration needs a rho; a run takes one by a rule. This solves some steps of the scene again and again with other
rhos, and with a rho of its own for each phase of a solve, and keeps what ends with the smallest error. As many steps are kept
out of it, to show what it is worth on steps that it has not seen. What it found is kept in the user's cache for this scene, method
and number of iterations, where phases = \"tuned\" looks for it; the printed line does the same in any scene file.";

/// `pliant tune`.
#[derive(Debug, clap::Args)]
#[command(after_help = TUNE_AFTER)]
pub struct TuneArgs {
    /// The scene.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Phases of a solve; 1 finds the best single rho
    #[arg(long, value_name = "N", default_value_t = 2, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u8).range(1..=8))]
    pub phases: u8,
    /// Iterations of the method per step
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub iterations: Option<u64>,
    /// Steps to learn from; as many others show what was learned. Each is solved by Newton's method first
    #[arg(long, value_name = "N", default_value_t = 3, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u8).range(1..=100))]
    pub samples: u8,
    /// Frames of the scene to take the steps from [default: all, at most 60]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub frames: Option<u64>,
}

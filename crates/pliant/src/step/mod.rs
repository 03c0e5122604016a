//! The loop: frames, steps, budgets, certificates, and what happens when a step goes wrong.

mod accept;
pub mod bench;
mod certificate;
mod compare;
mod error;
mod grasp;
mod guess;
mod input;
mod pace;
mod rho;
mod showing;
mod simulation;
mod stepper;
mod tune;

pub use crate::solver::Stop;
pub use certificate::Certificate;
pub use compare::{Comparison, Convergence, Curve, CurvePoint, Question, Reference, compare, convergence, reference};
pub use error::SimulationError;
pub use input::step_input;
pub use simulation::{Known, Simulation, rho_for};
pub use stepper::{StepReport, Stepper};
pub use tune::{Stage, Tuned, Tuning, tune};

//! Solvers: one file per algorithm box, generic over the device. They all move x towards the minimum of the step's
//! objective, starting from the inertial target.

mod best;
mod chebyshev;
mod choice;
mod control;
mod corotated_cg;
mod descent;
mod descent_ahead;
mod lbfgs;
mod method;
mod newton;
mod newton_hessian;
mod nonlinear_cg;
mod pbd;
mod pd_direct;
mod pd_gauss_seidel;
mod pd_jacobi;
mod pd_multigrid;
mod pd_pcg;
mod precondition;
mod stationary;
mod stop;
mod vivace;

pub(crate) use chebyshev::largest_useful_rho;
pub use chebyshev::{Chebyshev, PhaseList};
pub(crate) use choice::largest_stiffness_ratio;
pub use choice::{choose_method, find_method_for};
pub use control::{Control, SolveError, SolveReport};
pub use method::{METHODS, Method, MethodError, Needs, Parameters, find_method};
pub use newton::{NewtonReport, minimise};
pub use stop::Stop;

use crate::device::Device;

/// Moves x towards the minimum of a step's objective.
pub trait Solver<D: Device> {
    /// Iterates until `control` says stop.
    fn solve(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        control: &mut Control<D>,
    ) -> Result<SolveReport, SolveError>;

    /// Replaces ρ of Chebyshev acceleration; 0 switches it off. Methods without it ignore this.
    fn set_rho(&mut self, _rho: f64) {}

    /// α that the last solve ended with, which the next one begins near; 0 for methods that remember none.
    fn step_length(&self) -> f64 {
        0.0
    }

    /// Replaces it.
    fn set_step_length(&mut self, _step_length: f64) {}

    /// Whether to leave out over-relaxation, for safety. Methods without it ignore this.
    fn set_careful(&mut self, _careful: bool) {}
}

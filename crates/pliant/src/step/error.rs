use crate::device::DeviceError;
use crate::model::ModelError;
use crate::solver::MethodError;

/// Why a simulation cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The scene cannot be built.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The method does not exist or does not fit.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The device cannot do it, or failed. The state is still that of the last good step.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The reference solution could not be found.
    #[error("the reference solution failed: {reason}")]
    Reference {
        /// What went wrong.
        reason: String,
    },
    /// A state that is not one of this model. That of the simulation is as it was.
    #[error(
        "the state has {positions} positions and {velocities} velocities, but the scene has {vertices} vertices; take a \
         state of the same scene"
    )]
    WrongState {
        /// How many positions it has.
        positions: usize,
        /// How many velocities.
        velocities: usize,
        /// How many of each there must be.
        vertices: usize,
    },
    /// The scene wants phases that were never found.
    #[error(
        "phases = \"tuned\", but none were found yet for method '{method}' with {iterations} iterations on this scene ({scene}); run \
         `pliant tune` on it first, with the same settings"
    )]
    Untuned {
        /// The method.
        method: &'static str,
        /// Its iterations.
        iterations: usize,
        /// The scene's name.
        scene: String,
    },
    /// The method has no ρ.
    #[error(
        "method '{method}' has no phases to find: it is not accelerated; take 'descent' or one that ends in -chebyshev"
    )]
    WithoutPhases {
        /// The method.
        method: &'static str,
    },
    /// Nothing happens in a scene.
    #[error(
        "in the first {steps} steps there are not two with something to solve; take more --frames, or a scene that moves"
    )]
    NothingToTune {
        /// Steps that were looked at.
        steps: u64,
    },
    /// Somebody raised the [`Stop`](super::Stop) that the simulation heeds. The state is still that of the last step.
    #[error("step {step} was stopped; the state before it is kept")]
    Stopped {
        /// Which step, from 0.
        step: u64,
    },
    /// A step failed however small it was made. The state is still that of the last good step.
    #[error(
        "step {step} (time {time:.4} s) failed {attempts} times, the last time in {pieces} pieces: {reason}; \
         the state before it is kept. Try {advice}"
    )]
    Stuck {
        /// Which step, from 0.
        step: u64,
        /// Simulated time at its start, s.
        time: f64,
        /// How often it was tried.
        attempts: usize,
        /// Into how many pieces the last try cut it.
        pieces: usize,
        /// What went wrong the last time.
        reason: String,
        /// What to change.
        advice: String,
    },
}

/// What to change where a step of this method fails on a device of this name and precision. What is small or stiff fails by the
/// rounding of positions alone, which no other method or step size mends.
pub(super) fn way_out(method: &str, device: &str, precision: &str) -> String {
    let wider = match (precision, device) {
        ("f32", "cpu") => "--precision f64, ",
        ("f32", _) => "--device cpu --precision f64, ",
        _ => "",
    };
    let rest = match method {
        "newton" | "newton-pcg" | "newton-cg" => "more steps_per_frame or a softer material",
        _ => "more steps_per_frame, a softer material or method 'newton'",
    };
    format!("{wider}{rest}")
}

impl SimulationError {
    /// It is about the device, and the CPU may do what this one could not.
    pub fn may_work_on_cpu(&self) -> bool {
        use MethodError::{NoMethodOnDevice, NotOnDevice};
        match self {
            Self::Device(error) => !matches!(error, DeviceError::Cholesky(_) | DeviceError::Unknown { .. }),
            Self::Method(error) => matches!(error, NotOnDevice { .. } | NoMethodOnDevice { .. }),
            _ => false,
        }
    }
}

//! The verbs a device offers. Solvers are written once against [`Device`]; [`Cpu`] is here, `pliant-gpu` has the other.
//!
//! Fields ([`Device::Points`]) stay on the device. A verb may run at once or be recorded; the host sees results only
//! through the verbs that wait: [`Device::read`], [`Device::scalar`], [`Device::measures`] and [`Device::potential`], or
//! with [`Device::request`] and later [`Device::receive`], between which the device goes on.
//! These are also where a device that failed says so: verbs that record cannot fail. Scalars live in numbered [`Slot`]s
//! on the device, so that conjugate gradients never has to wait for its α and β.

mod cpu;
mod devices;
mod linear;
mod parallel;
mod parts;
pub mod rows;
mod touch_friction;
mod touches;

pub use cpu::{Cpu, CpuProblem, LEAST_SPREAD, MOST_TURN};
pub use devices::{CpuOnly, DeviceChoice, Devices, Task};
pub use linear::{LinearSetting, Progress};
pub use parts::{Groups, Parts};
pub use touch_friction::KNOWN;
pub use touches::{Corner, MEETINGS, RECOVERED, TouchSearch, TouchSetting, Touches};

use crate::contact::PosedCollider;
use crate::contact::close::{Side, Since};
use crate::linear::CholeskyError;
use crate::model::{Model, Potential, System};
use std::sync::Arc;
use std::time::Instant;

/// A scalar on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(pub usize);

/// How many [`Slot`]s a device has.
pub const SLOTS: usize = 8;

/// A factor: known on the host, or a quotient of device scalars (0 where the divisor is 0).
#[derive(Clone, Copy, Debug)]
pub enum Factor {
    /// Known.
    Value(f64),
    /// First over second.
    Ratio(Slot, Slot),
    /// Minus the first over the second.
    MinusRatio(Slot, Slot),
}

/// How a candidate x̂ becomes the next iterate (course eq 26):
/// x⁺ = ω (γ (x̂ − x) + x − x⁻) + x⁻, with x⁻ the iterate before x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend {
    /// ω; 1 takes the candidate (shortened by γ) as it is.
    pub omega: f64,
    /// γ
    pub under_relaxation: f64,
}

/// What descent divides gradients by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The diagonal block of each vertex: Jacobi's preconditioner (course 3.2.1).
    Blocks,
    /// One stiffness for all vertices, as large as the largest: no preconditioner.
    Largest,
}

/// What a new step brings besides the state.
#[derive(Clone, Debug, Default)]
pub struct StepInput {
    /// Where held and pinned vertices are to be at the end of the step: index, target, m.
    pub targets: Vec<(u32, [f64; 3])>,
    /// Colliders at the end of the step.
    pub colliders: Vec<PosedCollider<f64>>,
    /// What contacts between bodies remember.
    pub since: Since,
}

/// A verb that a device cannot do, or that failed.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The direct solver failed.
    #[error("direct solver: {0}")]
    Cholesky(#[from] CholeskyError),
    /// No device is ever called that.
    #[error("there is no device '{name}'; {help}")]
    Unknown {
        /// As asked for.
        name: String,
        /// What one can ask for.
        help: String,
    },
    /// There is no such device here.
    #[error("there is no device '{device}' here; {help}")]
    Absent {
        /// As asked for.
        device: String,
        /// What there is.
        help: String,
    },
    /// The device cannot do this at all.
    #[error("{device} has no {what}; {help}")]
    Unsupported {
        /// The device.
        device: String,
        /// What it lacks.
        what: String,
        /// What to do.
        help: String,
    },
    /// The device is gone, out of memory, or too small for the scene.
    #[error("{device} failed: {reason}; {help}")]
    Failed {
        /// The device.
        device: String,
        /// What happened.
        reason: String,
        /// What to do.
        help: String,
    },
}

/// What is measured of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// x is where the step begins: its energy with held vertices at their targets.
    Still,
    /// x is where the solve begins, x̃ out of colliders: its energy.
    Start,
    /// x is what the solver found: its energy and gradient.
    Solution,
    /// x is what the step ended with, out of colliders: stretch, gaps, inversions.
    End,
}

/// Measures of one step, for its certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// E of not moving, J: at the positions that the step begins with, held vertices at their targets. Infinite on a GPU where
    /// nobody asked for it in this step.
    pub still_energy: f64,
    /// The part of `still_energy` that is energy of motion, J.
    pub motion_energy: f64,
    /// E where the solve begins, J.
    pub start_energy: f64,
    /// E of the solution, J.
    pub energy: f64,
    /// ‖∇E‖ of the solution, N.
    pub gradient_norm: f64,
    /// What is left of ∇E on all free vertices together, along gravity, N: forces between them cancel, so it is what the whole
    /// lacks to move as it should. Positive where it falls too slowly, 0 without gravity.
    pub unbalanced: f64,
    /// What a Jacobi step from the solution would take off E at least, J: ½ ∇Eᵀ D⁻¹ ∇E, up to a small factor.
    pub possible_decrease: f64,
    /// Energy that positions have because they are rounded to the device's precision, J: a cloth of stiff springs that
    /// falls freely has no other.
    pub rounding_energy: f64,
    /// Largest |length/rest − 1| of an edge at the end.
    pub max_stretch: f64,
    /// Mean |length/rest − 1| over all edges at the end.
    pub mean_stretch: f64,
    /// Smallest signed distance of a free vertex from a collider at the end, m; infinite without colliders.
    pub min_gap: f64,
    /// Tets with negative volume at the end.
    pub inverted: usize,
}

/// Where a simulation is computed.
pub trait Device {
    /// N points on the device.
    type Points;
    /// A model at one step size, on the device, with the step's inertial target, pins and colliders.
    type Problem;
    /// Points on their way to the host.
    type Reading;
    /// Numbers on their way to the host.
    type Numbers;

    /// Name for reports.
    fn name(&self) -> String;
    /// `"f32"` or `"f64"`.
    fn precision(&self) -> &'static str;

    /// Whether waiting for a scalar costs more than computing with it, so that a solver should look rarely.
    fn is_remote(&self) -> bool {
        false
    }
    /// Whether [`Device::solve_direct`] works.
    fn has_direct_solver(&self) -> bool {
        true
    }

    /// How [`Device::jacobi`] sweeps this problem: `"single"`, one sweep after the other; `"rings"`, several in one launch; or
    /// `"patches"`, one per launch with the forces of elements kept where it needs them.
    fn sweep_way(&self, _problem: &Self::Problem) -> &'static str {
        "single"
    }
    /// Bytes that one [`Device::jacobi`] sweep moves at least, and how many of them it writes: those of its way, but of rings
    /// those of single sweeps. They read rows once for several sweeps, so they may be faster than the stream of these bytes.
    fn sweep_bytes(&self, problem: &Self::Problem) -> [u64; 2];
    /// Bytes that [`Device::gradient`] moves at least, and how many of them it writes.
    fn force_bytes(&self, problem: &Self::Problem) -> [u64; 2];
    /// Streams so many bytes `times` times, writing as many of them as said, and waits: the least that a sweep can take.
    fn stream(&mut self, bytes: [u64; 2], times: usize) -> Result<(), DeviceError>;

    /// Brings a model at one step size to the device.
    fn upload(&mut self, model: &Arc<Model>, system: &Arc<System>) -> Result<Self::Problem, DeviceError>;
    /// On which sides of each other parts of bodies were in the last step: of vertices, then of edges; empty where bodies do
    /// not feel each other. Waits.
    fn sides(&mut self) -> Result<[Vec<Side>; 2], DeviceError>;
    /// Replaces them; for when a state is loaded.
    fn set_sides(&mut self, sides: &[Vec<Side>; 2]);
    /// Asks how far elements are converted because they are crushed ([`crate::model::Conversion::shares`]), whatever is recorded
    /// after. No numbers where nothing can be, or no step was begun.
    fn request_conversion(&mut self) -> Result<Self::Numbers, DeviceError>;
    /// Replaces that; for when a state is loaded.
    fn set_conversion(&mut self, shares: &[f64]);
    /// Back to what it was when the step in progress was begun, which is not to have been; what is wound up, too.
    fn undo_conversion(&mut self);
    /// For how long something has been wound up ([`crate::model::Unwinding`]); 0 of a device that does not look.
    fn wound(&self) -> u32;
    /// Replaces that; for when a state is loaded.
    fn set_wound(&mut self, wound: u32);
    /// A field of zeros with a point per vertex.
    fn points(&self, problem: &Self::Problem) -> Self::Points;
    /// Host to device.
    fn write(&mut self, from: &[[f64; 3]], to: &mut Self::Points);
    /// Device to host; waits.
    fn read(&mut self, from: &Self::Points, to: &mut [[f64; 3]]) -> Result<(), DeviceError>;
    /// Asks for points as they are now, whatever is recorded after.
    fn request(&mut self, from: &Self::Points) -> Result<Self::Reading, DeviceError>;
    /// Points that were asked for; waits for them, but not for what was recorded since, which the device works on.
    fn receive(&mut self, reading: Self::Reading, to: &mut [[f64; 3]]) -> Result<(), DeviceError>;

    /// to = from
    fn copy(&mut self, from: &Self::Points, to: &mut Self::Points);
    /// z = 0
    fn clear(&mut self, z: &mut Self::Points);
    /// y += a x
    fn axpy(&mut self, a: Factor, x: &Self::Points, y: &mut Self::Points);
    /// y = x + a y
    fn xpay(&mut self, x: &Self::Points, a: Factor, y: &mut Self::Points);
    /// out = a · b
    fn dot(&mut self, a: &Self::Points, b: &Self::Points, out: Slot);
    /// to = from
    fn copy_scalar(&mut self, from: Slot, to: Slot);
    /// Asks for all scalars as they are now, whatever is recorded after.
    fn request_scalars(&mut self) -> Result<Self::Numbers, DeviceError>;
    /// Numbers that were asked for; waits for them, but not for what was recorded since.
    fn receive_numbers(&mut self, numbers: Self::Numbers) -> Result<Vec<f64>, DeviceError>;
    /// to = from, unless the first scalar is less than the second or the same; also where one of them is no number.
    fn copy_unless_lower(&mut self, lower: [Slot; 2], from: &Self::Points, to: &mut Self::Points);
    /// The value of a scalar; waits for it.
    fn scalar(&mut self, slot: Slot) -> Result<f64, DeviceError>;

    /// Starts a step from (x, v): pins, colliders, the inertial target x̃ = x + h v + h² M⁻¹ f, and friction where that is
    /// inside a collider; and the contacts between bodies. A device that finds these on the host waits for (x, x̃).
    fn begin_step(&mut self, problem: &mut Self::Problem, input: &StepInput, x: &Self::Points, v: &Self::Points);
    /// x = x̃, with held vertices at their targets.
    fn start(&mut self, problem: &Self::Problem, x: &mut Self::Points);
    /// Held vertices of x go to their targets.
    fn hold(&mut self, problem: &Self::Problem, x: &mut Self::Points);
    /// Raises the conversion of elements that are crushed at x; how many of them, to `raised`: if any, E is another. In a step it
    /// never falls.
    fn convert(&mut self, problem: &mut Self::Problem, x: &Self::Points, raised: Slot);
    /// What colliders, and bodies on each other, alone do to each vertex: it goes where contact and inertia balance, and
    /// friction shortens its slip. A solve that starts here need not push a whole body out first, which would take its free
    /// parts along.
    fn meet_colliders(&mut self, problem: &mut Self::Problem, x: &mut Self::Points);
    /// Ends a step: vertices still inside a collider are put on its surface, and then v = (x − x_prev)/h.
    fn end_step(&mut self, problem: &Self::Problem, x_prev: &Self::Points, x: &mut Self::Points, v: &mut Self::Points);
    /// Measures x, for [`Device::measures`].
    fn measure(&mut self, problem: &mut Self::Problem, moment: Moment, x: &Self::Points);
    /// What was measured last of each [`Moment`]; waits.
    fn measures(&mut self, problem: &mut Self::Problem) -> Result<Measures, DeviceError>;
    /// How long the device itself worked on the step whose measures were read last, from [`Device::begin_step`] on, s;
    /// `None` where it cannot tell.
    fn working_time(&self) -> Option<f64> {
        None
    }
    /// Says about when the next measures are there: a device may stay awake around then, and so be more punctual.
    fn expect_measures(&mut self, _at: Instant) {}
    /// out = E(x), J; no measure of a certificate.
    fn objective_to(&mut self, problem: &mut Self::Problem, x: &Self::Points, out: Slot);
    /// E(x), J; waits. Takes the last scalar for it.
    fn objective(&mut self, problem: &mut Self::Problem, x: &Self::Points) -> Result<f64, DeviceError> {
        let last = Slot(SLOTS - 1);
        self.objective_to(problem, x, last);
        self.scalar(last)
    }
    /// The step's objective in `f64`, for references; waits.
    fn potential<'a>(&mut self, problem: &'a mut Self::Problem) -> Result<&'a Potential, DeviceError>;

    /// g = ∇E(x), N; zero for held vertices. Remembers which contacts are active, for the verbs below.
    fn gradient(&mut self, problem: &mut Self::Problem, x: &Self::Points, g: &mut Self::Points);
    /// For each blend one local step and one Jacobi sweep, x̂ = x − D⁻¹∇E(x), blended; then x is the last iterate and
    /// x⁻ the one before it. Writes ∇Eᵀ D⁻¹ ∇E at x⁻ to `residual` if asked to.
    fn jacobi(
        &mut self,
        problem: &mut Self::Problem,
        x: &mut Self::Points,
        x_before: &mut Self::Points,
        blends: &[Blend],
        residual: Option<Slot>,
    );
    /// x⁻ becomes x⁺ from a candidate that is already there.
    fn blend(&mut self, x_hat: &Self::Points, x: &Self::Points, x_before: &mut Self::Points, blend: Blend);
    /// The same from the candidate x − z; where a contact was active in this step, acceleration is for motion along its
    /// surface only.
    fn descend(
        &mut self,
        problem: &Self::Problem,
        z: &Self::Points,
        x: &Self::Points,
        x_before: &mut Self::Points,
        blend: Blend,
    );
    /// z = D⁻¹ r
    fn divide_by_diagonal(&mut self, problem: &Self::Problem, r: &Self::Points, z: &mut Self::Points);
    /// Renews the scale of descent at x: the diagonal blocks of ∇²E without contacts, or the largest of them for all vertices.
    fn rescale(&mut self, problem: &mut Self::Problem, scale: Scale, x: &Self::Points);
    /// z = P⁻¹ r with P of the last [`Device::rescale`], and the contacts of the last gradient.
    fn divide_by_scale(&mut self, problem: &Self::Problem, r: &Self::Points, z: &mut Self::Points);
    /// For each blend an iteration of descent, z = P⁻¹∇E(x) and [`Device::descend`]; then x is the last iterate and x⁻ the one
    /// before it. Writes ∇Eᵀ P⁻¹ ∇E at x⁻ to `residual` if asked to. What `scratch` holds after it is left open.
    fn descend_many(
        &mut self,
        problem: &mut Self::Problem,
        [x, x_before]: [&mut Self::Points; 2],
        blends: &[Blend],
        residual: Option<Slot>,
        [gradient, z]: [&mut Self::Points; 2],
    ) where
        Self: Sized,
    {
        descend_by_verbs(self, problem, [x, x_before], (blends, residual), [gradient, z]);
    }
    /// out = A p, with active contacts on the diagonal.
    fn multiply(&mut self, problem: &Self::Problem, p: &Self::Points, out: &mut Self::Points);
    /// Number of colours of the matrix graph, which is coloured at the first call.
    fn colours(&mut self, problem: &mut Self::Problem) -> usize;
    /// One colour of a Gauss-Seidel sweep on A z = r with relaxation factor ω.
    fn gauss_seidel(
        &mut self,
        problem: &Self::Problem,
        colour: usize,
        omega: f64,
        r: &Self::Points,
        z: &mut Self::Points,
    );
    /// One colour of a Gauss-Seidel sweep on ∇E(x) = 0 itself: x ← x − ω D⁻¹∇E(x) at the vertices of one of
    /// [`Device::colours`], with the newest positions of all others; across active contacts ω = 1. If asked to, writes the sum
    /// of ∇Eᵀ D⁻¹ ∇E over all vertices to `residual`, each as it was when its colour was relaxed last: true once all were.
    fn relax(
        &mut self,
        problem: &mut Self::Problem,
        colour: usize,
        omega: f64,
        x: &mut Self::Points,
        residual: Option<Slot>,
    );
    /// z = A⁻¹ r by Cholesky, with active contacts on the diagonal, as stiff along their surface as across.
    fn solve_direct(
        &mut self,
        problem: &mut Self::Problem,
        r: &Self::Points,
        z: &mut Self::Points,
    ) -> Result<(), DeviceError>;
    /// z ≈ A⁻¹ r by one symmetric V-cycle on a hierarchy of A ([`crate::linear::Hierarchy`], made at the first call), with
    /// active contacts on the diagonal. Never overshoots: the product with A has eigenvalues in (0, 1].
    fn cycle(&mut self, problem: &mut Self::Problem, r: &Self::Points, z: &mut Self::Points);
    /// Largest eigenvalue of D⁻¹A: above 2, plain Jacobi does not converge.
    fn largest_jacobi_eigenvalue(&mut self, problem: &mut Self::Problem) -> f64;

    /// r = (M/h²)⁻¹ r, in which pins that are springs count as inertia; 0 for held vertices. This verb and those of linear systems
    /// that follow are refused by devices that know nothing of them.
    fn divide_by_inertia(&mut self, _problem: &Self::Problem, _r: &mut Self::Points) -> Result<(), DeviceError> {
        Err(linear::unsupported(self.name()))
    }
    /// Makes the linear system A (x − x_n) = b of a step of linearly implicit Euler (cg eq 9, for positions) from corotated
    /// tetrahedra with the rotations that they have at x_n, where the step begins: A = M/h² + K + D/h + contacts, b = −∇E(x_n).
    /// Contacts are those of x̃. x_n goes to `start`.
    fn linearise(
        &mut self,
        _problem: &mut Self::Problem,
        _setting: LinearSetting,
        [_start, _b]: [&mut Self::Points; 2],
    ) -> Result<(), DeviceError> {
        Err(linear::unsupported(self.name()))
    }
    /// q = A p of the last [`Device::linearise`], zero for held vertices; remembers p·q of each object, for [`Device::advance`].
    fn multiply_linear(&mut self, _problem: &mut Self::Problem, _p: &Self::Points, _q: &mut Self::Points) {
        unreachable!("{}", linear::NEVER_MADE);
    }
    /// z = P⁻¹ r; remembers r·z of each object and the one before it, which is none after [`Device::linearise`].
    fn precondition_linear(&mut self, _problem: &mut Self::Problem, _r: &Self::Points, _z: &mut Self::Points) {
        unreachable!("{}", linear::NEVER_MADE);
    }
    /// p = z + β p with β = r·z over the one before; the first time p = z, if p is finite.
    fn conjugate(&mut self, _problem: &mut Self::Problem, _z: &Self::Points, _p: &mut Self::Points) {
        unreachable!("{}", linear::NEVER_MADE);
    }
    /// u += α p and r −= α q with α = r·z/p·q.
    fn advance(
        &mut self,
        _problem: &mut Self::Problem,
        [_p, _q]: [&Self::Points; 2],
        [_u, _r]: [&mut Self::Points; 2],
    ) {
        unreachable!("{}", linear::NEVER_MADE);
    }
    /// What the last [`Device::advance`] did; waits.
    fn linear_progress(&mut self, _problem: &mut Self::Problem) -> Result<Progress, DeviceError> {
        Err(linear::unsupported(self.name()))
    }

    /// Forgets the multipliers of XPBD.
    fn reset_multipliers(&mut self, problem: &mut Self::Problem);
    /// One position-based Jacobi sweep: x̂ = x + α Σ Δx (course eq 27).
    fn constrain_jacobi(
        &mut self,
        problem: &mut Self::Problem,
        relaxation: f64,
        x: &Self::Points,
        x_hat: &mut Self::Points,
    );
    /// Number of colours of the constraints.
    fn constraint_colours(&mut self, problem: &mut Self::Problem) -> usize;
    /// Projects one colour of the constraints in place; `extended` keeps XPBD's multipliers.
    fn constrain_colour(&mut self, problem: &mut Self::Problem, colour: usize, extended: bool, x: &mut Self::Points);
    /// Position-based pins and colliders: pulls spring pins, pushes vertices out of colliders, and shortens their slip since
    /// the start of the step by friction times that push. What colliders move, they move in `others`, too.
    fn enforce(&mut self, problem: &mut Self::Problem, x: &mut Self::Points, others: [&mut Self::Points; 2]);
    /// Moves bodies that no pin holds, together with all they may touch in the step, as a whole to where E is least: an
    /// unfinished solve leaves a net force and a net torque on them.
    fn balance_bodies(&mut self, problem: &mut Self::Problem, x: &mut Self::Points);
    /// Turns every part that no pin holds and no collider touched about its centre of mass to where it is nearest to x̃:
    /// takes off the turn that position-based sweeps give a part under stress of its own.
    fn turn_free_parts(&mut self, problem: &mut Self::Problem, x: &mut Self::Points);
}

/// [`Device::descend_many`] verb by verb.
pub fn descend_by_verbs<D: Device>(
    device: &mut D,
    problem: &mut D::Problem,
    [x, x_before]: [&mut D::Points; 2],
    (blends, residual): (&[Blend], Option<Slot>),
    [gradient, z]: [&mut D::Points; 2],
) {
    for (k, blend) in blends.iter().enumerate() {
        device.gradient(problem, x, gradient);
        device.divide_by_scale(problem, gradient, z);
        if let Some(slot) = residual.filter(|_| k + 1 == blends.len()) {
            device.dot(gradient, z, slot);
        }
        device.descend(problem, z, x, x_before, *blend);
        std::mem::swap(x, x_before);
    }
}

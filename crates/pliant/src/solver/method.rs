//! The list of methods: what they are called, what they need, how they are made.

use super::chebyshev::{PhaseList, rho_of_omega};
use super::corotated_cg::CorotatedCg;
use super::descent::{Descent, Momentum, Nesterov};
use super::lbfgs::Lbfgs;
use super::newton::Newton;
use super::newton_hessian::Way;
use super::nonlinear_cg::NonlinearCg;
use super::pbd::{ColouredConstraints, JacobiConstraints};
use super::pd_direct::Direct;
use super::pd_gauss_seidel::SymmetricGaussSeidel;
use super::pd_jacobi::Jacobi;
use super::pd_multigrid::Multigrid;
use super::pd_pcg::NonlinearPcg;
use super::precondition::{Diagonal, Preconditioned, relaxation};
use super::stationary::Stationary;
use super::vivace::Vivace;
use super::{Chebyshev, Solver};
use crate::device::{Device, Scale};
use crate::model::Model;
use crate::scene::{InitialGuess, LinearSettings, Phases, SolverSettings};

/// What a method asks of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Any energy.
    Energy,
    /// Every element has a projection ([`crate::material::Projective`]).
    Projections,
    /// Every element is a constraint with compliance ([`crate::material::Compliant`]).
    Constraints,
    /// Every element has a rotation that can be held ([`crate::material::FrozenTet`]).
    Rotations,
}

/// Which algorithm a method is, before acceleration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Jacobi,
    JacobiOverRelaxed,
    GaussSeidel,
    GaussSeidelOverRelaxed,
    Vivace,
    VivaceMomentum,
    VivacePbd,
    Direct,
    Multigrid,
    Pcg,
    PcgDirect,
    PbdJacobi,
    PbdGaussSeidel,
    Xpbd,
    Descent,
    GradientDescent(Scale),
    Nesterov(Scale),
    NonlinearCg(Scale),
    Lbfgs(Scale),
    Newton(Way),
    CorotatedCg,
}

/// A method by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    kind: Kind,
    /// As in scene files and on the command line.
    pub name: &'static str,
    /// Where it is from.
    pub source: &'static str,
    /// What it is good for.
    pub summary: &'static str,
    /// What it asks of the elements.
    pub needs: Needs,
    /// It is wrapped in Chebyshev acceleration, or in the constant factor that this tends to, so it has a ρ.
    pub chebyshev: bool,
    /// A solve ends no higher in E than it began, up to rounding; single iterations may rise (Chebyshev before a restart,
    /// over-relaxed Jacobi where contacts come and go).
    pub minimises: bool,
    /// Iterations per step unless the scene says otherwise.
    pub iterations: usize,
}

const fn pd(kind: Kind, name: &'static str, source: &'static str, iterations: usize, summary: &'static str) -> Method {
    Method { kind, name, source, summary, needs: Needs::Projections, chebyshev: false, minimises: true, iterations }
}

const fn pbd(kind: Kind, name: &'static str, source: &'static str, iterations: usize, summary: &'static str) -> Method {
    Method { kind, name, source, summary, needs: Needs::Constraints, chebyshev: false, minimises: false, iterations }
}

const fn energy(
    kind: Kind,
    name: &'static str,
    source: &'static str,
    iterations: usize,
    summary: &'static str,
) -> Method {
    Method { kind, name, source, summary, needs: Needs::Energy, chebyshev: false, minimises: true, iterations }
}

const fn accelerated(method: Method, name: &'static str, iterations: usize, summary: &'static str) -> Method {
    Method { name, chebyshev: true, iterations, summary, ..method }
}

const JACOBI: Method = pd(Kind::Jacobi, "pd-jacobi", "course 2.2.1", 400, "cheapest iteration; slow to converge");
const JACOBI_OVER_RELAXED: Method = pd(
    Kind::JacobiOverRelaxed,
    "pd-jacobi-over-relaxed",
    "course 2.2.1",
    400,
    "Jacobi with the longest safe step; little better than Jacobi",
);
const GAUSS_SEIDEL_OVER_RELAXED: Method =
    pd(Kind::GaussSeidelOverRelaxed, "pd-gauss-seidel-over-relaxed", "course 2.2.1", 200, "symmetric over-relaxation");
const GAUSS_SEIDEL: Method = pd(
    Kind::GaussSeidel,
    "pd-gauss-seidel",
    "course 2.2.1",
    200,
    "forward and backward sweep by colours; about 4 Jacobi sweeps' worth",
);
const VIVACE: Method = pd(
    Kind::Vivace,
    "vivace",
    "vivace Algorithm 1",
    100,
    "over-relaxed Gauss-Seidel that projects anew for every colour; calm with very few iterations",
);
const VIVACE_MOMENTUM: Method = accelerated(
    pd(Kind::VivaceMomentum, "", "vivace Algorithm 1, line 7", 100, ""),
    "vivace-momentum",
    100,
    "the sweeps of vivace, forward and backward, over-relaxed from the iterate before the last",
);
const VIVACE_PBD: Method = accelerated(
    pbd(Kind::VivacePbd, "", "vivace 6 and line 7", 50, ""),
    "vivace-pbd",
    50,
    "pbd-gauss-seidel, forward and backward, over-relaxed from the iterate before the last",
);
const DIRECT: Method = pd(
    Kind::Direct,
    "pd-direct",
    "course 1.3.2",
    10,
    "exact global step; best for few iterations on small and medium meshes",
);
const MULTIGRID: Method = pd(
    Kind::Multigrid,
    "pd-multigrid",
    "Tamstorf 2015",
    20,
    "a V-cycle per iteration: nearly as exact as pd-direct, on any device and for any size",
);
const PBD_JACOBI: Method =
    pbd(Kind::PbdJacobi, "pbd-jacobi", "course eq 27", 100, "robust and soft; stiffness depends on iterations");
const PBD_GAUSS_SEIDEL: Method = pbd(
    Kind::PbdGaussSeidel,
    "pbd-gauss-seidel",
    "course 1.3.5",
    50,
    "robust, stiffer than pbd-jacobi; stiffness depends on iterations",
);

/// ω of Vivace (vivace Algorithm 1).
const VIVACE_OMEGA: f64 = 1.9;

/// Vertices of which descents finish a solve. Those of 81 do; those of 441, held to it, would leave a cloth in the air.
const DESCENDED: usize = 100;

/// Every method there is.
pub const METHODS: &[Method] = &[
    accelerated(
        JACOBI,
        "pd-jacobi-chebyshev",
        200,
        "cheapest iterations: for short deadlines, many steps per frame, soft materials",
    ),
    JACOBI,
    JACOBI_OVER_RELAXED,
    accelerated(
        JACOBI_OVER_RELAXED,
        "pd-jacobi-over-relaxed-chebyshev",
        200,
        "pd-jacobi-chebyshev with the longest safe step: a little faster where one longer than Jacobi's is safe",
    ),
    GAUSS_SEIDEL,
    GAUSS_SEIDEL_OVER_RELAXED,
    accelerated(
        GAUSS_SEIDEL_OVER_RELAXED,
        "pd-gauss-seidel-over-relaxed-chebyshev",
        100,
        "symmetric over-relaxation, accelerated",
    ),
    accelerated(GAUSS_SEIDEL, "pd-gauss-seidel-chebyshev", 100, "fewest sweeps of the matrix-free kind on CPUs"),
    VIVACE,
    accelerated(
        VIVACE,
        "vivace-chebyshev",
        100,
        "sweeps that project anew for every colour, forward and backward, accelerated",
    ),
    VIVACE_MOMENTUM,
    DIRECT,
    accelerated(
        DIRECT,
        "pd-direct-chebyshev",
        80,
        "exact global steps, accelerated; `auto` for small scenes without colliders on CPUs",
    ),
    MULTIGRID,
    accelerated(
        MULTIGRID,
        "pd-multigrid-chebyshev",
        80,
        "most accurate for its time on CPUs and GPUs; `auto` for most scenes",
    ),
    pd(
        Kind::Pcg,
        "pd-pcg",
        "course Algorithm 2",
        200,
        "conjugate gradients with Jacobi preconditioner; nothing to tune",
    ),
    pd(
        Kind::PcgDirect,
        "pd-pcg-direct",
        "course Algorithm 2",
        30,
        "conjugate gradients with the direct solver as preconditioner",
    ),
    PBD_JACOBI,
    accelerated(PBD_JACOBI, "pbd-jacobi-chebyshev", 100, "as pbd-jacobi, stiffer for the same cost"),
    PBD_GAUSS_SEIDEL,
    accelerated(PBD_GAUSS_SEIDEL, "pbd-gauss-seidel-chebyshev", 50, "as pbd-gauss-seidel, stiffer for the same cost"),
    VIVACE_PBD,
    pbd(Kind::Xpbd, "xpbd", "Macklin 2016", 50, "position-based with stiffness in units, whatever the iterations"),
    accelerated(
        energy(Kind::Descent, "", "course Algorithm 3", 96, ""),
        "descent",
        96,
        "any material, converging to exact implicit Euler: gradients, Jacobi's preconditioner, Chebyshev",
    ),
    energy(
        Kind::NonlinearCg(Scale::Blocks),
        "nonlinear-cg-jacobi",
        "course eq 32",
        96,
        "any material: conjugate gradients with Jacobi's preconditioner; nothing to tune",
    ),
    energy(
        Kind::Lbfgs(Scale::Blocks),
        "lbfgs-jacobi",
        "course 3.1",
        96,
        "any material: L-BFGS that starts from Jacobi's preconditioner; nothing to tune",
    ),
    energy(
        Kind::Nesterov(Scale::Blocks),
        "nesterov-jacobi",
        "course 3.2.3",
        96,
        "descent with Nesterov's momentum in place of Chebyshev's",
    ),
    energy(
        Kind::GradientDescent(Scale::Blocks),
        "gradient-descent-jacobi",
        "course 3.2.1",
        400,
        "descent without momentum",
    ),
    energy(
        Kind::NonlinearCg(Scale::Largest),
        "nonlinear-cg",
        "course eq 32",
        400,
        "without preconditioner: a baseline",
    ),
    energy(Kind::Lbfgs(Scale::Largest), "lbfgs", "course 3.1", 400, "without preconditioner: a baseline"),
    energy(Kind::Nesterov(Scale::Largest), "nesterov", "course 3.2.3", 400, "without preconditioner: a baseline"),
    energy(
        Kind::GradientDescent(Scale::Largest),
        "gradient-descent",
        "course 3.1",
        400,
        "without preconditioner or momentum: the slowest baseline",
    ),
    energy(
        Kind::Newton(Way::JacobiCg),
        "newton-pcg",
        "Nocedal 7.1",
        200,
        "f64 Newton with conjugate gradients and Jacobi's preconditioner: no factors to keep",
    ),
    energy(Kind::Newton(Way::PlainCg), "newton-cg", "Nocedal 7.1", 200, "the same without preconditioner: a baseline"),
    Method {
        kind: Kind::Newton(Way::Cholesky),
        name: "newton",
        source: "reference",
        summary: "f64 Newton with Cholesky to 1e-10: the ground truth, slow",
        needs: Needs::Energy,
        chebyshev: false,
        minimises: true,
        iterations: 200,
    },
    Method {
        kind: Kind::CorotatedCg,
        name: "corotated-cg",
        source: "cg section 3",
        summary: "one linear solve per step, ended early: cheap short steps of corotated solids",
        needs: Needs::Rotations,
        chebyshev: false,
        minimises: false,
        iterations: 10,
    },
];

impl Method {
    /// The ρ of a method that has a fixed ω instead.
    pub fn own_rho(&self, solver: &SolverSettings) -> Option<f64> {
        let fixed = matches!(self.kind, Kind::VivaceMomentum | Kind::VivacePbd);
        fixed.then(|| rho_of_omega(solver.over_relaxation.unwrap_or(VIVACE_OMEGA)))
    }

    /// Whether its ρ may differ from phase to phase.
    pub fn has_phases(&self) -> bool {
        self.chebyshev && !matches!(self.kind, Kind::VivaceMomentum | Kind::VivacePbd)
    }

    /// Where its solves of a model begin unless the scene says otherwise. Descents of cloth would take hundreds of iterations to
    /// let it fall: what is stiff against its inertia moves by little in each, all the less as a whole.
    pub fn initial_guess(&self, solver: &SolverSettings, model: &Model) -> InitialGuess {
        // Explicit guesses are those of one method alone; others ignore them.
        let wanted = solver.initial_guess.filter(|guess| !matches!(guess, InitialGuess::Explicit { .. }));
        match self.kind {
            // Of the paper, which has no balance of bodies.
            Kind::CorotatedCg => match solver.initial_guess.unwrap_or(InitialGuess::Velocity) {
                InitialGuess::Position => InitialGuess::Explicit { velocity: 0.0, force: 0.0 },
                InitialGuess::Velocity => InitialGuess::Explicit { velocity: 1.0, force: 0.0 },
                other => other,
            },
            _ if self.needs != Needs::Energy => InitialGuess::Inertia,
            Kind::Newton(_) => wanted.unwrap_or(InitialGuess::Inertia),
            _ if !model.is_of_solids() => wanted.unwrap_or(InitialGuess::Inertia),
            _ => wanted.unwrap_or(InitialGuess::Acceleration),
        }
    }

    /// Whether it factors a matrix, solves with the Hessian of E in `f64`, or with the linear system of a step: only CPUs can.
    pub fn needs_cpu(&self) -> bool {
        matches!(self.kind, Kind::Direct | Kind::PcgDirect | Kind::Newton(_) | Kind::CorotatedCg)
    }

    /// Its steps are solutions of one linear system: near the minimum of E, not at it.
    pub fn is_linear(&self) -> bool {
        self.kind == Kind::CorotatedCg
    }

    /// Whether what it does next depends in every iteration on scalars, for which a device that is far away is waited for.
    pub fn waits(&self) -> bool {
        matches!(self.kind, Kind::NonlinearCg(_) | Kind::Lbfgs(_))
    }

    /// It is accelerated, over-relaxed, or goes down from afar, and its usual number of iterations as good as finishes a solve of
    /// so many vertices: a result that is worse than not moving is then the fault of that, not of what is left to do. A sweep of
    /// Gauss-Seidel carries forces over an edge or two, so they finish small meshes; descents finish very small ones, and
    /// Jacobi's sweeps none.
    pub fn may_jump(&self, vertices: usize) -> bool {
        let is_small = 4 * vertices <= self.iterations * self.iterations;
        match self.kind {
            Kind::Direct | Kind::Multigrid => self.is_bold(),
            Kind::GaussSeidel | Kind::GaussSeidelOverRelaxed | Kind::Vivace | Kind::VivaceMomentum => {
                self.is_bold() && is_small
            }
            _ => self.descends() && vertices <= DESCENDED,
        }
    }

    /// It goes down along gradients of any energy.
    pub fn descends(&self) -> bool {
        self.needs == Needs::Energy && !self.is_newton()
    }

    /// It ends when its residual is as small as it can be.
    pub fn is_newton(&self) -> bool {
        matches!(self.kind, Kind::Newton(_))
    }

    /// Its iterations carry forces through the whole of a body at once, so that what is left is not left where it acts.
    pub fn has_global_steps(&self) -> bool {
        matches!(self.kind, Kind::Direct | Kind::PcgDirect | Kind::Multigrid | Kind::Newton(_))
    }

    /// It is accelerated or over-relaxed in a way that a more careful try leaves out.
    pub fn is_bold(&self) -> bool {
        self.chebyshev || self.kind == Kind::Vivace
    }

    /// Refuses a device without direct solver, which is a GPU, where the method needs one or an element has no formula there.
    pub fn check_device(&self, model: &Model, direct: bool, device: &str) -> Result<(), MethodError> {
        if direct {
            return Ok(());
        }
        let device = device.to_string();
        if let Some(what) = only_on_cpus(model) {
            return Err(MethodError::Lacks { who: device, what, instead: "--device cpu" });
        }
        // Another method is no way out.
        if let Some(elements) = model.elements.iter().find(|elements| !elements.is_empty() && elements.wgsl().is_none())
        {
            return Err(MethodError::NoMethodOnDevice { element: elements.name(), device });
        }
        if !self.needs_cpu() {
            return Ok(());
        }
        let what = match self.needs {
            Needs::Energy => "the Hessian of E",
            Needs::Rotations => "the linear system of a step",
            _ => "a factor of its matrix",
        };
        let projective = model.elements.iter().all(|elements| elements.is_projective());
        let instead = if projective { "pd-multigrid-chebyshev" } else { "descent" };
        Err(MethodError::NotOnDevice { method: self.name, what, device, instead })
    }
}

/// Parameters that methods share; see [`crate::scene::SolverSettings`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Chebyshev ρ.
    pub rho: f64,
    /// Phases of Chebyshev's ρ; `rho` is the largest of them.
    pub phases: PhaseList,
    /// Chebyshev S.
    pub delay: usize,
    /// γ; `None`: what is safe.
    pub under_relaxation: Option<f64>,
    /// ω of the over-relaxed variants and of `vivace*`; `None`: 1.5 and 1.9.
    pub over_relaxation: Option<f64>,
    /// α of position-based Jacobi; `None`: by element type.
    pub relaxation: Option<f64>,
    /// Iterations after which descents renew their preconditioner; `None`: 32.
    pub renew_every: Option<usize>,
    /// Linear systems of `corotated-cg`.
    pub linear: LinearSettings,
}

impl Parameters {
    /// What a scene says, with the ρ that is used for it.
    pub fn new(solver: &SolverSettings, rho: Option<f64>) -> Self {
        let SolverSettings { delay, under_relaxation, over_relaxation, relaxation, renew_every, linear, .. } = *solver;
        let phases = match &solver.phases {
            Phases::Given(phases) => PhaseList::new(phases),
            Phases::One | Phases::Tuned => PhaseList::default(),
        };
        let rho = rho.unwrap_or(0.0);
        Self { rho, phases, delay, under_relaxation, over_relaxation, relaxation, renew_every, linear }
    }
}

/// A method that does not exist, or does not fit the elements.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum MethodError {
    /// No such name.
    #[error("there is no method '{name}'; {help}`pliant methods` lists them all")]
    Unknown {
        /// As given.
        name: String,
        /// The most similar name, if one is near.
        help: String,
    },
    /// The device lacks what the method needs.
    #[error("method '{method}' needs {what}, which {device} does not do; use --device cpu, or method '{instead}'")]
    NotOnDevice {
        /// The method.
        method: &'static str,
        /// What it needs.
        what: &'static str,
        /// The device.
        device: String,
        /// What to do.
        instead: &'static str,
    },
    /// No method of the device solves an element.
    #[error(
        "no method on {device} can solve '{element}' elements: they have no formula there; use --device cpu, or a \
         projective material (springs, arap, quadratic bending)"
    )]
    NoMethodOnDevice {
        /// The element.
        element: &'static str,
        /// The device.
        device: String,
    },
    /// Something of the scene that the method or the device does not know.
    #[error("{who} knows no {what}; use {instead}")]
    Lacks {
        /// The method or the device.
        who: String,
        /// What.
        what: &'static str,
        /// What to do.
        instead: &'static str,
    },
    /// An element lacks what the method needs.
    #[error("method '{method}' cannot solve '{element}' elements: they have no {lacks}; use {instead}")]
    Unsuitable {
        /// The method.
        method: &'static str,
        /// The element.
        element: &'static str,
        /// What is missing.
        lacks: &'static str,
        /// What to do.
        instead: &'static str,
    },
}

const RAYLEIGH: &str = "Rayleigh damping (`kind = \"rayleigh\"` in [[force]])";
const QUASISTATIC: &str = "quasistatic steps (`quasistatic` in [time])";

/// What a model has that only CPUs compute.
fn only_on_cpus(model: &Model) -> Option<&'static str> {
    if model.quasistatic { Some(QUASISTATIC) } else { (!model.rayleigh.is_none()).then_some(RAYLEIGH) }
}

/// Looks a method up by name.
pub fn find_method(name: &str) -> Result<&'static Method, MethodError> {
    METHODS.iter().find(|method| method.name == name).ok_or_else(|| {
        let nearest = crate::scene::nearest(name, METHODS.iter().map(|method| method.name).chain(["auto"]));
        let help = nearest.map_or(String::new(), |nearest| format!("did you mean '{nearest}'? "));
        MethodError::Unknown { name: name.to_string(), help }
    })
}

impl Method {
    /// Whether every element of a model offers what the method needs.
    pub fn check(&self, model: &Model) -> Result<(), MethodError> {
        if self.needs == Needs::Constraints && model.rayleigh.retardation > 0.0 {
            let instead = "method 'pd-jacobi-chebyshev' or 'descent', or `kind = \"damping\"`";
            return Err(MethodError::Lacks { who: format!("method '{}'", self.name), what: RAYLEIGH, instead });
        }
        if self.needs == Needs::Constraints && model.quasistatic {
            let instead = "method 'newton' or 'descent'";
            return Err(MethodError::Lacks { who: format!("method '{}'", self.name), what: QUASISTATIC, instead });
        }
        for elements in &model.elements {
            let (offers, lacks) = match self.needs {
                Needs::Energy => (true, ""),
                Needs::Projections => (elements.is_projective(), "projection (projective dynamics needs one)"),
                Needs::Constraints => (elements.is_compliant(), "constraint form (position-based dynamics needs one)"),
                Needs::Rotations => (elements.has_rotations(), "rotation to be held (`model = \"corotated\"` has)"),
            };
            if !offers {
                let instead = match self.needs {
                    Needs::Rotations => "method 'newton' or 'descent', or solids with `model = \"corotated\"` alone",
                    _ => "method 'descent' or 'newton', or a projective material (springs, arap, quadratic bending)",
                };
                return Err(MethodError::Unsuitable { method: self.name, element: elements.name(), lacks, instead });
            }
        }
        Ok(())
    }

    /// Makes a solver of this method.
    pub fn solver<D: Device + 'static>(&self, model: &Model, parameters: &Parameters) -> Box<dyn Solver<D>>
    where
        D::Points: 'static,
    {
        let chebyshev = self.chebyshev.then(|| {
            let phases = if self.has_phases() { parameters.phases } else { PhaseList::default() };
            Chebyshev::new(parameters.rho, parameters.delay).with_phases(phases)
        });
        let gamma = parameters.under_relaxation;
        let over = parameters.over_relaxation;
        let momentum = chebyshev.map(|chebyshev| chebyshev.with_constant(true));
        let gamma_here = relaxation(self.chebyshev, model.has_contacts());
        let descent = |scale, momentum| Box::new(Descent::new(scale, momentum, gamma, parameters.renew_every));
        let jacobi = |relaxation| Box::new(Stationary::<D, _>::new(Jacobi { relaxation }, chebyshev, gamma));
        let gauss_seidel = |omega| {
            // Over-relaxed twice, a swing gains energy.
            let gamma_here = if omega > 1.0 { 1.0 } else { gamma_here };
            let sweep = Preconditioned::new(SymmetricGaussSeidel { omega }, gamma_here);
            Box::new(Stationary::<D, _>::new(sweep, chebyshev, gamma))
        };
        match self.kind {
            Kind::Jacobi => jacobi(1.0),
            Kind::JacobiOverRelaxed => jacobi(over.unwrap_or(1.5)),
            Kind::GaussSeidel => gauss_seidel(1.0),
            Kind::GaussSeidelOverRelaxed => gauss_seidel(over.unwrap_or(1.5)),
            Kind::Vivace => {
                let sweep = Vivace::new(over.unwrap_or(VIVACE_OMEGA), self.chebyshev);
                // Its own factor is ω; only what is accelerated has another one besides.
                Box::new(Stationary::<D, _>::new(sweep, chebyshev, gamma.filter(|_| self.chebyshev)))
            }
            Kind::VivaceMomentum => Box::new(Stationary::<D, _>::new(Vivace::new(1.0, true), momentum, gamma)),
            Kind::VivacePbd => {
                let sweep = ColouredConstraints { extended: false, symmetric: true, x_hat: None };
                Box::new(Stationary::<D, _>::new(sweep, momentum, gamma))
            }
            Kind::Direct => {
                Box::new(Stationary::<D, _>::new(Preconditioned::new(Direct, gamma_here), chebyshev, gamma))
            }
            Kind::Multigrid => {
                Box::new(Stationary::<D, _>::new(Preconditioned::new(Multigrid, gamma_here), chebyshev, gamma))
            }
            Kind::Pcg => Box::new(NonlinearPcg::<D, _>::new(Diagonal)),
            Kind::PcgDirect => Box::new(NonlinearPcg::<D, _>::new(Direct)),
            Kind::PbdJacobi => {
                let relaxation = parameters.relaxation.unwrap_or_else(|| default_relaxation(model, self.chebyshev));
                Box::new(Stationary::<D, _>::new(JacobiConstraints { relaxation, x_hat: None }, chebyshev, gamma))
            }
            Kind::PbdGaussSeidel | Kind::Xpbd => {
                let (extended, symmetric) = (self.kind == Kind::Xpbd, self.chebyshev);
                let sweep = ColouredConstraints { extended, symmetric, x_hat: None };
                Box::new(Stationary::<D, _>::new(sweep, chebyshev, gamma))
            }
            Kind::Descent => {
                let momentum = chebyshev.map_or(Momentum::None, |chebyshev| Momentum::Chebyshev(Box::new(chebyshev)));
                descent(Scale::Blocks, momentum)
            }
            Kind::GradientDescent(scale) => descent(scale, Momentum::None),
            Kind::Nesterov(scale) => descent(scale, Momentum::Nesterov(Nesterov::default())),
            Kind::NonlinearCg(scale) => Box::new(NonlinearCg::new(scale)),
            Kind::Lbfgs(scale) => Box::new(Lbfgs::new(scale)),
            Kind::Newton(way) => Box::new(Newton::new(way)),
            Kind::CorotatedCg => Box::new(CorotatedCg::new(parameters.linear)),
        }
    }
}

/// α of course 2.2.3: triangles 0.3 (0.25 with Chebyshev), tets 0.045 (0.0025).
fn default_relaxation(model: &Model, chebyshev: bool) -> f64 {
    let tets = model.bodies.iter().any(|body| !body.tets.is_empty());
    match (tets, chebyshev) {
        (false, false) => 0.3,
        (false, true) => 0.25,
        (true, false) => 0.045,
        (true, true) => 0.0025,
    }
}

#[cfg(test)]
#[path = "method_tests.rs"]
mod tests;

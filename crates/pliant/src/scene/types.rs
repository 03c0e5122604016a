use super::elasticity::{DrawnFibre, Elasticity};
use std::path::PathBuf;

/// A whole scene: bodies, colliders, pins, forces, time, solver, output. Lengths m, masses kg, times s, y up.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Name for reports; the file's stem unless the file says otherwise.
    pub name: String,
    /// The folder relative paths start from.
    pub folder: PathBuf,
    /// Acceleration of gravity, m/s².
    pub gravity: [f64; 3],
    /// Seed of everything random.
    pub seed: u64,
    /// Sheets.
    pub cloth: Vec<Cloth>,
    /// Volumes.
    pub solid: Vec<Solid>,
    /// Things bodies bounce off.
    pub collider: Vec<Collider>,
    /// Contact of bodies with each other.
    pub contact: ContactSettings,
    /// Vertices that are held.
    pub pin: Vec<Pin>,
    /// Hands that pinch bodies and drag them along.
    pub drag: Vec<Drag>,
    /// Forces besides gravity.
    pub force: Vec<Force>,
    /// Frames and steps.
    pub time: Time,
    /// Method and its parameters.
    pub solver: SolverSettings,
    /// Where to compute.
    pub device: DeviceSettings,
    /// What to write.
    pub output: OutputSettings,
    /// For people who read the scene: which mesh was taken where the file leaves a choice.
    pub notes: Vec<String>,
}

/// Where a body's mesh comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshSource {
    /// A file, relative to the scene's folder.
    File(PathBuf),
    /// A generated cloth: `resolution` vertices along each side of a `size` rectangle in the plane y = 0, m.
    Grid {
        /// Extent along x and z, m.
        size: [f64; 2],
        /// Vertices along x and z.
        resolution: [usize; 2],
        /// How the rectangle is cut into triangles.
        triangulation: Triangulation,
    },
    /// A generated solid box (or bar), m; `cells` along x, y, z.
    Box {
        /// Extent along x, y, z, m.
        size: [f64; 3],
        /// Cells along x, y, z; six tets each.
        cells: [usize; 3],
    },
    /// A generated solid cylinder along y.
    Cylinder {
        /// m
        radius: f64,
        /// m
        height: f64,
        /// Target edge length, m.
        edge: f64,
    },
    /// A generated solid ball.
    Sphere {
        /// m
        radius: f64,
        /// Target edge length, m.
        edge: f64,
    },
    /// A generated solid torus around y.
    Torus {
        /// Centre line, m.
        major_radius: f64,
        /// Tube, m.
        minor_radius: f64,
        /// Target edge length, m.
        edge: f64,
    },
    /// Two intertwined helical bars joined at both ends (course, figure 18).
    DoubleHelix {
        /// Number of tets wanted; the generator comes as near as its lattice allows.
        tets: usize,
    },
    /// A toy car, 1 m long, that stands on the origin and looks along −z.
    Car {
        /// Number of tetrahedra wanted.
        tets: usize,
    },
    /// A snowman, 1 m high, that stands on the origin.
    Snowman {
        /// Number of tetrahedra wanted.
        tets: usize,
    },
    /// A creature on two legs with arms, ears and a tail, 1 m high, that stands on the origin and looks along −z.
    Creature {
        /// Number of tets wanted; the generator comes as near as its lattice allows.
        tets: usize,
    },
}

/// How a generated rectangle is cut into triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangulation {
    /// Every diagonal runs the same way.
    Uniform,
    /// Diagonals alternate like a chessboard.
    Alternating,
    /// Irregular points, Delaunay triangles.
    Delaunay,
}

/// Where a body starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// Translation after rotation, m.
    pub position: [f64; 3],
    /// Rotation about x, then y, then z, degrees.
    pub rotation: [f64; 3],
    /// Uniform scale, before rotation.
    pub scale: f64,
    /// Initial velocity, m/s.
    pub velocity: [f64; 3],
    /// The start is displaced: each vertex uniformly at random within this distance, m. 0 = not.
    pub jitter: f64,
    /// The start is a random cloud: vertices are placed uniformly in the body's bounding box.
    pub scramble: bool,
    /// The start is pressed flat: all vertices lie in the plane of the lowest one, in the body's own frame.
    pub flatten: bool,
}

/// A sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth {
    /// Name that pins and messages use.
    pub name: String,
    /// Geometry at rest.
    pub mesh: MeshSource,
    /// Where it starts.
    pub placement: Placement,
    /// Mass per area, kg/m².
    pub density: f64,
    /// In-plane model.
    pub stretch: StretchModel,
    /// Out-of-plane model.
    pub bend: BendModel,
    /// Range of principal stretches beyond which an extra element per triangle pulls back, ten times as stiff as the material.
    pub strain_limit: Option<[f64; 2]>,
    /// Distance kept from colliders, m.
    pub thickness: f64,
}

/// In-plane behaviour of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StretchModel {
    /// A spring per edge; N/m per edge, whatever its length.
    Springs {
        /// N/m
        stiffness: f64,
    },
    /// A finite element per triangle: corotated in the plane (projective: as-rigid-as-possible when λ = 0).
    Membrane {
        /// Young's modulus times thickness, N/m.
        youngs_modulus: f64,
        /// Poisson's ratio.
        poisson_ratio: f64,
        /// Which energy.
        model: MembraneModel,
    },
}

/// Energy of a membrane triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MembraneModel {
    /// μ‖F−R‖², the projective part alone.
    AsRigidAsPossible,
    /// μ‖F−R‖² + λ/2 tr²(RᵀF − I).
    Corotated,
    /// St. Venant-Kirchhoff.
    StVenantKirchhoff,
    /// Baraff and Witkin 1998: stretch along warp and weft, and shear.
    BaraffWitkin,
}

/// Out-of-plane behaviour of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BendModel {
    /// None.
    None,
    /// Bergou 2006, quadratic in x; N·m.
    Quadratic {
        /// N·m
        stiffness: f64,
    },
    /// Dihedral angle; N·m.
    Dihedral {
        /// N·m
        stiffness: f64,
    },
}

/// A volume.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Name that pins and messages use.
    pub name: String,
    /// Geometry at rest.
    pub mesh: MeshSource,
    /// Where it starts.
    pub placement: Placement,
    /// kg/m³
    pub density: f64,
    /// Which energy.
    pub model: SolidModel,
    /// How stiff it is.
    pub elasticity: Elasticity,
    /// Fibres of a spline model.
    pub fibres: Vec<DrawnFibre>,
    /// Whether tets that are crushed are replaced by a spring-like model (course eq 45 to 47).
    pub conversion: bool,
    /// Range of principal stretches beyond which an extra element per tet pulls back, ten times as stiff as the material.
    pub strain_limit: Option<[f64; 2]>,
    /// Range of det F beyond which an extra element per tet pulls back, ten times as stiff as the material.
    pub volume_limit: Option<[f64; 2]>,
    /// Distance kept from colliders, m.
    pub thickness: f64,
}

/// Energy of a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolidModel {
    /// κ vol ‖F − R‖² with κ = μ (course eq 28).
    AsRigidAsPossible,
    /// μ‖F−R‖² + λ/2 tr²(RᵀF − I).
    Corotated,
    /// λ/8 (I − 3)² + μ/4 ‖C − 1‖² (course eq 40).
    StVenantKirchhoff,
    /// s₀ (J^(−2/3) I − 3) + s₁ (J − 1)² (course eq 41).
    NeoHookean,
    /// That + s₂ (J^(−4/3) (I² − II)/2 − 3) (course eq 42).
    MooneyRivlin,
    /// That of neo-Hooke + s₂ (exp(s₃ (J^(−2/3) I − 3)) − 1) (course eq 43).
    Fung,
    /// Smith 2018.
    StableNeoHookean,
    /// Splines of the principal stretches, with fibres (Xu 2015).
    Spline,
}

/// A rigid thing bodies bounce off.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Name for messages.
    pub name: String,
    /// What it is, in its own frame.
    pub shape: ColliderShape,
    /// Centre at time 0, m.
    pub position: [f64; 3],
    /// Rotation about x, then y, then z, degrees.
    pub rotation: [f64; 3],
    /// Constant velocity, m/s.
    pub velocity: [f64; 3],
    /// Constant angular velocity about its centre, degrees/s.
    pub angular_velocity: [f64; 3],
    /// It moves only from `moves[0]` to `moves[1]`, s.
    pub moves: [f64; 2],
    /// Coulomb coefficient.
    pub friction: f64,
}

/// Shape of a collider, m.
#[derive(Clone, Debug, PartialEq)]
pub enum ColliderShape {
    /// Everything below a plane through the origin.
    HalfSpace {
        /// Outward normal; need not be of unit length.
        normal: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// m
        radius: f64,
    },
    /// A cylinder with half balls at both ends, along y.
    Capsule {
        /// m
        radius: f64,
        /// Between the ball centres, m.
        height: f64,
    },
    /// A box.
    Box {
        /// Extent along x, y, z, m.
        size: [f64; 3],
    },
    /// A cylinder along y.
    Cylinder {
        /// m
        radius: f64,
        /// m
        height: f64,
    },
    /// The solid inside a closed surface.
    Mesh {
        /// A file, relative to the scene's folder.
        file: PathBuf,
        /// Uniform scale.
        scale: f64,
        /// Cells of its distance grid along its longest side.
        cells: usize,
    },
    /// An armchair that stands on its origin and looks along z.
    Armchair {
        /// Extent along x, m; it is 0.92 times as high and 0.9 times as deep.
        width: f64,
        /// Cells of its distance grid along its longest side.
        cells: usize,
    },
}

/// Vertices that are held.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// The body's name; the only body's if empty.
    pub body: String,
    /// Which vertices.
    pub select: Select,
    /// How they are held.
    pub hold: Hold,
    /// Velocity of the target, m/s.
    pub velocity: [f64; 3],
    /// Angular velocity of the target about `centre`, degrees/s.
    pub angular_velocity: [f64; 3],
    /// Centre of rotation, m.
    pub centre: [f64; 3],
    /// The target moves only from `moves[0]` to `moves[1]`, s.
    pub moves: [f64; 2],
    /// From this time on the vertices are free, s.
    pub release: f64,
}

/// Which vertices of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Select {
    /// These, counted from 0.
    Vertices(Vec<u32>),
    /// The vertex nearest to each of these points (world, at the start), m.
    Nearest(Vec<[f64; 3]>),
    /// All inside a box (world, at the start): low and high corner, m.
    Inside([[f64; 3]; 2]),
    /// Corners of a generated grid: any of "-x-z", "+x-z", "-x+z", "+x+z".
    Corners(Vec<String>),
}

/// How pinned vertices are held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hold {
    /// Exactly: infinite mass.
    Exact,
    /// By a spring, N/m.
    Spring(f64),
}

/// A hand that pinches a body where its path begins, moves along the path, and lets go at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    /// The body's name; whichever is nearest if empty.
    pub body: String,
    /// Where it goes; two or more, at growing times.
    pub path: Vec<Waypoint>,
    /// It pinches all vertices of the body so near to the nearest one, m.
    pub radius: f64,
    /// Of its spring, N/m, shared by all vertices that it pinches.
    pub stiffness: f64,
}

/// Where something is at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waypoint {
    /// s
    pub time: f64,
    /// m
    pub place: [f64; 3],
}

/// A force besides gravity.
#[derive(Clone, Debug, PartialEq)]
pub enum Force {
    /// A uniform acceleration, m/s².
    Acceleration([f64; 3]),
    /// Wind on triangles: air velocity, m/s, and drag, N·s/m³.
    Wind {
        /// m/s
        velocity: [f64; 3],
        /// N·s/m³ (pressure per speed)
        drag: f64,
    },
    /// Velocity decays with this rate, 1/s (air drag).
    Damping(f64),
    /// D = a M + b K, as part of E.
    Rayleigh {
        /// a, 1/s.
        rate: f64,
        /// b, s.
        retardation: f64,
    },
}

/// Frames and steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    /// Frames per second.
    pub frame_rate: f64,
    /// How many frames.
    pub frames: usize,
    /// Steps per frame.
    pub steps_per_frame: usize,
    /// Steps end in equilibrium: nothing has inertia.
    pub quasistatic: bool,
}

impl Time {
    /// h, s.
    pub fn step_size(&self) -> f64 {
        1.0 / (self.frame_rate * self.steps_per_frame as f64)
    }
}

/// Where the solve of a step begins (course 3.2.4; cg section 3.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InitialGuess {
    /// x̃ = x + h v + h² M⁻¹ f.
    Inertia,
    /// x.
    Position,
    /// x + h v.
    Velocity,
    /// x + h v + η h (v − v of the step before), η = 0.2.
    Acceleration,
    /// x + d v with the d that a parabola through E along v is least at.
    Optimal,
    /// x + α h v + β (h v + h² M⁻¹ f), f all forces at x: an explicit step, or a part of it. Bodies are not balanced.
    Explicit {
        /// α.
        velocity: f64,
        /// β.
        force: f64,
    },
}

/// The unknown of a linear solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinearForm {
    /// v, or x − x_n in steps of h (cg eq 9).
    #[default]
    Velocity,
    /// v − v_n, from the initial guess on (cg eq 13).
    VelocityDifference,
}

/// What ends a linear solve, where an accuracy is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stopping {
    /// What the last iterations took off the error in the norm of A.
    #[default]
    Energy,
    /// How far the last iteration moved vertices.
    Motion,
}

/// How `corotated-cg` makes and solves its linear system.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinearSettings {
    /// P.
    pub preconditioner: LinearPreconditioner,
    /// What is solved for.
    pub form: LinearForm,
    /// The matrix is written down.
    pub assembled: bool,
    /// Every object has a solve of its own.
    pub per_object: bool,
    /// Stop once vertices are so near to the solution, m; `None`: never.
    pub accuracy: Option<f64>,
    /// How that is known.
    pub stopping: Stopping,
}

/// P of a linear solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinearPreconditioner {
    /// The 3×3 blocks of the diagonal.
    #[default]
    Jacobi,
    /// Masses.
    Mass,
    /// None.
    Identity,
}

/// Method and its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct SolverSettings {
    /// ρ by iterations.
    pub phases: Phases,
    /// Iterations after which `descent` and its baselines find the diagonal of ∇²E again; `None`: 32.
    pub renew_every: Option<usize>,
    /// Where solves of methods for any energy begin; `None`: by method.
    pub initial_guess: Option<InitialGuess>,
    /// Name as `pliant methods` lists it.
    pub method: String,
    /// Iterations per step; `None`: the method's default.
    pub iterations: Option<usize>,
    /// Stop when ‖∇E‖ ≤ tolerance · ‖∇E at the start of the step‖; 0 = never.
    pub tolerance: f64,
    /// Deadline per step, ms; `None`: no deadline.
    pub budget_ms: Option<f64>,
    /// Chebyshev ρ; `None`: the largest of use.
    pub rho: Option<f64>,
    /// Chebyshev delay S.
    pub delay: usize,
    /// γ; `None`: the largest that is safe for this matrix.
    pub under_relaxation: Option<f64>,
    /// ω of the over-relaxed variants and of `vivace*`; `None`: 1.5 and 1.9.
    pub over_relaxation: Option<f64>,
    /// Position-based Jacobi α; `None`: by element type.
    pub relaxation: Option<f64>,
    /// Stiffness of contact as a multiple of each vertex's diagonal.
    pub contact_stiffness: f64,
    /// Linear systems of `corotated-cg`.
    pub linear: LinearSettings,
}

/// Chebyshev's ρ in the course of a solve.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Phases {
    /// One ρ throughout.
    #[default]
    One,
    /// Those that `pliant tune` found.
    Tuned,
    /// These; the last one lasts to the end.
    Given(Vec<Phase>),
}

/// Phases a solve may have.
pub const MOST_PHASES: usize = 8;

/// Iterations with one ρ.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Phase {
    /// How many.
    pub iterations: usize,
    /// ρ.
    pub rho: f64,
}

/// Contact of bodies with each other and with themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Whether there is any.
    pub self_collision: bool,
    /// Coulomb coefficient.
    pub friction: f64,
}

/// Where to compute.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceSettings {
    /// `auto`, `cpu`, `gpu` or `gpu:NAME`.
    pub name: String,
    /// `f32` or `f64`.
    pub precision: Precision,
}

/// Width of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

/// What to write.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputSettings {
    /// Formats of the frames: any of `glb`, `obj`, `ply`, `vtu`.
    pub formats: Vec<String>,
    /// A checkpoint every so many frames; 0 = only at the end.
    pub checkpoint_every: usize,
}

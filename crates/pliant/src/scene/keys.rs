//! Every key a scene file knows: its type, unit, range, default and meaning. The parser, its suggestions and the
//! reference page (`docs/scene.md`) all come from this table.

use super::key::{Key, Kind, Range, SectionKeys, key};
use super::presets::{CLOTH_NAMES, SOLID_NAMES};
use super::units::{
    ACCELERATION, ANGLE, ANGULAR_VELOCITY, AREA_DENSITY, BENDING, DENSITY, DRAG, FREQUENCY, LENGTH, MILLISECONDS,
    PLAIN, PRESSURE, RATE, STIFFNESS, TIME, VELOCITY,
};

const NAME: Key = key(
    "name",
    Kind::Text,
    "the section's name, with its index if there are several",
    "Name for pins, messages and output.",
);
const POSITION: Key = key("position", Kind::Vector(LENGTH), "[0, 0, 0]", "Where its origin is at the start.");
const ROTATION: Key =
    key("rotation", Kind::Vector(ANGLE), "[0, 0, 0]", "Rotation about x, then y, then z, at the start.");
const SCALE: Key = key("scale", Kind::Number(PLAIN, Range::POSITIVE), "1", "Uniform scale, before the rotation.");
const START_VELOCITY: Key = key("velocity", Kind::Vector(VELOCITY), "[0, 0, 0]", "Velocity at the start.");
const JITTER: Key = key(
    "jitter",
    Kind::Number(LENGTH, Range::NOT_NEGATIVE),
    "0",
    "Displaces every vertex at the start at random, by at most this.",
);
const SCRAMBLE: Key =
    key("scramble", Kind::Flag, "false", "Starts as a random cloud: every vertex anywhere in the body's bounding box.");
const FLATTEN: Key = key(
    "flatten",
    Kind::Flag,
    "false",
    "Starts pressed flat: every vertex in the plane of the lowest one, before `rotation`; `jitter` comes on top.",
);
const MESH: Key = key(
    "mesh",
    Kind::File,
    "none: the shape is generated",
    "A mesh file, relative to the scene's folder, instead of `shape`. May also be a table with `file`, or with `shape` and its keys.",
);
const THICKNESS: Key = key(
    "thickness",
    Kind::Number(LENGTH, Range::NOT_NEGATIVE),
    "0.001",
    "Distance kept from colliders (and with `self_collision` between surfaces, half of it from each), and how far contact is squeezed under load. 0: cloth lies in the surface, which pictures show as flicker or holes, and friction knows of weight and motion only, not of tension or clamps.",
);
const COPIES: Key = key(
    "copies",
    Kind::Count(1, MOST_COPIES),
    "1",
    "How many there are of it. Several are called by its name and a number: `napkin-0`, `napkin-1`.",
);
const COPY_OFFSET: Key =
    key("copy_offset", Kind::Vector(LENGTH), "required if there are `copies`", "From each copy to the next.");
const COPY_SCATTER: Key = key(
    "copy_scatter",
    Kind::Vector(LENGTH),
    "[0, 0, 0]",
    "Moves each copy at random along x, y and z, by at most this to either side.",
);
const COPY_TURN: Key = key(
    "copy_turn",
    Kind::Vector(ANGLE),
    "[0, 0, 0]",
    "Adds to the `rotation` of each copy at random, at most this to either side.",
);
const MOVES: Key =
    key("moves", Kind::Interval(TIME, Range::MOMENT), "[0, inf]", "It moves only from the first to the second time.");

/// More bodies than this from one table are a typing error.
const MOST_COPIES: u64 = 10_000;

/// The most vertices along one side of a generated cloth.
const MOST_SIDE: u64 = 20_000;

/// Cells of the distance grid of a collider along its longest side.
const LEAST_CELLS: u64 = 4;
const MOST_CELLS: u64 = 512;

/// The top of the file.
pub(super) const TOP: SectionKeys = SectionKeys {
    name: "",
    many: false,
    decides: "",
    about: "At the top of the file, before the first table.",
    keys: &[
        key("pliant", Kind::Count(1, 1), "required", "Version of the format: 1."),
        key("name", Kind::Text, "the file's name without its ending", "Name for reports and output."),
        key("gravity", Kind::Vector(ACCELERATION), "[0, -9.81, 0]", "Acceleration of gravity; y is up."),
        key(
            "seed",
            Kind::Count(0, u64::MAX),
            "0",
            "Seed of everything random: `jitter`, `scramble`, `copy_scatter`, `copy_turn`.",
        ),
    ],
};

const CLOTH: SectionKeys = SectionKeys {
    name: "cloth",
    many: true,
    decides: "shape",
    about: "A sheet of cloth. Generated sheets lie in the plane y = 0 around the origin.",
    keys: &[
        NAME,
        MESH,
        key("shape", Kind::Choice(&["grid"]), "\"grid\"", "The generated shape, if there is no `mesh`."),
        key("size", Kind::Numbers(2, LENGTH, Range::POSITIVE), "1", "Extent along x and z.").only(&["grid"]),
        key("resolution", Kind::Counts(2, 2, MOST_SIDE), "51", "Vertices along x and z.").only(&["grid"]),
        key(
            "triangulation",
            Kind::Choice(&["uniform", "alternating", "delaunay"]),
            "\"alternating\"",
            "How the rectangle is cut into triangles: all diagonals one way, like a chessboard, or irregular.",
        )
        .only(&["grid"]),
        key(
            "material",
            Kind::Choice(&CLOTH_NAMES),
            "\"cotton\"",
            "Preset for `density`, `stretch_stiffness`, `poisson_ratio` and `bend_stiffness`; each may be given besides.",
        ),
        key("density", Kind::Number(AREA_DENSITY, Range::POSITIVE), "by material", "Mass per area."),
        key(
            "stretch",
            Kind::Choice(&["springs", "arap", "corotated", "stvk", "baraff-witkin"]),
            "\"springs\"",
            "In-plane model: a spring per edge, or a finite element per triangle.",
        ),
        key(
            "stretch_stiffness",
            Kind::Number(STIFFNESS, Range::POSITIVE),
            "by material",
            "Young's modulus times thickness; for springs, the stiffness of each edge.",
        ),
        key(
            "poisson_ratio",
            Kind::Number(PLAIN, Range::POISSON),
            "by material",
            "Poisson's ratio; springs do not use it.",
        ),
        key(
            "bend",
            Kind::Choice(&["quadratic", "dihedral", "none"]),
            "\"quadratic\"",
            "Out-of-plane model: Bergou 2006, dihedral angle, or none.",
        ),
        key("bend_stiffness", Kind::Number(BENDING, Range::NOT_NEGATIVE), "by material", "Bending rigidity."),
        key(
            "strain_limit",
            Kind::Interval(PLAIN, Range::NOT_NEGATIVE),
            "none",
            "Stretches from which on a limit ten times as stiff as the material pulls back, such as [0.9, 1.1]; loads may go beyond.",
        ),
        THICKNESS,
        POSITION,
        ROTATION,
        SCALE,
        START_VELOCITY,
        JITTER,
        SCRAMBLE,
        COPIES,
        COPY_OFFSET,
        COPY_SCATTER,
        COPY_TURN,
    ],
};

const SOLID: SectionKeys = SectionKeys {
    name: "solid",
    many: true,
    decides: "shape",
    about: "A soft solid. Generated shapes are centred at the origin; cylinders stand and tori lie around y. Creatures, cars and snowmen stand on the origin, are 1 m high or long, and look along -z.",
    keys: &[
        NAME,
        MESH,
        key(
            "shape",
            Kind::Choice(&["box", "bar", "cylinder", "sphere", "torus", "double-helix", "creature", "car", "snowman"]),
            "required, unless there is a `mesh`",
            "The generated shape.",
        ),
        key(
            "data",
            Kind::Text,
            "none",
            "A mesh file of the folder of reference meshes, taken instead of the `shape` if it is there: in the folder that the variable `PLIANT_DATA` names, else in `../../shared/data` from the scene's folder.",
        ),
        key(
            "size",
            Kind::Numbers(3, LENGTH, Range::POSITIVE),
            "0.2 for a box, [1, 0.2, 0.2] for a bar",
            "Extent along x, y and z.",
        )
        .only(&["box", "bar"]),
        key("cells", Kind::Counts(3, 1, 5000), "by `edge`", "Cells along x, y and z, six tetrahedra each.")
            .only(&["box", "bar"]),
        key("radius", Kind::Number(LENGTH, Range::POSITIVE), "0.1", "Radius.").only(&["cylinder", "sphere"]),
        key("height", Kind::Number(LENGTH, Range::POSITIVE), "0.3", "Extent along y.").only(&["cylinder"]),
        key(
            "major_radius",
            Kind::Number(LENGTH, Range::POSITIVE),
            "0.15",
            "From the centre to the middle of the tube.",
        )
        .only(&["torus"]),
        key("minor_radius", Kind::Number(LENGTH, Range::POSITIVE), "0.05", "Of the tube.").only(&["torus"]),
        key(
            "edge",
            Kind::Number(LENGTH, Range::POSITIVE),
            "a quarter of the shortest side, radius or tube diameter",
            "Length of edge wanted.",
        )
        .only(&["box", "bar", "cylinder", "sphere", "torus"]),
        key("tets", Kind::Count(240, 50_000_000), "20000", "Number of tetrahedra wanted.").only(&[
            "double-helix",
            "creature",
            "car",
            "snowman",
        ]),
        key(
            "material",
            Kind::Choice(&SOLID_NAMES),
            "\"rubber\"",
            "Preset for `density`, `youngs_modulus` and `poisson_ratio`; each may be given besides.",
        ),
        key("density", Kind::Number(DENSITY, Range::POSITIVE), "by material", "Mass per volume."),
        key(
            "model",
            Kind::Choice(&[
                "arap",
                "corotated",
                "stvk",
                "neo-hookean",
                "mooney-rivlin",
                "fung",
                "stable-neo-hookean",
                "spline",
            ]),
            "\"arap\"",
            "Energy: as rigid as possible, which every method can solve, or one that takes method \"descent\" or \"newton\": corotated linear, St. Venant-Kirchhoff, compressible neo-Hookean, Mooney-Rivlin, Fung (gets stiffer when stretched), stable neo-Hookean (Smith 2018), or drawn by splines of the principal stretches (Xu 2015): rubber-like unless `knots` are given.",
        ),
        key("youngs_modulus", Kind::Number(PRESSURE, Range::POSITIVE), "by material", "Young's modulus."),
        key(
            "poisson_ratio",
            Kind::Number(PLAIN, Range::POISSON),
            "by material",
            "Poisson's ratio; `arap` takes only the shear modulus from it, and does not keep volume.",
        ),
        key(
            "parameters",
            Kind::Parameters,
            "by moduli",
            "Those of the model's formula, in place of `youngs_modulus` and `poisson_ratio`: as many as the model has, in the order of `--s` of `pliant material curve`. s3 of `fung` has no unit.",
        ),
        key(
            "knots",
            Kind::Knots,
            "by moduli",
            "Model `spline`: the slope f' of the energy of each principal stretch goes through these points, one of them [1, 0]; straight on beyond. In place of moduli.",
        ),
        key(
            "area_knots",
            Kind::Knots,
            "none: no such energy",
            "The same of g', of the product of two principal stretches.",
        ),
        key("volume_knots", Kind::Knots, "none: no such energy", "The same of h', of the product of all three."),
        key(
            "fibres",
            Kind::Directions,
            "none",
            "Model `spline`: directions, in the body's own frame, along which fibres lie; they make it stiffer there.",
        ),
        key(
            "fibre_knots",
            Kind::Curves,
            "required if there are `fibres`",
            "The slope of the energy of the stretch of fibres, for all directions, or a list for each.",
        ),
        key(
            "conversion",
            Kind::Flag,
            "true",
            "Whether tets of hyperelastic models are blended into springs while they are crushed or inverted. `false` for `stvk`: its `strain_limit`, required then, pulls them back instead.",
        ),
        key(
            "strain_limit",
            Kind::Interval(PLAIN, Range::NOT_NEGATIVE),
            "none",
            "Stretches from which on a limit ten times as stiff as the material pulls back, such as [0.8, 1.2]; loads may go beyond.",
        ),
        key(
            "volume_limit",
            Kind::Interval(PLAIN, Range::NOT_NEGATIVE),
            "none",
            "Ratios of volume to rest volume from which on a limit ten times as stiff as the material pulls back.",
        ),
        THICKNESS,
        POSITION,
        ROTATION,
        SCALE,
        START_VELOCITY,
        JITTER,
        SCRAMBLE,
        FLATTEN,
        COPIES,
        COPY_OFFSET,
        COPY_SCATTER,
        COPY_TURN,
    ],
};

const COLLIDER: SectionKeys = SectionKeys {
    name: "collider",
    many: true,
    decides: "shape",
    about: "A rigid thing bodies bounce off. Capsules and cylinders stand along y.",
    keys: &[
        NAME,
        key(
            "shape",
            Kind::Choice(&["half-space", "sphere", "capsule", "box", "cylinder", "mesh", "armchair"]),
            "required",
            "What it is; a half-space is everything below a plane through `position`, a mesh a closed surface from a file, and an armchair stands on `position` and looks along z.",
        ),
        key("normal", Kind::Vector(PLAIN), "[0, 1, 0]", "Which way the plane faces; any length but 0.")
            .only(&["half-space"]),
        key("radius", Kind::Number(LENGTH, Range::POSITIVE), "required", "Radius.")
            .only(&["sphere", "capsule", "cylinder"]),
        key(
            "height",
            Kind::Number(LENGTH, Range::POSITIVE),
            "required",
            "Extent along y; of a capsule, between the centres of its ends.",
        )
        .only(&["capsule", "cylinder"]),
        key(
            "size",
            Kind::Numbers(3, LENGTH, Range::POSITIVE),
            "required for a box, 1 for an armchair",
            "Extent along x, y and z; of an armchair one number, its width.",
        )
        .only(&["box", "armchair"]),
        key(
            "mesh",
            Kind::File,
            "required",
            "A file, relative to the scene's folder, with a watertight triangle mesh, or a tetrahedral one for its surface.",
        )
        .only(&["mesh"]),
        SCALE.only(&["mesh"]),
        key(
            "cells",
            Kind::Count(LEAST_CELLS, MOST_CELLS),
            "96",
            "Cells of its distance grid along its longest side: parts thinner than two cells are lost, and memory grows with the cube.",
        )
        .only(&["mesh", "armchair"]),
        POSITION,
        ROTATION,
        key("velocity", Kind::Vector(VELOCITY), "[0, 0, 0]", "Constant velocity."),
        key(
            "angular_velocity",
            Kind::Vector(ANGULAR_VELOCITY),
            "[0, 0, 0]",
            "Constant angular velocity about its centre.",
        ),
        MOVES,
        key("friction", Kind::Number(PLAIN, Range::NOT_NEGATIVE), "0.3", "Coulomb coefficient."),
    ],
};

/// Names of the corners of a generated cloth.
pub(super) const CORNERS: [&str; 4] = ["-x-z", "+x-z", "-x+z", "+x+z"];

const CONTACT: SectionKeys = SectionKeys {
    name: "contact",
    many: false,
    decides: "",
    about: "Contact of bodies with each other and with themselves, on CPUs and GPUs.",
    keys: &[
        key(
            "self_collision",
            Kind::Flag,
            "false",
            "Whether surfaces of bodies stop each other and themselves. They keep half of the `thickness` of both apart, so every body must have one; what passes in one step all the same is pushed back in the next.",
        ),
        key(
            "friction",
            Kind::Number(PLAIN, Range::NOT_NEGATIVE),
            "0.3",
            "Coulomb coefficient between bodies, and of a body with itself.",
        ),
    ],
};

const PIN: SectionKeys = SectionKeys {
    name: "pin",
    many: true,
    decides: "",
    about: "Vertices that are held. Exactly one of `vertices`, `nearest`, `inside` and `corners` says which.",
    keys: &[
        key("body", Kind::Text, "the only body; required if there are several", "Name of the cloth or solid."),
        key("vertices", Kind::Indices, "none", "These vertices, counted from 0."),
        key("nearest", Kind::Points, "none", "The vertex nearest to each of these points, at the start."),
        key("inside", Kind::Corners, "none", "All vertices inside a box, at the start: its low and its high corner."),
        key("corners", Kind::Choices(&CORNERS), "none", "Corners of a generated cloth."),
        key(
            "stiffness",
            Kind::Number(STIFFNESS, Range::POSITIVE),
            "none: held exactly",
            "Held by a spring of this stiffness instead of exactly.",
        ),
        key("velocity", Kind::Vector(VELOCITY), "[0, 0, 0]", "Velocity of the place they are held at."),
        key(
            "angular_velocity",
            Kind::Vector(ANGULAR_VELOCITY),
            "[0, 0, 0]",
            "Angular velocity of that place about `centre`.",
        ),
        key("centre", Kind::Vector(LENGTH), "[0, 0, 0]", "Centre of that rotation."),
        MOVES,
        key("release", Kind::Number(TIME, Range::MOMENT), "inf", "From this time on they are free."),
    ],
};

const DRAG_KEYS: SectionKeys = SectionKeys {
    name: "drag",
    many: true,
    decides: "",
    about: "A hand that pinches a body where its path begins, when it begins, drags it along by a spring, and lets go where and when the path ends.",
    keys: &[
        key("body", Kind::Text, "whichever is nearest", "Name of the cloth or solid."),
        key(
            "path",
            Kind::Waypoints,
            "required",
            "Where the hand is and when: it pinches the vertex that is nearest to the first place at the first time, and leads it as it goes itself, straight from place to place.",
        ),
        key(
            "radius",
            Kind::Number(LENGTH, Range::NOT_NEGATIVE),
            "0",
            "It pinches also all other vertices of that body within this distance of the nearest one.",
        ),
        key(
            "stiffness",
            Kind::Number(STIFFNESS, Range::POSITIVE),
            "required",
            "Stiffness of the spring between the hand and all that it pinches. Position-based methods, `xpbd` too, pull harder.",
        ),
    ],
};

const FORCE: SectionKeys = SectionKeys {
    name: "force",
    many: true,
    decides: "kind",
    about: "A force besides gravity.",
    keys: &[
        key("kind", Kind::Choice(&["wind", "acceleration", "damping", "rayleigh"]), "required", "Which force."),
        key("velocity", Kind::Vector(VELOCITY), "required", "Velocity of the air.").only(&["wind"]),
        key(
            "drag",
            Kind::Number(DRAG, Range::NOT_NEGATIVE),
            "2.5",
            "Pressure per relative speed; air at some 4 m/s gives about 2.5.",
        )
        .only(&["wind"]),
        key("acceleration", Kind::Vector(ACCELERATION), "required", "The same for every vertex.")
            .only(&["acceleration"]),
        key(
            "rate",
            Kind::Number(RATE, Range::NOT_NEGATIVE),
            "required for damping; for rayleigh 0",
            "Of damping: velocity decays as exp(-rate · time), before the solve of a step. Of Rayleigh damping a M + b K: a, in E; slow motion decays alike. Both slow falling as well as swinging.",
        )
        .only(&["damping", "rayleigh"]),
        key(
            "retardation",
            Kind::Number(TIME, Range::NOT_NEGATIVE),
            "0 s, no such damping",
            "b of a M + b K: viscous damping, of deformation alone; strains follow a load that late. K is that of where a step begins. On CPUs; position-based methods cannot.",
        )
        .only(&["rayleigh"]),
    ],
};

const TIME_KEYS: SectionKeys = SectionKeys {
    name: "time",
    many: false,
    decides: "",
    about: "Frames and steps. One step lasts 1 / (frame_rate · steps_per_frame).",
    keys: &[
        key("frame_rate", Kind::Number(FREQUENCY, Range::POSITIVE), "60", "Frames per second."),
        key("frames", Kind::Count(1, 100_000_000), "120", "How many frames."),
        key("steps_per_frame", Kind::Count(1, 1_000_000), "1", "Steps per frame."),
        key(
            "quasistatic",
            Kind::Flag,
            "false",
            "Nothing has inertia: every step ends in the equilibrium of forces, pins and colliders at its time. Every body needs a pin, or the scene a collider. On CPUs, without `self_collision`.",
        ),
    ],
};

/// `auto` and the methods, in the order of the solvers' list. Named here too, because a scene is read below the
/// solvers; a test there compares.
pub(crate) const METHOD_NAMES: &[&str] = &[
    "auto",
    "pd-jacobi-chebyshev",
    "pd-jacobi",
    "pd-jacobi-over-relaxed",
    "pd-jacobi-over-relaxed-chebyshev",
    "pd-gauss-seidel",
    "pd-gauss-seidel-over-relaxed",
    "pd-gauss-seidel-over-relaxed-chebyshev",
    "pd-gauss-seidel-chebyshev",
    "vivace",
    "vivace-chebyshev",
    "vivace-momentum",
    "pd-direct",
    "pd-direct-chebyshev",
    "pd-multigrid",
    "pd-multigrid-chebyshev",
    "pd-pcg",
    "pd-pcg-direct",
    "pbd-jacobi",
    "pbd-jacobi-chebyshev",
    "pbd-gauss-seidel",
    "pbd-gauss-seidel-chebyshev",
    "vivace-pbd",
    "xpbd",
    "descent",
    "nonlinear-cg-jacobi",
    "lbfgs-jacobi",
    "nesterov-jacobi",
    "gradient-descent-jacobi",
    "nonlinear-cg",
    "lbfgs",
    "nesterov",
    "gradient-descent",
    "newton-pcg",
    "newton-cg",
    "newton",
    "corotated-cg",
];

const SOLVER: SectionKeys = SectionKeys {
    name: "solver",
    many: false,
    decides: "",
    about: "The method and its parameters; what a method does not use, it ignores.",
    keys: &[
        key(
            "method",
            Kind::Choice(METHOD_NAMES),
            "\"auto\"",
            "How steps are solved; `pliant methods` says what each is good for, `auto` picks the best for the scene.",
        ),
        key("iterations", Kind::Count(1, 100_000_000), "by method", "Iterations per step."),
        key(
            "tolerance",
            Kind::Number(PLAIN, Range::BELOW_ONE),
            "0",
            "Stop when the gradient, in the method's own norm, is this small relative to the start of the step; 0: never (newton: 1e-10).",
        ),
        key("budget_ms", Kind::Number(MILLISECONDS, Range::BUDGET), "none", "Deadline per step."),
        key(
            "rho",
            Kind::Number(PLAIN, Range::BELOW_ONE),
            "the largest of use",
            "Spectral radius for Chebyshev acceleration.",
        ),
        key(
            "phases",
            Kind::Phases,
            "one `rho` throughout",
            "Chebyshev's spectral radius by iterations, as [[24, 0.98], [72, 0.9996]]: 24 iterations with the first, then 72, or what is left, with the second. \"tuned\": what `pliant tune` found for this scene, method and number of iterations.",
        ),
        key(
            "delay",
            Kind::Count(0, 1_000_000),
            "10",
            "Iterations before Chebyshev acceleration starts; at most an eighth of them.",
        ),
        key(
            "under_relaxation",
            Kind::Number(PLAIN, Range::BELOW_TWO),
            "the largest that is safe",
            "Factor on each step, of descents on the first; not of `vivace`, conjugate gradients, L-BFGS and Newton.",
        ),
        key(
            "over_relaxation",
            Kind::Number(PLAIN, Range::BELOW_TWO),
            "1.5; `vivace*` 1.9",
            "Factor of the over-relaxed variants and of `vivace`, `vivace-momentum` and `vivace-pbd`.",
        ),
        key(
            "relaxation",
            Kind::Number(PLAIN, Range::BELOW_TWO),
            "by element type",
            "Averaging factor of position-based Jacobi.",
        ),
        key(
            "renew_every",
            Kind::Count(1, 1_000_000),
            "32 iterations",
            "Iterations after which `descent`, `nesterov*` and `gradient-descent*` find the diagonal of the Hessian again: the course's M.",
        ),
        key(
            "initial_guess",
            Kind::Choice(&[
                "inertia",
                "position",
                "velocity",
                "acceleration",
                "optimal",
                "zero",
                "velocity+force",
                "blend",
            ]),
            "\"acceleration\", for `newton` \"inertia\", for `corotated-cg` \"velocity\"",
            "Where solves of methods for any energy begin: at x + h v + h² f/m, x, x + h v, x + h v + 0.2 h (v - v of the step before), or as far along v as takes E lowest. The last three are those of `corotated-cg`: at x, without what moves bodies as a whole; an explicit step with elastic forces; and a blend of that with x + h v.",
        ),
        key(
            "blend",
            Kind::Number(PLAIN, Range::SHARE),
            "0.5",
            "How much of a `blend` is x + h v; the rest is an explicit step with elastic forces.",
        ),
        key(
            "preconditioner",
            Kind::Choice(&["jacobi", "mass", "identity"]),
            "\"jacobi\"",
            "Of `corotated-cg`: the 3×3 blocks of the diagonal, masses, or none.",
        ),
        key(
            "form",
            Kind::Choice(&["velocity", "velocity-difference"]),
            "\"velocity\"",
            "What `corotated-cg` solves for: velocities, or how they change from the initial guess on. Iterates are the same.",
        ),
        key(
            "operator",
            Kind::Choice(&["matrix-free", "assembled"]),
            "\"matrix-free\"",
            "How `corotated-cg` multiplies: element by element, or with a matrix, which pays from many iterations on.",
        ),
        key(
            "per_object",
            Kind::Flag,
            "false",
            "Whether every object has conjugate gradients of its own, with its own step lengths, in `corotated-cg`.",
        ),
        key(
            "accuracy",
            Kind::Number(LENGTH, Range::POSITIVE),
            "none: `iterations` and `tolerance` decide",
            "`corotated-cg` stops once vertices are so near to the solution of the step, in the mean.",
        ),
        key(
            "stopping",
            Kind::Choice(&["energy", "motion"]),
            "\"energy\"",
            "How `accuracy` is known: by the energy that the last four iterations gained, which bounds the distance, or by how far the last one moved vertices.",
        ),
        key(
            "contact_stiffness",
            Kind::Number(PLAIN, Range::POSITIVE),
            "1",
            "Stiffness of contact, as a multiple of each vertex's diagonal. Soft, heavy solids need 10 or more: else their contact is squeezed through its thickness, and they slide.",
        ),
    ],
};

const DEVICE: SectionKeys = SectionKeys {
    name: "device",
    many: false,
    decides: "",
    about: "Where to compute.",
    keys: &[
        key(
            "name",
            Kind::Text,
            "\"auto\"",
            "\"cpu\"; \"gpu\", the best GPU; \"gpu:NAME\", the best whose name contains this; or \"auto\": a hardware GPU if there is one, else the CPU. `pliant devices` lists them.",
        ),
        key("precision", Kind::Choice(&["f32", "f64"]), "\"f32\"", "Width of the numbers; GPUs have f32 only."),
    ],
};

const OUTPUT: SectionKeys = SectionKeys {
    name: "output",
    many: false,
    decides: "",
    about: "What to write.",
    keys: &[
        key("formats", Kind::Choices(&["glb", "html", "obj", "ply", "vtu"]), "[\"glb\"]", "Formats of the frames."),
        key(
            "checkpoint_every",
            Kind::Count(0, 100_000_000),
            "10",
            "A checkpoint every so many frames; 0: only at the end.",
        ),
    ],
};

/// The tables, in the order of the reference page.
pub(super) const SECTIONS: [&SectionKeys; 11] =
    [&CLOTH, &SOLID, &COLLIDER, &CONTACT, &PIN, &DRAG_KEYS, &FORCE, &TIME_KEYS, &SOLVER, &DEVICE, &OUTPUT];

/// The table of that name.
pub(super) fn section(name: &str) -> Option<&'static SectionKeys> {
    SECTIONS.into_iter().find(|s| s.name == name)
}

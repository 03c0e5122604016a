//! The verbs that are tried, and how far from the exact answer each may be. What is not tried are functions that say
//! something about a device, `stream`, whose answer nobody sees, and verbs that CPUs alone have (`NO_VERBS` and `OF_CPUS` of
//! `tests/wrong_devices.rs`).

/// What is tried. Some verbs are tried in several ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    WriteRead,
    Copy,
    Clear,
    Axpy,
    Xpay,
    Dot,
    DotOfReals,
    BeginStep,
    MeetColliders,
    Potential,
    MeasureStart,
    MeasureSolution,
    MeasureEnd,
    Gradient,
    Jacobi,
    JacobiBlended,
    JacobiMany,
    Blend,
    Descend,
    DivideByDiagonal,
    Multiply,
    GaussSeidel,
    Relax,
    Cycle,
    ConstrainJacobi,
    ConstrainColours,
    ConstrainExtended,
    Enforce,
    BalanceBodies,
    TurnFreeParts,
    EndStep,
    EndStepPushed,
    Request,
    RequestScalars,
    CopyUnlessLower,
    Sides,
    SolveDirect,
    LargestEigenvalue,
    Hold,
    Objective,
    Convert,
    SetConversion,
    DivideByBlocks,
    DivideByLargest,
    DescendMany,
}

impl Verb {
    /// Asked where elements have no projection, too.
    pub fn is_of_any_energy(self) -> bool {
        use Verb::*;
        matches!(
            self,
            BeginStep
                | MeetColliders
                | Potential
                | MeasureStart
                | MeasureSolution
                | MeasureEnd
                | Gradient
                | BalanceBodies
        ) || self as usize >= Hold as usize
    }

    /// It evaluates the energy of elements or its derivatives.
    pub fn evaluates(self) -> bool {
        use Verb::*;
        matches!(
            self,
            MeasureStart | MeasureSolution | Gradient | Objective | DivideByBlocks | DivideByLargest | DescendMany
        )
    }
}

/// What needs colours.
pub(super) const COLOURED: [Verb; 4] =
    [Verb::GaussSeidel, Verb::Relax, Verb::ConstrainColours, Verb::ConstrainExtended];

/// What a sheet of a million vertices is not asked: a factor, sixty products in one thread, and what tets show better.
pub(super) const SMALL: [Verb; 10] = [
    Verb::SolveDirect,
    Verb::LargestEigenvalue,
    Verb::Sides,
    Verb::Hold,
    Verb::Objective,
    Verb::Convert,
    Verb::SetConversion,
    Verb::DivideByBlocks,
    Verb::DivideByLargest,
    Verb::DescendMany,
];

/// What is asked of a million vertices in tets; of these all but the first there alone.
pub(super) const OF_LARGE_TETS: [Verb; 7] = [
    Verb::Gradient,
    Verb::Hold,
    Verb::Objective,
    Verb::Convert,
    Verb::SetConversion,
    Verb::DivideByLargest,
    Verb::DescendMany,
];

/// A line of the table.
pub(super) struct Entry {
    pub verb: Verb,
    /// For reports.
    pub name: &'static str,
    /// How many roundings, each of the size of the answer's terms, an answer may be off.
    pub roundings: f64,
}

const fn entry(verb: Verb, name: &'static str, roundings: f64) -> Entry {
    Entry { verb, name, roundings }
}

/// Roundings of `balance_bodies`, as derived: forces of 75 N on each of 652 vertices cancel, and a gradient is rounded some √16
/// times. What that leaves moves 180 N/m, and the size is that of x, 0.2 m: 75/(180 · 0.2) · √16 · √652 = 213. Seen: 210.
pub(super) const BALANCED: f64 = 213.0;

/// Every verb with its bound.
///
/// A device computes right if its answer is the exact answer to inputs that are a little off, and rounded: that is the
/// most that arithmetic with rounding can promise. So errors are measured in units of the *size* of an answer: ‖answer‖
/// plus how much the answer of the `f64` twin moves per rounding when every input moves by some roundings of its largest
/// component. Forces are differences of positions times stiffness: their size is stiffness times |x|, not the force, and
/// near a flat tet or an edge of a collider it is larger still.
///
/// What is left to say for each verb is how many roundings can add up. WebGPU and Vulkan let + − × round once, a quotient
/// five times (2.5 units in the last place), inverseSqrt four times, and a root nine times; k roundings of either sign add
/// up to about √k. Sizes come from a few random moves, so they may be some times too small: hence powers of two with room.
/// "Seen" is the most in 25 draws of all fields on the CPU and on lavapipe.
pub(super) const TABLE: [Entry; 45] = [
    // Nothing is computed.
    entry(Verb::WriteRead, "write, read", 0.0),
    entry(Verb::Copy, "copy", 0.0),
    entry(Verb::Clear, "clear", 0.0),
    // Two scalars rounded, a quotient (5), a product, a sum. Seen: 0.8, because few quotients are that far off.
    entry(Verb::Axpy, "axpy", 10.0),
    entry(Verb::Xpay, "xpay", 10.0),
    // Small integers: all sums are exact in any order.
    entry(Verb::Dot, "dot, copy_scalar", 0.0),
    // The CPU adds runs of 1024 products in f32: √1024. Seen: 11; the GPU keeps 48 bits.
    entry(Verb::DotOfReals, "dot of reals", 64.0),
    // Four for x + h v + h² a; the wind on eight triangles is 16 each, and a quotient (5): √133. Seen: 3.
    entry(Verb::BeginStep, "begin_step, start", 16.0),
    // x̃ as above, a normal (16), a force (8), a root and a quotient (14): √171.
    entry(Verb::MeetColliders, "meet_colliders", 16.0),
    // x̃ as above; the rest is in f64. Seen: 1.
    entry(Verb::Potential, "potential", 16.0),
    // A root (9), a difference, a square (2) times a stiffness (2); their sums have 48 bits. Seen: 2.
    entry(Verb::MeasureStart, "measure start", 16.0),
    // The same, and squares of forces, whose own roundings are in the size. Seen: 3.
    entry(Verb::MeasureSolution, "measure solution", 16.0),
    // A root (9), a quotient (5), a difference. Seen: 3.
    entry(Verb::MeasureEnd, "measure end", 16.0),
    // Nearest rotations iterate (16), their forces are 8 more; 16 neighbours, 8 each: √128. Seen: 5.
    entry(Verb::Gradient, "gradient", 32.0),
    // The gradient over the diagonal (5), and three more; the residual is a sum in f32 on the CPU. Seen: 8.
    entry(Verb::Jacobi, "jacobi", 32.0),
    entry(Verb::JacobiBlended, "jacobi, blended", 32.0),
    // Six of them, one after the other.
    entry(Verb::JacobiMany, "jacobi, many", 64.0),
    // ω and γ rounded, three differences, two products, a sum. Seen: 1.
    entry(Verb::Blend, "blend", 8.0),
    // The same; where it touches a product with a block of rounded contacts (8), a quotient (5), a difference. Seen: 7.
    entry(Verb::Descend, "descend", 24.0),
    // Diagonal and contact rounded, their sum (3); L D Lᵀ with products (8), sums (8) and quotients (5); and the rounding of
    // friction, which is up to 48 times as stiff as the push in the same block. Seen: 27 on an H200.
    entry(Verb::DivideByDiagonal, "divide_by_diagonal", 72.0),
    // 16 entries, each of them rounded, a product, a sum: √48. Seen: 3.
    entry(Verb::Multiply, "multiply", 32.0),
    // That for each colour, forth and back, each time with ω/D. Seen: 61.
    entry(Verb::GaussSeidel, "gauss_seidel", 256.0),
    // A gradient over the diagonal as in jacobi, for each of some 8 colours, forth and back: 32 √16.
    entry(Verb::Relax, "relax", 128.0),
    // Products as above with three matrices per level, forth and back, on some eight levels: √(48 · 4 · 8).
    // Seen in a single draw: 4.
    entry(Verb::Cycle, "cycle", 64.0),
    // A constraint and its gradient (24 as above), two quotients (10). Seen: 3.
    entry(Verb::ConstrainJacobi, "constrain_jacobi", 32.0),
    // That for each of some 16 constraints of a vertex, one after the other: 34 √16. Seen: 42.
    entry(Verb::ConstrainColours, "constrain_colour", 128.0),
    entry(Verb::ConstrainExtended, "constrain_colour, extended", 128.0),
    // Two rotations (12), a root (9), a product, a sum; colliders that overlap do it again. Seen: 2.
    entry(Verb::Enforce, "enforce", 32.0),
    // See BALANCED. Of bodies that touch only colliders a gradient (32), three solves with symmetric matrices (21 each) and a
    // rotation (8).
    entry(Verb::BalanceBodies, "balance_bodies", 512.0),
    // Two centres (5 each), a moment of them (3), the nearest rotation (16) times a difference, a sum.
    entry(Verb::TurnFreeParts, "turn_free_parts", 32.0),
    // As enforce, and friction: a root (9), a quotient (5) and six more. Seen: 8.
    entry(Verb::EndStep, "end_step", 32.0),
    entry(Verb::EndStepPushed, "end_step after enforce", 32.0),
    // Nothing is computed, or integers.
    entry(Verb::Request, "request, receive", 0.0),
    entry(Verb::RequestScalars, "request_scalars, receive_numbers", 0.0),
    entry(Verb::CopyUnlessLower, "copy_unless_lower", 0.0),
    entry(Verb::Sides, "sides, set_sides", 0.0),
    // A factor in f64; what is in f32 are contacts, as in divide_by_diagonal.
    entry(Verb::SolveDirect, "solve_direct", 72.0),
    // Of the same matrix, in f64.
    entry(Verb::LargestEigenvalue, "largest_jacobi_eigenvalue", 0.0),
    // Targets, rounded.
    entry(Verb::Hold, "hold", 1.0),
    // As measure start, and of iterates, where a single vertex may have a contact and friction whose roundings do not
    // average: a root (9), a quotient (5), a difference, a square (2) times a stiffness (2), twice. Seen: 25.
    entry(Verb::Objective, "objective_to, objective", 38.0),
    // A decomposition: four sweeps of three rotations, 8 each with their products: √(12 · 8), and two quotients (10).
    entry(Verb::Convert, "convert, request_conversion", 24.0),
    entry(Verb::SetConversion, "set_conversion, undo_conversion", 24.0),
    // That, second derivatives (24) of each of some 24 tets, and a solve with their sum (21): √(96 + 24 · 24) + 21. Seen
    // in a single draw, as of those below: 26.
    entry(Verb::DivideByBlocks, "rescale, divide_by_scale", 64.0),
    entry(Verb::DivideByLargest, "rescale to the largest", 64.0),
    // A gradient (32) and that, six times: √(6 (32² + 64²)). Seen: 14.
    entry(Verb::DescendMany, "descend_many", 176.0),
];

/// What powers add where an element has any. WGSL has them as exp2(y log2 x): log2 is 3 units in the last place off and exp2
/// 3 + 2|…|, so one of a number near 1 takes 12 roundings; a slope has two of them, and a product of both three.
pub(super) const POWERS: f64 = 36.0;

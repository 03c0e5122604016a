//! Devices with one thing wrong: the selftest catches every one of them.

mod wrong;

use pliant_gpu::selftest::{Check, Extent, Suite};
use std::sync::LazyLock;
use wrong::{Fault, SKIPPED, Wrong};

static SUITE: LazyLock<Suite> = LazyLock::new(|| Suite::new(Extent::Usual).unwrap());

fn failed(fault: Fault) -> Vec<Check> {
    let checks = SUITE.run(&mut Wrong::new(fault), &mut |_| {}).unwrap();
    checks.into_iter().filter(|check| !check.passed).collect()
}

/// Asks a device with this fault until `is_enough` of the checks that fail.
fn until(fault: Fault, mut is_enough: impl FnMut(&Check) -> bool) -> bool {
    let mut wrong = Wrong::new(fault);
    let noticed = wrong.noticed.clone();
    let ended = SUITE.run(&mut wrong, &mut |check| noticed.set(noticed.get() || !check.passed && is_enough(check)));
    assert!(ended.is_ok() || noticed.get(), "{fault:?}: {ended:?}");
    noticed.get()
}

/// The checks of these verbs fail.
fn caught(fault: Fault, verbs: &[&str]) {
    let mut unseen = verbs.to_vec();
    let seen = until(fault, |check| {
        unseen.retain(|verb| *verb != check.verb);
        unseen.is_empty()
    });
    assert!(seen, "{fault:?} is not seen by {unseen:?}");
}

#[test]
fn the_cpu_passes() {
    assert_eq!(failed(Fault::Nothing), []);
}

#[test]
fn a_missing_element_is_seen() {
    for element in [
        "spring",
        "quadratic bending",
        "curved bending",
        "as-rigid-as-possible triangle",
        "strain limit triangle",
        "as-rigid-as-possible tet",
        "strain limit tet",
        "volume limit tet",
    ] {
        caught(Fault::Drops(element), &["gradient", "jacobi", "constrain_jacobi"]);
    }
}

#[test]
fn wrong_elements_are_seen() {
    caught(Fault::RestLength, &["gradient", "jacobi", "constrain_jacobi"]);
    caught(Fault::OtherEndFirst, &["constrain_colour"]);
}

#[test]
fn forgotten_forces_pins_and_contacts_are_seen() {
    caught(Fault::NoWind, &["begin_step, start"]);
    caught(Fault::NoDamping, &["begin_step, start"]);
    caught(Fault::NoContacts, &["gradient", "jacobi", "multiply", "enforce", "end_step", "measure end"]);
    caught(Fault::NoFriction, &["meet_colliders", "gradient", "potential", "enforce"]);
    let bodies = ["meet_colliders", "potential", "measure start", "gradient", "jacobi", "multiply", "relax", "enforce"];
    caught(Fault::NoBodies, &[&bodies[..], &["balance_bodies", "pd-jacobi", "xpbd"]].concat());
    caught(Fault::SmoothBodies, &["meet_colliders", "potential", "gradient", "enforce"]);
    caught(Fault::CollidersReversed, &["enforce", "end_step"]);
    caught(Fault::NoPins, &["begin_step, start", "gradient", "enforce"]);
    caught(Fault::StaleContacts, &["divide_by_diagonal", "multiply", "gauss_seidel"]);
    caught(Fault::StalePotential, &["potential"]);
}

#[test]
fn a_skipped_vertex_is_seen() {
    for verb in SKIPPED {
        caught(Fault::SkipsLast(verb), &[verb]);
    }
    caught(Fault::OffByOne, &["gradient"]);
    caught(Fault::WrongOrder, &["write, read"]);
    caught(Fault::DotMissesLast, &["dot, copy_scalar", "dot of reals"]);
}

#[test]
fn wrong_factors_slots_and_orders_are_seen() {
    caught(Fault::IgnoresGamma, &["jacobi, blended"]);
    caught(Fault::IgnoresOmega, &["jacobi, blended"]);
    caught(Fault::RepeatsBlend, &["jacobi, many"]);
    caught(Fault::DividesByZero, &["axpy"]);
    caught(Fault::LosesSign, &["axpy"]);
    caught(Fault::WrongSlot, &["jacobi, blended"]);
    caught(Fault::ColoursReversed, &["gauss_seidel", "relax"]);
    caught(Fault::KeepsMultipliers, &["constrain_colour, extended"]);
    caught(Fault::ForgetsMultipliers, &["constrain_colour, extended"]);
}

#[test]
fn wrong_verbs_of_descent_are_seen() {
    caught(Fault::TakesTheWorse, &["copy_unless_lower"]);
    caught(Fault::NeverConverts, &["convert, request_conversion"]);
    caught(Fault::OneScale, &["rescale, divide_by_scale", "descend_many"]);
    for element in [
        "St. Venant-Kirchhoff tet",
        "neo-Hookean tet",
        "Mooney-Rivlin tet",
        "Fung tet",
        "stable neo-Hookean tet",
        "corotated tet",
    ] {
        let verbs = ["gradient", "objective_to, objective", "rescale, divide_by_scale", "descend_many"];
        caught(Fault::Drops(element), &verbs);
    }
}

/// What says something about a device, or without which nothing could be asked.
const NO_VERBS: [&str; 12] = [
    "name",
    "precision",
    "is_remote",
    "has_direct_solver",
    "sweep_way",
    "sweep_bytes",
    "force_bytes",
    "stream",
    "upload",
    "points",
    "working_time",
    "expect_measures",
];

/// Verbs that CPUs alone have until there are kernels for them: those of the method `corotated-cg`, which GPUs refuse, and how long
/// solids have been wound up. Asked of the CPU by `solver_corotated_cg.rs` and `solver_unwinding.rs` in `crates/pliant/tests`; to be
/// asked here as soon as a GPU answers.
const OF_CPUS: [&str; 9] = [
    "set_wound",
    "wound",
    "divide_by_inertia",
    "linearise",
    "multiply_linear",
    "precondition_linear",
    "conjugate",
    "advance",
    "linear_progress",
];

/// All functions of the trait, by its text: who adds a verb must have it asked.
#[test]
fn every_verb_of_the_trait_is_missed_where_it_does_nothing() {
    fn name(line: &str) -> Option<&str> {
        line.strip_prefix("    fn ")?.split(['(', '<']).next()
    }
    let text: &'static str = include_str!("../../pliant/src/device/mod.rs");
    let (_, of_trait) = text.split_once("pub trait Device {").unwrap();
    let (of_trait, _) = of_trait.split_once("\n}\n").unwrap();
    let names: Vec<&str> = of_trait.lines().filter_map(name).collect();
    assert!(OF_CPUS.iter().all(|verb| names.contains(verb)), "{names:?}");
    let is_asked = |verb: &&str| !NO_VERBS.contains(verb) && !OF_CPUS.contains(verb);
    let verbs: Vec<&str> = names.into_iter().filter(is_asked).collect();
    assert!(verbs.len() > 45, "{verbs:?}");
    let unasked: Vec<&str> = verbs.into_iter().filter(|verb| !until(Fault::Idle(verb), |_| true)).collect();
    assert!(unasked.is_empty(), "nothing fails where these do nothing: {unasked:?}");
}

#[test]
fn wrong_measures_are_seen() {
    caught(Fault::Measure("start_energy"), &["measure start"]);
    for solution in ["energy", "gradient_norm", "unbalanced", "possible_decrease", "rounding_energy"] {
        caught(Fault::Measure(solution), &["measure solution"]);
    }
    for end in ["max_stretch", "mean_stretch", "min_gap", "inverted"] {
        caught(Fault::Measure(end), &["measure end"]);
    }
}

#[test]
fn unsteady_bits_and_missing_numbers_are_seen() {
    let failed = failed(Fault::Unsteady);
    assert!(failed.iter().any(|check| check.verb == "pd-jacobi" && check.model.contains("twice")));
    assert!(failed.iter().all(|check| check.model.contains("twice")), "a bit is no error: {failed:?}");
    caught(Fault::NotANumber, &["jacobi", "pd-jacobi"]);
}

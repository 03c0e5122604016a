//! WGSL formulas against their Rust twins, on random stencils and on those that break careless formulas.

mod required;
mod support;

use pliant::contact;
use pliant::material::{
    ArapTet, ArapTriangle, BaraffWitkinTriangle, Batch, CorotatedTet, CorotatedTriangle, CurvedBending,
    DihedralBending, Elements, FungTet, LameParameters, MooneyRivlinTet, NeoHookeanTet, Pin, QuadraticBending,
    SplineTet, Spring, StableNeoHookeanTet, StrainLimitTet, StrainLimitTriangle, StvkTet, StvkTriangle, VolumeLimitTet,
    hyperelastic, wgsl_formulas,
};
use pliant::math::{self, Vec3};
use support::colliders::{check_approaches, check_colliders};
use support::contacts::{check_blocks, check_friction, check_pressing};
use support::elements::check_element;
use support::isotropic::{check_isotropic, none, share};
use support::parse;
use support::rotations::check_rotations;
use support::touches::check_touches;

/// Tetrahedra: without symmetry, and a sliver a hundred times wider than high, m.
const TETS: [[Vec3<f64>; 4]; 2] = [
    [Vec3::new(0.1, 0.0, 0.05), Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.2, 0.9, 0.1), Vec3::new(0.0, 0.15, 1.1)],
    [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.2, 0.9, 0.0), Vec3::new(0.3, 0.4, 0.01)],
];
/// Triangles: without symmetry, and a sliver, m.
const TRIANGLES: [[Vec3<f64>; 3]; 2] = [
    [Vec3::new(0.1, 0.0, 0.05), Vec3::new(1.0, 0.1, 0.2), Vec3::new(0.2, 0.9, 0.1)],
    [Vec3::new(0.1, 0.0, 0.05), Vec3::new(1.0, 0.1, 0.2), Vec3::new(0.4, 0.04, 0.1)],
];
/// Hinges, flat and folded: edge_a, edge_b, opposite_0, opposite_1, m.
const HINGES: [[Vec3<f64>; 4]; 3] = [
    [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.1), Vec3::new(0.3, 0.0, 0.9), Vec3::new(0.6, 0.0, -0.8)],
    [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.1), Vec3::new(0.3, 0.5, 0.9), Vec3::new(0.6, 0.1, -0.8)],
    [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.1), Vec3::new(0.3, 0.0, 0.02), Vec3::new(0.6, 0.0, -0.8)],
];

/// A batch without elements of every kind.
fn kinds() -> Vec<Elements<f64>> {
    vec![
        Batch::<Pin<f64>, 1>::default().into(),
        Batch::<Spring<f64>, 2>::default().into(),
        Batch::<QuadraticBending<f64>, 4>::default().into(),
        Batch::<CurvedBending<f64>, 4>::default().into(),
        Batch::<DihedralBending<f64>, 4>::default().into(),
        Batch::<ArapTriangle<f64>, 3>::default().into(),
        Batch::<CorotatedTriangle<f64>, 3>::default().into(),
        Batch::<StvkTriangle<f64>, 3>::default().into(),
        Batch::<BaraffWitkinTriangle<f64>, 3>::default().into(),
        Batch::<StrainLimitTriangle<f64>, 3>::default().into(),
        Batch::<ArapTet<f64>, 4>::default().into(),
        Batch::<CorotatedTet<f64>, 4>::default().into(),
        Batch::<StvkTet<f64>, 4>::default().into(),
        Batch::<NeoHookeanTet<f64>, 4>::default().into(),
        Batch::<MooneyRivlinTet<f64>, 4>::default().into(),
        Batch::<FungTet<f64>, 4>::default().into(),
        Batch::<StableNeoHookeanTet<f64>, 4>::default().into(),
        Batch::<SplineTet<f64>, 4>::default().into(),
        Batch::<StrainLimitTet<f64>, 4>::default().into(),
        Batch::<VolumeLimitTet<f64>, 4>::default().into(),
    ]
}

/// Pins are left out: a target per step is no rest data.
#[test]
fn what_projective_and_position_based_methods_solve_and_every_solid_has_a_twin() {
    let kinds = kinds();
    let names: Vec<_> = kinds.iter().map(|kind| (kind.name(), kind.arity())).collect();
    assert_eq!(names, Elements::<f64>::ALL);
    for kind in kinds {
        let solved = (kind.is_projective() || kind.is_compliant()) && kind.name() != "pin";
        // Splines have as many numbers as they have knots.
        let solid = kind.name().ends_with(" tet") && kind.name() != "spline tet";
        assert_eq!(kind.wgsl().is_some(), solved || solid, "{}", kind.name());
        // What is not isotropic must have a constant scale: the diagonal of its stiffness.
        assert!(kind.wgsl().is_none_or(|twin| twin.isotropic || kind.is_projective()), "{}", kind.name());
    }
}

/// Needs no GPU.
#[test]
fn all_formulas_together_are_one_valid_module() {
    let mut source = String::from("@group(0) @binding(0) var<storage, read> element_data: array<f32>;\n");
    source += "@group(0) @binding(1) var<storage, read> colliders: array<vec4<f32>>;\nconst GRIDS: bool = true;\n";
    source += &[math::WGSL, math::SYM3_WGSL, contact::WGSL, contact::close::TOUCH_WGSL].concat();
    let kinds = kinds();
    source += &wgsl_formulas(&kinds.iter().filter_map(|kind| kind.wgsl()).collect::<Vec<_>>());
    for twin in kinds.iter().filter(|kind| kind.is_compliant()).filter_map(|kind| kind.wgsl()) {
        source += &twin.correction();
    }
    parse(&source);
}

#[test]
fn nearest_rotations_and_singular_values_agree_with_their_twins() {
    check_rotations();
}

#[test]
fn colliders_and_friction_agree_with_their_twins() {
    check_colliders();
}

#[test]
fn approaches_to_colliders_agree_with_their_twin() {
    check_approaches();
}

#[test]
fn blocks_of_contacts_agree_with_their_twins() {
    check_blocks();
}

#[test]
fn friction_in_the_objective_agrees_with_its_twin() {
    check_friction();
}

#[test]
fn contacts_between_bodies_agree_with_their_twin() {
    check_touches();
}

#[test]
fn how_hard_bodies_press_agrees_with_its_twin() {
    check_pressing();
}

#[test]
fn springs_agree_with_their_twin() {
    let ends = [[Vec3::new(0.1, 0.2, -0.3), Vec3::new(0.4, 0.9, 0.2)]];
    check_element(&ends, |rest| Spring::new(rest, 40.0).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
}

#[test]
fn quadratic_hinges_agree_with_their_twin() {
    check_element(&HINGES, |rest| QuadraticBending::new(rest, 0.3).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
}

#[test]
fn curved_hinges_agree_with_their_twin() {
    check_element(&HINGES, |rest| CurvedBending::new(rest, 0.3).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
}

#[test]
fn as_rigid_as_possible_triangles_agree_with_their_twin() {
    check_element(&TRIANGLES, |rest| ArapTriangle::new(rest, 5.0).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
}

#[test]
fn as_rigid_as_possible_tets_agree_with_their_twin() {
    check_element(&TETS, |rest| ArapTet::new(rest, 5.0).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
}

#[test]
fn strain_limits_of_triangles_agree_with_their_twin() {
    for range in [[0.9, 1.2], [0.999, 1.001], [1.0, 1.0]] {
        check_element(
            &TRIANGLES,
            |rest| StrainLimitTriangle::new(rest, 5.0, range).unwrap(),
            |e| e.cast::<f32>(),
            |e| e.cast(),
        );
    }
}

#[test]
fn strain_limits_of_tets_agree_with_their_twin() {
    for range in [[0.9, 1.2], [0.999, 1.001], [1.0, 1.0]] {
        check_element(&TETS, |rest| StrainLimitTet::new(rest, 5.0, range).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
    }
}

#[test]
fn volume_limits_of_tets_agree_with_their_twin() {
    for range in [[0.95, 1.05], [0.5, 2.0], [1.0, 1.0], [0.1, 0.14], [0.1, 0.148]] {
        check_element(&TETS, |rest| VolumeLimitTet::new(rest, 5.0, range).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
    }
}

#[test]
fn blocks_of_as_rigid_as_possible_and_corotated_tets_agree_with_their_twins() {
    let build = |rest, _| ArapTet::new(rest, 5.0).unwrap();
    check_isotropic(&TETS, (build, |e: &ArapTet<f64>| e.cast::<f32>(), |e: &ArapTet<f32>| e.cast()), none);
    for poisson_ratio in [0.3, 0.45, -0.3] {
        let lame = LameParameters::solid(40.0, poisson_ratio).unwrap();
        let build = |rest, _| CorotatedTet::new(rest, lame).unwrap();
        let (single, double) = (|e: &CorotatedTet<f64>| e.cast::<f32>(), |e: &CorotatedTet<f32>| e.cast());
        check_isotropic(&TETS, (build, single, double), none);
    }
}

/// Nearly incompressible, too: there large terms cancel.
macro_rules! hyperelastic_agrees {
    ($name:ident, $tet:ident, $density:ident) => {
        #[test]
        fn $name() {
            for poisson_ratio in [0.3, 0.49] {
                let lame = LameParameters::solid(40.0, poisson_ratio).unwrap();
                let density = hyperelastic::$density::from(lame);
                let build = |rest, share| $tet { share, ..$tet::new(rest, density).unwrap() };
                let (single, double) = (|e: &$tet<f64>| e.cast::<f32>(), |e: &$tet<f32>| e.cast());
                check_isotropic(&TETS, (build, single, double), share);
            }
        }
    };
}
hyperelastic_agrees!(st_venant_kirchhoff_tets_agree_with_their_twin, StvkTet, StVenantKirchhoff);
hyperelastic_agrees!(neo_hookean_tets_agree_with_their_twin, NeoHookeanTet, NeoHookean);
hyperelastic_agrees!(mooney_rivlin_tets_agree_with_their_twin, MooneyRivlinTet, MooneyRivlin);
hyperelastic_agrees!(fung_tets_agree_with_their_twin, FungTet, Fung);
hyperelastic_agrees!(stable_neo_hookean_tets_agree_with_their_twin, StableNeoHookeanTet, StableNeoHookean);

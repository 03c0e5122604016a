use super::*;
use crate::material::law::{LAWS, find_law};
use crate::material::{LameParameters, SolidLaw};

const E: f64 = 3e5;
const NU: f64 = 0.45;

fn law_of(name: &str, nu: f64) -> SolidLaw {
    find_law(name).unwrap().with_lame(LameParameters::solid(E, nu).unwrap()).unwrap()
}

fn with(name: &str, s: &[f64]) -> SolidLaw {
    find_law(name).unwrap().with_parameters(s).unwrap()
}

/// Every point of a complete curve is [t, P] by the formula, to `tolerance` of the modulus.
fn check(law: &SolidLaw, test: StretchTest, range: [f64; 2], tolerance: f64, expected: impl Fn(f64) -> [f64; 2]) {
    let curve = stress_curve(law, test, &even_stretches(range[0], range[1], 41));
    assert_eq!((curve.points.len(), &curve.left_out), (41, &Vec::new()), "{law:?} {test:?}");
    for point in curve.points {
        let [t, stress] = expected(point.stretch);
        assert!((point.lateral_stretch - t).abs() < tolerance, "{law:?} {test:?}: {point:?}, {t}");
        let error = (point.nominal_stress - stress).abs();
        assert!(error < tolerance * law.shear_modulus().max(stress.abs()), "{law:?} {test:?}: {point:?}, {stress}");
    }
}

#[test]
fn rubber_that_keeps_its_volume_follows_the_textbook() {
    // Treloar 1975, chapters 4 and 5.
    let incompressible = 1e7;
    let uniaxial = |s: f64| (1.0 / s.sqrt(), s - s.powi(-2), s * s + 2.0 / s);
    check(&with("neo-hookean", &[1.5, incompressible]), StretchTest::Uniaxial, [0.3, 4.0], 1e-4, |s| {
        let (t, shape, _) = uniaxial(s);
        [t, 3.0 * shape]
    });
    check(&with("mooney-rivlin", &[1.5, incompressible, 0.4]), StretchTest::Uniaxial, [0.3, 4.0], 1e-4, |s| {
        let (t, shape, _) = uniaxial(s);
        [t, 2.0 * (1.5 + 0.4 / s) * shape]
    });
    check(&with("fung", &[1.5, incompressible, 0.4, 0.3]), StretchTest::Uniaxial, [0.3, 4.0], 1e-4, |s| {
        let (t, shape, i) = uniaxial(s);
        [t, 2.0 * (1.5 + 0.4 * 0.3 * (0.3 * (i - 3.0)).exp()) * shape]
    });
    check(&with("neo-hookean", &[1.5, incompressible]), StretchTest::Biaxial, [0.5, 2.5], 1e-4, |s| {
        [s.powi(-2), 3.0 * (s - s.powi(-5))]
    });
}

#[test]
fn st_venant_kirchhoff_has_the_sides_and_stresses_of_its_formula() {
    let law = law_of("stvk", 0.3);
    let LameParameters { mu, lambda } = LameParameters::solid(E, 0.3).unwrap();
    let green = |s: f64| 0.5 * (s * s - 1.0);
    check(&law, StretchTest::Uniaxial, [0.4, 2.0], 1e-9, |s| [(1.0 - 0.6 * green(s)).sqrt(), E * s * green(s)]);
    check(&law, StretchTest::Biaxial, [0.4, 1.4], 1e-9, |s| {
        [(1.0 - 4.0 * 0.3 / 0.7 * green(s)).sqrt(), E / 0.7 * s * green(s)]
    });
    check(&law, StretchTest::Shear, [0.4, 2.5], 1e-9, |s| {
        let shear = s - 1.0;
        [1.0, mu * shear + (0.5 * lambda + mu) * shear.powi(3)]
    });
    check(&law, StretchTest::Volumetric, [0.4, 2.5], 1e-9, |s| [s, (3.0 * lambda + 2.0 * mu) * s * green(s)]);
}

#[test]
fn corotated_and_rigid_materials_are_straight_lines_and_rubber_shears_along_one() {
    check(&law_of("corotated", NU), StretchTest::Uniaxial, [0.4, 2.5], 1e-9, |s| [1.0 - NU * (s - 1.0), E * (s - 1.0)]);
    let arap = law_of("arap", NU);
    check(&arap, StretchTest::Uniaxial, [0.4, 2.5], 1e-9, |s| [1.0, 2.0 * arap.shear_modulus() * (s - 1.0)]);
    let rubber = law_of("neo-hookean", NU);
    check(&rubber, StretchTest::Shear, [0.4, 2.5], 1e-9, |s| [1.0, rubber.shear_modulus() * (s - 1.0)]);
    check(&rubber, StretchTest::Volumetric, [0.4, 2.5], 1e-9, |s| {
        [s, rubber.bulk_modulus() * (s.powi(3) - 1.0) * s * s]
    });
}

#[test]
fn near_rest_every_material_is_linear_elasticity() {
    for kind in &LAWS {
        let law = law_of(kind.name, NU);
        let (youngs, nu) = (law.youngs_modulus(), law.poisson_ratio());
        for (test, slope, thinning) in [
            (StretchTest::Uniaxial, youngs, nu),
            (StretchTest::Biaxial, youngs / (1.0 - nu), 2.0 * nu / (1.0 - nu)),
            (StretchTest::Shear, law.shear_modulus(), 0.0),
            (StretchTest::Volumetric, 3.0 * law.bulk_modulus(), -1.0),
        ] {
            let curve = stress_curve(&law, test, &[1.0 - 1e-5, 1.0, 1.0 + 1e-5]);
            let [a, b, c] = curve.points[..] else { panic!("{} {test:?}: {:?}", kind.name, curve.left_out) };
            assert_eq!((b.stretch, b.lateral_stretch), (1.0, 1.0));
            assert!(b.nominal_stress.abs() < 1e-9 * slope, "{} {test:?}: {b:?}", kind.name);
            let found = (c.nominal_stress - a.nominal_stress) / 2e-5;
            assert!((found - slope).abs() < 1e-5 * slope, "{} {test:?}: {found} is not {slope}", kind.name);
            let found = (a.lateral_stretch - c.lateral_stretch) / 2e-5;
            assert!((found - thinning).abs() < 1e-5, "{} {test:?}: {found} is not {thinning}", kind.name);
        }
    }
}

/// With sides that are free the work of the grips is all the energy: dψ/ds = P₁₁, and with two pairs of grips twice that.
#[test]
fn stress_is_the_slope_of_energy_along_the_curve() {
    for kind in &LAWS {
        for (test, grips) in [(StretchTest::Uniaxial, 1.0), (StretchTest::Biaxial, 2.0), (StretchTest::Shear, 1.0)] {
            let law = law_of(kind.name, 0.3);
            for middle in [0.6, 0.9, 1.2] {
                let curve = stress_curve(&law, test, &[middle - 1e-5, middle, middle + 1e-5]);
                let [a, b, c] = curve.points[..] else { panic!("{} {test:?}: {:?}", kind.name, curve.left_out) };
                let psi = |p: StressPoint| law.density(test.deformation(p.stretch, p.lateral_stretch));
                let slope = (psi(c) - psi(a)) / 2e-5;
                let error = (slope - grips * b.nominal_stress).abs();
                assert!(error < 1e-6 * E, "{} {test:?} at {middle}: {slope}, {}", kind.name, b.nominal_stress);
            }
        }
    }
}

#[test]
fn shear_to_the_left_is_shear_to_the_right() {
    for kind in &LAWS {
        let law = law_of(kind.name, NU);
        let points = stress_curve(&law, StretchTest::Shear, &even_stretches(0.2, 1.8, 33)).points;
        for (left, right) in points.iter().zip(points.iter().rev()) {
            let sum = left.nominal_stress + right.nominal_stress;
            assert!(sum.abs() < 1e-9 * E, "{}: {left:?}, {right:?}", kind.name);
        }
    }
}

#[test]
fn pulling_harder_stretches_more_but_for_st_venant_kirchhoff_which_gives_way_when_squeezed() {
    for kind in LAWS.iter().filter(|kind| kind.name != "stvk") {
        for test in [StretchTest::Uniaxial, StretchTest::Shear] {
            let curve = stress_curve(&law_of(kind.name, NU), test, &even_stretches(0.4, 2.5, 100));
            assert_eq!((&curve.falls, &curve.left_out), (&vec![], &vec![]), "{} {test:?}", kind.name);
        }
    }
    let curve = stress_curve(&law_of("stvk", NU), StretchTest::Uniaxial, &even_stretches(0.3, 1.5, 601));
    let [fall] = curve.falls[..] else { panic!("{:?}", curve.falls) };
    assert!(fall[0] == 0.3 && (fall[1] - 3f64.sqrt().recip()).abs() < 2e-3, "{fall:?}");
}

#[test]
fn points_without_free_sides_are_left_out_and_said() {
    // 1 − ν (s² − 1) is zero at 1.795.
    let curve = stress_curve(&law_of("stvk", NU), StretchTest::Uniaxial, &even_stretches(1.5, 2.5, 101));
    assert_eq!(curve.points.len(), 30);
    let [gap] = curve.left_out[..] else { panic!("{:?}", curve.left_out) };
    assert!((gap.from - 1.8).abs() < 1e-9 && (gap.to, gap.points) == (2.5, 71), "{gap:?}");
    let Why::NoFreeSides { beyond, lateral_stretch } = gap.why else { panic!("{gap:?}") };
    assert!((beyond - (1.0 + 1.0 / NU).sqrt()).abs() < 1e-6 && lateral_stretch < 1e-3, "{gap:?}");
    let said = gap.to_string();
    assert!(said.starts_with("71 points from 1.80 to 2.50 left out: beyond a stretch of 1.795"), "{said}");
}

/// Where points lie does not decide which sides are found.
#[test]
fn few_points_are_those_of_many() {
    for kind in &LAWS {
        let law = law_of(kind.name, 0.3);
        let many = stress_curve(&law, StretchTest::Uniaxial, &even_stretches(0.5, 1.9, 141));
        let few = stress_curve(&law, StretchTest::Uniaxial, &[0.5, 1.9]);
        for (a, b) in [(many.points[0], few.points[0]), (many.points[140], few.points[1])] {
            assert!((a.lateral_stretch - b.lateral_stretch).abs() < 1e-12, "{}: {a:?}, {b:?}", kind.name);
        }
    }
}

#[test]
fn infinite_stress_is_left_out() {
    let curve = stress_curve(&with("stvk", &[0.0, 1e300]), StretchTest::Volumetric, &[1.0, 1e6]);
    assert_eq!((curve.points.len(), curve.left_out[0].why), (1, Why::NotFinite));
}

/// Regression: without a bulk modulus nothing pulls, and rounding fell.
#[test]
fn rounding_does_not_fall() {
    let curve = stress_curve(&with("neo-hookean", &[1.0, 0.0]), StretchTest::Uniaxial, &even_stretches(0.4, 2.5, 50));
    assert_eq!((curve.points.len(), curve.falls), (50, vec![]));
}

#[test]
fn sides_that_would_not_stay_equal_are_left_out_because_unequal_ones_cost_less() {
    let law = with("mooney-rivlin", &[2.0, 5.0, -1.0]);
    let curve = stress_curve(&law, StretchTest::Uniaxial, &[1.0, 1.3, 1.6, 1.9]);
    let [gap] = curve.left_out[..] else { panic!("{:?}", curve.left_out) };
    assert_eq!((curve.points.len(), gap.from, gap.to, gap.why), (2, 1.6, 1.9, Why::UnequalSides));
    let specimen = Specimen { law: &law, test: StretchTest::Uniaxial };
    let Ok([_, t]) = specimen.follow([1.0, 1.0], 1.6) else { panic!("the sides are free there") };
    let cost = |by: f64| law.density(Mat3::diagonal(Vec3::new(1.6, t - by, t + by)));
    assert!(cost(0.05) < cost(0.0), "{} {}", cost(0.05), cost(0.0));
}

use super::*;
use crate::material::ArapTet;
use crate::material::harness::{
    TET, UNIT_TET, check_energy, check_invariance, check_scales, check_spectral, count_convex_samples, samples,
};

fn lame() -> LameParameters {
    LameParameters::solid(100.0, 0.3).unwrap()
}

fn rubber() -> SplineMaterial<f64> {
    SplineMaterial::from_lame(lame()).unwrap()
}

fn through(points: &[[f64; 2]]) -> SplineEnergy<f64> {
    SplineEnergy::through(points).unwrap()
}

/// All three functions bent.
fn drawn() -> SplineMaterial<f64> {
    SplineMaterial::new(
        through(&[[0.3, -120.0], [0.7, -20.0], [1.0, 0.0], [1.4, 15.0], [2.5, 140.0]]),
        through(&[[0.2, -30.0], [1.0, 0.0], [3.0, 12.0], [5.0, 40.0]]),
        through(&[[0.1, -90.0], [0.5, -20.0], [1.0, 0.0], [2.0, 30.0], [6.0, 300.0]]),
    )
}

fn with_fibres() -> SplineMaterial<f64> {
    let stiff = through(&[[0.5, -10.0], [1.0, 0.0], [1.5, 12.0], [2.0, 40.0]]);
    let slack = through(&[[0.5, 0.0], [1.0, 0.0], [1.5, 5.0], [2.0, 25.0]]);
    rubber().with_fibre(Vec3::new(1.0, 2.0, -0.5), stiff).unwrap().with_fibre(Vec3::new(0.0, 0.3, 3.0), slack).unwrap()
}

fn meets_its_derivatives(material: SplineMaterial<f64>) {
    for share in [0.0, 0.4, 1.0] {
        let tet = SplineTet { share, ..SplineTet::new(TET, material).unwrap() };
        check_energy(&tet, &tet.cast::<f32>(), &TET);
        check_invariance(&tet, &TET);
        assert!(count_convex_samples(&tet, &TET) > 5);
    }
    check_scales(&TET, |rest| SplineTet::new(rest, material).unwrap(), |tet| tet.cast::<f32>());
}

fn hessian_is_the_exact_one_without_its_negative_eigenvalues(material: SplineMaterial<f64>) {
    for share in [0.0, 0.4, 1.0] {
        let unit = SplineTet { share, ..SplineTet::new(UNIT_TET, material).unwrap() };
        check_spectral(&unit, &UNIT_TET, 1);
    }
}

#[test]
fn rubber_of_splines_meets_its_derivatives() {
    meets_its_derivatives(rubber());
    hessian_is_the_exact_one_without_its_negative_eigenvalues(rubber());
}

#[test]
fn a_drawn_material_meets_its_derivatives() {
    meets_its_derivatives(drawn());
    hessian_is_the_exact_one_without_its_negative_eigenvalues(drawn());
}

#[test]
fn fibres_meet_their_derivatives() {
    meets_its_derivatives(with_fibres());
}

#[test]
fn with_fibres_the_sum_is_projected_and_not_its_parts() {
    hessian_is_the_exact_one_without_its_negative_eigenvalues(with_fibres());
}

#[test]
fn hessian_and_excess_make_the_exact_hessian() {
    for material in [drawn(), with_fibres()] {
        let tet = SplineTet::new(TET, material).unwrap();
        for x in samples(&TET) {
            let (psd, exact) = (tet.hessian_psd(&x), tet.hessian_exact(&x));
            let excess = tet.hessian_excess(&x);
            for i in 0..4 {
                for j in 0..4 {
                    let sum = exact[i][j] + excess.map_or(Mat3::ZERO, |excess| excess[i][j]);
                    let error = (sum - psd[i][j]).norm_sq().sqrt();
                    assert!(error <= 1e-9 * (psd[i][i].norm_sq() + exact[i][i].norm_sq()).sqrt(), "{i}{j}: {error}");
                }
            }
        }
    }
}

#[test]
fn a_straight_line_for_f_is_as_rigid_as_possible_inside_out_too() {
    let line = through(&[[0.5, -5.0], [1.0, 0.0], [2.0, 10.0]]);
    let tet = SplineTet::new(TET, SplineMaterial::new(line, SplineEnergy::NONE, SplineEnergy::NONE)).unwrap();
    let arap = ArapTet::new(TET, 5.0).unwrap();
    assert!((tet.material.shear_modulus() - 5.0).abs() < 1e-12);
    for x in samples(&TET) {
        let (a, b) = (tet.value(&x), arap.value(&x));
        assert!((a - b).abs() < 1e-9 * b.max(1.0), "{a}, {b}");
        for (a, b) in tet.gradient(&x).into_iter().zip(arap.gradient(&x)) {
            assert!((a - b).length() < 1e-8 * b.length().max(1.0), "{a:?}, {b:?}");
        }
    }
}

#[test]
fn small_strains_cost_what_linear_elasticity_says() {
    let strain =
        Mat3::from_columns(Vec3::new(2.0, 1.0, 0.5), Vec3::new(1.0, -1.0, 0.3), Vec3::new(0.5, 0.3, 0.7)) * 1e-5;
    let check = |material: SplineMaterial<f64>| {
        let (mu, lambda) = (material.shear_modulus(), material.lame_lambda());
        let expected = strain * (2.0 * mu) + Mat3::scalar(lambda * strain.trace());
        let found = material.stress(Mat3::IDENTITY + strain);
        assert!((found - expected).norm_sq().sqrt() < 1e-3 * expected.norm_sq().sqrt(), "{found:?}, {expected:?}");
        (mu, lambda)
    };
    check(drawn());
    let LameParameters { mu, lambda } = lame();
    let (found_mu, found_lambda) = check(rubber());
    assert!((found_mu - mu).abs() < 1e-12 * mu && (found_lambda - lambda).abs() < 1e-12 * lambda);
    let error = SplineMaterial::from_lame(LameParameters::solid(1.0, -0.2).unwrap()).unwrap_err().to_string();
    assert!(error.contains("Poisson's ratio >= 0"), "{error}");
}

#[test]
fn fibres_pull_along_themselves_alone() {
    let fibre = through(&[[0.5, 0.0], [1.0, 0.0], [2.0, 80.0]]);
    let material = rubber().with_fibre(Vec3::new(0.0, 3.0, 0.0), fibre).unwrap();
    let more = |F: Mat3<f64>| material.stress(F) - rubber().stress(F);
    let stretched = |x: f64, y: f64| Mat3::diagonal(Vec3::new(x, y, 1.0));
    assert!(more(stretched(2.0, 1.0)).norm_sq() < 1e-20, "across");
    assert!(more(stretched(1.0, 0.7)).norm_sq() < 1e-20, "slack");
    let pulled = more(stretched(1.3, 2.0));
    assert!((pulled - Mat3::diagonal(Vec3::new(0.0, 80.0, 0.0))).norm_sq() < 1e-20, "{pulled:?}");
    let turned = Mat3::rotation(Vec3::axis(2), 0.5);
    let error = (more(turned * stretched(1.0, 2.0)) - turned * pulled).norm_sq();
    assert!(error < 1e-18, "{error}");

    let full = (0..3).try_fold(rubber(), |m, k| m.with_fibre(Vec3::axis(k), fibre)).unwrap();
    assert!(full.with_fibre(Vec3::axis(0), fibre).unwrap_err().to_string().contains("at most 3"));
    assert!(rubber().with_fibre(Vec3::ZERO, fibre).is_err());
}

#[test]
fn a_mirrored_element_is_pushed_back_through_and_a_crushed_one_is_converted() {
    let tet = SplineTet::new(UNIT_TET, rubber()).unwrap();
    let squeezed = |by: f64| UNIT_TET.map(|p| Vec3::new(p.x, by * p.y, p.z));
    let slopes: Vec<f64> = (-9..10).map(|k| tet.gradient(&squeezed(0.1 * f64::from(k)))[2].y).collect();
    assert!(slopes.iter().all(|slope| *slope < 0.0) && slopes.is_sorted(), "{slopes:?}");
    let share = |by| tet.share_at(&squeezed(by));
    assert!(share(0.2) < 0.0 && share(0.01) > 1.0 && (share(0.1) - 0.5).abs() < 1e-12);
}

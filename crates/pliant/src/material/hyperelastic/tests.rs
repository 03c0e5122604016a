use super::*;
use crate::material::LameParameters;
use crate::material::harness::{
    TET, UNIT_TET, check_energy, check_invariance, check_scales, check_spectral, count_convex_samples,
};
use crate::math::SplitMix;

fn lame() -> LameParameters {
    LameParameters::solid(100.0, 0.3).unwrap()
}

fn meets_its_derivatives<D>(density: D)
where
    D: Density<f64>,
    D::In<f32>: Density<f32>,
{
    for share in [0.0, 0.4, 1.0] {
        let tet = HyperelasticTet { share, ..HyperelasticTet::new(TET, density).unwrap() };
        check_energy(&tet, &tet.cast::<f32>(), &TET);
        check_invariance(&tet, &TET);
        assert!(count_convex_samples(&tet, &TET) > 5);
        let unit = HyperelasticTet { share, ..HyperelasticTet::new(UNIT_TET, density).unwrap() };
        check_spectral(&unit, &UNIT_TET, 1);
    }
    check_scales(&TET, |rest| HyperelasticTet::new(rest, density).unwrap(), |tet| tet.cast::<f32>());
}

#[test]
fn st_venant_kirchhoff_meets_its_derivatives() {
    meets_its_derivatives(StVenantKirchhoff::from(lame()));
}

#[test]
fn neo_hookean_meets_its_derivatives() {
    meets_its_derivatives(NeoHookean::from(lame()));
}

#[test]
fn mooney_rivlin_meets_its_derivatives() {
    meets_its_derivatives(MooneyRivlin::from(lame()));
}

#[test]
fn fung_meets_its_derivatives() {
    meets_its_derivatives(Fung::from(lame()));
}

#[test]
fn stable_neo_hookean_meets_its_derivatives() {
    meets_its_derivatives(StableNeoHookean::from(lame()));
}

/// Deformations that keep their side.
fn deformations() -> Vec<Mat3<f64>> {
    let mut random = SplitMix(3);
    let mut vector = || Vec3::of(random.point());
    let any = std::iter::repeat_with(|| Mat3::from_columns(vector(), vector(), vector()) * 0.4 + Mat3::IDENTITY);
    any.filter(|F| F.det() > 0.05).take(200).collect()
}

/// W of I, II and III, its slopes, and its second derivatives: W_I,I, W_I,III, W_II,III and W_III,III. No model has others.
type Printed = (f64, [f64; 3], [f64; 4]);

/// ψ and P by course eq 40 to 43 with the corrections, in the invariants that the paper has: P = 2 W_I F + 4 W_II F C + 2 III W_III
/// F^−T; and its derivative along any dF.
fn check_closed_form(density: impl Density<f64>, printed: impl Fn([f64; 3]) -> Printed) {
    let tet = HyperelasticTet::new(UNIT_TET, density).unwrap();
    let mut random = SplitMix(4);
    for F in deformations() {
        let C = F.transpose() * F;
        let (value, [w1, w2, w3], [w11, w13, w23, w33]) = printed([C.trace(), C.norm_sq(), C.det()]);
        let found = density_at(&density, F);
        assert!((found - value).abs() <= 1e-9 * value.abs().max(1.0), "{found}, {value}");
        let inverse = F.inverse().unwrap().transpose();
        let stress = F * (2.0 * w1) + F * C * (4.0 * w2) + inverse * (2.0 * C.det() * w3);
        let error = (stress_at(&density, F) - stress).norm_sq().sqrt();
        assert!(error <= 1e-9 * stress.norm_sq().sqrt().max(1.0), "{error} of {stress:?}");

        let dF = Mat3::from_columns(Vec3::of(random.point()), Vec3::of(random.point()), Vec3::of(random.point()));
        let dC = dF.transpose() * F + F.transpose() * dF;
        let (iii, d_inverse) = (C.det(), inverse * dF.transpose() * inverse * -1.0);
        let (d_i, d_iii) = (dC.trace(), 2.0 * iii * inverse.dot(dF));
        let d_ii = 2.0 * C.dot(dC);
        let (d1, d2) = (w11 * d_i + w13 * d_iii, w23 * d_iii);
        let d3 = w13 * d_i + w23 * d_ii + w33 * d_iii;
        let expected = F * (2.0 * d1)
            + dF * (2.0 * w1)
            + F * C * (4.0 * d2)
            + (dF * C + F * dC) * (4.0 * w2)
            + inverse * (2.0 * (d_iii * w3 + iii * d3))
            + d_inverse * (2.0 * iii * w3);
        // Corners 1, 2 and 3 are the columns of F.
        let hessian = tet.hessian_exact(&[Vec3::ZERO, F.c[0], F.c[1], F.c[2]]);
        let column = |i: usize| (0..3).fold(Vec3::ZERO, |sum, j| sum + hessian[i + 1][j + 1] * dF.c[j]);
        let found = Mat3::from_columns(column(0), column(1), column(2)) * (1.0 / tet.rest.measure);
        let (error, size) = ((found - expected).norm_sq().sqrt(), expected.norm_sq().sqrt());
        assert!(error <= 1e-9 * size.max(1.0), "{error} of {size}: {F:?}, {dF:?}");
    }
}

/// s₀ (III^(−1/3) I − 3) + s₁ (III^(1/2) − 1)² and its derivatives.
fn printed_neo_hookean(s0: f64, s1: f64, i: f64, iii: f64) -> Printed {
    let (shape, j) = (iii.powf(-1.0 / 3.0), iii.sqrt());
    let value = s0 * (shape * i - 3.0) + s1 * (j - 1.0).powi(2);
    let w33 = 4.0 / 9.0 * s0 * shape * i / (iii * iii) + 0.5 * s1 / (j * iii);
    let second = [0.0, -s0 / 3.0 * shape / iii, 0.0, w33];
    (value, [s0 * shape, 0.0, -s0 / 3.0 * shape * i / iii + s1 * (j - 1.0) / j], second)
}

#[test]
fn densities_are_those_of_the_paper_as_corrected() {
    let LameParameters { mu, lambda } = lame();
    check_closed_form(StVenantKirchhoff::from(lame()), |[i, ii, _]| {
        let value = lambda / 8.0 * (i - 3.0).powi(2) + mu / 4.0 * (ii - 2.0 * i + 3.0);
        (value, [lambda / 4.0 * (i - 3.0) - mu / 2.0, mu / 4.0, 0.0], [lambda / 4.0, 0.0, 0.0, 0.0])
    });
    check_closed_form(NeoHookean { s: [2.0, 5.0] }, |[i, _, iii]| printed_neo_hookean(2.0, 5.0, i, iii));
    check_closed_form(MooneyRivlin { s: [2.0, 5.0, 0.7] }, |[i, ii, iii]| {
        let (value, [w1, _, w3], [_, w13, _, w33]) = printed_neo_hookean(2.0, 5.0, i, iii);
        let shape = 0.7 * 0.5 * iii.powf(-2.0 / 3.0);
        let area = shape * (i * i - ii);
        let (w13, w33) = (w13 - 4.0 / 3.0 * shape * i / iii, w33 + 10.0 / 9.0 * area / (iii * iii));
        let second = [2.0 * shape, w13, 2.0 / 3.0 * shape / iii, w33];
        (value + area - 2.1, [w1 + 2.0 * shape * i, -shape, w3 - 2.0 / 3.0 * area / iii], second)
    });
    check_closed_form(Fung { s: [2.0, 5.0, 0.7, 1.5] }, |[i, _, iii]| {
        let (value, [w1, _, w3], [_, w13, _, w33]) = printed_neo_hookean(2.0, 5.0, i, iii);
        let shape = iii.powf(-1.0 / 3.0);
        let growth = 0.7 * (1.5 * (shape * i - 3.0)).exp();
        // Of the exponent.
        let (u1, u3) = (1.5 * shape, -0.5 * shape * i / iii);
        let (u13, u33) = (-0.5 * shape / iii, 2.0 / 3.0 * shape * i / (iii * iii));
        let second = [growth * u1 * u1, w13 + growth * (u1 * u3 + u13), 0.0, w33 + growth * (u3 * u3 + u33)];
        (value + growth - 0.7, [w1 + growth * u1, 0.0, w3 + growth * u3], second)
    });
    // Smith 2018, eq 14.
    let stable = StableNeoHookean::from(lame());
    let StableNeoHookean { mu, lambda } = stable;
    let alpha = 1.0 + mu / lambda - mu / (4.0 * lambda);
    let at_rest = lambda / 2.0 * (1.0 - alpha).powi(2) - mu / 2.0 * 4.0f64.ln();
    check_closed_form(stable, |[i, _, iii]| {
        let j = iii.sqrt();
        let value = mu / 2.0 * (i - 3.0) + lambda / 2.0 * (j - alpha).powi(2) - mu / 2.0 * (i + 1.0).ln();
        let second = [mu / 2.0 / (i + 1.0).powi(2), 0.0, 0.0, lambda * alpha / (4.0 * j * iii)];
        (value - at_rest, [mu / 2.0 - mu / 2.0 / (i + 1.0), 0.0, lambda * (j - alpha) / (2.0 * j)], second)
    });
}

#[test]
fn small_strains_cost_what_linear_elasticity_says() {
    fn check(density: impl Density<f64>) {
        let LameParameters { mu, lambda } = lame();
        assert!((density.shear_modulus() - mu).abs() < 1e-12 * mu);
        let strain = Mat3::from_columns(Vec3::new(2.0, 1.0, 0.5), Vec3::new(1.0, -1.0, 0.3), Vec3::new(0.5, 0.3, 0.7));
        let strain = strain * 1e-5;
        let expected = strain * (2.0 * mu) + Mat3::scalar(lambda * strain.trace());
        let found = stress_at(&density, Mat3::IDENTITY + strain);
        assert!((found - expected).norm_sq().sqrt() < 1e-4 * expected.norm_sq().sqrt(), "{found:?}, {expected:?}");
    }
    check(StVenantKirchhoff::from(lame()));
    check(NeoHookean::from(lame()));
    check(MooneyRivlin::from(lame()));
    check(Fung::from(lame()));
    check(StableNeoHookean::from(lame()));
}

/// Rubber may be stretched to ten times its length.
#[test]
fn a_stretch_of_ten_at_constant_volume_is_still_the_model() {
    let F = Mat3::diagonal(Vec3::new(10.0, 0.1f64.sqrt(), 0.1f64.sqrt()));
    let psi = density_at(&NeoHookean { s: [2.0, 5.0] }, F);
    let expected = 2.0 * (100.0 + 0.2 - 3.0);
    assert!((psi - expected).abs() < 1e-9 * expected, "{psi}");
}

#[test]
fn crushed_elements_are_converted() {
    let tet = HyperelasticTet::new(UNIT_TET, NeoHookean::from(lame())).unwrap();
    let squeezed = |by: f64| UNIT_TET.map(|p| Vec3::new(p.x, by * p.y, p.z));
    let share = |by| tet.share_at(&squeezed(by));
    assert!(share(0.2) < 0.0 && share(0.01) > 1.0 && share(-1.0) > 1.0);
    assert!((share(0.1) - 0.5).abs() < 1e-12 && (share(0.05) - 1.0).abs() < 1e-12);
    let stvk = HyperelasticTet::new(UNIT_TET, StVenantKirchhoff::from(lame())).unwrap();
    assert!((stvk.share_at(&squeezed(0.275)) - 0.5).abs() < 1e-12);
    // Converted wholly it is as rigid as possible, whose only rest is the right way round.
    let converted = HyperelasticTet { share: 1.0, ..tet };
    let arap = crate::material::ArapTet::new(UNIT_TET, lame().mu).unwrap();
    let mirrored = squeezed(-1.0);
    assert_eq!(converted.value(&mirrored), arap.value(&mirrored));
    assert!((converted.gradient(&mirrored)[2] - arap.gradient(&mirrored)[2]).length() < 1e-12);
}

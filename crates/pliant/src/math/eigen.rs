//! Eigenvalues of small symmetric matrices by cyclic Jacobi rotations (Golub and Van Loan, section 8.5), and the
//! nearest positive semi-definite matrix. For Hessians of elements: 3×3 to 12×12.

use super::Real;

/// A symmetric matrix, or any square one, by rows.
pub type Square<R, const N: usize> = [[R; N]; N];

/// Cyclic sweeps; 12×12 in f64 needs about 8.
const SWEEPS: usize = 30;

/// Eigenvalues (unsorted) and orthonormal eigenvectors of a symmetric matrix: `vectors[k]` belongs to `values[k]`.
pub fn symmetric_eigen<R: Real, const N: usize>(matrix: Square<R, N>) -> ([R; N], Square<R, N>) {
    let mut a = matrix;
    let mut vectors = [[R::ZERO; N]; N];
    for i in 0..N {
        vectors[i][i] = R::ONE;
    }
    let size = a.iter().flatten().fold(R::ZERO, |m, e| m.max(e.abs()));
    let negligible = size * R::EPSILON * R::of(0.1);
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..N {
            for q in p + 1..N {
                if a[p][q].abs() > negligible {
                    rotate(&mut a, &mut vectors, p, q);
                    rotated = true;
                }
            }
        }
        if !rotated {
            break;
        }
    }
    (std::array::from_fn(|i| a[i][i]), vectors)
}

/// Makes entry (p, q) zero.
fn rotate<R: Real, const N: usize>(a: &mut Square<R, N>, vectors: &mut Square<R, N>, p: usize, q: usize) {
    let zeta = (a[q][q] - a[p][p]) / (a[p][q] + a[p][q]);
    let t = (R::ONE / (zeta.abs() + (R::ONE + zeta * zeta).sqrt())).copysign(zeta);
    let c = R::ONE / (R::ONE + t * t).sqrt();
    let s = c * t;
    let (app, aqq, apq) = (a[p][p], a[q][q], a[p][q]);
    for k in 0..N {
        if k != p && k != q {
            let (x, y) = (a[k][p], a[k][q]);
            let (x, y) = (c * x - s * y, s * x + c * y);
            (a[k][p], a[p][k], a[k][q], a[q][k]) = (x, x, y, y);
        }
        let (x, y) = (vectors[p][k], vectors[q][k]);
        (vectors[p][k], vectors[q][k]) = (c * x - s * y, s * x + c * y);
    }
    a[p][p] = app - t * apq;
    a[q][q] = aqq + t * apq;
    (a[p][q], a[q][p]) = (R::ZERO, R::ZERO);
}

/// The positive semi-definite matrix nearest to a symmetric one (Frobenius): negative eigenvalues become zero. A
/// matrix without negative eigenvalues comes back unchanged, bit for bit.
pub fn project_psd<R: Real, const N: usize>(matrix: Square<R, N>) -> Square<R, N> {
    let (values, vectors) = symmetric_eigen(matrix);
    if values.iter().all(|&v| v >= R::ZERO) {
        return matrix;
    }
    // From whichever part is smaller: rounding is then relative to what is left, even if that is zero.
    let negative = values.iter().filter(|&&v| v < R::ZERO).count();
    let keep_positive = 2 * negative > N;
    let mut out = if keep_positive { [[R::ZERO; N]; N] } else { matrix };
    for (value, vector) in values.iter().zip(&vectors) {
        if (*value > R::ZERO) == keep_positive {
            let factor = value.abs();
            for i in 0..N {
                for j in 0..N {
                    out[i][j] += factor * vector[i] * vector[j];
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample<const N: usize>(seed: u64) -> Square<f64, N> {
        let mut state = seed;
        let mut a = [[0.0; N]; N];
        for i in 0..N {
            for j in 0..=i {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                a[i][j] = (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
                a[j][i] = a[i][j];
            }
        }
        a
    }

    #[test]
    fn eigenpairs_rebuild_the_matrix() {
        for seed in 0..20 {
            let a = sample::<12>(seed);
            let (values, vectors) = symmetric_eigen(a);
            for i in 0..12 {
                for j in 0..12 {
                    let entry: f64 = (0..12).map(|k| values[k] * vectors[k][i] * vectors[k][j]).sum();
                    assert!((entry - a[i][j]).abs() < 1e-13);
                    let product: f64 = (0..12).map(|k| vectors[i][k] * vectors[j][k]).sum();
                    assert!((product - f64::from(u8::from(i == j))).abs() < 1e-13);
                }
            }
        }
    }

    #[test]
    fn projection_removes_only_the_negative_part() {
        for seed in 0..20 {
            let a = sample::<6>(seed);
            let (before, _) = symmetric_eigen(a);
            let (mut after, _) = symmetric_eigen(project_psd(a));
            let mut expected = before.map(|v| v.max(0.0));
            after.sort_by(f64::total_cmp);
            expected.sort_by(f64::total_cmp);
            for (x, y) in after.iter().zip(expected) {
                assert!((x - y).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn negative_matrices_become_exactly_zero() {
        assert_eq!(project_psd([[-2.0, 0.5], [0.5, -1.0]]), [[0.0; 2]; 2]);
    }

    #[test]
    fn positive_matrices_come_back_unchanged() {
        let a = [[2.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 3.0]];
        assert_eq!(project_psd(a), a);
    }
}

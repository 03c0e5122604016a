use super::Csr;
use crate::math::Real;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::traits::RealField;
use faer::{Conj, MatMut, Par, Side};

/// Sparse Cholesky by `faer` in `f64` or `f32`: analysed once for a pattern, factored again for each set of values.
/// Sequential, so that the bits do not depend on the number of threads.
pub struct Cholesky<T = f64> {
    symbolic: SymbolicCholesky<u32>,
    factor: Vec<T>,
    workspace: MemBuffer,
    columns: usize,
}

/// Why a matrix could not be factored.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CholeskyError {
    /// A pivot was not positive.
    #[error("the matrix is not positive definite (row {row} in elimination order)")]
    NotPositiveDefinite {
        /// Row in elimination order.
        row: usize,
    },
    /// The factor does not fit.
    #[error("the Cholesky factor does not fit in memory; use an iterative method such as pd-jacobi-chebyshev")]
    OutOfMemory,
}

impl Cholesky {
    /// Analyses the pattern of a symmetric matrix; `columns` is the number of right-hand sides solved at once.
    pub fn analyse(matrix: &Csr, columns: usize) -> Result<Self, CholeskyError> {
        Self::analyse_as(matrix, columns, SymmetricOrdering::Amd, SupernodalThreshold::AUTO)
    }

    /// Factors a matrix of the analysed pattern.
    pub fn factor(&mut self, matrix: &Csr) -> Result<(), CholeskyError> {
        self.factor_values(matrix, &matrix.value)
    }
}

impl<T: Real + RealField> Cholesky<T> {
    /// As [`Cholesky::analyse`], for a matrix whose rows are in their order of elimination already. What is left of the
    /// diagonal need not be there.
    pub fn analyse_ordered(matrix: &Csr, columns: usize) -> Result<Self, CholeskyError> {
        // The analysis looks at one triangle, the factorisation at the other. The algorithm for small matrices would want
        // to be given one triangle and nothing else.
        Self::analyse_as(
            &matrix.transposed(matrix.rows()),
            columns,
            SymmetricOrdering::Identity,
            SupernodalThreshold::FORCE_SUPERNODAL,
        )
    }

    fn analyse_as(
        matrix: &Csr,
        columns: usize,
        order: SymmetricOrdering<u32>,
        threshold: SupernodalThreshold,
    ) -> Result<Self, CholeskyError> {
        let parameters =
            CholeskySymbolicParams { supernodal_flop_ratio_threshold: threshold, ..CholeskySymbolicParams::default() };
        let symbolic = factorize_symbolic_cholesky(pattern(matrix), Side::Lower, order, parameters)
            .map_err(|_| CholeskyError::OutOfMemory)?;
        let need = StackReq::any_of(&[
            symbolic.factorize_numeric_llt_scratch::<T>(Par::Seq, Default::default()),
            symbolic.solve_in_place_scratch::<T>(columns, Par::Seq),
        ]);
        let workspace = MemBuffer::try_new(need).map_err(|_| CholeskyError::OutOfMemory)?;
        let mut factor = Vec::new();
        factor.try_reserve_exact(symbolic.len_val()).map_err(|_| CholeskyError::OutOfMemory)?;
        factor.resize(symbolic.len_val(), T::ZERO);
        Ok(Self { symbolic, factor, workspace, columns })
    }

    /// Factors a matrix of the analysed pattern with other values than its own. Those left of the diagonal are not looked
    /// at if it was analysed in its order.
    pub fn factor_values(&mut self, matrix: &Csr, values: &[T]) -> Result<(), CholeskyError> {
        let values = SparseColMatRef::new(pattern(matrix), values);
        let stack = MemStack::new(&mut self.workspace);
        self.symbolic
            .factorize_numeric_llt(
                &mut self.factor,
                values,
                Side::Lower,
                Default::default(),
                Par::Seq,
                stack,
                Default::default(),
            )
            .map(|_| ())
            .map_err(|error| match error {
                faer::linalg::cholesky::llt::factor::LltError::NonPositivePivot { index } => {
                    CholeskyError::NotPositiveDefinite { row: index }
                }
            })
    }

    /// Replaces the right-hand sides (column-major) by the solution.
    pub fn solve(&mut self, rhs: &mut [T]) {
        let rhs = MatMut::from_column_major_slice_mut(rhs, self.symbolic.nrows(), self.columns);
        let stack = MemStack::new(&mut self.workspace);
        LltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(Conj::No, rhs, Par::Seq, stack);
    }
}

/// A symmetric matrix by rows is the same matrix by columns.
fn pattern(matrix: &Csr) -> SymbolicSparseColMatRef<'_, u32> {
    SymbolicSparseColMatRef::new_checked(matrix.rows(), matrix.rows(), &matrix.offset, None, &matrix.column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(n: u32, diagonal: f64) -> Csr {
        let springs = (0..n - 1).flat_map(|i| [(i, i + 1, -1.0), (i + 1, i, -1.0)]);
        Csr::from_triplets(n as usize, springs.chain((0..n).map(move |i| (i, i, diagonal))))
    }

    #[test]
    fn solves_and_refactors_with_the_same_pattern() {
        let n = 50;
        let mut cholesky = Cholesky::analyse(&path(n, 2.5), 2).unwrap();
        for diagonal in [2.5, 7.0] {
            let matrix = path(n, diagonal);
            cholesky.factor(&matrix).unwrap();
            let x: Vec<f64> = (0..2 * n).map(|i| (f64::from(i) * 0.7).sin()).collect();
            let product = |x: &[f64], i: usize| matrix.row(i).map(|(j, a)| a * x[j]).sum::<f64>();
            let (first, second) = x.split_at(n as usize);
            let mut b: Vec<f64> = (0..n as usize).map(|i| product(first, i)).collect();
            b.extend((0..n as usize).map(|i| product(second, i)));
            cholesky.solve(&mut b);
            assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-12));
        }
    }

    #[test]
    fn in_a_given_order_the_upper_triangle_is_enough_in_either_precision() {
        let n = 40;
        let matrix = path(n, 2.5);
        let mut upper = Csr { offset: vec![0], ..Csr::default() };
        for i in 0..n as usize {
            for (j, a) in matrix.row(i).filter(|(j, _)| *j >= i) {
                upper.column.push(j as u32);
                upper.value.push(a);
            }
            upper.offset.push(upper.column.len() as u32);
        }
        let x: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.7).sin()).collect();
        let b: Vec<f64> = (0..n as usize).map(|i| matrix.row(i).map(|(j, a)| a * x[j]).sum()).collect();
        let (mut wide, mut narrow) = (b.clone(), b.iter().map(|b| *b as f32).collect::<Vec<_>>());
        let mut cholesky = Cholesky::<f64>::analyse_ordered(&upper, 1).unwrap();
        cholesky.factor_values(&upper, &upper.value).unwrap();
        cholesky.solve(&mut wide);
        let values: Vec<f32> = upper.value.iter().map(|a| *a as f32).collect();
        let mut cholesky = Cholesky::<f32>::analyse_ordered(&upper, 1).unwrap();
        cholesky.factor_values(&upper, &values).unwrap();
        cholesky.solve(&mut narrow);
        assert!(wide.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-12));
        assert!(narrow.iter().zip(&x).all(|(b, x)| (f64::from(*b) - x).abs() < 1e-5));
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let matrix = path(5, 0.1);
        let mut cholesky = Cholesky::analyse(&matrix, 1).unwrap();
        assert!(matches!(cholesky.factor(&matrix), Err(CholeskyError::NotPositiveDefinite { .. })));
    }

    #[test]
    fn an_empty_matrix_is_fine() {
        let matrix = Csr::from_triplets(0, std::iter::empty());
        let mut cholesky = Cholesky::analyse(&matrix, 3).unwrap();
        cholesky.factor(&matrix).unwrap();
        cholesky.solve(&mut []);
        let mut cholesky = Cholesky::<f32>::analyse_ordered(&matrix, 1).unwrap();
        cholesky.factor_values(&matrix, &[]).unwrap();
        cholesky.solve(&mut []);
    }
}

//! Sparse symmetric matrices and the direct solver.

mod cholesky;
mod csr;

pub use cholesky::{Cholesky, CholeskyError};
pub use csr::Csr;

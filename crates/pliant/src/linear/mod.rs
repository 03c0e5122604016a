//! Sparse matrices, the direct solver and the hierarchy of multigrid.

mod cholesky;
mod csr;
mod multigrid;

pub use cholesky::{Cholesky, CholeskyError};
pub use csr::Csr;
pub use multigrid::{Hierarchy, Level};

//! Sparse matrices, the direct solver and the hierarchy of multigrid.

mod cholesky;
mod csr;
mod dissection;
mod multigrid;

pub use cholesky::{Cholesky, CholeskyError};
pub use csr::Csr;
pub use dissection::nested_dissection;
pub use multigrid::{Hierarchy, Level};

//! A hierarchy of ever coarser matrices by smoothed aggregation (Vaněk, Mandel, Brezina 1996; for cloth Tamstorf et al.
//! 2015), made from a matrix alone: no mesh, so it serves cloth, solids and both together.
//!
//! Neighbours that are strongly coupled become one coarse unknown (an aggregate). Interpolation takes the value of the
//! aggregate and smooths it once, P = (I − ω D⁻¹A) T; the coarse matrix is Galerkin's, PᵀA P. One symmetric V-cycle on
//! this hierarchy is a cheap, positive definite stand-in for A⁻¹ whose quality hardly depends on the size of the mesh.
//!
//! Rows that nothing is strongly coupled to (held vertices, inertia far above stiffness) have no coarse unknown: there a
//! Jacobi sweep is enough.

use super::Csr;

/// One step of the hierarchy: a matrix, and the way to the next coarser one.
#[derive(Clone, Debug)]
pub struct Level {
    /// A of this level, N/m.
    pub matrix: Csr,
    /// What its Jacobi sweeps divide by, N/m: the diagonal; on the coarsest of several levels Σⱼ|a_ij|, because nothing
    /// follows that could mend an overshoot.
    pub divisor: Vec<f64>,
    /// ω of its Jacobi sweeps.
    pub omega: f64,
    /// P: a row for each row of the matrix, a column for each row of the next level's. Empty on the coarsest level.
    pub interpolation: Csr,
    /// Pᵀ.
    pub restriction: Csr,
    /// Largest Σ|P| of a row: with it, a diagonal matrix C has PᵀC P ≤ this · diag(|P|ᵀ C 1).
    pub interpolation_norm: f64,
}

/// Levels, the finest first.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    /// At least one.
    pub levels: Vec<Level>,
}

/// Rows i and j are strongly coupled if |a_ij| exceeds this times √(a_ii a_jj); halved from level to level.
const STRONG: f64 = 0.08;

/// Sweeps of power iteration for λ of D⁻¹A, and what it may underestimate.
const POWER_SWEEPS: usize = 20;
const POWER_RESERVE: f64 = 1.1;

impl Hierarchy {
    /// For a symmetric positive definite matrix.
    pub fn new(matrix: &Csr) -> Self {
        let mut levels = Vec::new();
        let mut matrix = matrix.clone();
        let mut strong = STRONG;
        loop {
            let diagonal = matrix.diagonal();
            let largest = POWER_RESERVE * matrix.largest_jacobi_eigenvalue(POWER_SWEEPS).max(1.0);
            let aggregates = Aggregates::new(&matrix, &diagonal, strong);
            let rows = matrix.rows();
            if aggregates.count == 0 {
                let alone = levels.is_empty();
                levels.push(Level::coarsest(matrix, if alone { Some((diagonal, 1.0 / largest)) } else { None }));
                return Self { levels };
            }
            let omega = 4.0 / (3.0 * largest);
            let interpolation = smoothed(&matrix, &diagonal, &aggregates, omega, strong);
            let restriction = interpolation.transposed(aggregates.count);
            let coarse = restriction.times(&matrix.times(&interpolation, aggregates.count), aggregates.count);
            let norm = |i: usize| interpolation.row(i).map(|(_, value)| value.abs()).sum::<f64>();
            let interpolation_norm = (0..rows).map(norm).fold(0.0, f64::max);
            levels.push(Level { matrix, divisor: diagonal, omega, interpolation, restriction, interpolation_norm });
            matrix = coarse;
            strong *= 0.5;
        }
    }
}

impl Level {
    /// The last level, by its divisor and ω if it is the only one.
    fn coarsest(matrix: Csr, alone: Option<(Vec<f64>, f64)>) -> Self {
        let sum = |i: usize| matrix.row(i).map(|(_, value)| value.abs()).sum();
        let (divisor, omega) = alone.unwrap_or_else(|| ((0..matrix.rows()).map(sum).collect(), 1.0));
        let interpolation = Csr { offset: vec![0; matrix.rows() + 1], ..Csr::default() };
        Self { matrix, divisor, omega, interpolation, restriction: Csr::default(), interpolation_norm: 0.0 }
    }
}

/// Which coarse unknown each row belongs to.
struct Aggregates {
    of: Vec<u32>,
    count: usize,
}

/// No coarse unknown.
const NONE: u32 = u32::MAX;

impl Aggregates {
    /// Greedily: first rows whose strong neighbours are all free take them, then what is left joins a neighbour.
    fn new(matrix: &Csr, diagonal: &[f64], strong: f64) -> Self {
        let n = matrix.rows();
        let neighbours = |i: usize| strong_neighbours(matrix, diagonal, strong, i).map(|(j, _)| j);
        let mut of = vec![NONE; n];
        let mut count = 0;
        for i in 0..n {
            if of[i] == NONE && neighbours(i).next().is_some() && neighbours(i).all(|j| of[j] == NONE) {
                of[i] = count;
                neighbours(i).for_each(|j| of[j] = count);
                count += 1;
            }
        }
        let rooted = of.clone();
        for i in 0..n {
            if of[i] == NONE {
                let nearest = strong_neighbours(matrix, diagonal, strong, i)
                    .filter(|(j, _)| rooted[*j] != NONE)
                    .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
                if let Some((j, _)) = nearest {
                    of[i] = rooted[j];
                }
            }
        }
        Self { of, count: count as usize }
    }
}

/// Strong couplings of row `i`, itself left out.
fn strong_neighbours<'a>(
    matrix: &'a Csr,
    diagonal: &'a [f64],
    strong: f64,
    i: usize,
) -> impl Iterator<Item = (usize, f64)> + 'a {
    matrix.row(i).filter(move |&(j, a)| j != i && a * a > strong * strong * diagonal[i] * diagonal[j])
}

/// P = (I − ω D⁻¹ A_F) T, where A_F is A with its weak couplings moved to the diagonal.
fn smoothed(matrix: &Csr, diagonal: &[f64], aggregates: &Aggregates, omega: f64, strong: f64) -> Csr {
    let mut out = Csr { offset: vec![0], ..Csr::default() };
    let mut row: Vec<(u32, f64)> = Vec::new();
    for i in 0..matrix.rows() {
        row.clear();
        if aggregates.of[i] != NONE {
            let all: f64 = matrix.row(i).map(|(_, a)| a).sum();
            let kept: f64 = strong_neighbours(matrix, diagonal, strong, i).map(|(_, a)| a).sum();
            // Weak couplings count as if their neighbours moved along.
            let own = all - kept;
            let step = if own > 0.0 { omega / own.max(diagonal[i]) } else { 0.0 };
            row.push((aggregates.of[i], 1.0 - step * own));
            for (j, a) in strong_neighbours(matrix, diagonal, strong, i) {
                if aggregates.of[j] != NONE {
                    row.push((aggregates.of[j], -step * a));
                }
            }
            row.sort_by_key(|entry| entry.0);
        }
        for group in row.chunk_by(|a, b| a.0 == b.0) {
            out.column.push(group[0].0);
            out.value.push(group.iter().map(|entry| entry.1).sum());
        }
        out.offset.push(out.column.len() as u32);
    }
    out
}

#[cfg(test)]
#[path = "multigrid_tests.rs"]
mod tests;

//! Newton's method in `f64`: exact or positive semi-definite Hessian, sparse Cholesky, backtracking. The ground truth for
//! every error reported anywhere, and a solver of its own.

use super::{Control, SolveError, SolveReport, Solver};
use crate::device::Device;
use crate::linear::{Cholesky, CholeskyError, Csr};
use crate::math::{Mat3, Vec3};
use crate::model::{Curvature, Potential};

/// What a minimisation reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonReport {
    /// Iterations done.
    pub iterations: usize,
    /// E, J.
    pub energy: f64,
    /// ‖∇E‖, N.
    pub gradient_norm: f64,
    /// The tolerance was reached; if not, rounding or the iteration limit stopped it.
    pub converged: bool,
    /// It ended because no step along its direction lowers E, nor ‖∇E‖.
    pub stuck: bool,
}

/// Sufficient decrease of the line search (Armijo).
const SUFFICIENT: f64 = 1e-4;

/// Minimises E from x until ‖∇E‖ ≤ tolerance · ‖∇E at the start‖, or until rounding lets neither E nor ‖∇E‖ fall any
/// further. `watch` is called before each iteration and returns whether to go on.
///
/// Where springs are compressed, the projected Hessian differs from the exact one even at the minimum, and convergence
/// would be linear. So the exact one is used, with just so much of the projection mixed in as Cholesky asks for.
pub fn minimise(
    potential: &Potential,
    x: &mut Vec<[f64; 4]>,
    tolerance: f64,
    mut watch: impl FnMut(usize, &[[f64; 4]]) -> bool,
) -> Result<NewtonReport, SolveError> {
    let mut gradient = Vec::new();
    let mut hessian = BlockMatrix::new(potential);
    let mut cholesky = None;
    potential.gradient(x, &mut gradient);
    let mut energy = potential.value(x);
    let mut gradient_norm = norm(&gradient);
    let enough = tolerance * gradient_norm;
    let (mut iterations, mut stuck) = (0, false);
    let mut converged = gradient_norm <= least_gradient(potential, x);
    while !converged && watch(iterations, x) {
        let dx = direction(potential, x, &gradient, &mut hessian, &mut cholesky)?;
        let Some((next, lower)) = line_search(potential, x, &dx, &gradient, energy) else {
            stuck = true;
            break;
        };
        potential.gradient(&next, &mut gradient);
        let next_norm = norm(&gradient);
        if lower >= energy && next_norm >= gradient_norm {
            stuck = true;
            break;
        }
        (*x, energy, gradient_norm) = (next, lower, next_norm);
        iterations += 1;
        converged = gradient_norm <= enough;
    }
    converged |= gradient_norm <= 10.0 * least_gradient(potential, x);
    Ok(NewtonReport { iterations, energy, gradient_norm, converged, stuck: stuck && !converged })
}

fn norm(g: &[[f64; 4]]) -> f64 {
    g.iter().map(|g| Vec3::load(*g).length_sq()).sum::<f64>().sqrt()
}

/// ‖∇E‖ that rounding of x to `f64` makes, N: every force is a stiffness times a difference of positions.
fn least_gradient(potential: &Potential, x: &[[f64; 4]]) -> f64 {
    let square = |(x, k): (&[f64; 4], &f64)| Vec3::load(*x).length_sq() * k * k;
    f64::EPSILON * x.iter().zip(&potential.system().diagonal).map(square).sum::<f64>().sqrt()
}

/// dx = −H⁻¹ g
fn direction(
    potential: &Potential,
    x: &[[f64; 4]],
    gradient: &[[f64; 4]],
    hessian: &mut BlockMatrix,
    cholesky: &mut Option<Cholesky>,
) -> Result<Vec<Vec3<f64>>, SolveError> {
    let failed = |error: CholeskyError| SolveError::Newton(error.to_string());
    hessian.assemble(potential, x);
    let cholesky = match cholesky {
        Some(cholesky) => cholesky,
        None => cholesky.insert(Cholesky::analyse(&hessian.matrix, 1).map_err(failed)?),
    };
    hessian.less_projection();
    loop {
        hessian.mix();
        match cholesky.factor(&hessian.matrix) {
            Ok(()) => break,
            Err(error) if hessian.projection == 1.0 => return Err(failed(error)),
            Err(_) => hessian.more_projection(),
        }
    }
    let mut rhs: Vec<f64> = gradient.iter().flat_map(|g| [-g[0], -g[1], -g[2]]).collect();
    cholesky.solve(&mut rhs);
    Ok(rhs.chunks_exact(3).map(|d| Vec3::new(d[0], d[1], d[2])).collect())
}

/// Halves the step until E decreases enough; `None` if it never does.
fn line_search(
    potential: &Potential,
    x: &[[f64; 4]],
    dx: &[Vec3<f64>],
    gradient: &[[f64; 4]],
    energy: f64,
) -> Option<(Vec<[f64; 4]>, f64)> {
    let slope: f64 = dx.iter().zip(gradient).map(|(d, g)| d.dot(Vec3::load(*g))).sum();
    let mut step_length = 1.0;
    for _ in 0..40 {
        let next: Vec<[f64; 4]> = x.iter().zip(dx).map(|(x, d)| (Vec3::load(*x) + *d * step_length).store()).collect();
        let lower = potential.value(&next);
        // Near the minimum the decrease drowns in rounding: a full step that keeps E to the last digits is still taken,
        // and the gradient decides whether it was progress.
        let drowned = step_length == 1.0 && -slope < 1e-10 * energy.abs();
        let rounding = if drowned { 1e-12 * energy.abs() } else { 0.0 };
        if lower <= energy + SUFFICIENT * step_length * slope + rounding {
            return Some((next, lower));
        }
        step_length *= 0.5;
    }
    None
}

/// A sparse matrix of 3×3 blocks, stored as the scalar matrix that Cholesky wants. The pattern is found once.
struct BlockMatrix {
    /// Block columns of each block row.
    offset: Vec<u32>,
    column: Vec<u32>,
    /// Pattern; values of the mixed Hessian.
    matrix: Csr,
    exact: Vec<f64>,
    projected: Vec<f64>,
    /// Share of the projected Hessian, 0 to 1.
    projection: f64,
}

/// Smallest share of the projected Hessian besides none.
const LEAST_PROJECTION: f64 = 1.0 / 256.0;

impl BlockMatrix {
    fn new(potential: &Potential) -> Self {
        let model = potential.model();
        let held = &potential.system().held;
        let n = model.vertices();
        let mut rows: Vec<Vec<u32>> = (0..n as u32).map(|i| vec![i]).collect();
        for elements in &model.elements {
            let batch = elements.view();
            for c in 0..batch.len() {
                let free: Vec<u32> = batch.stencil(c).iter().copied().filter(|&i| !held[i as usize]).collect();
                for &i in &free {
                    rows[i as usize].extend_from_slice(&free);
                }
            }
        }
        let (mut offset, mut column) = (vec![0u32], Vec::new());
        let mut matrix = Csr { offset: vec![0], ..Csr::default() };
        for row in &mut rows {
            row.sort_unstable();
            row.dedup();
            column.extend_from_slice(row);
            offset.push(column.len() as u32);
            for _ in 0..3 {
                matrix.column.extend(row.iter().flat_map(|&j| [3 * j, 3 * j + 1, 3 * j + 2]));
                matrix.offset.push(matrix.column.len() as u32);
            }
        }
        matrix.value = vec![0.0; matrix.column.len()];
        let exact = matrix.value.clone();
        Self { offset, column, projected: exact.clone(), exact, matrix, projection: 0.0 }
    }

    fn less_projection(&mut self) {
        self.projection = if self.projection > LEAST_PROJECTION { self.projection / 4.0 } else { 0.0 };
    }

    fn more_projection(&mut self) {
        self.projection = if self.projection > 0.0 { (self.projection * 4.0).min(1.0) } else { LEAST_PROJECTION };
    }

    fn mix(&mut self) {
        let share = self.projection;
        for ((mixed, exact), projected) in self.matrix.value.iter_mut().zip(&self.exact).zip(&self.projected) {
            *mixed = exact + share * (projected - exact);
        }
    }

    fn assemble(&mut self, potential: &Potential, x: &[[f64; 4]]) {
        for curvature in [Curvature::Exact, Curvature::Projected] {
            self.matrix.value.fill(0.0);
            potential.hessian(x, curvature, &mut |row, column, block| self.add(row, column, block));
            for (i, held) in potential.system().held.iter().enumerate() {
                if *held {
                    self.add(i as u32, i as u32, Mat3::IDENTITY);
                }
            }
            let keep = if curvature == Curvature::Exact { &mut self.exact } else { &mut self.projected };
            keep.copy_from_slice(&self.matrix.value);
        }
    }

    fn add(&mut self, row: u32, column: u32, block: Mat3<f64>) {
        let range = self.offset[row as usize] as usize..self.offset[row as usize + 1] as usize;
        let Ok(k) = self.column[range].binary_search(&column) else { return };
        for r in 0..3 {
            let start = self.matrix.offset[3 * row as usize + r] as usize + 3 * k;
            (0..3).for_each(|c| self.matrix.value[start + c] += block.at(r, c));
        }
    }
}

/// Newton as a solver: the minimisation runs on the host in `f64`, whatever the device.
pub(super) struct Newton;

impl<D: Device> Solver<D> for Newton {
    fn solve(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        x: &mut D::Points,
        control: &mut Control<D>,
    ) -> Result<SolveReport, SolveError> {
        let potential = device.potential(problem)?.clone();
        let mut host = vec![[0.0; 3]; potential.model().vertices()];
        device.read(x, &mut host)?;
        let mut wide: Vec<[f64; 4]> = host.iter().map(|&p| Vec3::of(p).store()).collect();
        let tolerance = if control.tolerance > 0.0 { control.tolerance } else { 1e-10 };
        let report = minimise(&potential, &mut wide, tolerance, |k, iterate| {
            host.iter_mut().zip(iterate).for_each(|(host, x)| *host = Vec3::load(*x).f64());
            device.write(&host, x);
            control.go_on(device, problem, k, x)
        })?;
        if !report.energy.is_finite() {
            return Err(SolveError::NotFinite { iteration: report.iterations });
        }
        host.iter_mut().zip(&wide).for_each(|(host, x)| *host = Vec3::load(*x).f64());
        device.write(&host, x);
        // The watcher sees the last iterate too.
        control.go_on(device, problem, report.iterations, x);
        let NewtonReport { iterations, converged, stuck, .. } = report;
        Ok(SolveReport { iterations, converged, stuck, ..SolveReport::default() })
    }
}

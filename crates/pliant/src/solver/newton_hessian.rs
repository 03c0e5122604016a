//! The Hessian of Newton's method and its factors: 3×3 blocks, assembled in their order of elimination.
//!
//! Factors are made in `f32` first, at two thirds of the cost. Their directions are off by some 1e-5, which costs Newton's method
//! nothing: it looks at E and ∇E in `f64`, and where such a direction leads no further, the factor is made in `f64`.

use super::SolveError;
use crate::linear::{Cholesky, CholeskyError, Csr, nested_dissection};
use crate::math::{Mat3, Real, Vec3};
use crate::model::{Curvature, Potential};
use faer::traits::RealField;

pub(super) struct Hessian {
    /// Row of each vertex: its place in the order of elimination.
    row: Vec<u32>,
    /// Block columns of each block row.
    blocks: Csr,
    /// Pattern of all entries; of the values those right of the diagonal and in its blocks are kept up to date.
    pattern: Csr,
    exact: Vec<f64>,
    /// What the projected Hessian is more than the exact one; of the current x if `excess_is_current`.
    excess: Vec<f64>,
    excess_is_current: bool,
    exact_places: Places,
    excess_places: Places,
    /// Share of the projected Hessian, 0 to 1.
    projection: f64,
    /// The last factor needed no larger share than the one it was tried with first.
    at_ease: bool,
    single: Factor<f32>,
    double: Option<Factor<f64>>,
    /// Factors are made in `f64`.
    precise: bool,
}

/// Smallest share of the projected Hessian besides none.
const LEAST_PROJECTION: f64 = 1.0 / 256.0;

impl Hessian {
    pub fn new(potential: &Potential) -> Result<Self, SolveError> {
        let graph = graph(potential);
        let order = nested_dissection(&graph, &potential.model().rest_x);
        let mut row = vec![0; order.len()];
        (0..).zip(&order).for_each(|(k, &i)| row[i as usize] = k);
        let mut blocks = Csr { offset: vec![0], ..Csr::default() };
        let mut pattern = Csr { offset: vec![0], ..Csr::default() };
        for &i in &order {
            let mut columns: Vec<u32> = graph.row(i as usize).map(|(j, _)| row[j]).collect();
            columns.sort_unstable();
            for _ in 0..3 {
                pattern.column.extend(columns.iter().flat_map(|&j| [3 * j, 3 * j + 1, 3 * j + 2]));
                pattern.offset.push(pattern.column.len() as u32);
            }
            blocks.column.extend(columns);
            blocks.offset.push(blocks.column.len() as u32);
        }
        let exact = vec![0.0; pattern.column.len()];
        Ok(Self {
            row,
            blocks,
            single: Factor::new(&pattern).map_err(failed)?,
            double: None,
            precise: false,
            pattern,
            excess: exact.clone(),
            excess_is_current: false,
            exact,
            exact_places: Places::default(),
            excess_places: Places::default(),
            projection: 0.0,
            at_ease: true,
        })
    }

    /// Forgets what it learned in the solve before.
    pub fn restart(&mut self) {
        (self.projection, self.at_ease, self.precise) = (0.0, true, false);
        // After a solve that failed it may not be finite, not even times 0.
        self.excess.fill(0.0);
    }

    /// Makes factors in `f64` from now on; false if it did already.
    pub fn be_precise(&mut self) -> bool {
        !std::mem::replace(&mut self.precise, true)
    }

    /// The Hessian at x.
    pub fn assemble(&mut self, potential: &Potential, x: &[[f64; 4]]) {
        let Self { row, blocks, pattern, exact, exact_places, .. } = self;
        let mut to = exact_places.filling(blocks, pattern, exact);
        potential.hessian(x, Curvature::Exact, &mut |i, j, block| to.add(row[i as usize], row[j as usize], block));
        for (i, _) in potential.system().held.iter().enumerate().filter(|(_, held)| **held) {
            to.add(row[i], row[i], Mat3::IDENTITY);
        }
        self.excess_is_current = false;
    }

    /// dx = −H⁻¹ g, with just so much of the projection mixed into H as Cholesky asks for. Less than last time is tried only
    /// if last time was the first try: a factor that fails late costs as much as one that does not.
    pub fn direction(
        &mut self,
        potential: &Potential,
        x: &[[f64; 4]],
        gradient: &[[f64; 4]],
        dx: &mut [Vec3<f64>],
    ) -> Result<(), SolveError> {
        if std::mem::replace(&mut self.at_ease, true) {
            self.projection = if self.projection > LEAST_PROJECTION { self.projection / 4.0 } else { 0.0 };
        }
        while let Err(error) = self.factor(potential, x) {
            self.at_ease = false;
            if self.projection < 1.0 && error != CholeskyError::OutOfMemory {
                self.projection = (4.0 * self.projection).clamp(LEAST_PROJECTION, 1.0);
            } else if !self.be_precise() {
                return Err(failed(error));
            }
        }
        match &mut self.double {
            Some(factor) if self.precise => factor.solve(&self.row, gradient, dx),
            _ => self.single.solve(&self.row, gradient, dx),
        }
        Ok(())
    }

    fn factor(&mut self, potential: &Potential, x: &[[f64; 4]]) -> Result<(), CholeskyError> {
        if self.projection > 0.0 && !self.excess_is_current {
            let Self { row, blocks, pattern, excess, excess_places, .. } = self;
            let mut to = excess_places.filling(blocks, pattern, excess);
            potential.hessian(x, Curvature::Excess, &mut |i, j, block| to.add(row[i as usize], row[j as usize], block));
            self.excess_is_current = true;
        }
        let share = self.projection;
        let mixed = self.exact.iter().zip(&self.excess).map(|(exact, excess)| exact + share * excess);
        if !self.precise {
            return self.single.make(&self.pattern, mixed);
        }
        let double = match &mut self.double {
            Some(double) => double,
            none => none.insert(Factor::new(&self.pattern)?),
        };
        double.make(&self.pattern, mixed)
    }
}

fn failed(error: CholeskyError) -> SolveError {
    SolveError::Newton(error.to_string())
}

/// Which vertices share an element; held ones are alone.
fn graph(potential: &Potential) -> Csr {
    let held = &potential.system().held;
    let mut rows: Vec<Vec<u32>> = (0..held.len() as u32).map(|i| vec![i]).collect();
    for elements in &potential.model().elements {
        let batch = elements.view();
        for c in 0..batch.len() {
            let free = || batch.stencil(c).iter().copied().filter(|&i| !held[i as usize]);
            free().for_each(|i| rows[i as usize].extend(free()));
        }
    }
    let mut graph = Csr { offset: vec![0], ..Csr::default() };
    for row in &mut rows {
        row.sort_unstable();
        row.dedup();
        graph.column.extend_from_slice(row);
        graph.offset.push(graph.column.len() as u32);
    }
    graph.value = vec![1.0; graph.column.len()];
    graph
}

/// A factor with what it is made from and what it is solved with.
struct Factor<T> {
    cholesky: Cholesky<T>,
    values: Vec<T>,
    rhs: Vec<T>,
}

impl<T: Real + RealField> Factor<T> {
    fn new(pattern: &Csr) -> Result<Self, CholeskyError> {
        let cholesky = Cholesky::analyse_ordered(pattern, 1)?;
        let zeros = |n: usize| vec![T::ZERO; n];
        Ok(Self { cholesky, values: zeros(pattern.column.len()), rhs: zeros(pattern.rows()) })
    }

    fn make(&mut self, pattern: &Csr, values: impl Iterator<Item = f64>) -> Result<(), CholeskyError> {
        self.values.iter_mut().zip(values).for_each(|(to, value)| *to = T::of(value));
        self.cholesky.factor_values(pattern, &self.values)
    }

    /// dx = −H⁻¹ g
    fn solve(&mut self, row: &[u32], gradient: &[[f64; 4]], dx: &mut [Vec3<f64>]) {
        // Near 1, so that none of it is too small for `f32`.
        let scale = gradient.iter().flatten().fold(f64::MIN_POSITIVE, |most, g| most.max(g.abs()));
        for (g, &row) in gradient.iter().zip(row) {
            (0..3).for_each(|c| self.rhs[3 * row as usize + c] = T::of(-g[c] / scale));
        }
        self.cholesky.solve(&mut self.rhs);
        for (dx, &row) in dx.iter_mut().zip(row) {
            let [x, y, z] = [0, 1, 2].map(|c| self.rhs[3 * row as usize + c].f64());
            *dx = Vec3::new(x, y, z) * scale;
        }
    }
}

/// Where blocks go, in the order in which they come: nearly always the same, so that they are looked up once.
#[derive(Default)]
struct Places(Vec<Place>);

#[derive(Clone, Copy, PartialEq)]
struct Place {
    row: u32,
    column: u32,
    /// Which block of its row.
    k: u32,
}

/// Adds blocks to the values of a matrix.
struct Filling<'a> {
    blocks: &'a Csr,
    pattern: &'a Csr,
    values: &'a mut [f64],
    places: &'a mut Vec<Place>,
    next: usize,
}

impl Places {
    fn filling<'a>(&'a mut self, blocks: &'a Csr, pattern: &'a Csr, values: &'a mut [f64]) -> Filling<'a> {
        values.fill(0.0);
        Filling { blocks, pattern, values, places: &mut self.0, next: 0 }
    }
}

impl Filling<'_> {
    /// Adds a block, if it is not left of the diagonal.
    #[inline]
    fn add(&mut self, row: u32, column: u32, block: Mat3<f64>) {
        if row > column {
            return;
        }
        let k = match self.places.get(self.next) {
            Some(place) if (place.row, place.column) == (row, column) => place.k,
            _ => {
                let Some(k) = self.find(row, column) else { return };
                self.places.truncate(self.next);
                self.places.push(Place { row, column, k });
                k
            }
        };
        self.next += 1;
        for r in 0..3 {
            let start = (self.pattern.offset[3 * row as usize + r] + 3 * k) as usize;
            let to = &mut self.values[start..start + 3];
            (0..3).for_each(|c| to[c] += block.at(r, c));
        }
    }

    fn find(&self, row: u32, column: u32) -> Option<u32> {
        let range = self.blocks.offset[row as usize] as usize..self.blocks.offset[row as usize + 1] as usize;
        self.blocks.column[range].binary_search(&column).ok().map(|k| k as u32)
    }
}

//! A form that is known by the distance from its surface, filled with a lattice of cells.
//!
//! Cells whose middle is inside are kept; then vertices near the surface are moved to it, by less than [`REACH`] cells, which no tet
//! of Kuhn's division is flattened by: its heights are at least 1/√2 cells.

use super::GenerateError;
use super::kuhn::Lattice;
use super::limits::Limits;
use crate::math::Vec3;
use crate::mesh::Mesh;

pub(super) type V = Vec3<f64>;

/// How far a vertex is moved to the surface at most, cells.
const REACH: f64 = 0.25;

/// A form that stands on the origin and is the same on both sides of x = 0.
pub(super) struct Form {
    /// What scenes call it.
    pub shape: &'static str,
    /// Low and high corner of a box around it, m.
    pub corners: [[f64; 3]; 2],
    /// A point that all its parts hang together with, m.
    pub middle: [f64; 3],
    /// About, m³.
    pub volume: f64,
    /// The fewest tets that it is to be seen in.
    pub least: usize,
    /// Signed distance from the surface, m; inside it may be a bound.
    pub distance: fn(V) -> f64,
}

impl Form {
    /// As nearly `tets` tets as whole cells allow.
    pub fn filled(&self, tets: usize) -> Result<Mesh, GenerateError> {
        let limits = Limits { shape: self.shape, remedy: "lower tets" };
        limits.count("tets", tets, self.least)?;
        limits.size(tets as f64 / 3.0, tets as f64)?;
        // The nearest number of whole cells is found by trying.
        let mut cell = (6.0 * self.volume / tets as f64).cbrt();
        let mut best = Cells::of(self, cell);
        for _ in 0..8 {
            cell *= (6.0 * best.count() as f64 / tets as f64).cbrt();
            let next = Cells::of(self, cell);
            if next.count().abs_diff(tets / 6) < best.count().abs_diff(tets / 6) {
                best = next;
            }
        }
        Ok(best.mesh())
    }
}

/// The cells of a lattice that are kept.
struct Cells<'a> {
    form: &'a Form,
    /// m
    size: f64,
    counts: [usize; 3],
    kept: Vec<bool>,
}

impl<'a> Cells<'a> {
    /// Those that lie inside and hang together with the middle by their faces.
    fn of(form: &'a Form, size: f64) -> Self {
        let [low, high] = form.corners;
        // An even number along x, so that both sides are the same.
        let along = |k: usize| ((high[k] - low[k]) / size).ceil() as usize;
        let counts = [2 * along(0).div_ceil(2), along(1), along(2)];
        let mut cells = Self { form, size, counts, kept: vec![false; counts.iter().product()] };
        let first = std::array::from_fn(|k| ((form.middle[k] - cells.low()[k]) / size) as usize);
        let mut open = vec![first];
        while let Some(cell) = open.pop() {
            let number = cells.number(cell);
            let middle = cells.place(cell.map(|i| i as f64 + 0.5));
            if cells.kept[number] || (form.distance)(middle) >= 0.0 {
                continue;
            }
            cells.kept[number] = true;
            for k in 0..3 {
                let beside = |to: usize| std::array::from_fn(|axis| if axis == k { to } else { cell[axis] });
                open.extend((cell[k] > 0).then(|| beside(cell[k] - 1)));
                open.extend((cell[k] + 1 < counts[k]).then(|| beside(cell[k] + 1)));
            }
        }
        cells
    }

    fn low(&self) -> [f64; 3] {
        [-0.5 * self.size * self.counts[0] as f64, self.form.corners[0][1], self.form.corners[0][2]]
    }

    /// Where a point of the lattice is, m.
    fn place(&self, at: [f64; 3]) -> V {
        V::of(std::array::from_fn(|k| self.low()[k] + self.size * at[k]))
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.counts[0] * (y + self.counts[1] * z)
    }

    fn count(&self) -> usize {
        self.kept.iter().filter(|kept| **kept).count()
    }

    fn mesh(&self) -> Mesh {
        let lattice = Lattice { cells: self.counts, mirrored: [true, false, false], ring: false };
        let place = |node: [usize; 3]| {
            let x = self.place(node.map(|i| i as f64));
            let cells_around = (0..8).filter_map(|corner: usize| {
                let cell: [Option<usize>; 3] = std::array::from_fn(|k| node[k].checked_sub(corner >> k & 1));
                let [x, y, z] = [cell[0]?, cell[1]?, cell[2]?];
                let inside = x < self.counts[0] && y < self.counts[1] && z < self.counts[2];
                (inside && self.kept[self.number([x, y, z])]).then_some(())
            });
            if cells_around.count() == 8 { x.f64() } else { self.to_surface(x).f64() }
        };
        lattice.mesh(|cell| self.kept[self.number(cell)], place)
    }

    /// The point of the surface nearest to `x`, or as near to it as [`REACH`] allows.
    fn to_surface(&self, x: V) -> V {
        let (step, distance) = (1e-6, self.form.distance);
        let slope = V::of(std::array::from_fn(|k| {
            let aside = V::axis(k) * step;
            (distance(x + aside) - distance(x - aside)) / (2.0 * step)
        }));
        let most = REACH * self.size;
        x - slope.unit_or(V::ZERO) * distance(x).clamp(-most, most)
    }
}

//! A creature on two legs with arms, ears and a tail: the union of tapered limbs, filled with a lattice of cells.
//!
//! It has about the size and pose of the Stanford armadillo, which not everybody has, so that the same pins fit: 1 m high,
//! hands up at x = ±0.37 m, y = 0.82 m. Cells whose middle is inside are kept; then vertices near the surface are moved to it,
//! by less than [`REACH`] cells, which no tet of Kuhn's division is flattened by: its heights are at least 1/√2 cells.

use super::GenerateError;
use super::kuhn::Lattice;
use super::limits::Limits;
use crate::math::Vec3;
use crate::mesh::Mesh;

type V = Vec3<f64>;

/// A ball that moves from one place to another while its radius goes from one to another, m.
struct Limb {
    ends: [[f64; 3]; 2],
    radii: [f64; 2],
    /// There is another one at −x.
    paired: bool,
}

const fn limb(ends: [[f64; 3]; 2], radii: [f64; 2], paired: bool) -> Limb {
    Limb { ends, radii, paired }
}

const LIMBS: [Limb; 13] = [
    limb([[0.0, 0.42, 0.02], [0.0, 0.66, 0.0]], [0.185, 0.16], false), // trunk
    limb([[0.0, 0.7, -0.02], [0.0, 0.83, -0.12]], [0.11, 0.105], false), // neck and head
    limb([[0.0, 0.82, -0.14], [0.0, 0.77, -0.27]], [0.09, 0.05], false), // snout
    limb([[0.07, 0.88, -0.12], [0.13, 0.965, -0.15]], [0.05, 0.035], true), // ear
    limb([[0.12, 0.68, 0.0], [0.31, 0.64, 0.0]], [0.085, 0.06], true), // upper arm
    limb([[0.31, 0.64, 0.0], [0.36, 0.77, -0.17]], [0.06, 0.05], true), // forearm
    limb([[0.36, 0.77, -0.17], [0.375, 0.84, -0.23]], [0.055, 0.045], true), // hand
    limb([[0.1, 0.36, 0.02], [0.2, 0.22, -0.06]], [0.12, 0.09], true), // thigh
    limb([[0.2, 0.22, -0.06], [0.21, 0.06, 0.02]], [0.085, 0.06], true), // shin
    limb([[0.21, 0.055, 0.02], [0.23, 0.05, -0.15]], [0.055, 0.05], true), // foot
    limb([[0.0, 0.36, 0.1], [0.0, 0.22, 0.22]], [0.09, 0.065], false), // tail
    limb([[0.0, 0.22, 0.22], [0.0, 0.25, 0.3]], [0.065, 0.05], false),
    limb([[0.0, 0.25, 0.3], [0.0, 0.32, 0.34]], [0.05, 0.04], false), // its tip
];

/// Low and high corner of a box around it, m.
const BOX: [[f64; 3]; 2] = [[-0.46, 0.0, -0.4], [0.46, 1.0, 0.4]];
/// In this point of the trunk all its parts begin, m.
const MIDDLE: [f64; 3] = [0.0, 0.5, 0.0];
/// How far a vertex is moved to the surface at most, cells.
const REACH: f64 = 0.25;
/// Of fewer tets arms and legs are not even two cells thick.
const LEAST: usize = 4000;

/// A creature that stands on the origin and looks along −z, with as nearly `tets` tets as whole cells allow (within 3 %).
pub fn creature(tets: usize) -> Result<Mesh, GenerateError> {
    let limits = Limits { shape: "creature", remedy: "lower tets" };
    limits.count("tets", tets, LEAST)?;
    limits.size(tets as f64 / 3.0, tets as f64)?;
    // Its volume is about 0.078 m³; the nearest number of whole cells is found by trying.
    let mut cell = (6.0 * 0.078 / tets as f64).cbrt();
    let mut best = Cells::of(cell);
    for _ in 0..8 {
        cell *= (6.0 * best.count() as f64 / tets as f64).cbrt();
        let next = Cells::of(cell);
        if next.count().abs_diff(tets / 6) < best.count().abs_diff(tets / 6) {
            best = next;
        }
    }
    Ok(best.mesh())
}

/// The cells of a lattice that are kept.
struct Cells {
    /// m
    size: f64,
    counts: [usize; 3],
    kept: Vec<bool>,
}

impl Cells {
    /// Those that lie inside and hang together with the trunk by their faces.
    fn of(size: f64) -> Self {
        // An even number along x, so that both sides are the same.
        let along = |k: usize| ((BOX[1][k] - BOX[0][k]) / size).ceil() as usize;
        let counts = [2 * along(0).div_ceil(2), along(1), along(2)];
        let mut cells = Self { size, counts, kept: vec![false; counts.iter().product()] };
        let first = std::array::from_fn(|k| ((MIDDLE[k] - cells.low()[k]) / size) as usize);
        let mut open = vec![first];
        while let Some(cell) = open.pop() {
            let number = cells.number(cell);
            let middle = cells.place(cell.map(|i| i as f64 + 0.5));
            if cells.kept[number] || distance(middle) >= 0.0 {
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
        [-0.5 * self.size * self.counts[0] as f64, BOX[0][1], BOX[0][2]]
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
        let step = 1e-6;
        let slope = V::of(std::array::from_fn(|k| {
            let aside = V::axis(k) * step;
            (distance(x + aside) - distance(x - aside)) / (2.0 * step)
        }));
        let most = REACH * self.size;
        x - slope.unit_or(V::ZERO) * distance(x).clamp(-most, most)
    }
}

/// Signed distance from the surface, m; inside it is a bound.
fn distance(p: V) -> f64 {
    let each = |limb: &Limb| {
        let p = if limb.paired { V::new(p.x.abs(), p.y, p.z) } else { p };
        let [a, b] = limb.ends.map(V::of);
        let t = ((p - a).dot(b - a) / (b - a).length_sq()).clamp(0.0, 1.0);
        (p - a - (b - a) * t).length() - (limb.radii[0] + (limb.radii[1] - limb.radii[0]) * t)
    };
    LIMBS.iter().map(each).fold(f64::INFINITY, f64::min)
}

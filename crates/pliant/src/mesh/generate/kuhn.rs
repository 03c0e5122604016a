//! Solids from lattices of cells, each cut into the six tets of Kuhn's (Freudenthal's) division: one for each order in
//! which to walk along the three axes from a cell's low corner to its high corner.
//!
//! Neighbouring cells fit because the division is the same in every cell. Mirroring it in a plane between cells fits
//! too, which turns the long diagonals of all cells towards the middle of a lattice: when its edges and corners are
//! then flattened (square to disc, cube to ball), a diagonal halves each flattened angle and no tet degenerates.

use crate::mesh::Mesh;

/// The order of axes of each walk, and whether it is an even permutation.
const WALKS: [([usize; 3], bool); 6] = [
    ([0, 1, 2], true),
    ([1, 2, 0], true),
    ([2, 0, 1], true),
    ([1, 0, 2], false),
    ([2, 1, 0], false),
    ([0, 2, 1], false),
];

/// A lattice of cells, indexed (x, y, z), vertices numbered with x fastest and z slowest.
pub(super) struct Lattice {
    /// Cells along each axis; at least 1.
    pub cells: [usize; 3],
    /// Along these axes long diagonals point to the middle; the number of cells is even.
    pub mirrored: [bool; 3],
    /// The last layer along z is glued to the first.
    pub ring: bool,
}

impl Lattice {
    /// Vertices along each axis.
    fn nodes(&self) -> [usize; 3] {
        let [x, y, z] = self.cells;
        [x + 1, y + 1, if self.ring { z } else { z + 1 }]
    }

    /// Tets over the cells that `keep` keeps, with vertices at `place` of their lattice indices; a `place` that keeps
    /// handedness gives positive tets.
    pub fn mesh(&self, keep: impl Fn([usize; 3]) -> bool, place: impl Fn([usize; 3]) -> [f64; 3]) -> Mesh {
        let mut mesh = Mesh::default();
        let [nx, ny, nz] = self.nodes();
        for z in 0..self.cells[2] {
            for y in 0..self.cells[1] {
                for x in (0..self.cells[0]).filter(|&x| keep([x, y, z])) {
                    self.cut([x, y, z], &mut mesh.tets);
                }
            }
        }
        let mut number = vec![u32::MAX; nx * ny * nz];
        mesh.tets.as_flattened().iter().for_each(|&v| number[v as usize] = 0);
        for (v, number) in number.iter_mut().enumerate().filter(|(_, number)| **number == 0) {
            *number = mesh.points.len() as u32;
            mesh.points.push(place([v % nx, v / nx % ny, v / (nx * ny)]));
        }
        mesh.tets.as_flattened_mut().iter_mut().for_each(|v| *v = number[*v as usize]);
        mesh
    }

    fn cut(&self, cell: [usize; 3], tets: &mut Vec<[u32; 4]>) {
        let [nx, ny, nz] = self.nodes();
        let flip: [bool; 3] = std::array::from_fn(|axis| self.mirrored[axis] && 2 * cell[axis] < self.cells[axis]);
        let node = |walked: [bool; 3]| {
            let [x, y, z] = std::array::from_fn(|axis| cell[axis] + usize::from(walked[axis] != flip[axis]));
            (x + nx * (y + ny * (z % nz))) as u32
        };
        let reversed = flip.iter().filter(|&&f| f).count() % 2 == 1;
        for (order, even) in WALKS {
            let mut walked = [false; 3];
            let mut tet = [node(walked); 4];
            for (step, &axis) in order.iter().enumerate() {
                walked[axis] = true;
                tet[step + 1] = node(walked);
            }
            if even == reversed {
                tet.swap(2, 3);
            }
            tets.push(tet);
        }
    }
}

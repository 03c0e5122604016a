use super::*;

/// Springs between neighbours on a side × side grid, with an inertia and an irregular stiffness.
fn sheet(side: usize, inertia: f64) -> Csr {
    let at = |x: usize, y: usize| (y * side + x) as u32;
    let mut triplets: Vec<(u32, u32, f64)> = (0..(side * side) as u32).map(|i| (i, i, inertia)).collect();
    for y in 0..side {
        for x in 0..side {
            let right = (x + 1 < side).then(|| at(x + 1, y));
            let up = (y + 1 < side).then(|| at(x, y + 1));
            let diagonal = (x + 1 < side && y + 1 < side).then(|| at(x + 1, y + 1));
            for (k, j) in [right, up, diagonal].into_iter().enumerate().filter_map(|(k, j)| Some((k, j?))) {
                let (i, stiffness) = (at(x, y), 1.0 + 0.5 * ((7 * x + 3 * y + k) as f64).sin());
                triplets.extend([(i, i, stiffness), (j, j, stiffness), (i, j, -stiffness), (j, i, -stiffness)]);
            }
        }
    }
    Csr::from_triplets(side * side, triplets.iter().copied())
}

#[test]
fn levels_shrink_to_one_unknown_and_keep_the_energy_of_what_they_can_represent() {
    let matrix = sheet(40, 1e-4);
    let levels = Hierarchy::new(&matrix).levels;
    let rows: Vec<usize> = levels.iter().map(|level| level.matrix.rows()).collect();
    assert!(rows.windows(2).all(|pair| pair[1] * 3 < pair[0]), "{rows:?}");
    assert_eq!(rows[rows.len() - 1], 1);
    for pair in levels.windows(2) {
        let (fine, coarse) = (&pair[0], &pair[1]);
        let n = coarse.matrix.rows();
        let y: Vec<f64> = (0..n).map(|c| ((c * c + 1) as f64 * 0.37).sin()).collect();
        let x: Vec<f64> =
            (0..fine.matrix.rows()).map(|i| fine.interpolation.row(i).map(|(c, p)| p * y[c]).sum()).collect();
        let energy = |matrix: &Csr, v: &[f64]| -> f64 {
            (0..matrix.rows()).map(|i| v[i] * matrix.row(i).map(|(j, a)| a * v[j]).sum::<f64>()).sum()
        };
        let (above, below) = (energy(&fine.matrix, &x), energy(&coarse.matrix, &y));
        assert!((above - below).abs() < 1e-12 * above.abs().max(below), "{above:e} and {below:e}");
        assert_eq!(fine.restriction, fine.interpolation.transposed(n));
    }
}

#[test]
fn a_constant_is_interpolated_as_one_where_springs_outweigh_inertia() {
    let levels = Hierarchy::new(&sheet(30, 1e-9)).levels;
    let sum = |i: usize| levels[0].interpolation.row(i).map(|(_, p)| p).sum::<f64>();
    let worst = (0..900).map(|i| (sum(i) - 1.0).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-8, "{worst:e}");
}

#[test]
fn rows_that_nothing_is_coupled_to_have_no_coarse_unknown() {
    // The first vertex is held: a row of the identity.
    let held = sheet(12, 1e-3);
    let triplets = (0..144).flat_map(|i| held.row(i).map(move |(j, a)| (i as u32, j as u32, a)));
    let kept: Vec<_> = triplets.filter(|(i, j, _)| *i != 0 && *j != 0).chain([(0, 0, 1.0)]).collect();
    let levels = Hierarchy::new(&Csr::from_triplets(144, kept.iter().copied())).levels;
    assert_eq!(levels[0].interpolation.row(0).count(), 0);
    assert!((1..144).all(|i| levels[0].interpolation.row(i).count() > 0));
    // And where inertia is everything there is one level.
    assert_eq!(Hierarchy::new(&sheet(12, 1e4)).levels.len(), 1);
    assert_eq!(Hierarchy::new(&Csr::from_triplets(1, [(0, 0, 2.0)].into_iter())).levels.len(), 1);
}

#[test]
fn two_bodies_stay_apart_on_all_levels() {
    let one = sheet(10, 1e-3);
    let both: Vec<_> = (0..100u32)
        .flat_map(|i| one.row(i as usize).map(move |(j, a)| (i, j as u32, a)))
        .flat_map(|(i, j, a)| [(i, j, a), (i + 100, j + 100, a)])
        .collect();
    let levels = Hierarchy::new(&Csr::from_triplets(200, both.iter().copied())).levels;
    let last = &levels[levels.len() - 1].matrix;
    assert_eq!((last.rows(), last.column.len()), (2, 2));
}

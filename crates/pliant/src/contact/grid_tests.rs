//! Distance grids against brute force, against formulas, and against their own differences.

use super::{ClosedSurface, DistanceGrid, GridLayout, GridShape, SurfaceError};
use crate::disk_cache::DiskCache;
use crate::math::closest::point_triangle;
use crate::math::{Real, SplitMix, Vec3};
use crate::mesh::generate::{self, surface};
use crate::mesh::{Mesh, topology};

type V = Vec3<f64>;

fn closed(mesh: &Mesh) -> ClosedSurface {
    ClosedSurface::new(mesh, 1.0).unwrap()
}

fn grid_of(mesh: &Mesh, cells: usize) -> DistanceGrid {
    DistanceGrid::of_surface(&closed(mesh), cells).unwrap()
}

/// Every point of a grid with its distance, m.
fn points(grid: &DistanceGrid) -> impl Iterator<Item = (V, f64)> + '_ {
    let (layout, [nx, ny, _]) = (grid.layout(), grid.layout().counts());
    let place = move |i: usize| layout.point([i % nx, i / nx % ny, i / nx / ny]);
    grid.values().iter().enumerate().map(move |(i, d)| (place(i), f64::from(*d)))
}

fn torus() -> Mesh {
    generate::torus(0.5, 0.15, 0.1).unwrap()
}

/// Distance from a torus around y.
fn torus_distance(p: V) -> f64 {
    (p.x.hypot(p.z) - 0.5).hypot(p.y) - 0.15
}

fn box_distance(half: V, p: V) -> f64 {
    let q = V::new(p.x.abs() - half.x, p.y.abs() - half.y, p.z.abs() - half.z);
    V::new(q.x.max(0.0), q.y.max(0.0), q.z.max(0.0)).length() + q.x.max(q.y).max(q.z).min(0.0)
}

/// Random points in a box a little larger than the grid, and farther out.
fn scattered(grid: &DistanceGrid, count: usize) -> impl Iterator<Item = V> {
    let layout = grid.layout();
    let [low, high] = [layout.point([0; 3]), layout.point(layout.counts().map(|n| n - 1))];
    let mut random = SplitMix(11);
    (0..count).map(move |k| {
        let at = V::of(random.point()) * if k % 4 == 0 { 3.0 } else { 0.55 };
        let size = high - low;
        (low + high) * 0.5 + V::new(at.x * size.x, at.y * size.y, at.z * size.z)
    })
}

#[test]
fn distances_at_the_points_of_a_grid_are_those_of_the_nearest_triangle() {
    let mesh = torus();
    let triangles: Vec<[V; 3]> = closed(&mesh).corners().collect();
    let grid = grid_of(&mesh, 12);
    for (p, d) in points(&grid) {
        let brute = triangles.iter().map(|t| point_triangle(p, *t).distance_sq()).fold(f64::INFINITY, f64::min).sqrt();
        assert!((d.abs() - brute).abs() <= f64::from(f32::EPSILON) * brute, "{p:?}: {d} {brute}");
    }
}

#[test]
fn inside_is_where_a_torus_has_it_also_across_its_hole() {
    let grid = grid_of(&torus(), 24);
    let mut inside = 0;
    for (p, d) in points(&grid) {
        // Its facets are that much off the round one: edges of 0.1 m on a tube of 0.15 m, (0.1)²/(8 · 0.15).
        let exact = torus_distance(p);
        if exact.abs() > 0.0085 {
            assert_eq!(d < 0.0, exact < 0.0, "{p:?}: {d} {exact}");
            inside += usize::from(d < 0.0);
        }
    }
    assert!(inside > 300, "{inside}");
}

/// Rows along x run through faces, edges and vertices of this box.
#[test]
fn rows_through_edges_and_vertices_know_where_inside_is() {
    let mesh = surface::cuboid([1.0, 1.0, 0.5]).unwrap();
    for cells in [8, 16] {
        let grid = grid_of(&mesh, cells);
        let mut on = 0;
        for (p, d) in points(&grid) {
            let exact = box_distance(V::new(0.5, 0.5, 0.25), p);
            assert!((d - exact).abs() < 1e-7, "{p:?}: {d} {exact}");
            on += usize::from(exact.abs() < 1e-9);
        }
        assert!(on > 100, "{on}: the grid does not lie on the faces");
    }
}

#[test]
fn plates_of_three_cells_and_less_have_their_inside() {
    // 60 × 2.5 × 40 cells: no row of points is missing.
    let mesh = surface::cuboid([0.6, 0.025, 0.4]).unwrap();
    let grid = grid_of(&mesh, 60);
    for (p, d) in points(&grid) {
        let exact = box_distance(V::new(0.3, 0.0125, 0.2), p);
        assert!((d - exact).abs() < 1e-7, "{p:?}: {d} {exact}");
    }
}

#[test]
fn parts_that_cross_are_one_solid_and_bubbles_are_outside() {
    let ball = |radius: f64, at: f64| {
        let mut mesh = surface::icosphere(radius, 2).unwrap();
        mesh.points.iter_mut().for_each(|p| p[0] += at);
        mesh
    };
    let join = |a: &Mesh, b: &Mesh, flipped: bool| {
        let first = a.points.len() as u32;
        let moved = b.triangles.iter().map(|t| {
            let [p, q, r] = t.map(|i| i + first);
            if flipped { [p, r, q] } else { [p, q, r] }
        });
        let triangles = a.triangles.iter().copied().chain(moved).collect();
        Mesh { points: [&a.points[..], &b.points[..]].concat(), triangles, tets: Vec::new() }
    };
    let two = grid_of(&join(&ball(0.3, -0.2), &ball(0.3, 0.2), false), 24);
    let shell = grid_of(&join(&ball(0.4, 0.0), &ball(0.2, 0.0), true), 24);
    let inside = |grid: &DistanceGrid, x: f64| grid.distance(V::new(x, 0.01, 0.02)).0 < 0.0;
    assert!([-0.3, 0.0, 0.3].iter().all(|x| inside(&two, *x)) && !inside(&two, 0.55));
    assert!(!inside(&shell, 0.0) && !inside(&shell, 0.1) && inside(&shell, 0.3) && !inside(&shell, 0.45));
}

/// Between points: an interpolant is off by at most cell²/8 times the sum of second derivatives, 3/|p| for a ball, plus what
/// facets are off the ball.
#[test]
fn a_ball_of_facets_has_the_distances_of_a_ball() {
    let mesh = surface::icosphere(0.4, 4).unwrap();
    let grid = grid_of(&mesh, 32);
    let edge = topology::edges(&mesh)
        .iter()
        .map(|[a, b]| (V::of(mesh.points[*a as usize]) - V::of(mesh.points[*b as usize])).length())
        .fold(0.0, f64::max);
    let (cell, facets) = (grid.layout().cell(), edge * edge / (6.0 * 0.4));
    let mut near = 0;
    for p in scattered(&grid, 4000).filter(|p| p.length() > 0.2) {
        let (d, _) = grid.distance(p);
        let bound = cell * cell / 8.0 * 3.0 / 0.2 + facets;
        let off = d - (p.length() - 0.4);
        // Outside of the grid it may be too long, never too short.
        let outside = [p.x, p.y, p.z].iter().any(|c| c.abs() > 0.4 + 2.0 * cell);
        assert!(off > -bound && (outside || off < bound), "{p:?}: {off} {bound}");
        near += usize::from(!outside);
    }
    assert!(near > 1500, "{near}");
}

/// The distance is 1-Lipschitz: an average over the corners of a cell is off by less than half its diagonal. Over a face it is
/// linear, so exact.
#[test]
fn a_box_is_exact_over_its_faces_and_off_by_less_than_a_cell_at_its_edges() {
    let half = V::new(0.3, 0.2, 0.25);
    let grid = grid_of(&surface::cuboid([0.6, 0.4, 0.5]).unwrap(), 29);
    let cell = grid.layout().cell();
    let (mut over, mut reach) = (0, 0.0f64);
    for p in scattered(&grid, 6000) {
        let exact = box_distance(half, p);
        let outside = (0..3).any(|k| p[k].abs() > half[k] + 1.5 * cell);
        if outside {
            continue;
        }
        let off = (grid.distance(p).0 - exact).abs();
        assert!(off < 0.5 * 3f64.sqrt() * cell, "{p:?}: {off}");
        reach = reach.max(off);
        // No corner of its cell is nearer to another face.
        let over_a_face = (0..3).all(|k| p[k].abs() < half[k] - 4.0 * cell || k == 1) && p.y > half.y - 1.5 * cell;
        if over_a_face {
            assert!(off < 1e-6, "{p:?}: {off}");
            over += 1;
        }
    }
    assert!(over > 50 && reach > 0.05 * cell, "{over} {reach}");
}

#[test]
fn gradient_and_curvature_are_the_derivatives_of_the_distance_everywhere() {
    let grid = GridShape::armchair(0.7, 14).unwrap().grid().clone();
    let e = 1e-6;
    let axis = |k: usize| V::axis(k) * e;
    let (mut right, mut all, mut outside) = (0, 0, 0);
    let inside_box = |p: V| {
        let layout = grid.layout();
        let [low, high] = [layout.point([0; 3]), layout.point(layout.counts().map(|n| n - 1))];
        (0..3).all(|k| p[k] > low[k] && p[k] < high[k])
    };
    for p in scattered(&grid, 4000) {
        let (_, gradient) = grid.distance(p);
        let slope = |k: usize| (grid.distance(p + axis(k)).0 - grid.distance(p - axis(k)).0) / (2.0 * e);
        let turn = |k: usize| (grid.distance(p + axis(k)).1 - grid.distance(p - axis(k)).1) * (0.5 / e);
        let curvature = grid.curvature(p);
        let fits =
            (0..3).all(|k| (slope(k) - gradient[k]).abs() < 1e-6 && (turn(k) - curvature * V::axis(k)).length() < 1e-5);
        // At the border of a cell both jump; few points are that near to one.
        right += usize::from(fits);
        all += 1;
        outside += usize::from(!inside_box(p));
        assert!(gradient.length() < 2f64.sqrt() + 1e-6, "{p:?} {gradient:?}");
    }
    assert!(all - right < 10 && outside > 500, "{right} of {all}, {outside} outside");
}

#[test]
fn the_distance_is_continuous_over_cells_and_over_the_edge_of_the_grid() {
    fn gap<R: Real>(grid: &DistanceGrid, a: V, b: V) -> f64 {
        (grid.distance::<R>(a.cast()).0 - grid.distance::<R>(b.cast()).0).f64().abs()
    }
    let grid = GridShape::armchair(0.7, 14).unwrap().grid().clone();
    let [nx, ny, nz] = grid.layout().counts();
    for at in [[0, 3, 4], [nx - 1, 5, 2], [4, ny - 1, 7], [3, 3, nz - 1], [4, 5, 6], [0, 0, 0]] {
        let p = grid.layout().point(at);
        let step = V::new(1e-7, -1e-7, 1e-7);
        assert!(gap::<f64>(&grid, p + step, p - step) < 1e-6, "{at:?}");
        assert!(gap::<f32>(&grid, p + step, p - step) < 2e-6, "{at:?}");
        let [i, j, k] = at;
        let stored = grid.values()[i + nx * (j + ny * k)];
        assert!((grid.distance(p).0 - f64::from(stored)).abs() < 1e-6, "{at:?}");
    }
}

#[test]
fn what_has_no_inside_is_refused_and_what_is_inside_out_is_turned() {
    let cube = surface::cuboid([1.0; 3]).unwrap();
    let refused = |mesh: &Mesh| ClosedSurface::new(mesh, 1.0).unwrap_err();
    let mut open = cube.clone();
    open.triangles.pop();
    assert!(matches!(refused(&open), SurfaceError::Open { edges: 3, .. }), "{}", refused(&open));
    assert!(refused(&open).to_string().contains("close the holes"));
    let mut mixed = cube.clone();
    mixed.triangles[4].swap(1, 2);
    assert!(matches!(refused(&mixed), SurfaceError::Inconsistent { edges: 3, .. }), "{}", refused(&mixed));
    let mut flat = cube.clone();
    flat.points.iter_mut().for_each(|p| p[1] = 0.0);
    assert!(matches!(refused(&flat), SurfaceError::Flat | SurfaceError::Empty), "{}", refused(&flat));
    let mut odd = cube.clone();
    odd.points[3][1] = f64::NAN;
    assert!(matches!(refused(&odd), SurfaceError::NotFinite { vertex: 3, .. }));
    assert_eq!(refused(&Mesh::default()), SurfaceError::Empty);
    // Coordinates of 1e40 became infinite in the grid, and the run ended without its pictures.
    for scale in [1e200, 1e40, 1e-30] {
        let mut large = cube.clone();
        large.points.iter_mut().flatten().for_each(|c| *c *= scale);
        assert!(matches!(refused(&large), SurfaceError::Size { .. } | SurfaceError::Empty), "{}", refused(&large));
        let size = ClosedSurface::new(&cube, scale).unwrap_err().to_string();
        assert!(size.contains("colliders are from 1e-6 to 1e6 m"), "{size}");
    }
    let mut inverted = cube.clone();
    inverted.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert!(grid_of(&inverted, 8).values() == grid_of(&cube, 8).values());
    let loose = Mesh {
        points: cube.triangles.iter().flatten().map(|i| cube.points[*i as usize]).collect(),
        triangles: (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
        tets: Vec::new(),
    };
    assert_eq!(closed(&loose).points().len(), 8);
    let solid = generate::solid_box([1.0; 3], [2; 3]).unwrap();
    assert!(grid_of(&solid, 8).values() == grid_of(&cube, 8).values(), "the skin of a solid");
}

#[test]
fn grids_that_do_not_fit_or_see_nothing_are_refused_with_what_to_do() {
    let cube = surface::cuboid([1.0; 3]).unwrap();
    let none = DiskCache::default();
    let error = GridShape::of_mesh(&cube, 1.0, 400, &none).unwrap_err();
    assert!(matches!(error, SurfaceError::TooLarge { .. }) && error.to_string().contains("lower `cells`"), "{error}");
    let sheet = surface::cuboid([1.0, 0.004, 1.0]).unwrap();
    let error = GridShape::of_mesh(&sheet, 1.0, 9, &none).unwrap_err();
    assert!(matches!(error, SurfaceError::Lost { .. }) && error.to_string().contains("raise `cells`"), "{error}");
    // A ball with a sheet in it: half of it is seen.
    let ball = surface::icosphere(0.1, 2).unwrap();
    let first = sheet.points.len() as u32;
    let triangles = sheet.triangles.iter().copied().chain(ball.triangles.iter().map(|t| t.map(|i| i + first)));
    let both = Mesh {
        points: [&sheet.points[..], &ball.points[..]].concat(),
        triangles: triangles.collect(),
        tets: Vec::new(),
    };
    let lost = GridShape::of_mesh(&both, 1.0, 16, &none).unwrap().lost();
    assert!((0.5..1.0).contains(&lost), "{lost}");
    assert_eq!(GridShape::of_mesh(&cube, 1.0, 8, &none).unwrap().lost(), 0.0);
}

#[test]
fn what_the_cache_has_is_the_same_to_the_bit_and_broken_files_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let cache = DiskCache::in_folder(folder.path().to_path_buf());
    let mesh = torus();
    let found = GridShape::of_mesh(&mesh, 1.5, 12, &cache).unwrap();
    let files = || std::fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().path()).collect::<Vec<_>>();
    let [file] = &files()[..] else { panic!("{:?}", files()) };
    let whole = std::fs::read(file).unwrap();
    let bits = |shape: &GridShape| shape.grid().values().iter().map(|d| d.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&GridShape::of_mesh(&mesh, 1.5, 12, &cache).unwrap()), bits(&found));
    // It is asked: a file that says something else is believed, if it is whole.
    let key = u64::from_str_radix(file.to_str().unwrap().rsplit('-').next().unwrap(), 16).unwrap();
    cache.store_numbers(key, &vec![-1.0; found.grid().values().len()]);
    assert!(GridShape::of_mesh(&mesh, 1.5, 12, &cache).unwrap().grid().values().iter().all(|d| *d == -1.0));
    for broken in [&whole[..whole.len() / 2], &[]] {
        std::fs::write(file, broken).unwrap();
        assert_eq!(bits(&GridShape::of_mesh(&mesh, 1.5, 12, &cache).unwrap()), bits(&found));
        assert!(std::fs::read(file).unwrap() == whole, "mended");
    }
    GridShape::of_mesh(&mesh, 1.5, 13, &cache).unwrap();
    GridShape::of_mesh(&mesh, 1.4, 12, &cache).unwrap();
    assert_eq!(files().len(), 3);
}

#[test]
fn a_grid_is_packed_in_fours_behind_its_head() {
    let (layout, _) = GridLayout::around([[0.0; 3], [1.0, 0.5, 0.5]], 4);
    let grid = DistanceGrid::sampled(layout, |p| p.x);
    let packed: Vec<[f32; 4]> = grid.pack().collect();
    assert_eq!(layout.counts(), [9, 7, 7]);
    assert_eq!(packed.len(), 1 + grid.values().len().div_ceil(4));
    assert_eq!(packed[0], [-0.5, -0.5, -0.5, 0.25]);
    assert_eq!(packed[3][1], grid.values()[9]);
}

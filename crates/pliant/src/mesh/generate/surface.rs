//! Triangle surfaces for drawing colliders and previews: closed (except the patch), outward, centred at the origin.

use super::limits::Limits;
use super::{GenerateError, grid};
use crate::math::Vec3;
use crate::mesh::{Mesh, topology};
use crate::scene::Triangulation;
use std::f64::consts::{FRAC_PI_2, TAU};

/// A sphere, m: an icosahedron whose triangles are split in four `subdivisions` times, 20·4^subdivisions in all.
pub fn icosphere(radius: f64, subdivisions: usize) -> Result<Mesh, GenerateError> {
    let limits = Limits { shape: "icosphere", remedy: "lower subdivisions" };
    limits.length("radius", radius)?;
    let faces = 20.0 * 4f64.powf(subdivisions as f64);
    limits.size(faces / 2.0 + 2.0, faces)?;
    let mut mesh = icosahedron();
    for _ in 0..subdivisions {
        mesh = split_in_four(&mesh);
    }
    for point in &mut mesh.points {
        *point = (Vec3::of(*point).unit_or(Vec3::axis(1)) * radius).f64();
    }
    Ok(mesh)
}

fn icosahedron() -> Mesh {
    let g = 0.5 * (1.0 + 5f64.sqrt());
    let mut points = Vec::with_capacity(12);
    for (s, t) in [(-1.0, -g), (1.0, -g), (-1.0, g), (1.0, g)] {
        points.extend([[s, t, 0.0], [0.0, s, t], [t, 0.0, s]]);
    }
    // Three corners make a face when they are an edge, 2, apart; outward when their determinant is positive.
    let at = |i: usize| Vec3::<f64>::of(points[i]);
    let near = |i: usize, j: usize| ((at(i) - at(j)).length() - 2.0).abs() < 1e-9;
    let mut triangles = Vec::with_capacity(20);
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                if near(i, j) && near(j, k) && near(k, i) {
                    let outward = at(i).dot(at(j).cross(at(k))) > 0.0;
                    triangles.push(if outward { [i, j, k] } else { [i, k, j] }.map(|v| v as u32));
                }
            }
        }
    }
    Mesh { points, triangles, tets: Vec::new() }
}

/// Adds the middle of each edge, pushed out to the sphere.
fn split_in_four(mesh: &Mesh) -> Mesh {
    let old = mesh.points.len() as u32;
    let edges = topology::stencil_edges(mesh.points.len(), &mesh.triangles);
    let mut points = mesh.points.clone();
    for [a, b] in edges.iter().map(|edge| edge.map(|v| Vec3::<f64>::of(mesh.points[v as usize]))) {
        points.push((a + b).unit_or(a).f64());
    }
    let middle = |a: u32, b: u32| {
        let (Ok(at) | Err(at)) = edges.binary_search(&[a.min(b), a.max(b)]);
        old + at as u32
    };
    let split = |&[a, b, c]: &[u32; 3]| {
        let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
        [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
    };
    Mesh { points, triangles: mesh.triangles.iter().flat_map(split).collect(), tets: Vec::new() }
}

/// A box of `size` along x, y, z, m: 8 vertices, 12 triangles.
pub fn cuboid(size: [f64; 3]) -> Result<Mesh, GenerateError> {
    let solid = super::solid_box(size, [1; 3])?;
    let triangles = topology::boundary_triangles(solid.points.len(), &solid.tets);
    Ok(Mesh { points: solid.points, triangles, tets: Vec::new() })
}

/// A cylinder along y with flat caps, m, with `segments` (at least 3) around.
pub fn cylinder(radius: f64, height: f64, segments: usize) -> Result<Mesh, GenerateError> {
    let limits = Limits { shape: "cylinder surface", remedy: "lower segments" };
    limits.length("radius", radius)?;
    limits.length("height", height)?;
    limits.count("segments", segments, 3)?;
    limits.size(2.0 * segments as f64 + 2.0, 4.0 * segments as f64)?;
    Ok(lathe(&[[radius, -0.5 * height], [radius, 0.5 * height]], 0.5 * height, segments))
}

/// A cylinder along y with half balls at both ends; `height` between the ball centres may be 0; m. `segments` around
/// (at least 4), and a quarter as many along each half ball.
pub fn capsule(radius: f64, height: f64, segments: usize) -> Result<Mesh, GenerateError> {
    let limits = Limits { shape: "capsule surface", remedy: "lower segments" };
    limits.length("radius", radius)?;
    if height != 0.0 {
        limits.length("height", height)?;
    }
    limits.count("segments", segments, 4)?;
    let rings = segments / 4;
    limits.size(2.0 * segments as f64 * rings as f64 + 2.0, 4.0 * segments as f64 * rings as f64)?;
    let mut upper: Vec<[f64; 2]> = Vec::with_capacity(rings);
    for i in 0..rings {
        let (sin, cos) = (FRAC_PI_2 * i as f64 / rings as f64).sin_cos();
        upper.push([radius * cos, 0.5 * height + radius * sin]);
    }
    let mut profile: Vec<[f64; 2]> = upper.iter().rev().map(|&[r, y]| [r, -y]).collect();
    profile.extend(&upper[usize::from(height == 0.0)..]);
    Ok(lathe(&profile, 0.5 * height + radius, segments))
}

/// Turns a profile of [radius, y] rings, bottom to top, around y, and closes it with points at y = ±`pole`.
fn lathe(profile: &[[f64; 2]], pole: f64, segments: usize) -> Mesh {
    let n = segments as u32;
    let mut mesh = Mesh::default();
    for &[radius, y] in profile {
        mesh.points.extend((0..segments).map(|i| {
            let (sin, cos) = (TAU * i as f64 / segments as f64).sin_cos();
            [radius * cos, y, radius * sin]
        }));
    }
    let bottom = mesh.points.len() as u32;
    let (top, last_ring) = (bottom + 1, bottom - n);
    mesh.points.extend([[0.0, -pole, 0.0], [0.0, pole, 0.0]]);
    for i in 0..n {
        let next = (i + 1) % n;
        mesh.triangles.push([bottom, i, next]);
        for ring in (0..last_ring).step_by(segments) {
            let (a, b, c, d) = (ring + i, ring + next, ring + n + i, ring + n + next);
            mesh.triangles.extend([[a, c, b], [b, c, d]]);
        }
        mesh.triangles.push([top, last_ring + next, last_ring + i]);
    }
    mesh
}

/// A rectangle of `size`, m, with `resolution` vertices (at least 2) along each side, square to `normal`, which need
/// not be of unit length.
pub fn plane_patch(normal: [f64; 3], size: [f64; 2], resolution: [usize; 2]) -> Result<Mesh, GenerateError> {
    let largest = normal.iter().fold(0.0, |largest: f64, c| largest.max(c.abs()));
    let n = (Vec3::of(normal) / largest).unit_or(Vec3::ZERO);
    if !n.is_finite() || n == Vec3::ZERO {
        return Err(GenerateError::Direction { shape: "plane patch", what: "normal", found: normal });
    }
    let mut mesh = grid(size, resolution, Triangulation::Uniform)?;
    let (y, z) = (Vec3::axis(1), Vec3::axis(2));
    let first = if n.z.abs() < 0.9 { n.cross(z) } else { y.cross(n) }.unit_or(Vec3::axis(0));
    let second = first.cross(n);
    for point in &mut mesh.points {
        *point = (first * point[0] + second * point[2]).f64();
    }
    Ok(mesh)
}

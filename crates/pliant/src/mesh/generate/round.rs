//! Solids with round cross-sections: a square lattice mapped to a disc, a cube lattice to a ball, shell by shell.
//!
//! Boundary vertices lie on the exact surface, so a mesh is a little smaller than its shape; the missing fraction of the
//! volume is of the order (edge / radius)². The edge length is lowered where it would not fit into the shape.

use super::GenerateError;
use super::kuhn::Lattice;
use super::limits::Limits;
use crate::mesh::Mesh;
use std::f64::consts::{FRAC_PI_4, TAU};

/// A solid cylinder along y, m, with cells of about `edge`, m, or of the radius or the height if that is less.
pub fn cylinder(radius: f64, height: f64, edge: f64) -> Result<Mesh, GenerateError> {
    let limits = Limits { shape: "cylinder", remedy: "raise edge (a low height also makes cells small)" };
    limits.length("radius", radius)?;
    limits.length("height", height)?;
    limits.length("edge", edge)?;
    let edge = edge.min(radius).min(height);
    let (across, layers) = (even_cells(2.0 * radius / edge), (height / edge).round());
    limits.size((across + 1.0).powi(2) * (layers + 1.0), 6.0 * across * across * layers)?;
    let lattice =
        Lattice { cells: [across, across, layers].map(|n| n as usize), mirrored: [true, true, false], ring: false };
    let place = |[i, j, k]: [usize; 3]| {
        let [u, v] = disc(centred(i, across), centred(j, across));
        [radius * u, height * (k as f64 / layers - 0.5), -radius * v]
    };
    Ok(lattice.mesh(|_| true, place))
}

/// A solid ball, m, with cells of about `edge`, m, or of the radius if that is less.
pub fn sphere(radius: f64, edge: f64) -> Result<Mesh, GenerateError> {
    let limits = Limits { shape: "sphere", remedy: "raise edge" };
    limits.length("radius", radius)?;
    limits.length("edge", edge)?;
    let across = even_cells(2.0 * radius / edge);
    limits.size((across + 1.0).powi(3), 6.0 * across.powi(3))?;
    let lattice = Lattice { cells: [across as usize; 3], mirrored: [true; 3], ring: false };
    let place = |at: [usize; 3]| ball(at.map(|i| centred(i, across))).map(|p| radius * p);
    Ok(lattice.mesh(|_| true, place))
}

/// A solid torus around y, m: a tube of `minor_radius` along a circle of `major_radius`, with cells of about `edge`, m,
/// or of the minor radius if that is less. The thinner its hole, the flatter the tets around it.
pub fn torus(major_radius: f64, minor_radius: f64, edge: f64) -> Result<Mesh, GenerateError> {
    let limits = Limits { shape: "torus", remedy: "raise edge (a thin tube also makes cells small)" };
    limits.length("major_radius", major_radius)?;
    limits.length("minor_radius", minor_radius)?;
    limits.length("edge", edge)?;
    if minor_radius >= major_radius {
        return Err(GenerateError::NoHole { major: major_radius, minor: minor_radius });
    }
    let edge = edge.min(minor_radius);
    let (across, around) = (even_cells(2.0 * minor_radius / edge), even_cells(TAU * major_radius / edge).max(8.0));
    limits.size((across + 1.0).powi(2) * around, 6.0 * across * across * around)?;
    let lattice =
        Lattice { cells: [across, across, around].map(|n| n as usize), mirrored: [true, true, false], ring: true };
    let place = |[i, j, k]: [usize; 3]| {
        let [u, v] = disc(centred(i, across), centred(j, across));
        let (sin, cos) = (TAU * k as f64 / around).sin_cos();
        let out = major_radius + minor_radius * u;
        [out * cos, minor_radius * v, out * sin]
    };
    Ok(lattice.mesh(|_| true, place))
}

/// The even number nearest to `cells`, at least 2: mirrored lattices have a middle, and an even ring is centred.
fn even_cells(cells: f64) -> f64 {
    2.0 * (cells / 2.0).round().max(1.0)
}

/// Lattice index to −1..1.
fn centred(i: usize, cells: f64) -> f64 {
    2.0 * i as f64 / cells - 1.0
}

/// The square −1..1 to the unit disc: concentric squares become circles with equal angles between vertices
/// (Shirley and Chiu 1997, "A low distortion map between disk and square").
fn disc(a: f64, b: f64) -> [f64; 2] {
    if a == 0.0 && b == 0.0 {
        return [0.0, 0.0];
    }
    if a.abs() >= b.abs() {
        let (sin, cos) = (FRAC_PI_4 * b / a).sin_cos();
        [a * cos, a * sin]
    } else {
        let (sin, cos) = (FRAC_PI_4 * a / b).sin_cos();
        [b * sin, b * cos]
    }
}

/// The cube −1..1 to the unit ball: concentric cubes become spheres, with equal angles along the faces' middle lines
/// (the equiangular cubed sphere of Ronchi, Iacono and Paolucci 1996).
fn ball(p: [f64; 3]) -> [f64; 3] {
    let shell = p.iter().fold(0.0f64, |largest, c| largest.max(c.abs()));
    if shell == 0.0 {
        return [0.0; 3];
    }
    let q = p.map(|c| (FRAC_PI_4 * c / shell).tan());
    let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]).sqrt();
    q.map(|c| shell * c / length)
}

//! Two square bars wound around each other, joined at both ends by blocks (course, figure 18).
//!
//! In the lattice the body is a narrow frame: two straight bars, a bar's width apart, with the gap filled at both
//! ends. It is then wound: each cross-section stays square to its bar's centre line, whose slope against the axis goes
//! smoothly from 0 in the blocks to [`SLOPE`] and back, so cells are distorted by the bars' curvature only.
//!
//! Symbols, with a bar's width as the unit: s arc length of a centre line, β(s) its slope, R its radius, θ(s) and y(s)
//! its angle and height: θ' = sin β / R, y' = cos β.

use super::GenerateError;
use super::kuhn::Lattice;
use super::limits::Limits;
use crate::mesh::Mesh;
use std::f64::consts::{FRAC_PI_4, TAU};

/// Largest angle between a bar and the axis, radians.
const SLOPE: f64 = FRAC_PI_4;
/// Radius of the centre lines, bar widths: leaves a gap of one bar between the bars.
const RADIUS: f64 = 1.0;
/// How often each bar goes around.
const TURNS: f64 = 2.0;
/// Arc length over which the slope rises from 0 to [`SLOPE`], bar widths.
const EASE: f64 = 3.0;
/// Below this even a single cell per bar is too long.
const LEAST: usize = 240;

/// Two intertwined helical bars joined at both ends, 1 m high along y, about 0.18 m wide, with as nearly
/// `tets` tets as whole cells allow (within 3 %, and within 1 % from 10 000 on).
pub fn double_helix(tets: usize) -> Result<Mesh, GenerateError> {
    let limits = Limits { shape: "double helix", remedy: "lower tets" };
    limits.count("tets", tets, LEAST)?;
    limits.size(tets as f64 / 3.0, tets as f64)?;
    let shape = Shape::new(tets);
    let Shape { across, along, block } = shape;
    let frames = shape.frames();
    let height = frames[along].height - frames[0].height;
    let lattice = Lattice { cells: [3 * across, across, along], mirrored: [false; 3], ring: false };
    let keep = |[x, _, z]: [usize; 3]| !(across..2 * across).contains(&x) || z < block || z >= along - block;
    let place = |[x, y, z]: [usize; 3]| {
        let radial = x as f64 / across as f64 - 1.5;
        let sideways = 0.5 - y as f64 / across as f64;
        frames[z].place(radial, sideways).map(|p| p / height)
    };
    Ok(lattice.mesh(keep, place))
}

/// How many cells.
#[derive(Clone, Copy)]
struct Shape {
    /// Across a bar, both ways, and across the gap.
    across: usize,
    /// Along a bar, blocks included.
    along: usize,
    /// Along a block.
    block: usize,
}

impl Shape {
    /// 6·2·across²·(along + block) tets; cells as near to cubes as a whole `across` allows.
    fn new(tets: usize) -> Self {
        let length = 2.0 + wound_length();
        let cubes = tets as f64 / 12.0;
        let across = (cubes / (length + 1.0)).cbrt().round().max(1.0);
        let lengthwise = (cubes / (across * across)).round();
        let block = (lengthwise / (length + 1.0)).round().max(1.0);
        Self { across: across as usize, along: (lengthwise - block) as usize, block: block as usize }
    }

    /// The frame at each layer of vertices along the bars.
    fn frames(&self) -> Vec<Frame> {
        const PARTS: usize = 16;
        let wound = wound_length();
        let step = wound / (self.along - 2 * self.block) as f64;
        let mut frames = Vec::with_capacity(self.along + 1);
        let (mut angle, mut height) = (0.0, 0.0);
        for layer in 0..=self.along {
            let s = (layer as f64 - self.block as f64) * step;
            frames.push(Frame { angle, height, slope: slope(s, wound) });
            for part in 0..PARTS {
                let middle = slope(s + (part as f64 + 0.5) / PARTS as f64 * step, wound);
                angle += middle.sin() / RADIUS * step / PARTS as f64;
                height += middle.cos() * step / PARTS as f64;
            }
        }
        let last = frames[self.along];
        for frame in &mut frames {
            frame.angle -= 0.5 * last.angle;
            frame.height -= 0.5 * last.height;
        }
        frames
    }
}

/// Slope of the centre lines at arc length `s` behind the first block, of `wound` in all; radians.
fn slope(s: f64, wound: f64) -> f64 {
    let t = (s.min(wound - s) / EASE).clamp(0.0, 1.0);
    SLOPE * t * t * (3.0 - 2.0 * t)
}

/// Arc length between the blocks that makes [`TURNS`] turns, bar widths.
fn wound_length() -> f64 {
    const PARTS: usize = 1000;
    let ease = EASE / PARTS as f64;
    let eased: f64 = (0..PARTS).map(|i| slope((i as f64 + 0.5) * ease, 4.0 * EASE).sin() * ease).sum();
    2.0 * EASE + (TURNS * TAU * RADIUS - 2.0 * eased) / SLOPE.sin()
}

/// Both bars' cross-sections at one arc length.
#[derive(Clone, Copy)]
struct Frame {
    angle: f64,
    height: f64,
    slope: f64,
}

impl Frame {
    /// The point at a signed distance from the axis, within a bar or between the two, and at a distance sideways,
    /// square to the bar and to the radius. Between the bars there are only blocks, where the slope is 0.
    fn place(&self, radial: f64, sideways: f64) -> [f64; 3] {
        let (sin, cos) = self.angle.sin_cos();
        let (rise, run) = self.slope.sin_cos();
        let across = sideways * run;
        [radial * cos - across * sin, self.height - sideways * rise * radial.signum(), radial * sin + across * cos]
    }
}

//! Speed and accuracy of the ways to find the nearest rotation, on elements as a simulation has them.
//!
//! Three loads: `strained` (stretches 0.7 to 1.4), `crushed` (one axis near zero or inverted) and `line` (two axes near
//! zero, where the nearest rotation is almost not unique). Criterion prints time per 1024 matrices; errors against the
//! f64 decomposition go to stderr.

#![allow(non_snake_case, missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use pliant::math::polar::{polar_closed_form, polar_from_guess, polar_rotation, polar_rotations};
use pliant::math::{Mat3, Real, SplitMix, Vec3, polar_by_sweeps, svd};
use std::hint::black_box;

const COUNT: usize = 1024;

struct Load {
    name: &'static str,
    matrices: Vec<Mat3<f64>>,
    guesses: Vec<Mat3<f64>>,
}

fn loads() -> Vec<Load> {
    let mut random = SplitMix(1);
    let mut signed = move || random.signed();
    let names = ["strained", "crushed", "line"];
    names
        .map(|name| {
            let (mut matrices, mut guesses) = (Vec::new(), Vec::new());
            for _ in 0..COUNT {
                let mut rotation = || {
                    let axis = Vec3::new(signed(), signed(), signed()).unit_or(Vec3::axis(0));
                    Mat3::rotation(axis, 3.0 * signed())
                };
                let (u, v) = (rotation(), rotation());
                let mut s = [0; 3].map(|_| (0.35 * signed()).exp());
                if name != "strained" {
                    s[2] = 0.3 * signed();
                }
                if name == "line" {
                    s[1] = 1e-3 * signed().abs();
                    s[2] = 1e-3 * signed();
                }
                let nudge = Mat3::rotation(Vec3::new(signed(), signed(), signed()).unit_or(Vec3::axis(0)), 0.05);
                matrices.push(u * Mat3::diagonal(Vec3::of(s)) * v);
                guesses.push(u * v * nudge);
            }
            Load { name, matrices, guesses }
        })
        .into()
}

fn lanes<R: Real>(matrices: &[Mat3<R>]) -> Vec<[[R; 8]; 9]> {
    let gather = |group: &[Mat3<R>]| std::array::from_fn(|e| std::array::from_fn(|lane| group[lane].at(e % 3, e / 3)));
    matrices.chunks_exact(8).map(gather).collect()
}

fn error<R: Real>(F: &[Mat3<R>], f: impl Fn(usize, Mat3<R>) -> Mat3<R>) -> f64 {
    let distance =
        |(i, m): (usize, &Mat3<R>)| (f(i, *m).cast::<f64>() - svd(m.cast::<f64>()).rotation()).norm_sq().sqrt();
    F.iter().enumerate().map(distance).fold(0.0, f64::max)
}

fn measure<R: Real>(c: &mut Criterion, load: &Load) {
    let F: Vec<Mat3<R>> = load.matrices.iter().map(|m| m.cast()).collect();
    let guess: Vec<Mat3<R>> = load.guesses.iter().map(|m| m.cast()).collect();
    let blocks = lanes(&F);
    let steps = if R::NAME == "f32" { 2 } else { 3 };
    let fallback = F.iter().filter(|m| !polar_closed_form(**m).1).count();
    eprintln!(
        "{} {}: largest error {:.1e} closed form (slow path {fallback} of {COUNT}), {:.1e} svd, {:.1e} newton from 0.05 rad",
        load.name,
        R::NAME,
        error(&F, |_, m| polar_rotation(m)),
        error(&F, |_, m| svd(m).rotation()),
        error(&F, |i, m| polar_from_guess(m, guess[i], steps)),
    );
    for sweeps in 1..=4 {
        eprintln!(
            "  {sweeps} sweeps of 2x2 problems: {:.1e} from 0.05 rad, {:.1e} from the identity",
            error(&F, |i, m| polar_by_sweeps(m, guess[i], sweeps)),
            error(&F, |_, m| polar_by_sweeps(m, Mat3::IDENTITY, sweeps)),
        );
    }
    let mut group = c.benchmark_group(format!("polar/{}/{}", load.name, R::NAME));
    group.bench_function("closed_form", |b| {
        b.iter(|| F.iter().map(|m| polar_rotation(*black_box(m)).c[0].x).sum::<R>())
    });
    group.bench_function("closed_form_8_lanes", |b| {
        b.iter(|| blocks.iter().map(|m| polar_rotations(black_box(m))[0][3]).sum::<R>())
    });
    group.bench_function("svd", |b| b.iter(|| F.iter().map(|m| svd(*black_box(m)).rotation().c[0].x).sum::<R>()));
    group.bench_function("newton_from_guess", |b| {
        b.iter(|| F.iter().zip(&guess).map(|(m, g)| polar_from_guess(*black_box(m), *g, steps).c[0].x).sum::<R>())
    });
    for sweeps in [1, 2, 3] {
        group.bench_function(format!("sweeps_from_guess_{sweeps}"), |b| {
            b.iter(|| F.iter().zip(&guess).map(|(m, g)| polar_by_sweeps(*black_box(m), *g, sweeps).c[0].x).sum::<R>())
        });
    }
    group.finish();
}

fn polar(c: &mut Criterion) {
    for load in loads() {
        measure::<f32>(c, &load);
        measure::<f64>(c, &load);
    }
}

criterion_group!(benches, polar);
criterion_main!(benches);

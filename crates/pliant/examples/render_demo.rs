//! Draws a sheet over a cylinder and a convergence chart, to look at: `cargo run --example render_demo -- FOLDER`.

use pliant::output::{
    Bounds, Chart, GifFile, Image, Series, Stage, Surface, body_colour, collider_colour, render, save_png,
};
use std::f64::consts::TAU;
use std::path::PathBuf;

fn grid(n: usize, place: impl Fn(f64, f64) -> [f64; 3]) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let at = |i: usize| i as f64 / (n - 1) as f64;
    let points = (0..n * n).map(|i| place(at(i % n), at(i / n))).collect();
    let mut triangles = Vec::new();
    for i in (0..n * (n - 1)).filter(|i| i % n < n - 1) {
        let (i, n) = (i as u32, n as u32);
        triangles.extend([[i, i + n, i + 1], [i + 1, i + n, i + n + 1]]);
    }
    (points, triangles)
}

/// A sheet that hangs over a cylinder along z of radius 0.45 at height 1, with folds that grow downwards.
fn sheet(u: f64, v: f64, t: f64) -> [f64; 3] {
    let r = 0.47;
    let s = (u - 0.5) * 2.6;
    let z = (v - 0.5) * 1.7;
    let quarter = r * TAU / 4.0;
    let hang = (s.abs() - quarter).max(0.0);
    let fold = (hang / 0.5).min(1.5)
        * (0.055 * (3.5 * TAU * v + 1.3 * s.signum() + t).sin() + 0.03 * (8.0 * TAU * v + 5.0 * u + t).sin());
    let small = 0.006 * (40.0 * u + 23.0 * v + 6.0 * (5.0 * v).sin()).sin() * (31.0 * v).cos();
    if hang == 0.0 {
        let angle = s / r;
        let out = r + small + 0.004 * (1.0 + (14.0 * v + 3.0 * u).sin());
        [out * angle.sin(), 1.0 + out * angle.cos(), z]
    } else {
        [s.signum() * (r + 0.01 + small + fold + 0.05 * hang), 1.0 - hang, z * (1.0 - 0.06 * hang)]
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let (cylinder, cylinder_triangles) = cylinder();
    let frame = |t: f64| grid(100, |u, v| sheet(u, v, t));
    let (points, triangles) = frame(0.0);
    let bounds = Bounds::of(&points).union(Bounds::of(&cylinder));
    let bounds = Bounds { low: [bounds.low[0], 0.0, bounds.low[2]], ..bounds };
    let draw = |points: &[[f64; 3]], width, height| {
        let stage = Stage::framing(bounds, width, height, Some(0.0));
        let cloth = Surface { points, triangles: &triangles, colour: body_colour(0), two_sided: true };
        let collider =
            Surface { points: &cylinder, triangles: &cylinder_triangles, colour: collider_colour(), two_sided: false };
        render(&stage, &[cloth, collider])
    };
    save_png(&folder.join("hero.png"), &draw(&points, 960, 640))?;
    draw(&points, 640, 480);
    let start = std::time::Instant::now();
    for _ in 0..5 {
        draw(&points, 640, 480);
    }
    println!("{:.1} ms a picture", start.elapsed().as_secs_f64() * 200.0);
    let mut gif = GifFile::create(&folder.join("demo.gif"), 320, 240, 15.0)?;
    let mut frames: Vec<Image> = Vec::new();
    for i in 0..12 {
        let mut image = draw(&frame(f64::from(i) * TAU / 12.0).0, 320, 240);
        image.text(8, 8, 1, [40; 3], &format!("frame {i}"));
        gif.add(&image)?;
        frames.push(image);
    }
    gif.finish()?;
    save_png(&folder.join("sheet.png"), &Image::sheet(&frames, 4))?;
    let chart = chart();
    save_png(&folder.join("chart.png"), &chart.to_image(960, 600))?;
    std::fs::write(folder.join("chart.svg"), chart.to_svg())?;
    Ok(())
}

fn cylinder() -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let n = 64_u32;
    let mut points = Vec::new();
    for z in [-1.0, 1.0] {
        points.extend((0..n).map(|i| {
            let angle = f64::from(i) / f64::from(n) * TAU;
            [0.45 * angle.sin(), 1.0 + 0.45 * angle.cos(), z]
        }));
    }
    points.extend([[0.0, 1.0, -1.0], [0.0, 1.0, 1.0]]);
    let mut triangles = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, n + i, j], [j, n + i, n + j], [2 * n, i, j], [2 * n + 1, n + j, n + i]]);
    }
    (points, triangles)
}

fn chart() -> Chart {
    let names = ["Jacobi", "Chebyshev Jacobi", "Gauss-Seidel", "A-Jacobi 4", "CG", "Newton"];
    let rates = [0.02, 0.09, 0.045, 0.07, 0.12, 0.9];
    let series = (0..6).map(|i| Series {
        name: names[i].into(),
        points: (0..=200)
            .map(|k| f64::from(k))
            .map(|k| {
                [
                    k,
                    (0.7 * (-rates[i] * k).exp() * (1.0 + 0.3 * (k * 0.7 + i as f64).sin()))
                        .max(1e-8 * (1.0 + i as f64)),
                ]
            })
            .collect(),
        dashed: i == 5,
    });
    Chart {
        title: "Hanging sheet, 10K vertices".into(),
        x_label: "iterations".into(),
        y_label: "relative error".into(),
        y_log: true,
        series: series.collect(),
        ..Chart::default()
    }
}

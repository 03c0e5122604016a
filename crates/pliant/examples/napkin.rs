//! A napkin swings down from two of its corners: how to simulate with the library, and what a step says of itself.
//!
//!     cargo run --release -p pliant --example napkin

use pliant::scene::Scene;
use pliant::step::Simulation;
use std::error::Error;

const SCENE: &str = "
pliant = 1
[[cloth]]
size = 0.5
resolution = 21
material = 'cotton'
[[pin]]
corners = ['-x-z', '+x-z']
";

/// Height of the free edge against that of the corners, m, and the mean stretch, after so many frames of 1/60 s.
fn swing(frames: usize) -> Result<(f64, f64), Box<dyn Error>> {
    let scene = Scene::parse(SCENE, "napkin", ".".as_ref(), &[])?;
    let mut simulation = Simulation::new(&scene)?;
    let mut stretch = 0.0;
    for frame in 1..=frames {
        let report = simulation.step()?;
        stretch = report.certificate.mean_stretch;
        if frame % 15 == 0 {
            let (ms, gradient) = (report.ms, report.certificate.gradient_norm);
            println!("frame {frame}: {ms:.2} ms, |∇E| = {gradient:.1e} N, mean stretch {:.4} %", 100.0 * stretch);
        }
    }
    let x = simulation.state()?.x;
    let (edge, count) = x[x.len() - 21..].iter().fold((0.0, 0.0), |(sum, count), x| (sum + x[1], count + 1.0));
    Ok((edge / count - x[0][1], stretch))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (height, stretch) = swing(300)?;
    println!("the free edge hangs {:.3} m below the corners, stretched by {:.3} %", -height, 100.0 * stretch);
    Ok(())
}

/// Half a metre of cotton hangs half a metre down, but for its folds.
#[test]
fn the_napkin_hangs_down_and_hardly_stretches() {
    let (height, stretch) = swing(300).unwrap();
    assert!((-0.51..-0.4).contains(&height), "{height} m");
    assert!(stretch < 1e-3, "{stretch}");
}

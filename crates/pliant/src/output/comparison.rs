//! A comparison of methods as files: data, table and plots.

use super::{Chart, Series, save_png};
use crate::atomic_file::write_atomically;
use crate::step::{Comparison, Curve, CurvePoint};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `compare.json`, `compare.csv` and plots over iterations and over time into a folder; returns the files.
pub fn write_comparison(folder: &Path, comparison: &Comparison) -> io::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    let file = |name: &str| folder.join(name);
    let files = ["compare.json", "compare.csv", "iterations.svg", "iterations.png", "time.svg", "time.png"].map(file);
    write_atomically(&files[0], |file| Ok(serde_json::to_writer_pretty(file, comparison)?))?;
    write_atomically(&files[1], |file| write_csv(file, comparison))?;
    for (chart, [svg, png]) in [(over_iterations(comparison), [2, 3]), (over_time(comparison), [4, 5])] {
        write_atomically(&files[svg], |file| file.write_all(chart.to_svg().as_bytes()))?;
        save_png(&files[png], &chart.to_image(1000, 600))?;
    }
    Ok(files.to_vec())
}

fn write_csv(file: &mut dyn Write, comparison: &Comparison) -> io::Result<()> {
    writeln!(file, "method,device,iteration,ms,relative_error,gradient_norm")?;
    for curve in &comparison.methods {
        for p in &curve.curve {
            let CurvePoint { iteration, ms, relative_error, gradient_norm } = p;
            writeln!(file, "{},{},{iteration},{ms},{relative_error},{gradient_norm}", curve.name, curve.device)?;
        }
    }
    Ok(())
}

/// Error against iterations.
pub fn over_iterations(comparison: &Comparison) -> Chart {
    chart(comparison, "iterations", |p| p.iteration as f64)
}

/// Error against time.
pub fn over_time(comparison: &Comparison) -> Chart {
    chart(comparison, "time (ms)", |p| p.ms)
}

fn chart(comparison: &Comparison, x_label: &str, x: impl Fn(&CurvePoint) -> f64) -> Chart {
    let series = |curve: &Curve| Series {
        name: curve.name.clone(),
        points: curve.curve.iter().map(|p| [x(p), p.relative_error]).collect(),
        dashed: false,
    };
    Chart {
        title: format!("{}, step {}", comparison.scene, comparison.step),
        x_label: x_label.to_string(),
        y_label: "relative error".to_string(),
        x_log: false,
        y_log: true,
        series: comparison.methods.iter().map(series).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_written_as_data_and_plots_that_name_every_method() {
        let point = |k: usize| CurvePoint {
            iteration: k,
            ms: k as f64,
            relative_error: 0.1f64.powi(k as i32),
            gradient_norm: f64::NAN,
        };
        let curve = |name: &str| Curve {
            name: name.to_string(),
            device: "cpu".to_string(),
            rho: None,
            failed: None,
            curve: (0..5).map(point).collect(),
        };
        let methods = vec![curve("pd-jacobi"), curve("newton")];
        let comparison =
            Comparison { scene: "flag".to_string(), step: 3, reference_energy: 1.0, nothing_to_solve: false, methods };
        let folder = tempfile::tempdir().unwrap();
        let files = write_comparison(&folder.path().join("new"), &comparison).unwrap();
        assert_eq!(files.len(), 6);
        let csv = std::fs::read_to_string(&files[1]).unwrap();
        assert_eq!(csv.lines().count(), 11);
        let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&files[0]).unwrap()).unwrap();
        assert!(json["methods"][1]["curve"][4]["gradient_norm"].is_null());
        let svg = std::fs::read_to_string(&files[2]).unwrap();
        assert!(svg.contains("pd-jacobi") && svg.contains("newton"));
    }
}

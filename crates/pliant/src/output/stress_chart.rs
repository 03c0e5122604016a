//! Stress against stretch of materials, as a chart and as a table.

use super::{Chart, Series, save_png};
use crate::atomic_file::write_atomically;
use crate::material::{StressCurve, StressPoint, StretchTest};
use std::fmt::Write;
use std::io;
use std::path::Path;

/// A curve and the name of its material.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedCurve {
    /// In the legend.
    pub name: String,
    /// What was found.
    pub curve: StressCurve,
}

/// All curves over the same axes; a curve is interrupted where points are left out.
pub fn stress_chart(title: &str, test: StretchTest, curves: &[NamedCurve]) -> Chart {
    let points = || curves.iter().flat_map(|named| &named.curve.points);
    let (unit, pascals) = unit_for(points().fold(0.0, |most, p| p.nominal_stress.abs().max(most)));
    let x_label = match test {
        StretchTest::Shear => "1 + shear",
        StretchTest::Uniaxial | StretchTest::Biaxial | StretchTest::Volumetric => "stretch",
    };
    let series = |named: &NamedCurve| Series {
        name: named.name.clone(),
        points: with_gaps(&named.curve).iter().map(|[s, stress]| [*s, stress / pascals]).collect(),
        dashed: false,
    };
    Chart {
        title: title.to_string(),
        x_label: x_label.to_string(),
        y_label: format!("nominal stress ({unit})"),
        x_log: false,
        y_log: false,
        series: curves.iter().map(series).collect(),
    }
}

/// A unit that makes short numbers of a stress, Pa, and how many pascals it is.
fn unit_for(stress: f64) -> (&'static str, f64) {
    let units = [("GPa", 1e9), ("MPa", 1e6), ("kPa", 1e3)];
    units.into_iter().find(|(_, pascals)| stress >= 0.995 * pascals).unwrap_or(("Pa", 1.0))
}

fn with_gaps(curve: &StressCurve) -> Vec<[f64; 2]> {
    let gaps = curve.left_out.iter().map(|gap| [gap.from, f64::NAN]);
    let mut points: Vec<_> = curve.points.iter().map(|p| [p.stretch, p.nominal_stress]).chain(gaps).collect();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    points
}

/// `stretch,lateral_stretch,nominal_stress` (Pa); before them the name of the material if there are several.
pub fn stress_csv(curves: &[NamedCurve]) -> String {
    let several = curves.len() != 1;
    let mut text = format!("{}stretch,lateral_stretch,nominal_stress\n", if several { "model," } else { "" });
    for NamedCurve { name, curve } in curves {
        for StressPoint { stretch, lateral_stretch, nominal_stress } in &curve.points {
            if several {
                text.push_str(name);
                text.push(',');
            }
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{stretch},{lateral_stretch},{nominal_stress}");
        }
    }
    text
}

/// Writes the chart, as a PNG picture if the file is called so and else as SVG, and the table.
pub fn write_stress_chart(chart: &Chart, picture: &Path, curves: &[NamedCurve], table: &Path) -> io::Result<()> {
    if picture.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        save_png(picture, &chart.to_image(1000, 600))?;
    } else {
        write_atomically(picture, |file| file.write_all(chart.to_svg().as_bytes()))?;
    }
    write_atomically(table, |file| file.write_all(stress_csv(curves).as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::{LeftOut, Why};

    fn named(name: &str, stresses: &[f64]) -> NamedCurve {
        let point = |(k, stress): (usize, &f64)| StressPoint {
            stretch: 1.0 + k as f64,
            lateral_stretch: 0.5,
            nominal_stress: *stress,
        };
        let points = stresses.iter().enumerate().map(point).collect();
        NamedCurve { name: name.to_string(), curve: StressCurve { points, left_out: Vec::new(), falls: Vec::new() } }
    }

    #[test]
    fn a_table_of_several_materials_names_them_and_that_of_one_does_not() {
        let (a, b) = (named("a", &[0.0, 2.5e5]), named("b", &[-1.0]));
        assert_eq!(
            stress_csv(std::slice::from_ref(&a)),
            "stretch,lateral_stretch,nominal_stress\n1,0.5,0\n2,0.5,250000\n"
        );
        let both = stress_csv(&[a, b]);
        assert_eq!(both, "model,stretch,lateral_stretch,nominal_stress\na,1,0.5,0\na,2,0.5,250000\nb,1,0.5,-1\n");
    }

    #[test]
    fn the_axis_has_a_unit_that_fits_and_what_is_left_out_is_a_gap() {
        let mut curve = named("a", &[0.0, 2.5e5, 1e6]);
        let chart = stress_chart("t", StretchTest::Shear, &[curve.clone()]);
        assert_eq!((chart.x_label.as_str(), chart.y_label.as_str()), ("1 + shear", "nominal stress (MPa)"));
        assert_eq!(chart.series[0].points, [[1.0, 0.0], [2.0, 0.25], [3.0, 1.0]]);
        curve.curve.left_out.push(LeftOut { from: 2.2, to: 2.8, points: 7, why: Why::UnequalSides });
        let points = &stress_chart("t", StretchTest::Uniaxial, &[curve]).series[0].points;
        assert!(points.len() == 4 && points[2][1].is_nan());
        assert_eq!(unit_for(0.0).0, "Pa");
    }
}

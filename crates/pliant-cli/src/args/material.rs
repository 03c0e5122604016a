//! What was typed after `pliant material`.

use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use pliant::material::{LAWS, LawKind, StretchTest};
use pliant::scene::{SOLID_PRESETS, typed_pressure};
use std::path::PathBuf;

/// `pliant material`.
#[derive(Debug, Subcommand)]
pub enum MaterialCommand {
    /// Plot force against stretch of materials, to choose by looking
    Curve(CurveArgs),
}

const CURVE_AFTER: &str = "\
Examples:
  pliant material curve neo-hookean
  pliant material curve all --out curves.svg
  pliant material curve stvk,neo-hookean,fung --test biaxial --material muscle
  pliant material curve corotated --youngs-modulus \"20 kPa\" --poisson-ratio 0.3 --from 0.8 --to 1.2
  pliant material curve mooney-rivlin --s \"150 kPa,2 MPa,30 kPa\" --csv > curve.csv

The stress is nominal: force per area at rest, Pa. What stretch is depends on the test, and 1 is always at rest:
  uniaxial    length over length at rest; the sides are free
  biaxial     the same along two axes; the thickness is free
  shear       1 + shear, where shear is how far one layer slides over another per distance between them
  volumetric  length over length at rest along all axes
lateral_stretch is that of the free sides, at which their stress is zero; 1 for shear, and for volumetric the stretch.
Where the sides are free at no stretch, or would not stay equal, points are left out, and stderr says which and why.
Curves are those of the model itself; in a scene crushed elements are converted besides.

Without --csv two files are written: a chart (.svg, or .png if --out says so) and the same as .csv. With several models
the table has a column more, model, before the others.

Models, and their parameters for --s (those of the SIGGRAPH course, its bulk term corrected to s1 (J - 1)^2):
";

/// `pliant material curve`.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct CurveArgs {
    /// Which models, separated by blanks or commas; below is which there are, and all means every one of them
    #[arg(required = true, value_name = "MODEL", value_delimiter = ',')]
    pub models: Vec<String>,
    /// What is done to a piece of it
    #[arg(long, value_name = "TEST", default_value = "uniaxial", value_parser = tests())]
    pub test: String,
    /// Solid whose Young's modulus and Poisson's ratio to take [default: rubber]
    #[arg(long, value_name = "PRESET", value_parser = presets())]
    pub material: Option<String>,
    /// Young's modulus, such as "1 MPa", or a bare number in Pa [default: by --material]
    #[arg(long, value_name = "E", value_parser = typed_pressure, allow_negative_numbers = true)]
    pub youngs_modulus: Option<f64>,
    /// Poisson's ratio [default: by --material]
    #[arg(long, value_name = "NU", allow_negative_numbers = true)]
    pub poisson_ratio: Option<f64>,
    /// The model's own parameters s0,s1,... instead of moduli, each in Pa or with a unit; see below
    #[arg(long, value_name = "S0,S1,...", value_delimiter = ',', value_parser = typed_pressure,
          allow_hyphen_values = true, conflicts_with_all = ["material", "youngs_modulus", "poisson_ratio"])]
    pub s: Vec<f64>,
    /// Smallest stretch
    #[arg(long, value_name = "STRETCH", default_value_t = 0.4, value_parser = stretch, allow_negative_numbers = true)]
    pub from: f64,
    /// Largest stretch
    #[arg(long, value_name = "STRETCH", default_value_t = 2.5, value_parser = stretch, allow_negative_numbers = true)]
    pub to: f64,
    /// How many points, evenly from one to the other
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(2..=10_000))]
    pub points: u64,
    /// Print the table on stdout and write no files
    #[arg(long, conflicts_with = "out")]
    pub csv: bool,
    /// Folder, or name of the chart (.svg or .png) [default: MODEL-TEST.svg here]
    #[arg(long, short, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

fn after_help() -> String {
    let parameters = |law: &LawKind| match law.parameters {
        [] => "splines through neo-Hookean knots; has none".to_string(),
        some => some.join("; "),
    };
    let line = |law: &LawKind| format!("  {:18}  {}\n", law.name, parameters(law));
    CURVE_AFTER.to_string() + LAWS.iter().map(line).collect::<String>().trim_end()
}

fn tests() -> PossibleValuesParser {
    PossibleValuesParser::new(StretchTest::ALL.map(StretchTest::name))
}

fn presets() -> PossibleValuesParser {
    PossibleValuesParser::new(SOLID_PRESETS.map(|preset| preset.name))
}

fn stretch(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(stretch) if (0.01..=100.0).contains(&stretch) => Ok(stretch),
        _ => Err("expected a stretch from 0.01 to 100, for example 1.5; 1 is at rest".to_string()),
    }
}

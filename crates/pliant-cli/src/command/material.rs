//! `pliant material curve`

use crate::Exit;
use crate::args::{Args, CurveArgs};
use crate::printed::{print, print_json};
use crate::progress::say;
use crate::table::{Table, short};
use anyhow::Context;
use pliant::material::{
    LAWS, LameParameters, LawError, LawKind, SolidLaw, StretchTest, even_stretches, find_law, stress_curve,
};
use pliant::output::{NamedCurve, stress_chart, stress_csv, write_stress_chart};
use pliant::scene::{SOLID_PRESETS, SolidPreset};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(crate) fn curve(args: &Args, typed: &CurveArgs) -> anyhow::Result<Exit> {
    anyhow::ensure!(!(typed.csv && args.json), "--csv and --json both want stdout; give one of them");
    let (from, to) = (typed.from, typed.to);
    anyhow::ensure!(from < to, "--from {from} is not below --to {to}; give the smaller stretch first");
    let test = StretchTest::ALL.into_iter().find(|test| test.name() == typed.test).unwrap_or(StretchTest::Uniaxial);
    let drawn = drawn(typed, test)?;
    for Drawn { kind, named, .. } in &drawn {
        notes(named, test).iter().for_each(|note| say(&format!("{}: {note}", kind.name)));
    }
    let curves: Vec<NamedCurve> = drawn.iter().map(|drawn| drawn.named.clone()).collect();
    if typed.csv {
        print(&stress_csv(&curves))?;
        return Ok(Exit::Done);
    }
    let [picture, table] = files(typed.out.as_deref(), &drawn, test)?;
    let chart = stress_chart(&title(typed, test), test, &curves);
    make_folder(&picture)
        .and_then(|()| write_stress_chart(&chart, &picture, &curves, &table))
        .with_context(|| format!("{}: the curve cannot be written; choose another --out", picture.display()))?;
    if args.json {
        print_json(&object(test, &drawn, &[&picture, &table]))?;
    } else {
        print(&format!("{}\n{}\n{}", said(&drawn), shown(&drawn, test), written(&[&picture, &table])))?;
    }
    Ok(Exit::Done)
}

/// A material and what was found of it.
struct Drawn {
    kind: &'static LawKind,
    law: SolidLaw,
    named: NamedCurve,
}

fn drawn(typed: &CurveArgs, test: StretchTest) -> anyhow::Result<Vec<Drawn>> {
    let kinds = kinds(&typed.models)?;
    if !typed.s.is_empty() && kinds.len() > 1 {
        anyhow::bail!("--s has the parameters of one model, and {} were asked for; ask for one at a time", kinds.len());
    }
    let stretches = even_stretches(typed.from, typed.to, typed.points as usize);
    let of = |kind: &'static LawKind| {
        let law = law(typed, kind)?;
        let curve = stress_curve(&law, test, &stretches);
        Ok(Drawn { kind, law, named: NamedCurve { name: kind.name.to_string(), curve } })
    };
    kinds.into_iter().map(of).collect()
}

/// The models that were asked for, each once.
fn kinds(models: &[String]) -> Result<Vec<&'static LawKind>, LawError> {
    let mut kinds: Vec<&LawKind> = Vec::new();
    for name in models.iter().map(|name| name.trim()) {
        let asked = if name == "all" { LAWS.iter().collect() } else { vec![find_law(name)?] };
        for kind in asked {
            if kinds.iter().all(|there| there.name != kind.name) {
                kinds.push(kind);
            }
        }
    }
    Ok(kinds)
}

fn law(typed: &CurveArgs, kind: &'static LawKind) -> anyhow::Result<SolidLaw> {
    if !typed.s.is_empty() {
        return Ok(kind.with_parameters(&typed.s)?);
    }
    let [youngs_modulus, poisson_ratio] = moduli(typed);
    let lame = LameParameters::solid(youngs_modulus, poisson_ratio).map_err(LawError::from)?;
    Ok(kind.with_lame(lame)?)
}

fn preset(typed: &CurveArgs) -> SolidPreset {
    let named = SOLID_PRESETS.into_iter().find(|preset| Some(preset.name) == typed.material.as_deref());
    named.unwrap_or(SOLID_PRESETS[0])
}

/// Young's modulus, Pa, and Poisson's ratio.
fn moduli(typed: &CurveArgs) -> [f64; 2] {
    let preset = preset(typed);
    [typed.youngs_modulus.unwrap_or(preset.youngs_modulus), typed.poisson_ratio.unwrap_or(preset.poisson_ratio)]
}

fn title(typed: &CurveArgs, test: StretchTest) -> String {
    if !typed.s.is_empty() {
        let numbers: Vec<String> = typed.s.iter().map(|s| shown_pressure(*s)).collect();
        return format!("{} test, s = {}", test.name(), numbers.join(", "));
    }
    let [youngs_modulus, poisson_ratio] = moduli(typed);
    let given = typed.youngs_modulus.is_some() || typed.poisson_ratio.is_some();
    let name = if given { String::new() } else { format!("{}: ", preset(typed).name) };
    format!("{} test, {name}E = {}, nu = {poisson_ratio}", test.name(), shown_pressure(youngs_modulus))
}

/// With a unit that makes it short.
fn shown_pressure(pascals: f64) -> String {
    let units = [("GPa", 1e9), ("MPa", 1e6), ("kPa", 1e3)];
    let (unit, size) = units.into_iter().find(|(_, size)| pascals.abs() >= *size).unwrap_or(("Pa", 1.0));
    format!("{} {unit}", pascals / size)
}

/// What somebody who looks at the curve should know.
fn notes(named: &NamedCurve, test: StretchTest) -> Vec<String> {
    let left_out = named.curve.left_out.iter().map(|gap| gap.to_string());
    let what = if test == StretchTest::Shear { "shear" } else { "stretch" };
    let falls = named.curve.falls.iter().map(|&[from, to]| {
        format!(
            "from {} to {} the stress falls while the {what} grows: under a load it gives way there",
            short(from),
            short(to)
        )
    });
    left_out.chain(falls).collect()
}

/// Chart and table: in the folder or under the name that was given.
fn files(out: Option<&Path>, drawn: &[Drawn], test: StretchTest) -> anyhow::Result<[PathBuf; 2]> {
    let name = match drawn {
        [one] => format!("{}-{}.svg", one.kind.name, test.name()),
        _ => format!("materials-{}.svg", test.name()),
    };
    let picture = match out {
        None => PathBuf::from(name),
        Some(folder) if folder.is_dir() || folder.extension().is_none() => folder.join(name),
        Some(file) => {
            let known =
                |extension: &std::ffi::OsStr| ["svg", "png"].iter().any(|known| extension.eq_ignore_ascii_case(known));
            let fits = file.extension().is_some_and(known);
            anyhow::ensure!(fits, "--out {}: expected a folder, or the name of a .svg or .png file", file.display());
            file.to_path_buf()
        }
    };
    let table = picture.with_extension("csv");
    Ok([picture, table])
}

fn make_folder(file: &Path) -> std::io::Result<()> {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => std::fs::create_dir_all(folder),
        _ => Ok(()),
    }
}

fn object(test: StretchTest, drawn: &[Drawn], files: &[&Path]) -> Value {
    let one = |Drawn { kind, law, named }: &Drawn| {
        json!({
            "model": kind.name,
            "s": law.parameters(),
            "youngs_modulus": law.youngs_modulus(),
            "poisson_ratio": law.poisson_ratio(),
            "shear_modulus": law.shear_modulus(),
            "bulk_modulus": law.bulk_modulus(),
            "points": named.curve.points,
            "left_out": named.curve.left_out,
            "notes": notes(named, test),
        })
    };
    json!({
        "test": test.name(),
        "curves": drawn.iter().map(one).collect::<Vec<_>>(),
        "files": files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
    })
}

/// The parameters of each material.
fn said(drawn: &[Drawn]) -> String {
    let mut table = Table::new(&["model", "E, Pa", "nu", "s0", "s1", "s2", "s3"]);
    for Drawn { kind, law, .. } in drawn {
        let mut row = vec![kind.name.to_string(), short(law.youngs_modulus()), short(law.poisson_ratio())];
        row.extend(law.parameters().into_iter().map(short));
        row.resize(7, String::new());
        table.row(row);
    }
    table.text()
}

/// Stress at this many stretches, evenly among those asked for.
const SHOWN: usize = 8;

fn shown(drawn: &[Drawn], test: StretchTest) -> String {
    let header: Vec<&str> = std::iter::once("stretch").chain(drawn.iter().map(|drawn| drawn.kind.name)).collect();
    let mut table = Table::new(&header);
    let mut stretches: Vec<f64> =
        drawn.iter().flat_map(|drawn| drawn.named.curve.points.iter().map(|p| p.stretch)).collect();
    stretches.sort_by(f64::total_cmp);
    stretches.dedup();
    let rows = SHOWN.min(stretches.len());
    for k in 0..rows {
        let stretch = stretches[k * (stretches.len() - 1) / (rows - 1).max(1)];
        let stress = |drawn: &Drawn| {
            let at = drawn.named.curve.points.iter().find(|p| p.stretch == stretch);
            at.map_or("-".to_string(), |p| short(p.nominal_stress))
        };
        table.row(std::iter::once(short(stretch)).chain(drawn.iter().map(stress)));
    }
    format!("nominal stress, Pa, {} test\n{}", test.name(), table.text())
}

fn written(files: &[&Path]) -> String {
    files.iter().map(|file| format!("{}\n", file.display())).collect()
}

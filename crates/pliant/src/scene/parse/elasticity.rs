//! What a `[[solid]]` is made of: its model, and the moduli, parameters or knots of that.

use super::super::elasticity::{Drawn, DrawnFibre, Elasticity};
use super::super::presets::SolidPreset;
use super::super::reader::Section;
use super::super::types::SolidModel;

const MODULI: [&str; 2] = ["youngs_modulus", "poisson_ratio"];
const DRAWN: [&str; 3] = ["knots", "area_knots", "volume_knots"];
const FIBRES: [&str; 2] = ["fibres", "fibre_knots"];

pub(super) fn model(s: &Section<'_>) -> SolidModel {
    match s.choice("model") {
        Some("corotated") => SolidModel::Corotated,
        Some("stvk") => SolidModel::StVenantKirchhoff,
        Some("neo-hookean") => SolidModel::NeoHookean,
        Some("mooney-rivlin") => SolidModel::MooneyRivlin,
        Some("fung") => SolidModel::Fung,
        Some("stable-neo-hookean") => SolidModel::StableNeoHookean,
        Some("spline") => SolidModel::Spline,
        _ => SolidModel::AsRigidAsPossible,
    }
}

pub(super) fn elasticity(s: &Section<'_>, model: SolidModel, preset: &SolidPreset) -> Elasticity {
    let parameters = s.parameters("parameters");
    let drawn = Drawn {
        stretch: s.knots("knots").unwrap_or_default(),
        area: s.knots("area_knots").unwrap_or_default(),
        volume: s.knots("volume_knots").unwrap_or_default(),
    };
    let moduli = Elasticity::Moduli {
        youngs_modulus: s.number("youngs_modulus").unwrap_or(preset.youngs_modulus),
        poisson_ratio: s.number("poisson_ratio").unwrap_or(preset.poisson_ratio),
    };
    only_for_splines(s, model, &DRAWN);
    let given = if s.has("parameters") { Some("parameters") } else { DRAWN.into_iter().find(|key| s.has(key)) };
    let both = given.and_then(|given| Some((given, MODULI.into_iter().find(|key| s.has(key))?)));
    if let Some((given, modulus)) = both {
        let message = format!("`{modulus}` and `{given}` both say how stiff it is");
        s.fail(modulus, message, format!("keep `{modulus}`, or `{given}`"));
    }
    match given {
        None => moduli,
        Some("parameters") => {
            check_count(s, model, parameters.as_deref());
            Elasticity::Parameters(parameters.unwrap_or_default())
        }
        Some(_) => Elasticity::Drawn(drawn),
    }
}

fn check_count(s: &Section<'_>, model: SolidModel, parameters: Option<&[f64]>) {
    let (expected, Some(found)) = (model.parameters(), parameters.map(<[f64]>::len)) else { return };
    let name = s.choice("model").unwrap_or("arap");
    if expected == 0 {
        let message = format!("model \"{name}\" has no `parameters`");
        s.fail("parameters", message, "give its `knots`, or `youngs_modulus` and `poisson_ratio`");
    } else if expected != found {
        let message = format!("`parameters` holds {found}; model \"{name}\" has {expected}");
        s.fail("parameters", message, "`pliant material curve --help` says what they are, below `--s`");
    }
}

pub(super) fn fibres(s: &Section<'_>, model: SolidModel) -> Vec<DrawnFibre> {
    let (directions, curves) = (s.directions("fibres"), s.curves("fibre_knots"));
    only_for_splines(s, model, &FIBRES);
    if s.has("fibre_knots") {
        s.missing("fibres", "write for example `fibres = [1, 0, 0]`: the direction along which they lie");
    } else if s.has("fibres") {
        s.missing("fibre_knots", "write for example `fibre_knots = [[1, 0], [2, \"1 MPa\"]]`: how stiff they are");
    }
    let (Some(directions), Some(mut curves)) = (directions, curves) else { return Vec::new() };
    if curves.len() == 1 {
        curves.resize(directions.len(), curves[0].clone());
    }
    if curves.len() != directions.len() {
        let message = format!("`fibre_knots` has {} curves for {} `fibres`", curves.len(), directions.len());
        s.fail("fibre_knots", message, "write one curve for all directions, or one for each");
    }
    directions.into_iter().zip(curves).map(|(direction, knots)| DrawnFibre { direction, knots }).collect()
}

pub(super) fn conversion(s: &Section<'_>, model: SolidModel) -> bool {
    let conversion = s.flag("conversion").unwrap_or(true);
    if conversion {
        return true;
    }
    if model != SolidModel::StVenantKirchhoff {
        let help = "only \"stvk\" is an energy for inverted tets, too";
        s.fail("conversion", "`conversion = false` has a meaning for model \"stvk\" only", help);
    } else if !s.has("strain_limit") {
        let help = "write for example `strain_limit = [0.7, 1.5]`";
        s.fail("conversion", "without `conversion` nothing pulls crushed tets back but a `strain_limit`", help);
    }
    false
}

fn only_for_splines(s: &Section<'_>, model: SolidModel, keys: &[&'static str]) {
    if model == SolidModel::Spline {
        return;
    }
    if let Some(key) = keys.iter().find(|key| s.has(key)) {
        s.fail(key, format!("`{key}` has a meaning for model \"spline\" only"), "write `model = \"spline\"`");
    }
}

//! Materials by name. Typical values, meant to be right in their order of magnitude: none was copied from the table of
//! one measured sample, and two cottons differ more than these digits say. Who has a sample should give its numbers.
//!
//! How the cloth numbers were made, so that they can be checked and replaced:
//! - `density` is the mass per area such fabric is sold by.
//! - `stretch_stiffness` is the secant stiffness of the standard tensile test of the Kawabata evaluation system (KES-F,
//!   Kawabata 1980, "The Standardization and Analysis of Hand Evaluation"): the load of 500 gf/cm (490 N/m) divided by
//!   the strain at that load (EMT) that is typical for the fabric, mean of warp and weft.
//! - `bend_stiffness` is the bending rigidity B of the same system; 1 gf·cm²/cm = 9.8e-5 N·m.
//! - Paper, leather and latex are plates: modulus E and thickness t of the bulk material give E·t and E·t³/12.
//!
//! Solid moduli are small-strain Young's moduli. Rubber-like materials are nearly incompressible (Poisson's ratio 0.49
//! and more); the presets say less because linear tetrahedra lock there.

/// A kind of fabric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothPreset {
    /// Name as `material = "..."` takes it.
    pub name: &'static str,
    /// Mass per area, kg/m².
    pub density: f64,
    /// Young's modulus times thickness, N/m; also the stiffness of a spring along an edge, N/m.
    pub stretch_stiffness: f64,
    /// Poisson's ratio.
    pub poisson_ratio: f64,
    /// Bending rigidity, N·m.
    pub bend_stiffness: f64,
    /// Where the numbers come from.
    pub source: &'static str,
}

/// A kind of soft solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidPreset {
    /// Name as `material = "..."` takes it.
    pub name: &'static str,
    /// kg/m³
    pub density: f64,
    /// Young's modulus, Pa.
    pub youngs_modulus: f64,
    /// Poisson's ratio.
    pub poisson_ratio: f64,
    /// Where the numbers come from.
    pub source: &'static str,
}

/// The fabrics; the first is the default.
pub const CLOTH_PRESETS: [ClothPreset; 9] = [
    ClothPreset {
        name: "cotton",
        density: 0.2,
        stretch_stiffness: 1.2e4,
        poisson_ratio: 0.3,
        bend_stiffness: 1e-5,
        source: "plain weave, 200 g/m²; KES: EMT about 4 %, B about 0.1 gf·cm²/cm",
    },
    ClothPreset {
        name: "silk",
        density: 0.07,
        stretch_stiffness: 1.2e4,
        poisson_ratio: 0.3,
        bend_stiffness: 3e-6,
        source: "habotai, 16 momme (70 g/m²); KES: EMT about 4 %, B about 0.03 gf·cm²/cm",
    },
    ClothPreset {
        name: "denim",
        density: 0.41,
        stretch_stiffness: 2e4,
        poisson_ratio: 0.3,
        bend_stiffness: 8e-5,
        source: "stiff cotton denim, 12 oz/yd² (407 g/m²); KES: EMT about 2.5 %, B about 0.8 gf·cm²/cm; soft regenerated-cellulose denims measure EMT 5 %, B 0.14 to 0.23 (Journal of Textiles 2016, 4614168, table 5)",
    },
    ClothPreset {
        name: "wool",
        density: 0.23,
        stretch_stiffness: 8e3,
        poisson_ratio: 0.3,
        bend_stiffness: 1.2e-5,
        source: "worsted suiting, 230 g/m²; KES: EMT about 6 %, B about 0.12 gf·cm²/cm",
    },
    ClothPreset {
        name: "jersey",
        density: 0.16,
        stretch_stiffness: 1.5e3,
        poisson_ratio: 0.4,
        bend_stiffness: 3e-6,
        source: "single cotton knit, 160 g/m²; KES: EMT about 30 %, B about 0.03 gf·cm²/cm",
    },
    ClothPreset {
        name: "nylon",
        density: 0.05,
        stretch_stiffness: 1.6e4,
        poisson_ratio: 0.3,
        bend_stiffness: 2e-6,
        source: "ripstop as in flags and kites, 50 g/m²; KES: EMT about 3 %, B about 0.02 gf·cm²/cm; a rough guess",
    },
    ClothPreset {
        name: "leather",
        density: 0.9,
        stretch_stiffness: 5e4,
        poisson_ratio: 0.4,
        bend_stiffness: 1e-3,
        source: "1 mm, 900 kg/m³, E about 50 MPa; fibres slide, so it bends more easily than a plate (4e-3); a rough guess",
    },
    ClothPreset {
        name: "paper",
        density: 0.08,
        stretch_stiffness: 4e5,
        poisson_ratio: 0.2,
        bend_stiffness: 3.3e-4,
        source: "copy paper, 80 g/m², 0.1 mm, E about 4 GPa; plate formula",
    },
    ClothPreset {
        name: "latex",
        density: 0.37,
        stretch_stiffness: 600.0,
        poisson_ratio: 0.45,
        bend_stiffness: 1e-5,
        source: "0.4 mm sheet, 920 kg/m³, E about 1.5 MPa; plate formula",
    },
];

/// The soft solids; the first is the default.
pub const SOLID_PRESETS: [SolidPreset; 7] = [
    SolidPreset {
        name: "rubber",
        density: 930.0,
        youngs_modulus: 1.5e6,
        poisson_ratio: 0.45,
        source: "unfilled vulcanised natural rubber, handbook range 1 to 5 MPa",
    },
    SolidPreset {
        name: "silicone",
        density: 1070.0,
        youngs_modulus: 1e5,
        poisson_ratio: 0.45,
        source: "soft casting silicone (Shore 00-30), data sheets give 0.07 MPa at 100 % strain",
    },
    SolidPreset {
        name: "gelatine",
        density: 1050.0,
        youngs_modulus: 1e4,
        poisson_ratio: 0.45,
        source: "dessert gel of 5 % gelatine, order of 10 kPa; ballistic gelatine (10 %) is about 100 kPa",
    },
    SolidPreset {
        name: "foam",
        density: 30.0,
        youngs_modulus: 5e4,
        poisson_ratio: 0.25,
        source: "flexible polyurethane cushion, 30 kg/m³ (Gibson and Ashby, Cellular Solids: order of 10 to 100 kPa)",
    },
    SolidPreset {
        name: "muscle",
        density: 1060.0,
        youngs_modulus: 2.5e4,
        poisson_ratio: 0.45,
        source: "passive, across the fibres (Fung, Biomechanics: order of 10 kPa)",
    },
    SolidPreset {
        name: "fat",
        density: 920.0,
        youngs_modulus: 3e3,
        poisson_ratio: 0.45,
        source: "adipose tissue, published elastography 1 to 10 kPa",
    },
    SolidPreset {
        name: "cork",
        density: 170.0,
        youngs_modulus: 1.5e7,
        poisson_ratio: 0.05,
        source: "Gibson and Ashby, Cellular Solids: order of 10 MPa, hardly any lateral strain",
    },
];

/// Names of the fabrics.
pub(super) const CLOTH_NAMES: [&str; CLOTH_PRESETS.len()] = {
    let mut names = [""; CLOTH_PRESETS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = CLOTH_PRESETS[i].name;
        i += 1;
    }
    names
};

/// Names of the solids.
pub(super) const SOLID_NAMES: [&str; SOLID_PRESETS.len()] = {
    let mut names = [""; SOLID_PRESETS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = SOLID_PRESETS[i].name;
        i += 1;
    }
    names
};

/// The fabric of that name, else the default.
pub(super) fn cloth(name: Option<&str>) -> ClothPreset {
    name.and_then(|n| CLOTH_PRESETS.into_iter().find(|p| p.name == n)).unwrap_or(CLOTH_PRESETS[0])
}

/// The solid of that name, else the default.
pub(super) fn solid(name: Option<&str>) -> SolidPreset {
    name.and_then(|n| SOLID_PRESETS.into_iter().find(|p| p.name == n)).unwrap_or(SOLID_PRESETS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_what_the_parser_would_accept() {
        for p in CLOTH_PRESETS {
            assert!(p.density > 0.0 && p.stretch_stiffness > 0.0 && p.bend_stiffness > 0.0, "{}", p.name);
            assert!((0.0..0.5).contains(&p.poisson_ratio), "{}", p.name);
        }
        for p in SOLID_PRESETS {
            assert!(p.density > 0.0 && p.youngs_modulus > 0.0 && (0.0..0.5).contains(&p.poisson_ratio), "{}", p.name);
        }
    }

    #[test]
    fn the_default_cloth_is_cotton_and_the_default_solid_rubber() {
        assert_eq!((cloth(None).name, solid(None).name), ("cotton", "rubber"));
    }
}

//! Materials of soft solids by name and by number: which models there are, what their parameters are, and the stress that a
//! piece of one answers a deformation with. Elements of a mesh have the same formulas.

use super::error::not_negative;
use super::hyperelastic::{
    Density, Fung, MooneyRivlin, NeoHookean, StVenantKirchhoff, StableNeoHookean, density_at, stress_at,
};
use super::simplex::RestTet;
use super::{ArapTet, CorotatedTet, Energy, LameParameters, MaterialError, SplineEnergy, SplineMaterial};
use crate::counted::counted;
use crate::math::{Mat3, Vec3};
use crate::scene::{Drawn, Elasticity, Knot, Solid, SolidModel};
use thiserror::Error;

/// A model of a soft solid, without its parameters.
#[derive(Debug)]
pub struct LawKind {
    /// As it is written on the command line.
    pub name: &'static str,
    /// What each parameter is, with its unit.
    pub parameters: &'static [&'static str],
    of_lame: fn(LameParameters) -> Result<SolidLaw, MaterialError>,
    of_numbers: fn(&[f64]) -> Option<SolidLaw>,
}

/// Every model.
pub const LAWS: [LawKind; 8] = [
    LawKind {
        name: "arap",
        parameters: &["s0 = kappa, Pa"],
        of_lame: |lame| Ok(SolidLaw::Arap { kappa: lame.mu }),
        of_numbers: |s| Some(SolidLaw::Arap { kappa: *s.first()? }),
    },
    LawKind {
        name: "corotated",
        parameters: &["s0 = lambda, Pa", "s1 = mu, Pa"],
        of_lame: |lame| Ok(SolidLaw::Corotated(lame)),
        of_numbers: |s| lambda_mu(s).map(|[lambda, mu]| SolidLaw::Corotated(LameParameters { mu, lambda })),
    },
    LawKind {
        name: "stvk",
        parameters: &["s0 = lambda, Pa", "s1 = mu, Pa"],
        of_lame: |lame| Ok(SolidLaw::StVenantKirchhoff(lame.into())),
        of_numbers: |s| {
            let [lame_lambda, lame_mu] = lambda_mu(s)?;
            Some(SolidLaw::StVenantKirchhoff(StVenantKirchhoff { lame_mu, lame_lambda }))
        },
    },
    LawKind {
        name: "neo-hookean",
        parameters: &["s0 = mu/2, Pa", "s1 = bulk modulus/2, Pa"],
        of_lame: |lame| Ok(SolidLaw::NeoHookean(lame.into())),
        of_numbers: |s| Some(SolidLaw::NeoHookean(NeoHookean { s: s.try_into().ok()? })),
    },
    LawKind {
        name: "mooney-rivlin",
        parameters: &["s0, Pa", "s1 = bulk modulus/2, Pa", "s2, Pa; mu is 2 (s0 + s2)"],
        of_lame: |lame| Ok(SolidLaw::MooneyRivlin(lame.into())),
        of_numbers: |s| Some(SolidLaw::MooneyRivlin(MooneyRivlin { s: s.try_into().ok()? })),
    },
    LawKind {
        name: "fung",
        parameters: &["s0, Pa", "s1 = bulk modulus/2, Pa", "s2, Pa", "s3, without unit; mu is 2 (s0 + s2 s3)"],
        of_lame: |lame| Ok(SolidLaw::Fung(lame.into())),
        of_numbers: |s| Some(SolidLaw::Fung(Fung { s: s.try_into().ok()? })),
    },
    LawKind {
        name: "stable-neo-hookean",
        parameters: &["s0 = lambda of the model, Pa", "s1 = mu of the model, 4/3 of the shear modulus, Pa"],
        of_lame: |lame| Ok(SolidLaw::StableNeoHookean(lame.into())),
        of_numbers: |s| lambda_mu(s).map(|[lambda, mu]| SolidLaw::StableNeoHookean(StableNeoHookean { mu, lambda })),
    },
    LawKind {
        name: "spline",
        parameters: &[],
        of_lame: |lame| Ok(SolidLaw::Spline(Box::new(SplineMaterial::from_lame(lame)?))),
        of_numbers: |_| None,
    },
];

/// The model that a scene means.
fn kind_of(model: SolidModel) -> &'static LawKind {
    &LAWS[match model {
        SolidModel::AsRigidAsPossible => 0,
        SolidModel::Corotated => 1,
        SolidModel::StVenantKirchhoff => 2,
        SolidModel::NeoHookean => 3,
        SolidModel::MooneyRivlin => 4,
        SolidModel::Fung => 5,
        SolidModel::StableNeoHookean => 6,
        SolidModel::Spline => 7,
    }]
}

/// Without knots there is no such energy.
fn drawn(knots: &[Knot]) -> Result<SplineEnergy<f64>, MaterialError> {
    if knots.is_empty() { Ok(SplineEnergy::NONE) } else { SplineEnergy::through(knots) }
}

fn lambda_mu(s: &[f64]) -> Option<[f64; 2]> {
    s.try_into().ok()
}

/// A model with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum SolidLaw {
    /// [`ArapTet`]
    Arap {
        /// κ, Pa; the shear modulus.
        kappa: f64,
    },
    /// [`CorotatedTet`]
    Corotated(LameParameters),
    /// [`StVenantKirchhoff`]
    StVenantKirchhoff(StVenantKirchhoff<f64>),
    /// [`NeoHookean`]
    NeoHookean(NeoHookean<f64>),
    /// [`MooneyRivlin`]
    MooneyRivlin(MooneyRivlin<f64>),
    /// [`Fung`]
    Fung(Fung<f64>),
    /// [`StableNeoHookean`]
    StableNeoHookean(StableNeoHookean<f64>),
    /// [`SplineMaterial`]; its fibres count in stress, not in moduli.
    Spline(Box<SplineMaterial<f64>>),
}

/// Why there is no such material.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum LawError {
    /// No such name.
    #[error("there is no material model '{name}'; {help}")]
    Unknown {
        /// As given.
        name: String,
        /// The most similar name, or all of them.
        help: String,
    },
    /// Too few or too many numbers.
    #[error("{law} has {expected} ({parameters}), found {found}; give one number for each")]
    Count {
        /// Name of the model.
        law: &'static str,
        /// "2 parameters"
        expected: String,
        /// What they are.
        parameters: String,
        /// How many were given.
        found: usize,
    },
    /// The model is given by knots.
    #[error("{law} has no parameters s0, s1, ...; give Young's modulus and Poisson's ratio")]
    NoParameters {
        /// Name of the model.
        law: &'static str,
    },
    /// A number that no material has.
    #[error(transparent)]
    Parameter(#[from] MaterialError),
}

/// Looks a model up by name.
pub fn find_law(name: &str) -> Result<&'static LawKind, LawError> {
    LAWS.iter().find(|law| law.name == name).ok_or_else(|| {
        let names = LAWS.each_ref().map(|law| law.name);
        let help = match crate::scene::nearest(name, names) {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!("there are {}", names.join(", ")),
        };
        LawError::Unknown { name: name.to_string(), help }
    })
}

impl LawKind {
    /// With the shear modulus, and where the model has one the bulk modulus, of linear elasticity.
    pub fn with_lame(&'static self, lame: LameParameters) -> Result<SolidLaw, LawError> {
        self.checked((self.of_lame)(lame)?)
    }

    /// With the parameters s₀, s₁, ... of the papers, Pa but for s₃ of Fung's.
    pub fn with_parameters(&'static self, s: &[f64]) -> Result<SolidLaw, LawError> {
        if self.parameters.is_empty() {
            return Err(LawError::NoParameters { law: self.name });
        }
        let law = (self.of_numbers)(s).filter(|_| s.len() == self.parameters.len());
        self.checked(law.ok_or_else(|| LawError::Count {
            law: self.name,
            expected: counted(self.parameters.len(), "parameter", "parameters"),
            parameters: self.parameters.join("; "),
            found: s.len(),
        })?)
    }

    /// At rest it must resist shear, and must not blow up by itself.
    fn checked(&'static self, law: SolidLaw) -> Result<SolidLaw, LawError> {
        let wrong =
            |parameter, found, expected| MaterialError::BadParameter { element: self.name, parameter, found, expected };
        if let Some(found) = law.parameters().into_iter().find(|s| !s.is_finite()) {
            return Err(wrong("a parameter", found, "finite numbers").into());
        }
        let mu = law.shear_modulus();
        if !(mu.is_finite() && mu > 0.0) {
            return Err(wrong("shear modulus", mu, "a finite number > 0 Pa").into());
        }
        not_negative(self.name, "bulk modulus", law.bulk_modulus(), "a finite number >= 0 Pa")?;
        Ok(law)
    }
}

/// Corners 1, 2 and 3 are the columns of F, and forces on them those of P.
const UNIT: RestTet<f64> =
    RestTet { shape_gradient: [[-1.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], measure: 1.0 };

fn corners(F: Mat3<f64>) -> [Vec3<f64>; 4] {
    let [a, b, c] = F.c;
    [Vec3::ZERO, a, b, c]
}

fn stress_of(element: &impl Energy<f64, 4>, F: Mat3<f64>) -> Mat3<f64> {
    let [_, a, b, c] = element.gradient(&corners(F));
    Mat3::from_columns(a, b, c)
}

impl SolidLaw {
    /// What a solid of a scene is made of: the one place where what people give becomes what elements compute with.
    pub fn of(solid: &Solid) -> Result<Self, LawError> {
        let kind = kind_of(solid.model);
        let mut law = match &solid.elasticity {
            Elasticity::Moduli { youngs_modulus, poisson_ratio } => {
                kind.with_lame(LameParameters::solid(*youngs_modulus, *poisson_ratio)?)?
            }
            Elasticity::Parameters(s) => kind.with_parameters(s)?,
            Elasticity::Drawn(Drawn { stretch, area, volume }) => {
                let material = SplineMaterial::new(drawn(stretch)?, drawn(area)?, drawn(volume)?);
                kind.checked(Self::Spline(Box::new(material)))?
            }
        };
        if let Self::Spline(material) = &mut law {
            for fibre in &solid.fibres {
                **material = material.with_fibre(Vec3::of(fibre.direction), drawn(&fibre.knots)?)?;
            }
        }
        Ok(law)
    }

    /// ψ(F), Pa.
    pub fn density(&self, F: Mat3<f64>) -> f64 {
        match self {
            Self::Arap { kappa } => ArapTet { rest: UNIT, kappa: *kappa }.value(&corners(F)),
            Self::Corotated(lame) => corotated(lame).value(&corners(F)),
            Self::StVenantKirchhoff(density) => density_at(density, F),
            Self::NeoHookean(density) => density_at(density, F),
            Self::MooneyRivlin(density) => density_at(density, F),
            Self::Fung(density) => density_at(density, F),
            Self::StableNeoHookean(density) => density_at(density, F),
            Self::Spline(material) => material.density(F),
        }
    }

    /// P(F) = ∂ψ/∂F, Pa.
    pub fn stress(&self, F: Mat3<f64>) -> Mat3<f64> {
        match self {
            Self::Arap { kappa } => stress_of(&ArapTet { rest: UNIT, kappa: *kappa }, F),
            Self::Corotated(lame) => stress_of(&corotated(lame), F),
            Self::StVenantKirchhoff(density) => stress_at(density, F),
            Self::NeoHookean(density) => stress_at(density, F),
            Self::MooneyRivlin(density) => stress_at(density, F),
            Self::Fung(density) => stress_at(density, F),
            Self::StableNeoHookean(density) => stress_at(density, F),
            Self::Spline(material) => material.stress(F),
        }
    }

    /// The parameters, in the order of [`LawKind::parameters`].
    pub fn parameters(&self) -> Vec<f64> {
        match self {
            Self::Arap { kappa } => vec![*kappa],
            Self::Corotated(lame) => vec![lame.lambda, lame.mu],
            Self::StVenantKirchhoff(model) => vec![model.lame_lambda, model.lame_mu],
            Self::NeoHookean(model) => model.s.to_vec(),
            Self::MooneyRivlin(model) => model.s.to_vec(),
            Self::Fung(model) => model.s.to_vec(),
            Self::StableNeoHookean(model) => vec![model.lambda, model.mu],
            Self::Spline(_) => vec![],
        }
    }

    /// Shear modulus at rest, Pa.
    pub fn shear_modulus(&self) -> f64 {
        match self {
            Self::Arap { kappa } => *kappa,
            Self::Corotated(lame) => lame.mu,
            Self::StVenantKirchhoff(model) => model.shear_modulus(),
            Self::NeoHookean(model) => model.shear_modulus(),
            Self::MooneyRivlin(model) => model.shear_modulus(),
            Self::Fung(model) => model.shear_modulus(),
            Self::StableNeoHookean(model) => model.shear_modulus(),
            Self::Spline(material) => material.shear_modulus(),
        }
    }

    /// Bulk modulus at rest, Pa.
    pub fn bulk_modulus(&self) -> f64 {
        match self {
            Self::Arap { kappa } => 2.0 / 3.0 * kappa,
            Self::Corotated(lame) => lame.bulk_modulus(),
            Self::StVenantKirchhoff(model) => model.lame_lambda + 2.0 / 3.0 * model.lame_mu,
            Self::NeoHookean(model) => 2.0 * model.s[1],
            Self::MooneyRivlin(model) => 2.0 * model.s[1],
            Self::Fung(model) => 2.0 * model.s[1],
            Self::StableNeoHookean(model) => model.lambda - 0.125 * model.mu,
            Self::Spline(material) => material.lame_lambda() + 2.0 / 3.0 * material.shear_modulus(),
        }
    }

    /// E = 9Kμ/(3K + μ) at rest, Pa.
    pub fn youngs_modulus(&self) -> f64 {
        let (mu, bulk) = (self.shear_modulus(), self.bulk_modulus());
        9.0 * bulk * mu / (3.0 * bulk + mu)
    }

    /// ν = (3K − 2μ)/(6K + 2μ) at rest.
    pub fn poisson_ratio(&self) -> f64 {
        let (mu, bulk) = (self.shear_modulus(), self.bulk_modulus());
        (3.0 * bulk - 2.0 * mu) / (6.0 * bulk + 2.0 * mu)
    }
}

fn corotated(lame: &LameParameters) -> CorotatedTet<f64> {
    CorotatedTet { rest: UNIT, lame_mu: lame.mu, lame_lambda: lame.lambda }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moduli_of_a_law_are_those_it_was_made_from() {
        let (youngs_modulus, nu) = (3e6, 0.37);
        let lame = LameParameters::solid(youngs_modulus, nu).unwrap();
        for kind in &LAWS {
            let law = kind.with_lame(lame).unwrap();
            assert!((law.shear_modulus() - lame.mu).abs() < 1e-9 * lame.mu, "{}", kind.name);
            // As rigid as possible: one parameter.
            let nu = if kind.name == "arap" { 0.0 } else { nu };
            assert!((law.poisson_ratio() - nu).abs() < 1e-12, "{}", kind.name);
            assert!((law.youngs_modulus() - 2.0 * lame.mu * (1.0 + nu)).abs() < 1e-8 * lame.mu, "{}", kind.name);
            if !kind.parameters.is_empty() {
                assert_eq!(kind.with_parameters(&law.parameters()).unwrap(), law, "{}", kind.name);
            }
        }
    }

    #[test]
    fn a_solid_of_a_scene_is_what_its_moduli_parameters_or_knots_say() {
        let law = |lines: &str| {
            let text = format!("pliant = 1\n[[solid]]\nshape = 'box'\n{lines}\n");
            SolidLaw::of(&crate::scene::Scene::parse(&text, "t", ".".as_ref(), &[]).unwrap().solid[0])
        };
        for kind in &LAWS {
            let given = law(&format!("model = '{}'\nyoungs_modulus = 2e5\npoisson_ratio = 0.3", kind.name)).unwrap();
            assert_eq!(given, kind.with_lame(LameParameters::solid(2e5, 0.3).unwrap()).unwrap());
            let s: Vec<String> = given.parameters().iter().map(f64::to_string).collect();
            assert_eq!(s.len(), kind.parameters.len());
            if !s.is_empty() {
                let same = law(&format!("model = '{}'\nparameters = [{}]", kind.name, s.join(", "))).unwrap();
                assert_eq!(same, given);
            }
        }
        assert!(law("model = 'mooney-rivlin'\nparameters = [1, 1, -2]").is_err(), "its shear modulus is negative");
        let knots = [[0.5, -300.0], [1.0, 0.0], [2.0, 500.0]];
        let of = |lines: &str| law(&format!("model = 'spline'\n{lines}"));
        let Ok(SolidLaw::Spline(material)) = of("knots = [[0.5, -300], [1, 0], [2, '0.5 kPa']]\nfibres = [0, 0, 2]\n\
                                                 fibre_knots = [[1, 0], [2, 7]]")
        else {
            panic!("no spline material")
        };
        assert_eq!(material.f, SplineEnergy::through(&knots).unwrap());
        assert_eq!((material.g, material.h), (SplineEnergy::NONE, SplineEnergy::NONE));
        let fibre = material.fibres[0].unwrap();
        assert_eq!(fibre.direction, Vec3::axis(2));
        assert_eq!(fibre.energy, SplineEnergy::through(&[[1.0, 0.0], [2.0, 7.0]]).unwrap());
        assert!(of("volume_knots = [[1, 0], [2, 500]]").is_err(), "nothing resists shear");
    }

    #[test]
    fn names_that_are_not_there_find_the_nearest_and_counts_say_what_the_model_has() {
        let said = |name: &str| find_law(name).unwrap_err().to_string();
        assert_eq!(said("NeoHookaen"), "there is no material model 'NeoHookaen'; did you mean 'neo-hookean'?");
        assert!(said("jelly").contains("there are arap, corotated"), "{}", said("jelly"));
        let error = find_law("stvk").unwrap().with_parameters(&[1.0]).unwrap_err().to_string();
        assert!(error.contains("stvk has 2 parameters (s0 = lambda, Pa; s1 = mu, Pa), found 1"), "{error}");
        assert!(find_law("fung").unwrap().with_parameters(&[1.0; 5]).is_err());
        assert!(matches!(find_law("spline").unwrap().with_parameters(&[]), Err(LawError::NoParameters { .. })));
    }

    #[test]
    fn a_material_that_is_not_stable_at_rest_is_refused() {
        let refused = |name: &str, s: &[f64]| find_law(name).unwrap().with_parameters(s).unwrap_err().to_string();
        assert!(refused("neo-hookean", &[0.0, 1.0]).contains("shear modulus is 0"));
        assert!(refused("neo-hookean", &[1.0, -1.0]).contains("bulk modulus is -2"));
        assert!(refused("mooney-rivlin", &[1.0, 1.0, -2.0]).contains("shear modulus is -2"));
        assert!(refused("arap", &[f64::NAN]).contains("finite"));
    }
}

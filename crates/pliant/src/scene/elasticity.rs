//! How stiff a solid is, in the ways a scene can say it.

use super::types::SolidModel;

/// A point that f′ goes through: the stretch (or product of stretches) without unit, and f′, Pa.
pub type Knot = [f64; 2];

/// What the energy of a solid is made from.
#[derive(Clone, Debug, PartialEq)]
pub enum Elasticity {
    /// Those of linear elasticity, which all models are where strains are small.
    Moduli {
        /// Young's modulus, Pa.
        youngs_modulus: f64,
        /// Poisson's ratio.
        poisson_ratio: f64,
    },
    /// s₀, s₁, ... of the model's formula (course 3.3), Pa; s₃ of Fung's has no unit.
    Parameters(Vec<f64>),
    /// A spline model, drawn.
    Drawn(Drawn),
}

/// f′, g′ and h′ of a spline model by their knots; none: that energy is zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// f′ of each principal stretch.
    pub stretch: Vec<Knot>,
    /// g′ of the product of two.
    pub area: Vec<Knot>,
    /// h′ of the product of all three.
    pub volume: Vec<Knot>,
}

/// Fibres of a spline model.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnFibre {
    /// Along which they lie, in the body's own frame at rest; of any length but 0.
    pub direction: [f64; 3],
    /// f′ of their stretch.
    pub knots: Vec<Knot>,
}

impl Elasticity {
    /// Makes everything stiffer by `factor`.
    pub(super) fn stiffen(&mut self, model: SolidModel, factor: f64) {
        match self {
            Self::Moduli { youngs_modulus, .. } => *youngs_modulus *= factor,
            Self::Parameters(s) => {
                let pressures = if model == SolidModel::Fung { 3 } else { s.len() };
                s.iter_mut().take(pressures).for_each(|s| *s *= factor);
            }
            Self::Drawn(Drawn { stretch, area, volume }) => {
                [stretch, area, volume].into_iter().for_each(|knots| stiffen_knots(knots, factor));
            }
        }
    }
}

pub(super) fn stiffen_knots(knots: &mut [Knot], factor: f64) {
    knots.iter_mut().for_each(|[_, slope]| *slope *= factor);
}

impl SolidModel {
    /// How many parameters s₀, s₁, ... its formula has; 0: it is not given by parameters.
    pub fn parameters(self) -> usize {
        match self {
            Self::AsRigidAsPossible => 1,
            Self::Corotated | Self::StVenantKirchhoff | Self::NeoHookean | Self::StableNeoHookean => 2,
            Self::MooneyRivlin => 3,
            Self::Fung => 4,
            Self::Spline => 0,
        }
    }
}

//! Changes to a whole scene.

use super::elasticity::stiffen_knots;
use super::types::{BendModel, Force, Scene, StretchModel};

/// Drag of a wind that nobody gave one: ½ · 1.2 kg/m³ · drag coefficient 1 · 4 m/s, N·s/m³.
pub(super) const USUAL_DRAG: f64 = 2.5;

impl Scene {
    /// Multiplies the stiffness of every material by `factor`.
    pub fn stiffen(&mut self, factor: f64) {
        for cloth in &mut self.cloth {
            match &mut cloth.stretch {
                StretchModel::Springs { stiffness } => *stiffness *= factor,
                StretchModel::Membrane { youngs_modulus, .. } => *youngs_modulus *= factor,
            }
            match &mut cloth.bend {
                BendModel::Quadratic { stiffness } | BendModel::Dihedral { stiffness } => *stiffness *= factor,
                BendModel::None => {}
            }
        }
        for solid in &mut self.solid {
            solid.elasticity.stiffen(solid.model, factor);
            solid.fibres.iter_mut().for_each(|fibre| stiffen_knots(&mut fibre.knots, factor));
        }
    }

    /// Replaces the velocity of the air, m/s, with the drag of the first wind that the scene has.
    pub fn set_wind(&mut self, air: [f64; 3]) {
        let drag_of = |force: &Force| match force {
            Force::Wind { drag, .. } => Some(*drag),
            _ => None,
        };
        let drag = self.force.iter().find_map(drag_of).unwrap_or(USUAL_DRAG);
        self.force.retain(|force| drag_of(force).is_none());
        self.force.push(Force::Wind { velocity: air, drag });
    }

    /// Velocity of the air of the first wind that the scene has, m/s.
    pub fn wind(&self) -> Option<[f64; 3]> {
        self.force.iter().find_map(|force| match force {
            Force::Wind { velocity, .. } => Some(*velocity),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_wind_keeps_the_drag_and_every_other_force() {
        let text = "pliant = 1\n[[cloth]]\n[[force]]\nkind = 'damping'\nrate = 0.5\n";
        let mut scene = Scene::parse(text, "t", ".".as_ref(), &[]).unwrap();
        assert_eq!(scene.wind(), None);
        scene.set_wind([1.0, 0.0, 0.0]);
        let Force::Wind { drag, .. } = &mut scene.force[1] else { panic!("{:?}", scene.force) };
        assert_eq!(*drag, USUAL_DRAG);
        *drag = 7.0;
        scene.set_wind([0.0, 0.0, 3.0]);
        let wind = Force::Wind { velocity: [0.0, 0.0, 3.0], drag: 7.0 };
        assert_eq!(scene.force, [Force::Damping(0.5), wind]);
        assert_eq!(scene.wind(), Some([0.0, 0.0, 3.0]));
    }
}

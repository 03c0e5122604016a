use super::Path;
use crate::math::{Mat3, Vec3};
use crate::scene;
use std::sync::Arc;

/// A held vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Which vertex of the model.
    pub vertex: u32,
    /// Where it is held at time 0, m.
    pub anchor: [f64; 3],
    /// N/m; `None` holds exactly.
    pub stiffness: Option<f64>,
    /// Motion of the target.
    pub motion: PinMotion,
    /// The target goes as this path does, instead of that motion.
    pub path: Option<Arc<Path>>,
    /// From this time on the vertex is free, s.
    pub release: f64,
}

/// How a pin's target moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PinMotion {
    /// m/s
    pub velocity: [f64; 3],
    /// Axis times rate, rad/s.
    pub angular_velocity: [f64; 3],
    /// Centre of rotation, m.
    pub centre: [f64; 3],
    /// It moves from `moves[0]` to `moves[1]`, s.
    pub moves: [f64; 2],
}

impl Pin {
    /// A vertex held exactly where it is.
    pub fn fixed(vertex: u32, anchor: [f64; 3]) -> Self {
        let motion =
            PinMotion { velocity: [0.0; 3], angular_velocity: [0.0; 3], centre: [0.0; 3], moves: [0.0, f64::INFINITY] };
        Self { vertex, anchor, stiffness: None, motion, path: None, release: f64::INFINITY }
    }

    /// From what the scene says about a group of pins.
    pub(super) fn of(pin: &scene::Pin, vertex: u32, anchor: [f64; 3]) -> Self {
        let motion = PinMotion {
            velocity: pin.velocity,
            angular_velocity: pin.angular_velocity.map(f64::to_radians),
            centre: pin.centre,
            moves: pin.moves,
        };
        let stiffness = match pin.hold {
            scene::Hold::Exact => None,
            scene::Hold::Spring(stiffness) => Some(stiffness),
        };
        Self { vertex, anchor, stiffness, motion, path: None, release: pin.release }
    }

    /// Whether it still holds at `time`, s.
    pub fn holds_at(&self, time: f64) -> bool {
        time < self.release
    }

    /// Where the target is at `time`, m.
    pub fn target(&self, time: f64) -> [f64; 3] {
        let PinMotion { velocity, angular_velocity, centre, moves } = self.motion;
        if let Some(path) = &self.path {
            return (Vec3::of(self.anchor) + path.moved(time)).f64();
        }
        let moved = time.clamp(moves[0], moves[1]) - moves[0];
        if moved == 0.0 {
            return self.anchor;
        }
        let (spin, centre) = (Vec3::<f64>::of(angular_velocity), Vec3::of(centre));
        let turn = Mat3::rotation(spin.unit_or(Vec3::axis(1)), spin.length() * moved);
        (turn * (Vec3::of(self.anchor) - centre) + centre + Vec3::of(velocity) * moved).f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moving_target_turns_about_its_centre_and_stops() {
        let mut pin = Pin::fixed(0, [2.0, 0.0, 0.0]);
        pin.motion = PinMotion {
            velocity: [0.0, 1.0, 0.0],
            angular_velocity: [0.0, std::f64::consts::FRAC_PI_2, 0.0],
            centre: [1.0, 0.0, 0.0],
            moves: [1.0, 2.0],
        };
        assert_eq!(pin.target(0.5), [2.0, 0.0, 0.0]);
        for time in [2.0, 9.0] {
            let target = Vec3::of(pin.target(time));
            assert!((target - Vec3::new(1.0, 1.0, -1.0)).length() < 1e-12, "{target:?}");
        }
    }
}

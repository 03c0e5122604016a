use crate::device::StepInput;
use crate::math::Vec3;
use crate::model::{Model, Pin};

/// What the step of `h` that ends at `time`, s, brings: targets of the pins that hold, colliders where they are then.
///
/// A vertex has one target: an exact pin before springs, and several springs pull like one as stiff as all of them
/// together, at the mean of their targets weighted by stiffness.
pub fn step_input(model: &Model, time: f64, h: f64) -> StepInput {
    let mut input = StepInput::default();
    refill(&mut input, model, time, h);
    input
}

/// [`step_input`] into memory that is already there.
pub(super) fn refill(input: &mut StepInput, model: &Model, time: f64, h: f64) {
    input.colliders.clear();
    input.colliders.extend(model.colliders.iter().map(|collider| collider.after(time, h)));
    input.targets.clear();
    // Pins are sorted by vertex.
    let vertices = model.pins.chunk_by(|a, b| a.vertex == b.vertex);
    input.targets.extend(vertices.filter_map(|pins| Some((pins[0].vertex, target(pins, time)?))));
}

/// Where a vertex with these pins is to be; `None` if none of them holds any more.
fn target(pins: &[Pin], time: f64) -> Option<[f64; 3]> {
    let holding = || pins.iter().filter(|pin| pin.holds_at(time));
    if let Some(exact) = holding().rfind(|pin| pin.stiffness.is_none()) {
        return Some(exact.target(time));
    }
    let stiffness: f64 = holding().filter_map(|pin| pin.stiffness).sum();
    let share = |pin: &Pin| Vec3::<f64>::of(pin.target(time)) * (pin.stiffness.unwrap_or(0.0) / stiffness);
    let mean = holding().map(share).fold(Vec3::ZERO, |sum, part| sum + part);
    holding().next().map(|only| if holding().count() == 1 { only.target(time) } else { mean.f64() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_with_several_pins_has_one_target() {
        let spring = |x: f64, stiffness: f64| Pin { stiffness: Some(stiffness), ..Pin::fixed(3, [x, 0.0, 0.0]) };
        let mut model =
            Model { pins: vec![Pin::fixed(0, [5.0; 3]), spring(1.0, 1.0), spring(4.0, 2.0)], ..Model::default() };
        assert_eq!(step_input(&model, 0.0, 0.1).targets, [(0, [5.0; 3]), (3, [3.0, 0.0, 0.0])]);
        model.pins.push(Pin::fixed(3, [7.0, 0.0, 0.0]));
        model.pins.push(spring(9.0, 1.0));
        assert_eq!(step_input(&model, 0.0, 0.1).targets[1], (3, [7.0, 0.0, 0.0]));
    }
}

use crate::device::StepInput;
use crate::math::Vec3;
use crate::model::{Model, Pin};

/// What the step that ends at `time`, s, brings: targets of the pins that hold, colliders where they are then.
///
/// A vertex has one target: an exact pin before springs, and several springs pull like one as stiff as all of them
/// together, at the mean of their targets weighted by stiffness.
pub fn step_input(model: &Model, time: f64) -> StepInput {
    let mut input = StepInput::default();
    refill(&mut input, model, time);
    input
}

/// [`step_input`] into memory that is already there.
pub(super) fn refill(input: &mut StepInput, model: &Model, time: f64) {
    input.colliders.clear();
    input.colliders.extend(model.colliders.iter().map(|collider| collider.at(time)));
    let mut holding: Vec<&Pin> = model.pins.iter().filter(|pin| pin.holds_at(time)).collect();
    holding.sort_by_key(|pin| pin.vertex);
    input.targets.clear();
    let vertices = holding.chunk_by(|a, b| a.vertex == b.vertex);
    input.targets.extend(vertices.map(|pins| (pins[0].vertex, target(pins, time))));
}

fn target(pins: &[&Pin], time: f64) -> [f64; 3] {
    if let Some(exact) = pins.iter().rfind(|pin| pin.stiffness.is_none()).or(pins.first().filter(|_| pins.len() == 1)) {
        return exact.target(time);
    }
    let stiffness: f64 = pins.iter().filter_map(|pin| pin.stiffness).sum();
    let share = |pin: &&Pin| Vec3::<f64>::of(pin.target(time)) * (pin.stiffness.unwrap_or(0.0) / stiffness);
    pins.iter().map(share).fold(Vec3::ZERO, |sum, part| sum + part).f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_with_several_pins_has_one_target() {
        let spring = |x: f64, stiffness: f64| Pin { stiffness: Some(stiffness), ..Pin::fixed(3, [x, 0.0, 0.0]) };
        let mut model =
            Model { pins: vec![spring(1.0, 1.0), Pin::fixed(0, [5.0; 3]), spring(4.0, 2.0)], ..Model::default() };
        assert_eq!(step_input(&model, 0.0).targets, [(0, [5.0; 3]), (3, [3.0, 0.0, 0.0])]);
        model.pins.push(Pin::fixed(3, [7.0, 0.0, 0.0]));
        model.pins.push(spring(9.0, 1.0));
        assert_eq!(step_input(&model, 0.0).targets[1], (3, [7.0, 0.0, 0.0]));
    }
}

// Twin of correct.rs for the element PREFIX on ARITY points. A line of code with CORNER stands for one line per corner.

struct PREFIX_correction {
    /// Δx of each corner, m.
    dx: array<vec3<f32>, ARITY>,
    /// λ + Δλ.
    multiplier: f32,
}

/// Corrects the element whose data starts `at`: inverse masses, 1/kg, of its corners (0 = does not move), 1/h², and λ before (0
/// for plain PBD, which forgets it). An element of zero stiffness has no correction: leave it out.
fn PREFIX_correct(
    at: u32,
    x: array<vec3<f32>, ARITY>,
    inv_mass: array<f32, ARITY>,
    inv_h_sq: f32,
    multiplier: f32,
) -> PREFIX_correction {
    let e = PREFIX_load(at, 1u);
    let constraint = PREFIX_constraint(e, x);
    let compliance = PREFIX_compliance(e) * inv_h_sq;
    var stiffness = 0.0;
    stiffness += inv_mass[CORNER] * dot(constraint.gradient[CORNER], constraint.gradient[CORNER]);
    let full = -(constraint.value + compliance * multiplier) / (max(stiffness, TINY) + compliance);
    let change = select(0.0, full, stiffness > TINY);
    var out: PREFIX_correction;
    out.dx[CORNER] = constraint.gradient[CORNER] * (inv_mass[CORNER] * change);
    out.multiplier = multiplier + change;
    return out;
}

// Twin of smooth.rs, for values with slopes and curvatures; follows vec3.wgsl and sym3.wgsl.

struct Jet {
    value: f32,
    slope: vec3<f32>,
    curvature: Sym3,
}

fn jet_constant(value: f32) -> Jet {
    return Jet(value, vec3(0.0), sym_scalar(0.0));
}

// Of a variable, whose slope is 1 by itself.
fn jet_variable(value: f32, slope: vec3<f32>) -> Jet {
    return Jet(value, slope, sym_scalar(0.0));
}

fn jet_add(a: Jet, b: Jet) -> Jet {
    return Jet(a.value + b.value, a.slope + b.slope, sym_add(a.curvature, b.curvature));
}

fn jet_product(a: Jet, b: Jet) -> Jet {
    let bent = sym_add(sym_scale(a.curvature, b.value), sym_scale(b.curvature, a.value));
    return Jet(a.value * b.value, a.slope * b.value + b.slope * a.value, sym_add(bent, sym_mixed(a.slope, b.slope)));
}

// f(a), from f, f′ and f″ there.
fn jet_chain(a: Jet, f: f32, slope: f32, curvature: f32) -> Jet {
    let bent = sym_add(sym_scale(sym_square(a.slope), curvature), sym_scale(a.curvature, slope));
    return Jet(f, a.slope * slope, bent);
}

// factor a + term
fn jet_line(a: Jet, factor: f32, term: f32) -> Jet {
    return Jet(a.value * factor + term, a.slope * factor, sym_scale(a.curvature, factor));
}

// A positive number to a power.
fn jet_power(a: Jet, power: f32) -> Jet {
    let f = pow(a.value, power);
    return jet_chain(a, f, power * f / a.value, power * (power - 1.0) * f / (a.value * a.value));
}

fn jet_log(a: Jet) -> Jet {
    let inverse = 1.0 / a.value;
    return jet_chain(a, log(a.value), inverse, -inverse * inverse);
}

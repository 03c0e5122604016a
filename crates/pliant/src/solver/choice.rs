//! The method that `auto` stands for.

use super::method::{METHODS, Method, MethodError, find_method};
use crate::model::Model;
use crate::scene::Scene;

/// Vertices up to which an exact solve costs no more than a V-cycle. With contacts it follows less well: its contacts hold
/// along their surface, too.
const DIRECT_LIMIT: usize = 2_000;

/// Vertices up to which Newton takes a fraction of a second for a step.
const NEWTON_LIMIT: usize = 2_000;

/// The same of solids without projection, a second or two: three times what descent takes, which hangs behind the motion or
/// sags where its iterations do not reach from end to end.
const SOLID_NEWTON_LIMIT: usize = 10_000;

/// The same of cloth. Factors of larger sheets take tens of gigabytes.
const CLOTH_NEWTON_LIMIT: usize = 100_000;

/// κ above which a solve by projections is far from done after any usual number of iterations: cloth of centimetres, stiff
/// solids and paper fall in slow motion, and melt on colliders.
const STIFF: f64 = 1e6;

/// The method that `auto` stands for: what reaches a given error soonest by the figures in `docs/results.md`, on a device with
/// a direct solver or without. Where bodies touch each other, sweeps that look at contacts in every iteration: the matrix of a
/// global step knows nothing of which bodies lie on which, and towers fell that stand with these.
pub fn choose_method(scene: &Scene, model: &Model, direct: bool) -> &'static Method {
    let has_time = scene.solver.budget_ms.is_none();
    let small = direct && has_time && model.vertices() <= NEWTON_LIMIT;
    let name = if model.quasistatic && model.vertices() > NEWTON_LIMIT {
        "newton-pcg"
    } else if model.quasistatic {
        "newton"
    } else if model.elements.iter().any(|elements| !elements.is_projective()) {
        any_energy(model, direct && has_time)
    } else if small && largest_stiffness_ratio(model, scene.time.step_size()) > STIFF {
        "newton"
    } else if direct && !model.has_contacts() && model.vertices() <= DIRECT_LIMIT {
        "pd-direct-chebyshev"
    } else if model.self_friction.is_some() {
        "pd-jacobi-chebyshev"
    } else {
        "pd-multigrid-chebyshev"
    };
    METHODS.iter().find(|method| method.name == name).unwrap_or(&METHODS[0])
}

/// Where an element has no projection. Descents need hundreds of iterations for cloth, or for cloth beside a solid, and with
/// their usual ones it hangs in the air or stretches by half; Newton ends in some ten, if it is to be had and there is time:
/// without a factor where that would be too large.
fn any_energy(model: &Model, newton: bool) -> &'static str {
    let solids = model.bodies.iter().filter(|body| !body.tets.is_empty());
    let of_solids: usize = solids.map(|body| body.vertices.len()).sum();
    let small = of_solids <= SOLID_NEWTON_LIMIT && model.vertices() - of_solids <= CLOTH_NEWTON_LIMIT;
    match (newton, small, model.is_of_solids()) {
        (true, true, _) => "newton",
        (true, false, false) => "newton-pcg",
        _ => "descent",
    }
}

/// κ: the largest ratio of a vertex's stiffness to its inertia m/h².
pub(crate) fn largest_stiffness_ratio(model: &Model, h: f64) -> f64 {
    let stiffness = model.rest_stiffness();
    let ratio = |(stiffness, mass): (&f64, &f64)| if *mass > 0.0 { stiffness * h * h / mass } else { 0.0 };
    stiffness.iter().zip(&model.mass).map(ratio).fold(0.0, f64::max)
}

/// Looks a method up by name for a device with a direct solver or without; `auto` is the best for the scene.
pub fn find_method_for(name: &str, scene: &Scene, model: &Model, direct: bool) -> Result<&'static Method, MethodError> {
    if name == "auto" { Ok(choose_method(scene, model, direct)) } else { find_method(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str, direct: bool) -> &'static str {
        let text = format!("pliant = 1\n{text}\n[[collider]]\nshape = 'half-space'\nposition = [0, -1, 0]\n");
        let scene = Scene::parse(&text, "cloth", ".".as_ref(), &[]).unwrap();
        choose_method(&scene, &Model::new(&scene).unwrap().0, direct).name
    }

    #[test]
    fn what_is_small_and_stiff_is_left_to_newton() {
        let small = "[[cloth]]\nsize = '2 cm'\nresolution = 41\nmaterial = 'silk'";
        assert_eq!(chosen(small, true), "newton");
        assert_eq!(chosen(small, false), "pd-multigrid-chebyshev");
        assert_eq!(chosen(&format!("[solver]\nbudget_ms = 5\n{small}"), true), "pd-multigrid-chebyshev");
        assert_eq!(chosen("[[cloth]]\nresolution = 41", true), "pd-multigrid-chebyshev");
        assert_eq!(chosen("[[cloth]]\nresolution = 101\nsize = '2 cm'", true), "pd-multigrid-chebyshev");
        let solid = "[[solid]]\nshape = 'box'\ncells = 4\nyoungs_modulus = ";
        assert_eq!(chosen(&format!("{solid}'2 GPa'"), true), "newton");
        assert_eq!(chosen(&format!("{solid}'1 MPa'"), true), "pd-multigrid-chebyshev");
        assert_eq!(chosen(&format!("[contact]\nself_collision = true\n{solid}'1 MPa'"), true), "pd-jacobi-chebyshev");
    }

    #[test]
    fn what_has_no_projection_is_left_to_newton_where_there_is_time() {
        let deadline = "[solver]\nbudget_ms = 20\n";
        let solid = |cells: usize| format!("[[solid]]\nshape = 'box'\ncells = {cells}\nmodel = 'neo-hookean'");
        assert_eq!((chosen(&solid(4), true), chosen(&solid(4), false)), ("newton", "descent"));
        assert_eq!((chosen(&solid(20), true), chosen(&solid(22), true)), ("newton", "descent"));
        // Steps of Newton cannot be ended in time.
        assert_eq!(chosen(&format!("{deadline}{}", solid(4)), true), "descent");
        // Descents leave cloth in the air, however small the rest of a scene is.
        let cloth = |model: &str| format!("[[cloth]]\nresolution = 61\n{model}\n");
        assert_eq!(chosen(&cloth("stretch = 'stvk'"), true), "newton");
        assert_eq!(chosen(&cloth("bend = 'dihedral'"), true), "newton");
        assert_eq!(chosen(&format!("{}{}", cloth(""), solid(4)), true), "newton");
        // Factors of these would fill the memory.
        assert_eq!(chosen(&format!("{}{}", cloth(""), solid(22)), true), "newton-pcg");
        assert_eq!(chosen(&cloth("stretch = 'stvk'").replace("61", "320"), true), "newton-pcg");
        assert_eq!(chosen(&format!("{deadline}{}", cloth("stretch = 'stvk'")), true), "descent");
    }

    #[test]
    fn stiffness_over_inertia_grows_with_the_square_of_the_resolution_and_with_the_stiffness() {
        let ratio = |resolution: usize, stiffness: f64| {
            let text = format!(
                "pliant = 1\n[[cloth]]\nresolution = {resolution}\nstretch_stiffness = {stiffness}\nbend = 'none'\n"
            );
            let scene = Scene::parse(&text, "cloth", ".".as_ref(), &[]).unwrap();
            largest_stiffness_ratio(&Model::new(&scene).unwrap().0, 1.0 / 60.0)
        };
        let base = ratio(21, 1e4);
        assert!((ratio(41, 1e4) / base - 4.0).abs() < 0.1);
        assert!((ratio(21, 4e4) / base - 4.0).abs() < 1e-9);
    }
}

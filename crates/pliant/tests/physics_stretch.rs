//! A simulated bar answers to being pulled and pressed as one element of its material does.

mod support;

use pliant::material::{SolidLaw, StretchTest, stress_curve};
use pliant::model::Model;
use pliant::step::Simulation;
use support::*;

/// A bar of 10 cm × 10 cm × 60 cm whose ends are held, the upper one moved by `speed`, without inertia.
fn bar(model: &str, speed: f64) -> String {
    format!(
        "gravity = [0, 0, 0]\n[time]\nquasistatic = true\nframe_rate = 10\n[solver]\nmethod = \"newton\"\n\
         [device]\nprecision = \"f64\"\n[[solid]]\nshape = \"box\"\nsize = [0.1, 0.6, 0.1]\ncells = [2, 12, 2]\n\
         youngs_modulus = 1e5\npoisson_ratio = 0.3\nmodel = \"{model}\"\n\
         [[pin]]\ninside = [[-1, -1, -1], [1, -0.299, 1]]\n[[pin]]\ninside = [[-1, 0.299, -1], [1, 1, 1]]\n\
         velocity = [0, {speed}, 0]\n"
    )
}

/// Force on the upper end over its area at rest, Pa, up where it is pulled.
fn nominal_stress(model: &Model, x: &[[f64; 3]]) -> f64 {
    let wide: Vec<[f64; 4]> = x.iter().map(|x| [x[0], x[1], x[2], 0.0]).collect();
    let mut force = 0.0;
    for elements in &model.elements {
        let batch = elements.view();
        let mut gradient = vec![[0.0; 4]; batch.len() * batch.arity()];
        batch.gradient_range(0..batch.len(), &wide, &mut gradient);
        let top = |i: u32| model.rest_x[i as usize][1] > 0.299;
        force += batch.stencils().iter().zip(&gradient).filter(|(i, _)| top(**i)).map(|(_, g)| g[1]).sum::<f64>();
    }
    force / 0.01
}

/// Stretch of the middle sixth, where the ends are not felt.
fn middle_stretch(model: &Model, x: &[[f64; 3]]) -> f64 {
    let level = |y: f64| {
        let there = (0..x.len()).filter(|i| (model.rest_x[*i][1] - y).abs() < 1e-6);
        let (sum, count) = there.fold((0.0, 0), |(sum, count), i| (sum + x[i][1], count + 1));
        sum / f64::from(count)
    };
    (level(0.05) - level(-0.05)) / 0.1
}

#[test]
fn force_against_stretch_of_a_bar_is_that_of_the_material_within_a_hundredth() {
    let models = ["arap", "corotated", "stvk", "neo-hookean", "mooney-rivlin", "fung", "stable-neo-hookean", "spline"];
    for name in models {
        // Pressed no farther than where the slender bar would buckle, or `stvk` give way.
        for (speed, steps) in [(0.12, 5), (-0.03, 3)] {
            let scene = scene(&bar(name, speed));
            let law = SolidLaw::of(&scene.solid[0]).unwrap();
            let mut simulation = Simulation::new(&scene).unwrap();
            for step in 0..steps {
                let report = simulation.step().unwrap();
                assert_eq!(report.certificate.inverted, 0, "{name}");
                let (model, x) = (simulation.model().clone(), simulation.state().unwrap().x);
                let (stress, stretch) = (nominal_stress(&model, &x), middle_stretch(&model, &x));
                let curve = stress_curve(&law, StretchTest::Uniaxial, &[stretch]);
                let expected = curve.points[0].nominal_stress;
                let far = (stretch - 1.0).abs();
                assert!(far > 0.01 * f64::from(step + 1) * speed.abs() / 0.12, "{name}: {stretch}");
                assert!((stress / expected - 1.0).abs() < 0.01, "{name} at {stretch}: {stress} Pa, not {expected} Pa");
            }
        }
    }
}

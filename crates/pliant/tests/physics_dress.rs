//! Cloth by descent, as the dress of the course: springs or a membrane, bending, eight steps a frame, out of colliders at the
//! end of each.

mod support;

use pliant::step::Simulation;
use support::*;

/// A sheet that hangs from one edge and swings against a capsule.
fn skirt(stretch: &str, bend: &str, method: &str) -> String {
    format!(
        "[time]\nframe_rate = 30\nsteps_per_frame = 8\n[solver]\nmethod = \"{method}\"\n\
         [[cloth]]\nresolution = 11\nsize = 0.6\nstretch = \"{stretch}\"\nstretch_stiffness = 500\nbend = \"{bend}\"\n\
         bend_stiffness = 1e-4\nthickness = 0.004\n[[pin]]\ncorners = [\"-x-z\", \"+x-z\"]\n\
         [[pin]]\nnearest = [0, 0, -0.3]\n\
         [[collider]]\nshape = \"capsule\"\nradius = 0.1\nheight = 1\nrotation = [0, 0, 90]\nposition = [0, -0.3, -0.2]\n"
    )
}

const KINDS: [(&str, &str); 3] = [("springs", "quadratic"), ("springs", "dihedral"), ("stvk", "dihedral")];

#[test]
fn cloth_by_descent_moves_as_by_newton_and_stays_out_of_its_collider() {
    for (stretch, bend) in KINDS {
        let mut places = Vec::new();
        for method in ["descent", "newton"] {
            let mut simulation = Simulation::new(&scene(&skirt(stretch, bend, method))).unwrap();
            let (mut nearest, mut longest) = (f64::MAX, 0.0f64);
            for step in 0..12 * 8 {
                let report = simulation.step().unwrap();
                let certificate = report.certificate;
                (nearest, longest) = (nearest.min(certificate.min_gap), longest.max(certificate.max_stretch));
                assert!(report.retries == 0 && !report.stalled, "{stretch}, {bend}, {method}, step {step}: {report:?}");
            }
            assert!(nearest > -1e-6, "{stretch}, {bend}, {method}: {nearest} m inside");
            assert!(nearest < 0.004, "{stretch}, {bend}, {method}: it never touched, {nearest} m");
            assert!(longest < 0.1, "{stretch}, {bend}, {method}: {longest}");
            places.push(simulation.state().unwrap().x);
        }
        let [by_descent, by_newton] = &places[..] else { panic!("two methods") };
        let apart = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        let farthest = by_descent.iter().zip(by_newton).map(apart).fold(0.0, f64::max);
        assert!(farthest < 0.01, "{stretch}, {bend}: {farthest} m from where it is by Newton");
    }
}

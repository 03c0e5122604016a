use super::*;
use crate::device::CpuOnly;
use crate::scene::DeviceSettings;

struct Cached(DiskCache);

impl Devices for Cached {
    fn run<T: crate::device::Task>(
        &self,
        settings: &DeviceSettings,
        task: T,
    ) -> Result<T::Output, crate::device::DeviceError> {
        CpuOnly.run(settings, task)
    }

    fn cache(&self) -> DiskCache {
        self.0.clone()
    }
}

/// A soft bar that hangs from one end.
fn bar(more: &str) -> Scene {
    let text = format!(
        "pliant = 1\n[time]\nframe_rate = 30\n[[solid]]\nshape = 'bar'\nsize = [0.4, 0.1, 0.1]\ncells = [8, 2, 2]\n\
         model = 'neo-hookean'\nyoungs_modulus = 3e4\n[[pin]]\ninside = [[-0.21, -1, -1], [-0.19, 1, 1]]\n\
         [device]\nprecision = 'f64'\n[solver]\nmethod = 'descent'\niterations = 48\n{more}"
    );
    Scene::parse(&text, "bar", ".".as_ref(), &[]).unwrap()
}

#[test]
fn tuned_phases_beat_the_rho_of_the_run_on_steps_that_they_have_not_seen_and_are_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let devices = Cached(DiskCache::in_folder(folder.path().to_path_buf()));
    let before = Simulation::on(&devices, &bar("phases = 'tuned'")).err().unwrap().to_string();
    assert!(before.contains("'descent' with 48 iterations") && before.contains("pliant tune"), "{before}");
    let scene = bar("");
    let tuning = Tuning { scene: &scene, phases: 2, samples: 3, frames: 24 };
    let tuned = tune(&devices, &tuning, |_, _, _| true).unwrap().unwrap();
    let [own, single, phases] = tuned.stages.as_slice() else { panic!("{tuned:?}") };
    assert!(phases.error < single.error && single.error < own.error, "{tuned:?}");
    assert!(phases.error_of_others < 0.7 * own.error_of_others, "{tuned:?}");
    assert_eq!(phases.phases.iter().map(|phase| phase.iterations).sum::<usize>(), 48);
    let simulation = Simulation::on(&devices, &bar("phases = 'tuned'")).unwrap();
    assert_eq!(simulation.phases().all(), phases.phases);
    // Written into the scene they give the same bits.
    let typed: Vec<String> =
        phases.phases.iter().map(|phase| format!("[{}, {}]", phase.iterations, phase.rho)).collect();
    let mut pair = [format!("phases = [{}]", typed.join(", ")), "phases = 'tuned'".to_string()]
        .map(|more| Simulation::on(&devices, &bar(&more)).unwrap());
    for _ in 0..3 {
        let [a, b] = pair.each_mut().map(|simulation| {
            simulation.step().unwrap();
            simulation.state().unwrap().x
        });
        assert!(a == b, "to the bit");
    }
    // Other physics, other phases.
    assert!(Simulation::on(&devices, &bar("phases = 'tuned'\nunder_relaxation = 0.5")).is_err());
}

#[test]
fn what_has_no_rho_or_does_not_move_is_refused_with_what_to_do() {
    let mut scene = bar("");
    scene.solver.method = "nonlinear-cg-jacobi".to_string();
    let tuning = |scene| Tuning { scene, phases: 2, samples: 1, frames: 2 };
    let error = tune(&CpuOnly, &tuning(&scene), |_, _, _| true).unwrap_err().to_string();
    assert!(error.contains("'nonlinear-cg-jacobi'") && error.contains("'descent'"), "{error}");
    let mut still = bar("");
    still.gravity = [0.0; 3];
    let error = tune(&CpuOnly, &tuning(&still), |_, _, _| true).unwrap_err().to_string();
    assert!(error.contains("--frames"), "{error}");
    let scene = bar("");
    assert!(tune(&CpuOnly, &tuning(&scene), |_, _, _| false).unwrap().is_none(), "stopped when asked");
}

/// Five good solves and one that ended below its reference, which was counted as if it had no error at all.
#[test]
fn an_error_below_zero_counts_as_one_above_it() {
    assert_eq!((counted(-0.3), counted(0.3), counted(0.0), counted(1e9)), (0.3, 0.3, LEAST_ERROR, FAILED));
    assert_eq!((counted(f64::NAN), counted(f64::NEG_INFINITY)), (FAILED, FAILED));
}

#[test]
fn changes_go_by_equation_37_and_lengths_add_up() {
    let now = [Phase { iterations: 40, rho: 0.9 }, Phase { iterations: 56, rho: 0.99 }];
    let all = changes(&now, 0.05);
    assert_eq!(all.len(), 6);
    assert!((all[1][0].rho - (1.0 - 1.05 * 0.1)).abs() < 1e-6 && (all[0][0].rho - (1.0 - 0.1 / 1.05)).abs() < 1e-6);
    assert!(all.iter().all(|phases| phases[0].iterations + phases[1].iterations == 96));
    assert_eq!(all[5][0].iterations, 42);
    let numbers = [40.0, 1e5, 56.0, 1e4];
    assert_eq!(unpacked(&numbers).unwrap(), now);
    assert!(unpacked(&[40.0]).is_none() && unpacked(&[]).is_none());
}

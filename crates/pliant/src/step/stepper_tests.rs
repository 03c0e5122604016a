//! Solvers that fail on purpose: the state must survive, and the step must be tried again more carefully.

use super::*;
use crate::device::Cpu;
use crate::model::{ModelBuilder, Pin};
use crate::solver::{Control, SolveError, SolveReport, find_method};
use std::cell::RefCell;
use std::rc::Rc;

/// What a bad solver does to x.
#[derive(Clone, Copy, PartialEq)]
enum Harm {
    Error,
    NotANumber,
    MoreEnergy,
}

/// Does harm as long as there is some left, then solves.
struct Faulty {
    left: Rc<RefCell<usize>>,
    harm: Harm,
    inner: Box<dyn Solver<Cpu<f64>>>,
    rhos: Rc<RefCell<Vec<f64>>>,
}

impl Solver<Cpu<f64>> for Faulty {
    fn solve(
        &mut self,
        device: &mut Cpu<f64>,
        problem: &mut <Cpu<f64> as Device>::Problem,
        x: &mut Vec<[f64; 4]>,
        control: &mut Control<Cpu<f64>>,
    ) -> Result<SolveReport, SolveError> {
        if *self.left.borrow() == 0 {
            return self.inner.solve(device, problem, x, control);
        }
        *self.left.borrow_mut() -= 1;
        match self.harm {
            Harm::Error => return Err(SolveError::NotFinite { iteration: 3 }),
            Harm::NotANumber => x[4][1] = f64::NAN,
            Harm::MoreEnergy => x[4][1] += 1e3,
        }
        Ok(SolveReport { iterations: 1, ..SolveReport::default() })
    }

    fn set_rho(&mut self, rho: f64) {
        self.rhos.borrow_mut().push(rho);
        self.inner.set_rho(rho);
    }
}

fn chain() -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new("chain");
    let x: Vec<[f64; 3]> = (0..8).map(|i| [0.1 * f64::from(i), 0.0, 0.0]).collect();
    builder.add_points("chain", &x, &[0.1; 8]);
    (1..8).for_each(|i| builder.add_spring([i - 1, i], 500.0).unwrap());
    builder.model().acceleration = [0.0, -9.81, 0.0];
    builder.model().pins.push(Pin::fixed(0, x[0]));
    let (model, state) = builder.finish();
    (Arc::new(model), state)
}

const H: f64 = 1.0 / 30.0;

/// Raises a stop before an iteration.
struct StopsAt {
    inner: Rc<RefCell<Box<dyn Solver<Cpu<f64>>>>>,
    stop: Stop,
    iteration: usize,
}

impl Solver<Cpu<f64>> for StopsAt {
    fn solve(
        &mut self,
        device: &mut Cpu<f64>,
        problem: &mut <Cpu<f64> as Device>::Problem,
        x: &mut Vec<[f64; 4]>,
        control: &mut Control<Cpu<f64>>,
    ) -> Result<SolveReport, SolveError> {
        let Self { inner, stop, iteration } = self;
        let mut raise = |_: &mut _, _: &mut _, k: usize, _: &_| {
            if k == *iteration {
                stop.raise();
            }
        };
        let mut stopped = Control::iterations(control.iterations).heeding(stop).watched(&mut raise);
        inner.borrow_mut().solve(device, problem, x, &mut stopped)
    }
}

/// Two cloths, one over the other, and the lower one over a ball.
fn falling_cloths() -> (Arc<Model>, State) {
    let text = "pliant = 1
        [[cloth]]
        resolution = 7
        position = [0, 0.104, 0]
        thickness = '4 mm'
        [[cloth]]
        resolution = 6
        position = [0.03, 0.112, 0.01]
        rotation = [0, 25, 0]
        thickness = '4 mm'
        [[collider]]
        shape = 'sphere'
        radius = 0.1
        [contact]
        self_collision = true";
    let scene = crate::scene::Scene::parse(text, "cloths", ".".as_ref(), &[]).unwrap();
    let (model, state) = Model::new(&scene).unwrap();
    (Arc::new(model), state)
}

#[test]
fn a_step_that_is_stopped_in_any_iteration_of_any_method_is_not_to_have_been() {
    let (model, state) = falling_cloths();
    for method in crate::solver::METHODS.iter().filter(|method| method.check(&model).is_ok()) {
        let parameters = Parameters { rho: 0.8, delay: 3, ..Parameters::default() };
        let (tolerance, budget, until_settled) = (0.0, None, false);
        let initial_guess = InitialGuess::Acceleration;
        let settings =
            Settings { method, parameters, iterations: 12, tolerance, budget, until_settled, initial_guess, h: H };
        let [mut stopped, mut undisturbed] =
            [(); 2].map(|()| DeviceStepper::new(Cpu::<f64>::new(), model.clone(), &state, settings).unwrap());
        let stop = Stop::default();
        stopped.heed(&stop);
        for step in 0..6 {
            let before = stopped.state().unwrap();
            for iteration in 0..4 {
                let nothing = method.solver::<Cpu<f64>>(&model, &parameters);
                let inner = std::mem::replace(&mut stopped.pieces[0].solver, nothing);
                // What the solver remembers is that of all steps.
                let inner = Rc::new(RefCell::new(inner));
                stopped.pieces[0].solver = Box::new(StopsAt { inner: inner.clone(), stop: stop.clone(), iteration });
                let error = stopped.step().unwrap_err();
                assert!(matches!(error, SimulationError::Stopped { .. }), "{error}");
                assert_eq!(stopped.state().unwrap(), before);
                stop.lower();
                stopped.pieces[0].solver = method.solver::<Cpu<f64>>(&model, &parameters);
                stopped.pieces[0].solver = Rc::into_inner(inner).unwrap().into_inner();
            }
            let reports = [stopped.step().unwrap(), undisturbed.step().unwrap()].map(|report| report.certificate);
            assert_eq!(reports[0], reports[1], "{}, step {step}", method.name);
            assert_eq!(stopped.state().unwrap(), undisturbed.state().unwrap(), "{}, step {step}", method.name);
        }
    }
}

/// A stepper that fails the first `failures` solves of its next step.
struct Guarded {
    stepper: DeviceStepper<Cpu<f64>>,
    left: Rc<RefCell<usize>>,
    rhos: Rc<RefCell<Vec<f64>>>,
}

fn guarded(harm: Harm) -> Guarded {
    let (model, state) = chain();
    let parameters = Parameters { rho: 0.8, delay: 10, ..Parameters::default() };
    let method = find_method("pd-jacobi-chebyshev").unwrap();
    let settings = Settings {
        method,
        parameters,
        iterations: 50,
        tolerance: 0.0,
        budget: None,
        until_settled: false,
        initial_guess: InitialGuess::Inertia,
        h: H,
    };
    let mut stepper = DeviceStepper::new(Cpu::<f64>::new(), model, &state, settings).unwrap();
    for _ in 0..3 {
        stepper.step().unwrap();
    }
    let (left, rhos) = (Rc::new(RefCell::new(0)), Rc::new(RefCell::new(Vec::new())));
    for pieces in [1, 2, 4, 8, 16] {
        let index = stepper.piece_for(H / f64::from(pieces), 4.0 * H).unwrap();
        let inner = method.solver::<Cpu<f64>>(&stepper.grasp.model().clone(), &parameters);
        stepper.pieces[index].solver = Box::new(Faulty { left: left.clone(), harm, inner, rhos: rhos.clone() });
    }
    Guarded { stepper, left, rhos }
}

#[test]
fn a_failed_step_is_rolled_back_and_tried_again_more_carefully() {
    for harm in [Harm::Error, Harm::NotANumber, Harm::MoreEnergy] {
        for failures in 1..=5 {
            let Guarded { mut stepper, left, rhos } = guarded(harm);
            let before = stepper.state().unwrap();
            *left.borrow_mut() = failures;
            let report = stepper.step().unwrap();
            assert_eq!((report.retries, report.pieces, *left.borrow()), (failures, TRIES[failures].0, 0));
            assert!(rhos.borrow()[1..].iter().all(|rho| *rho == 0.0), "tries after the first are not accelerated");
            let after = stepper.state().unwrap();
            assert!(after.is_finite() && report.certificate.energy.is_finite());
            assert_eq!(after.step, before.step + 1);
            assert!((after.time - before.time - H).abs() < 1e-15);

            // The same from a stepper that never failed but takes the same pieces: bit for bit.
            let (pieces, careful) = TRIES[failures];
            let Guarded { stepper: mut twin, .. } = guarded(harm);
            assert!(twin.attempt(pieces, careful, None, &mut |_| ()).is_ok());
            std::mem::swap(&mut twin.fields.x, &mut twin.fields.x_next);
            std::mem::swap(&mut twin.fields.v, &mut twin.fields.v_next);
            assert_eq!((twin.state().unwrap().x, twin.state().unwrap().v), (after.x, after.v));
        }
    }
}

/// Regression: a method without acceleration is not tried the same way twice, and one retry was taken for a whole step.
#[test]
fn a_method_that_would_repeat_itself_goes_on_in_pieces() {
    let Guarded { mut stepper, left, .. } = guarded(Harm::Error);
    stepper.settings.method = find_method("pd-jacobi").unwrap();
    *left.borrow_mut() = 1;
    let report = stepper.step().unwrap();
    assert_eq!((report.retries, report.pieces), (1, 2));
    assert_eq!(stepper.step().unwrap().pieces, 1);
}

/// Regression: what a run may not stretch its edges to was taken anew from what it was resumed with, so that resuming a run
/// that was refused let it go on.
#[test]
fn a_run_that_is_resumed_is_refused_what_it_was_refused_before() {
    let Guarded { mut stepper, .. } = guarded(Harm::Error);
    let first = stepper.first_stretch;
    let mut state = stepper.state().unwrap();
    state.x.iter_mut().flatten().for_each(|c| *c *= 1e5);
    stepper.set_state(&state);
    assert_eq!(stepper.first_stretch, first);
    assert!(matches!(stepper.step(), Err(SimulationError::Stuck { .. })));
}

#[test]
fn rho_falls_after_a_failure_and_grows_back_to_what_it_was() {
    let Guarded { mut stepper, left, rhos } = guarded(Harm::Error);
    let rho = |stepper: &DeviceStepper<Cpu<f64>>| stepper.rho;
    let first = rho(&stepper);
    *left.borrow_mut() = 1;
    stepper.step().unwrap();
    let lowered = rho(&stepper);
    assert_eq!(lowered, 1.0 - 2.0 * (1.0 - first));
    stepper.step().unwrap();
    assert_eq!(rhos.borrow().last(), Some(&lowered), "the next step begins with it");

    // Who goes on from here with the same state and the same ρ does the same.
    let (state, now) = (stepper.state().unwrap(), rho(&stepper));
    assert!(lowered < now && now < first);
    let Guarded { stepper: mut resumed, .. } = guarded(Harm::Error);
    resumed.set_state(&state);
    resumed.set_rho(now);
    for _ in 0..60 {
        assert!(rho(&stepper) <= first);
        stepper.step().unwrap();
        resumed.step().unwrap();
    }
    assert_eq!((rho(&stepper), rho(&resumed)), (first, first));
    assert_eq!(stepper.state().unwrap(), resumed.state().unwrap());
}

#[test]
fn when_every_try_fails_the_state_is_that_of_before() {
    for harm in [Harm::Error, Harm::NotANumber, Harm::MoreEnergy] {
        let Guarded { mut stepper, left, .. } = guarded(harm);
        let before = stepper.state().unwrap();
        *left.borrow_mut() = usize::MAX;
        let error = stepper.step().unwrap_err();
        let SimulationError::Stuck { step, attempts, pieces, .. } = &error else { panic!("{error}") };
        assert_eq!((*step, *attempts, *pieces), (3, TRIES.len(), 16));
        assert_eq!(stepper.state().unwrap(), before);
        assert!(error.to_string().contains("the state before it is kept"), "{error}");
        // And it can go on once the reason is gone.
        *left.borrow_mut() = 0;
        assert_eq!(stepper.step().unwrap().retries, 0);
    }
}

#[test]
fn a_failure_in_the_middle_of_the_pieces_is_rolled_back_too() {
    let Guarded { mut stepper, left, .. } = guarded(Harm::NotANumber);
    let before = stepper.state().unwrap();
    // The second of two pieces fails.
    let h = H / 2.0;
    stepper.device.copy(&stepper.fields.x, &mut stepper.fields.x_next);
    stepper.device.copy(&stepper.fields.v, &mut stepper.fields.v_next);
    let first = stepper.piece_for(h, before.time + h).unwrap();
    assert!(stepper.solve_piece(first, before.time + h, true, None, &mut |_| ()).is_ok());
    *left.borrow_mut() = 1;
    assert!(stepper.solve_piece(first, before.time + H, true, None, &mut |_| ()).is_err());
    assert_eq!(stepper.state().unwrap(), before);
}

/// Regression: tries after the first have no deadline, and went on for all of the 100,000 iterations that a budget
/// stands for.
#[test]
fn later_tries_of_a_step_with_a_budget_end() {
    let Guarded { mut stepper, left, .. } = guarded(Harm::Error);
    stepper.settings.budget = Some(Duration::from_millis(5));
    stepper.settings.iterations = 100_000;
    *left.borrow_mut() = 1;
    let report = stepper.step().unwrap();
    assert_eq!((report.retries, report.iterations), (1, stepper.settings.method.iterations));
}

/// Regression: rounding of the energy, 1e-30 J and more, was taken for a solver that fails.
#[test]
fn a_cloth_of_a_millimetre_falls_freely_in_double_precision() {
    let text = "
        pliant = 1
        [time]
        frame_rate = 1000
        [device]
        precision = 'f64'
        [[cloth]]
        size = '1 mm'
        resolution = 21
        material = 'silk'
        thickness = '1 um'
        position = [0, '1 mm', 0]
        [[collider]]
        shape = 'sphere'
        radius = '0.3 mm'
        position = [0, '0.5 mm', 0]
    ";
    let scene = crate::scene::Scene::parse(text, "tiny", ".".as_ref(), &[]).unwrap();
    let mut simulation = super::super::Simulation::new(&scene).unwrap();
    for step in 0..5 {
        let report = simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
        assert_eq!(report.retries, 0, "step {step}");
    }
}

//! Chunks, large dispatches, reads, steady state, time.

use super::{BOTH, download, gpu, points, upload};
use crate::buffer::Buffer;
use crate::context::Counts;
use crate::kernel::{Access, Module};
use crate::recorder::grid;
use crate::vector::Reduction::{Max, Min, Sum};
use crate::{Gpu, Trust};
use pliant::device::{Device, DeviceError, Devices, Factor, Moment, Slot, Task};
use pliant::model::{Model, System};
use pliant::scene::{DeviceSettings, Scene};
use pliant::solver::{METHODS, Needs};
use pliant::step::{Simulation, step_input};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Writes i to `out[i]`, and the reductions of all i to `partials`.
const COUNT: &str = "
var<immediate> n: u32;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> partials: array<vec2<f32>>;

@compute @workgroup_size(GROUP)
fn count(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) local: u32) {
    let i = index(group, groups, local);
    if i < n { out[i] += i; }
    let g = group_index(group, groups);
    for (var reduction = SUM; reduction <= MIN; reduction++) {
        var mine = neutral(reduction, group.z);
        if i < n { mine = vec2(f32(i), 0.0); }
        let all = group_reduce(reduction, mine, local, group.z);
        if local == 0u && g < group_count(n) { partials[reduction * group_count(n) + g] = all; }
    }
}";

#[test]
fn more_than_65535_workgroups_do_all_the_work_once() {
    for trust in BOTH {
        let Some(mut gpu) = gpu(trust) else { return };
        for (group, n) in [(1, 70_001u32), (1, 140_003), (2, 131_071), (64, 1000), (256, 257)] {
            let kernel = Module::with_group(&gpu.context, "count", COUNT, group).unwrap();
            let kernel = kernel.kernel::<u32>("count", &[Access::Write, Access::Write]).unwrap();
            let groups = n.div_ceil(group);
            let out = Buffer::new(&gpu.context, "out", 4 * u64::from(n)).unwrap();
            let partials = Buffer::new(&gpu.context, "partials", 3 * 8 * u64::from(groups)).unwrap();
            gpu.recorder.run(&kernel, &[&out, &partials], &n, n);
            let quantities = [(Sum, Slot(0)), (Max, Slot(1)), (Min, Slot(2))];
            gpu.vector.finish(&mut gpu.recorder, &partials, groups, &quantities);
            let mut found = vec![0u32; n as usize];
            gpu.recorder.read(&out, 0, &mut found).unwrap();
            assert!(found.into_iter().eq(0..n), "{trust:?}: {n} in groups of {group}");
            let last = f64::from(n - 1);
            let scalars = gpu.vector.scalars(&mut gpu.recorder).unwrap();
            assert_eq!(scalars[..3], [last * f64::from(n) / 2.0, last, 0.0], "{trust:?}: {n} in groups of {group}");
        }
    }
}

#[test]
fn grids_cover_all_groups_within_the_limit() {
    for groups in [1, 2, 65535, 65536, 65537, 131070, 131071, 1 << 24] {
        let [x, y] = grid(groups);
        assert!(x <= 65535 && y <= 65535 && u64::from(x) * u64::from(y) >= u64::from(groups), "{groups}: {x} {y}");
        assert!(x * y - groups < y, "{groups}: {x} {y}");
    }
}

#[test]
fn long_recordings_are_submitted_in_chunks_and_in_order() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    let (x, y) = (upload(&mut gpu, &[[1.0, 2.0, 3.0]]), upload(&mut gpu, &[[0.0; 3]]));
    let before = gpu.recorder.submissions();
    for _ in 0..120 {
        gpu.vector.axpy(&mut gpu.recorder, Factor::Value(1.0), &x, &y);
        gpu.vector.xpay(&mut gpu.recorder, &x, Factor::Value(0.5), &y);
    }
    // 6, 12, 24, 48, then 50 at a time.
    assert_eq!((gpu.recorder.dispatches(), gpu.recorder.submissions() - before), (240, 7));
    // y = (y + x)/2 + x tends to 3 x.
    assert_eq!(download(&mut gpu, &y), [[3.0, 6.0, 9.0]]);
    assert_eq!(gpu.recorder.submissions() - before, 8);
}

#[test]
fn writes_come_after_what_was_recorded() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    let (x, y) = (upload(&mut gpu, &[[1.0; 3]]), upload(&mut gpu, &[[0.0; 3]]));
    gpu.vector.copy(&mut gpu.recorder, &x, &y);
    gpu.recorder.write_points(&x, [[2.0; 3]].into_iter());
    assert_eq!((download(&mut gpu, &y), download(&mut gpu, &x)), (vec![[1.0; 3]], vec![[2.0; 3]]));
}

#[test]
fn reads_can_start_anywhere() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    let buffer = Buffer::with(&gpu.context, "bytes", &[1u8, 2, 3, 4, 5, 6, 7, 8, 9]).unwrap();
    assert_eq!((buffer.bytes(), buffer.label()), (9, "bytes"));
    let mut out = [0u8; 4];
    gpu.recorder.read(&buffer, 4, &mut out).unwrap();
    assert_eq!(out, [5, 6, 7, 8]);
    gpu.recorder.read(&buffer, 4, &mut out[..0]).unwrap();
}

#[test]
fn tickets_keep_what_was_there_when_they_were_asked_for() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    let (x, one) = (upload(&mut gpu, &[[0.0; 3]; 100]), upload(&mut gpu, &[[1.0; 3]; 100]));
    let mut tickets = Vec::new();
    for _ in 0..6 {
        gpu.vector.axpy(&mut gpu.recorder, Factor::Value(1.0), &one, &x);
        tickets.push(gpu.recorder.request_read(&x.buffer, 0..1600).unwrap());
    }
    drop(tickets.remove(2));
    let first = |bytes: &[u8]| (bytes.len(), bytemuck::pod_read_unaligned::<f32>(&bytes[..4]));
    let mut found = Vec::new();
    for ticket in tickets.into_iter().rev() {
        found.push(gpu.recorder.wait(ticket, first).unwrap());
    }
    assert_eq!(found, [6.0, 5.0, 4.0, 2.0, 1.0].map(|x| (1600, x)));
}

fn frame(gpu: &mut Gpu, x: &crate::Field, y: &crate::Field) {
    for _ in 0..30 {
        gpu.vector.dot(&mut gpu.recorder, x, y, Slot(0));
        gpu.vector.axpy(&mut gpu.recorder, Factor::Ratio(Slot(0), Slot(1)), x, y);
    }
    let ticket = gpu.recorder.request_read(&x.buffer, 0..16).unwrap();
    gpu.vector.scalars(&mut gpu.recorder).unwrap();
    gpu.recorder.wait(ticket, |_| ()).unwrap();
}

#[test]
fn steady_state_makes_nothing_new() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    let (x, y) = (upload(&mut gpu, &points(1, 1000)), upload(&mut gpu, &points(2, 1000)));
    frame(&mut gpu, &x, &y);
    let kept = gpu.recorder.kept();
    for _ in 0..20 {
        frame(&mut gpu, &x, &y);
    }
    assert_eq!(gpu.recorder.kept(), kept);
}

/// One GPU, which others may look at while a simulation has it.
struct Watched(RefCell<Option<Gpu>>);

impl Devices for Watched {
    fn run<T: Task>(&self, _: &DeviceSettings, task: T) -> Result<T::Output, DeviceError> {
        Ok(task.on(self.0.take().unwrap()))
    }
}

/// A cloth on a ball, so that contacts, friction and the balance of bodies have something to do.
const ON_A_BALL: &str = "
pliant = 1
[[cloth]]
resolution = 15
position = [0, 0.31, 0]
[[collider]]
shape = 'sphere'
radius = 0.3
[solver]
rho = 0.9
iterations = 45
";

/// Whole steps of a simulation, with more iterations than a solver goes on without looking. After the first, no buffer is made
/// any more, after a few no bind group either (fields change places in each step, and each set of places has bind groups), the
/// device is given its work in a few pieces, and it is waited for once in a step, for its measures, and once for each look at
/// the residual: every 20 iterations, of methods that look at all. Descents look at E every 16th iteration, and wait for what they
/// asked one look ago; conjugate gradients and L-BFGS wait in every iteration.
#[test]
fn steady_steps_make_nothing_new_submit_in_chunks_and_wait_for_looks_and_measures_only() {
    for method in METHODS.iter().filter(|method| !method.needs_cpu() && !method.waits()) {
        let Some(gpu) = gpu(Trust::Checked) else { return };
        let context = gpu.context.clone();
        let set = [("solver.method".to_string(), method.name.to_string())];
        let scene = Scene::parse(ON_A_BALL, "steady", ".".as_ref(), &set).unwrap();
        let mut simulation = Simulation::on(&Watched(RefCell::new(Some(gpu))), &scene).unwrap();
        let count = || {
            let Counts { buffers, bind_groups, submissions, waits } = &context.counts;
            [buffers, bind_groups, submissions, waits].map(|count| count.load(Ordering::Relaxed))
        };
        let mut steps = Vec::new();
        for step in 0..20 {
            let before = count();
            let report = simulation.step().unwrap();
            // Before it touches the ball there is nothing to solve, which some methods find out.
            assert!(report.retries == 0 && (step < 12 || report.iterations == 45), "{}: {report:?}", method.name);
            let after = count();
            steps.push([0, 1, 2, 3].map(|k| after[k] - before[k]));
        }
        println!("{}: buffers, bind groups, submissions and waits of each step: {steps:?}", method.name);
        assert!(steps[1..].iter().all(|step| step[0] == 0), "{}: {steps:?}", method.name);
        for &[_, bind_groups, submissions, waits] in &steps[12..] {
            assert_eq!(bind_groups, 0, "{}: {steps:?}", method.name);
            let most = if method.needs == Needs::Energy { 4 } else { 3 };
            assert!((1..=most).contains(&waits), "{}: {steps:?}", method.name);
            assert!(submissions <= 60, "{}: {steps:?}", method.name);
        }
    }
}

#[test]
fn what_was_bound_is_freed_with_its_field() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    let x = upload(&mut gpu, &points(1, 10));
    gpu.vector.clear(&mut gpu.recorder, &x);
    gpu.finish().unwrap();
    let (groups, _) = gpu.recorder.kept();
    for _ in 0..10 {
        let y = upload(&mut gpu, &points(2, 10));
        gpu.vector.copy(&mut gpu.recorder, &x, &y);
        drop(y);
        gpu.finish().unwrap();
    }
    assert_eq!(gpu.recorder.kept().0, groups);
}

#[test]
fn gpu_time_is_measured_where_it_can_be() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    let (x, y) = (upload(&mut gpu, &points(1, 100_000)), upload(&mut gpu, &points(2, 100_000)));
    gpu.finish().unwrap();
    let wall = std::time::Instant::now();
    let before = gpu.recorded()[0];
    let work = |gpu: &mut Gpu| (0..60).for_each(|_| gpu.vector.axpy(&mut gpu.recorder, Factor::Value(0.5), &x, &y));
    let ((), Some(seconds)) = gpu.timed(work).unwrap() else {
        assert!(!gpu.info().timestamps);
        return;
    };
    let wall = wall.elapsed().as_secs_f64();
    assert_eq!(gpu.recorded()[0] - before, 60);
    let ((), Some(nothing)) = gpu.timed(|_| ()).unwrap() else { panic!("it could be measured before") };
    assert!(0.0 < seconds && seconds <= wall, "{seconds} of {wall} s");
    assert!(nothing < seconds, "{nothing} of {seconds} s");
}

#[test]
fn a_step_tells_how_long_the_gpu_worked_on_it_without_a_second_wait() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    let scene = "pliant = 1\n[[cloth]]\nresolution = 20\n";
    let scene = Scene::parse(scene, "clock", ".".as_ref(), &[]).unwrap();
    let (model, state) = Model::new(&scene).unwrap();
    let (model, h) = (Arc::new(model), 1.0 / 60.0);
    let mut problem = gpu.upload(&model, &Arc::new(System::new(&model, h, h))).unwrap();
    let [mut x, v] = [(); 2].map(|()| gpu.points(&problem));
    gpu.write(&state.x, &mut x);
    gpu.finish().unwrap();
    assert_eq!(gpu.working_time(), None);
    let second = Duration::from_secs(1);
    let mut energies = Vec::new();
    // Expected too early, about right, and much too late: it comes when it is there.
    for expected in [None, Some(-second.as_secs_f64()), Some(1e-3), Some(60.0)] {
        let begun = Instant::now();
        gpu.begin_step(&mut problem, &step_input(&model, h, h), &x, &v);
        gpu.measure(&mut problem, Moment::Start, &x);
        gpu.recorder.flush();
        let [_, submissions] = gpu.recorded();
        if let Some(seconds) = expected {
            let at = begun + Duration::from_secs_f64(f64::max(seconds, 0.0));
            gpu.expect_measures(if seconds < 0.0 { begun.checked_sub(second).unwrap() } else { at });
        }
        energies.push(gpu.measures(&mut problem).unwrap().start_energy);
        let wall = begun.elapsed().as_secs_f64();
        assert_eq!(gpu.recorded()[1], submissions + 1);
        assert_eq!(gpu.working_time().is_some(), gpu.info().timestamps);
        let seconds = gpu.working_time().unwrap_or(wall);
        assert!(0.0 < seconds && seconds <= wall && wall < 30.0, "{seconds} of {wall} s");
    }
    assert!(energies.windows(2).all(|pair| pair[0] == pair[1]), "{energies:?}");
    // No step was begun.
    gpu.measure(&mut problem, Moment::Start, &x);
    gpu.measures(&mut problem).unwrap();
    assert_eq!(gpu.working_time(), None);
}

#[test]
fn what_not_moving_is_takes_a_launch_per_kind_of_element_and_three_and_no_wait() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    for (pin, more) in [("[[pin]]\ncorners = ['-x-z']\n", 3), ("", 2)] {
        let scene = format!("pliant = 1\n[[cloth]]\nresolution = 20\n{pin}");
        let scene = Scene::parse(&scene, "still", ".".as_ref(), &[]).unwrap();
        let (model, state) = Model::new(&scene).unwrap();
        let (model, h) = (Arc::new(model), 1.0 / 60.0);
        let mut problem = gpu.upload(&model, &Arc::new(System::new(&model, h, h))).unwrap();
        let [mut x, v] = [(); 2].map(|()| gpu.points(&problem));
        gpu.write(&state.x, &mut x);
        gpu.begin_step(&mut problem, &step_input(&model, h, h), &x, &v);
        let waits = gpu.context.counts.waits.load(Ordering::Relaxed);
        let [before, _] = gpu.recorded();
        gpu.measure(&mut problem, Moment::Still, &x);
        let [after, _] = gpu.recorded();
        assert_eq!(gpu.context.counts.waits.load(Ordering::Relaxed), waits);
        assert_eq!(after - before, problem.batches.len() as u64 + more);
    }
}

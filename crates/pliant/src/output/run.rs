//! A whole run: from a scene to frames, pictures, a checkpoint and a report on disk.

use super::at_start::{crossing_at_start, odd_at_start};
use super::checkpoint::{Checkpoint, Identity};
use super::doubts::{doubts, weight};
use super::folder::{FolderError, RunFolder};
use super::frame_files::FrameFiles;
use super::frame_store::FrameStore;
use super::frames::Frames;
use super::keeper::{Keeper, Known, keep_frame};
use super::passing::Passing;
use super::pressed::pressed;
use super::preview::{Preview, PreviewKind};
use super::preview_paths::check_previews;
use super::recorded::{LARGEST_ANIMATION, LARGEST_PAGE, Recorded};
use super::report::{RunReport, Status};
use super::run_error::{OutputError, RunError};
use super::scene_check::{BodyCheck, faulty_bodies};
use super::tally::Tally;
use super::tunnelling::Tunnelling;
use crate::atomic_file::write_atomically;
use crate::contact::close::Side;
use crate::counted::counted;
use crate::device::Devices;
use crate::math::Vec3;
use crate::mesh::{Finding, Severity};
use crate::model::{Model, State, Use, check_memory};
use crate::scene::{DeviceSettings, Scene, SolverSettings};
use crate::step::{Question, Simulation, SimulationError, reference};
use std::path::PathBuf;
use std::sync::Arc;

/// How a run is done, apart from what the scene says.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Where everything is written.
    pub out: PathBuf,
    /// Goes on from the checkpoint in `out`, if there is one.
    pub resume: bool,
    /// Solves the last step by the reference, too, and reports the relative error.
    pub error: bool,
    /// Pictures to draw, `.png` or `.gif`.
    pub previews: Vec<PathBuf>,
    /// The page of the viewer, for the format `html`; what cannot be put into it is a warning.
    pub page: &'static str,
}

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStage {
    /// Builds the model and finds parameters.
    Preparing,
    /// Steps; progress counts them.
    Simulating,
    /// Solves the last step by the reference.
    Referencing,
    /// Writes the animation.
    Writing,
    /// Draws pictures; progress counts frames.
    Drawing,
}

/// Someone who looks on, and may ask for an early end.
pub trait RunHooks {
    /// A stage begins, with so much to do (0: not known).
    fn stage(&mut self, _stage: RunStage, _total: u64) {}
    /// So much of the stage is done.
    fn progress(&mut self, _done: u64) {}
    /// The files of an earlier run, in words, are about to be replaced.
    fn replaces(&mut self, _earlier: &str) {}
    /// Whether to save the state and stop; asked between steps and between pictures.
    fn stop_requested(&mut self) -> bool {
        false
    }
}

impl RunHooks for () {}

/// Simulates a scene and writes everything it asks for. A simulation that gets stuck or whose device fails is not an
/// error here: its state and report are saved, and the report says so.
pub fn run(
    devices: &impl Devices,
    scene: &Scene,
    options: &RunOptions,
    hooks: &mut dyn RunHooks,
) -> Result<RunReport, RunError> {
    let run = Run::prepare(devices, scene, options, hooks)?;
    let checkpoint = run.frames.keeper().folder.checkpoint();
    run.complete(devices, hooks).map_err(|error| error.with_checkpoint(checkpoint.exists()))
}

/// The last step of a run, for its relative error.
pub(super) struct LastStep {
    /// The state before it.
    pub state: State,
    /// On which sides of each other parts of bodies were before it.
    pub sides: [Vec<Side>; 2],
    /// In how many pieces it was solved.
    pub pieces: usize,
}

pub(super) struct Run<'a> {
    pub scene: &'a Scene,
    pub options: &'a RunOptions,
    pub simulation: Simulation,
    pub frames: Frames,
    pub tally: Tally,
    pub last_step: Option<LastStep>,
    /// What is nearer to a collider may touch it, m.
    pub near: f64,
    pub steps: u64,
    pub report: RunReport,
}

impl<'a> Run<'a> {
    fn prepare(
        devices: &impl Devices,
        scene: &'a Scene,
        options: &'a RunOptions,
        hooks: &mut dyn RunHooks,
    ) -> Result<Self, RunError> {
        hooks.stage(RunStage::Preparing, 0);
        check_previews(&options.previews, &options.out)?;
        check_memory(scene, Use::Run).map_err(SimulationError::from)?;
        let folder = RunFolder::open(&options.out)?;
        let found = to_resume(&folder, options)?;
        let simulation = simulation(devices, scene, found.as_ref())?;
        let doubts = refuse_faulty_meshes(scene, simulation.model())?;
        let identity = identity(scene, &simulation);
        let steps = (scene.time.frames * scene.time.steps_per_frame) as u64;
        if let Some(checkpoint) = &found {
            let vertices = simulation.model().vertices();
            checkpoint.check(&folder.checkpoint(), &identity, vertices).map_err(FolderError::from)?;
            let at = checkpoint.state.step;
            if at > steps {
                return Err(RunError::Beyond { at, wanted: steps });
            }
        }
        let files = FrameFiles::new(folder.frames(), &scene.output.formats, simulation.model());
        files.prepare().map_err(|source| {
            let what = "the folder of the frames cannot be made; choose another with --out";
            FolderError::Io { path: files.folder().to_path_buf(), what, source }
        })?;
        let mut report = blank_report(scene, &identity, &simulation);
        report.resumed_at_step = found.as_ref().map(|checkpoint| checkpoint.state.step);
        report.warnings.extend(doubts);
        let mut ready = Ready { scene, folder, files, simulation, identity, report };
        let (state, store, tally) = match found {
            Some(checkpoint) => ready.resume(checkpoint)?,
            None => ready.start_anew(options, hooks)?,
        };
        let Ready { folder, files, mut simulation, identity, report, .. } = ready;
        let sides = simulation.sides().map_err(SimulationError::from)?;
        let known = Arc::new(Known { state, rho: simulation.rho(), sides, tally: tally.clone() });
        let tunnelling = Tunnelling::new(scene, simulation.model(), &known);
        let passing = Passing::new(scene, simulation.model(), &known);
        let every = scene.output.checkpoint_every;
        let keeper = Keeper { folder, identity, store, files, every, tunnelling, passing };
        let frames = Frames::new(keeper, known);
        let near = near_a_collider(simulation.model(), scene.time.step_size());
        Ok(Self { scene, options, simulation, frames, tally, near, last_step: None, steps, report })
    }

    fn complete(mut self, devices: &impl Devices, hooks: &mut dyn RunHooks) -> Result<RunReport, RunError> {
        self.simulate(devices, hooks)?;
        self.frames.keeper().save_checkpoint(&self.frames.known)?;
        self.measure(hooks)?;
        self.write_animation(hooks)?;
        self.write_page(hooks);
        self.draw_previews(hooks)?;
        self.finish()
    }

    /// Certificates of the final state, and its error if that was asked for.
    fn measure(&mut self, hooks: &mut dyn RunHooks) -> Result<(), RunError> {
        self.report.set_tally(&self.tally, weight(self.simulation.model()));
        let state = &self.frames.known.state;
        self.report.set_state(self.simulation.model(), state);
        self.report.frames = state.step / self.scene.time.steps_per_frame as u64;
        let doubts = doubts(self.scene, self.simulation.model(), &self.report, state.time);
        self.report.warnings.extend(doubts);
        self.report.warnings.extend(pressed(self.scene, self.simulation.model(), state));
        let keeper = self.frames.keeper();
        self.report.warnings.extend([keeper.tunnelling.warning(), keeper.passing.warning()].into_iter().flatten());
        drop(keeper);
        if !self.options.error || self.report.status != Status::Done {
            return Ok(());
        }
        // The energies of pieces of a step are other ones.
        let Some(LastStep { state, sides, .. }) = self.last_step.take().filter(|last| last.pieces == 1) else {
            let warning = "no relative error: the last step was not solved in one piece by this run";
            self.report.warnings.push(warning.to_string());
            return Ok(());
        };
        hooks.stage(RunStage::Referencing, 0);
        let model = self.simulation.model();
        let question = Question { scene: self.scene, model, state: &state, sides: &sides };
        match reference(&question) {
            Ok(reference) if reference.has_nothing_to_solve(&question) => {
                let warning = "no relative error: the last step began at its solution, so there was nothing to solve";
                self.report.warnings.push(warning.to_string());
            }
            Ok(reference) => self.report.relative_error = Some(reference.relative_error(self.report.energy)),
            Err(error) => self.report.warnings.push(format!("no relative error: {error}")),
        }
        Ok(())
    }

    fn write_animation(&mut self, hooks: &mut dyn RunHooks) -> Result<(), RunError> {
        let wanted = self.scene.output.formats.iter().any(|format| format == "glb");
        if !wanted || self.report.status != Status::Done {
            return Ok(());
        }
        hooks.stage(RunStage::Writing, 0);
        let mut keeper = self.frames.keeper();
        let path = keeper.folder.animation();
        let recorded = Recorded { scene: self.scene, model: self.simulation.model(), begin: 0.0 };
        let summary = recorded.write_glb(&path, &mut keeper.store, LARGEST_ANIMATION)?;
        if summary.thinned {
            let (written, stored) = (summary.frames_written, summary.frames_stored);
            let warning = format!(
                "animation.glb holds {written} of {}, to stay below 200 MB",
                counted(stored, "frame", "frames")
            );
            self.report.warnings.push(warning);
        }
        self.report.output.push(path.display().to_string());
        Ok(())
    }

    /// A page is for people, too.
    fn write_page(&mut self, hooks: &mut dyn RunHooks) {
        let wanted = self.scene.output.formats.iter().any(|format| format == "html");
        if !wanted || self.report.status != Status::Done {
            return;
        }
        hooks.stage(RunStage::Writing, 0);
        let mut keeper = self.frames.keeper();
        let path = keeper.folder.page();
        let recorded = Recorded { scene: self.scene, model: self.simulation.model(), begin: 0.0 };
        match recorded.write_page(&path, &mut keeper.store, self.options.page, LARGEST_PAGE) {
            Ok(summary) => {
                let (written, stored) = (summary.frames_written, summary.frames_stored);
                if written < stored {
                    let warning = format!("animation.html holds {written} of {stored} frames, to stay near 100 MB");
                    self.report.warnings.push(warning);
                }
                self.report.output.push(path.display().to_string());
            }
            Err(error) => self.report.warnings.push(error.to_string()),
        }
    }

    /// Pictures are for people: one that cannot be drawn is a warning, not the end of the run.
    fn draw_previews(&mut self, hooks: &mut dyn RunHooks) -> Result<(), RunError> {
        if self.report.status == Status::Interrupted || self.options.previews.is_empty() {
            return Ok(());
        }
        let model = self.simulation.model().clone();
        let mut keeper = self.frames.keeper();
        let mut preview = Preview::new(self.scene, &model, &mut keeper.store)?;
        if self.report.status == Status::Failed {
            preview.mark_end(format!("stopped at step {} of {}", self.report.steps, self.steps));
        }
        for path in &self.options.previews {
            hooks.stage(RunStage::Drawing, preview.frames(PreviewKind::of(path)?).len() as u64);
            let drawn = preview.save(path, &mut |done| {
                hooks.progress(done as u64);
                !hooks.stop_requested()
            });
            match drawn {
                Ok(true) => self.report.output.push(path.display().to_string()),
                Ok(false) => {
                    self.report.status = Status::Interrupted;
                    self.report.reason = Some("stopped while pictures were drawn; the simulation is done".to_string());
                    break;
                }
                Err(error) => self.report.warnings.push(error.to_string()),
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<RunReport, RunError> {
        let keeper = self.frames.keeper();
        if !keeper.files.formats().is_empty() {
            self.report.output.push(keeper.files.folder().display().to_string());
        }
        for path in [keeper.store.path().to_path_buf(), keeper.folder.checkpoint(), keeper.folder.report()] {
            self.report.output.push(path.display().to_string());
        }
        let json = self.report.to_json();
        write_atomically(&keeper.folder.report(), |file| writeln!(file, "{json}"))
            .map_err(|source| OutputError::Report { path: keeper.folder.report(), source })?;
        drop(keeper);
        Ok(self.report)
    }
}

/// All that a run needs but a state to begin with.
struct Ready<'a> {
    scene: &'a Scene,
    folder: RunFolder,
    files: FrameFiles,
    simulation: Simulation,
    identity: Identity,
    report: RunReport,
}

impl Ready<'_> {
    /// Goes back to a checkpoint.
    fn resume(&mut self, checkpoint: Checkpoint) -> Result<(State, FrameStore, Tally), RunError> {
        let frame = (checkpoint.state.step / self.scene.time.steps_per_frame as u64) as usize;
        let odd = oddities_of_resumption(&checkpoint.identity, &self.identity, &self.files, frame);
        self.report.warnings.extend(odd);
        self.simulation.set_state(&checkpoint.state)?;
        self.simulation.set_sides(&checkpoint.sides);
        checkpoint.rho.into_iter().for_each(|rho| self.simulation.set_rho(rho));
        let store = self.folder.go_back_to(frame, self.simulation.model().vertices())?;
        Ok((checkpoint.state, store, checkpoint.tally))
    }

    /// Replaces an earlier run, if there is one, and keeps the first frame.
    fn start_anew(
        &mut self,
        options: &RunOptions,
        hooks: &mut dyn RunHooks,
    ) -> Result<(State, FrameStore, Tally), RunError> {
        if let Some(earlier) = self.folder.earlier_run()? {
            hooks.replaces(&earlier);
        }
        let mut store = self.folder.start_anew(&options.previews, self.simulation.model().vertices())?;
        self.files.tidy();
        let state = self.simulation.state().map_err(SimulationError::from)?;
        let model = self.simulation.model();
        self.report.warnings.extend(crossing_at_start(self.scene, model, &state));
        self.report.warnings.extend(odd_at_start(self.scene, model, &state));
        keep_frame(&mut store, &mut self.files, 0, &state)?;
        Ok((state, store, Tally::default()))
    }
}

/// The checkpoint to go on from, if that is wanted and there is one.
fn to_resume(folder: &RunFolder, options: &RunOptions) -> Result<Option<Checkpoint>, RunError> {
    if !options.resume {
        return Ok(None);
    }
    let found = Checkpoint::load(&folder.checkpoint()).map_err(FolderError::from)?;
    if found.is_none() {
        tracing::warn!("{}: there is no run to resume; starting anew", options.out.display());
    }
    Ok(found)
}

/// The simulation of a scene. What `auto` was in the run to resume is the method to go on with: on another device it might be
/// another.
fn simulation(devices: &impl Devices, scene: &Scene, found: Option<&Checkpoint>) -> Result<Simulation, RunError> {
    let mut solver = scene.solver.clone();
    if let Some(checkpoint) = found.filter(|_| solver.method == "auto") {
        solver.method.clone_from(&checkpoint.identity.method);
    }
    Ok(Simulation::on(devices, &Scene { solver, ..scene.clone() })?)
}

/// Distance, m, from which a collider may have held what ended a step of h seconds there: what rests is rounded, and may end a
/// hair above its thickness with nothing that holds it there. What falls is that near for a step or so.
fn near_a_collider(model: &Model, h: f64) -> f64 {
    const ROUNDED: f64 = 0.01;
    let thickness = model.thickness.iter().copied().fold(0.0, f64::max);
    let fall = Vec3::<f64>::of(model.acceleration).length() * h * h;
    thickness + fall.max(ROUNDED * thickness)
}

/// Refuses meshes with errors by the rule of `pliant check`; else what is odd about them, for people.
pub fn refuse_faulty_meshes(scene: &Scene, model: &Model) -> Result<Vec<String>, RunError> {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for BodyCheck { name, findings, .. } in faulty_bodies(scene, model) {
        for Finding { severity, message, .. } in findings {
            match severity {
                Severity::Error => errors.push((name.clone(), message)),
                Severity::Warning => warnings.push(format!("body '{name}': {message}")),
            }
        }
    }
    if errors.is_empty() { Ok(warnings) } else { Err(RunError::Meshes(errors)) }
}

/// What differs from the run that left the checkpoint, and does not forbid to go on from its `frame`.
fn oddities_of_resumption(left: &Identity, own: &Identity, files: &FrameFiles, frame: usize) -> Vec<String> {
    let mut oddities = Vec::new();
    if left.version != own.version {
        oddities.push(format!("the checkpoint is of version {}: the bits may differ", left.version));
    }
    if left.device != own.device {
        oddities.push(format!("the checkpoint was made on {}: the bits differ", left.device));
    }
    for format in files.formats().iter().filter(|format| !files.path(frame, format).exists()) {
        oddities.push(format!("there are no {format} files of the frames before the resumption"));
    }
    oddities
}

/// What must be the same when the run goes on: `auto` is what it was resolved to.
fn identity(scene: &Scene, simulation: &Simulation) -> Identity {
    let method = simulation.method().name;
    let resolved = Scene {
        // A run may go on elsewhere.
        device: DeviceSettings { name: "auto".to_string(), ..scene.device.clone() },
        solver: SolverSettings { method: method.to_string(), ..scene.solver.clone() },
        ..scene.clone()
    };
    Identity {
        scene_hash: resolved.hash(),
        scene: scene.name.clone(),
        method: method.to_string(),
        device: simulation.device().to_string(),
        precision: simulation.precision().to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
    }
}

fn blank_report(scene: &Scene, identity: &Identity, simulation: &Simulation) -> RunReport {
    let model = simulation.model();
    RunReport {
        scene: scene.name.clone(),
        method: identity.method.clone(),
        device: identity.device.clone(),
        precision: identity.precision.clone(),
        frames: 0,
        steps: 0,
        vertices: model.vertices(),
        elements: model.element_count(),
        ms_per_step: Tally::default().times(),
        iterations: 0,
        energy: f64::NAN,
        relative_error: None,
        gradient_norm: f64::NAN,
        unbalanced: None,
        max_stretch: f64::NAN,
        mean_stretch: f64::NAN,
        min_gap: f64::NAN,
        intersections: 0,
        intersections_capped: false,
        inverted: 0,
        restarts: 0,
        retries: 0,
        stalled: 0,
        over_budget: 0,
        rho: simulation.rho(),
        state_hash: String::new(),
        status: Status::Done,
        reason: None,
        resumed_at_step: None,
        output: Vec::new(),
        warnings: model.warnings.clone(),
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;

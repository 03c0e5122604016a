//! The kernels of a problem, whose text depends on what the model has, and their parameters.

use crate::error::GpuError;
use crate::kernel::{Access, GROUP, Kernel, SMALL_GROUP};
use crate::library::Library;
use crate::rows::SLICE;
use bytemuck::{Pod, Zeroable};
use pliant::model::Model;
use std::sync::Arc;

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SweepParameters {
    pub n: u32,
    pub omega: f32,
    pub gamma: f32,
    /// 1 for the first gradient of a step.
    pub fresh: u32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct StepParameters {
    pub n: u32,
    pub wind_count: u32,
    pub h: f32,
    pub drift: f32,
    pub fall: [f32; 3],
    /// 1 if friction counts where vertices meet colliders.
    pub rough: u32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct MeasureParameters {
    pub n: u32,
    pub first: u32,
    pub others: u32,
    pub padding: u32,
    pub down: [f32; 3],
    pub padding_after: u32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct CountParameters {
    pub n: u32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RangeParameters {
    pub n: u32,
    pub first: u32,
}

const PIN: &str = include_str!("kernels/pin.wgsl");

/// The kernels of a problem.
pub(crate) struct Kernels {
    pub(crate) gradient: Arc<Kernel>,
    pub(crate) jacobi: Arc<Kernel>,
    pub(crate) jacobi_residual: Arc<Kernel>,
    pub(crate) predict: Arc<Kernel>,
    pub(crate) stay: Arc<Kernel>,
    pub(crate) hold: Arc<Kernel>,
    pub(crate) pin: Arc<Kernel>,
    pub(crate) pull: Arc<Kernel>,
    pub(crate) push: Arc<Kernel>,
    pub(crate) meet_colliders: Arc<Kernel>,
    pub(crate) finish_step: Arc<Kernel>,
    pub(crate) still: Arc<Kernel>,
    pub(crate) start: Arc<Kernel>,
    pub(crate) solution: Arc<Kernel>,
    pub(crate) gap: Arc<Kernel>,
    pub(crate) stretch: Arc<Kernel>,
    pub(crate) inverted: Arc<Kernel>,
    pub(crate) pin_energy: Arc<Kernel>,
}

/// The text of the kernels that loop over a vertex's neighbours.
pub(crate) fn force_text(has_slots: bool, obstacles: Obstacles, kernel: &str) -> String {
    let (bodies, slots) = (include_str!("kernels/bodies.wgsl"), include_str!("kernels/slots.wgsl"));
    bare_force_text(obstacles, &format!("const HAS_SLOTS: bool = {has_slots};\n{bodies}\n{slots}\n{kernel}"))
}

/// The same for kernels that keep slots elsewhere.
pub(crate) fn bare_force_text(obstacles: Obstacles, kernel: &str) -> String {
    let force = include_str!("kernels/force.wgsl");
    sweep_text(obstacles, &format!("const SLICE: u32 = {SLICE}u;\n{force}\n{kernel}"))
}

/// The text of kernels with springs and contacts: those that sweep or measure.
pub(crate) fn sweep_text(obstacles: Obstacles, kernel: &str) -> String {
    let (contacts, spring) = (include_str!("kernels/contacts.wgsl"), include_str!("kernels/spring.wgsl"));
    let parts = [pliant::math::SYM3_WGSL, pliant::contact::COVER_WGSL, contacts, spring, kernel];
    contact_text(obstacles, &parts.join("\n"))
}

/// What the text of kernels depends on of what is in the way of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Obstacles {
    /// Colliders.
    pub count: usize,
    /// Some have a distance grid.
    pub grids: bool,
    /// Bodies are in the way of each other and of themselves.
    pub bodies: bool,
}

impl Obstacles {
    pub(crate) fn of(model: &Model) -> Self {
        let colliders = &model.colliders;
        let grids = colliders.iter().any(|collider| collider.solid().is_some());
        Self { count: colliders.len(), grids, bodies: model.self_friction.is_some() }
    }

    /// Whether there is anything.
    pub(crate) fn any(self) -> bool {
        self.count > 0 || self.bodies
    }

    /// Vectors of `touch` per vertex: where anything may touch it, friction has two.
    pub(crate) fn touch_stride(self) -> usize {
        if self.any() { 3 } else { 1 }
    }
}

/// The text of the kernels before and after a solve.
pub(crate) fn step_text(has_wind: bool, obstacles: Obstacles) -> String {
    let wind = format!("const HAS_WIND: bool = {has_wind};\n");
    wind + &contact_text(obstacles, &[PIN, include_str!("kernels/step.wgsl")].concat())
}

/// The text of the kernels that measure edges, tets and pins.
pub(crate) fn shape_text() -> String {
    [PIN, include_str!("kernels/shape.wgsl")].concat()
}

/// The text of the kernels that find the friction of a step.
pub(crate) fn grip_text(obstacles: Obstacles) -> String {
    let parts = [pliant::math::SYM3_WGSL, pliant::contact::PRESSING_WGSL, include_str!("kernels/grip.wgsl")];
    contact_text(obstacles, &parts.concat())
}

/// What all kernels with colliders start with.
fn contact_text(obstacles: Obstacles, kernel: &str) -> String {
    let (stride, touch) = (obstacles.touch_stride(), include_str!("kernels/touch.wgsl"));
    let (math, contact, any) = (pliant::math::WGSL, pliant::contact::WGSL, obstacles.any());
    let Obstacles { count, grids, bodies } = obstacles;
    let constants = format!(
        "const COLLIDERS: u32 = {count}u;\nconst GRIDS: bool = {grids};\nconst BODIES: bool = {bodies};\n\
         const CONTACTS: bool = {any};\nconst TOUCH: u32 = {stride}u;\n"
    );
    [&constants, math, contact, touch, kernel].join("\n")
}

impl Kernels {
    pub(crate) fn new(
        library: &mut Library,
        has_slots: bool,
        has_wind: bool,
        obstacles: Obstacles,
    ) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let sweep = force_text(has_slots, obstacles, include_str!("kernels/sweep.wgsl"));
        let mut sweeps = |entry: &str, group: u32| {
            let mut access = [Read; 14];
            access[12..].fill(Write);
            library.kernel_of::<SweepParameters>(group, "sweep", &sweep, entry, &access)
        };
        let (gradient, jacobi) = (sweeps("gradient", SMALL_GROUP)?, sweeps("jacobi", SMALL_GROUP)?);
        let jacobi_residual = sweeps("jacobi_residual", GROUP)?;
        let step = step_text(has_wind, obstacles);
        let mut steps = |entry: &str| {
            let access = [Read, Write, Write, Write, Read, Read, Read, Read, Read, Read, Read, Write];
            library.kernel::<StepParameters>("step", &step, entry, &access)
        };
        let (predict, stay) = (steps("predict")?, steps("stay")?);
        let (hold, pin, pull) = (steps("hold")?, steps("pin")?, steps("pull")?);
        let (push, meet_colliders, finish_step) = (steps("push")?, steps("meet_colliders")?, steps("finish_step")?);
        let measure = force_text(has_slots, obstacles, include_str!("kernels/measure.wgsl"));
        let mut measures = |entry: &str| {
            let mut access = [Read; 15];
            access[13] = Write;
            library.kernel::<MeasureParameters>("measure", &measure, entry, &access)
        };
        let (still, start) = (measures("still")?, measures("start")?);
        let (solution, gap) = (measures("solution")?, measures("gap")?);
        let shape = shape_text();
        let mut shapes = |entry: &str| {
            let access = [Read, Read, Read, Write, Read];
            library.kernel::<RangeParameters>("shape", &shape, entry, &access)
        };
        let (stretch, inverted, pin_energy) = (shapes("stretch")?, shapes("inverted")?, shapes("pin_energy")?);
        Ok(Self {
            gradient,
            jacobi,
            jacobi_residual,
            predict,
            stay,
            hold,
            pin,
            pull,
            push,
            meet_colliders,
            finish_step,
            still,
            start,
            solution,
            gap,
            stretch,
            inverted,
            pin_energy,
        })
    }
}

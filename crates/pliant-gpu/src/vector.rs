//! Verbs on fields and on the device's scalars.

use crate::buffer::{Buffer, Field};
use crate::context::Context;
use crate::error::GpuError;
use crate::kernel::{Access, GROUP, Kernel, Module};
use crate::recorder::Recorder;
use crate::timer::StepClock;
use bytemuck::{Pod, Zeroable};
use pliant::device::{Blend, Factor, Slot};
use std::sync::Arc;

/// Scalars on the device. The first [`pliant::device::SLOTS`] belong to solvers, the rest to certificates.
pub(crate) const SCALARS: usize = 32;

/// Quantities that one [`Vector::finish`] can reduce.
pub(crate) const QUANTITIES: usize = 10;

/// What a reduction makes of its partials. The numbers are those of `prelude.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Reduction {
    /// Sum with 48 bits; 0 of nothing.
    Sum = 0,
    /// Largest; -∞ of nothing.
    Max = 1,
    /// Smallest; +∞ of nothing.
    Min = 2,
}

/// Partials that become one scalar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantity {
    /// First of them, in pairs.
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) reduction: Reduction,
    pub(crate) slot: Slot,
}

impl Default for Quantity {
    fn default() -> Self {
        Self { first: 0, count: 0, reduction: Reduction::Sum, slot: Slot(0) }
    }
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct Parameters {
    n: u32,
    kind: u32,
    first: u32,
    second: u32,
    value: f32,
    gamma: f32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct FinishParameters {
    /// First partial, number of partials, reduction and slot of each quantity.
    targets: [[u32; 3]; QUANTITIES],
}

/// The kernels of the vector verbs, the scalars, and scratch memory for reductions.
#[derive(Debug)]
pub(crate) struct Vector {
    context: Arc<Context>,
    axpy: Kernel,
    xpay: Kernel,
    copy: Kernel,
    copy_unless_lower: Kernel,
    clear: Kernel,
    blend: Kernel,
    descend: Kernel,
    dot_partials: Kernel,
    copy_scalar: Kernel,
    finish: Kernel,
    /// [`SCALARS`] pairs (high, low) of `f32`.
    pub(crate) scalars: Buffer,
    partials: Buffer,
}

impl Vector {
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let vector = Module::new(context, "vector", include_str!("vector.wgsl"))?;
        let reduce = Module::new(context, "reduce", include_str!("reduce.wgsl"))?;
        Ok(Self {
            context: context.clone(),
            axpy: vector.kernel::<Parameters>("axpy", &[Read, Read, Write])?,
            xpay: vector.kernel::<Parameters>("xpay", &[Read, Read, Write])?,
            copy: vector.kernel::<Parameters>("copy", &[Read, Read, Write])?,
            copy_unless_lower: vector.kernel::<Parameters>("copy_unless_lower", &[Read, Read, Write])?,
            clear: vector.kernel::<Parameters>("clear", &[Write])?,
            blend: vector.kernel::<Parameters>("blend", &[Read, Read, Write])?,
            descend: vector.kernel::<Parameters>("descend", &[Read, Read, Write])?,
            dot_partials: vector.kernel::<Parameters>("dot_partials", &[Read, Read, Write])?,
            copy_scalar: vector.kernel::<Parameters>("copy_scalar", &[Write])?,
            finish: reduce.kernel::<FinishParameters>("finish", &[Read, Write])?,
            scalars: Buffer::new(context, "scalars", 8 * SCALARS as u64)?,
            partials: Buffer::new(context, "partials", 8 * u64::from(GROUP))?,
        })
    }

    /// to = from
    pub(crate) fn copy(&self, recorder: &mut Recorder, from: &Field, to: &Field) {
        let parameters = Parameters { n: common(from, to), ..Default::default() };
        recorder.run(&self.copy, &[&self.scalars, &from.buffer, &to.buffer], &parameters, parameters.n);
    }

    /// to = from unless the first scalar is at most the second
    pub(crate) fn copy_unless_lower(&self, recorder: &mut Recorder, [a, b]: [Slot; 2], from: &Field, to: &Field) {
        let parameters = Parameters { n: common(from, to), first: slot(a), second: slot(b), ..Default::default() };
        let buffers = [&self.scalars, &from.buffer, &to.buffer];
        recorder.run(&self.copy_unless_lower, &buffers, &parameters, parameters.n);
    }

    /// z = 0
    pub(crate) fn clear(&self, recorder: &mut Recorder, z: &Field) {
        let parameters = Parameters { n: z.count(), ..Default::default() };
        recorder.run(&self.clear, &[&z.buffer], &parameters, parameters.n);
    }

    /// y += a x
    pub(crate) fn axpy(&self, recorder: &mut Recorder, a: Factor, x: &Field, y: &Field) {
        let parameters = with_factor(common(x, y), a);
        recorder.run(&self.axpy, &[&self.scalars, &x.buffer, &y.buffer], &parameters, parameters.n);
    }

    /// y = x + a y
    pub(crate) fn xpay(&self, recorder: &mut Recorder, x: &Field, a: Factor, y: &Field) {
        let parameters = with_factor(common(x, y), a);
        recorder.run(&self.xpay, &[&self.scalars, &x.buffer, &y.buffer], &parameters, parameters.n);
    }

    /// x⁻ becomes x⁻ + ω (γ (x̂ − x) + x − x⁻).
    pub(crate) fn blend(&self, recorder: &mut Recorder, x_hat: &Field, x: &Field, x_before: &Field, blend: Blend) {
        blended(recorder, &self.blend, [x_hat, x, x_before], blend);
    }

    /// x⁻ becomes x⁻ + ω (x − γ z − x⁻).
    pub(crate) fn descend(&self, recorder: &mut Recorder, z: &Field, x: &Field, x_before: &Field, blend: Blend) {
        blended(recorder, &self.descend, [z, x, x_before], blend);
    }

    /// out = a · b, with products and sums of 48 bits.
    pub(crate) fn dot(&mut self, recorder: &mut Recorder, a: &Field, b: &Field, out: Slot) {
        let parameters = Parameters { n: common(a, b), ..Default::default() };
        let groups = parameters.n.div_ceil(GROUP);
        if let Err(error) = self.reserve(groups, 1) {
            self.context.faults.report(error);
            return;
        }
        recorder.dispatch(&self.dot_partials, &[&a.buffer, &b.buffer, &self.partials], &parameters, groups);
        self.finish(recorder, &self.partials, groups, &[(Reduction::Sum, out)]);
    }

    /// to = from
    pub(crate) fn copy_scalar(&self, recorder: &mut Recorder, from: Slot, to: Slot) {
        let parameters = Parameters { first: slot(from), second: slot(to), ..Default::default() };
        recorder.dispatch(&self.copy_scalar, &[&self.scalars], &parameters, 1);
    }

    /// Makes room for `groups` partials of each of so many quantities; kernels write them to [`Vector::partials`].
    pub(crate) fn reserve(&mut self, groups: u32, quantities: usize) -> Result<(), GpuError> {
        let bytes = 8 * u64::from(groups) * quantities as u64;
        if bytes > self.partials.bytes() {
            self.partials = Buffer::new(&self.context, "partials", bytes)?;
        }
        Ok(())
    }

    /// Scratch memory for the first stage of a reduction: pairs of `f32`, quantity after quantity.
    pub(crate) fn partials(&self) -> &Buffer {
        &self.partials
    }

    /// Second stage of a reduction: the `count` partials of quantity q, which start at pair `q * count`, become the
    /// q-th slot. At most [`QUANTITIES`].
    pub(crate) fn finish(
        &self,
        recorder: &mut Recorder,
        partials: &Buffer,
        count: u32,
        quantities: &[(Reduction, Slot)],
    ) {
        let mut at = [Quantity::default(); QUANTITIES];
        for (q, (to, &(reduction, slot))) in at.iter_mut().zip(quantities).enumerate() {
            *to = Quantity { first: q as u32 * count, count, reduction, slot };
        }
        self.finish_all(recorder, partials, &at[..quantities.len().min(QUANTITIES)]);
    }

    /// The same for partials that lie anywhere.
    pub(crate) fn finish_all(&self, recorder: &mut Recorder, partials: &Buffer, quantities: &[Quantity]) {
        debug_assert!(quantities.len() <= QUANTITIES);
        let mut parameters = FinishParameters::default();
        for (target, quantity) in parameters.targets.iter_mut().zip(quantities) {
            let code = 256 * quantity.reduction as u32 + slot(quantity.slot);
            *target = [quantity.first, quantity.count, code];
        }
        recorder.dispatch(&self.finish, &[partials, &self.scalars], &parameters, quantities.len() as u32);
    }

    /// All scalars; waits.
    pub(crate) fn scalars(&self, recorder: &mut Recorder) -> Result<[f64; SCALARS], GpuError> {
        let mut pairs = [[0f32; 2]; SCALARS];
        recorder.read(&self.scalars, 0, &mut pairs)?;
        Ok(pairs.map(number))
    }

    /// All scalars at the end of a step, and how long the GPU worked on it; waits once.
    pub(crate) fn step_scalars(
        &self,
        recorder: &mut Recorder,
        clock: &mut StepClock,
    ) -> Result<[f64; SCALARS], GpuError> {
        let mut pairs = [[0f32; 2]; SCALARS];
        let (scope, expected) = (clock.scope.take(), clock.take_expected());
        clock.seconds = recorder.read_ending(&self.scalars, &mut pairs, scope, expected)?;
        Ok(pairs.map(number))
    }
}

fn number([high, low]: [f32; 2]) -> f64 {
    f64::from(high) + f64::from(low)
}

fn blended(recorder: &mut Recorder, kernel: &Kernel, [a, x, x_before]: [&Field; 3], blend: Blend) {
    let n = common(a, x).min(x_before.count());
    let (value, gamma) = (blend.omega as f32, blend.under_relaxation as f32);
    let parameters = Parameters { n, value, gamma, ..Default::default() };
    recorder.run(kernel, &[&a.buffer, &x.buffer, &x_before.buffer], &parameters, n);
}

/// Number of points that both fields have. Fields of one problem are equally long; one that could not be made is empty.
fn common(a: &Field, b: &Field) -> u32 {
    debug_assert!(a.count() == b.count() || a.is_empty() || b.is_empty(), "{} and {} points", a.count(), b.count());
    a.count().min(b.count())
}

fn slot(slot: Slot) -> u32 {
    debug_assert!(slot.0 < SCALARS);
    slot.0.min(SCALARS - 1) as u32
}

fn with_factor(n: u32, factor: Factor) -> Parameters {
    let ratio = |kind, a, b| Parameters { n, kind, first: slot(a), second: slot(b), ..Default::default() };
    match factor {
        Factor::Value(value) => Parameters { n, value: value as f32, ..Default::default() },
        Factor::Ratio(a, b) => ratio(1, a, b),
        Factor::MinusRatio(a, b) => ratio(2, a, b),
    }
}

//! Whether a device computes right: every verb of [`Device`] and whole steps, against the CPU in `f64`.
//!
//! A [`Suite`] knows the questions and their exact answers; [`Suite::run`] asks a device. Any device can be asked, also
//! the CPU in `f32`, which is a check of the checks.

mod answer;
mod case;
mod models;
mod steps;
mod verb;

use answer::{Answer, Bench, Expected, rounding};
use case::Case;
use pliant::device::{Cpu, Device, DeviceError};
use std::time::Instant;
use verb::{Entry, TABLE, Verb};

/// One question to a device and how it did.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The verb, or the method of whole steps.
    pub verb: &'static str,
    /// What it was tried on.
    pub model: String,
    /// Size of the model.
    pub vertices: usize,
    /// Largest error, relative to the size of the terms that make the answer; infinite where there is no number.
    pub error: f64,
    /// Largest error that rounding can explain.
    pub bound: f64,
    /// `error` is at most `bound`.
    pub passed: bool,
    /// Time the device took, ms.
    pub ms: f64,
}

/// How much is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every verb on models of up to two thousand vertices, and whole steps.
    Usual,
    /// Besides, the verbs of a sweep on a million vertices.
    Large,
}

/// Questions with their exact answers.
pub struct Suite {
    parts: Vec<Part>,
    steps: steps::Steps,
}

/// A model with what is asked about it.
struct Part {
    case: Case,
    expected: Vec<(&'static Entry, Expected)>,
}

/// What is asked about the large model.
const LARGE: [Verb; 13] = {
    use Verb::*;
    [
        WriteRead,
        Copy,
        Clear,
        Axpy,
        Xpay,
        Dot,
        DotOfReals,
        BeginStep,
        MeasureSolution,
        Jacobi,
        JacobiBlended,
        Multiply,
        Enforce,
    ]
};

impl Suite {
    /// All questions of this extent. Finding the answers takes a few seconds.
    pub fn new(extent: Extent) -> Result<Self, DeviceError> {
        let mut parts = Vec::new();
        for case in models::usual() {
            parts.push(Part::new(case, &mut TABLE.iter())?);
        }
        if extent == Extent::Large {
            parts.push(Part::new(models::large(), &mut TABLE.iter().filter(|entry| LARGE.contains(&entry.verb)))?);
        }
        Ok(Self { parts, steps: steps::Steps::new()? })
    }

    /// Number of checks.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.expected.len()).sum::<usize>() + self.steps.len()
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Asks a device; `seen` is called after each check. An error means that the device cannot be asked any more.
    pub fn run<D: Device + 'static>(
        &self,
        device: &mut D,
        seen: &mut dyn FnMut(&Check),
    ) -> Result<Vec<Check>, DeviceError>
    where
        D::Points: 'static,
    {
        let mut checks = Vec::new();
        let mut note = |check: Check| {
            seen(&check);
            checks.push(check);
        };
        for part in &self.parts {
            part.run(device, &mut note)?;
        }
        self.steps.run(device, &mut note)?;
        Ok(checks)
    }
}

impl Part {
    fn new(case: Case, entries: &mut dyn Iterator<Item = &'static Entry>) -> Result<Self, DeviceError> {
        let mut cpu = Cpu::<f64>::new();
        let mut bench = Bench::new(&mut cpu, &case)?;
        let moved: Vec<_> = (0..2 * case.pairs).map(|number| case.moved(number)).collect();
        let mut expected = Vec::new();
        for entry in entries {
            let exact = bench.answer(entry.verb, &case, &case.fields)?;
            // What has no rounding needs no size.
            let near = moved.iter().filter(|_| entry.roundings > 0.0);
            let near: Result<Vec<Answer>, _> = near.map(|fields| bench.answer(entry.verb, &case, fields)).collect();
            expected.push((entry, Expected::new(exact, &near?)));
        }
        Ok(Self { case, expected })
    }

    fn run<D: Device>(&self, device: &mut D, seen: &mut dyn FnMut(Check)) -> Result<(), DeviceError> {
        let rounding = rounding(device);
        let mut bench = Bench::new(device, &self.case)?;
        for (entry, expected) in &self.expected {
            let begun = Instant::now();
            let found = bench.answer(entry.verb, &self.case, &self.case.fields)?;
            let ms = 1e3 * begun.elapsed().as_secs_f64();
            let (error, bound) = (expected.error(&found), entry.roundings * rounding);
            let (model, vertices) = (self.case.name.clone(), self.case.model.vertices());
            seen(Check { verb: entry.name, model, vertices, error, bound, passed: error <= bound, ms });
        }
        Ok(())
    }
}

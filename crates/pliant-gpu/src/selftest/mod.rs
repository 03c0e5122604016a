//! Whether a device computes right: every verb of [`Device`] that computes, and whole steps of every method that needs no CPU,
//! against the CPU in `f64`. A test (`tests/wrong_devices.rs`) holds that list to the trait.
//!
//! A [`Suite`] knows the questions and their exact answers; [`Suite::run`] asks a device. Any device can be asked, also
//! the CPU in `f32`, which is a check of the checks.

mod answer;
mod case;
mod models;
mod steps;
mod verb;

use crate::{Cut, Gpu};
use answer::{Answer, Bench, Expected, rounding};
use case::Case;
use pliant::device::rows::is_in_rows;
use pliant::device::{Cpu, Device, DeviceError};
use pliant::material::Elements;
use std::any::Any;
use std::time::Instant;
use verb::{COLOURED, Entry, OF_LARGE_TETS, POWERS, SMALL, TABLE, Verb};

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
    /// Besides, the verbs on a million vertices: those that need colours on a chain, which has two, those of descent on
    /// tets; but no direct solves and eigenvalues, which are found on the host, and no bodies that touch each other.
    Large,
    /// Besides, these on a sheet: to colour the matrix and the constraints of a million vertices, and to find the answers, takes
    /// minutes.
    Largest,
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

impl Suite {
    /// All questions of this extent. Finding the answers takes a few seconds, on a million vertices minutes.
    pub fn new(extent: Extent) -> Result<Self, DeviceError> {
        let mut parts = Vec::new();
        for case in models::usual() {
            let projective = case.model.elements.iter().all(Elements::is_projective);
            let asked = |entry: &&Entry| projective || entry.verb.is_of_any_energy();
            parts.push(Part::new(case, &mut TABLE.iter().filter(asked))?);
        }
        if extent != Extent::Usual {
            let asked = |entry: &&Entry| {
                !SMALL.contains(&entry.verb) && (extent == Extent::Largest || !COLOURED.contains(&entry.verb))
            };
            parts.push(Part::new(models::large(), &mut TABLE.iter().filter(asked))?);
            let coloured = |entry: &&Entry| COLOURED.contains(&entry.verb);
            parts.push(Part::new(models::chain(), &mut TABLE.iter().filter(coloured))?);
            let of_tets = |entry: &&Entry| OF_LARGE_TETS.contains(&entry.verb);
            parts.push(Part::new(models::large_tets(), &mut TABLE.iter().filter(of_tets))?);
        }
        Ok(Self { parts, steps: steps::Steps::new()? })
    }

    /// How many checks a device gets.
    pub fn count<D: Device + 'static>(&self, device: &D) -> usize {
        let offered = |part: &Part| part.expected.iter().filter(|(entry, _)| offers(device, entry)).count();
        let verbs: usize = self.parts.iter().map(offered).sum();
        verbs + self.cut_parts(device).count() + self.steps.count()
    }

    /// What a GPU sweeps in another way, too. To cut a million vertices takes longer than it shows.
    fn cut_parts<D: Device + 'static>(&self, device: &D) -> impl Iterator<Item = &Part> + use<'_, D> {
        let is_gpu = (device as &dyn Any).is::<Gpu>();
        let swept = |part: &&Part| part.expected.iter().any(|(entry, _)| entry.verb == Verb::JacobiMany);
        self.parts.iter().filter(move |part| is_gpu && swept(part) && part.case.model.vertices() < 100_000)
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
        // A GPU would look for the fastest way to sweep each model; here every way is tried, and none is timed.
        fix_cut(device, Some(Cut::Single));
        let asked = self.ask(device, &mut note);
        fix_cut(device, None);
        asked.map(|()| checks)
    }

    fn ask<D: Device + 'static>(&self, device: &mut D, note: &mut dyn FnMut(Check)) -> Result<(), DeviceError>
    where
        D::Points: 'static,
    {
        for part in &self.parts {
            part.run(device, "", &|_| true, note)?;
        }
        for part in self.cut_parts(device) {
            let (cut, way) = part.cut();
            fix_cut(device, Some(cut));
            part.run(device, way, &|entry| entry.verb == Verb::JacobiMany, note)?;
        }
        fix_cut(device, Some(Cut::Single));
        self.steps.run(device, note)
    }
}

/// Whether a device has the verb at all.
fn offers<D: Device>(device: &D, entry: &Entry) -> bool {
    entry.verb != Verb::SolveDirect || device.has_direct_solver()
}

/// Lets a GPU cut every mesh in this way.
fn fix_cut<D: Device + 'static>(device: &mut D, cut: Option<Cut>) {
    if let Some(gpu) = (device as &mut dyn Any).downcast_mut::<Gpu>() {
        gpu.fixed_cut = cut;
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

    /// The other way to sweep it on a GPU, and its name: patches where elements have slots, rings where none has. Patches
    /// are small, so that they fit into any GPU's workgroups.
    fn cut(&self) -> (Cut, &'static str) {
        if self.case.model.elements.iter().all(is_in_rows) {
            (Cut::Rings { patch: 96, iterations: 4 }, " in rings")
        } else {
            (Cut::Patches { patch: 20, elements_per_invocation: 2 }, " in patches")
        }
    }

    fn run<D: Device>(
        &self,
        device: &mut D,
        way: &str,
        asks: &dyn Fn(&Entry) -> bool,
        seen: &mut dyn FnMut(Check),
    ) -> Result<(), DeviceError> {
        let rounding = rounding(device);
        let has_powers = self.case.model.elements.iter().any(Elements::is_convertible);
        let mut bench = Bench::new(device, &self.case)?;
        for (entry, expected) in self.expected.iter().filter(|(entry, _)| asks(entry)) {
            if !offers(bench.device(), entry) {
                continue;
            }
            let begun = Instant::now();
            let found = bench.answer(entry.verb, &self.case, &self.case.fields)?;
            let ms = 1e3 * begun.elapsed().as_secs_f64();
            let powers = if has_powers && entry.verb.evaluates() { POWERS } else { 0.0 };
            let (error, bound) = (expected.error(&found), (entry.roundings + powers) * rounding);
            let (model, vertices) = (format!("{}{way}", self.case.name), self.case.model.vertices());
            seen(Check { verb: entry.name, model, vertices, error, bound, passed: error <= bound, ms });
        }
        Ok(())
    }
}

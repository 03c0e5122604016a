//! What verbs are tried on: a model at one step size, what the step brings, and fields.

use pliant::device::StepInput;
use pliant::math::SplitMix;
use pliant::model::{Model, System};
use pliant::step::step_input;
use std::sync::Arc;

/// Step size, s.
pub(super) const H: f64 = 1.0 / 60.0;

/// A rounding of `f32`: half a unit in the last place of 1.
pub(super) const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;

/// How far fields are moved to see how much the exact answers move, in roundings of their largest component. More than
/// one, so that a branch that a device may take the other way because of rounding is seen both ways.
pub(super) const MOVED: f64 = 8.0;

/// A model with fields.
pub(super) struct Case {
    pub name: String,
    pub model: Arc<Model>,
    pub system: Arc<System>,
    pub input: StepInput,
    pub fields: Fields,
    /// Vertices at the same place are moved together, so that what is collapsed stays collapsed.
    pub keeps_collapsed: bool,
    /// Pairs of opposite movements that are tried.
    pub pairs: u64,
}

/// Fields that verbs take, a point per vertex; every number is one of `f32`.
#[derive(Clone)]
pub(super) struct Fields {
    /// Positions at the start of the step, m.
    pub start: Vec<[f64; 3]>,
    /// m/s
    pub velocity: Vec<[f64; 3]>,
    /// The iterate and the one before, m.
    pub x: Vec<[f64; 3]>,
    pub before: Vec<[f64; 3]>,
    /// A right-hand side, N.
    pub r: Vec<[f64; 3]>,
    /// Zeros; moved ones are what rounding adds to positions between two verbs, m.
    pub noise: Vec<[f64; 3]>,
    /// Small integers: sums of their products have no error in any order.
    pub whole: [Vec<[f64; 3]>; 2],
}

impl Case {
    /// `jitter`, m: how far iterates are from the start of the step. The start is `x` itself.
    pub fn new(name: &str, model: Model, x: &[[f64; 3]], jitter: f64) -> Self {
        let system = Arc::new(System::new(&model, H, H));
        let input = step_input(&model, H, H);
        let fields = Fields::new(x, jitter);
        let model = Arc::new(model);
        Self { name: name.to_string(), model, system, input, fields, keeps_collapsed: false, pairs: 4 }
    }

    /// The same with vertices an eighth as fast: what nearly lies in one plane and may hit itself in it has contacts that come
    /// and go with a rounding.
    pub fn slow(mut self) -> Self {
        self.fields.velocity.as_flattened_mut().iter_mut().for_each(|v| *v *= 0.125);
        self
    }

    /// The fields with every number moved by up to [`MOVED`] roundings; each odd number undoes the even one before.
    pub fn moved(&self, number: u64) -> Fields {
        let seed = SplitMix(number / 2).bits();
        let sign = if number.is_multiple_of(2) { 1.0 } else { -1.0 };
        let Fields { start, velocity, x, before, r, noise, whole } = &self.fields;
        let moved = |field: &[[f64; 3]], size: &[[f64; 3]], which: u64| -> Vec<[f64; 3]> {
            let largest = size.as_flattened().iter().fold(0.0f64, |largest, c| largest.max(c.abs()));
            let reach = sign * MOVED * ROUNDING * largest;
            // The iterate before is no place: its vertices may part.
            let together = self.keeps_collapsed && !std::ptr::eq(field, &before[..]);
            let place = |i: usize| if together { at(x[i]) } else { i as u64 };
            let own = |i: usize| {
                let by = SplitMix(seed ^ (which << 56) ^ place(i)).point();
                std::array::from_fn(|k| field[i][k] + reach * by[k])
            };
            (0..field.len()).map(own).collect()
        };
        Fields {
            start: moved(start, start, 1),
            velocity: moved(velocity, velocity, 2),
            x: moved(x, x, 3),
            before: moved(before, before, 4),
            r: moved(r, r, 5),
            noise: moved(noise, x, 6),
            whole: whole.clone(),
        }
    }
}

/// A number that points at the same place have in common.
fn at(x: [f64; 3]) -> u64 {
    pliant::math::Fnv::of(x.iter().flat_map(|c| c.to_bits().to_le_bytes()))
}

impl Fields {
    fn new(x: &[[f64; 3]], jitter: f64) -> Self {
        let mut random = SplitMix(x.len() as u64);
        let mut near = |size: f64| -> Vec<[f64; 3]> {
            let mut one = |at: &[f64; 3]| {
                let by = random.point();
                std::array::from_fn(|k| single(at[k] + size * by[k]))
            };
            x.iter().map(&mut one).collect()
        };
        let (start, moved, before) = (near(0.0), near(jitter), near(jitter));
        let mut random = SplitMix(7 + x.len() as u64);
        let mut any =
            |size: f64| -> Vec<[f64; 3]> { x.iter().map(|_| random.point().map(|c| single(size * c))).collect() };
        let (velocity, r) = (any(1.0), any(1.0));
        // Three products a point, each at most 4: a million points stay below 2²⁴.
        let whole = [any(2.0), any(2.0)].map(|field| field.iter().map(|p| p.map(f64::round)).collect());
        Self { start, velocity, x: moved, before, r, noise: vec![[0.0; 3]; x.len()], whole }
    }
}

fn single(value: f64) -> f64 {
    f64::from(value as f32)
}

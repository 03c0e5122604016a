//! What a run did, for people and programs: the object that `pliant run --json` prints and `report.json` holds.

use super::tally::{Tally, Times};
use crate::mesh::self_intersections;
use crate::model::{Model, State};
use crate::step::Certificate;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// All frames are there.
    Done,
    /// It was asked to stop; it can be resumed.
    Interrupted,
    /// A step failed however small it was made; the state before it is saved.
    Failed,
    /// The device failed; the state of the last frame is saved.
    DeviceFailed,
}

/// Figures of a whole run. Numbers that are not finite become `null` in JSON.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RunReport {
    /// The scene's name.
    pub scene: String,
    /// The method.
    pub method: String,
    /// Where it ran.
    pub device: String,
    /// `"f32"` or `"f64"`.
    pub precision: String,
    /// Frames simulated, without the start.
    pub frames: u64,
    /// Steps simulated.
    pub steps: u64,
    /// Vertices.
    pub vertices: usize,
    /// Elements of all kinds.
    pub elements: usize,
    /// Time of the steps, ms.
    pub ms_per_step: Times,
    /// Iterations of the solver over all steps.
    pub iterations: u64,
    /// E at the end of the last step, J.
    pub energy: f64,
    /// (E − E*)/(E⁰ − E*) of the last step, if it was asked for.
    pub relative_error: Option<f64>,
    /// ‖∇E‖ at the end of the last step, N.
    pub gradient_norm: f64,
    /// Force along gravity that all free vertices together lack to move as they should, as a part of their weight: the mean
    /// over all steps in which nothing touches a collider, if there are any and there is gravity.
    pub unbalanced: Option<f64>,
    /// Largest |length/rest − 1| of an edge at the end.
    pub max_stretch: f64,
    /// Mean |length/rest − 1| at the end.
    pub mean_stretch: f64,
    /// Smallest signed distance of a free vertex from a collider at the end, m; not finite without colliders.
    pub min_gap: f64,
    /// Pairs of surface triangles that touch or cross at the end; at most 1000 are counted.
    pub intersections: usize,
    /// There are more than were counted.
    pub intersections_capped: bool,
    /// Tets with negative volume at the end.
    pub inverted: usize,
    /// Restarts of Chebyshev.
    pub restarts: u64,
    /// Tries of steps that were rolled back.
    pub retries: u64,
    /// Steps that could not lower E although ‖∇E‖ was not small.
    pub stalled: u64,
    /// Steps that ended after their deadline.
    pub over_budget: u64,
    /// Chebyshev's ρ, if the method has one.
    pub rho: Option<f64>,
    /// Hash of every bit of the final state, 16 hexadecimal digits.
    pub state_hash: String,
    /// How it ended.
    pub status: Status,
    /// Why it ended early, if it did.
    pub reason: Option<String>,
    /// The run began at this step of an earlier one.
    pub resumed_at_step: Option<u64>,
    /// Files and folders written.
    pub output: Vec<String>,
    /// What was odd but not wrong.
    pub warnings: Vec<String>,
}

/// More pairs than this are no more informative.
const MOST_INTERSECTIONS: usize = 1000;

/// Pairs of triangles that touch or cross, as far as they are counted, and whether there are more.
pub(super) fn count_intersections(x: &[[f64; 3]], surface: &[[u32; 3]]) -> (usize, bool) {
    let found = self_intersections(x, surface, MOST_INTERSECTIONS + 1).len();
    (found.min(MOST_INTERSECTIONS), found > MOST_INTERSECTIONS)
}

impl RunReport {
    /// Takes in what was counted, with bodies of this weight, N.
    pub(super) fn set_tally(&mut self, tally: &Tally, weight: f64) {
        let nothing = f64::NAN;
        let unknown = Certificate {
            energy: nothing,
            gradient_norm: nothing,
            max_stretch: nothing,
            mean_stretch: nothing,
            min_gap: nothing,
            ..Certificate::default()
        };
        let certificate = tally.certificate.unwrap_or(unknown);
        self.ms_per_step = tally.times();
        self.iterations = tally.iterations;
        self.energy = certificate.energy;
        self.gradient_norm = certificate.gradient_norm;
        self.unbalanced =
            (tally.untouched > 0 && weight > 0.0).then(|| tally.unbalanced / (tally.untouched as f64 * weight));
        self.max_stretch = certificate.max_stretch;
        self.mean_stretch = certificate.mean_stretch;
        self.min_gap = certificate.min_gap;
        self.inverted = certificate.inverted;
        self.restarts = tally.restarts;
        self.retries = tally.retries;
        self.stalled = tally.stalled;
        self.over_budget = tally.over_budget;
    }

    /// Takes in what the final state shows.
    pub(super) fn set_state(&mut self, model: &Model, state: &State) {
        let surface: Vec<[u32; 3]> = model.surface().collect();
        (self.intersections, self.intersections_capped) = count_intersections(&state.x, &surface);
        self.state_hash = format!("{:016x}", state.hash());
        self.steps = state.step;
    }

    /// The JSON object, on several lines.
    pub fn to_json(&self) -> String {
        // A report holds only numbers, texts and lists: it cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

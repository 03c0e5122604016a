use super::counters::ROUNDS;
use crate::error::GpuError;
use crate::kernel::Access::{self, Read, Write};
use crate::kernel::Kernel;
use crate::library::Library;
use bytemuck::{Pod, Zeroable};
use pliant::colouring::RANDOM_WGSL;
use std::sync::Arc;

/// The parameters of all kernels that colour; `kernels/colour.wgsl` says what they are.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Parameters {
    pub(super) n: u32,
    pub(super) seed: u32,
    pub(super) round: u32,
    pub(super) at: u32,
    pub(super) extra: u32,
}

/// All kernels that colour.
#[derive(Debug)]
pub(super) struct Kernels {
    pub(super) start: Arc<Kernel>,
    pub(super) choose: Arc<Kernel>,
    pub(super) resolve: Arc<Kernel>,
    pub(super) pack: Arc<Kernel>,
    pub(super) count: Arc<Kernel>,
    pub(super) join: Arc<Kernel>,
    pub(super) settle: Arc<Kernel>,
    pub(super) weigh: Arc<Kernel>,
    /// Without weights, and with.
    pub(super) decide: [Arc<Kernel>; 2],
    pub(super) touch: Arc<Kernel>,
    pub(super) find: Arc<Kernel>,
    pub(super) uncolour: Arc<Kernel>,
    pub(super) compare: Arc<Kernel>,
    pub(super) survey: Arc<Kernel>,
}

/// The texts with their names: start, Vivace, packing, Luby, ranks without and with weights, recolouring.
pub(crate) fn texts() -> [(&'static str, String); 7] {
    let common = format!("const ROUNDS: u32 = {ROUNDS}u;\n{RANDOM_WGSL}\n{}", include_str!("../kernels/colour.wgsl"));
    let (free, round) = (include_str!("../kernels/colour_free.wgsl"), include_str!("../kernels/colour_round.wgsl"));
    let text = |parts: &[&str]| format!("{common}\n{}", parts.join("\n"));
    let ranked = |weighed: bool| {
        let weighed = format!("const WEIGHED: bool = {weighed};");
        text(&[&weighed, free, round, include_str!("../kernels/colour_ranked.wgsl")])
    };
    [
        ("colour start", text(&[include_str!("../kernels/colour_start.wgsl")])),
        ("vivace", text(&[free, round, include_str!("../kernels/colour_vivace.wgsl")])),
        ("pack", text(&[free, include_str!("../kernels/colour_pack.wgsl")])),
        ("luby", text(&[include_str!("../kernels/colour_luby.wgsl")])),
        ("jones-plassmann", ranked(false)),
        ("largest-degree-first", ranked(true)),
        ("recolour", text(&[include_str!("../kernels/colour_change.wgsl")])),
    ]
}

impl Kernels {
    pub(super) fn new(library: &mut Library) -> Result<Self, GpuError> {
        let [start, vivace, pack, luby, plain, weighed, change] = texts();
        // The graph and the counters come first.
        let graph = [Read, Read, Write];
        let mut kernel = |(label, text): &(&str, String), entry: &str, more: &[Access]| {
            library.kernel::<Parameters>(label, text, entry, &[&graph[..], more].concat())
        };
        let changing = [Write, Write, Write, Write, Read, Write, Write];
        Ok(Self {
            start: kernel(&start, "start", &[Write; 4])?,
            choose: kernel(&vivace, "choose", &[Write; 5])?,
            resolve: kernel(&vivace, "resolve", &[Write; 5])?,
            pack: kernel(&pack, "pack", &[Write; 3])?,
            count: kernel(&pack, "count", &[Write; 3])?,
            join: kernel(&luby, "join", &[Write; 3])?,
            settle: kernel(&luby, "settle", &[Write; 3])?,
            weigh: kernel(&weighed, "weigh", &[Write; 5])?,
            decide: [kernel(&plain, "decide", &[Write; 5])?, kernel(&weighed, "decide", &[Write; 5])?],
            touch: kernel(&change, "touch", &changing)?,
            find: kernel(&change, "find", &changing)?,
            uncolour: kernel(&change, "uncolour", &changing)?,
            compare: kernel(&change, "compare", &changing)?,
            survey: kernel(&change, "survey", &changing)?,
        })
    }
}

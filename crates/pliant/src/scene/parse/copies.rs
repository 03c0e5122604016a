//! `copies` of a `[[cloth]]` or `[[solid]]`: one table, many bodies.

use super::super::reader::Section;
use super::super::types::Placement;
use crate::math::SplitMix;

/// A body, or one of the copies that its table asks for.
pub(super) struct Copied<B> {
    /// Which table, counted from 0.
    pub table: usize,
    pub body: B,
}

/// The bodies that a table asks for. `seed` is that of the scene, `place` the body's name and placement.
pub(super) fn copied<B: Clone>(
    s: &Section<'_>,
    table: usize,
    body: B,
    seed: u64,
    place: impl Fn(&mut B) -> (&mut String, &mut Placement),
) -> Vec<Copied<B>> {
    let count = s.count("copies").unwrap_or(1);
    if count > 1 {
        s.missing("copy_offset", "write for example `copy_offset = [0, 0.1, 0]`: from each copy to the next");
    }
    let offset = s.vector("copy_offset").unwrap_or_default();
    let scatter = s.vector("copy_scatter").unwrap_or_default();
    let turn = s.vector("copy_turn").unwrap_or_default();
    let one = |index: usize| {
        let mut body = body.clone();
        let (name, placement) = place(&mut body);
        // Bodies of different names are scattered differently, and copies as before when there are more of them.
        let mut random = SplitMix(name.bytes().fold(seed, |hash, byte| SplitMix(hash ^ u64::from(byte)).bits()));
        random = SplitMix(random.bits() ^ index as u64);
        let (moved, turned) = (random.point(), random.point());
        for k in 0..3 {
            placement.position[k] += offset[k] * index as f64 + scatter[k] * moved[k];
            placement.rotation[k] += turn[k] * turned[k];
        }
        if count > 1 {
            *name = format!("{name}-{index}");
        }
        Copied { table, body }
    };
    (0..count).map(one).collect()
}

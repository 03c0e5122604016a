//! Fratarcangeli, Tibaldo and Pellacini 2016, "Vivace", Algorithm 2 (course Algorithm 5): vertices try random colours of
//! small palettes. After Grable and Panconesi 2000, with Luby's "Hungarian heuristic".
//!
//! | symbol | here | |
//! |---|---|---|
//! | U | `uncoloured` | vertices without a colour |
//! | P_v | palette | a word of bits: the colours that v was offered and no neighbour has got |
//! | Δ_v | number of neighbours | |
//! | s | `shrink` | the least number of neighbours, at least 2 (the paper asks for s > 1) |
//!
//! Where this differs from the page:
//! - Line 16 feeds colour |P_v| + 1 of an empty palette, which never grows: here it is the next one above the largest ever
//!   offered that no neighbour has.
//! - Of neighbours that try the same colour the one with the larger random number gets it, not the one with the higher
//!   index. Meshes are numbered in order: where palettes are small, colours would run across a cloth like a wave, a row
//!   of vertices a round (409 rounds instead of 11 on an alternating sheet of 801 x 801).
//! - A palette starts with Δ_v/s colours, as the text says, and at least one; {0..Δ_v/s} in the listing is one more,
//!   which takes fewer rounds and leaves more colours.
//! - A palette starts with at most 32 colours and is one word; only vertices with more than 64 neighbours notice. It is
//!   not stored: the colours that neighbours have got say what is missing from it (line 12), so nobody writes to others.
//! - A vertex with k colours offered and none left has k neighbours with different colours: so it is never offered more
//!   than Δ_v + 1, and its colour is at most Δ_v.
//! - Afterwards the colours are packed ([`pack`]): random colours leave a few vertices in high colours, each of which
//!   costs a solver a pass of its own. On cloths that saves up to one colour, on tetrahedra up to two.

use super::passes::{Cells, NONE, WINDOW, pass, retain, taken};
use super::random::Draw;
use super::{Colouring, Graph, pack};

/// Colours the vertices of a conflict graph: at most Δ + 1 colours, with Δ the largest number of neighbours.
pub fn vivace(graph: &Graph, seed: u32) -> Colouring {
    let (colour, rounds) = algorithm_2(graph, seed);
    pack(graph, &Colouring::new(colour, rounds))
}

/// Without packing: the colour of each vertex, perhaps with gaps, and the number of rounds.
pub(super) fn algorithm_2(graph: &Graph, seed: u32) -> (Vec<u32>, usize) {
    let degrees = || graph.rows().map(<[u32]>::len);
    let shrink = degrees().filter(|&degree| degree > 0).min().unwrap_or(0).max(2);
    let offered = Cells::of(degrees().map(|degree| (degree / shrink).clamp(1, WINDOW as usize) as u32));
    let colour = Cells::new(graph.len(), NONE);
    let rounds = colour_rest(graph, &colour, &offered, (0..graph.len() as u32).collect(), seed);
    (colour.into_values(), rounds)
}

/// Lines 4 to 16. `offered`: each vertex starts with the colours below this, at least one. Returns the number of rounds.
pub(super) fn colour_rest(
    graph: &Graph,
    colour: &Cells,
    offered: &Cells,
    mut uncoloured: Vec<u32>,
    seed: u32,
) -> usize {
    let tentative = Cells::new(graph.len(), NONE);
    let mut rounds = 0;
    while !uncoloured.is_empty() {
        let draw = Draw::new(seed, rounds as u32);
        pass(&uncoloured, |v| tentative.set(v, choose(graph, colour, offered, v, draw.of(v))));
        pass(&uncoloured, |v| {
            let own = tentative.get(v);
            // The tentative colour of a neighbour that is done is its colour, which is not in this palette.
            if !graph.of(v as usize).iter().any(|&n| tentative.get(n) == own && draw.of(n) > draw.of(v)) {
                colour.set(v, own);
            }
        });
        retain(&mut uncoloured, |v| colour.get(v) == NONE);
        rounds += 1;
    }
    rounds
}

/// A random colour of the palette; a hungry one is fed first.
fn choose(graph: &Graph, colour: &Cells, offered: &Cells, v: u32, random: u32) -> u32 {
    let mut end = offered.get(v);
    loop {
        // Below `base` everything is taken: only then was a colour above offered.
        let base = (end - 1) / WINDOW * WINDOW;
        let taken = taken(graph, colour, v, base);
        let shown = u32::MAX >> (WINDOW - (end - base));
        let mut palette = shown & !taken;
        if palette == 0 {
            let next = (shown | taken).trailing_ones();
            end = base + next + 1;
            palette = if next < WINDOW { 1 << next } else { 0 };
        }
        if palette != 0 {
            offered.set(v, end);
            return base + random_bit(palette, random);
        }
    }
}

/// The index of one of the bits of `set`, which is not 0.
fn random_bit(mut set: u32, random: u32) -> u32 {
    for _ in 0..((random >> 16) * set.count_ones()) >> 16 {
        set &= set - 1;
    }
    set.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::topology::adjacency;

    #[test]
    fn bits_are_drawn_evenly_and_only_from_the_set() {
        for set in [1, 0x8000_0000, 0b1011, u32::MAX, 0xf0f0_0001] {
            let mut drawn = [0; 32];
            let n = 3200 * set.count_ones();
            (0..n).for_each(|v| drawn[random_bit(set, Draw::new(1, 2).of(v)) as usize] += 1);
            for (bit, &count) in drawn.iter().enumerate() {
                let expected = if set >> bit & 1 == 1 { 2800..3600 } else { 0..1 };
                assert!(expected.contains(&count), "{set:x}, bit {bit}: {count}");
            }
        }
    }

    #[test]
    fn palettes_grow_beyond_one_word_when_they_must() {
        let n = 80;
        let clique: Vec<[u32; 2]> = (0..n).flat_map(|a| (0..a).map(move |b| [a, b])).collect();
        let graph = adjacency(n as usize, &clique);
        let colouring = vivace(&graph, 3);
        assert!(colouring.valid(&graph));
        assert_eq!(colouring.count(), n as usize);
    }

    #[test]
    fn rounds_do_not_grow_with_the_side_of_a_sheet() {
        let rounds = |side| {
            let alternating = crate::scene::Triangulation::Alternating;
            let mesh = crate::mesh::generate::grid([1.0, 1.0], [side, side], alternating).unwrap();
            vivace(&crate::colouring::mesh_graph(&mesh), 0).rounds
        };
        assert!(rounds(201) <= rounds(51) + 5, "{} and {}", rounds(51), rounds(201));
    }

    #[test]
    fn no_vertex_gets_a_colour_above_its_number_of_neighbours() {
        let graph = adjacency(40, &(1..40).map(|leaf| [0, leaf]).chain([[1, 2], [2, 3]]).collect::<Vec<_>>());
        for seed in 0..50 {
            let (colour, _) = algorithm_2(&graph, seed);
            assert!(graph.rows().zip(&colour).all(|(row, &c)| c as usize <= row.len()));
        }
    }
}

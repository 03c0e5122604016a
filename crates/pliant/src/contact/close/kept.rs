//! The nearest few that each vertex or edge has found, and those of the step before.

use crate::math::{Real, Vec3};
use rayon::prelude::*;

/// Owners per task.
const CHUNK: usize = 256;

/// What a vertex or an edge has found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Slot<R> {
    /// Triangle or edge.
    pub other: u32,
    /// The closest part: an edge by its vertices, a corner by one of them twice, or the whole of `other`. What has the same
    /// part is the same contact.
    pub part: [u32; 2],
    /// Distance less the gap to keep, m.
    pub clearance: R,
    /// Weights of a triangle's second and third corner, or where on both edges.
    pub at: [R; 2],
    /// From the second side to the first; from the offset, m, it becomes a normal when the search is over.
    pub direction: Vec3<R>,
}

/// On which side a pair was: what a search remembers of the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Side {
    /// Vertex or edge that found it, by its number among those that look.
    pub owner: u32,
    /// Triangle or edge.
    pub other: u32,
    /// The closest part of it.
    pub part: [u32; 2],
    /// The normal.
    pub direction: [f64; 3],
}

impl<R: Real> Slot<R> {
    /// Nearest first; the order is the same however they were found.
    #[inline(always)]
    fn precedes(&self, o: &Self) -> bool {
        self.clearance < o.clearance || self.clearance == o.clearance && self.other < o.other
    }
}

/// A list of the nearest few, sorted.
pub(super) struct Nearest<'a, R> {
    slots: &'a mut [Slot<R>],
    /// How many; one more than there is room for if some were left out.
    count: &'a mut u32,
}

impl<R: Real> Nearest<'_, R> {
    /// Adds what was found, unless nearer ones fill the list.
    #[inline]
    pub fn add(&mut self, slot: Slot<R>) {
        let mut len = (*self.count as usize).min(self.slots.len());
        if let Some(same) = self.slots[..len].iter().position(|s| s.part == slot.part) {
            if !slot.precedes(&self.slots[same]) {
                return;
            }
            self.slots[same..len].rotate_left(1);
            len -= 1;
        } else {
            *self.count = self.slots.len().min(*self.count as usize) as u32 + 1;
        }
        if len == self.slots.len() {
            match self.slots.last() {
                Some(last) if slot.precedes(last) => len -= 1,
                _ => return,
            }
        }
        let place = self.slots[..len].iter().position(|s| slot.precedes(s)).unwrap_or(len);
        self.slots[len] = slot;
        self.slots[place..=len].rotate_right(1);
    }
}

/// Lists of one step: `per_owner` slots each.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists<R> {
    per_owner: usize,
    slots: Vec<Slot<R>>,
    count: Vec<u32>,
}

impl<R: Real> Lists<R> {
    fn new(owners: usize, per_owner: usize) -> Self {
        Self { per_owner, slots: vec![Slot::default(); owners * per_owner], count: vec![0; owners] }
    }

    /// What `owner` keeps, nearest first.
    #[inline]
    pub fn of(&self, owner: usize) -> &[Slot<R>] {
        let kept = (self.count[owner] as usize).min(self.per_owner);
        &self.slots[owner * self.per_owner..][..kept]
    }

    /// What `owner` kept of `other`.
    #[inline]
    pub fn pair(&self, owner: usize, other: u32) -> Option<&Slot<R>> {
        self.of(owner).iter().find(|slot| slot.other == other)
    }

    pub fn len(&self) -> usize {
        self.count.len()
    }

    /// How many owners found more than they keep.
    pub fn crowded(&self) -> usize {
        self.count.iter().filter(|count| **count as usize > self.per_owner).count()
    }

    pub fn clear(&mut self) {
        self.count.fill(0);
    }

    /// All that is kept, in order.
    pub fn sides(&self) -> Vec<Side> {
        let of = |owner: usize| {
            let side = move |slot: &Slot<R>| Side {
                owner: owner as u32,
                other: slot.other,
                part: slot.part,
                direction: slot.direction.f64(),
            };
            self.of(owner).iter().map(side)
        };
        (0..self.len()).flat_map(of).collect()
    }

    /// Keeps these and no others. What there is no room for, or no such owner, other or vertex, is left out.
    pub fn set_sides(&mut self, sides: &[Side], others: usize, vertices: usize) {
        self.clear();
        let is_part = |part: [u32; 2]| part[1] == u32::MAX || part.iter().all(|&i| (i as usize) < vertices);
        for side in sides.iter().filter(|side| (side.other as usize) < others && is_part(side.part)) {
            let Some(count) = self.count.get_mut(side.owner as usize) else { continue };
            if (*count as usize) < self.per_owner {
                let slot = &mut self.slots[side.owner as usize * self.per_owner + *count as usize];
                let direction = Vec3::of(side.direction);
                *slot = Slot { other: side.other, part: side.part, direction, ..Slot::default() };
                *count += 1;
            }
        }
    }
}

/// What a search compares with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Since {
    /// The search before: it was of the step before.
    #[default]
    Step,
    /// The same as the search before did: the step is tried again.
    Retry,
    /// The search before: it was of the piece before of a step that is cut into pieces, and may be tried again.
    Piece,
}

/// Lists of the last search, of the step before it, and of the piece before it.
#[derive(Clone, Debug)]
pub(super) struct Kept<R> {
    pub now: Lists<R>,
    step: Lists<R>,
    /// Without room until a step is cut into pieces.
    piece: Lists<R>,
}

impl<R: Real> Kept<R> {
    pub fn new(owners: usize, per_owner: usize) -> Self {
        let lists = Lists::new(owners, per_owner);
        Self { now: lists.clone(), step: lists, piece: Lists::default() }
    }

    /// Fills the list of every owner with `search`, then calls `finish` for what is kept of it.
    pub fn search(
        &mut self,
        since: Since,
        search: impl Fn(usize, &mut Nearest<R>) + Sync + Send,
        finish: impl Fn(usize, &mut Slot<R>, &Lists<R>) + Sync + Send,
    ) {
        let per_owner = self.now.per_owner;
        match since {
            Since::Step => std::mem::swap(&mut self.now, &mut self.step),
            Since::Retry => {}
            Since::Piece => {
                if self.piece.len() < self.now.len() {
                    self.piece = Lists::new(self.now.len(), per_owner);
                }
                std::mem::swap(&mut self.now, &mut self.piece);
            }
        }
        let before = if since == Since::Piece { &self.piece } else { &self.step };
        let now = &mut self.now;
        if per_owner == 0 {
            return;
        }
        let slots = now.slots.par_chunks_mut(CHUNK * per_owner);
        slots.zip(now.count.par_chunks_mut(CHUNK)).enumerate().for_each(|(k, (slots, count))| {
            let each = slots.chunks_mut(per_owner).zip(count);
            for (owner, (slots, count)) in (k * CHUNK..).zip(each) {
                *count = 0;
                search(owner, &mut Nearest { slots, count });
                let kept = (*count as usize).min(per_owner);
                slots[..kept].iter_mut().for_each(|slot| finish(owner, slot, before));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    /// Few places and few parts, so that ties and repeats are common.
    #[test]
    fn the_nearest_of_each_part_are_kept_in_any_order() {
        let mut random = SplitMix(5);
        let mut crowded = 0;
        for _ in 0..3000 {
            let room = 1 + random.below(4);
            let mut found: Vec<Slot<f64>> = (0..random.below(12))
                .map(|other| Slot {
                    other: other as u32,
                    part: [random.below(6) as u32; 2],
                    clearance: random.below(4) as f64,
                    ..Slot::default()
                })
                .collect();
            let keep = |found: &[Slot<f64>]| {
                let (mut slots, mut count) = (vec![Slot::default(); room], 0);
                let mut nearest = Nearest { slots: &mut slots, count: &mut count };
                found.iter().for_each(|slot| nearest.add(*slot));
                slots.truncate(count as usize);
                (slots, count)
            };
            let (kept, count) = keep(&found);
            for _ in 0..3 {
                (0..found.len()).for_each(|i| found.swap(i, random.below(i + 1)));
                assert_eq!(keep(&found), (kept.clone(), count));
            }
            found.sort_by(|a, b| a.clearance.total_cmp(&b.clearance).then(a.other.cmp(&b.other)));
            let mut parts = Vec::new();
            found.retain(|slot| !parts.contains(&slot.part) && (parts.push(slot.part), true).1);
            assert_eq!(count as usize, found.len().min(room + 1));
            crowded += usize::from(found.len() > room);
            found.truncate(room);
            assert_eq!(kept, found);
        }
        assert!(crowded > 500, "{crowded}");
    }
}

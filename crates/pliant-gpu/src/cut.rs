//! The ways to sweep a mesh.

use crate::rings::MOST;

/// A way to cut a mesh for sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Not at all: one iteration in one dispatch, or in several where elements have slots.
    Single,
    /// Several iterations per dispatch in patches with ghost rings, for meshes without slots.
    Rings {
        /// Vertices in a patch.
        patch: usize,
        /// Iterations per dispatch.
        iterations: usize,
    },
    /// One iteration per dispatch, elements with slots included, for meshes that have them.
    Patches {
        /// Vertices in a patch.
        patch: usize,
        /// Elements that one invocation evaluates, one after the other.
        elements_per_invocation: usize,
    },
}

/// More than any code of a cut before it is scaled.
const CODES: f64 = (1u64 << 24) as f64;

/// Largest patch, more than any workgroup holds.
const LARGEST_PATCH: usize = 4096;

/// Most elements per invocation, more than pays off.
const MOST_ELEMENTS: usize = 64;

const fn rings(iterations: usize, patch: usize) -> Cut {
    Cut::Rings { patch, iterations }
}

const fn patches(elements_per_invocation: usize, patch: usize) -> Cut {
    Cut::Patches { patch, elements_per_invocation }
}

impl Cut {
    /// What is worth measuring for so many vertices, besides [`Cut::Single`]: launches rule small meshes, memory rules
    /// large ones. Elements with slots have patches, but no rings: workgroup memory is too small for the slots of several
    /// rings.
    pub(crate) fn candidates(vertices: usize, slots: bool) -> &'static [Self] {
        const SMALL: [Cut; 7] =
            [rings(3, 128), rings(4, 96), rings(4, 128), rings(5, 128), rings(6, 256), rings(8, 196), rings(4, 256)];
        const MEDIUM: [Cut; 4] = [rings(2, 128), rings(2, 256), rings(3, 256), rings(4, 256)];
        const LARGE: [Cut; 2] = [rings(2, 256), rings(2, 400)];
        const SLOTS: [Cut; 7] = [
            patches(1, 32),
            patches(2, 32),
            patches(2, 48),
            patches(3, 48),
            patches(2, 64),
            patches(4, 64),
            patches(4, 96),
        ];
        match vertices {
            _ if slots => &SLOTS,
            0..50_000 => &SMALL,
            50_000..300_000 => &MEDIUM,
            _ => &LARGE,
        }
    }

    /// As a number from 0 to below 1, for caches.
    pub(crate) fn code(self) -> f64 {
        let (kind, patch, each) = match self {
            Self::Single => (0, 0, 0),
            Self::Rings { patch, iterations } => (1, patch, iterations),
            Self::Patches { patch, elements_per_invocation } => (2, patch, elements_per_invocation),
        };
        ((patch * 128 + each) * 4 + kind) as f64 / CODES
    }

    /// From [`Cut::code`]; `None` for what it never gives.
    pub(crate) fn from_code(code: f64) -> Option<Self> {
        let code = (code * CODES) as usize;
        let (kind, each, patch) = (code % 4, code / 4 % 128, code / 512);
        let fits = |most: usize| (1..=LARGEST_PATCH).contains(&patch) && (1..=most).contains(&each);
        match kind {
            0 if code == 0 => Some(Self::Single),
            1 if fits(MOST) => Some(rings(each, patch)),
            2 if fits(MOST_ELEMENTS) => Some(patches(each, patch)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_candidate_survives_its_code_and_rubbish_is_refused() {
        let all = [(1, false), (100_000, false), (1_000_000, false), (1, true)];
        let all = all.iter().flat_map(|&(vertices, slots)| Cut::candidates(vertices, slots)).chain(&[Cut::Single]);
        for &cut in all {
            assert!((0.0..1.0).contains(&cut.code()), "{cut:?}");
            assert_eq!(Cut::from_code(cut.code()), Some(cut));
        }
        for rubbish in [rings(0, 128), rings(9, 128), rings(4, 0), patches(0, 32), patches(4, 0), patches(65, 32)] {
            assert_eq!(Cut::from_code(rubbish.code()), None, "{rubbish:?}");
        }
        assert_eq!(Cut::from_code(4.0 / CODES), None);
        assert_eq!(Cut::from_code(0.9999), None);
    }
}

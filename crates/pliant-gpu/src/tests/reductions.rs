//! The second stage of reductions.

use super::{BOTH, gpu};
use crate::buffer::Buffer;
use crate::vector::Reduction::{Max, Min, Sum};
use pliant::device::Slot;

#[test]
fn eight_quantities_are_finished_at_once() {
    for trust in BOTH {
        let Some(mut gpu) = gpu(trust) else { return };
        for count in [1usize, 255, 256, 257, 5000] {
            let value = |q: usize, i: usize| [(i * (q + 3) % 977) as f32 - 300.0, 0.0];
            let partials: Vec<_> = (0..8).flat_map(|q| (0..count).map(move |i| value(q, i))).collect();
            let partials = Buffer::with(&gpu.context, "partials", &partials).unwrap();
            let quantities = std::array::from_fn::<_, 8, _>(|q| ([Sum, Max, Min][q % 3], Slot(10 + 2 * q)));
            gpu.vector.finish(&mut gpu.recorder, &partials, count as u32, &quantities);
            let found = gpu.vector.scalars(&mut gpu.recorder).unwrap();
            for (q, (reduction, slot)) in quantities.into_iter().enumerate() {
                let values = (0..count).map(|i| f64::from(value(q, i)[0]));
                let expected = match reduction {
                    Sum => values.sum(),
                    Max => values.fold(f64::NEG_INFINITY, f64::max),
                    Min => values.fold(f64::INFINITY, f64::min),
                };
                assert_eq!(found[slot.0], expected, "{trust:?}: quantity {q} of {count}");
            }
        }
    }
}

#[test]
fn the_reduction_of_nothing_is_neutral() {
    let Some(mut gpu) = gpu(Default::default()) else { return };
    let partials = Buffer::new(&gpu.context, "partials", 0).unwrap();
    let quantities = [(Sum, Slot(0)), (Max, Slot(1)), (Min, Slot(2))];
    gpu.vector.finish(&mut gpu.recorder, &partials, 0, &quantities);
    let found = gpu.vector.scalars(&mut gpu.recorder).unwrap();
    assert_eq!(found[..3], [0.0, f64::NEG_INFINITY, f64::INFINITY]);
}

#[test]
fn a_nan_is_never_lost() {
    for trust in BOTH {
        let Some(mut gpu) = gpu(trust) else { return };
        for (count, place) in [(1, 0), (300, 0), (300, 299), (300, 256)] {
            let mut partials = vec![[1f32, 0.0]; 3 * count];
            for q in 0..3 {
                partials[q * count + place] = [f32::NAN, 0.0];
            }
            let partials = Buffer::with(&gpu.context, "partials", &partials).unwrap();
            let quantities = [(Sum, Slot(0)), (Max, Slot(1)), (Min, Slot(2))];
            gpu.vector.finish(&mut gpu.recorder, &partials, count as u32, &quantities);
            let found = gpu.vector.scalars(&mut gpu.recorder).unwrap();
            assert!(found[..3].iter().all(|x| x.is_nan()), "{trust:?}: {place} of {count}: {:?}", &found[..3]);
        }
    }
}

#[test]
fn an_infinite_term_leaves_no_finite_sum() {
    let Some(mut gpu) = gpu(Default::default()) else { return };
    let partials = Buffer::with(&gpu.context, "partials", &[[1f32, 0.0], [f32::INFINITY, 0.0]]).unwrap();
    gpu.vector.finish(&mut gpu.recorder, &partials, 1, &[(Sum, Slot(0)), (Max, Slot(1))]);
    gpu.vector.finish(&mut gpu.recorder, &partials, 2, &[(Sum, Slot(2))]);
    let found = gpu.vector.scalars(&mut gpu.recorder).unwrap();
    assert_eq!([found[0], found[1]], [1.0, f64::INFINITY]);
    assert!(!found[2].is_finite());
}

//! Fixed-size chunks over rayon: sums are added in chunk order, so results do not depend on the number of threads.

use rayon::prelude::*;
use std::ops::Range;

/// Vertices per task.
pub(super) const CHUNK: usize = 1024;

/// Below this many vertices a task costs more than it saves.
const SEQUENTIAL: usize = 4 * CHUNK;

/// Calls `f(first index, chunk)` for each chunk of `out`.
#[inline]
pub(super) fn for_chunks<T: Send>(out: &mut [T], f: impl Fn(usize, &mut [T]) + Sync + Send) {
    if out.len() <= SEQUENTIAL {
        out.chunks_mut(CHUNK).enumerate().for_each(|(k, chunk)| f(k * CHUNK, chunk));
    } else {
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(k, chunk)| f(k * CHUNK, chunk));
    }
}

/// Like [`for_chunks`], and adds up what `f` returns, in order. `parts` is scratch.
#[inline]
pub(super) fn sum_chunks<T: Send>(
    out: &mut [T],
    parts: &mut Vec<f64>,
    f: impl Fn(usize, &mut [T]) -> f64 + Sync + Send,
) -> f64 {
    sum_blocks(out, 1, parts, f)
}

/// The same where every item is a block of `each` vertices.
#[inline]
pub(super) fn sum_blocks<T: Send>(
    out: &mut [T],
    each: usize,
    parts: &mut Vec<f64>,
    f: impl Fn(usize, &mut [T]) -> f64 + Sync + Send,
) -> f64 {
    let size = CHUNK / each;
    parts.resize(out.len().div_ceil(size), 0.0);
    if out.len() * each <= SEQUENTIAL {
        let chunks = out.chunks_mut(size).zip(parts.iter_mut()).enumerate();
        chunks.for_each(|(k, (chunk, part))| *part = f(k * size, chunk));
    } else {
        let chunks = out.par_chunks_mut(size).zip(parts.par_iter_mut()).enumerate();
        chunks.for_each(|(k, (chunk, part))| *part = f(k * size, chunk));
    }
    parts.iter().sum()
}

/// Σ f over chunks of `0..n`, added in order. `parts` is scratch.
pub(super) fn sum_ranges(n: usize, parts: &mut Vec<f64>, f: impl Fn(Range<usize>) -> f64 + Sync + Send) -> f64 {
    parts.resize(n.div_ceil(CHUNK), 0.0);
    let range = |k: usize| k * CHUNK..((k + 1) * CHUNK).min(n);
    if n <= SEQUENTIAL {
        parts.iter_mut().enumerate().for_each(|(k, part)| *part = f(range(k)));
    } else {
        parts.par_iter_mut().enumerate().for_each(|(k, part)| *part = f(range(k)));
    }
    parts.iter().sum()
}

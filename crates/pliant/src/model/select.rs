//! Which vertices a pin means.

use crate::scene::Select;

/// A body's vertices at the start, as pins see them.
pub(super) struct Candidates<'a> {
    /// World positions, m.
    pub x: &'a [[f64; 3]],
    /// Positions in the body's own frame, m.
    pub own: &'a [[f64; 3]],
}

/// The vertices selected, in order and without repeats, or what is wrong and what to do.
pub(super) fn select(select: &Select, candidates: &Candidates) -> Result<Vec<u32>, String> {
    let n = candidates.x.len();
    let mut picked: Vec<u32> = match select {
        Select::Vertices(list) => {
            if let Some(bad) = list.iter().find(|&&i| i as usize >= n) {
                return Err(format!("vertex {bad} does not exist: the body has vertices 0 to {}", n - 1));
            }
            list.clone()
        }
        Select::Nearest(points) => points.iter().filter_map(|point| nearest(candidates.x, *point)).collect(),
        Select::Inside([low, high]) => {
            let inside = |x: &[f64; 3]| (0..3).all(|k| low[k] <= x[k] && x[k] <= high[k]);
            (0..n as u32).filter(|&i| inside(&candidates.x[i as usize])).collect()
        }
        Select::Corners(corners) => {
            corners.iter().map(|corner| grid_corner(candidates.own, corner)).collect::<Result<_, _>>()?
        }
    };
    picked.sort_unstable();
    picked.dedup();
    if picked.is_empty() {
        let (low, high) = bounds(candidates.x);
        return Err(format!("selects no vertex; the body starts between {low:?} and {high:?}"));
    }
    Ok(picked)
}

/// Per-axis lowest and highest coordinates.
pub(super) fn bounds(x: &[[f64; 3]]) -> ([f64; 3], [f64; 3]) {
    let start = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    x.iter().fold(start, |(low, high), x| {
        (std::array::from_fn(|k| low[k].min(x[k])), std::array::from_fn(|k| high[k].max(x[k])))
    })
}

fn nearest(x: &[[f64; 3]], point: [f64; 3]) -> Option<u32> {
    let distance_sq = |a: &[f64; 3]| (0..3).map(|k| (a[k] - point[k]).powi(2)).sum::<f64>();
    x.iter().enumerate().min_by(|a, b| distance_sq(a.1).total_cmp(&distance_sq(b.1))).map(|(i, _)| i as u32)
}

/// The vertex furthest towards a corner such as "-x+z" of the body's own frame.
fn grid_corner(own: &[[f64; 3]], corner: &str) -> Result<u32, String> {
    let sign = |c: Option<char>| match c {
        Some('-') => Some(-1.0),
        Some('+') => Some(1.0),
        _ => None,
    };
    let mut chars = corner.chars();
    let x = sign(chars.next());
    let along_x = chars.next() == Some('x');
    let z = sign(chars.next());
    let along_z = chars.next() == Some('z') && chars.next().is_none();
    let (Some(x), Some(z), true, true) = (x, z, along_x, along_z) else {
        return Err(format!("unknown corner \"{corner}\"; corners are \"-x-z\", \"+x-z\", \"-x+z\" and \"+x+z\""));
    };
    let (low, high) = bounds(own);
    let end = |axis: usize, sign: f64| if sign < 0.0 { low[axis] } else { high[axis] };
    let height = (low[1] + high[1]) / 2.0;
    nearest(own, [end(0, x), height, end(2, z)]).ok_or_else(|| "the body has no vertices".to_string())
}

//! From millions of colours to a few: a palette by variance cuts and k-means, and ordered dithering onto it.
//!
//! Heckbert, "Color Image Quantization for Frame Buffer Display", SIGGRAPH 1982, with Wu's criterion (Graphics Gems
//! II, 1991): the box with the largest squared error is cut, along the axis where it is widest. Then three Lloyd
//! iterations. Dithering is Bayer's 8×8 matrix: it does not flicker where the picture stands still.

use super::Image;

/// Colours, and for each coarse colour the nearest of them once it was asked for.
pub(super) struct Palette {
    pub(super) colours: Vec<[u8; 3]>,
    /// Mean distance from a colour to its nearest neighbour: the amplitude of the dithering.
    spacing: f32,
    cache: Vec<u16>,
}

/// A histogram cell: how many pixels, and their mean colour.
#[derive(Clone, Copy)]
struct Cell {
    count: f32,
    mean: [f32; 3],
}

const UNKNOWN: u16 = u16::MAX;

impl Palette {
    /// The best `size` colours (1 to 256) for this picture.
    pub(super) fn of(image: &Image, size: usize) -> Self {
        let mut cells = histogram(image);
        let mut colours = cut(&mut cells, size.clamp(1, 256));
        for _ in 0..3 {
            lloyd(&cells, &mut colours);
        }
        let colours: Vec<[u8; 3]> = colours.iter().map(|c| c.map(|c| c.round() as u8)).collect();
        Self { spacing: spacing(&colours), colours, cache: vec![UNKNOWN; 1 << 18] }
    }

    /// Index of the colour nearest to `colour`, to six bits a component.
    fn nearest(&mut self, colour: [u8; 3]) -> u8 {
        let key = coarse(colour);
        if self.cache[key] == UNKNOWN {
            let centre = colour.map(|c| f32::from(c & 0xfc) + 1.5);
            let distance = |c: &[u8; 3]| distance_sq(c.map(f32::from), centre);
            let best = (0..self.colours.len())
                .min_by(|&a, &b| distance(&self.colours[a]).total_cmp(&distance(&self.colours[b])))
                .unwrap_or(0);
            self.cache[key] = best as u16;
        }
        self.cache[key] as u8
    }

    /// Mean squared distance of the picture to this palette, without dithering.
    pub(super) fn error(&mut self, image: &Image) -> f64 {
        let mut sum = 0.0;
        for &pixel in &image.pixels {
            let index = self.nearest(pixel);
            let near = self.colours[usize::from(index)];
            sum += f64::from(distance_sq(pixel.map(f32::from), near.map(f32::from)));
        }
        sum / image.pixels.len().max(1) as f64
    }

    /// The picture as indices into this palette, dithered.
    pub(super) fn dither(&mut self, image: &Image) -> Vec<u8> {
        let amplitude = self.spacing;
        let mut indices = Vec::with_capacity(image.pixels.len());
        for (i, pixel) in image.pixels.iter().enumerate() {
            let shift = amplitude * bayer(i % image.width, i / image.width);
            indices.push(self.nearest(pixel.map(|c| (f32::from(c) + shift).round().clamp(0.0, 255.0) as u8)));
        }
        indices
    }
}

/// Bayer's threshold for a pixel, in (−½, ½): bits of x⊕y and y interleaved, lowest first.
fn bayer(x: usize, y: usize) -> f32 {
    let (x, y) = (x & 7, y & 7);
    let value = (0..3).fold(0, |v, bit| v << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1));
    (value as f32 + 0.5) / 64.0 - 0.5
}

fn coarse(colour: [u8; 3]) -> usize {
    let [r, g, b] = colour.map(|c| usize::from(c >> 2));
    r << 12 | g << 6 | b
}

/// Squared distance with the eye's rough weights of red, green and blue.
fn distance_sq(a: [f32; 3], b: [f32; 3]) -> f32 {
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    AXIS_WEIGHT[0] * d[0] * d[0] + AXIS_WEIGHT[1] * d[1] * d[1] + AXIS_WEIGHT[2] * d[2] * d[2]
}
const AXIS_WEIGHT: [f32; 3] = [0.9, 1.4, 0.7];

fn histogram(image: &Image) -> Vec<Cell> {
    let mut sums = vec![[0_u32; 4]; 1 << 18];
    for &pixel in &image.pixels {
        let sum = &mut sums[coarse(pixel)];
        for axis in 0..3 {
            sum[axis] += u32::from(pixel[axis]);
        }
        sum[3] += 1;
    }
    sums.iter()
        .filter(|s| s[3] > 0)
        .map(|s| {
            let count = s[3] as f32;
            Cell { count, mean: [s[0] as f32 / count, s[1] as f32 / count, s[2] as f32 / count] }
        })
        .collect()
}

/// Mean colour of some cells, their widest axis and the squared error along it.
fn spread(cells: &[Cell]) -> ([f32; 3], usize, f64) {
    let mut total = 0.0;
    let (mut sum, mut square) = ([0.0_f64; 3], [0.0_f64; 3]);
    for cell in cells {
        let count = f64::from(cell.count);
        total += count;
        for axis in 0..3 {
            let c = f64::from(cell.mean[axis]);
            sum[axis] += count * c;
            square[axis] += count * c * c;
        }
    }
    let error = |a: usize| f64::from(AXIS_WEIGHT[a]) * (square[a] - sum[a] * sum[a] / total).max(0.0);
    let axis = (0..3).max_by(|&a, &b| error(a).total_cmp(&error(b))).unwrap_or(0);
    (sum.map(|s| (s / total) as f32), axis, error(axis))
}

fn cut(cells: &mut [Cell], size: usize) -> Vec<[f32; 3]> {
    if cells.is_empty() {
        return vec![[0.0; 3]];
    }
    let (mean, axis, error) = spread(cells);
    let mut boxes = vec![(0..cells.len(), mean, axis, error)];
    while boxes.len() < size {
        let Some(worst) = (0..boxes.len()).max_by(|&a, &b| boxes[a].3.total_cmp(&boxes[b].3)) else { break };
        let (range, mean, axis, error) = boxes[worst].clone();
        if error <= 0.0 || range.len() < 2 {
            break;
        }
        let part = &mut cells[range.clone()];
        part.sort_by(|a, b| a.mean[axis].total_cmp(&b.mean[axis]));
        let middle = part.partition_point(|c| c.mean[axis] <= mean[axis]).clamp(1, part.len() - 1);
        let (low, high) = part.split_at(middle);
        let (low, high) = (spread(low), spread(high));
        boxes[worst] = (range.start..range.start + middle, low.0, low.1, low.2);
        boxes.push((range.start + middle..range.end, high.0, high.1, high.2));
    }
    boxes.into_iter().map(|b| b.1).collect()
}

fn lloyd(cells: &[Cell], colours: &mut [[f32; 3]]) {
    let mut sums = vec![[0.0_f64; 4]; colours.len()];
    for cell in cells {
        let (mut best, mut least) = (0, f32::INFINITY);
        for (i, colour) in colours.iter().enumerate() {
            let distance = distance_sq(*colour, cell.mean);
            if distance < least {
                (best, least) = (i, distance);
            }
        }
        for axis in 0..3 {
            sums[best][axis] += f64::from(cell.count * cell.mean[axis]);
        }
        sums[best][3] += f64::from(cell.count);
    }
    for (colour, sum) in colours.iter_mut().zip(&sums).filter(|(_, sum)| sum[3] > 0.0) {
        *colour = [sum[0], sum[1], sum[2]].map(|s| (s / sum[3]) as f32);
    }
}

fn spacing(colours: &[[u8; 3]]) -> f32 {
    let mut sum = 0.0;
    for (i, a) in colours.iter().enumerate() {
        let others = colours.iter().enumerate().filter(|(j, b)| *j != i && *b != a);
        let nearest =
            others.map(|(_, b)| distance_sq(a.map(f32::from), b.map(f32::from))).fold(f32::INFINITY, f32::min);
        sum += if nearest.is_finite() { nearest.sqrt() } else { 0.0 };
    }
    // Per component: the distance of two greys is √3 times their difference.
    (sum / colours.len().max(1) as f32 / 3.0_f32.sqrt()).min(24.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_come_back_exactly() {
        let mut image = Image::new(16, 16, [250, 240, 230]);
        image.fill_rectangle(0, 0, 8, 8, [3, 130, 77]);
        image.fill_rectangle(8, 8, 8, 8, [200, 10, 10]);
        let mut palette = Palette::of(&image, 255);
        assert_eq!(palette.error(&image), 0.0);
    }

    #[test]
    fn dithering_keeps_the_mean_of_a_ramp_that_the_palette_cannot_show() {
        let mut image = Image::new(256, 64, [0; 3]);
        for (i, p) in image.pixels.iter_mut().enumerate() {
            *p = [(i % 256) as u8; 3];
        }
        let mut palette = Palette::of(&image, 8);
        assert!(palette.colours.len() == 8);
        let indices = palette.dither(&image);
        for block in 4..28 {
            let (mut want, mut got) = (0.0, 0.0);
            for y in 0..64 {
                for x in block * 8..block * 8 + 8 {
                    want += x as f64;
                    got += f64::from(palette.colours[indices[y * 256 + x] as usize][1]);
                }
            }
            assert!((want - got).abs() / 512.0 < 9.0, "block {block}: {} for {}", got / 512.0, want / 512.0);
        }
    }

    #[test]
    fn bayers_matrix_has_every_threshold_once() {
        let mut seen: Vec<i32> = (0..64).map(|i| ((bayer(i % 8, i / 8) + 0.5) * 64.0) as i32).collect();
        seen.sort();
        assert_eq!(seen, (0..64).collect::<Vec<_>>());
    }
}

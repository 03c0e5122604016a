//! Pictures in memory, drawing on them, and PNG files.

use crate::atomic_file::write_atomically;
use std::io::{self, Write};
use std::path::Path;

/// A picture: rows from the top, sRGB, eight bits a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// `width` × `height` pixels, row by row from the top: red, green, blue.
    pub pixels: Vec<[u8; 3]>,
}

impl Image {
    /// A picture of one colour, `width` × `height` pixels.
    pub fn new(width: usize, height: usize, colour: [u8; 3]) -> Self {
        Self { width, height, pixels: vec![colour; width * height] }
    }

    /// The pixel at `x` from the left and `y` from the top, if there is one.
    pub fn pixel(&self, x: usize, y: usize) -> Option<[u8; 3]> {
        if x < self.width { self.pixels.get(y * self.width + x).copied() } else { None }
    }

    /// Mixes `colour` into one pixel, `alpha` in [0, 1]; outside the picture nothing happens.
    pub fn blend(&mut self, x: i64, y: i64, colour: [u8; 3], alpha: f64) {
        if x < 0 || y < 0 || x >= self.width as i64 || y >= self.height as i64 {
            return;
        }
        let pixel = &mut self.pixels[y as usize * self.width + x as usize];
        for (p, c) in pixel.iter_mut().zip(colour) {
            let mixed = f64::from(*p) + (f64::from(c) - f64::from(*p)) * alpha.clamp(0.0, 1.0);
            *p = mixed.round() as u8;
        }
    }

    /// Fills a rectangle, pixels; parts outside the picture are cut off.
    pub fn fill_rectangle(&mut self, x: i64, y: i64, width: i64, height: i64, colour: [u8; 3]) {
        let columns = x.clamp(0, self.width as i64)..(x.saturating_add(width)).clamp(0, self.width as i64);
        for row in y.clamp(0, self.height as i64)..(y.saturating_add(height)).clamp(0, self.height as i64) {
            for column in columns.clone() {
                self.pixels[row as usize * self.width + column as usize] = colour;
            }
        }
    }

    /// Draws a smooth-edged segment with round ends, `width` pixels thick; pixel centres are at .5.
    pub fn line(&mut self, from: [f64; 2], to: [f64; 2], width: f64, colour: [u8; 3]) {
        if from.iter().chain(&to).any(|c| !c.is_finite()) {
            return;
        }
        let reach = width / 2.0 + 1.0;
        let range = |axis: usize, size: usize| {
            let low = (from[axis].min(to[axis]) - reach).floor().clamp(0.0, size as f64) as i64;
            let high = (from[axis].max(to[axis]) + reach).ceil().clamp(0.0, size as f64) as i64;
            low..high
        };
        let along = [to[0] - from[0], to[1] - from[1]];
        let length_sq = along[0] * along[0] + along[1] * along[1];
        for y in range(1, self.height) {
            for x in range(0, self.width) {
                let p = [x as f64 + 0.5 - from[0], y as f64 + 0.5 - from[1]];
                let t = if length_sq > 0.0 {
                    ((p[0] * along[0] + p[1] * along[1]) / length_sq).clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let distance = (p[0] - t * along[0]).hypot(p[1] - t * along[1]);
                let cover = width / 2.0 + 0.5 - distance;
                if cover > 0.0 {
                    self.blend(x, y, colour, cover);
                }
            }
        }
    }

    /// Copies `other` in with its top left corner at (`x`, `y`); what does not fit is cut off.
    pub fn paste(&mut self, other: &Image, x: usize, y: usize) {
        let columns = other.width.min(self.width.saturating_sub(x));
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let to = (y + row) * self.width + x;
            let from = row * other.width;
            self.pixels[to..to + columns].copy_from_slice(&other.pixels[from..from + columns]);
        }
    }

    /// Pictures side by side, `columns` in a row, four pixels of white between: a motion in one picture.
    pub fn sheet(frames: &[Image], columns: usize) -> Image {
        const GAP: usize = 4;
        let columns = columns.clamp(1, frames.len().max(1));
        let rows = frames.len().div_ceil(columns).max(1);
        let cell_width = frames.iter().map(|f| f.width).max().unwrap_or(0);
        let cell_height = frames.iter().map(|f| f.height).max().unwrap_or(0);
        let width = columns * cell_width + (columns - 1) * GAP;
        let height = rows * cell_height + (rows - 1) * GAP;
        let mut sheet = Image::new(width, height, [255; 3]);
        for (i, frame) in frames.iter().enumerate() {
            sheet.paste(frame, (i % columns) * (cell_width + GAP), (i / columns) * (cell_height + GAP));
        }
        sheet
    }
}

/// Writes a picture as PNG, eight bits RGB, marked as sRGB.
pub fn write_png(to: impl Write, image: &Image) -> io::Result<()> {
    let size = |n: usize, what: &str| match u32::try_from(n) {
        Ok(n) if n > 0 && n <= i32::MAX as u32 => Ok(n),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("a PNG's {what} is 1 to {} pixels, not {n}", i32::MAX),
        )),
    };
    let mut encoder = png::Encoder::new(to, size(image.width, "width")?, size(image.height, "height")?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bytemuck::cast_slice(&image.pixels))?;
    writer.finish()?;
    Ok(())
}

/// Writes a picture to a PNG file, which appears whole or not at all.
pub fn save_png(path: &Path, image: &Image) -> io::Result<()> {
    write_atomically(path, |file| write_png(file, image))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_reads_back_as_it_was_written() {
        let mut image = Image::new(37, 23, [10, 20, 30]);
        for (i, p) in image.pixels.iter_mut().enumerate() {
            *p = [(i * 7) as u8, (i * 13) as u8, (i * 29) as u8];
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.png");
        save_png(&path, &image).unwrap();
        let file = io::BufReader::new(std::fs::File::open(path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.width, info.height), (37, 23));
        assert_eq!(&bytes[..], bytemuck::cast_slice::<[u8; 3], u8>(&image.pixels));
    }

    #[test]
    fn an_empty_picture_is_an_error_and_not_a_panic() {
        assert!(write_png(Vec::new(), &Image::new(0, 5, [0; 3])).is_err());
    }

    #[test]
    fn a_sheet_holds_every_frame_in_reading_order() {
        let frames: Vec<Image> = (0..5).map(|i| Image::new(10, 6, [i * 40, 0, 0])).collect();
        let sheet = Image::sheet(&frames, 3);
        assert_eq!((sheet.width, sheet.height), (38, 16));
        for i in 0..5 {
            assert_eq!(sheet.pixel((i % 3) * 14 + 2, (i / 3) * 10 + 2), Some([i as u8 * 40, 0, 0]));
        }
        assert_eq!(sheet.pixel(30, 12), Some([255; 3]));
        assert_eq!(Image::sheet(&[], 4).pixels.len(), 0);
    }

    #[test]
    fn drawing_outside_the_picture_does_nothing() {
        let mut image = Image::new(8, 8, [255; 3]);
        image.line([-1e9, -5.0], [1e9, -5.0], 2.0, [0; 3]);
        image.line([f64::NAN, 0.0], [4.0, 4.0], 2.0, [0; 3]);
        image.fill_rectangle(100, -3, i64::MAX, 2, [0; 3]);
        assert!(image.pixels.iter().all(|&p| p == [255; 3]));
        image.line([0.0, 4.5], [8.0, 4.5], 1.0, [0; 3]);
        assert_eq!(image.pixel(3, 4), Some([0; 3]));
        assert_eq!(image.pixel(3, 6), Some([255; 3]));
    }
}

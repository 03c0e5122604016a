//! Animated GIF files, one frame at a time.

use super::Image;
use super::beside::Beside;
use super::quantise::Palette;
use std::io::{self, Write};
use std::path::Path;

/// Colours a frame may use; the last index means "as before".
const COLOURS: usize = 255;
const AS_BEFORE: u8 = 255;

/// Writes an endlessly repeating GIF. A palette is kept while it fits, so that what stands still does not flicker;
/// pixels that did not change are not written again.
///
/// GIF counts time in 1/100 s and browsers slow down anything faster than 50 frames a second, so delays are rounded
/// without drifting and frames that would come sooner than 2/100 s after the last are left out.
pub struct GifWriter<W: Write> {
    encoder: gif::Encoder<W>,
    width: usize,
    height: usize,
    frame_rate: f64,
    added: u64,
    /// The frame whose delay is not known yet, and when it starts, 1/100 s.
    waiting: Option<(gif::Frame<'static>, u64)>,
    palette: Option<(Palette, f64)>,
    shown: Vec<u8>,
}

impl<W: Write> GifWriter<W> {
    /// Starts a GIF of `width` × `height` pixels (1 to 65535 each) at `frame_rate` frames per second.
    pub fn new(to: W, width: usize, height: usize, frame_rate: f64) -> io::Result<Self> {
        let side = |n: usize| u16::try_from(n).ok().filter(|n| *n > 0);
        let (Some(w), Some(h)) = (side(width), side(height)) else {
            return Err(invalid(format!("a GIF is 1 to 65535 pixels wide and high, not {width} × {height}")));
        };
        if !(frame_rate.is_finite() && frame_rate > 0.0) {
            return Err(invalid(format!("the frame rate of a GIF must be positive, not {frame_rate} per second")));
        }
        let mut encoder = gif::Encoder::new(to, w, h, &[]).map_err(io::Error::other)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(io::Error::other)?;
        Ok(Self { encoder, width, height, frame_rate, added: 0, waiting: None, palette: None, shown: Vec::new() })
    }

    /// Adds the next frame; it must have the size the file was started with.
    pub fn add(&mut self, image: &Image) -> io::Result<()> {
        if (image.width, image.height) != (self.width, self.height) {
            return Err(invalid(format!(
                "frame {} is {} × {} pixels, the GIF is {} × {}",
                self.added, image.width, image.height, self.width, self.height
            )));
        }
        let start = (100.0 * self.added as f64 / self.frame_rate).round() as u64;
        self.added += 1;
        if self.waiting.as_ref().is_some_and(|(_, last)| start - last < 2) {
            return Ok(());
        }
        let frame = self.changed_part(image);
        if let Some((mut last, since)) = self.waiting.replace((frame, start)) {
            last.delay = (start - since).min(u64::from(u16::MAX)) as u16;
            self.encoder.write_frame(&last).map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Writes what is left and gives the stream back. An animation without frames is an error.
    pub fn finish(mut self) -> io::Result<W> {
        let Some((mut last, _)) = self.waiting.take() else {
            return Err(invalid("a GIF needs at least one frame".into()));
        };
        last.delay = (100.0 / self.frame_rate).round().clamp(2.0, f64::from(u16::MAX)) as u16;
        self.encoder.write_frame(&last).map_err(io::Error::other)?;
        self.encoder.into_inner().map_err(io::Error::other)
    }

    /// The smallest rectangle that differs from what is shown, in the palette that is in use or a new one.
    fn changed_part(&mut self, image: &Image) -> gif::Frame<'static> {
        let fits = self.palette.as_mut().is_some_and(|(palette, error)| palette.error(image) <= 1.5 * *error + 4.0);
        if !fits {
            let mut palette = Palette::of(image, COLOURS);
            let error = palette.error(image);
            self.palette = Some((palette, error));
            self.shown.clear();
        }
        let Some((palette, _)) = &mut self.palette else { return gif::Frame::default() };
        let indices = palette.dither(image);
        let whole = self.shown.is_empty();
        let changed = |i: usize| whole || indices[i] != self.shown[i];
        let [left, top, right, bottom] = rectangle(self.width, self.height, changed);
        let mut buffer = Vec::with_capacity((right - left) * (bottom - top));
        for y in top..bottom {
            let row = y * self.width;
            buffer.extend((row + left..row + right).map(|i| if changed(i) { indices[i] } else { AS_BEFORE }));
        }
        self.shown = indices;
        gif::Frame {
            transparent: Some(AS_BEFORE),
            left: left as u16,
            top: top as u16,
            width: (right - left) as u16,
            height: (bottom - top) as u16,
            palette: Some(padded(&palette.colours)),
            buffer: buffer.into(),
            ..gif::Frame::default()
        }
    }
}

/// [left, top, right, bottom] around all pixels where `changed` holds; one pixel if it holds nowhere.
fn rectangle(width: usize, height: usize, changed: impl Fn(usize) -> bool) -> [usize; 4] {
    let mut around = [usize::MAX, usize::MAX, 0, 0];
    for i in (0..width * height).filter(|&i| changed(i)) {
        let (x, y) = (i % width, i / width);
        around = [around[0].min(x), around[1].min(y), around[2].max(x + 1), around[3].max(y + 1)];
    }
    if around[2] == 0 { [0, 0, 1, 1] } else { around }
}

/// 256 colours, so that the last index exists.
fn padded(colours: &[[u8; 3]]) -> Vec<u8> {
    let mut bytes = bytemuck::cast_slice(colours).to_vec();
    bytes.resize(256 * 3, 0);
    bytes
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// A GIF file that appears under its name when it is finished.
pub struct GifFile(GifWriter<Beside>);

impl GifFile {
    /// Starts a file of `width` × `height` pixels at `frame_rate` frames per second.
    pub fn create(path: &Path, width: usize, height: usize, frame_rate: f64) -> io::Result<Self> {
        Ok(Self(GifWriter::new(Beside::create(path)?, width, height, frame_rate)?))
    }
    /// Adds the next frame.
    pub fn add(&mut self, image: &Image) -> io::Result<()> {
        self.0.add(image)
    }
    /// Completes the file and gives it its name.
    pub fn finish(self) -> io::Result<()> {
        self.0.finish()?.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(step: usize) -> Image {
        let mut image = Image::new(60, 40, [220, 225, 230]);
        image.fill_rectangle(step as i64 * 5, 10, 12, 12, [200, 60, 40]);
        image
    }

    /// Frames as a viewer shows them, and their delays.
    fn play(bytes: &[u8]) -> Vec<(Vec<[u8; 3]>, u16)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes).unwrap();
        let (width, height) = (decoder.width() as usize, decoder.height() as usize);
        let mut canvas = vec![[0; 3]; width * height];
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (i, p) in frame.buffer.chunks(4).enumerate().filter(|(_, p)| p[3] != 0) {
                let (x, y) = (i % frame.width as usize, i / frame.width as usize);
                canvas[(frame.top as usize + y) * width + frame.left as usize + x] = [p[0], p[1], p[2]];
            }
            frames.push((canvas.clone(), frame.delay));
        }
        frames
    }

    #[test]
    fn a_gif_plays_back_what_was_added_in_the_right_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        let mut gif = GifFile::create(&path, 60, 40, 24.0).unwrap();
        for step in 0..8 {
            gif.add(&frame(step)).unwrap();
        }
        gif.finish().unwrap();
        let frames = play(&std::fs::read(path).unwrap());
        assert_eq!(frames.len(), 8);
        for (step, (pixels, _)) in frames.iter().enumerate() {
            assert_eq!(pixels, &frame(step).pixels, "frame {step}");
        }
        let total: u16 = frames.iter().map(|f| f.1).sum();
        assert!((33..=34).contains(&total), "{total}/100 s for 8/24 s");
    }

    #[test]
    fn fast_motions_lose_frames_but_not_time() {
        let mut gif = GifWriter::new(Vec::new(), 60, 40, 100.0).unwrap();
        for step in 0..10 {
            gif.add(&frame(step % 8)).unwrap();
        }
        let frames = play(&gif.finish().unwrap());
        assert_eq!(frames.len(), 5);
        assert!(frames.iter().all(|f| f.1 == 2));
    }

    #[test]
    fn a_new_scene_gets_a_new_palette() {
        let mut gif = GifWriter::new(Vec::new(), 60, 40, 10.0).unwrap();
        gif.add(&frame(0)).unwrap();
        let green = Image::new(60, 40, [20, 190, 30]);
        gif.add(&green).unwrap();
        assert_eq!(play(&gif.finish().unwrap())[1].0, green.pixels);
    }

    #[test]
    fn wrong_sizes_and_rates_are_errors() {
        assert!(GifWriter::new(Vec::new(), 0, 4, 10.0).is_err());
        assert!(GifWriter::new(Vec::new(), 70_000, 4, 10.0).is_err());
        assert!(GifWriter::new(Vec::new(), 4, 4, f64::NAN).is_err());
        let mut gif = GifWriter::new(Vec::new(), 4, 4, 10.0).unwrap();
        assert!(gif.add(&Image::new(5, 4, [0; 3])).is_err());
        assert!(gif.finish().is_err());
    }
}

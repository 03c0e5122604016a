//! What a chart is drawn on: SVG text or pixels.

use super::Image;
use super::font::{ADVANCE, HEIGHT, text_width};

/// Where a text stands relative to its place on the base line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
    /// Turned to read upwards, centred.
    Upwards,
}

/// A text, with a raised exponent if it has one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Label {
    text: String,
    exponent: String,
    bold: bool,
}

impl Label {
    pub(super) fn plain(text: &str) -> Self {
        Self { text: text.into(), exponent: String::new(), bold: false }
    }
    pub(super) fn bold(text: &str) -> Self {
        Self { bold: true, ..Self::plain(text) }
    }
    /// 10 to the power of `exponent`; 1 and 10 as such.
    pub(super) fn power(exponent: i64) -> Self {
        match exponent {
            0 => Self::plain("1"),
            1 => Self::plain("10"),
            _ => Self { exponent: exponent.to_string(), ..Self::plain("10") },
        }
    }
}

/// Draws lines and texts; lengths in pixels, y down.
pub(super) trait Canvas {
    fn size(&self) -> (f64, f64);
    /// Mean width of a letter.
    fn char_width(&self) -> f64;
    /// Height of a capital and a little more.
    fn line_height(&self) -> f64;
    /// Thickness of a curve.
    fn stroke(&self) -> f64;
    fn line(&mut self, points: &[[f64; 2]], colour: [u8; 3], width: f64, dashed: bool);
    fn dot(&mut self, at: [f64; 2], colour: [u8; 3]);
    fn text(&mut self, at: [f64; 2], label: &Label, anchor: Anchor);
}

const INK: [u8; 3] = [45, 50, 56];

/// An SVG document in the making.
pub(super) struct SvgCanvas {
    width: f64,
    height: f64,
    body: String,
}

impl SvgCanvas {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    pub(super) fn finish(self) -> String {
        let (w, h) = (self.width, self.height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }
}

fn hex(colour: [u8; 3]) -> String {
    format!("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2])
}

/// Text as XML allows it: no markup, no control characters.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

impl Canvas for SvgCanvas {
    fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }
    fn char_width(&self) -> f64 {
        7.2
    }
    fn line_height(&self) -> f64 {
        14.0
    }
    fn stroke(&self) -> f64 {
        2.0
    }
    fn line(&mut self, points: &[[f64; 2]], colour: [u8; 3], width: f64, dashed: bool) {
        let places: Vec<String> = points.iter().map(|p| format!("{:.2},{:.2}", p[0], p[1])).collect();
        let dash = if dashed { " stroke-dasharray=\"7 4\"" } else { "" };
        self.body.push_str(&format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dash}/>\n",
            places.join(" "),
            hex(colour)
        ));
    }
    fn dot(&mut self, at: [f64; 2], colour: [u8; 3]) {
        let [x, y] = at;
        self.body.push_str(&format!("<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"3.5\" fill=\"{}\"/>\n", hex(colour)));
    }
    fn text(&mut self, at: [f64; 2], label: &Label, anchor: Anchor) {
        if label.text.is_empty() {
            return;
        }
        let [x, y] = at;
        let side = match anchor {
            Anchor::Start => "start",
            Anchor::Middle | Anchor::Upwards => "middle",
            Anchor::End => "end",
        };
        let turn =
            if anchor == Anchor::Upwards { format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"") } else { String::new() };
        let weight = if label.bold { " font-weight=\"bold\"" } else { "" };
        let exponent = if label.exponent.is_empty() {
            String::new()
        } else {
            format!("<tspan dy=\"-5\" font-size=\"10\">{}</tspan>", label.exponent.replace('-', "\u{2212}"))
        };
        self.body.push_str(&format!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{side}\" fill=\"{}\"{weight}{turn}>{}{exponent}</text>\n",
            hex(INK),
            escaped(&label.text)
        ));
    }
}

/// Pixels in the making.
pub(super) struct RasterCanvas {
    image: Image,
    scale: usize,
}

impl RasterCanvas {
    pub(super) fn new(width: usize, height: usize) -> Self {
        let scale = (width / 400).min(height / 260).clamp(1, 4);
        Self { image: Image::new(width, height, [255; 3]), scale }
    }
    pub(super) fn finish(self) -> Image {
        self.image
    }
}

impl Canvas for RasterCanvas {
    fn size(&self) -> (f64, f64) {
        (self.image.width as f64, self.image.height as f64)
    }
    fn char_width(&self) -> f64 {
        (ADVANCE * self.scale) as f64
    }
    fn line_height(&self) -> f64 {
        ((HEIGHT + 2) * self.scale) as f64
    }
    fn stroke(&self) -> f64 {
        self.scale as f64
    }
    fn line(&mut self, points: &[[f64; 2]], colour: [u8; 3], width: f64, dashed: bool) {
        let (on, off) = if dashed { (7.0 * self.scale as f64, 5.0 * self.scale as f64) } else { (f64::INFINITY, 1.0) };
        let mut travelled = 0.0;
        for pair in points.windows(2) {
            let [a, b] = [pair[0], pair[1]];
            let length = (b[0] - a[0]).hypot(b[1] - a[1]);
            let at = |s: f64| std::array::from_fn(|i| a[i] + (b[i] - a[i]) * (s / length.max(1e-12)));
            let mut s = 0.0;
            while s < length {
                let phase = if dashed { (travelled + s) % (on + off) } else { 0.0 };
                let drawn = phase < on;
                let end = (s + if drawn { on - phase } else { on + off - phase }.max(0.01)).min(length);
                if drawn {
                    self.image.line(at(s), at(end), width, colour);
                }
                s = end;
            }
            travelled += length;
        }
    }
    fn dot(&mut self, at: [f64; 2], colour: [u8; 3]) {
        self.image.line(at, at, 4.0 * self.scale as f64, colour);
    }
    fn text(&mut self, at: [f64; 2], label: &Label, anchor: Anchor) {
        let small = (self.scale / 2).max(1);
        let width = (text_width(&label.text, self.scale)
            + if label.exponent.is_empty() { 0 } else { self.scale + text_width(&label.exponent, small) })
            as f64;
        let high = (HEIGHT * self.scale) as f64;
        if anchor == Anchor::Upwards {
            let (x, y) = ((at[0] - high).round() as i64, (at[1] + 0.5 * width).round() as i64);
            self.image.text_upwards(x, y, self.scale, INK, &label.text);
            return;
        }
        let left = match anchor {
            Anchor::Start | Anchor::Upwards => at[0],
            Anchor::Middle => at[0] - 0.5 * width,
            Anchor::End => at[0] - width,
        };
        let (x, y) = (left.round() as i64, (at[1] - high).round() as i64);
        self.image.text(x, y, self.scale, INK, &label.text);
        if label.bold {
            self.image.text(x + 1, y, self.scale, INK, &label.text);
        }
        let beside = x + (text_width(&label.text, self.scale) + self.scale) as i64;
        self.image.text(beside, y - (2 * self.scale) as i64, small, INK, &label.exponent);
    }
}

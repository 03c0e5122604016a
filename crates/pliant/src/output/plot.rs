//! Line charts, as SVG for reports and as pictures for everywhere else.

use super::Image;
use super::palette::chart_colour;
use super::plot_canvas::{Anchor, Canvas, Label, RasterCanvas, SvgCanvas};

/// Curves over common axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Above the chart.
    pub title: String,
    /// Below the x axis, with its unit.
    pub x_label: String,
    /// Beside the y axis, with its unit.
    pub y_label: String,
    /// The x axis is logarithmic; points with x ≤ 0 are left out.
    pub x_log: bool,
    /// The y axis is logarithmic; points with y ≤ 0 are left out.
    pub y_log: bool,
    /// The curves, in the order of the legend.
    pub series: Vec<Series>,
}

/// One curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// x and y of each point; a point that is not finite (or beyond 1e300) leaves a gap.
    pub points: Vec<[f64; 2]>,
    /// Drawn with a dashed line.
    pub dashed: bool,
}

impl Chart {
    /// The chart as an SVG document.
    pub fn to_svg(&self) -> String {
        let mut canvas = SvgCanvas::new(860.0, 520.0);
        self.draw(&mut canvas);
        canvas.finish()
    }

    /// The chart as a picture of `width` × `height` pixels.
    pub fn to_image(&self, width: usize, height: usize) -> Image {
        let mut canvas = RasterCanvas::new(width, height);
        self.draw(&mut canvas);
        canvas.finish()
    }

    fn draw(&self, canvas: &mut dyn Canvas) {
        let runs: Vec<Vec<Vec<[f64; 2]>>> = self.series.iter().map(|s| self.drawable(s)).collect();
        let values = |axis: usize| runs.iter().flatten().flatten().map(move |p| p[axis]);
        let layout = Layout {
            x: Axis::of(values(0), self.x_log),
            y: Axis::of(values(1), self.y_log),
            plot: self.plot_area(canvas),
        };
        layout.grid(canvas);
        self.labels(canvas, &layout);
        for (i, runs) in runs.iter().enumerate() {
            for run in runs {
                layout.curve(canvas, run, i, self.dash(i));
            }
        }
        self.legend(canvas, &layout);
    }

    /// Points in axis units (their logarithms on logarithmic axes), split where a point cannot be drawn.
    fn drawable(&self, series: &Series) -> Vec<Vec<[f64; 2]>> {
        let place = |value: f64, log: bool| if log { value.log10() } else { value };
        let mut runs = vec![Vec::new()];
        for p in &series.points {
            let drawn = [place(p[0], self.x_log), place(p[1], self.y_log)];
            if drawn.iter().all(|c| c.abs() <= LARGEST) {
                if let Some(run) = runs.last_mut() {
                    run.push(drawn);
                }
            } else {
                runs.push(Vec::new());
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }

    /// After eight colours the dashes change, too.
    fn dash(&self, series: usize) -> bool {
        self.series[series].dashed ^ ((series / 8) % 2 == 1)
    }

    /// [left, top, right, bottom] of the area between the axes.
    fn plot_area(&self, canvas: &dyn Canvas) -> [f64; 4] {
        let (width, height) = canvas.size();
        let line = canvas.line_height();
        let legend = self.legend_width(canvas);
        let left = 2.2 * line + 6.0 * canvas.char_width();
        [left, 2.4 * line, (width - legend - line).max(left + 10.0), (height - 3.6 * line).max(2.4 * line + 10.0)]
    }

    fn legend_width(&self, canvas: &dyn Canvas) -> f64 {
        let longest = self.series.iter().map(|s| s.name.chars().count()).max().unwrap_or(0);
        if longest == 0 {
            return 0.0;
        }
        let wanted = longest as f64 * canvas.char_width() + 3.2 * canvas.line_height();
        wanted.min(0.4 * canvas.size().0)
    }

    fn labels(&self, canvas: &mut dyn Canvas, layout: &Layout) {
        let [left, top, right, bottom] = layout.plot;
        let (_, height) = canvas.size();
        let line = canvas.line_height();
        let middle = [0.5 * (left + right), 0.5 * (top + bottom)];
        canvas.text([middle[0], 1.5 * line], &Label::bold(&self.title), Anchor::Middle);
        canvas.text([middle[0], height - 0.8 * line], &Label::plain(&self.x_label), Anchor::Middle);
        canvas.text([1.3 * line, middle[1]], &Label::plain(&self.y_label), Anchor::Upwards);
    }

    fn legend(&self, canvas: &mut dyn Canvas, layout: &Layout) {
        let line = canvas.line_height();
        let [_, top, right, _] = layout.plot;
        let step = 1.35 * line;
        let room = self.legend_width(canvas) - 3.2 * line;
        let letters = (room / canvas.char_width() + 0.01).max(1.0) as usize;
        for (i, series) in self.series.iter().enumerate() {
            let y = top + step * (i as f64 + 0.5);
            let from = right + 0.8 * line;
            canvas.line(&[[from, y], [from + 1.8 * line, y]], chart_colour(i), canvas.stroke(), self.dash(i));
            let name: String = if series.name.chars().count() > letters {
                series.name.chars().take(letters - 1).chain(['~']).collect()
            } else {
                series.name.clone()
            };
            canvas.text([from + 2.3 * line, y + 0.35 * line], &Label::plain(&name), Anchor::Start);
        }
    }
}

/// One axis, in axis units.
struct Axis {
    low: f64,
    high: f64,
    ticks: Vec<(f64, Label)>,
    minor: Vec<f64>,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>, log: bool) -> Self {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        if log { Self::decades(low, high) } else { Self::linear(low, high) }
    }

    fn decades(low: f64, high: f64) -> Self {
        let margin = 0.03 * (high - low);
        let (mut low, mut high) = (low - margin, high + margin);
        if high.floor() - low.ceil() < 1.0 {
            (low, high) = (low.floor(), high.ceil().max(low.floor() + 1.0));
        }
        let step = ((high - low) / 9.0).ceil().max(1.0);
        let first = (low / step).ceil() as i64;
        let ticks =
            (first..=(high / step).floor() as i64).map(|i| (i as f64 * step, Label::power(i * step as i64))).collect();
        let mut minor = Vec::new();
        if high - low <= 9.0 {
            let between = |decade: i64| (2..10).map(move |digit| decade as f64 + f64::from(digit).log10());
            minor = (low.floor() as i64..=high.ceil() as i64).flat_map(between).collect();
            minor.retain(|m| *m > low && *m < high);
        }
        Self { low, high, ticks, minor }
    }

    fn linear(low: f64, high: f64) -> Self {
        let size = low.abs().max(high.abs()).max(f64::MIN_POSITIVE);
        let span = if high - low > 1e-12 * size { high - low } else { size.max(1.0) };
        let middle = 0.5 * low + 0.5 * high;
        let (low, high) = (middle - 0.53 * span, middle + 0.53 * span);
        let power = 10.0_f64.powf((span / 6.0).log10().floor());
        let digit = span / 6.0 / power;
        let step = power
            * if digit < 1.5 {
                1.0
            } else if digit < 3.5 {
                2.0
            } else if digit < 7.5 {
                5.0
            } else {
                10.0
            };
        let first = (low / step).ceil();
        let ticks = (0..20)
            .map(|i| (first + f64::from(i)) * step)
            .take_while(|v| *v <= high)
            .map(|v| (v, Label::plain(&number(v, step))))
            .collect();
        Self { low, high, ticks, minor: Vec::new() }
    }

    /// 0 at the low end, 1 at the high end.
    fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

/// A tick's value with as many digits as the step between ticks needs.
fn number(value: f64, step: f64) -> String {
    let value = if value.abs() < 1e-9 * step { 0.0 } else { value };
    if value != 0.0 && (value.abs() >= 1e5 || step < 1e-4) {
        let digits = (value.abs().log10().floor() - step.log10().floor()).clamp(0.0, 6.0) as usize;
        return format!("{value:.digits$e}");
    }
    let decimals = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{value:.decimals$}")
}

struct Layout {
    x: Axis,
    y: Axis,
    /// [left, top, right, bottom]
    plot: [f64; 4],
}

/// Beyond this a margin around the values could overflow.
const LARGEST: f64 = 1e300;
const FRAME: [u8; 3] = [90, 96, 104];
const GRID: [u8; 3] = [214, 218, 223];
const FINE_GRID: [u8; 3] = [240, 242, 244];

impl Layout {
    fn across(&self, value: f64) -> f64 {
        self.plot[0] + self.x.share(value) * (self.plot[2] - self.plot[0])
    }

    fn down(&self, value: f64) -> f64 {
        self.plot[3] - self.y.share(value) * (self.plot[3] - self.plot[1])
    }

    fn grid(&self, canvas: &mut dyn Canvas) {
        let [left, top, right, bottom] = self.plot;
        let (line, thin) = (canvas.line_height(), 0.5 * canvas.stroke());
        let vertical =
            |canvas: &mut dyn Canvas, x: f64, colour| canvas.line(&[[x, top], [x, bottom]], colour, thin, false);
        let level =
            |canvas: &mut dyn Canvas, y: f64, colour| canvas.line(&[[left, y], [right, y]], colour, thin, false);
        for m in &self.x.minor {
            vertical(canvas, self.across(*m), FINE_GRID);
        }
        for m in &self.y.minor {
            level(canvas, self.down(*m), FINE_GRID);
        }
        for (value, label) in &self.x.ticks {
            vertical(canvas, self.across(*value), GRID);
            canvas.text([self.across(*value), bottom + 1.4 * line], label, Anchor::Middle);
        }
        for (value, label) in &self.y.ticks {
            level(canvas, self.down(*value), GRID);
            canvas.text([left - 0.5 * line, self.down(*value) + 0.35 * line], label, Anchor::End);
        }
        let around = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]];
        canvas.line(&around, FRAME, thin, false);
    }

    fn curve(&self, canvas: &mut dyn Canvas, run: &[[f64; 2]], index: usize, dashed: bool) {
        let places: Vec<[f64; 2]> = run.iter().map(|p| [self.across(p[0]), self.down(p[1])]).collect();
        if let [only] = places[..] {
            canvas.dot(only, chart_colour(index));
        } else {
            canvas.line(&places, chart_colour(index), canvas.stroke(), dashed);
        }
    }
}

#[cfg(test)]
#[path = "plot_tests.rs"]
mod tests;

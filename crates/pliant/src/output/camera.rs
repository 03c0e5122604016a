//! Where a picture is taken from.

/// An axis-aligned box, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Corner with the smallest coordinates, m.
    pub low: [f64; 3],
    /// Corner with the largest coordinates, m.
    pub high: [f64; 3],
}

impl Bounds {
    /// Holds nothing; including a point makes it that point.
    pub const EMPTY: Self = Self { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    /// Around all points that are finite, m.
    pub fn of(points: &[[f64; 3]]) -> Self {
        let mut bounds = Self::EMPTY;
        for &point in points {
            bounds.include(point);
        }
        bounds
    }

    /// Grows to hold `point`, m; a point that is not finite is ignored.
    pub fn include(&mut self, point: [f64; 3]) {
        if point.iter().all(|c| c.is_finite()) {
            for axis in 0..3 {
                self.low[axis] = self.low[axis].min(point[axis]);
                self.high[axis] = self.high[axis].max(point[axis]);
            }
        }
    }

    /// Around both.
    pub fn union(mut self, other: Self) -> Self {
        for axis in 0..3 {
            self.low[axis] = self.low[axis].min(other.low[axis]);
            self.high[axis] = self.high[axis].max(other.high[axis]);
        }
        self
    }

    /// What both hold; empty where they are apart.
    pub(super) fn common(mut self, other: Self) -> Self {
        for axis in 0..3 {
            self.low[axis] = self.low[axis].max(other.low[axis]);
            self.high[axis] = self.high[axis].min(other.high[axis]);
        }
        if self.is_empty() { Self::EMPTY } else { self }
    }

    /// With `margin` m more on every side.
    pub(super) fn grown(self, margin: f64) -> Self {
        Self { low: self.low.map(|c| c - margin), high: self.high.map(|c| c + margin) }
    }

    /// It holds no point.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.low[axis] > self.high[axis])
    }

    /// Middle, m.
    pub fn centre(&self) -> [f64; 3] {
        std::array::from_fn(|axis| 0.5 * (self.low[axis] + self.high[axis]))
    }

    /// From the middle to a corner, m.
    pub fn radius(&self) -> f64 {
        0.5 * length(sub(self.high, self.low))
    }

    /// Itself, or something that can be looked at where it is empty, not finite or a single point.
    pub(super) fn visible(self) -> Self {
        if self.is_empty() || !self.radius().is_finite() {
            return Self { low: [-0.5; 3], high: [0.5; 3] };
        }
        let least = 1e-6 + 1e-6 * length(self.centre());
        if self.radius() >= least {
            return self;
        }
        Self { low: self.low.map(|c| c - least), high: self.high.map(|c| c + least) }
    }
}

/// A perspective camera; its axes are unit vectors at right angles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands, m.
    pub eye: [f64; 3],
    /// To the right in the picture.
    pub right: [f64; 3],
    /// Up in the picture.
    pub up: [f64; 3],
    /// Into the picture.
    pub forward: [f64; 3],
    /// Half the picture's width and height at distance one.
    pub half_extent: [f64; 2],
}

impl Camera {
    /// Vertical angle of view of framed pictures, degrees: long enough a lens that things keep their shape.
    const ANGLE: f64 = 30.0;
    /// Share of the picture left free around a framed box, on each side.
    const MARGIN: f64 = 0.06;

    /// Sees the whole box from slightly above, three-quarter view; `aspect` is width over height.
    pub fn framing(bounds: Bounds, aspect: f64) -> Self {
        Self::framing_from(bounds, aspect, 32.0, 24.0)
    }

    /// Sees the whole box from `azimuth` degrees around y (0: from +z, 90: from +x) and `elevation` degrees above.
    pub fn framing_from(bounds: Bounds, aspect: f64, azimuth: f64, elevation: f64) -> Self {
        let bounds = bounds.visible();
        let aspect = if aspect.is_finite() { aspect.clamp(0.01, 100.0) } else { 1.0 };
        let (azimuth, elevation) = (azimuth.to_radians(), elevation.clamp(-89.0, 89.0).to_radians());
        let back = [azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos()];
        let forward = scale(back, -1.0);
        let right = [azimuth.cos(), 0.0, -azimuth.sin()];
        let up = cross(right, forward);
        let half_y = (0.5 * Self::ANGLE).to_radians().tan();
        let half_extent = [half_y * aspect, half_y];
        let centre = bounds.centre();
        // A corner at (s, f) along a picture axis and forward is inside when |s − shift| ≤ t (distance + f).
        let fit = |axis: [f64; 3], half: f64| {
            let t = half * (1.0 - 2.0 * Self::MARGIN);
            let (mut plus, mut minus) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
            for corner in 0..8 {
                let pick = |a: usize| if corner >> a & 1 == 0 { bounds.low[a] } else { bounds.high[a] };
                let from_centre = sub([pick(0), pick(1), pick(2)], centre);
                let (s, f) = (dot(from_centre, axis), dot(from_centre, forward));
                plus = plus.max(s - t * f);
                minus = minus.max(-s - t * f);
            }
            (0.5 * (plus + minus) / t, 0.5 * (plus - minus))
        };
        let (distance_x, shift_x) = fit(right, half_extent[0]);
        let (distance_y, shift_y) = fit(up, half_extent[1]);
        let distance = distance_x.max(distance_y);
        let target = add(centre, add(scale(right, shift_x), scale(up, shift_y)));
        Self { eye: add(target, scale(back, distance)), right, up, forward, half_extent }
    }

    /// Place in the picture, from (−1, −1) lower left to (1, 1) upper right, and depth, m.
    pub fn project(&self, point: [f64; 3]) -> [f64; 3] {
        let p = sub(point, self.eye);
        let depth = dot(p, self.forward);
        [dot(p, self.right) / (depth * self.half_extent[0]), dot(p, self.up) / (depth * self.half_extent[1]), depth]
    }
}

fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] + b[i])
}
fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}
fn scale(a: [f64; 3], s: f64) -> [f64; 3] {
    a.map(|c| c * s)
}
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_framed_box_fills_the_picture_and_nothing_of_it_is_cut_off() {
        let bounds = Bounds { low: [-1.0, 0.2, 3.0], high: [4.0, 1.0, 5.0] };
        for (aspect, elevation) in [(4.0 / 3.0, 24.0), (0.3, 24.0), (5.0, 80.0), (1.0, -10.0)] {
            let camera = Camera::framing_from(bounds, aspect, 32.0, elevation);
            let mut widest = 0.0_f64;
            for corner in 0..8 {
                let pick = |a: usize| if corner >> a & 1 == 0 { bounds.low[a] } else { bounds.high[a] };
                let [x, y, depth] = camera.project([pick(0), pick(1), pick(2)]);
                assert!(depth > 0.0 && x.abs() <= 0.89 && y.abs() <= 0.89, "{x} {y} {depth}");
                widest = widest.max(x.abs()).max(y.abs());
            }
            assert!(widest > 0.87, "{widest}");
        }
    }

    #[test]
    fn up_stays_up_and_nothing_to_see_is_no_panic() {
        let camera = Camera::framing(Bounds::EMPTY, f64::NAN);
        assert!(camera.project([0.0, 0.3, 0.0])[1] > camera.project([0.0, -0.3, 0.0])[1]);
        let point = Camera::framing(Bounds::of(&[[7.0, 8.0, 9.0]]), 1.0);
        assert!(point.project([7.0, 8.0, 9.0]).iter().all(|c| c.is_finite()));
        assert!(Bounds::of(&[[f64::NAN, 0.0, 0.0]]).is_empty());
    }
}

//! Shaded pictures without a GPU.
//!
//! Find the nearest triangle at each of four samples a pixel (`raster`); draw the shadow maps (`light`); shade each
//! pixel once per triangle that it shows; mix, to sRGB. Every stage is parallel over fixed pieces, so the same scene
//! gives the same bytes with any number of threads.

use super::camera::{Bounds, Camera};
use super::image::Image;
use super::light::{DepthMap, GroundLight, Sky};
use super::palette::{linear, seen};
use super::raster::{self, Corner, NOTHING, ScreenTriangle};
use super::surfaces::{Geometry, Surface};
use crate::math::Vec3;
use rayon::prelude::*;

type V = Vec3<f32>;

/// What stays the same over all pictures of a motion: size, camera, light and ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Where pictures are taken from.
    pub camera: Camera,
    /// Box around the whole motion, m: shadows are as sharp as this is small, and what is outside casts none.
    pub bounds: Bounds,
    /// Height of a level floor to draw, m.
    pub ground: Option<f64>,
}

impl Stage {
    /// Pictures of `width` × `height` pixels that show the whole box, over a floor at height `ground` m if there is one.
    pub fn framing(bounds: Bounds, width: usize, height: usize, ground: Option<f64>) -> Self {
        let camera = Camera::framing(bounds, width.max(1) as f64 / height.max(1) as f64);
        Self { width, height, camera, bounds, ground }
    }
}

/// Samples along each side of a pixel.
const SAMPLES: usize = 2;
/// Sky light is known at points; edges longer than this share of the scene's radius get points in between.
const LONGEST_EDGE: f32 = 0.08;
const SUN_SIZE: usize = 1024;
const SUN_TAPS: usize = 5;

/// A picture of `surfaces`.
pub fn render(stage: &Stage, surfaces: &[Surface]) -> Image {
    let mut image = Image::new(stage.width, stage.height, [0; 3]);
    if image.pixels.is_empty() {
        return image;
    }
    let bounds = stage.bounds.visible();
    let geometry = Geometry::of(surfaces, bounds.centre(), LONGEST_EDGE * bounds.radius() as f32);
    let view = View::of(stage, bounds.centre());
    let visible = raster::visible(
        stage.width * SAMPLES,
        stage.height * SAMPLES,
        &view.screen_triangles(&geometry, surfaces),
        0.0,
    );
    let shader = Shader::of(stage, &view, &geometry, surfaces, bounds.radius() as f32);
    image.pixels.par_chunks_mut(stage.width).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = shader.pixel(&visible, x, y);
        }
    });
    image
}

/// The camera in single precision, relative to the middle of the scene.
struct View {
    eye: V,
    right: V,
    up: V,
    forward: V,
    half_extent: [f32; 2],
    /// Samples across and down.
    size: [f32; 2],
    near: f32,
}

impl View {
    fn of(stage: &Stage, origin: [f64; 3]) -> Self {
        let camera = &stage.camera;
        let eye = V::of(std::array::from_fn(|i| camera.eye[i] - origin[i]));
        let size = [(stage.width * SAMPLES) as f32, (stage.height * SAMPLES) as f32];
        let half_extent = camera.half_extent.map(|h| h as f32);
        let near = 1e-3 * (stage.bounds.visible().radius() as f32);
        Self {
            eye,
            right: V::of(camera.right),
            up: V::of(camera.up),
            forward: V::of(camera.forward),
            half_extent,
            size,
            near,
        }
    }

    /// Right, up, depth as the camera sees a point, m.
    fn seen(&self, p: V) -> V {
        let p = p - self.eye;
        V::new(p.dot(self.right), p.dot(self.up), p.dot(self.forward))
    }

    fn corner(&self, p: V) -> Corner {
        let x = (1.0 + p.x / (p.z * self.half_extent[0])) * 0.5 * self.size[0];
        let y = (1.0 - p.y / (p.z * self.half_extent[1])) * 0.5 * self.size[1];
        Corner { x, y, nearness: 1.0 / p.z }
    }

    /// Direction, not of unit length but one deep, through a place on the screen in samples.
    fn ray(&self, x: f32, y: f32) -> V {
        let across = (2.0 * x / self.size[0] - 1.0) * self.half_extent[0];
        let above = (1.0 - 2.0 * y / self.size[1]) * self.half_extent[1];
        self.forward + self.right * across + self.up * above
    }

    /// Triangles in front of the camera; backs of one-sided surfaces are left out.
    fn screen_triangles(&self, geometry: &Geometry, surfaces: &[Surface]) -> Vec<ScreenTriangle> {
        let points: Vec<V> = geometry.points.par_iter().map(|p| self.seen(*p)).collect();
        let shown = |t: usize| {
            let toward_eye = self.eye - geometry.points[geometry.triangles[t][0] as usize];
            let front = geometry.face_normals[t].dot(toward_eye) > 0.0;
            front || surfaces[geometry.surface[t] as usize].two_sided
        };
        (0..geometry.triangles.len())
            .into_par_iter()
            .filter(|&t| shown(t))
            .flat_map_iter(|t| self.clipped(geometry.triangles[t].map(|i| points[i as usize]), t as u32))
            .collect()
    }

    /// The part of a triangle beyond the near plane: none, one or two triangles.
    fn clipped(&self, p: [V; 3], id: u32) -> impl Iterator<Item = ScreenTriangle> {
        let inside = p.map(|p| p.z > self.near);
        let mut polygon = [V::ZERO; 4];
        let mut count = 0;
        for i in 0..3 {
            let j = (i + 1) % 3;
            if inside[i] {
                polygon[count] = p[i];
                count += 1;
            }
            if inside[i] != inside[j] {
                polygon[count] = p[i] + (p[j] - p[i]) * ((self.near - p[i].z) / (p[j].z - p[i].z));
                count += 1;
            }
        }
        let corners = polygon.map(|p| self.corner(p));
        let triangle = move |i: usize| ScreenTriangle { corners: [corners[0], corners[i], corners[i + 1]], id };
        (2..count).map(move |i| triangle(i - 1))
    }
}

/// Everything needed to colour a sample.
struct Shader<'a> {
    view: &'a View,
    geometry: &'a Geometry,
    /// Linear colours of each surface: front and back.
    colours: Vec<[V; 2]>,
    /// Which surfaces have no end.
    endless: Vec<bool>,
    lines: Lines,
    /// Of the scene, m.
    radius: f32,
    sun: DepthMap,
    fill: V,
    sky_at_points: Vec<[f32; 2]>,
    ground: Option<Ground>,
    height: usize,
    /// sRGB byte of each step of linear light: a table, since three powers a pixel would take a third of the time.
    bytes: Vec<u8>,
}

/// Fine enough that no byte is skipped in the dark, where sRGB is steepest.
const STEPS: usize = 8192;

struct Ground {
    y: f32,
    light: GroundLight,
}

/// Lines on planes, by which their slope and distances are seen.
#[derive(Clone, Copy)]
struct Lines {
    /// Distance between lines, m.
    spacing: f32,
}

impl<'a> Shader<'a> {
    fn of(stage: &Stage, view: &'a View, geometry: &'a Geometry, surfaces: &[Surface], radius: f32) -> Self {
        // Lights go with the camera, so that folds show from every side: sun from the upper left, fill from the right.
        let level = V::new(0.0, 1.0, 0.0);
        let right = V::new(view.right.x, 0.0, view.right.z).unit_or(V::new(1.0, 0.0, 0.0));
        let back = right.cross(level);
        let sun = (level - right * 0.45 + back * 0.8).unit_or(level);
        let fill = (level * 0.35 + right * 0.9 + back * 0.8).unit_or(level);
        let (sun, sky) = rayon::join(|| DepthMap::sun(geometry, sun, SUN_SIZE, radius), || Sky::of(geometry, radius));
        let sky_at_points = sky.at_points(geometry);
        let ground = stage.ground.map(|y| {
            let y = (y - stage.bounds.visible().centre()[1]) as f32;
            Ground { y, light: GroundLight::of(&sky, y, 3.0 * radius) }
        });
        let colours = surfaces.iter().map(|s| both_sides(s.colour)).collect();
        let endless = surfaces.iter().map(|s| s.endless).collect();
        let lines = Lines { spacing: nice(0.35 * radius) };
        let byte = |i: usize| (seen((i as f32 + 0.5) / STEPS as f32) * 255.0 + 0.5) as u8;
        let bytes = (0..=STEPS).map(byte).collect();
        let height = stage.height;
        Self { view, geometry, colours, endless, lines, radius, sun, fill, sky_at_points, ground, height, bytes }
    }

    /// The mean of a pixel's samples; samples of one triangle are shaded once, in their middle.
    fn pixel(&self, visible: &raster::Visible, x: usize, y: usize) -> [u8; 3] {
        let width = self.view.size[0] as usize;
        let mut left = [NOTHING; SAMPLES * SAMPLES];
        let mut place = [(0.0, 0.0); SAMPLES * SAMPLES];
        for s in 0..SAMPLES * SAMPLES {
            let (sx, sy) = (x * SAMPLES + s % SAMPLES, y * SAMPLES + s / SAMPLES);
            place[s] = (sx as f32 + 0.5, sy as f32 + 0.5);
            left[s] = self.in_front(visible, sy * width + sx, place[s]);
        }
        let mut sum = V::ZERO;
        let mut done = [false; SAMPLES * SAMPLES];
        for s in 0..SAMPLES * SAMPLES {
            if done[s] {
                continue;
            }
            let (mut count, mut px, mut py) = (0.0, 0.0, 0.0);
            for o in s..SAMPLES * SAMPLES {
                if left[o] == left[s] {
                    done[o] = true;
                    count += 1.0;
                    px += place[o].0;
                    py += place[o].1;
                }
            }
            sum += self.colour(left[s], px / count, py / count, y) * count;
        }
        let mean = sum / (SAMPLES * SAMPLES) as f32;
        [mean.x, mean.y, mean.z].map(|c| self.bytes[((c * STEPS as f32) as usize).min(STEPS)])
    }

    /// What a sample shows: a triangle, the ground or nothing.
    fn in_front(&self, visible: &raster::Visible, sample: usize, place: (f32, f32)) -> u32 {
        let id = visible.id[sample];
        let Some(ground) = &self.ground else { return id };
        match ground.depth(self.view, self.view.ray(place.0, place.1)) {
            Some(depth) if 1.0 / depth > visible.nearness[sample] => GROUND,
            _ => id,
        }
    }

    /// Linear colour of what is seen at a place on the screen.
    fn colour(&self, id: u32, x: f32, y: f32, row: usize) -> V {
        match id {
            NOTHING => background(row, self.height),
            GROUND => self.ground_colour(x, y, row),
            _ if self.endless[self.geometry.surface[id as usize] as usize] => {
                self.plane_colour(id as usize, self.view.ray(x, y), row)
            }
            _ => self.surface_colour(id as usize, self.view.ray(x, y)),
        }
    }

    /// A part of a plane without end: as other surfaces, with lines, and as far away as the ground nothing of it is left.
    fn plane_colour(&self, t: usize, ray: V, row: usize) -> V {
        let behind = background(row, self.height);
        let n = self.geometry.face_normals[t];
        let corner = self.geometry.points[self.geometry.triangles[t][0] as usize];
        let depth = (corner - self.view.eye).dot(n) / ray.dot(n);
        let p = self.view.eye + ray * depth;
        let open = self.fading(p - n * p.dot(n));
        if open >= 1.0 || !open.is_finite() {
            return behind;
        }
        // The same two directions on the plane whatever its triangles are; level where there is a level one.
        let first = V::new(0.0, 1.0, 0.0).cross(n).unit_or(V::new(1.0, 0.0, 0.0));
        let line = self.lines.cover([p.dot(first), p.dot(n.cross(first))], self.footprint(ray, n, depth));
        self.surface_colour(t, ray) * ((1.0 - 0.16 * line) * (1.0 - open)) + behind * open
    }

    /// How much of a plane is gone at a point of it, given from the middle of the scene: 0 nothing, 1 all.
    fn fading(&self, p: V) -> f32 {
        smooth_step(1.6, 5.0, p.length() / self.radius)
    }

    /// Width of what a pixel shows of a plane, m.
    fn footprint(&self, ray: V, normal: V, depth: f32) -> f32 {
        let across = depth * 2.0 * SAMPLES as f32 * self.view.half_extent[1] / self.view.size[1];
        across / (-ray.dot(normal) / ray.length()).max(0.05)
    }

    fn surface_colour(&self, t: usize, ray: V) -> V {
        let corners = self.geometry.triangles[t].map(|i| i as usize);
        let p = corners.map(|i| self.geometry.points[i]);
        let weights = barycentric(p, self.view.eye, ray);
        let mix = |v: [V; 3]| v[0] * weights[0] + v[1] * weights[1] + v[2] * weights[2];
        let point = mix(p);
        let toward_eye = (self.view.eye - point).unit_or(self.view.forward);
        let behind = self.geometry.face_normals[t].dot(toward_eye) < 0.0;
        let smooth = mix(self.geometry.corner_normals[t]).unit_or(self.geometry.face_normals[t]);
        let n = if behind { -smooth } else { smooth };
        let [a, b, c] = corners.map(|i| self.sky_at_points[i][usize::from(behind)]);
        let sky = a * weights[0] + b * weights[1] + c * weights[2];
        let facing = n.dot(self.sun.toward).max(0.0);
        let lit = if facing > 0.0 { facing * self.sun.lit::<SUN_TAPS>(point, n) } else { 0.0 };
        let colour = self.colours[self.geometry.surface[t] as usize][usize::from(behind)];
        let half = (self.sun.toward + toward_eye).unit_or(n);
        let gloss = 0.10 * lit * n.dot(half).max(0.0).powi(28);
        let rim = 0.10 * sky * (1.0 - n.dot(toward_eye).max(0.0)).powi(3);
        // Light the floor throws back up, from where the sky is not hidden.
        let bounce = 0.10 + 0.16 * (0.5 - 0.5 * n.y);
        let light =
            SUN * lit + SKY * sky + FILL * (n.dot(self.fill).max(0.0) * (0.35 + 0.65 * sky.min(1.0))) + BOUNCE * bounce;
        let raw = V::new(colour.x * light.x, colour.y * light.y, colour.z * light.z) + SUN * gloss + SKY * rim;
        shoulder(raw)
    }

    fn ground_colour(&self, x: f32, y: f32, row: usize) -> V {
        let behind = background(row, self.height);
        let Some(ground) = &self.ground else { return behind };
        let ray = self.view.ray(x, y);
        let Some(depth) = ground.depth(self.view, ray) else { return behind };
        let p = self.view.eye + ray * depth;
        let open = self.fading(V::new(p.x, 0.0, p.z));
        if open >= 1.0 {
            return behind;
        }
        let level = V::new(0.0, 1.0, 0.0);
        let sun = self.sun.lit::<SUN_TAPS>(p, level);
        let sky = ground.light.at(p.x, p.z).min(1.0);
        let line = self.lines.cover([p.x, p.z], self.footprint(ray, level, depth));
        let lit = GROUND_COLOUR * (1.0 - 0.16 * line);
        let light = SUN_SHARE * (0.55 * sun) + SKY_SHARE * (0.45 * sky);
        let near = V::new(lit.x * light.x, lit.y * light.y, lit.z * light.z);
        near * (1.0 - open) + behind * open
    }
}

/// Stands for the ground where a triangle's number could be.
const GROUND: u32 = NOTHING - 1;
const SUN: V = V::new(1.62, 1.55, 1.42);
const SKY: V = V::new(0.50, 0.56, 0.64);
const FILL: V = V::new(0.26, 0.27, 0.30);
const BOUNCE: V = V::new(0.50, 0.47, 0.43);
const GROUND_COLOUR: V = V::new(0.80, 0.80, 0.79);
const SUN_SHARE: V = V::new(1.02, 1.0, 0.96);
const SKY_SHARE: V = V::new(0.97, 1.0, 1.05);

impl Ground {
    /// Depth at which a ray from above meets the ground, m.
    fn depth(&self, view: &View, ray: V) -> Option<f32> {
        let above = view.eye.y - self.y;
        if above > 0.0 && ray.y < 0.0 { Some(above / -ray.y) } else { None }
    }
}

impl Lines {
    /// How much of a line a footprint of this size, m, covers at a point of the plane.
    fn cover(&self, p: [f32; 2], footprint: f32) -> f32 {
        let half = 0.012 * self.spacing;
        let cover = |c: f32| {
            let distance = (c / self.spacing - (c / self.spacing).round()).abs() * self.spacing;
            let reach = footprint.max(1e-9);
            ((half - distance) / reach + 0.5).clamp(0.0, 1.0) * (2.0 * half / reach).min(1.0)
        };
        cover(p[0]).max(cover(p[1]))
    }
}

/// Linear colour of the wall behind everything, lighter towards the floor.
fn background(row: usize, height: usize) -> V {
    let t = (row as f32 + 0.5) / height as f32;
    V::new(0.56, 0.63, 0.71) * (1.0 - t) + V::new(0.86, 0.87, 0.87) * t
}

/// Linear colours of the front and, a little paler, of the back.
fn both_sides(colour: [f32; 3]) -> [V; 2] {
    let [x, y, z] = colour.map(|c| linear(c.clamp(0.0, 1.0)));
    let front = V::new(x, y, z);
    let grey = 0.2126 * x + 0.7152 * y + 0.0722 * z;
    [front, front * 0.6 + V::new(grey, grey, grey) * 0.35]
}

/// Bright light nears white instead of being cut off: linear up to one half, then an exponential with the same slope.
fn shoulder(c: V) -> V {
    let one = |c: f32| {
        let c = EXPOSURE * c;
        if c <= 0.5 { c } else { 1.0 - 0.5 * (1.0 - 2.0 * c).exp() }
    };
    V::new(one(c.x), one(c.y), one(c.z))
}
const EXPOSURE: f32 = 0.72;

/// Where the ray through a pixel meets the triangle's plane; kept inside, since the middle of some samples may not be.
fn barycentric(p: [V; 3], eye: V, ray: V) -> [f32; 3] {
    let (e1, e2, to_eye) = (p[1] - p[0], p[2] - p[0], eye - p[0]);
    let (h, q) = (ray.cross(e2), to_eye.cross(e1));
    let determinant = e1.dot(h);
    if determinant.abs() < 1e-30 {
        return [1.0 / 3.0; 3];
    }
    let v = (to_eye.dot(h) / determinant).clamp(0.0, 1.0);
    let w = (ray.dot(q) / determinant).clamp(0.0, 1.0);
    let total = (v + w).max(1.0);
    [1.0 - (v + w) / total, v / total, w / total]
}

fn smooth_step(from: f32, to: f32, x: f32) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// 1, 2 or 5 times a power of ten, near `x`.
fn nice(x: f32) -> f32 {
    let power = 10.0_f32.powf(x.max(1e-30).log10().floor());
    let digit = x / power;
    power
        * if digit < 1.5 {
            1.0
        } else if digit < 3.5 {
            2.0
        } else if digit < 7.5 {
            5.0
        } else {
            10.0
        }
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;

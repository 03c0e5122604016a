//! What lies where in a glTF file: frames that fit, accessors, the JSON and the bytes behind it.
//!
//! The buffer holds three views: the indices of every mesh; 12-byte vectors (for each frame, for each body: points,
//! normals; then the scenery); times, weights and the motion of the scenery. Accessors are numbered in that order.

use super::frame_store::FrameStore;
use super::glb::{GlbBody, GlbError, GlbOptions, GlbScenery};
use super::glb_motion::Motion;
use super::palette::linear;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;

/// A mesh with only the points that it uses.
struct Part {
    name: String,
    /// Points of a frame that are kept, in order.
    kept: Vec<u32>,
    /// Over the kept points.
    triangles: Vec<[u32; 3]>,
    colour: [f32; 3],
    two_sided: bool,
}

/// Everything but the points of the frames.
pub(super) struct Plan {
    bodies: Vec<Part>,
    scenery: Vec<(Part, Vec<[f32; 3]>)>,
    /// Of each thing of the scenery.
    motions: Vec<Motion>,
    /// Frames of the store that are written.
    pub(super) frames: Vec<usize>,
    options: GlbOptions,
}

/// Smallest and largest coordinates, m.
type Extent = [[f32; 3]; 2];

/// JSON bytes an accessor takes, rounded up.
const ACCESSOR_BYTES: u64 = 260;

impl Part {
    /// Errors name the triangle whose index is beyond `vertices` points, which start at `first` in a frame.
    fn of(name: &str, first: usize, vertices: usize, triangles: &[[u32; 3]]) -> Result<Self, String> {
        let mut place = vec![u32::MAX; vertices];
        for (t, triangle) in triangles.iter().enumerate() {
            for &i in triangle {
                let Some(place) = place.get_mut(i as usize) else {
                    return Err(format!("triangle {t} of `{name}` uses vertex {i}, there are {vertices} (from 0)"));
                };
                *place = 0;
            }
        }
        let mut kept = Vec::new();
        for (i, place) in place.iter_mut().enumerate().filter(|(_, place)| **place == 0) {
            *place = kept.len() as u32;
            kept.push((first + i) as u32);
        }
        let triangles = triangles.iter().map(|t| t.map(|i| place[i as usize])).collect();
        Ok(Self { name: name.to_string(), kept, triangles, colour: [0.5; 3], two_sided: true })
    }
}

impl Plan {
    pub(super) fn of(
        store: &FrameStore,
        bodies: &[GlbBody],
        scenery: &[GlbScenery],
        options: &GlbOptions,
    ) -> Result<Self, String> {
        if !(options.frame_rate.is_finite() && options.frame_rate > 0.0) {
            return Err(format!("the frame rate is {} per second, it must be positive", options.frame_rate));
        }
        if store.is_empty() {
            return Err(format!("{} holds no frame; an animation needs one", store.path().display()));
        }
        let mut plan = Self {
            bodies: Vec::new(),
            scenery: Vec::new(),
            motions: Vec::new(),
            frames: Vec::new(),
            options: *options,
        };
        for body in bodies.iter().filter(|b| !b.triangles.is_empty()) {
            let range = body.vertices.clone();
            if range.end > store.vertices() || range.start > range.end {
                let has = store.vertices();
                return Err(format!("body `{}` is vertices {range:?}, a frame has {has}", body.name));
            }
            let part = Part::of(&body.name, range.start, range.len(), &body.triangles)?;
            plan.bodies.push(Part { colour: body.colour, two_sided: body.two_sided, ..part });
        }
        if plan.bodies.is_empty() {
            return Err("no body has a triangle; an animation needs a surface".into());
        }
        let scenery: Vec<&GlbScenery> = scenery.iter().filter(|s| !s.triangles.is_empty()).collect();
        for thing in &scenery {
            let part = Part::of(&thing.name, 0, thing.points.len(), &thing.triangles)?;
            let points: Vec<[f32; 3]> = part.kept.iter().map(|&i| thing.points[i as usize].map(|c| c as f32)).collect();
            if let Some(i) = points.iter().flatten().position(|c| !c.is_finite()) {
                return Err(format!("point {} of `{}` is not finite", part.kept[i / 3], thing.name));
            }
            plan.scenery.push((Part { colour: thing.colour, two_sided: false, ..part }, points));
        }
        let wanted: Vec<usize> = (0..store.len()).step_by(options.stride.max(1)).collect();
        let moving = scenery.iter().filter(|thing| !thing.poses.is_empty()).count();
        let fitting = plan.fitting(wanted.len(), moving);
        // First and last stay, the rest is even.
        let pick = |i: usize| wanted[(i * (wanted.len() - 1) + (fitting - 1) / 2) / (fitting - 1).max(1)];
        plan.frames = (0..fitting).map(pick).collect();
        let motion = |thing: &&GlbScenery| Motion::of(&thing.name, &thing.poses, &plan.frames);
        plan.motions = scenery.iter().map(motion).collect::<Result<_, _>>()?;
        Ok(plan)
    }

    /// Vectors a point has: place, and normal if asked for.
    fn kinds(&self) -> usize {
        1 + usize::from(self.options.normals)
    }

    /// The most frames, at least one and at most `wanted`, that stay under the limit with so many `moving` colliders.
    fn fitting(&self, wanted: usize, moving: usize) -> usize {
        let points: u64 = self.bodies.iter().map(|b| b.kept.len() as u64).sum();
        let per_frame = self.kinds() as u64 * (12 * points + ACCESSOR_BYTES * self.bodies.len() as u64) + 64;
        let per_frame = per_frame + 28 * moving as u64;
        let still: u64 = self.scenery.iter().map(|s| 12 * (s.0.triangles.len() as u64) + 24 * s.1.len() as u64).sum();
        let indices: u64 = self.bodies.iter().map(|b| 12 * b.triangles.len() as u64).sum();
        let fixed = still + indices + 2000 + 1000 * (self.bodies.len() + self.scenery.len() + moving) as u64;
        let size = |frames: u64| fixed + frames * (per_frame + 4 * frames);
        let (mut fits, mut too_many) = (1, wanted as u64 + 1);
        while too_many - fits > 1 {
            let middle = fits + (too_many - fits) / 2;
            if size(middle) <= self.options.byte_limit { fits = middle } else { too_many = middle }
        }
        fits as usize
    }

    /// Bytes of indices, of vectors, of times, weights and poses.
    fn sections(&self) -> [u64; 3] {
        let parts = || self.bodies.iter().chain(self.scenery.iter().map(|s| &s.0));
        let indices = parts().map(|p| 12 * p.triangles.len() as u64).sum();
        let frames = self.frames.len() as u64;
        let moving: u64 = self.bodies.iter().map(|b| b.kept.len() as u64).sum();
        let still: u64 = self.scenery.iter().map(|s| s.1.len() as u64).sum();
        let vectors = 12 * self.kinds() as u64 * (moving * frames + still);
        // Without a second frame nothing moves.
        let poses = || self.motions.iter().map(Motion::bytes).sum::<u64>();
        let floats = if frames > 1 { 4 * frames + 4 * frames * (frames - 1) + poses() } else { 0 };
        [indices, vectors, floats]
    }

    pub(super) fn binary_bytes(&self) -> u64 {
        self.sections().iter().sum()
    }

    /// Calls `visit` with every array of vectors in the order of the file; the flag says that it holds points.
    /// The first frame is itself, the others are differences to it.
    fn each_array(
        &self,
        store: &mut FrameStore,
        path: &Path,
        mut visit: impl FnMut(bool, &[[f32; 3]]) -> io::Result<()>,
    ) -> Result<(), GlbError> {
        let failed = |source| GlbError::Io { path: path.to_path_buf(), source };
        let mut first: Vec<[Vec<[f32; 3]>; 2]> = Vec::new();
        let mut frame = Vec::new();
        for (k, &index) in self.frames.iter().enumerate() {
            store.read_into(index, &mut frame)?;
            for (b, body) in self.bodies.iter().enumerate() {
                let points: Vec<[f32; 3]> = body.kept.iter().map(|&i| frame[i as usize]).collect();
                if let Some(i) = points.iter().flatten().position(|c| !c.is_finite()) {
                    let (frames, vertex) = (store.path().display(), body.kept[i / 3]);
                    let what = format!(
                        "vertex {vertex} of frame {index} in {frames} is not finite: the run has failed there, or the file is damaged; run again"
                    );
                    return Err(GlbError::Input { path: path.to_path_buf(), what });
                }
                let normals = if self.options.normals { normals(&points, &body.triangles) } else { Vec::new() };
                let mut arrays = [points, normals];
                if k == 0 {
                    first.push(arrays.clone());
                } else {
                    subtract(&mut arrays, &first[b]);
                }
                for (kind, array) in arrays.iter().enumerate().take(self.kinds()) {
                    visit(kind == 0, array).map_err(failed)?;
                }
            }
        }
        for (part, points) in &self.scenery {
            visit(true, points).map_err(failed)?;
            if self.options.normals {
                visit(false, &normals(points, &part.triangles)).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Extents of the arrays of points, in the order of the file (glTF 2.0 wants them in the JSON, which comes first).
    pub(super) fn extents(&self, store: &mut FrameStore, path: &Path) -> Result<Vec<Extent>, GlbError> {
        let mut extents = Vec::new();
        self.each_array(store, path, |points, array| {
            if points {
                let mut extent = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
                for p in array {
                    for axis in 0..3 {
                        extent[0][axis] = extent[0][axis].min(p[axis]);
                        extent[1][axis] = extent[1][axis].max(p[axis]);
                    }
                }
                extents.push(extent);
            }
            Ok(())
        })?;
        Ok(extents)
    }

    pub(super) fn write_binary(
        &self,
        store: &mut FrameStore,
        path: &Path,
        file: &mut dyn Write,
    ) -> Result<(), GlbError> {
        let failed = |source| GlbError::Io { path: path.to_path_buf(), source };
        let parts = self.bodies.iter().chain(self.scenery.iter().map(|s| &s.0));
        for triangle in parts.flat_map(|p| &p.triangles) {
            for i in triangle {
                file.write_all(&i.to_le_bytes()).map_err(failed)?;
            }
        }
        self.each_array(store, path, |_, array| {
            array.iter().flatten().try_for_each(|c| file.write_all(&c.to_le_bytes()))
        })?;
        if self.frames.len() > 1 {
            self.write_animation(file).map_err(failed)?;
        }
        Ok(())
    }

    fn time(&self, k: usize) -> f32 {
        (self.frames[k] as f64 / self.options.frame_rate) as f32
    }

    fn write_animation(&self, file: &mut dyn Write) -> io::Result<()> {
        for k in 0..self.frames.len() {
            file.write_all(&self.time(k).to_le_bytes())?;
        }
        for k in 0..self.frames.len() {
            for target in 1..self.frames.len() {
                file.write_all(&f32::from(u8::from(target == k)).to_le_bytes())?;
            }
        }
        self.motions.iter().try_for_each(|motion| motion.write(file))
    }

    /// The JSON chunk, filled up with spaces to a multiple of four bytes.
    pub(super) fn json(&self, extents: &[Extent]) -> Vec<u8> {
        let parts: Vec<&Part> = self.bodies.iter().chain(self.scenery.iter().map(|s| &s.0)).collect();
        let [indices, vectors, floats] = self.sections();
        let mut views = vec![
            json!({"buffer": 0, "byteOffset": 0, "byteLength": indices, "target": 34963}),
            json!({"buffer": 0, "byteOffset": indices, "byteLength": vectors, "byteStride": 12, "target": 34962}),
        ];
        let accessors = self.accessors(&parts, extents);
        let animations = if self.frames.len() > 1 {
            views.push(json!({"buffer": 0, "byteOffset": indices + vectors, "byteLength": floats}));
            vec![self.animation(accessors.len())]
        } else {
            Vec::new()
        };
        let meshes: Vec<Value> = (0..parts.len()).map(|p| self.mesh(p, &parts)).collect();
        let mut nodes: Vec<Value> =
            parts.iter().enumerate().map(|(p, part)| json!({"mesh": p, "name": part.name})).collect();
        nodes[self.bodies.len()..].iter_mut().zip(&self.motions).for_each(|(node, motion)| motion.place(node));
        let mut root = json!({
            "asset": {"version": "2.0", "generator": "Pliant"},
            "scene": 0,
            "scenes": [{"nodes": (0..parts.len()).collect::<Vec<_>>()}],
            "nodes": nodes,
            "meshes": meshes,
            "materials": parts.iter().map(|p| material(p)).collect::<Vec<_>>(),
            "buffers": [{"byteLength": indices + vectors + floats}],
            "bufferViews": views,
            "accessors": accessors,
        });
        if !animations.is_empty() {
            root["animations"] = Value::Array(animations);
        }
        let mut bytes = root.to_string().into_bytes();
        bytes.resize(bytes.len().next_multiple_of(4), b' ');
        bytes
    }

    /// The animation, whose accessors are the last of so many: times, weights, then what moves the scenery.
    fn animation(&self, accessors: usize) -> Value {
        let tracks = || self.motions.iter().enumerate().flat_map(|(k, m)| m.tracks().map(move |track| (k, track.0)));
        let times = accessors - 2 - tracks().count();
        let sampler = |output: usize| json!({"input": times, "output": output, "interpolation": "LINEAR"});
        let channel = |sampler: usize, node: usize, path: &str| json!({"sampler": sampler, "target": {"node": node, "path": path}});
        let (mut samplers, bodies) = (vec![sampler(times + 1)], self.bodies.len());
        let mut channels: Vec<Value> = (0..bodies).map(|body| channel(0, body, "weights")).collect();
        for (thing, path) in tracks() {
            channels.push(channel(samplers.len(), bodies + thing, path));
            samplers.push(sampler(times + 1 + samplers.len()));
        }
        json!({"name": "run", "channels": channels, "samplers": samplers})
    }

    /// Number of the accessor that holds points of frame `k` (0: the mesh itself) of part `p`; normals follow it.
    fn accessor(&self, k: usize, p: usize, parts: usize) -> usize {
        let bodies = self.bodies.len();
        let array = if p < bodies { k * bodies + p } else { self.frames.len() * bodies + p - bodies };
        parts + array * self.kinds()
    }

    fn accessors(&self, parts: &[&Part], extents: &[Extent]) -> Vec<Value> {
        let mut accessors = Vec::new();
        let mut offset = 0;
        for part in parts {
            let count = 3 * part.triangles.len();
            accessors.push(
                json!({"bufferView": 0, "byteOffset": offset, "componentType": 5125, "count": count, "type": "SCALAR"}),
            );
            offset += 4 * count;
        }
        let moving = self.frames.iter().flat_map(|_| &self.bodies);
        let counts = moving.chain(self.scenery.iter().map(|s| &s.0)).map(|part| part.kept.len());
        let mut offset = 0_u64;
        for (count, extent) in counts.zip(extents) {
            let [low, high] = extent.map(|corner| corner.map(f64::from));
            for kind in 0..self.kinds() {
                let mut accessor = json!({"bufferView": 1, "byteOffset": offset, "componentType": 5126, "count": count, "type": "VEC3"});
                if kind == 0 {
                    accessor["min"] = json!(low);
                    accessor["max"] = json!(high);
                }
                accessors.push(accessor);
                offset += 12 * count as u64;
            }
        }
        let frames = self.frames.len();
        if frames > 1 {
            let (from, to) = (f64::from(self.time(0)), f64::from(self.time(frames - 1)));
            accessors.push(json!({"bufferView": 2, "byteOffset": 0, "componentType": 5126, "count": frames, "type": "SCALAR", "min": [from], "max": [to]}));
            accessors.push(json!({"bufferView": 2, "byteOffset": 4 * frames, "componentType": 5126, "count": frames * (frames - 1), "type": "SCALAR"}));
            let mut offset = 4 * frames * frames;
            for (_, kind, floats) in self.motions.iter().flat_map(Motion::tracks) {
                accessors.push(json!({"bufferView": 2, "byteOffset": offset, "componentType": 5126, "count": frames, "type": kind}));
                offset += 4 * floats;
            }
        }
        accessors
    }

    fn mesh(&self, p: usize, parts: &[&Part]) -> Value {
        let attributes = |k: usize| {
            let points = self.accessor(k, p, parts.len());
            if self.options.normals {
                json!({"POSITION": points, "NORMAL": points + 1})
            } else {
                json!({"POSITION": points})
            }
        };
        let mut primitive = json!({"attributes": attributes(0), "indices": p, "material": p});
        let mut mesh = json!({"name": parts[p].name});
        if p < self.bodies.len() && self.frames.len() > 1 {
            let targets: Vec<Value> = (1..self.frames.len()).map(attributes).collect();
            let names: Vec<String> = self.frames[1..].iter().map(|f| format!("frame {f}")).collect();
            primitive["targets"] = Value::Array(targets);
            mesh["extras"] = json!({"targetNames": names});
            mesh["weights"] = json!(vec![0; self.frames.len() - 1]);
        }
        mesh["primitives"] = json!([primitive]);
        mesh
    }
}

fn material(part: &Part) -> Value {
    let [r, g, b] = part.colour.map(|c| linear(c.clamp(0.0, 1.0)));
    json!({
        "name": part.name,
        "doubleSided": part.two_sided,
        "pbrMetallicRoughness": {"baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8},
    })
}

fn subtract(arrays: &mut [Vec<[f32; 3]>; 2], first: &[Vec<[f32; 3]>; 2]) {
    for (array, first) in arrays.iter_mut().zip(first) {
        for (v, v0) in array.iter_mut().zip(first) {
            *v = std::array::from_fn(|c| v[c] - v0[c]);
        }
    }
}

/// Unit normals at points, means of the triangles around them weighted by area.
fn normals(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    use crate::math::Vec3;
    let at = |i: u32| Vec3::<f64>::of(points[i as usize].map(f64::from));
    let mut sums = vec![Vec3::<f64>::ZERO; points.len()];
    for &[a, b, c] in triangles {
        let n = (at(b) - at(a)).cross(at(c) - at(a));
        for i in [a, b, c] {
            sums[i as usize] += n;
        }
    }
    let up = Vec3::new(0.0, 1.0, 0.0);
    sums.iter()
        .map(|n| {
            let length = n.length();
            let unit = if length > 1e-30 { *n / length } else { up };
            unit.f64().map(|c| c as f32)
        })
        .collect()
}

use super::*;
use serde_json::Value;

/// Two sheets, one with a vertex that no triangle uses, over a still triangle.
fn scene() -> (Vec<GlbBody>, Vec<GlbScenery>) {
    let body = |name: &str, vertices: Range<usize>, triangles: Vec<[u32; 3]>| GlbBody {
        name: name.into(),
        vertices,
        triangles,
        colour: [0.8, 0.3, 0.2],
        two_sided: true,
    };
    let bodies = vec![body("sheet", 0..4, vec![[0, 1, 2], [2, 1, 3]]), body("flag \"2\"", 4..8, vec![[0, 3, 1]])];
    let points = vec![[0.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, -1.0, 1.0]];
    let floor =
        GlbScenery { name: "floor".into(), points, poses: Vec::new(), triangles: vec![[0, 2, 1]], colour: [0.5; 3] };
    (bodies, vec![floor])
}

fn points(frame: usize) -> Vec<[f32; 3]> {
    let t = frame as f32 * 0.1;
    (0..8).map(|v| [(v & 1) as f32 + t, (v >> 1 & 1) as f32 - t * t, (v >> 2) as f32 + t * (v % 3) as f32]).collect()
}

struct Parsed {
    json: Value,
    binary: Vec<u8>,
}

/// Reads a file by the letter of the specification (glTF 2.0, section 4.4).
fn parse(path: &Path) -> Parsed {
    let bytes = std::fs::read(path).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(&bytes[..4], b"glTF");
    assert_eq!((word(4), word(8)), (2, bytes.len()));
    let json_length = word(12);
    assert_eq!(&bytes[16..20], b"JSON");
    assert_eq!(json_length % 4, 0);
    let json = serde_json::from_slice(&bytes[20..20 + json_length]).unwrap();
    let binary = 20 + json_length;
    assert_eq!(&bytes[binary + 4..binary + 8], b"BIN\0");
    assert_eq!(word(binary) % 4, 0);
    assert_eq!(binary + 8 + word(binary), bytes.len());
    Parsed { json, binary: bytes[binary + 8..].to_vec() }
}

impl Parsed {
    fn number(value: &Value) -> usize {
        value.as_u64().unwrap() as usize
    }

    /// Values of an accessor, after checking that it lies in its view, aligned, and the view in the buffer.
    fn floats(&self, accessor: usize) -> Vec<f32> {
        let accessor = &self.json["accessors"][accessor];
        let view = &self.json["bufferViews"][Self::number(&accessor["bufferView"])];
        let components = match accessor["type"].as_str().unwrap() {
            "VEC4" => 4,
            "VEC3" => 3,
            kind => [("SCALAR", 1)].iter().find(|known| known.0 == kind).unwrap().1,
        };
        let bytes = Self::number(&accessor["count"]) * components * 4;
        let (offset, start) = (Self::number(&accessor["byteOffset"]), Self::number(&view["byteOffset"]));
        assert!(Self::number(&accessor["count"]) > 0);
        assert_eq!((offset % 4, start % 4), (0, 0));
        assert!(offset + bytes <= Self::number(&view["byteLength"]));
        assert!(start + Self::number(&view["byteLength"]) <= Self::number(&self.json["buffers"][0]["byteLength"]));
        let data = &self.binary[start + offset..start + offset + bytes];
        data.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    /// Values of an accessor of points, whose extent must be exact (section 3.6.2.5).
    fn points(&self, accessor: usize) -> Vec<[f32; 3]> {
        let points: Vec<[f32; 3]> = self.floats(accessor).chunks(3).map(|p| p.try_into().unwrap()).collect();
        for axis in 0..3 {
            let extreme = |name: &str| self.json["accessors"][accessor][name][axis].as_f64().unwrap() as f32;
            assert_eq!(extreme("min"), points.iter().map(|p| p[axis]).fold(f32::INFINITY, f32::min));
            assert_eq!(extreme("max"), points.iter().map(|p| p[axis]).fold(f32::NEG_INFINITY, f32::max));
        }
        points
    }
}

fn animate(frames: usize, options: GlbOptions) -> (Parsed, GlbSummary) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.glb");
    let (bodies, scenery) = scene();
    let mut writer = GlbWriter::create(&path, bodies, scenery, options).unwrap();
    for frame in 0..frames {
        writer.add_frame(points(frame)).unwrap();
    }
    let summary = writer.finish().unwrap();
    assert_eq!(summary.bytes, std::fs::metadata(&path).unwrap().len());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "the waiting frames are gone");
    (parse(&path), summary)
}

#[test]
fn base_plus_target_is_the_frame_that_was_added() {
    let (glb, summary) = animate(5, GlbOptions::default());
    assert_eq!((summary.frames_stored, summary.frames_written, summary.thinned), (5, 5, false));
    for (mesh, kept) in [(0, vec![0, 1, 2, 3]), (1, vec![4, 5, 7])] {
        let primitive = &glb.json["meshes"][mesh]["primitives"][0];
        let base = glb.points(Parsed::number(&primitive["attributes"]["POSITION"]));
        let targets = primitive["targets"].as_array().unwrap();
        assert_eq!(targets.len(), 4);
        for frame in 0..5 {
            let zero = vec![[0.0; 3]; kept.len()];
            let moved = if frame == 0 { zero } else { glb.points(Parsed::number(&targets[frame - 1]["POSITION"])) };
            assert_eq!(moved.len(), kept.len());
            for (i, &vertex) in kept.iter().enumerate() {
                for axis in 0..3 {
                    assert!((base[i][axis] + moved[i][axis] - points(frame)[vertex][axis]).abs() < 1e-6);
                }
            }
        }
    }
}

#[test]
fn normals_have_unit_length_in_every_frame() {
    let (glb, _) = animate(4, GlbOptions::default());
    let primitive = &glb.json["meshes"][0]["primitives"][0];
    let base = glb.floats(Parsed::number(&primitive["attributes"]["NORMAL"]));
    for target in primitive["targets"].as_array().unwrap() {
        let moved = glb.floats(Parsed::number(&target["NORMAL"]));
        for (b, m) in base.chunks(3).zip(moved.chunks(3)) {
            let length = (0..3).map(|c| (b[c] + m[c]).powi(2)).sum::<f32>().sqrt();
            assert!((length - 1.0).abs() < 1e-5);
        }
    }
    let (plain, _) = animate(4, GlbOptions { normals: false, ..Default::default() });
    assert!(plain.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"].is_null());
}

#[test]
fn times_grow_and_weights_are_one_hot_for_every_body() {
    let (glb, _) = animate(6, GlbOptions { frame_rate: 30.0, stride: 2, ..Default::default() });
    let animation = &glb.json["animations"][0];
    assert_eq!(animation["channels"].as_array().unwrap().len(), 2);
    let sampler = &animation["samplers"][0];
    let input = Parsed::number(&sampler["input"]);
    let times = glb.floats(input);
    assert_eq!(times, [0.0, 2.0 / 30.0, 4.0 / 30.0]);
    assert_eq!(glb.json["accessors"][input]["max"][0].as_f64().unwrap() as f32, times[2]);
    let weights = glb.floats(Parsed::number(&sampler["output"]));
    assert_eq!(weights, [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(glb.json["meshes"][1]["weights"].as_array().unwrap().len(), 2);
}

#[test]
fn every_accessor_and_index_is_in_range_and_views_for_vertices_say_so() {
    let (glb, _) = animate(3, GlbOptions::default());
    for accessor in 0..glb.json["accessors"].as_array().unwrap().len() {
        glb.floats(accessor);
    }
    for mesh in glb.json["meshes"].as_array().unwrap() {
        let primitive = &mesh["primitives"][0];
        let count = &glb.json["accessors"][Parsed::number(&primitive["attributes"]["POSITION"])]["count"];
        for index in glb.floats(Parsed::number(&primitive["indices"])) {
            assert!((index.to_bits() as usize) < Parsed::number(count));
        }
    }
    let views = &glb.json["bufferViews"];
    assert_eq!((&views[0]["target"], &views[1]["target"]), (&Value::from(34963), &Value::from(34962)));
    assert_eq!(views[1]["byteStride"], 12);
    assert!(views[2]["byteStride"].is_null() && views[2]["target"].is_null());
}

#[test]
fn a_long_run_is_thinned_evenly_under_the_limit_and_says_so() {
    let limit = 60_000;
    let (glb, summary) = animate(400, GlbOptions { byte_limit: limit, ..Default::default() });
    assert!(summary.thinned && summary.bytes <= limit && summary.bytes > limit / 3, "{summary:?}");
    let times = glb.floats(Parsed::number(&glb.json["animations"][0]["samplers"][0]["input"]));
    assert_eq!(times.len(), summary.frames_written);
    assert_eq!((times[0], times[times.len() - 1]), (0.0, 399.0 / 60.0));
    let gaps: Vec<f32> = times.windows(2).map(|w| (w[1] - w[0]) * 60.0).collect();
    let (least, most) = (gaps.iter().copied().fold(f32::MAX, f32::min), gaps.iter().copied().fold(0.0, f32::max));
    assert!(least > 0.9 && most - least < 1.1, "{least} to {most}");
}

#[test]
fn one_frame_is_a_still_mesh() {
    let (glb, _) = animate(1, GlbOptions::default());
    assert!(glb.json["animations"].is_null());
    assert!(glb.json["meshes"][0]["primitives"][0]["targets"].is_null());
    assert_eq!(glb.json["bufferViews"].as_array().unwrap().len(), 2);
}

#[test]
fn contradictions_are_errors_that_name_the_place_and_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.glb");
    let mut store = FrameStore::open_or_create(&folder.path().join("frames"), 8).unwrap();
    let (mut bodies, scenery) = scene();
    let message = |store: &mut FrameStore, bodies: &[GlbBody], options: GlbOptions| {
        write(&path, store, bodies, &scenery, &options).unwrap_err().to_string()
    };
    assert!(message(&mut store, &bodies, GlbOptions::default()).contains("no frame"));
    store.append(points(0)).unwrap();
    let mut bad = points(1);
    bad[5][1] = f32::NAN;
    store.append(bad).unwrap();
    assert!(message(&mut store, &bodies, GlbOptions::default()).contains("vertex 5 of frame 1"));
    assert!(message(&mut store, &bodies, GlbOptions { frame_rate: 0.0, ..Default::default() }).contains("frame rate"));
    bodies[1].triangles.push([0, 1, 4]);
    assert!(message(&mut store, &bodies, GlbOptions::default()).contains("triangle 1 of `flag \"2\"` uses vertex 4"));
    bodies[1].vertices = 4..9;
    assert!(message(&mut store, &bodies, GlbOptions::default()).contains("a frame has 8"));
    assert!(message(&mut store, &[], GlbOptions::default()).contains("no body"));
    assert!(!path.exists());
}

/// A ball that rolls off after a while, a box that turns over, a floor that rises, a wall that stands: every kind of motion.
const MOVING: &str = "
    pliant = 1
    [time]
    frame_rate = 20
    [[cloth]]
    resolution = 2
    [[collider]]
    name = 'ball'
    shape = 'sphere'
    radius = 0.3
    position = [0, -2, 0]
    velocity = [1, 0, 0.5]
    moves = [0.1, 0.35]
    [[collider]]
    name = 'box'
    shape = 'box'
    size = [0.3, 0.2, 0.1]
    position = [0, -4, 1]
    rotation = [20, 0, 70]
    velocity = [0, 1, 0]
    angular_velocity = ['100 deg/s', '1100 deg/s', 0]
    [[collider]]
    name = 'floor'
    shape = 'half-space'
    position = [5, -9, 0]
    normal = [0.1, 1, 0]
    velocity = [0, 1, 0]
    [[collider]]
    name = 'wall'
    shape = 'half-space'
    position = [0, -9, 0]
    [[collider]]
    name = 'late'
    shape = 'capsule'
    radius = 0.1
    height = 0.2
    velocity = [0, 1, 0]
    moves = [7, 8]
";

impl Parsed {
    /// Floats that a channel gives a node in each frame, or those of the node itself.
    fn track(&self, node: usize, path: &str, frames: usize) -> Vec<Vec<f64>> {
        let animation = &self.json["animations"][0];
        let channels = animation["channels"].as_array().unwrap();
        let target = |c: &&Value| c["target"]["node"] == node && c["target"]["path"] == path;
        let Some(channel) = channels.iter().find(target) else {
            let still: Option<Vec<f64>> = serde_json::from_value(self.json["nodes"][node][path].clone()).unwrap();
            let none = if path == "rotation" { vec![0.0, 0.0, 0.0, 1.0] } else { vec![0.0; 3] };
            return vec![still.unwrap_or(none); frames];
        };
        let sampler = &animation["samplers"][Self::number(&channel["sampler"])];
        let output = Self::number(&sampler["output"]);
        let width = if path == "rotation" { 4 } else { 3 };
        assert_eq!(
            self.json["accessors"][output]["count"],
            self.json["accessors"][Self::number(&sampler["input"])]["count"]
        );
        self.floats(output).chunks(width).map(|c| c.iter().map(|c| f64::from(*c)).collect()).collect()
    }
}

/// A point turned by a quaternion, then moved.
fn placed(p: [f32; 3], q: &[f64], t: &[f64]) -> crate::math::Vec3<f64> {
    use crate::math::Vec3;
    let (p, axis) = (Vec3::of(p.map(f64::from)), Vec3::new(q[0], q[1], q[2]));
    let twice = axis.cross(p) * 2.0;
    p + twice * q[3] + axis.cross(twice) + Vec3::new(t[0], t[1], t[2])
}

#[test]
fn colliders_that_move_do_so_in_the_animation_and_others_cost_nothing() {
    use crate::math::Vec3;
    use crate::output::scenery::Scenery;
    let scene = crate::scene::Scene::parse(MOVING, "t", ".".as_ref(), &[]).unwrap();
    let (frames, rate) = (11, scene.time.frame_rate);
    let bounds = crate::output::Bounds { low: [-0.5; 3], high: [0.5; 3] };
    let (model, _) = crate::model::Model::new(&scene).unwrap();
    let scenery_of = || Scenery::of(&scene, &model, bounds, 4.0);
    let still: Vec<Vec<[f64; 3]>> = scenery_of().iter().map(|s| s.points_at(0.0)).collect();
    let scenery = scenery_of().into_iter().map(|s| s.animated(0.0, frames, rate)).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.glb");
    let options = GlbOptions { frame_rate: rate, ..GlbOptions::default() };
    let mut writer = GlbWriter::create(&path, scene_bodies(), scenery, options).unwrap();
    (0..frames).for_each(|frame| writer.add_frame(points(frame)).unwrap());
    assert_eq!(writer.finish().unwrap().bytes, std::fs::metadata(&path).unwrap().len());
    let glb = parse(&path);
    (0..glb.json["accessors"].as_array().unwrap().len()).for_each(|accessor| drop(glb.floats(accessor)));

    let channels = glb.json["animations"][0]["channels"].as_array().unwrap();
    let moved: Vec<(u64, &str)> = channels
        .iter()
        .map(|c| (c["target"]["node"].as_u64().unwrap(), c["target"]["path"].as_str().unwrap()))
        .filter(|(_, path)| *path != "weights")
        .collect();
    assert_eq!(moved, [(2, "translation"), (3, "translation"), (3, "rotation"), (4, "translation")]);
    for (k, described) in scene.collider.iter().enumerate() {
        let node = 2 + k;
        let own = glb.points(Parsed::number(&glb.json["meshes"][node]["primitives"][0]["attributes"]["POSITION"]));
        let [translations, rotations] = ["translation", "rotation"].map(|path| glb.track(node, path, frames));
        for frame in 0..frames {
            let (q, t) = (&rotations[frame], &translations[frame]);
            assert!((q.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 1e-6, "a unit quaternion");
            if frame > 0 {
                let turn: f64 = q.iter().zip(&rotations[frame - 1]).map(|(a, b)| a * b).sum();
                assert!(turn >= 0.0, "the shorter way");
            }
            let posed = model.colliders[k].at::<f64>(frame as f64 / rate);
            for (i, p) in own.iter().enumerate() {
                let x = placed(*p, q, t);
                let (distance, _) = posed.distance(x);
                assert!(distance.abs() < 1e-5, "{} at frame {frame}: {distance}", described.name);
                if frame == 0 {
                    let expected = Vec3::of(still[k][i]);
                    assert!((x - expected).length() < 1e-5, "{}", described.name);
                }
                if described.name == "box" {
                    // Faces look alike: compare each corner with where the collider puts it.
                    let expected = posed.place(Vec3::of(p.map(f64::from)));
                    assert!((x - expected).length() < 1e-5, "frame {frame}: {x:?} {expected:?}");
                }
            }
        }
        assert_eq!(glb.json["nodes"][node]["rotation"].is_null(), ["wall", "late"].contains(&&*described.name));
    }
}

fn scene_bodies() -> Vec<GlbBody> {
    scene().0
}

#[test]
fn poses_that_are_missing_or_not_finite_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let (bodies, mut scenery) = scene();
    let mut told = |poses: Vec<GlbPose>| {
        scenery[0].poses = poses;
        let mut store = FrameStore::open_or_create(&folder.path().join("frames"), 8).unwrap();
        store.truncate(0).unwrap();
        (0..3).for_each(|frame| store.append(points(frame)).unwrap());
        write(&folder.path().join("a.glb"), &mut store, &bodies, &scenery, &GlbOptions::default())
            .unwrap_err()
            .to_string()
    };
    let pose = GlbPose { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
    assert!(told(vec![pose; 2]).contains("`floor` has 2 poses"));
    let lost = GlbPose { translation: [f64::NAN; 3], ..pose };
    assert!(told(vec![pose, lost, pose]).contains("not finite"));
}

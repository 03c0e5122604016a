use super::*;

const SCENE: &str = "
    pliant = 1
    [[cloth]]
    resolution = 4
    position = [0, 1, 0]
    thickness = 0.01
    [[collider]]
    shape = 'sphere'
    radius = 0.2
    velocity = [1, 0, 0]
    [[collider]]
    shape = 'half-space'
    position = [0, 0.995, 0]
";

fn scene() -> (Scene, Model, State) {
    let scene = Scene::parse(SCENE, "napkin", ".".as_ref(), &[]).unwrap();
    let (model, state) = Model::new(&scene).unwrap();
    (scene, model, state)
}

/// Kind, view, flags, generation, facts, and what follows.
fn parsed(message: &[u8]) -> (u8, u8, u8, u32, Value, &[u8]) {
    let word = |at: usize| u32::from_le_bytes(message[at..at + 4].try_into().unwrap());
    let length = word(8) as usize;
    assert_eq!((message[1], length % 4, message.len() % 4), (VERSION, 0, 0));
    let facts = serde_json::from_slice(&message[12..12 + length]).unwrap();
    (message[0], message[2], message[3], word(4), facts, &message[12 + length..])
}

fn f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}

#[test]
fn the_topology_has_all_arrays_that_its_text_announces() {
    let (scene, model, state) = scene();
    let show = Show::new(&scene, &model, &state, 7);
    let (kind, _, _, generation, facts, arrays) = parsed(show.topology());
    assert_eq!((kind, generation), (TOPOLOGY, 7));
    let count = |value: &Value| value.as_u64().unwrap() as usize;
    let [n, triangles, edges] = ["vertices", "triangles", "edges"].map(|key| count(&facts[key]));
    assert_eq!((n, triangles, edges), (16, 18, model.edges.len()));
    let things: usize =
        facts["scenery"].as_array().unwrap().iter().map(|t| 12 * (count(&t["points"]) + count(&t["triangles"]))).sum();
    assert_eq!(arrays.len(), 12 * n + 12 * triangles + 8 * edges + (2 * n).next_multiple_of(4) + things);
    assert_eq!(f32s(&arrays[..12]), model.rest_x[0].map(|c| c as f32));
    let moves: Vec<_> = facts["scenery"].as_array().unwrap().iter().map(|t| t["moves"].clone()).collect();
    assert_eq!(moves, [true, false]);
    let colours = &arrays[12 * n + 12 * triangles + 8 * edges..][..2 * n];
    let largest = colours.chunks(2).map(|c| u16::from_le_bytes([c[0], c[1]])).max().unwrap();
    assert_eq!(count(&facts["colours"]), usize::from(largest) + 1);
    assert!(facts["low"][1].as_f64().unwrap() <= 1.0 && facts["high"][0].as_f64().unwrap() >= 0.5);
}

#[test]
fn positions_come_back_to_a_part_of_their_extent_and_poses_follow_colliders() {
    let (scene, model, mut state) = scene();
    let show = Show::new(&scene, &model, &state, 1);
    state.x[3] = [0.123_456, -2.0, 7.5];
    let residual: Vec<f64> = (0..16).map(f64::from).collect();
    let shown = ShownFrame { view: 1, x: &state.x, residual: Some(&residual) };
    let facts = FrameFacts { time: 2.0, min_gap: None, held: vec![3], ..FrameFacts::default() };
    let message = show.frame(&shown, &facts);
    let (kind, view, flags, _, facts, arrays) = parsed(&message);
    assert_eq!((kind, view, flags), (FRAME, 1, HAS_RESIDUALS));
    assert_eq!((&facts["held"], &facts["min_gap"]), (&json!([3]), &Value::Null));
    assert_eq!(facts["poses"][0][0], 2.0);
    assert!(facts["poses"][1].is_null());
    let head = f32s(&arrays[..16]);
    for (i, x) in state.x.iter().enumerate() {
        for k in 0..3 {
            let at = 16 + 2 * (3 * i + k);
            let whole = u16::from_le_bytes([arrays[at], arrays[at + 1]]);
            let back = f64::from(head[k]) + f64::from(head[3]) * f64::from(whole);
            assert!((back - x[k]).abs() < 0.51 * 9.5 / 65535.0, "{i} {k}: {back} for {}", x[k]);
        }
    }
    let shares = &arrays[16 + 96..];
    assert_eq!(f32s(&shares[..4]), [15.0]);
    assert_eq!((shares[4], shares[4 + 15], shares[4 + 5]), (0, 255, 85));
}

#[test]
fn a_cloth_at_one_point_and_one_gone_to_infinity_are_no_panic() {
    let (scene, model, state) = scene();
    let show = Show::new(&scene, &model, &state, 1);
    for place in [[0.25; 3], [f64::NAN; 3], [1e38; 3], [f64::INFINITY; 3]] {
        let x = vec![place; 16];
        let message = show.frame(&ShownFrame { view: 0, x: &x, residual: None }, &FrameFacts::default());
        assert_eq!(parsed(&message).5.len(), 16 + 96);
    }
}

#[test]
fn what_touches_is_counted_where_colliders_are() {
    let (_, model, state) = scene();
    assert_eq!(model.touching(&state.x, 0.0), 16);
    let high: Vec<[f64; 3]> = state.x.iter().map(|x| [x[0], x[1] + 0.0065, x[2]]).collect();
    assert_eq!(model.touching(&high, 0.0), 0);
}

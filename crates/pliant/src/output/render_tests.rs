use super::*;

const SQUARE: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

/// A level square, seen counter-clockwise from above.
fn square(half: f64, y: f64) -> Vec<[f64; 3]> {
    vec![[-half, y, half], [half, y, half], [half, y, -half], [-half, y, -half]]
}

fn surface<'a>(points: &'a [[f64; 3]], triangles: &'a [[u32; 3]], colour: [f32; 3]) -> Surface<'a> {
    Surface { points, triangles, colour, two_sided: true, endless: false }
}

fn from_above(half: f64) -> Stage {
    let bounds = Bounds { low: [-half, 0.0, -half], high: [half, half, half] };
    let camera = Camera::framing_from(bounds, 1.0, 0.0, 89.0);
    Stage { width: 96, height: 96, camera, bounds, ground: None }
}

fn brightness(image: &Image, x: usize, y: usize) -> u32 {
    image.pixel(x, y).unwrap().iter().map(|c| u32::from(*c)).sum()
}

/// Where a point falls in the picture.
fn place(stage: &Stage, point: [f64; 3]) -> (usize, usize) {
    let [x, y, _] = stage.camera.project(point);
    (((x + 1.0) * 0.5 * stage.width as f64) as usize, ((1.0 - y) * 0.5 * stage.height as f64) as usize)
}

#[test]
fn a_surface_is_seen_where_it_is_and_the_background_elsewhere() {
    let points = square(0.5, 0.0);
    let stage = from_above(1.0);
    let empty = render(&stage, &[]);
    let image = render(&stage, &[surface(&points, &SQUARE, [0.9, 0.1, 0.1])]);
    for (x, z, inside) in
        [(0.0, 0.0, true), (0.45, -0.45, true), (-0.45, 0.3, true), (0.56, 0.0, false), (0.0, -0.56, false)]
    {
        let (px, py) = place(&stage, [x, 0.0, z]);
        let [r, g, _] = image.pixel(px, py).unwrap();
        assert_eq!(r > g.saturating_add(40), inside, "at {x}, {z}");
        assert_eq!(image.pixel(px, py) == empty.pixel(px, py), !inside);
    }
}

#[test]
fn what_is_nearer_hides_what_is_farther() {
    let (low, high) = (square(0.6, 0.0), square(0.2, 0.3));
    let red = surface(&low, &SQUARE, [0.9, 0.1, 0.1]);
    let blue = surface(&high, &SQUARE, [0.1, 0.1, 0.9]);
    let stage = from_above(1.0);
    for order in [[red, blue], [blue, red]] {
        let image = render(&stage, &order);
        let (x, y) = place(&stage, [0.0, 0.3, 0.0]);
        let [r, _, b] = image.pixel(x, y).unwrap();
        assert!(b > r);
        let (x, y) = place(&stage, [0.5, 0.0, 0.5]);
        let [r, _, b] = image.pixel(x, y).unwrap();
        assert!(r > b);
    }
}

#[test]
fn shadows_fall_on_surfaces_and_on_the_ground_and_nowhere_else() {
    let (floor, lid) = (square(1.0, 0.0), square(0.25, 0.5));
    let bounds = Bounds { low: [-1.0, 0.0, -1.0], high: [1.0, 0.6, 1.0] };
    let camera = Camera::framing_from(bounds, 1.0, 0.0, 50.0);
    for ground in [None, Some(0.0)] {
        let stage = Stage { width: 128, height: 128, camera, bounds, ground };
        let lid_surface = surface(&lid, &SQUARE, [0.6; 3]);
        let floor_surface = surface(&floor, &SQUARE, [0.6; 3]);
        let (mut without, mut with) = (vec![], vec![lid_surface]);
        if ground.is_none() {
            without.push(floor_surface);
            with.push(floor_surface);
        }
        let (open, shaded) = (render(&stage, &without), render(&stage, &with));
        // The sun stands at (−0.45, 1, 0.8): from half a metre up the shadow falls 0.225 m to the right and 0.4 m back; this
        // part of it is not behind the lid.
        let (x, y) = place(&stage, [0.4, 0.0, -0.4]);
        assert!(brightness(&shaded, x, y) * 10 < brightness(&open, x, y) * 9, "ground {ground:?}");
        let (x, y) = place(&stage, [-0.8, 0.0, 0.8]);
        assert!(brightness(&shaded, x, y) * 100 > brightness(&open, x, y) * 97);
    }
}

#[test]
fn an_open_flat_sheet_does_not_shadow_itself() {
    let n = 40_usize;
    let points: Vec<[f64; 3]> =
        (0..n * n).map(|i| [(i % n) as f64 / 20.0 - 1.0, 0.0, 1.0 - (i / n) as f64 / 20.0]).collect();
    let mut triangles = Vec::new();
    for i in (0..n * (n - 1)).filter(|i| i % n < n - 1) {
        let i = i as u32;
        triangles.extend([[i, i + 1, i + n as u32], [i + 1, i + n as u32 + 1, i + n as u32]]);
    }
    let stage = from_above(1.2);
    let image = render(&stage, &[surface(&points, &triangles, [0.6; 3])]);
    let middle = brightness(&image, 48, 48);
    for (x, y) in [(30, 30), (40, 52), (60, 35), (55, 60), (35, 58)] {
        assert!(brightness(&image, x, y).abs_diff(middle) < 20, "{} beside {middle}", brightness(&image, x, y));
    }
}

#[test]
fn one_sided_surfaces_are_seen_from_outside_only() {
    let points = square(0.5, 0.0);
    let flipped = [[0, 2, 1], [0, 3, 2]];
    let stage = from_above(1.0);
    let empty = render(&stage, &[]);
    let one_sided = |triangles| Surface { two_sided: false, ..surface(&points, triangles, [0.9, 0.1, 0.1]) };
    assert_ne!(render(&stage, &[one_sided(&SQUARE)]), empty);
    assert_eq!(render(&stage, &[one_sided(&flipped)]), empty);
}

#[test]
fn any_number_of_threads_gives_the_same_picture() {
    let points: Vec<[f64; 3]> = (0..400)
        .map(|i| {
            let (x, z) = ((i % 20) as f64 / 19.0, (i / 20) as f64 / 19.0);
            [x, 0.3 + 0.1 * (9.0 * x).sin() * (7.0 * z).cos(), z]
        })
        .collect();
    let triangles: Vec<[u32; 3]> = (0..380).filter(|i| i % 20 < 19).map(|i| [i, i + 20, i + 1]).collect();
    let stage = Stage::framing(Bounds::of(&points), 160, 120, Some(0.0));
    let picture = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| render(&stage, &[surface(&points, &triangles, [0.3, 0.5, 0.7])]))
    };
    let one = picture(1);
    for threads in [2, 3, 7] {
        assert!(picture(threads) == one, "{threads} threads");
    }
}

#[test]
fn surfaces_around_and_behind_the_camera_and_broken_ones_are_harmless() {
    let mut points = square(50.0, 0.1);
    let stage = Stage { ground: Some(0.0), ..from_above(1.0) };
    render(&stage, &[surface(&points, &SQUARE, [0.5; 3])]);
    let inside = Stage { camera: Camera { eye: [0.0, 0.1, 0.0], ..stage.camera }, ..stage };
    render(&inside, &[surface(&points, &SQUARE, [0.5; 3])]);
    points[0] = [f64::NAN; 3];
    points[2] = [1e300, 0.0, 0.0];
    render(&stage, &[surface(&points, &SQUARE, [f32::NAN, 9.0, -1.0])]);
    render(&Stage { width: 0, ..stage }, &[]);
    render(&Stage { bounds: Bounds::EMPTY, ..stage }, &[surface(&square(0.5, 0.0), &SQUARE, [0.5; 3])]);
}

#[test]
fn a_plane_without_end_has_lines_and_fades_away() {
    // It rises to the right.
    let corner = |x: f64, z: f64| [x, 0.3 * x, z];
    let points = [corner(-20.0, 20.0), corner(20.0, 20.0), corner(20.0, -20.0), corner(-20.0, -20.0)];
    let bounds = Bounds { low: [-1.0; 3], high: [1.0; 3] };
    let seen = |half: f64, endless: bool| {
        let wide = Bounds { low: [-half; 3], high: [half; 3] };
        let camera = Camera::framing_from(wide, 1.0, 0.0, 80.0);
        let stage = Stage { width: 96, height: 96, camera, bounds, ground: None };
        let plane = Surface { two_sided: false, endless, ..surface(&points, &SQUARE, [0.5; 3]) };
        (render(&stage, &[plane]), render(&stage, &[]))
    };
    let ((lined, _), (plain, _)) = (seen(0.5, true), seen(0.5, false));
    let darker = |(x, y): (usize, usize)| brightness(&plain, x, y) > brightness(&lined, x, y) + 8;
    let dark = (0..96 * 96).filter(|i| darker((i % 96, i / 96))).count();
    assert!((96..96 * 20).contains(&dark), "{dark}");
    let (far, nothing) = seen(12.0, true);
    assert_eq!(far.pixel(2, 48), nothing.pixel(2, 48));
    assert_ne!(far.pixel(48, 48), nothing.pixel(48, 48));
}

//! Cost of finding what is close, f32: two sheets that lie on each other, and a crumpled heap, at several sizes.
//!
//! `cargo bench -p pliant --bench close`

use pliant::contact::close::{CloseContacts, CloseLimits, CloseSurface, SurfaceParts};
use pliant::math::SplitMix;
use std::sync::Arc;
use std::time::Instant;

/// A surface and a step of it.
#[derive(Default)]
struct Case {
    name: &'static str,
    rest_x: Vec<[f64; 3]>,
    body: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    start: Vec<[f32; 4]>,
    target: Vec<[f32; 4]>,
    thickness: f64,
}

impl Case {
    /// One more body: a sheet of n × n vertices, 1 cm apart.
    fn add_sheet(&mut self, n: u32, place: impl Fn([f64; 2]) -> [f64; 3]) {
        let (first, body) = (self.rest_x.len() as u32, self.body.last().map_or(0, |b| b + 1));
        for k in 0..n * n {
            let [x, z] = [k % n, k / n].map(|i| 0.01 * f64::from(i));
            let [a, b, c] = place([x, z]).map(|c| c as f32);
            self.rest_x.push([x, 0.0, z]);
            self.start.push([a, b, c, 0.0]);
        }
        self.body.resize(self.rest_x.len(), body);
        for k in 0..(n - 1) * (n - 1) {
            let a = first + k / (n - 1) * n + k % (n - 1);
            let [b, c, d] = [a + 1, a + n, a + n + 1];
            let flip = (k % (n - 1) + k / (n - 1)).is_multiple_of(2);
            self.triangles.extend(if flip { [[a, c, b], [b, c, d]] } else { [[a, d, b], [a, c, d]] });
        }
    }

    /// All would fall by 3 mm, which is weight in a step of 1/60 s, and a little more or less.
    fn fall(mut self) -> Self {
        let mut random = SplitMix(1);
        let target = self.start.iter().map(|[x, y, z, _]| [*x, y - 3e-3 + 1e-3 * random.signed() as f32, *z, 0.0]);
        self.target = target.collect();
        self
    }
}

/// Two sheets, 1.5 mm apart, of 2 mm thickness, turned by 20° and bent a little.
fn stacked(n: u32) -> Case {
    let mut case = Case { name: "stacked", thickness: 2e-3, ..Case::default() };
    let bend = |x: f64, z: f64| 0.02 * (9.0 * x).sin() * (7.0 * z).cos();
    case.add_sheet(n, |[x, z]| [x, bend(x, z), z]);
    let (sin, cos) = 20f64.to_radians().sin_cos();
    let middle = 0.005 * f64::from(n);
    case.add_sheet(n, |[x, z]| {
        let [u, w] = [x - middle, z - middle];
        let [x, z] = [cos * u - sin * w + middle, sin * u + cos * w + middle];
        [x, bend(x, z) + 1.5e-3, z]
    });
    case.fall()
}

/// A sheet in layers that lie on each other, a fifth as long and wide, with waves.
fn heap(n: u32) -> Case {
    let mut case = Case { name: "heap", thickness: 2e-3, ..Case::default() };
    let fifth = 0.002 * f64::from(n);
    case.add_sheet(n, |[x, z]| {
        // Folded to and fro along both axes; each layer lies 2 mm above the one before.
        let fold = |u: f64| {
            let (layer, rest) = ((u / fifth).floor(), u % fifth);
            (layer, if layer % 2.0 == 0.0 { rest } else { fifth - rest })
        };
        let ((i, u), (j, w)) = (fold(x), fold(z));
        let height = 2e-3 * (i + 5.0 * j) + 6e-3 * (40.0 * u).sin() * (30.0 * w).cos();
        [u + 4e-4 * (900.0 * z).sin(), height + 3e-4 * (700.0 * x).sin(), w]
    });
    case.fall()
}

/// Seconds per call: the fastest of several rounds, each of which is long enough for the clock.
fn time(mut f: impl FnMut()) -> f64 {
    f();
    let once = Instant::now();
    f();
    let calls = (0.1 / once.elapsed().as_secs_f64()).clamp(1.0, 1e5) as usize;
    let round = |f: &mut dyn FnMut()| {
        let begun = Instant::now();
        (0..calls).for_each(|_| f());
        begun.elapsed().as_secs_f64() / calls as f64
    };
    (0..5).map(|_| round(&mut f)).fold(f64::INFINITY, f64::min)
}

fn main() {
    println!("| case | vertices | triangles | threads | ms | ns/vertex | vertex-triangle | edge-edge | crowded |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let cases: Vec<Case> = [50, 100, 224].map(stacked).into_iter().chain([141, 316].map(heap)).collect();
    for case in &cases {
        let thickness = vec![case.thickness; case.rest_x.len()];
        let parts =
            SurfaceParts { rest_x: &case.rest_x, thickness: &thickness, body: &case.body, triangles: &case.triangles };
        let surface = Arc::new(CloseSurface::new(&parts));
        // As far as two thicknesses, which is more than the weight of a step.
        let reach = 2.0 * case.thickness as f32;
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut finder = CloseContacts::<f32>::new(surface.clone(), CloseLimits::default());
            let seconds = pool.install(|| {
                time(|| {
                    finder.find(&case.start, &case.target, reach);
                })
            });
            let (report, n) = (finder.report(), case.rest_x.len());
            println!(
                "| {} | {n} | {} | {threads} | {:.2} | {:.0} | {} | {} | {} + {} |",
                case.name,
                case.triangles.len(),
                seconds * 1e3,
                seconds * 1e9 / n as f64,
                report.vertex_triangle,
                report.edge_edge,
                report.crowded_vertices,
                report.crowded_edges
            );
        }
    }
}

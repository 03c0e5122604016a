//! `pliant bench colouring`

use crate::args::{Args, BenchArgs};
use crate::printed::print_json;
use crate::progress::{say, showing};
use crate::table::{Table, short};
use crate::{Exit, command::bench::chosen};
use pliant::colouring::{Algorithm, Colouring, Graph, Recoloured};
use pliant::device::DeviceError;
use pliant::mesh::Mesh;
use pliant::mesh::generate::{grid, solid_box};
use pliant::mesh::topology::{adjacency, edges};
use pliant::scene::Triangulation;
use pliant_gpu::Colourer;
use serde::Serialize;
use serde_json::json;
use std::time::{Duration, Instant};

const SEED: u32 = 0;

/// Of so many vertices one has a contact with another, in the graphs that are recoloured.
const PER_CONTACT: usize = 40;

/// What is coloured: name, number of vertices along a side, and whether it is tets instead of cloth.
const MESHES: [(&str, usize, bool); 5] = [
    ("cloth 10K", 101, false),
    ("cloth 100K", 317, false),
    ("cloth 1M", 1000, false),
    ("tets 55K", 22, true),
    ("tets 1M", 59, true),
];

/// One line of the table.
#[derive(Serialize)]
struct Row {
    mesh: &'static str,
    vertices: usize,
    max_degree: usize,
    algorithm: &'static str,
    device: String,
    colours: usize,
    rounds: usize,
    balance: f64,
    /// Shortest, with the graph on the device, where the colours stay.
    ms: f64,
    /// How long the GPU worked; `None` on the CPU and where it cannot tell.
    gpu_ms: Option<f64>,
    /// How often the host waited for the GPU.
    waits: Option<usize>,
    /// Vertices whose neighbours changed, and which of them changed their colours: only for recolouring.
    #[serde(skip_serializing_if = "Option::is_none")]
    touched: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<usize>,
    valid: bool,
}

pub(crate) fn bench(args: &Args, typed: &BenchArgs) -> anyhow::Result<Exit> {
    let chosen = chosen(typed, &MESHES.map(|(name, ..)| name))?;
    let warm = Duration::from_secs_f64(typed.warm);
    let mut rows = Vec::new();
    for (name, side, is_solid) in MESHES.into_iter().filter(|(name, ..)| chosen.contains(name)) {
        say(&format!("{name}: colouring"));
        let case = Case::new(name, &mesh(side, is_solid)?);
        showing("timing", || case.time(&typed.device, warm, &mut rows))?;
    }
    say(&table(&rows).text());
    if args.json {
        print_json(&json!({ "bench": "colouring", "seed": SEED, "colourings": rows }))?;
    }
    Ok(if rows.iter().all(|row| row.valid) { Exit::Done } else { Exit::DeviceFailed })
}

fn mesh(side: usize, is_solid: bool) -> anyhow::Result<Mesh> {
    Ok(if is_solid {
        solid_box([1.0; 3], [side - 1; 3])?
    } else {
        grid([1.0; 2], [side; 2], Triangulation::Alternating)?
    })
}

/// A graph, and two more with contacts that come and go.
struct Case {
    name: &'static str,
    graph: Graph,
    with_contacts: [Graph; 2],
    touched: Vec<u32>,
}

impl Case {
    fn new(name: &'static str, mesh: &Mesh) -> Self {
        let (n, edges) = (mesh.points.len(), edges(mesh));
        let [some, others] = [1, 2].map(|seed| contacts(n, seed));
        let touched = some.iter().chain(&others).flatten().copied().collect();
        let with_contacts = [some, others].map(|contacts| adjacency(n, &[&edges[..], &contacts].concat()));
        Self { name, graph: adjacency(n, &edges), with_contacts, touched }
    }

    /// A row for each algorithm on the device that was asked for, and on the CPU if that is another.
    fn time(&self, device: &str, warm: Duration, rows: &mut Vec<Row>) -> Result<(), DeviceError> {
        let mut colourers = vec![Colourer::new(device, &self.graph)?];
        if colourers[0].device() != "cpu" {
            colourers.push(Colourer::new("cpu", &self.graph)?);
        }
        for algorithm in Algorithm::ALL {
            for colourer in &mut colourers {
                if colourer.device_of(algorithm) == colourer.device() {
                    rows.push(self.colour(algorithm, colourer, warm)?);
                }
            }
        }
        for colourer in &mut colourers {
            rows.push(self.recolour(colourer, warm)?);
        }
        Ok(())
    }

    fn colour(&self, algorithm: Algorithm, colourer: &mut Colourer, warm: Duration) -> Result<Row, DeviceError> {
        let ms = 1e3
            * shortest(warm, || {
                let begun = Instant::now();
                colourer.colour(algorithm, SEED)?;
                Ok(begun.elapsed())
            })?;
        let mut gpu_ms: Option<f64> = None;
        for _ in 0..5 {
            let again = colourer.colour_timed(algorithm, SEED)?.map(|seconds| 1e3 * seconds);
            gpu_ms = again.map(|again| gpu_ms.map_or(again, |best| best.min(again)));
        }
        Ok(Row { ms, gpu_ms, ..self.row(algorithm.name(), colourer, &self.graph)? })
    }

    /// The contacts go and others come. Each time from a colouring anew: one that has seen both kinds stays as it is.
    fn recolour<'a>(&'a self, colourer: &mut Colourer<'a>, warm: Duration) -> Result<Row, DeviceError> {
        let mut changed = Recoloured::All;
        let ms = 1e3
            * shortest(warm, || {
                colourer.change_graph(&self.with_contacts[0])?;
                colourer.colour(Algorithm::Vivace, SEED)?;
                colourer.change_graph(&self.with_contacts[1])?;
                let begun = Instant::now();
                changed = colourer.recolour(&self.touched, SEED)?;
                Ok(begun.elapsed())
            })?;
        let changed = match changed {
            Recoloured::Some(count) => count,
            Recoloured::All => self.graph.len(),
        };
        let row = self.row("recolour", colourer, &self.with_contacts[1])?;
        Ok(Row { ms, touched: Some(self.touched.len()), changed: Some(changed), ..row })
    }

    /// What was found last, without times.
    fn row(&self, algorithm: &'static str, colourer: &mut Colourer, graph: &Graph) -> Result<Row, DeviceError> {
        let colouring: Colouring = colourer.colouring()?;
        Ok(Row {
            mesh: self.name,
            vertices: graph.len(),
            max_degree: graph.max_degree(),
            algorithm,
            device: colourer.device(),
            colours: colouring.count(),
            rounds: colouring.rounds,
            balance: colouring.balance(),
            ms: 0.0,
            gpu_ms: None,
            waits: colourer.waits(),
            touched: None,
            changed: None,
            valid: colouring.valid(graph),
        })
    }
}

/// Pairs of vertices that touch, wherever they are.
fn contacts(n: usize, seed: u64) -> Vec<[u32; 2]> {
    let mut state = seed;
    let mut vertex = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) % n.max(1) as u64) as u32
    };
    (0..n / PER_CONTACT).map(|_| [vertex(), vertex()]).collect()
}

/// The shortest of ten runs or more, s, after so much work.
fn shortest(warm: Duration, mut run: impl FnMut() -> Result<Duration, DeviceError>) -> Result<f64, DeviceError> {
    let begun = Instant::now();
    // The first ones may have to make things ready.
    for _ in 0..2 {
        run()?;
    }
    while begun.elapsed() < warm {
        run()?;
    }
    let (mut best, mut runs, begun) = (Duration::MAX, 0, Instant::now());
    while runs < 10 || runs < 200 && begun.elapsed() < warm {
        best = best.min(run()?);
        runs += 1;
    }
    Ok(best.as_secs_f64())
}

fn table(rows: &[Row]) -> Table {
    let mut table =
        Table::new(&["mesh", "algorithm", "device", "colours", "rounds", "balance", "ms", "GPU ms", "waits", ""]);
    for row in rows {
        let [colours, rounds] = [row.colours, row.rounds].map(|n| n.to_string());
        let dash = || "-".to_string();
        table.row([
            row.mesh.to_string(),
            row.algorithm.to_string(),
            row.device.clone(),
            colours,
            rounds,
            short(row.balance),
            short(row.ms),
            row.gpu_ms.map_or_else(dash, short),
            row.waits.map_or_else(dash, |waits| waits.to_string()),
            if row.valid { "valid" } else { "WRONG" }.to_string(),
        ]);
    }
    table
}

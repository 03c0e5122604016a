//! `pliant mesh colour`

use crate::Exit;
use crate::args::{Args, ColourArgs};
use crate::printed::{print, print_json};
use crate::progress::{Progress, say};
use crate::table::{Table, short};
use anyhow::Context;
use pliant::colouring::{Algorithm, Colouring, Graph, mesh_graph};
use pliant::counted::counted;
use pliant::device::{DeviceChoice, DeviceError};
use pliant::output::{MatrixPanel, matrix_picture, save_png};
use pliant_gpu::Colourer;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub(crate) fn colour(args: &Args, typed: &ColourArgs) -> anyhow::Result<Exit> {
    // Before a large file is read.
    DeviceChoice::of(&typed.device)?;
    let all = typed.algorithm == "all";
    let algorithms = if all { Algorithm::ALL.to_vec() } else { vec![typed.algorithm.parse()?] };
    // Ctrl-C may end this at once: there is nothing to save.
    let mut progress = Progress::new(args.verbose, Arc::default());
    progress.begin("reading", 0, "");
    let graph = mesh_graph(&pliant::mesh::read(&typed.file)?);
    let mut colourer = Colourer::new(&typed.device, &graph)?;
    let mut on_cpu = Colourer::new("cpu", &graph)?;
    progress.begin("colouring", algorithms.len() as u64, "algorithms");
    let mut found = Vec::new();
    for algorithm in algorithms {
        // To compare all, what no GPU does is done as well.
        let elsewhere = all && colourer.device_of(algorithm) == "cpu";
        let colourer = if elsewhere { &mut on_cpu } else { &mut colourer };
        found.push(Coloured::by(algorithm, &graph, typed.seed, colourer)?);
        progress.set(found.len() as u64);
    }
    progress.clear();
    if let Some(path) = &typed.matrix {
        save_matrix(path, &graph, &found)?;
        say(&path.display().to_string());
    }
    let valid = found.iter().all(|coloured| coloured.valid);
    if args.json {
        print_json(&object(typed, &graph, &found, all, &colourer.device()))?;
    } else {
        print(&format!("{}\n\n{}", summary(&typed.file, &graph), table(&found).text()))?;
    }
    // No input leads there: the device has computed wrong.
    Ok(if valid { Exit::Done } else { Exit::DeviceFailed })
}

/// What an algorithm made of the graph.
struct Coloured {
    algorithm: Algorithm,
    device: String,
    colouring: Colouring,
    /// Time with the graph on the device, where the colours stay.
    ms: f64,
    /// Waits for a GPU.
    waits: Option<usize>,
    valid: bool,
}

impl Coloured {
    /// How often it is done; the quickest counts.
    const TIMES: usize = 3;

    fn by(algorithm: Algorithm, graph: &Graph, seed: u32, colourer: &mut Colourer) -> Result<Self, DeviceError> {
        let mut ms = f64::INFINITY;
        for _ in 0..Self::TIMES {
            let begun = Instant::now();
            colourer.colour(algorithm, seed)?;
            ms = ms.min(begun.elapsed().as_secs_f64() * 1e3);
        }
        let colouring = colourer.colouring()?;
        let valid = colouring.valid(graph);
        let (device, waits) = (colourer.device_of(algorithm), colourer.waits());
        Ok(Self { algorithm, device, colouring, ms, waits, valid })
    }

    fn object(&self, graph: &Graph) -> Value {
        json!({
            "algorithm": self.algorithm.name(),
            "vertices": graph.len(),
            "max_degree": graph.max_degree(),
            "colours": self.colouring.count(),
            "rounds": self.colouring.rounds,
            "balance": self.colouring.balance(),
            "ms": self.ms,
            "device": self.device,
            "waits": self.waits,
            "valid": self.valid,
        })
    }
}

fn object(typed: &ColourArgs, graph: &Graph, found: &[Coloured], all: bool, device: &str) -> Value {
    let mut object = match found {
        [one] if !all => one.object(graph),
        _ => json!({ "colourings": found.iter().map(|coloured| coloured.object(graph)).collect::<Vec<_>>() }),
    };
    object["file"] = typed.file.display().to_string().into();
    if all {
        object["device"] = device.into();
    }
    object["seed"] = typed.seed.into();
    if let Some(path) = &typed.matrix {
        object["matrix"] = path.display().to_string().into();
    }
    object
}

fn summary(file: &Path, graph: &Graph) -> String {
    let (vertices, edges, most) = (graph.len(), graph.item.len() / 2, graph.max_degree());
    format!(
        "{}: {}, {}, at most {}",
        file.display(),
        counted(vertices, "vertex", "vertices"),
        counted(edges, "edge", "edges"),
        counted(most, "neighbour", "neighbours")
    )
}

fn table(found: &[Coloured]) -> Table {
    let mut table = Table::new(&["algorithm", "device", "colours", "rounds", "balance", "ms", ""]);
    for Coloured { algorithm, device, colouring, ms, valid, .. } in found {
        let [colours, rounds] = [colouring.count(), colouring.rounds].map(|n| n.to_string());
        let [balance, ms] = [colouring.balance(), *ms].map(short);
        let verdict = if *valid { "valid" } else { "WRONG" }.to_string();
        table.row([algorithm.name().to_string(), device.clone(), colours, rounds, balance, ms, verdict]);
    }
    table
}

fn save_matrix(path: &Path, graph: &Graph, found: &[Coloured]) -> anyhow::Result<()> {
    let caption = |coloured: &Coloured| {
        let (colours, balance) = (coloured.colouring.count(), short(coloured.colouring.balance()));
        format!("{}, balance {balance}, {} ms", counted(colours, "colour", "colours"), short(coloured.ms))
    };
    let captions: Vec<String> = found.iter().map(caption).collect();
    let unordered = format!("{} vertices, {} edges", graph.len(), graph.item.len() / 2);
    let mut panels = vec![MatrixPanel { title: "unordered", caption: &unordered, sorted_by: None }];
    panels.extend(found.iter().zip(&captions).map(|(coloured, caption)| MatrixPanel {
        title: coloured.algorithm.name(),
        caption,
        sorted_by: Some(&coloured.colouring),
    }));
    save_png(path, &matrix_picture(graph, &panels))
        .with_context(|| format!("{}: the picture cannot be written; choose another --matrix", path.display()))
}

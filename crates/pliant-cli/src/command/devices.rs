//! `pliant devices`

use crate::Exit;
use crate::args::Args;
use crate::printed::{print, print_json};
use crate::table::pairs;
use pliant_gpu::{AdapterInfo, Choice, Kind, adapters, chosen};
use serde_json::{Value, json};

pub(crate) fn devices(args: &Args) -> anyhow::Result<Exit> {
    let (cpu, gpus) = (Processor::this(), adapters());
    let auto = chosen(&Choice::Auto, &gpus).ok();
    let gpu = chosen(&Choice::Any, &gpus).ok();
    if args.json {
        let mut all = vec![cpu.json(auto.is_none())];
        all.extend(gpus.iter().map(|info| json_of(info, auto.is_some_and(|auto| std::ptr::eq(auto, info)))));
        let auto = auto.map_or("cpu".to_string(), full_name);
        print_json(&json!({ "devices": all, "auto": auto, "gpu": gpu.map(full_name) }))?;
        return Ok(Exit::Done);
    }
    let mut text = cpu.text();
    for info in &gpus {
        text.push_str(&text_of(info));
    }
    let none = if gpus.is_empty() {
        "nothing: there is no GPU with a Vulkan, Metal or Direct3D 12 driver"
    } else {
        "nothing: none can be used"
    };
    let cpu = if gpus.is_empty() { "cpu: there is no GPU" } else { "cpu: there is no hardware GPU that can be used" };
    text.push_str(&format!("--device auto takes {}\n", auto.map_or(cpu.to_string(), full_name)));
    text.push_str(&format!("--device gpu takes {}\n", gpu.map_or(none.to_string(), full_name)));
    print(&text)?;
    Ok(Exit::Done)
}

/// What one types after `--device`.
fn full_name(info: &AdapterInfo) -> String {
    format!("gpu:{}", info.name)
}

fn kind(info: &AdapterInfo) -> &'static str {
    match info.kind {
        Kind::Discrete => "graphics card",
        Kind::Integrated => "in the processor",
        Kind::Virtual => "virtual",
        Kind::Other => "unknown",
        Kind::Software => "software",
    }
}

fn json_of(info: &AdapterInfo, default: bool) -> Value {
    json!({
        "name": full_name(info),
        "kind": "gpu",
        "model": info.name,
        "backend": info.backend,
        "driver": info.driver,
        "type": kind(info),
        "hardware": info.kind.is_hardware(),
        "max_buffer_bytes": info.largest_buffer(),
        "max_storage_buffers": info.max_storage_buffers,
        "max_workgroup_invocations": info.max_invocations,
        "max_workgroup_bytes": info.max_workgroup_storage,
        "subgroup_sizes": info.subgroup_sizes,
        "timestamps": info.timestamps,
        "lacks": info.lacks(),
        "precisions": ["f32"],
        "default": default,
    })
}

fn text_of(info: &AdapterInfo) -> String {
    let [least, most] = info.subgroup_sizes;
    let subgroups = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let kib = info.max_workgroup_storage >> 10;
    let hardware = if info.kind.is_hardware() { "hardware, " } else { "" };
    let mut lines = vec![
        ("type", format!("{hardware}{}", kind(info))),
        ("backend", info.backend.clone()),
        ("driver", info.driver.clone()),
        ("precision", "f32".to_string()),
        ("largest buffer", format!("{} MiB", info.largest_buffer() >> 20)),
        (
            "kernels",
            format!(
                "{} storage buffers, {} invocations and {kib} KiB in a workgroup, subgroups of {subgroups}",
                info.max_storage_buffers, info.max_invocations
            ),
        ),
        ("GPU time", if info.timestamps { "can be measured" } else { "cannot be measured" }.to_string()),
    ];
    if let Some(lacks) = info.lacks() {
        lines.push(("cannot be used", format!("it has no {lacks}")));
    }
    format!("{}\n{}\n", full_name(info), pairs(&lines))
}

/// The CPU.
struct Processor {
    model: Option<String>,
    cores: usize,
    /// That simulations use.
    threads: usize,
    features: Vec<&'static str>,
}

impl Processor {
    fn this() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let limit = std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
        Self { model: model(), cores, threads: limit.unwrap_or(cores), features: features() }
    }

    fn json(&self, default: bool) -> Value {
        json!({
            "name": "cpu",
            "kind": "cpu",
            "model": self.model,
            "cores": self.cores,
            "threads": self.threads,
            "features": self.features,
            "precisions": ["f32", "f64"],
            "default": default,
        })
    }

    fn text(&self) -> String {
        let lines = [
            ("model", self.model.clone().unwrap_or("unknown".to_string())),
            ("cores", format!("{}, of which {} are used", self.cores, self.threads.min(self.cores))),
            ("vectors", self.features.join(" ")),
            ("precision", "f32, f64".to_string()),
        ];
        format!("cpu\n{}\n", pairs(&lines))
    }
}

/// What the machine calls its processor, where that is easy to find out.
fn model() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

fn features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let all = [
        ("sse4.2", is_x86_feature_detected!("sse4.2")),
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
    ];
    #[cfg(target_arch = "aarch64")]
    let all = [("neon", true)];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let all: [(&str, bool); 0] = [];
    all.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

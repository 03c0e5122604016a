//! `pliant devices`

use crate::Exit;
use crate::args::Args;
use crate::printed::{print, print_json};
use crate::table::Table;
use serde_json::json;

pub(crate) fn devices(args: &Args) -> anyhow::Result<Exit> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let limit = std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
    let threads = limit.unwrap_or(cores);
    let (model, features) = (model(), features());
    if args.json {
        let cpu = json!({
            "name": "cpu",
            "kind": "cpu",
            "model": model,
            "cores": cores,
            "threads": threads,
            "features": features,
            "precisions": ["f32", "f64"],
            "default": true,
        });
        print_json(&json!({ "devices": [cpu] }))?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&["device", "cores", "threads", "SIMD", "model"]);
    let model = model.unwrap_or_default();
    table.row(["cpu".to_string(), cores.to_string(), threads.to_string(), features.join(" "), model]);
    print(&table.text())?;
    Ok(Exit::Done)
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

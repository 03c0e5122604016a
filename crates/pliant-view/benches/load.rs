//! What it costs a simulation to be looked at: steps of a tablecloth without a viewer, and with one driver, eight that watch
//! and one that never reads, in turns.
//!
//!     cargo bench -p pliant-view --bench load -- [seconds=60] [rounds=3] [watchers=8] [iterations=30]
#![allow(missing_docs)]

use futures_util::{SinkExt, StreamExt};
use pliant::device::CpuOnly;
use pliant::scene::Scene;
use pliant::step::Simulation;
use pliant_view::{Address, ViewOptions, serve};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

fn main() {
    let given = |key: &str, default: f64| {
        let prefix = format!("{key}=");
        let found = std::env::args().find_map(|argument| argument.strip_prefix(&prefix).map(str::to_string));
        found.and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (seconds, rounds) = (given("seconds", 60.0), given("rounds", 3.0) as usize);
    let (watchers, iterations) = (given("watchers", 8.0) as usize, given("iterations", 30.0) as usize);
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/tablecloth.toml");
    let set = [("time.frame_rate", "60"), ("solver.method", "pd-jacobi-chebyshev"), ("device.name", "cpu")];
    let set: Vec<_> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let mut scene = Scene::read(&path, &set).unwrap_or_else(|error| panic!("{error}"));
    scene.solver.iterations = Some(iterations);
    println!("10,201 vertices, {iterations} iterations of pd-jacobi-chebyshev a step, 60 frames a second");
    println!(
        "ms a step: alone median, 95 %; looked at median, 95 %; frames a second; to a watcher; MiB at 5 s and at the end"
    );
    for _ in 0..rounds {
        let alone = alone(&scene, 600);
        let viewed = viewed(&scene, seconds, watchers);
        let quantiles = |ms: &[f64]| [0.5, 0.95].map(|part| quantile(ms, part));
        let ([a, b], [c, d]) = (quantiles(&alone), quantiles(&viewed.ms));
        let rate = viewed.ms.len() as f64 / seconds;
        let [before, after] = viewed.memory;
        println!("{a:.2} {b:.2}; {c:.2} {d:.2}; {rate:.1}; {:.1}; {before:.1} {after:.1}", viewed.watched / seconds);
    }
}

fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * part) as usize]
}

/// Steps at the pace of the viewer, which sleeps between frames.
fn alone(scene: &Scene, frames: usize) -> Vec<f64> {
    let mut simulation = Simulation::new(scene).unwrap_or_else(|error| panic!("{error}"));
    let mut next = Instant::now();
    let step = |_| {
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        next = (next + Duration::from_secs_f64(1.0 / 60.0)).max(Instant::now());
        simulation.step().unwrap_or_else(|error| panic!("{error}")).ms
    };
    (0..frames).map(step).collect()
}

struct Viewed {
    ms: Vec<f64>,
    /// Frames that a watcher got, in the mean.
    watched: f64,
    /// Of this process, MiB.
    memory: [f64; 2],
}

fn viewed(scene: &Scene, seconds: f64, watchers: usize) -> Viewed {
    let (stop, ms) = (AtomicBool::new(false), Arc::new(Mutex::new(Vec::new())));
    let got = Arc::new(AtomicU64::new(0));
    let (tell, told) = mpsc::channel::<Address>();
    let mut memory = [0.0; 2];
    std::thread::scope(|scope| {
        let (scene, stop) = (scene.clone(), &stop);
        let options = ViewOptions { port: Some(0), ..ViewOptions::default() };
        scope.spawn(move || serve(&CpuOnly, scene, &options, stop, |address| drop(tell.send(address.clone()))));
        let port = told.recv().map(|address| address.socket.port()).unwrap_or_else(|error| panic!("{error}"));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap_or_else(|error| panic!("{error}"));
        let url = format!("ws://127.0.0.1:{port}/ws");
        runtime.spawn(drive(url.clone(), ms.clone()));
        std::thread::sleep(Duration::from_millis(300));
        (0..watchers).for_each(|_| drop(runtime.spawn(watch(url.clone(), got.clone()))));
        runtime.spawn(stall(url));
        std::thread::sleep(Duration::from_secs(5));
        memory[0] = resident();
        ms.lock().map(|mut ms| ms.clear()).unwrap_or_default();
        got.store(0, Ordering::Relaxed);
        std::thread::sleep(Duration::from_secs_f64(seconds));
        memory[1] = resident();
        stop.store(true, Ordering::Relaxed);
    });
    let ms = ms.lock().map(|ms| ms.clone()).unwrap_or_default();
    Viewed { ms, watched: got.load(Ordering::Relaxed) as f64 / watchers.max(1) as f64, memory }
}

/// Time of the step of a frame, ms.
fn ms_of(message: &Message) -> Option<f64> {
    let Message::Binary(bytes) = message else { return None };
    let length = u32::from_le_bytes(bytes.get(8..12)?.try_into().ok()?) as usize;
    let facts: serde_json::Value = serde_json::from_slice(bytes.get(12..12 + length)?).ok()?;
    if bytes[0] == 2 { facts["ms"].as_f64() } else { None }
}

/// As browsers do: what is sent goes at once.
async fn connect(url: String) -> Option<WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>> {
    connect_async_with_config(url, None, true).await.ok().map(|(socket, _)| socket)
}

/// Drags the middle of the cloth about.
async fn drive(url: String, ms: Arc<Mutex<Vec<f64>>>) {
    let Some(mut socket) = connect(url).await else { return };
    let grab = r#"{"do":"grab","vertex":5100,"target":[0,1.2,0]}"#;
    let _ = socket.send(Message::text(grab)).await;
    let mut n = 0;
    while let Some(Ok(message)) = socket.next().await {
        let Some(step) = ms_of(&message) else { continue };
        ms.lock().map(|mut all| all.push(step)).unwrap_or_default();
        n += 1;
        let angle = 0.05 * f64::from(n);
        let target =
            format!(r#"{{"do":"drag","target":[{},{},0],"n":{n}}}"#, 0.2 * angle.sin(), 1.2 + 0.1 * angle.cos());
        for text in [target.as_str(), r#"{"do":"seen"}"#] {
            let _ = socket.send(Message::text(text)).await;
        }
    }
}

async fn watch(url: String, got: Arc<AtomicU64>) {
    let Some(mut socket) = connect(url).await else { return };
    while let Some(Ok(message)) = socket.next().await {
        if message.is_binary() {
            got.fetch_add(1, Ordering::Relaxed);
            let _ = socket.send(Message::text(r#"{"do":"seen"}"#)).await;
        }
    }
}

async fn stall(url: String) {
    let Some(_unread) = connect(url).await else { return };
    std::future::pending::<()>().await;
}

/// Memory that this process has in use, MiB; 0 where the system does not tell.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0.0);
    pages * 4096.0 / (1 << 20) as f64
}

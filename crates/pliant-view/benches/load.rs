//! What it costs a simulation to be looked at: steps of a tablecloth without a viewer, and with one driver, eight that watch
//! and one that never reads, in turns. Clients, and the simulation without a viewer, are processes of their own: the memory that is
//! told is the server's alone.
//!
//!     cargo bench -p pliant-view --bench load -- [seconds=60] [rounds=3] [watchers=8] [iterations=30]
#![allow(missing_docs)]

use futures_util::{SinkExt, StreamExt};
use pliant::device::CpuOnly;
use pliant::scene::Scene;
use pliant::step::Simulation;
use pliant_view::{Address, ViewOptions, serve};
use serde_json::{Value, json};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// Until all clients are there, and what they need at first is made, s.
const BEGINNING: f64 = 5.0;

/// So often memory is looked at in a round.
const LOOKS: usize = 4;

fn main() {
    let given = |key: &str, default: f64| {
        let prefix = format!("{key}=");
        let found = std::env::args().find_map(|argument| argument.strip_prefix(&prefix).map(str::to_string));
        found.and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (seconds, rounds) = (given("seconds", 60.0), given("rounds", 3.0) as usize);
    let (watchers, iterations) = (given("watchers", 8.0) as usize, given("iterations", 30.0) as usize);
    // What a process of ours is to be.
    match given("port", -1.0) {
        0.0 => return println!("{}", json!({ "ms": alone(&scene(iterations), 600) })),
        port if port > 0.0 => return println!("{}", clients(port as u16, seconds, watchers)),
        _ => {}
    }
    println!("10,201 vertices, {iterations} iterations of pd-jacobi-chebyshev a step, 60 frames a second");
    println!("ms a step: alone median, 95 %; looked at median, 95 %; frames a second; to a watcher; MiB of the server");
    for _ in 0..rounds {
        let alone = told(process(&["port=0".to_string(), format!("iterations={iterations}")]));
        let (looked, memory) = viewed(&scene(iterations), seconds, watchers);
        let ms =
            |told: &Value| told["ms"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect::<Vec<_>>();
        let quantiles = |ms: &[f64]| [0.5, 0.95].map(|part| quantile(ms, part));
        let ([a, b], [c, d]) = (quantiles(&ms(&alone)), quantiles(&ms(&looked)));
        let rate = ms(&looked).len() as f64 / seconds;
        let watched = looked["watched"].as_f64().unwrap_or(f64::NAN) / seconds;
        let memory: Vec<String> = memory.iter().map(|(at, mib)| format!("{mib:.1} at {at:.0} s")).collect();
        println!("{a:.2} {b:.2}; {c:.2} {d:.2}; {rate:.1}; {watched:.1}; {}", memory.join(", "));
    }
}

fn scene(iterations: usize) -> Scene {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/tablecloth.toml");
    let set = [("time.frame_rate", "60"), ("solver.method", "pd-jacobi-chebyshev"), ("device.name", "cpu")];
    let set: Vec<_> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let mut scene = Scene::read(&path, &set).unwrap_or_else(|error| panic!("{error}"));
    scene.solver.iterations = Some(iterations);
    scene
}

/// This program again, as something else.
fn process(arguments: &[String]) -> Child {
    let program = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
    let child = Command::new(program).args(arguments).stdout(Stdio::piped()).spawn();
    child.unwrap_or_else(|error| panic!("{error}"))
}

/// What it said when it had ended.
fn told(mut child: Child) -> Value {
    let mut text = String::new();
    let read = child.stdout.take().map(|mut out| out.read_to_string(&mut text));
    let ended = child.wait().is_ok_and(|status| status.success());
    assert!(ended && read.is_some_and(|read| read.is_ok()), "a process of the measurement failed");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(((sorted.len().max(1) - 1) as f64 * part) as usize).copied().unwrap_or(f64::NAN)
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

/// What the clients say, and the memory of this process, MiB, at some seconds.
fn viewed(scene: &Scene, seconds: f64, watchers: usize) -> (Value, Vec<(f64, f64)>) {
    let stop = AtomicBool::new(false);
    let (tell, heard) = mpsc::channel::<Address>();
    std::thread::scope(|scope| {
        let (scene, stop) = (scene.clone(), &stop);
        let options = ViewOptions { port: Some(0), ..ViewOptions::default() };
        scope.spawn(move || serve(&CpuOnly, scene, &options, stop, |address| drop(tell.send(address.clone()))));
        let port = heard.recv().map(|address| address.socket.port()).unwrap_or_else(|error| panic!("{error}"));
        let begun = Instant::now();
        let arguments = [format!("port={port}"), format!("seconds={seconds}"), format!("watchers={watchers}")];
        let child = process(&arguments);
        let look = |k: usize| {
            let at = BEGINNING + seconds * k as f64 / (LOOKS - 1) as f64;
            std::thread::sleep((begun + Duration::from_secs_f64(at)).saturating_duration_since(Instant::now()));
            (at, resident())
        };
        let memory = (0..LOOKS).map(look).collect();
        let clients = told(child);
        stop.store(true, Ordering::Relaxed);
        (clients, memory)
    })
}

/// All clients of a server: the steps that the driver saw, ms, and how many frames a watcher got in the mean.
fn clients(port: u16, seconds: f64, watchers: usize) -> Value {
    let (ms, got) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicU64::new(0)));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.unwrap_or_else(|error| panic!("{error}"));
    let url = format!("ws://127.0.0.1:{port}/ws");
    runtime.spawn(drive(url.clone(), ms.clone()));
    std::thread::sleep(Duration::from_millis(300));
    (0..watchers).for_each(|_| drop(runtime.spawn(watch(url.clone(), got.clone()))));
    runtime.spawn(stall(url));
    std::thread::sleep(Duration::from_secs_f64(BEGINNING));
    ms.lock().map(|mut ms| ms.clear()).unwrap_or_default();
    got.store(0, Ordering::Relaxed);
    std::thread::sleep(Duration::from_secs_f64(seconds));
    let ms = ms.lock().map(|ms| ms.clone()).unwrap_or_default();
    json!({ "ms": ms, "watched": got.load(Ordering::Relaxed) as f64 / watchers.max(1) as f64 })
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

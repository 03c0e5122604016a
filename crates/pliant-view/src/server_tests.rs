use super::*;
use futures_util::{SinkExt, StreamExt};
use pliant::device::CpuOnly;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>;

pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// Whoever measures time or memory, or takes much of them, has this: such tests are not beside each other.
static ALONE: Mutex<()> = Mutex::new(());

pub(crate) fn undisturbed() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) struct Server {
    pub address: Address,
    pub stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<(), ViewError>>>,
    runtime: Runtime,
}

impl Server {
    pub fn new(host: &str, resolution: usize) -> Self {
        Self::within(Limits::default(), host, resolution)
    }

    pub fn within(limits: Limits, host: &str, resolution: usize) -> Self {
        let text = format!(
            "pliant = 1\n[time]\nframe_rate = 100\n[[cloth]]\nresolution = {resolution}\n[[pin]]\ncorners = ['-x-z', '+x-z']"
        );
        let scene = Scene::parse(&text, "napkin", ".".as_ref(), &[]).unwrap();
        let options = ViewOptions { host: host.parse().unwrap(), port: Some(0), ..ViewOptions::default() };
        let stop = Arc::new(AtomicBool::new(false));
        let (tell, told): (_, Receiver<Address>) = mpsc::channel();
        let asked = stop.clone();
        let thread = std::thread::spawn(move || {
            serve_within(&CpuOnly, scene, (&options, limits), &asked, |address| tell.send(address.clone()).unwrap())
        });
        let address = told.recv_timeout(PATIENCE).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { address, stop, thread: Some(thread), runtime }
    }

    pub fn port(&self) -> u16 {
        self.address.socket.port()
    }

    /// Status and body of a GET.
    pub fn get(&self, path: &str, headers: &str) -> (u16, String) {
        self.ask("GET", path, headers)
    }

    /// The same of another method.
    fn ask(&self, method: &str, path: &str, headers: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n").unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (text[9..12].parse().unwrap(), text)
    }

    /// A WebSocket, or the status of its refusal.
    pub fn connect(&self, path: &str, origin: Option<&str>) -> Result<Socket, u16> {
        let mut request = format!("ws://127.0.0.1:{}{path}", self.port()).into_client_request().unwrap();
        origin.into_iter().for_each(|origin| drop(request.headers_mut().insert("origin", origin.parse().unwrap())));
        self.runtime.block_on(async {
            match connect_async(request).await {
                Ok((socket, _)) => Ok(socket),
                Err(Error::Http(response)) => Err(response.status().as_u16()),
                Err(error) => panic!("{error}"),
            }
        })
    }

    pub fn say(&self, socket: &mut Socket, message: Message) {
        // A server that has closed hears nothing.
        let _ = self.runtime.block_on(socket.send(message));
    }

    pub fn command(&self, socket: &mut Socket, text: &str) {
        self.say(socket, Message::text(text));
    }

    /// The next messages until `wanted` finds what it wants.
    pub fn wait<T>(&self, socket: &mut Socket, what: &str, mut wanted: impl FnMut(&Message) -> Option<T>) -> T {
        self.runtime.block_on(async {
            let found = async {
                loop {
                    match socket.next().await {
                        Some(Ok(message)) => {
                            if let Some(found) = wanted(&message) {
                                return found;
                            }
                        }
                        other => panic!("no {what}: {other:?}"),
                    }
                }
            };
            tokio::time::timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("no {what}"))
        })
    }

    /// Code and reason with which the server closes.
    pub fn closed(&self, socket: &mut Socket) -> (u16, String) {
        self.wait(socket, "close", |message| match message {
            Message::Close(Some(frame)) => Some((frame.code.into(), frame.reason.to_string())),
            _ => None,
        })
    }

    /// The step of the newest frame that has come.
    pub fn newest(&self, socket: &mut Socket) -> u64 {
        let mut newest = self.frame(socket);
        let newest = &mut newest;
        self.runtime.block_on(async {
            // Frames come every 10 ms.
            while let Ok(Some(Ok(message))) = tokio::time::timeout(Duration::from_millis(3), socket.next()).await {
                *newest = facts(&message, 2).unwrap_or_else(|| newest.clone());
            }
        });
        newest["step"].as_u64().unwrap()
    }

    pub fn frame(&self, socket: &mut Socket) -> Value {
        self.wait(socket, "frame", |message| facts(message, 2))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().unwrap().join();
        if !std::thread::panicking() {
            ended.unwrap().unwrap();
        }
    }
}

/// The JSON text of a binary message of a kind.
pub(super) fn facts(message: &Message, kind: u8) -> Option<Value> {
    let Message::Binary(bytes) = message else { return None };
    let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
    (bytes[0] == kind).then(|| serde_json::from_slice(&bytes[12..12 + length]).unwrap())
}

pub(super) fn state(message: &Message) -> Option<Value> {
    let Message::Text(text) = message else { return None };
    let value: Value = serde_json::from_str(text).unwrap();
    (value["is"] == "state").then_some(value)
}

fn refusal(message: &Message) -> Option<Value> {
    let Message::Text(text) = message else { return None };
    let value: Value = serde_json::from_str(text).unwrap();
    (value["is"] == "refused").then_some(value)
}

#[test]
fn the_first_client_drives_and_the_others_watch_until_it_goes() {
    let server = Server::new("127.0.0.1", 9);
    let mut first = server.connect("/ws", None).unwrap();
    let topology = server.wait(&mut first, "topology", |message| facts(message, 1));
    assert_eq!(topology["vertices"], 81);
    let mut second = server.connect("/ws", None).unwrap();
    assert_eq!(server.wait(&mut first, "state", state)["you_drive"], true);
    assert_eq!(server.wait(&mut second, "state", state)["you_drive"], false);
    server.command(&mut second, r#"{"do":"pause","n":4}"#);
    assert_eq!(server.wait(&mut second, "refusal", refusal)["n"], 4);
    server.command(&mut first, r#"{"do":"set","method":"xpbd","n":9}"#);
    let known = |message: &Message| facts(message, 2).filter(|frame| frame["applied"] == 9);
    assert_eq!(server.wait(&mut second, "frame of the new method", known)["method"], "xpbd");
    server.runtime.block_on(first.close(None)).unwrap();
    let drives = |message: &Message| state(message).filter(|state| state["you_drive"] == true);
    assert_eq!(server.wait(&mut second, "turn to drive", drives)["clients"], 1);
    server.command(&mut second, r#"{"do":"pause"}"#);
    let paused = |message: &Message| state(message).filter(|state| state["playing"] == false);
    server.wait(&mut second, "pause", paused);
}

#[test]
fn a_step_is_one_frame_and_a_drag_shows_within_two() {
    let server = Server::new("127.0.0.1", 9);
    let mut socket = server.connect("/ws", None).unwrap();
    server.command(&mut socket, r#"{"do":"pause","n":1}"#);
    let paused = |message: &Message| state(message).filter(|state| state["playing"] == false);
    server.wait(&mut socket, "pause", paused);
    server.command(&mut socket, r#"{"do":"reset","n":2}"#);
    server.command(&mut socket, r#"{"do":"step","n":3}"#);
    let stepped = |message: &Message| facts(message, 2).filter(|frame| frame["step"] == 1);
    server.wait(&mut socket, "step", stepped);
    server.command(&mut socket, r#"{"do":"play"}"#);
    server.command(&mut socket, r#"{"do":"grab","vertex":76,"target":[0,0,0.5],"n":10}"#);
    for n in 11..40 {
        let before = server.newest(&mut socket);
        server.command(&mut socket, &format!(r#"{{"do":"drag","target":[0,0.1,0.5],"n":{n}}}"#));
        let known = |message: &Message| facts(message, 2).filter(|frame| frame["applied"].as_u64() >= Some(n));
        let frame = server.wait(&mut socket, "frame that knows the drag", known)["step"].as_u64().unwrap();
        assert!(frame <= before + 2, "the drag after frame {before} shows in {frame}");
    }
}

#[test]
fn a_pause_comes_in_the_middle_of_a_long_step() {
    let _undisturbed = undisturbed();
    let server = Server::new("127.0.0.1", 81);
    let mut socket = server.connect("/ws", None).unwrap();
    server.command(&mut socket, r#"{"do":"set","method":"newton","n":1}"#);
    let mut ms = 0.0f64;
    for _ in 0..3 {
        let newton = |message: &Message| facts(message, 2).filter(|frame| frame["method"] == "newton");
        let frame = server.wait(&mut socket, "frame of Newton's", newton);
        ms = ms.max(frame["ms"].as_f64().unwrap_or(0.0));
    }
    assert!(ms > 100.0, "a step of {ms} ms is not long");
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        // The next step begins now.
        let begun = server.frame(&mut socket)["step"].clone();
        std::thread::sleep(Duration::from_millis(20));
        let asked = Instant::now();
        server.command(&mut socket, r#"{"do":"pause"}"#);
        let paused = |message: &Message| state(message).filter(|state| state["playing"] == false);
        server.wait(&mut socket, "pause", paused);
        least = least.min(asked.elapsed().as_secs_f64() * 1e3);
        server.command(&mut socket, r#"{"do":"play"}"#);
        let next = |message: &Message| facts(message, 2).filter(|frame| frame["step"] != begun);
        server.wait(&mut socket, "next step", next);
    }
    assert!(least < 0.5 * ms, "{least} ms until a pause, with steps of {ms} ms");
}

#[test]
fn a_client_that_tells_what_it_has_seen_never_gets_what_is_old() {
    let server = Server::new("127.0.0.1", 9);
    let mut socket = server.connect("/ws", None).unwrap();
    server.frame(&mut socket);
    server.command(&mut socket, r#"{"do":"seen"}"#);
    std::thread::sleep(Duration::from_millis(500));
    // What was on the way before, and two; then nothing, until it says more.
    let count = |socket: &mut Socket| {
        server.runtime.block_on(async {
            let mut steps = Vec::new();
            while let Ok(Some(Ok(message))) = tokio::time::timeout(Duration::from_millis(100), socket.next()).await {
                steps.extend(facts(&message, 2).and_then(|frame| frame["step"].as_u64()));
            }
            steps
        })
    };
    let waiting = count(&mut socket);
    assert!((1..=5).contains(&waiting.len()), "{waiting:?}");
    waiting.iter().for_each(|_| server.command(&mut socket, r#"{"do":"seen"}"#));
    let next = count(&mut socket);
    assert!((1..=4).contains(&next.len()) && next[0] > waiting[waiting.len() - 1] + 20, "{waiting:?} {next:?}");
}

#[test]
fn other_pages_names_and_addresses_are_turned_away_with_the_right_status() {
    let server = Server::new("127.0.0.1", 5);
    let host = format!("Host: 127.0.0.1:{}\r\n", server.port());
    let (status, page) = server.get("/", &host);
    assert!(status == 200 && page.contains("content-security-policy"), "{page}");
    assert_eq!(server.get("/", "Host: evil.example\r\n").0, 403);
    assert_eq!(server.get("/", &format!("{host}Host: evil.example\r\n")).0, 403);
    assert_eq!(server.get("/", &format!("{}@evil.example\r\n", host.trim_end())).0, 403);
    assert_eq!(server.get("/frame.obj", &format!("{host}Origin: http://evil.example\r\n")).0, 403);
    assert_eq!(server.get("/nothing", &host).0, 404);
    assert_eq!(server.get("/recording.glb", &host).0, 404);
    assert_eq!(server.get("/frame.obj?view=1", &host).0, 404);
    assert_eq!(server.get("/frame.obj?view=x", &host).0, 400);
    assert_eq!(server.ask("POST", "/frame.obj", &format!("{host}Content-Length: 0\r\n")).0, 405);
    assert_eq!(server.get(&format!("/{}", "x".repeat(70_000)), &host).0, 414);
    let (status, obj) = server.get("/frame.obj", &host);
    assert!(status == 200 && obj.matches("\nv ").count() >= 24, "{obj}");
    assert_eq!(server.get("/frame.ply", &host).0, 200);
    assert_eq!(server.connect("/ws", Some("http://evil.example")).unwrap_err(), 403);
    let own = format!("http://127.0.0.1:{}", server.port());
    assert!(server.connect("/ws", Some(&own)).is_ok());
}

#[test]
fn beyond_loopback_nobody_gets_in_without_the_token() {
    let server = Server::new("0.0.0.0", 5);
    let token = server.address.token.clone().unwrap();
    assert_eq!(token.len(), 32);
    for path in ["/ws", "/ws?token=", "/ws?token=0123456789abcdef0123456789abcdef"] {
        assert_eq!(server.connect(path, None).unwrap_err(), 401);
    }
    assert_eq!(server.get("/", "Host: box.lan\r\n").0, 401);
    assert_eq!(server.get(&format!("/?token={token}"), "Host: box.lan\r\n").0, 200);
    assert!(server.connect(&format!("/ws?token={token}"), None).is_ok());
}

#[test]
fn what_is_no_command_closes_the_connection_with_a_reason() {
    let server = Server::new("127.0.0.1", 5);
    let close = |message: Message| {
        let mut socket = server.connect("/ws", None).unwrap();
        server.say(&mut socket, message);
        server.closed(&mut socket)
    };
    let (code, reason) = close(Message::text(r#"{"do":"explode"}"#));
    assert!(code == 1008 && reason.contains("explode"), "{code} {reason}");
    assert_eq!(close(Message::text("x".repeat(LONGEST + 1))).0, 1009);
    assert_eq!(close(Message::binary(vec![1, 2, 3])).0, 1003);
    // The simulation goes on.
    let mut socket = server.connect("/ws", None).unwrap();
    server.frame(&mut socket);
}

/// Frames of a server at 100 frames a second that a client gets in so many seconds, per second.
pub(super) fn rate(server: &Server, socket: &mut Socket, seconds: f64) -> f64 {
    let first = server.newest(socket);
    let begun = Instant::now();
    let mut last = first;
    while begun.elapsed().as_secs_f64() < seconds {
        last = server.frame(socket)["step"].as_u64().unwrap();
    }
    (last - first) as f64 / begun.elapsed().as_secs_f64()
}

#[test]
fn clients_hear_that_the_server_ends_and_too_many_are_turned_away() {
    let server = Server::new("127.0.0.1", 5);
    let mut sockets: Vec<_> = (0..MOST).map(|_| server.connect("/ws", None).unwrap()).collect();
    server.wait(&mut sockets[MOST - 1], "state", state);
    assert_eq!(server.connect("/ws", None).unwrap_err(), 503);
    server.stop.store(true, Ordering::Relaxed);
    assert_eq!(server.closed(&mut sockets[0]), (1001, "the server ends".to_string()));
}

#[test]
fn a_port_that_is_taken_is_told() {
    let server = Server::new("127.0.0.1", 5);
    let scene = Scene::parse("pliant = 1\n[[cloth]]\nresolution = 5", "t", ".".as_ref(), &[]).unwrap();
    let options = ViewOptions { port: Some(server.port()), ..ViewOptions::default() };
    let error = serve(&CpuOnly, scene, &options, &AtomicBool::new(true), |_| ()).unwrap_err().to_string();
    assert!(error.contains(&server.port().to_string()) && error.contains("--port"), "{error}");
}

//! The server: addresses, rules, and the threads behind them.

use crate::board::Board;
use crate::client::{Hall, attend};
use crate::command::LONGEST;
use crate::connections::{Limits, Voice, serve_all};
use crate::crowd::{Crowd, MOST};
use crate::exports;
use crate::guard::Guard;
use crate::library::Library;
use crate::orders::way;
use crate::page::PAGE;
use crate::scratch;
use crate::session::Session;
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use pliant::device::Devices;
use pliant::output::RunError;
use pliant::scene::Scene;
use pliant::step::SimulationError;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{Semaphore, watch};

/// The port that is tried first.
const USUAL_PORT: u16 = 8417;

/// Files that are fetched at once.
const DOWNLOADS: usize = 4;

/// What waits in the system for one client, bytes: so little that even a slow one takes a part of it before it is given up.
const UNSENT: u32 = 256 << 10;

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// How long clients have to hear that the server ends.
const FAREWELL: Duration = Duration::from_millis(500);

/// A token that is given is not shorter.
pub const SHORTEST_TOKEN: usize = 16;

/// How to listen.
#[derive(Clone, Debug)]
pub struct ViewOptions {
    /// The file the scene came from: others beside it can be picked.
    pub file: PathBuf,
    /// Where to listen; anything but loopback makes a token.
    pub host: IpAddr,
    /// The port; 0 takes any. `None` tries 8417 first.
    pub port: Option<u16>,
    /// What every address needs; `None` makes one up where it needs any. At least [`SHORTEST_TOKEN`] letters and digits.
    pub token: Option<String>,
    /// Keys of the scene that were changed when it was read: they hold whenever its file is read again.
    pub changes: Vec<(String, String)>,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self { file: PathBuf::new(), host: Ipv4Addr::LOCALHOST.into(), port: None, token: None, changes: Vec::new() }
    }
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Host and port.
    pub socket: SocketAddr,
    /// What every address needs, beyond loopback.
    pub token: Option<String>,
}

impl Address {
    /// What to open in a browser on this computer.
    pub fn url(&self) -> String {
        let mut socket = self.socket;
        match socket.ip() {
            // All addresses there are, which is none that a browser could ask.
            IpAddr::V4(ip) if ip.is_unspecified() => socket.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => socket.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        self.url_of(socket)
    }

    /// What to open on others; `None` where this is not for them, or nothing is known of a network.
    pub fn url_for_others(&self) -> Option<String> {
        let mut socket = self.socket;
        if socket.ip().is_unspecified() {
            socket.set_ip(own_address(socket.is_ipv4())?);
        }
        (!socket.ip().is_loopback()).then(|| self.url_of(socket))
    }

    fn url_of(&self, socket: SocketAddr) -> String {
        let token = self.token.as_ref().map_or(String::new(), |token| format!("?token={token}"));
        format!("http://{socket}/{token}")
    }
}

/// The address of this computer on the way to others. Nothing is sent: the system only chooses a way.
fn own_address(is_ipv4: bool) -> Option<IpAddr> {
    // Addresses of documentation (RFC 5737, RFC 3849), which nobody has.
    let (any, far): (IpAddr, IpAddr) = if is_ipv4 {
        (Ipv4Addr::UNSPECIFIED.into(), Ipv4Addr::new(192, 0, 2, 1).into())
    } else {
        (Ipv6Addr::UNSPECIFIED.into(), Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into())
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect((far, 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Why there is no viewer.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The scene cannot be simulated.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// Its meshes cannot.
    #[error(transparent)]
    Meshes(#[from] Box<RunError>),
    /// The port is taken, or the address is not this computer's.
    #[error("cannot listen on {host}:{port}: {source}; choose another with --port, 0 takes any that is free")]
    Listen {
        /// Where.
        host: IpAddr,
        /// Which port.
        port: u16,
        /// The system's answer.
        source: io::Error,
    },
    /// It could be guessed, or would not fit into an address.
    #[error("a token has {SHORTEST_TOKEN} letters and digits or more, and nothing else but - and _")]
    Token,
    /// The system gave no threads or sockets.
    #[error("the server cannot run: {0}")]
    Server(io::Error),
}

/// Serves a scene until `stop`. `ready` hears the address once somebody may connect.
pub fn serve<D: Devices + Sync>(
    devices: &D,
    scene: Scene,
    options: &ViewOptions,
    stop: &AtomicBool,
    ready: impl FnOnce(&Address),
) -> Result<(), ViewError> {
    serve_within(devices, scene, (options, Limits::default()), stop, ready)
}

fn serve_within<D: Devices + Sync>(
    devices: &D,
    scene: Scene,
    (options, limits): (&ViewOptions, Limits),
    stop: &AtomicBool,
    ready: impl FnOnce(&Address),
) -> Result<(), ViewError> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_name("viewer").enable_all().build();
    let runtime = runtime.map_err(ViewError::Server)?;
    let listener = runtime.block_on(listen(options))?;
    let socket = listener.local_addr().map_err(ViewError::Server)?;
    let token = match &options.token {
        Some(token) if !is_token(token) => return Err(ViewError::Token),
        Some(token) => Some(token.clone()),
        None if options.host.is_loopback() => None,
        None => Some(token()?),
    };
    let address = Address { socket, token };

    scratch::sweep();
    let (orders, inbox) = way();
    let (board, crowd) = (Arc::new(Board::new()), watch::Sender::new(Crowd::default()));
    let library = Library::beside(&options.file, &options.changes, scene.device.clone());
    let seen = crowd.subscribe();
    let hall = Arc::new(Hall {
        board: board.clone(),
        crowd,
        orders,
        downloads: Arc::new(Semaphore::new(DOWNLOADS)),
        ping: limits.ping,
        ending: watch::Sender::new(false),
    });
    let router = router(hall.clone(), Guard { token: address.token.clone() });
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // A simulation lives and dies on one thread.
        let (made, making) = mpsc::sync_channel(1);
        let ends = Ends(&over);
        scope.spawn(move || {
            let _ends = ends;
            match Session::new(devices, board, (seen, inbox), (scene, library)) {
                Ok(session) => {
                    let _ = made.send(Ok(()));
                    session.run(stop);
                }
                Err(error) => drop(made.send(Err(error))),
            }
        });
        match making.recv() {
            Ok(made) => made?,
            // The thread panicked, and so does the end of the scope.
            Err(_) => return Ok(()),
        }
        ready(&address);
        runtime.spawn(serve_all(listener, router, limits, hall.ending.subscribe()));
        runtime.block_on(wait([stop, &over], &hall));
        Ok(())
    })
}

/// Tells that a thread has ended, however it did.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Waits until somebody says stop, or there is no simulation any more; then all clients hear it.
async fn wait(stops: [&AtomicBool; 2], hall: &Hall) {
    while !stops.iter().any(|stop| stop.load(Ordering::Relaxed)) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    hall.orders.end_step();
    hall.ending.send_replace(true);
    // Clients that do not listen are not waited for.
    tokio::time::sleep(FAREWELL).await;
}

async fn listen(options: &ViewOptions) -> Result<TcpListener, ViewError> {
    let (host, port) = (options.host, options.port.unwrap_or(USUAL_PORT));
    match bind((host, port).into()) {
        Ok(listener) => Ok(listener),
        // Another viewer may have it.
        Err(error) if options.port.is_none() && error.kind() == io::ErrorKind::AddrInUse => {
            bind((host, 0).into()).map_err(|source| ViewError::Listen { host, port: 0, source })
        }
        Err(source) => Err(ViewError::Listen { host, port, source }),
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A server that was just ended may be begun again.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Those of connections are as large.
    socket.set_send_buffer_size(UNSENT)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Long enough, and the same in an address as it is typed.
fn is_token(token: &str) -> bool {
    token.len() >= SHORTEST_TOKEN && token.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
}

/// 128 bits that nobody can guess.
fn token() -> Result<String, ViewError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| ViewError::Server(io::Error::other(error.to_string())))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn router(hall: Arc<Hall>, guard: Guard) -> Router {
    Router::new()
        .route("/", get(|| async { Html(PAGE) }))
        .route("/ws", get(socket))
        .route("/frame.obj", get(exports::obj))
        .route("/frame.ply", get(exports::ply))
        .route("/recording.glb", get(exports::glb))
        .route("/recording.html", get(exports::html))
        .fallback(|| async { (StatusCode::NOT_FOUND, "there is no such address\n") })
        .layer(from_fn_with_state(Arc::new(guard), admit))
        .layer(from_fn(careful))
        .with_state(hall)
}

async fn admit(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.admit(request.headers(), request.uri()) {
        Ok(()) => {
            request.extensions().get().into_iter().for_each(Voice::admitted);
            next.run(request).await
        }
        // Who may not be here keeps no place.
        Err((status, why)) => (status, [(header::CONNECTION, "close")], format!("{why}\n")).into_response(),
    }
}

/// Browsers load nothing from elsewhere, and show the page in no other one.
async fn careful(request: Request, next: Next) -> Response {
    const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; \
                          connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// What asks without a WebSocket hears whether there is room for one: a page cannot see why its own was refused.
async fn socket(
    State(hall): State<Arc<Hall>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    if hall.crowd.borrow().len() >= MOST {
        return (StatusCode::SERVICE_UNAVAILABLE, format!("{MOST} clients are connected\n")).into_response();
    }
    match upgrade {
        Ok(upgrade) => {
            upgrade.max_message_size(LONGEST).max_frame_size(LONGEST).on_upgrade(move |socket| attend(socket, hall))
        }
        Err(error) => error.into_response(),
    }
}

#[cfg(test)]
#[path = "server_tests.rs"]
pub(crate) mod tests;

#[cfg(test)]
#[path = "server_load_tests.rs"]
mod load_tests;

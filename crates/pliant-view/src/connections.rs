//! Connections: how many there may be, and for how long one may say or take nothing.
//!
//! A client that sends half a request would else keep its place for ever, and one that takes nothing of what it asked for, too.

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::AbortHandle;
use tokio::time::Sleep;

/// How long to wait where the system has no more sockets.
const NO_SOCKETS: Duration = Duration::from_millis(100);

/// How long one too many has to hear that, and how many hear it at once.
const TURNED_AWAY: (Duration, usize) = (Duration::from_secs(1), 64);

/// What to say to one too many; then it is closed.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 31\r\nConnection: close\r\n\r\n\
                      too many connections; try again";

/// What connections may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// So many may be open, WebSockets not counted.
    pub open: usize,
    /// In this time the head of a request has come.
    pub head: Duration,
    /// Who takes nothing of what is sent for so long is let go. Who takes little is not.
    pub stalled: Duration,
    /// So often clients are asked whether they are there; who says nothing three times is let go.
    pub ping: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            open: 256,
            head: Duration::from_secs(10),
            stalled: Duration::from_secs(60),
            ping: Duration::from_secs(20),
        }
    }
}

/// Serves whoever comes until `ending`, and then what was begun.
pub(crate) async fn serve_all(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    mut ending: watch::Receiver<bool>,
) {
    let room = Room { open: Arc::new(Semaphore::new(limits.open)), silent: Arc::default() };
    let turned_away = Arc::new(Semaphore::new(TURNED_AWAY.1));
    let mut number = 0;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = ended(&mut ending) => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            // One that has gone already, or no descriptors are left: the next may do.
            Err(error) => {
                tracing::debug!("no connection: {error}");
                tokio::time::sleep(NO_SOCKETS).await;
                continue;
            }
        };
        let Some(place) = room.enter().await else {
            // Who does not hear it sees that the connection is closed.
            if let Ok(turn) = turned_away.clone().try_acquire_owned() {
                tokio::spawn(turn_away(stream, turn));
            }
            continue;
        };
        number += 1;
        let seat = Seat { number, silent: room.silent.clone(), _place: place };
        // Not begun before it is known to the room, so that it cannot be silent there after it has spoken.
        let silent = &mut room.silent();
        let task = tokio::spawn(serve_one(stream, router.clone(), limits, seat, ending.clone()));
        silent.push_back((number, task.abort_handle()));
    }
    // What is still written has as long as the caller waits.
    let _ = room.open.acquire_many(limits.open as u32).await;
}

/// Says that there is no place. What has come already is read: a system that closes over something unread cuts the connection,
/// and what was said may be lost with it.
async fn turn_away(mut stream: TcpStream, _turn: OwnedSemaphorePermit) {
    let farewell = async {
        stream.write_all(FULL).await?;
        stream.shutdown().await?;
        let mut unread = [0; 1024];
        while stream.read(&mut unread).await? > 0 {}
        io::Result::Ok(())
    };
    // Who says more than that is cut off.
    let _ = tokio::time::timeout(TURNED_AWAY.0, farewell).await;
}

async fn ended(ending: &mut watch::Receiver<bool>) {
    // Who could have told is gone: then it has ended, too.
    let _ = ending.wait_for(|ending| *ending).await;
}

/// Connections that have not asked for anything that they may have, the oldest first.
type Silent = Mutex<VecDeque<(u64, AbortHandle)>>;

struct Room {
    open: Arc<Semaphore>,
    silent: Arc<Silent>,
}

impl Room {
    /// A place for one more. Where all are taken, whoever has been silent longest goes; if nobody is, there is none.
    async fn enter(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(place) = self.open.clone().try_acquire_owned() {
            return Some(place);
        }
        let (_, oldest) = self.silent().pop_front()?;
        oldest.abort();
        self.open.clone().acquire_owned().await.ok()
    }

    fn silent(&self) -> MutexGuard<'_, VecDeque<(u64, AbortHandle)>> {
        lock(&self.silent)
    }
}

fn lock(silent: &Silent) -> MutexGuard<'_, VecDeque<(u64, AbortHandle)>> {
    silent.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The place of one connection, for as long as it is there.
struct Seat {
    number: u64,
    silent: Arc<Silent>,
    _place: OwnedSemaphorePermit,
}

impl Drop for Seat {
    fn drop(&mut self) {
        Voice { number: self.number, silent: self.silent.clone() }.admitted();
    }
}

/// By which a request tells of its connection that it may be here. Each request has it among its extensions.
#[derive(Clone)]
pub(crate) struct Voice {
    number: u64,
    silent: Arc<Silent>,
}

impl Voice {
    /// It has asked for something that it may have: it is not one of those that make room for others.
    pub fn admitted(&self) {
        lock(&self.silent).retain(|(number, _)| *number != self.number);
    }
}

async fn serve_one(stream: TcpStream, router: Router, limits: Limits, seat: Seat, mut ending: watch::Receiver<bool>) {
    // Small messages one after the other must not wait for each other's acknowledgement.
    let _ = stream.set_nodelay(true);
    let io = TokioIo::new(Patient { stream, patience: limits.stalled, waiting: None });
    let router = TowerToHyperService::new(router);
    let voice = Voice { number: seat.number, silent: seat.silent.clone() };
    let answer = |mut request: Request<Incoming>| {
        request.extensions_mut().insert(voice.clone());
        router.call(request)
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .serve_connection(io, service_fn(answer))
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = ended(&mut ending) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!("a connection ends: {error}");
    }
}

/// A stream that fails when nothing of what is written has been taken for too long.
struct Patient {
    stream: TcpStream,
    patience: Duration,
    /// For something to be taken.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn written<T>(&mut self, context: &mut Context, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context, buffer: &mut ReadBuf) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context,
        bytes: &[io::IoSlice],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.written(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

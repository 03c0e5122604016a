//! One client, from its first message to its last.

use crate::board::{Board, ClientId, Notice};
use crate::command::{Command, LONGEST, parse};
use crate::crowd::Crowd;
use crate::orders::{Order, Orders, Unsent};
use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, watch};
use tokio::time::MissedTickBehavior;

/// To a client that says what it has seen, no more frames are on the way than this: what waits in sockets is late.
const UNSEEN: usize = 2;

/// A client that takes no answers is not heard beyond this many.
const UNANSWERED: usize = 64;

/// A client that has answered none of so many questions whether it is there is let go.
const UNHEARD: usize = 3;

/// What all clients share.
pub(crate) struct Hall {
    pub board: Arc<Board>,
    pub crowd: watch::Sender<Crowd>,
    pub orders: Orders,
    /// So many files may be fetched at once.
    pub downloads: Arc<Semaphore>,
    /// So often a client is asked whether it is there.
    pub ping: Duration,
    /// The server ends.
    pub ending: watch::Sender<bool>,
}

/// Why a client is let go: code and reason.
type Farewell = (u16, String);

/// Talks with a client until it goes or has to go.
pub(crate) async fn attend(mut socket: WebSocket, hall: Arc<Hall>) {
    let mut entered = None;
    hall.crowd.send_modify(|crowd| entered = crowd.enter(Instant::now()));
    let Some(id) = entered else {
        let _ = say_goodbye(&mut socket, (close_code::AGAIN, "too many clients".to_string())).await;
        return;
    };
    let farewell = talk(&mut socket, &hall, id).await;
    hall.crowd.send_modify(|crowd| crowd.leave(id, Instant::now()));
    if let Some(farewell) = farewell {
        let _ = say_goodbye(&mut socket, farewell).await;
    }
}

async fn say_goodbye(socket: &mut WebSocket, (code, reason): Farewell) -> Result<(), axum::Error> {
    let reason = Utf8Bytes::from(short(reason));
    let close = socket.send(Message::Close(Some(CloseFrame { code, reason })));
    tokio::time::timeout(Duration::from_secs(2), close).await.unwrap_or(Ok(()))
}

/// The reason of a close fits into 123 bytes.
fn short(mut reason: String) -> String {
    while reason.len() > 120 {
        reason.pop();
    }
    reason
}

fn server_ends() -> Farewell {
    (close_code::AWAY, "the server ends".to_string())
}

/// `None` if the client has gone by itself.
async fn talk(socket: &mut WebSocket, hall: &Hall, id: ClientId) -> Option<Farewell> {
    let board = &hall.board;
    let mut topology = board.topology.subscribe();
    let mut frames = [board.frames[0].subscribe(), board.frames[1].subscribe()];
    let mut state = board.state.subscribe();
    let mut notices = board.notices.subscribe();
    let mut crowd = hall.crowd.subscribe();
    let mut ending = hall.ending.subscribe();
    let [first, second] = &mut frames;
    topology.mark_changed();
    state.mark_changed();
    first.mark_changed();
    second.mark_changed();
    let mut pipe = Pipe::default();
    let (out, words) = socket.split();
    let mut line = Line { out, words, answers: VecDeque::new() };
    let mut pings = tokio::time::interval(hall.ping);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let message = tokio::select! {
            // What belongs to older frames comes before newer ones.
            biased;
            gone = ending.wait_for(|ending| *ending) => {
                drop(gone);
                return Some(server_ends());
            }
            Some(answer) = async { line.answers.pop_front() } => answer,
            came = line.words.next() => match hear(came, (hall, id), &mut pipe) {
                Ok(Some(answer)) => answer,
                Ok(None) => continue,
                Err(farewell) => return farewell,
            },
            _ = pings.tick() => {
                // Nobody else would notice where nothing moves: the line is cut, or its other end asleep.
                if pipe.unanswered >= UNHEARD {
                    return Some((close_code::AWAY, "nothing was heard of this client".to_string()));
                }
                pipe.unanswered += 1;
                Message::Ping(Bytes::new())
            }
            Ok(()) = topology.changed() => Message::Binary(topology.borrow_and_update().clone()),
            Ok(()) = state.changed() => described(board, &hall.crowd, id),
            Ok(()) = crowd.changed() => {
                crowd.mark_unchanged();
                described(board, &hall.crowd, id)
            }
            notice = notices.recv() => match notice {
                Ok(Notice { to, text }) if to.is_none_or(|to| to == id) => Message::Text(text.as_ref().into()),
                Ok(_) | Err(RecvError::Lagged(_)) => continue,
                Err(RecvError::Closed) => return None,
            },
            Ok(()) = first.changed(), if pipe.is_free(0) => newest(first),
            Ok(()) = second.changed(), if pipe.is_free(1) => newest(second),
        };
        if let Message::Binary(bytes) = &message {
            if bytes.is_empty() {
                continue;
            }
            pipe.put(bytes);
        }
        if let Err(farewell) = line.send(message, (hall, id), &mut pipe).await {
            return farewell;
        }
    }
}

/// Both ways of a connection.
struct Line<'a> {
    out: SplitSink<&'a mut WebSocket, Message>,
    words: SplitStream<&'a mut WebSocket>,
    /// To what came while something else was sent.
    answers: VecDeque<Message>,
}

impl Line<'_> {
    /// Sends, and listens meanwhile, so that who takes slowly is heard all the same. Newer frames take the place of those that
    /// wait; who takes nothing at all is let go (`connections.rs`).
    async fn send(
        &mut self,
        message: Message,
        (hall, id): (&Hall, ClientId),
        pipe: &mut Pipe,
    ) -> Result<(), Option<Farewell>> {
        let Self { out, words, answers } = self;
        let mut ending = hall.ending.subscribe();
        let mut sending = out.send(message);
        loop {
            tokio::select! {
                sent = &mut sending => return sent.map_err(|_| None),
                came = words.next(), if answers.len() < UNANSWERED => answers.extend(hear(came, (hall, id), pipe)?),
                gone = ending.wait_for(|ending| *ending) => {
                    drop(gone);
                    return Err(Some(server_ends()));
                }
            }
        }
    }
}

/// Frames on the way to a client.
#[derive(Default)]
struct Pipe {
    /// It tells what it has seen.
    told: bool,
    unseen: [usize; 2],
    /// So often it was asked whether it is there, and nothing has come since.
    unanswered: usize,
}

impl Pipe {
    fn is_free(&self, view: usize) -> bool {
        !self.told || self.unseen[view] < UNSEEN
    }

    fn put(&mut self, message: &Bytes) {
        if let [FRAME, _, view @ 0..2, ..] = **message {
            self.unseen[usize::from(view)] += 1;
        }
    }

    /// One has come, of either view.
    fn seen(&mut self) {
        self.told = true;
        let [first, second] = self.unseen;
        self.unseen = if first >= second { [first.saturating_sub(1), second] } else { [first, second - 1] };
    }
}

/// The first byte of a frame.
const FRAME: u8 = 2;

fn newest(frames: &mut watch::Receiver<Bytes>) -> Message {
    Message::Binary(frames.borrow_and_update().clone())
}

/// The state as this client is to see it.
fn described(board: &Board, crowd: &watch::Sender<Crowd>, id: ClientId) -> Message {
    let mut state = (**board.state.borrow()).clone();
    let crowd = crowd.borrow();
    state["you_drive"] = (crowd.driver() == Some(id)).into();
    state["clients"] = crowd.len().into();
    Message::Text(state.to_string().into())
}

/// What is wrong with what came; `None` if nothing came, because the connection is gone.
fn complaint(error: &axum::Error) -> Option<Farewell> {
    let text = error.to_string();
    if let Some((_, what)) = text.split_once("protocol error: ") {
        // A connection that was cut, or used after its end, is called one, too.
        let over = ["without closing", "after closing", "having closed"].iter().any(|end| what.contains(end));
        return (!over).then(|| (close_code::PROTOCOL, what.to_string()));
    }
    if text.contains("UTF-8") {
        return Some((close_code::INVALID, "a text is not UTF-8".to_string()));
    }
    let large = text.contains("too long") || text.contains("too large");
    large.then(|| (close_code::SIZE, format!("a message is {LONGEST} bytes long at most")))
}

/// What comes from a client: an answer at once, nothing, or the end.
fn hear(
    came: Option<Result<Message, axum::Error>>,
    whose: (&Hall, ClientId),
    pipe: &mut Pipe,
) -> Result<Option<Message>, Option<Farewell>> {
    pipe.unanswered = 0;
    match came {
        Some(Ok(message)) => hear_out(message, whose, pipe),
        Some(Err(error)) => Err(complaint(&error)),
        None => Err(None),
    }
}

/// The same of a message.
fn hear_out(
    message: Message,
    (hall, id): (&Hall, ClientId),
    pipe: &mut Pipe,
) -> Result<Option<Message>, Option<Farewell>> {
    let text = match message {
        Message::Text(text) => text,
        Message::Binary(_) => return Err(Some((close_code::UNSUPPORTED, "commands are text".to_string()))),
        Message::Close(_) => return Err(None),
        Message::Ping(_) | Message::Pong(_) => return Ok(None),
    };
    let what = parse(&text).map_err(|reason| Some((close_code::POLICY, reason)))?;
    let refused = |message: &str| {
        let text = json!({ "is": "refused", "n": what.n, "message": message }).to_string();
        Ok(Some(Message::Text(text.into())))
    };
    if what.command == Command::Seen {
        pipe.seen();
        return Ok(None);
    }
    let drives = crate::crowd::hear(&hall.crowd, id);
    if what.command == Command::Drive {
        let mut granted = false;
        // Who is refused wakes nobody.
        hall.crowd.send_if_modified(|crowd| {
            let before = crowd.driver();
            granted = crowd.drive(id, Instant::now());
            crowd.driver() != before
        });
        return if granted {
            Ok(None)
        } else {
            refused("somebody else drives, and may be replaced when nothing was heard for 10 s")
        };
    }
    if !drives {
        return refused("somebody else drives; `drive` asks for it");
    }
    match hall.orders.send(Order::Do { from: id, what: what.clone() }) {
        Ok(()) => Ok(None),
        Err(Unsent::Full) => refused("too many commands at once"),
        Err(Unsent::Ended) => Err(Some((close_code::AWAY, "the simulation has ended".to_string()))),
    }
}

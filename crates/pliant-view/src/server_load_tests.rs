//! Clients that are slow, silent, many or malicious.

use super::tests::{PATIENCE, Server, facts, rate, state, undisturbed};
use super::*;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;
use tokio_tungstenite::tungstenite::Message;

#[test]
fn ten_thousand_random_and_oversized_messages_are_closed_one_by_one_and_stop_nobody() {
    let server = Server::new("127.0.0.1", 21);
    let mut good = server.connect("/ws", None).unwrap();
    assert!(rate(&server, &mut good, 0.5) > 20.0);
    let mut random = pliant::math::SplitMix(7);
    let mut closed = [0; 3];
    for k in 0..10_000 {
        let bytes: Vec<u8> = (0..1 + random.below(200)).map(|_| random.bits() as u8).collect();
        let (kind, message) = match k % 100 {
            0 => (2, Message::text("x".repeat(LONGEST + 1 + random.below(100_000)))),
            1..=9 => (1, Message::binary(bytes)),
            _ => (0, Message::text(String::from_utf8_lossy(&bytes).into_owned())),
        };
        let mut socket = server.connect("/ws", None).unwrap();
        server.say(&mut socket, message);
        let expected = [1008, 1003, 1009][kind];
        assert_eq!(server.closed(&mut socket).0, expected, "message {k}");
        closed[kind] += 1;
    }
    assert_eq!(closed, [9000, 900, 100]);
    let _undisturbed = undisturbed();
    let left = (0..3).map(|_| rate(&server, &mut good, 0.5)).fold(0.0, f64::max);
    assert!(left > 60.0, "{left} frames a second after it");
}

#[test]
fn a_client_that_never_reads_costs_neither_time_nor_memory() {
    // 30 kB a frame fill what sockets hold in a second or two.
    let server = Server::new("127.0.0.1", 71);
    let mut good = server.connect("/ws", None).unwrap();
    // Steps that cost next to nothing and cannot fail.
    server.command(&mut good, r#"{"do":"set","method":"pd-jacobi","iterations":1,"gravity":[0,0,0],"n":1}"#);
    server.command(&mut good, r#"{"do":"reset","n":2}"#);
    rate(&server, &mut good, 1.0);
    let alone = rate(&server, &mut good, 1.0);
    let _stalled = server.connect("/ws", None).unwrap();
    let _undisturbed = undisturbed();
    rate(&server, &mut good, 3.0);
    // Frames that were kept for it would be 3 MB in each of these seconds, whatever other tests take in some of them.
    let (mut beside, mut grown) = (0.0f64, f64::INFINITY);
    for _ in 0..4 {
        let before = resident();
        beside = beside.max(rate(&server, &mut good, 1.0));
        grown = grown.min(resident() - before);
    }
    assert!(beside > 0.7 * alone, "{beside} frames a second beside it, {alone} before");
    assert!(grown < 1.0, "{grown} MiB a second");
}

/// A connection that has said a part of what it wants.
fn half_said(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n").unwrap();
    stream
}

/// The rest of what the server says, until it closes.
fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A connection that is cut is closed, too.
    let _ = stream.read_to_end(&mut bytes).map_err(|error| assert_eq!(error.kind(), io::ErrorKind::ConnectionReset));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn half_a_request_is_let_go_in_time() {
    let server = Server::within(Limits { head: Duration::from_millis(300), ..Limits::default() }, "127.0.0.1", 5);
    let begun = Instant::now();
    let mut half = half_said(&server);
    let mut nothing = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    nothing.set_read_timeout(Some(PATIENCE)).unwrap();
    [&mut half, &mut nothing].into_iter().for_each(|stream| drop(rest(stream)));
    assert!((0.3..5.0).contains(&begun.elapsed().as_secs_f64()), "{:?}", begun.elapsed());
}

#[test]
fn three_hundred_half_requests_stop_neither_the_driver_nor_whoever_comes() {
    let server = Server::within(Limits { head: 4 * PATIENCE, ..Limits::default() }, "127.0.0.1", 9);
    let mut driver = server.connect("/ws", None).unwrap();
    let mut halves: Vec<_> = (0..300).map(|_| half_said(&server)).collect();
    let host = format!("Host: 127.0.0.1:{}\r\n", server.port());
    assert_eq!(server.get("/", &host).0, 200);
    assert!(rate(&server, &mut driver, 0.5) > 20.0);
    assert!(server.connect("/ws", None).is_ok());
    // The oldest made room.
    assert_eq!(rest(&mut halves[0]), "");
    // The last ones may still say the rest.
    let last = &mut halves[299];
    write!(last, "Connection: close\r\n\r\n").unwrap();
    assert!(rest(last).starts_with("HTTP/1.1 200"));
    // The end waits for nobody.
    let begun = Instant::now();
    server.stop.store(true, Ordering::Relaxed);
    assert_eq!(server.closed(&mut driver).0, 1001);
    drop(server);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[test]
fn where_all_places_are_taken_one_more_is_told_so() {
    let server = Server::within(Limits { open: 1, ..Limits::default() }, "127.0.0.1", 5);
    let mut driver = server.connect("/ws", None).unwrap();
    // It has got its answer, and may ask for more. The place of what became a WebSocket is free a moment later.
    let begun = Instant::now();
    let first = loop {
        let mut first = half_said(&server);
        write!(first, "\r\n").unwrap();
        let mut answer = [0; 12];
        if first.read_exact(&mut answer).is_ok() && &answer == b"HTTP/1.1 200" {
            break first;
        }
        assert!(begun.elapsed() < PATIENCE, "{}", String::from_utf8_lossy(&answer));
    };
    let mut second = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    let told = rest(&mut second);
    assert!(told.starts_with("HTTP/1.1 503") && told.ends_with("\r\n\r\ntoo many connections; try again"), "{told}");
    // A WebSocket needs no place.
    server.frame(&mut driver);
    drop(first);
    while server.connect("/ws", None).is_err() {
        assert!(begun.elapsed() < PATIENCE);
    }
}

#[test]
fn a_client_that_takes_little_gets_fewer_frames_and_one_that_takes_nothing_is_let_go() {
    let server = Server::within(Limits { stalled: Duration::from_secs(2), ..Limits::default() }, "127.0.0.1", 71);
    let mut slow = server.connect("/ws", None).unwrap();
    server.command(&mut slow, r#"{"do":"set","method":"pd-jacobi","iterations":1,"gravity":[0,0,0],"n":1}"#);
    let _stalled = server.connect("/ws", None).unwrap();
    let (begun, mut steps, mut clients) = (Instant::now(), Vec::new(), 2);
    while begun.elapsed() < 3 * PATIENCE && (clients > 1 || steps.len() < 60) {
        std::thread::sleep(Duration::from_millis(50));
        server.wait(&mut slow, "message", |message| {
            steps.extend(facts(message, 2).and_then(|frame| frame["step"].as_u64()));
            clients = state(message).map_or(clients, |state| state["clients"].as_u64().unwrap());
            Some(())
        });
    }
    assert_eq!(clients, 1);
    let missed = steps.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(missed > Some(5), "{steps:?}");
}

/// A line of 250 kB a second, over which a twelfth of the frames fit: it takes something all the time, if never a whole frame at once.
#[test]
fn a_client_that_takes_little_at_a_time_is_kept() {
    let server = Server::within(Limits { stalled: Duration::from_secs(2), ..Limits::default() }, "127.0.0.1", 71);
    let mut driver = server.connect("/ws", None).unwrap();
    server.command(&mut driver, r#"{"do":"set","method":"pd-jacobi","iterations":1,"gravity":[0,0,0],"n":1}"#);
    let mut slow = bare_socket(&server);
    let clients = |count: u64| move |message: &Message| state(message).filter(|state| state["clients"] == count);
    server.wait(&mut driver, "slow client", clients(2));
    let (begun, mut piece) = (Instant::now(), vec![0; 25_000]);
    while begun.elapsed() < Duration::from_secs(7) {
        slow.read_exact(&mut piece).unwrap();
        server.newest(&mut driver);
        std::thread::sleep(Duration::from_millis(90));
    }
    // The next state counts it.
    server.command(&mut driver, r#"{"do":"pause"}"#);
    let paused = |message: &Message| state(message).filter(|state| state["playing"] == false);
    assert_eq!(server.wait(&mut driver, "pause", paused)["clients"], 2);
}

/// Regression: while something was sent nobody was heard, so a driver on a slow line could not pause.
#[test]
fn a_driver_that_takes_nothing_is_heard_all_the_same() {
    let server = Server::new("127.0.0.1", 71);
    let mut driver = server.connect("/ws", None).unwrap();
    let mut watcher = server.connect("/ws", None).unwrap();
    server.command(&mut driver, r#"{"do":"set","method":"pd-jacobi","iterations":1,"gravity":[0,0,0]}"#);
    // Until what sockets hold is full.
    rate(&server, &mut watcher, 4.0);
    server.command(&mut driver, r#"{"do":"pause"}"#);
    let paused = |message: &Message| state(message).filter(|state| state["playing"] == false);
    server.wait(&mut watcher, "pause", paused);
}

/// Memory of this process, MiB; 0 where the system does not tell.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(0.0) / 256.0
}

/// Regression: a request that was turned away counted as one that had said what it wants, and its place was kept.
#[test]
fn who_does_not_know_the_token_keeps_no_place() {
    let server = Server::within(Limits { open: 2, head: 4 * PATIENCE, ..Limits::default() }, "0.0.0.0", 5);
    let token = server.address.token.clone().unwrap();
    let _strangers: Vec<_> = (0..2)
        .map(|_| {
            let mut stranger = half_said(&server);
            write!(stranger, "\r\n").unwrap();
            // Only what is closed ends.
            let told = rest(&mut stranger).to_lowercase();
            assert!(told.starts_with("http/1.1 401") && told.contains("\r\nconnection: close\r\n"), "{told}");
            stranger
        })
        .collect();
    // Who takes its place and says nothing makes room.
    let _silent: Vec<_> = (0..2).map(|_| half_said(&server)).collect();
    assert_eq!(server.get(&format!("/?token={token}"), "Host: box.lan\r\n").0, 200);
}

/// Regression: a connection that is closed over what was not read is cut, and the 503 may be lost with it.
#[test]
fn one_too_many_that_has_asked_already_hears_why_it_is_turned_away() {
    let server = Server::within(Limits { open: 1, ..Limits::default() }, "127.0.0.1", 5);
    let mut first = half_said(&server);
    write!(first, "\r\n").unwrap();
    first.read_exact(&mut [0; 12]).unwrap();
    for _ in 0..20 {
        let mut one_more = half_said(&server);
        write!(one_more, "\r\n").unwrap();
        let mut told = String::new();
        one_more.read_to_string(&mut told).unwrap();
        assert!(told.starts_with("HTTP/1.1 503") && told.ends_with("try again"), "{told}");
    }
}

#[test]
fn frames_are_fetched_by_few_at_once_and_not_kept_in_memory() {
    // More than sockets hold.
    let server = Server::new("127.0.0.1", 121);
    let fetch = || {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // Of this version, so that the file comes in one piece.
        write!(stream, "GET /frame.obj HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n").unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        (String::from_utf8_lossy(&status[9..]).into_owned(), stream)
    };
    let mut slow: Vec<_> = (0..DOWNLOADS).map(|_| fetch()).collect();
    assert!(slow.iter().all(|(status, _)| status == "200"));
    assert_eq!(fetch().0, "503");
    let (_, mut stream) = slow.remove(0);
    let lines = rest(&mut stream);
    assert_eq!(lines.matches("\nv ").count() + lines.matches("\nf ").count(), 121 * 121 + 2 * 120 * 120);
    // Its turn ends a moment after its last byte.
    let begun = Instant::now();
    while fetch().0 == "503" {
        assert!(begun.elapsed() < PATIENCE);
    }
}

/// A WebSocket that nobody looks after: what comes waits until it is read.
fn bare_socket(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\n").unwrap();
    write!(stream, "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n").unwrap();
    write!(stream, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").unwrap();
    stream
}

/// Code and reason with which the server closes a WebSocket over which these bytes come.
fn closed_over(server: &Server, bytes: &[u8]) -> Option<(u16, String)> {
    let mut stream = bare_socket(server);
    stream.write_all(bytes).unwrap();
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    let head = all.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let mut frames = &all[head..];
    // The server's frames are not masked: kind, length, what it says.
    while let [kind, short, more @ ..] = frames {
        let (length, payload) = match (short, more) {
            (126, [a, b, payload @ ..]) => (usize::from(u16::from_be_bytes([*a, *b])), payload),
            (127, more) => (u64::from_be_bytes(more.get(..8)?.try_into().ok()?) as usize, &more[8..]),
            (short, payload) => (usize::from(*short), payload),
        };
        if *kind == 0x88 {
            let (code, reason) = payload.get(..length)?.split_at_checked(2)?;
            return Some((u16::from_be_bytes([code[0], code[1]]), String::from_utf8_lossy(reason).into_owned()));
        }
        frames = payload.get(length..)?;
    }
    None
}

#[test]
fn what_is_no_frame_of_a_websocket_is_closed_with_a_reason() {
    let server = Server::new("127.0.0.1", 5);
    for (bytes, code, says) in [
        (&[0x81, 0x02, b'h', b'i'][..], 1002, "unmasked"),
        (&[0xc1, 0x80, 0, 0, 0, 0][..], 1002, "Reserved bits"),
        (&[0x83, 0x80, 0, 0, 0, 0][..], 1002, "opcode"),
        (&[0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe][..], 1007, "UTF-8"),
    ] {
        let closed = closed_over(&server, bytes);
        let Some((given, reason)) = &closed else { panic!("{bytes:x?}: {closed:?}") };
        assert!(*given == code && reason.contains(says), "{bytes:x?}: {given} {reason}");
    }
}

#[test]
fn a_client_that_is_not_there_any_more_gives_up_its_place_even_while_nothing_moves() {
    let server = Server::within(Limits { ping: Duration::from_millis(200), ..Limits::default() }, "127.0.0.1", 5);
    let mut driver = server.connect("/ws", None).unwrap();
    server.command(&mut driver, r#"{"do":"pause"}"#);
    // It takes what comes, as a system does whose program hangs, and answers nothing.
    let _asleep = server.connect("/ws", None).unwrap();
    let clients = |count: u64| move |message: &Message| state(message).filter(|state| state["clients"] == count);
    server.wait(&mut driver, "second client", clients(2));
    let begun = Instant::now();
    let state = server.wait(&mut driver, "end of the second client", clients(1));
    assert!(begun.elapsed() < Duration::from_secs(5) && state["you_drive"] == true, "{:?}", begun.elapsed());
    // Who answers stays.
    let later = |_: &Message| (begun.elapsed() > Duration::from_secs(2)).then_some(());
    server.wait(&mut driver, "more", later);
}

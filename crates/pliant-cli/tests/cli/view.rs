//! `pliant view`, and pages that replay a run.

use crate::support::{Place, SMALL};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn start(place: &Place, args: &[&str]) -> (Child, String) {
    let mut child = place.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = lines.find_map(|line| line.unwrap().strip_prefix("http://").map(str::to_string)).unwrap();
    let address = address.split('/').next().unwrap().to_string();
    // The program must not wait for somebody to read.
    std::thread::spawn(move || lines.for_each(drop));
    (child, address)
}

#[test]
fn the_viewer_listens_where_it_says_and_ends_on_ctrl_c() {
    let place = Place::new(SMALL);
    let args = ["view", "scene.toml", "--no-open", "--port", "0", "--device", "cpu", "--json"];
    let (mut child, address) = start(&place, &args);
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("</html>"), "{}", &answer[..200]);

    let port = address.rsplit(':').next().unwrap();
    let taken = place.call(&["view", "scene.toml", "--no-open", "--port", port, "--device", "cpu"]);
    assert_eq!(taken.code, 2);
    assert!(taken.stderr.contains("--port"), "{}", taken.stderr);

    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let said: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(said["url"], format!("http://{address}/"));
}

/// Regression: while a large scene was made, nothing was heard of Ctrl-C for half a minute.
#[test]
fn the_viewer_says_at_once_that_it_ends_and_how_to_end_it_sooner() {
    let large = "pliant = 1\n[[cloth]]\nresolution = 401\n[solver]\nmethod = 'pd-direct'\n";
    let place = Place::new(large);
    let args = ["view", "scene.toml", "--no-open", "--port", "0", "--device", "cpu"];
    let mut child = place.command(&args).stderr(Stdio::piped()).spawn().unwrap();
    // It has begun to make the scene.
    std::thread::sleep(Duration::from_millis(500));
    let id = child.id().to_string();
    let signal = || Command::new("kill").args(["-INT", &id]).status().unwrap();
    let asked = Instant::now();
    assert!(signal().success());
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let said = lines.next().unwrap().unwrap();
    assert!(said.contains("Ctrl-C again") && asked.elapsed() < Duration::from_secs(2), "{said} {:?}", asked.elapsed());
    assert!(signal().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(4), "{:?}", asked.elapsed());
}

#[test]
fn what_cannot_be_viewed_is_told_before_anything_listens() {
    let place = Place::new("pliant = 1\n[[cloth]]\nresolution = 'x'\n");
    let ended = place.call(&["view", "scene.toml", "--no-open", "--port", "0"]);
    assert!(ended.code == 2 && ended.stderr.contains("scene.toml:3"), "{} {}", ended.code, ended.stderr);
    std::fs::write(place.path("scene.toml"), SMALL).unwrap();
    let ended = place.call(&["view", "scene.toml", "--method", "magic", "--port", "0", "--no-open"]);
    assert!(ended.code == 2 && ended.stderr.contains("magic"), "{} {}", ended.code, ended.stderr);
    let ended = place.call(&["view", "scene.toml", "--host", "0.0.0.0", "--port", "0", "--no-open"]);
    assert!(ended.code == 2 && ended.stderr.contains("--allow-remote"), "{} {}", ended.code, ended.stderr);
    let ended = place.call(&["view", "scene.toml", "--host", "example.org", "--no-open"]);
    assert!(ended.code == 2 && ended.stderr.contains("localhost"), "{} {}", ended.code, ended.stderr);
    let ended = place.call(&["view", "scene.toml", "--token", "short", "--port", "0", "--no-open"]);
    assert!(ended.code == 2 && ended.stderr.contains("16 letters"), "{} {}", ended.code, ended.stderr);
}

#[test]
fn beyond_loopback_the_address_has_a_token_and_a_warning() {
    let place = Place::new(SMALL);
    let said = |more: &[&str]| {
        let mut command = place.command(&["view", "scene.toml", "--host", "0.0.0.0", "--allow-remote", "--port", "0"]);
        let mut child =
            command.args(["--no-open", "--device", "cpu"]).args(more).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        // A computer without a network has no line for others.
        let mut said = Vec::new();
        for line in lines {
            let last = line.contains("nothing is encrypted");
            said.push(line);
            if last {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        said
    };
    let lines = said(&[]);
    // 0.0.0.0 is no address that a browser could open.
    assert!(lines[0].starts_with("http://127.0.0.1:") && lines[0].contains("/?token="), "{lines:?}");
    assert!(lines.len() <= 3 && lines[lines.len() - 1].starts_with("warning: "), "{lines:?}");
    assert!(lines.iter().all(|line| !line.contains("0.0.0.0:")), "{lines:?}");
    let lines = said(&["--token", "the-same-every-day"]);
    assert!(lines[0].contains("/?token=the-same-every-day "), "{lines:?}");
}

#[test]
fn localhost_is_an_address() {
    let place = Place::new(SMALL);
    let (mut child, address) =
        start(&place, &["view", "scene.toml", "--no-open", "--port", "0", "--device", "cpu", "--host", "localhost"]);
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// With a program that was built without npm the run says so, and ends well all the same.
#[test]
fn a_run_leaves_a_page_that_plays_it() {
    let place = Place::new(SMALL);
    let args = ["run", "scene.toml", "--no-preview", "--device", "cpu", "--format", "html", "--json"];
    let report = place.json(&args);
    let page = place.path("out/scene/animation.html");
    if !pliant_view::PAGE.contains("PLIANT-RECORDING") {
        assert!(report["warnings"].to_string().contains("npm"), "{report}");
        return assert!(!page.exists());
    }
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(!text.contains("PLIANT-RECORDING") && text.len() > pliant_view::PAGE.len() + 7 * 81 * 8);
    assert!(report["output"].to_string().contains("animation.html"));
    assert!(!place.path("out/scene/animation.glb").exists());
    // Another run without it leaves none behind.
    place.json(&["run", "scene.toml", "--no-preview", "--device", "cpu", "--json"]);
    assert!(!page.exists());
}

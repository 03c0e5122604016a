//! A full disk, or a limit on the size of files, is told with the file and what it needs, exit code 3, and costs nothing that
//! was there before.

use crate::files::{all_below, assert_all_whole};
use crate::support::{Ended, Place, SMALL};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file system in memory, as small as is said; gone when dropped.
struct Disk(PathBuf);

impl Disk {
    /// `None`, and a printed line, where nobody lets us mount one.
    fn mount(path: PathBuf, kilobytes: usize) -> Option<Self> {
        std::fs::create_dir_all(&path).unwrap();
        let size = format!("size={kilobytes}k");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&path).output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self(path));
        }
        println!("skipped: this user may not mount a file system");
        None
    }

    fn grow(&self) {
        let grown = Command::new("mount").args(["-o", "remount,size=64m"]).arg(&self.0).status().unwrap();
        assert!(grown.success());
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_run_on_a_full_disk_ends_with_3_and_goes_on_where_there_is_room() {
    let place = Place::new(SMALL);
    let args = ["run", "scene.toml", "--json", "--no-preview", "--format", "glb,obj", "--frames", "12", "--resume"];
    let whole = place.json(&[&args[..], &["--out", "whole"]].concat());
    let (mut ends, mut frames_kept, mut advised) = (Vec::new(), 0, [0; 2]);
    for kilobytes in (4..400).step_by(12) {
        let Some(disk) = Disk::mount(place.path(&format!("disk{kilobytes}")), kilobytes) else { return };
        let out = disk.path().join("out");
        let args = [&args[..], &["--out", out.to_str().unwrap()]].concat();
        let full = place.call(&args);
        if full.code == 0 {
            break;
        }
        assert_eq!(full.code, 3, "{kilobytes} kB: {}", full.stderr);
        let error = &full.json()["error"];
        let message = error["message"].as_str().unwrap();
        assert_eq!(error["exit_code"], 3, "{error}");
        assert!(message.contains(disk.path().to_str().unwrap()), "the file is named: {message}");
        assert!(message.contains("No space left"), "{message}");
        let saved = out.join("checkpoint").exists();
        assert_eq!(message.contains("--resume"), saved, "{message}");
        assert!(message.contains("free some space"), "{message}");
        assert!(saved || message.contains("run again: there is no checkpoint yet"), "{message}");
        advised[usize::from(saved)] += 1;
        ends.push(message.to_string());
        assert_all_whole(&out);
        frames_kept = frames_kept.max(all_below(&out.join("frames")).len());
        disk.grow();
        assert_eq!(place.json(&args)["state_hash"], whole["state_hash"], "{kilobytes} kB");
    }
    assert!(ends.len() > 5 && frames_kept > 5, "{frames_kept} frames: {ends:#?}");
    assert!(ends.iter().any(|message| message.contains(" bytes")), "{ends:#?}");
    assert!(advised.iter().all(|count| *count > 0), "without and with a checkpoint: {advised:?}");
    println!("{ends:#?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_mesh_that_finds_no_room_ends_with_3() {
    let place = Place::new(SMALL);
    std::fs::write(place.path("tet.obj"), crate::support::TET).unwrap();
    std::os::unix::fs::symlink("/dev/full", place.path("full.ply")).unwrap();
    let ended = place.call(&["mesh", "convert", "tet.obj", "full.ply"]);
    assert_eq!(ended.code, 3, "{}", ended.stderr);
    assert!(ended.stderr.contains("full.ply") && ended.stderr.contains("No space left"), "{}", ended.stderr);
}

/// Regression: SIGXFSZ ended the program without a word.
#[cfg(unix)]
#[test]
fn a_limit_on_the_size_of_files_is_told_and_costs_nothing() {
    let place = Place::new(SMALL);
    let run = ["run", "scene.toml", "--device", "cpu", "--json", "--format", "glb,obj", "--frames", "12"];
    let whole = place.json(&[&run[..], &["--no-preview", "--out", "whole"]].concat());
    let largest = std::fs::metadata(place.path("whole/animation.glb")).unwrap().len();
    let (mut advised, mut done) = ([0; 2], 0);
    // In blocks of 512 bytes: from less than a frame to more than any file.
    for blocks in (1..largest / 512 + 3).step_by(3) {
        let out = format!("limited{blocks}");
        let args = [&run[..], &["--no-preview", "--out", &out]].concat();
        let limited = limited(&place, blocks, &args);
        assert_all_whole(&place.path(&out));
        if limited.code == 0 {
            done += 1;
            continue;
        }
        assert_eq!(limited.code, 3, "{blocks} blocks: {}", limited.stderr);
        let saved = place.path(&out).join("checkpoint").exists();
        for word in ["File too large", "ulimit -f", if saved { "--resume" } else { "run again" }] {
            assert!(limited.stderr.contains(word), "{blocks} blocks, {word}: {}", limited.stderr);
        }
        advised[usize::from(saved)] += 1;
        let went_on = place.json(&[&args[..], if saved { &["--resume"] } else { &[] }].concat());
        assert_eq!(went_on["state_hash"], whole["state_hash"], "{blocks} blocks");
    }
    assert!(advised.iter().chain([&done]).all(|count| *count > 0), "{advised:?} {done}");
}

/// What is printed has its limit, too.
#[cfg(unix)]
#[test]
fn pictures_and_tables_beyond_a_limit_on_files_are_told() {
    let place = Place::new(SMALL);
    let drawn = limited(&place, 16, &["run", "scene.toml", "--device", "cpu", "--format", "obj", "--frames", "2"]);
    assert_eq!(drawn.code, 0, "{}", drawn.stderr);
    assert!(drawn.stderr.contains("preview.png") && drawn.stderr.contains("File too large"), "{}", drawn.stderr);
    let printed = limited(&place, 1, &["methods", "--json", ">", "table.json"]);
    assert_eq!(printed.code, 3, "{}", printed.stderr);
    assert!(printed.stderr.contains("File too large"), "{}", printed.stderr);
}

/// Calls the program where files may have so many blocks of 512 bytes.
#[cfg(unix)]
fn limited(place: &Place, blocks: u64, args: &[&str]) -> Ended {
    let script = format!("ulimit -f {blocks}; exec {} {}", env!("CARGO_BIN_EXE_pliant"), args.join(" "));
    let command = place.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    Ended::of(shell.output().unwrap())
}

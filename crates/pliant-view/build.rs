//! Builds the page of the viewer with npm and puts it where `src/page.rs` takes it from. A page that `make page` has built
//! is taken as it is, if nothing has changed since. Without npm there is a page that says how to get it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{env, fs, io};

/// What the page is made of, in `page/`.
const SOURCES: [&str; 6] =
    ["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "src"];

fn main() {
    let from = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("page");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    SOURCES.iter().for_each(|name| println!("cargo:rerun-if-changed=page/{name}"));
    println!("cargo:rerun-if-changed=page/dist/index.html");
    println!("cargo:rerun-if-env-changed=PLIANT_NO_PAGE");
    let page = match page(&from, &out) {
        Ok(page) => page,
        Err(why) => {
            println!("cargo:warning=the page of `pliant view` is not built: {why}");
            instead(&why)
        }
    };
    if let Err(error) = fs::write(out.join("page.html"), page) {
        println!("cargo:error=the page of the viewer cannot be written: {error}");
    }
}

fn page(from: &Path, out: &Path) -> Result<String, String> {
    let read = |path: PathBuf| fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()));
    if env::var_os("PLIANT_NO_PAGE").is_some_and(|set| !set.is_empty()) {
        return Err("PLIANT_NO_PAGE is set".to_string());
    }
    let built = from.join("dist/index.html");
    let newest = SOURCES.iter().map(|name| newest(&from.join(name))).max();
    if modified(&built) > newest.unwrap_or(SystemTime::UNIX_EPOCH) {
        return read(built);
    }
    let work = out.join("page");
    SOURCES.iter().try_for_each(|name| copy(&from.join(name), &work.join(name))).map_err(|error| error.to_string())?;
    // The settings of npm, where there are some.
    let _ = copy(&from.join(".npmrc"), &work.join(".npmrc"));
    npm(&work, &["ci", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=30000"])?;
    npm(&work, &["run", "build"])?;
    read(work.join("dist/index.html"))
}

fn npm(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.map_err(|error| format!("npm is not there ({error}); install Node.js 20 or newer"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let last = said.lines().filter(|line| !line.trim().is_empty()).take(4).collect::<Vec<_>>().join("; ");
    Err(format!("`npm {}` failed: {last}", arguments.join(" ")))
}

/// When a file, or the youngest in a folder, was written.
fn newest(path: &Path) -> SystemTime {
    let inside = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| newest(&entry.path()));
    inside.max().unwrap_or_else(|| modified(path))
}

fn modified(path: &Path) -> SystemTime {
    fs::metadata(path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        return fs::copy(from, to).map(drop);
    }
    // A file that is there no longer must not be built.
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to)?;
    fs::read_dir(from)?.try_for_each(|entry| {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))
    })
}

/// A page that says why there is none.
fn instead(why: &str) -> String {
    let why = why.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<!doctype html><meta charset=utf-8><title>Pliant</title><body style='font: 1rem system-ui; max-width: 40em; margin: 3em auto'>\
         <h1>The page is missing</h1><p>This program was built without the page of the viewer: {why}</p>\
         <p>Install Node.js with npm, then build again: <code>make page &amp;&amp; cargo build --release</code></p>\n"
    )
}

//! `pliant view`

use crate::args::{Args, ViewArgs};
use crate::progress::say;
use crate::{Exit, interrupt};
use pliant_gpu::AllDevices;
use pliant_view::{Address, ViewError, ViewOptions, serve};
use serde_json::json;
use std::process::{Command, Stdio};

pub(crate) fn view(args: &Args, typed: &ViewArgs) -> anyhow::Result<Exit> {
    if !typed.host.is_loopback() && !typed.allow_remote {
        anyhow::bail!(
            "--host {} lets other computers in; add --allow-remote if that is meant, or leave --host out and use an SSH tunnel",
            typed.host
        );
    }
    let mut scene = super::scene(&typed.scene)?;
    scene.solver.iterations = typed.iterations.map(|count| count as usize).or(scene.solver.iterations);
    scene.solver.budget_ms = typed.budget_ms.or(scene.solver.budget_ms);
    let options = ViewOptions {
        file: typed.scene.scene.clone(),
        host: typed.host,
        port: typed.port,
        token: typed.token.clone(),
        changes: changes(typed),
    };
    let stop = interrupt::watch_viewer();
    let served = serve(&AllDevices, scene, &options, &stop, |address| announce(args, typed, address));
    served.map_err(|error| match error {
        // As if there were no viewer.
        ViewError::Simulation(inside) => anyhow::Error::from(inside),
        ViewError::Meshes(inside) => anyhow::Error::from(*inside),
        other => other.into(),
    })?;
    say("the viewer has ended");
    Ok(Exit::Done)
}

/// What was typed after the scene's name, as keys of the scene: whoever comes back to it on the page finds it so. Its device is
/// that of all scenes.
fn changes(typed: &ViewArgs) -> Vec<(String, String)> {
    let mut changes = typed.scene.set.clone();
    let mut add = |key: &str, value: Option<String>| changes.extend(value.map(|value| (key.to_string(), value)));
    add("solver.method", typed.scene.method.clone());
    add("solver.iterations", typed.iterations.map(|count| count.to_string()));
    add("solver.budget_ms", typed.budget_ms.map(|ms| ms.to_string()));
    changes
}

fn announce(args: &Args, typed: &ViewArgs, address: &Address) {
    let url = address.url();
    say(&format!("{url}  (Ctrl-C ends it)"));
    if let Some(other) = address.url_for_others().filter(|other| *other != url) {
        say(&format!("{other}  on other computers"));
    }
    if !typed.host.is_loopback() {
        say("warning: other computers can reach this, and whoever has the address can drive it; nothing is encrypted");
    }
    if args.json {
        // A stdout that is gone reads no addresses.
        let _ = crate::printed::print_json(&json!({ "url": url, "token": address.token }));
    }
    if !typed.no_open {
        open(&url);
    }
}

/// Opens a browser where there is a desktop to open it on.
fn open(url: &str) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else if ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some()) {
        ("xdg-open", &[])
    } else {
        return;
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(error) = command.spawn() {
        tracing::info!("{program}: {error}; open the address yourself");
    }
}

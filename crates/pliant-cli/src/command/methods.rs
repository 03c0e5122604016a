//! `pliant methods`

use crate::Exit;
use crate::args::Args;
use crate::printed::{print, print_json};
use crate::table::Table;
use pliant::solver::{METHODS, Needs};
use serde_json::json;

pub(crate) fn methods(args: &Args) -> anyhow::Result<Exit> {
    if args.json {
        let methods: Vec<_> = METHODS
            .iter()
            .map(|m| {
                json!({
                    "name": m.name,
                    "source": m.source,
                    "summary": m.summary,
                    "needs": needs(m.needs),
                    "chebyshev": m.chebyshev,
                    "minimises": m.minimises,
                    "iterations": m.iterations,
                })
            })
            .collect();
        print_json(&json!({ "default": "auto", "methods": methods }))?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&["method", "iterations", "needs", "source", "what it is good for"]);
    for m in METHODS {
        let cells = [m.name, &m.iterations.to_string(), needs(m.needs), m.source, m.summary];
        table.row(cells.map(str::to_string));
    }
    print(&format!("{}\n'auto', the default, picks the best of these for a scene.", table.text()))?;
    Ok(Exit::Done)
}

fn needs(needs: Needs) -> &'static str {
    match needs {
        Needs::Energy => "energy",
        Needs::Projections => "projections",
        Needs::Constraints => "constraints",
        Needs::Rotations => "rotations",
    }
}

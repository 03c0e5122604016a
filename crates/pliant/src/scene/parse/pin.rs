//! `[[pin]]`.

use super::super::reader::Section;
use super::super::suggest;
use super::super::types::{Cloth, Hold, MeshSource, Pin, Select, Solid};

/// What a pin must know about a body.
pub(super) struct Body<'s> {
    pub name: &'s str,
    /// Vertices along the sides of a generated cloth.
    grid: Option<[usize; 2]>,
}

pub(super) fn bodies<'s>(cloth: &'s [Cloth], solid: &'s [Solid]) -> Vec<Body<'s>> {
    let cloth = cloth.iter().map(|c| Body {
        name: &c.name,
        grid: match c.mesh {
            MeshSource::Grid { resolution, .. } => Some(resolution),
            _ => None,
        },
    });
    cloth.chain(solid.iter().map(|s| Body { name: &s.name, grid: None })).collect()
}

pub(super) fn pins(sections: &[Section<'_>], bodies: &[Body<'_>]) -> Vec<Pin> {
    sections.iter().map(|s| pin(s, bodies)).collect()
}

fn pin(s: &Section<'_>, bodies: &[Body<'_>]) -> Pin {
    s.check_keys(None);
    let body = body(s, bodies);
    let select = select(s);
    if let Some(body) = body {
        check_fits(s, &select, body);
    }
    Pin {
        body: body.map_or_else(String::new, |b| b.name.to_string()),
        select,
        hold: if s.has("stiffness") { Hold::Spring(s.number("stiffness").unwrap_or(1.0)) } else { Hold::Exact },
        velocity: s.vector("velocity").unwrap_or_default(),
        angular_velocity: s.vector("angular_velocity").unwrap_or_default(),
        centre: s.vector("centre").unwrap_or_default(),
        moves: s.interval("moves").unwrap_or([0.0, f64::INFINITY]),
        release: s.number("release").unwrap_or(f64::INFINITY),
    }
}

fn body<'b, 's>(s: &Section<'_>, bodies: &'b [Body<'s>]) -> Option<&'b Body<'s>> {
    if let Some(name) = s.text("body") {
        return found(s, &name, bodies);
    }
    let names: Vec<&str> = bodies.iter().map(|b| b.name).collect();
    match bodies {
        [one] => Some(one),
        [] => None,
        _ => {
            if !s.has("body") {
                s.fail(
                    "body",
                    "the pin does not say which body it holds",
                    format!("write `body = ...`: {}", suggest::list(&names)),
                );
            }
            None
        }
    }
}

/// The body of this name; notes that there is none.
pub(super) fn found<'b, 's>(s: &Section<'_>, name: &str, bodies: &'b [Body<'s>]) -> Option<&'b Body<'s>> {
    let found = bodies.iter().find(|b| b.name == name);
    if found.is_none() {
        let names: Vec<&str> = bodies.iter().map(|b| b.name).collect();
        s.fail("body", format!("there is no body \"{name}\""), suggest::help(name, "bodies", &names));
    }
    found
}

fn select(s: &Section<'_>) -> Select {
    const WAYS: [&str; 4] = ["vertices", "nearest", "inside", "corners"];
    let given: Vec<&str> = WAYS.into_iter().filter(|w| s.has(w)).collect();
    match given.as_slice() {
        [] => s.fail(
            "vertices",
            "the pin does not say which vertices it holds",
            format!("give one of {}", suggest::list(&WAYS)),
        ),
        [_] => {}
        [_, second, ..] => {
            s.fail(
                second,
                format!("{} both say which vertices are held", suggest::list(&given)),
                "keep one, and make a second [[pin]] for the other",
            );
        }
    }
    let vertices = s.indices("vertices").map(Select::Vertices);
    let nearest = s.points("nearest").map(Select::Nearest);
    let inside = s.corners("inside").map(Select::Inside);
    let corners = s.choices("corners").map(|c| Select::Corners(c.into_iter().map(str::to_string).collect()));
    vertices.or(nearest).or(inside).or(corners).unwrap_or(Select::Vertices(Vec::new()))
}

fn check_fits(s: &Section<'_>, select: &Select, body: &Body<'_>) {
    match (select, body.grid) {
        (Select::Corners(_), None) => {
            let message = format!("`corners` are those of a generated cloth; \"{}\" is none", body.name);
            s.fail("corners", message, "use `nearest`, `inside` or `vertices`");
        }
        (Select::Vertices(vertices), Some([nx, nz])) => {
            if let Some(beyond) = vertices.iter().find(|v| **v as usize >= nx.saturating_mul(nz)) {
                let message = format!("\"{}\" has no vertex {beyond}", body.name);
                s.fail("vertices", message, format!("it has {} vertices, counted from 0", nx.saturating_mul(nz)));
            }
        }
        _ => {}
    }
}

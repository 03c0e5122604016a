//! `[[drag]]`.

use super::super::reader::Section;
use super::super::types::Drag;
use super::pin::{Body, found};

pub(super) fn drags(sections: &[Section<'_>], bodies: &[Body<'_>]) -> Vec<Drag> {
    sections.iter().map(|s| drag(s, bodies)).collect()
}

fn drag(s: &Section<'_>, bodies: &[Body<'_>]) -> Drag {
    s.check_keys(None);
    s.missing(
        "path",
        "write for example `path = [[1, 0, 0.5, 0], [2, 0, 1, 0]]`: at 1 s at [0, 0.5, 0], at 2 s 0.5 m higher",
    );
    s.missing("stiffness", "write for example `stiffness = \"1 kN/m\"`");
    Drag {
        body: s
            .text("body")
            .and_then(|name| found(s, &name, bodies))
            .map_or_else(String::new, |body| body.name.to_string()),
        path: s.waypoints("path").unwrap_or_default(),
        radius: s.number("radius").unwrap_or(0.0),
        stiffness: s.number("stiffness").unwrap_or(1.0),
    }
}

//! `[[force]]`.

use super::super::change::USUAL_DRAG;
use super::super::reader::Section;
use super::super::types::Force;

pub(super) fn forces(sections: &[Section<'_>]) -> Vec<Force> {
    sections.iter().map(force).collect()
}

fn force(s: &Section<'_>) -> Force {
    s.missing("kind", "write for example `kind = \"wind\"`");
    let kind = s.choice("kind");
    s.check_keys(kind);
    match kind {
        Some("wind") => {
            s.missing("velocity", "write for example `velocity = [5, 0, 0]`");
            Force::Wind {
                velocity: s.vector("velocity").unwrap_or_default(),
                drag: s.number("drag").unwrap_or(USUAL_DRAG),
            }
        }
        Some("acceleration") => {
            s.missing("acceleration", "write for example `acceleration = [1, 0, 0]`");
            Force::Acceleration(s.vector("acceleration").unwrap_or_default())
        }
        Some("rayleigh") => {
            if !s.has("rate") && !s.has("retardation") {
                let help =
                    "write `rate` (a, what slows every motion), `retardation` (b, what slows deformation), or both";
                s.fail("kind", "Rayleigh damping of nothing", help);
            }
            let [rate, retardation] = ["rate", "retardation"].map(|key| s.number(key).unwrap_or(0.0));
            Force::Rayleigh { rate, retardation }
        }
        _ => {
            if kind.is_some() {
                s.missing("rate", "write for example `rate = 0.1`");
            }
            Force::Damping(s.number("rate").unwrap_or(0.0))
        }
    }
}

//! The reference page of the scene file, made from the key table.

use super::key::{Key, Kind, SectionKeys};
use super::keys::{SECTIONS, TOP};
use super::presets::{CLOTH_PRESETS, SOLID_PRESETS};
use super::units;

const INTRODUCTION: &str = "# The scene file

<!-- Made from the key table of the parser: `PLIANT_BLESS=1 cargo test -p pliant --lib scene` writes this page. -->

A scene is a TOML file. Units are SI, y is up. Any number may carry a unit, in quotes: `\"5 mm\"`, `\"200 g/m^2\"`,
`\"1 MPa\"`, `\"30 deg\"`. A unit is checked against what the key measures. The smallest scene:

```toml
pliant = 1

[[cloth]]
position = [0, 1, 0]

[[pin]]
corners = [\"-x-z\", \"+x-z\"]
```

Tables in double brackets may be repeated. Names that are not on this page are errors, and the message suggests the
nearest one that is. Any key can be set from the command line: `--set time.frames=10`, `--set cloth.resolution=316`
(the only cloth), `--set cloth.1.density=\"300 g/m^2\"` (the second, counted from 0), `--set cloth.curtain.scale=2` (by name,
also by the one that a body without `name` gets).
";

/// The reference page, in Markdown: every section's keys with type, unit, default and meaning.
pub fn reference_markdown() -> String {
    let mut page = INTRODUCTION.to_string();
    for section in std::iter::once(&TOP).chain(SECTIONS) {
        write_section(&mut page, section);
    }
    page.push_str(
        "\n## Materials\n\nTypical values, meant to be right in their order of magnitude; none is that of one measured sample, so give the numbers of yours if you have them. KES is the Kawabata evaluation system: \
         EMT the strain at 490 N/m, B the bending rigidity.\n",
    );
    page.push_str("\n| cloth | density, kg/m^2 | stretch_stiffness, N/m | poisson_ratio | bend_stiffness, N·m | source |\n|---|---|---|---|---|---|\n");
    for p in CLOTH_PRESETS {
        page.push_str(&format!(
            "| `{}` | {} | {} | {} | {:e} | {} |\n",
            p.name, p.density, p.stretch_stiffness, p.poisson_ratio, p.bend_stiffness, p.source
        ));
    }
    page.push_str(
        "\n| solid | density, kg/m^3 | youngs_modulus, Pa | poisson_ratio | source |\n|---|---|---|---|---|\n",
    );
    for p in SOLID_PRESETS {
        page.push_str(&format!(
            "| `{}` | {} | {} | {} | {} |\n",
            p.name, p.density, p.youngs_modulus, p.poisson_ratio, p.source
        ));
    }
    page.push_str(
        "\n## Plausible numbers\n\nWhat is smaller or larger than this, whatever its sign, is taken for a typing error. 0 and what is almost 0 is \
         fine where the key allows 0.\n\n| quantity | unit | from | to |\n|---|---|---|---|\n",
    );
    for q in units::NAMED.iter().filter(|q| q.most.is_finite()) {
        page.push_str(&format!("| {} | {} | {} | {} |\n", q.name, q.unit, units::shown(q.least), units::shown(q.most)));
    }
    let names: Vec<String> = units::unit_names().map(|n| format!("`{n}`")).collect();
    page.push_str(&format!(
        "\n## Units\n\n{}.\n\nThey combine with `*` (or `·`, or a blank), `/` and `^`: `\"0.1 gf*cm^2/cm\"`.\n",
        names.join(" ")
    ));
    page
}

fn write_section(page: &mut String, section: &SectionKeys) {
    let title = if section.name.is_empty() { "Top of the file".to_string() } else { format!("`{}`", section.title()) };
    page.push_str(&format!("\n## {title}\n\n{}\n\n", section.about));
    page.push_str("| key | takes | unit | default | meaning |\n|---|---|---|---|---|\n");
    for key in section.keys {
        let (takes, unit) = described(key);
        let default = if is_typed(key.default) { format!("`{}`", key.default) } else { key.default.to_string() };
        let only = match key.only {
            [] => String::new(),
            only if only.len() == 1 && section.name == "cloth" => String::new(),
            only => format!(" For {}.", only.join(", ")),
        };
        page.push_str(&format!("| `{}` | {takes} | {unit} | {default} | {}{only} |\n", key.name, key.about));
    }
}

/// Whether a default is a TOML value rather than words.
pub(super) fn is_typed(default: &str) -> bool {
    toml::de::DeValue::parse(default).is_ok()
}

fn described(key: &Key) -> (String, &'static str) {
    let choices = |names: &[&str]| names.iter().map(|n| format!("`\"{n}\"`")).collect::<Vec<_>>().join(", ");
    let limits = |low: u64, high: u64| match (low, high) {
        (low, high) if low == high => String::new(),
        (0, _) => String::new(),
        (low, _) => format!(", at least {low}"),
    };
    match key.kind {
        Kind::Text => ("text".to_string(), ""),
        Kind::File => ("file".to_string(), ""),
        Kind::Flag => ("`true` or `false`".to_string(), ""),
        Kind::Count(low, high) => (format!("whole number{}", limits(low, high)), ""),
        Kind::Counts(n, low, high) => (format!("whole number, or {n} of them{}", limits(low, high)), ""),
        Kind::Number(q, range) => match range.described().as_str() {
            "finite" => ("number".to_string(), q.unit),
            range => (format!("number {range}"), q.unit),
        },
        Kind::Numbers(n, q, range) => (format!("number {}, or {n} of them", range.described()), q.unit),
        Kind::Vector(q) => ("[x, y, z]".to_string(), q.unit),
        Kind::Interval(q, _) => ("[from, to]".to_string(), q.unit),
        Kind::Choice(names) => (choices(names), ""),
        Kind::Choices(names) => (format!("any of {}", choices(names)), ""),
        Kind::Indices => ("whole number, or a list".to_string(), ""),
        Kind::Points => ("[x, y, z], or a list of them".to_string(), "m"),
        Kind::Corners => ("[[x, y, z], [x, y, z]]".to_string(), "m"),
        Kind::Phases => ("`\"tuned\"` or [[iterations, rho], ...], at most 8".to_string(), ""),
        Kind::Parameters => ("[s0, s1, ...]".to_string(), "Pa"),
        Kind::Directions => ("[x, y, z], or up to 3 of them".to_string(), ""),
        Kind::Knots => ("[[stretch, slope], ...], 2 to 8".to_string(), "1, Pa"),
        Kind::Curves => ("[[stretch, slope], ...], or a list of such".to_string(), "1, Pa"),
        Kind::Waypoints => ("[[time, x, y, z], ...], at least 2".to_string(), "s, m"),
    }
}

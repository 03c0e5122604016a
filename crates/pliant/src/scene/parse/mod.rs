//! From what was typed to what it means: TOML text to a [`Scene`].

mod body;
mod collider;
mod copies;
mod data;
mod drag;
mod elasticity;
mod force;
mod pin;
mod settings;

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use toml::de::DeTable;

use super::error::{Log, SceneError};
use super::key::SectionKeys;
use super::keys::{self, SECTIONS};
use super::reader::Section;
use super::tree::{Node, Place, Table, Value};
use super::types::{Cloth, Collider, ContactSettings, Scene, Solid};
use super::{set, suggest};
use copies::Copied;

/// No scene is larger, bytes; a device or a pipe without end is.
const LARGEST: u64 = 16 << 20;

fn read_at_most(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)? as u64;
    if read > LARGEST {
        return Err(std::io::Error::other(format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    Ok(bytes)
}

impl Scene {
    /// Reads a scene file. `set` are overrides, key and value, such as `("time.frames", "10")`.
    pub fn read(path: &Path, set: &[(String, String)]) -> Result<Scene, SceneError> {
        let name = path.display().to_string();
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let bytes = read_at_most(path).map_err(|e| {
            let near = path.file_name().and_then(|n| suggest::nearest_file(folder, &n.to_string_lossy()));
            let help = match near {
                Some(near) if !path.exists() => format!("did you mean `{}`?", path.with_file_name(near).display()),
                _ => "a scene is a TOML file; docs/scene.md says what is in it".to_string(),
            };
            SceneError::about_file(&name, format!("cannot be read: {e}"), help)
        })?;
        let text = String::from_utf8(bytes).map_err(|e| {
            let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            let line = good.iter().filter(|b| **b == b'\n').count() + 1;
            let help = "save the file as UTF-8 text; is it a scene at all?".to_string();
            SceneError::about_file(&name, format!("line {line} is not UTF-8 text"), help)
        })?;
        Scene::parse(&text, &name, folder, set)
    }

    /// Reads a scene from its text. `name` is the file's name for messages, `folder` where relative paths start, `set`
    /// the overrides. Mesh files must exist; they are not opened.
    pub fn parse(text: &str, name: &str, folder: &Path, set: &[(String, String)]) -> Result<Scene, SceneError> {
        let log = Log::new(name, text, set);
        let (document, errors) = DeTable::parse_recoverable(text);
        let scene = if errors.is_empty() {
            let mut root = Table::from_toml(document.get_ref());
            shape(&mut root, &log);
            set::apply(&mut root, set, &log);
            shape(&mut root, &log);
            Some(scene(&root, name, folder, &log))
        } else {
            None
        };
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            let place = Place::Text { start: span.start, end: span.end };
            log.add(
                place,
                format!("not TOML: {}", error.message().trim()),
                "a line is `key = value` or `[table]`; text goes in quotes",
            );
        }
        match log.finish(scene)? {
            Some(scene) => Ok(scene),
            None => Err(SceneError::about_file(name, "holds no scene".to_string(), String::new())),
        }
    }
}

/// Brings the tree into its usual shape: `[cloth]` is a list of one, and the keys of a `mesh` table are the body's.
fn shape(root: &mut Table, log: &Log) {
    for keys in SECTIONS.iter().filter(|s| s.many) {
        let Some(entry) = root.get_mut(keys.name) else { continue };
        if matches!(entry.node.value, Value::Table(_)) {
            let one = Node { place: entry.place, value: Value::Table(Table::default()) };
            let table = std::mem::replace(&mut entry.node, one);
            entry.node.value = Value::List(vec![table]);
        }
        if let Value::List(bodies) = &mut entry.node.value
            && keys.find("mesh").is_some()
        {
            for body in bodies {
                if let Value::Table(table) = &mut body.value {
                    flatten_mesh(table, log);
                }
            }
        }
    }
}

fn flatten_mesh(body: &mut Table, log: &Log) {
    if !matches!(body.get("mesh").map(|e| &e.node.value), Some(Value::Table(_))) {
        return;
    }
    let Some(mesh) = body.remove("mesh") else { return };
    let Value::Table(inner) = mesh.node.value else { return };
    for mut entry in inner.entries {
        if entry.key == "file" {
            entry.key = "mesh".to_string();
        }
        if body.get(&entry.key).is_some() {
            log.add(entry.place, format!("`{}` is given twice: here and outside of `mesh`", entry.key), "remove one");
        } else {
            body.entries.push(entry);
        }
    }
}

fn scene(root: &Table, file: &str, folder: &Path, log: &Log) -> Scene {
    let start = Place::Text { start: 0, end: 0 };
    let top = Section::new(start, root, &keys::TOP, log);
    if !top.has("pliant") {
        log.add(start, "the scene does not say its format", "write `pliant = 1` at the top of the file");
    }
    top.big_count("pliant");
    top.check_keys(None);

    let seed = top.big_count("seed").unwrap_or(0);
    let mut notes = Vec::new();
    let cloth = body::cloths(&sections(root, "cloth", log), folder, seed);
    let solid = body::solids(&sections(root, "solid", log), folder, seed, &mut notes);
    let collider: Vec<Collider> = collider::colliders(&sections(root, "collider", log), folder);
    // A table with an unknown name may well be the body that is missing.
    let all_known = root.entries.iter().all(|e| keys::TOP.find(&e.key).is_some() || keys::section(&e.key).is_some());
    if root.get("cloth").is_none() && root.get("solid").is_none() && all_known {
        log.add(start, "the scene has no body", "add a [[cloth]] or a [[solid]]");
    }
    check_names(root, &cloth, &solid, &collider, log);
    let contact = settings::contact(&only(root, "contact", log));
    let time = settings::time(&only(root, "time", log), &contact);
    check_thickness(root, &contact, &cloth, &solid, log);
    let cloth: Vec<Cloth> = cloth.into_iter().map(|copy| copy.body).collect();
    let solid: Vec<Solid> = solid.into_iter().map(|copy| copy.body).collect();
    let bodies = pin::bodies(&cloth, &solid);
    let pin = pin::pins(&sections(root, "pin", log), &bodies);
    let drag = drag::drags(&sections(root, "drag", log), &bodies);
    Scene {
        name: top.text("name").unwrap_or_else(|| stem(file)),
        folder: folder.to_path_buf(),
        gravity: top.vector("gravity").unwrap_or([0.0, -9.81, 0.0]),
        seed,
        contact,
        pin,
        drag,
        force: force::forces(&sections(root, "force", log)),
        time,
        solver: settings::solver(&only(root, "solver", log)),
        device: settings::device(&only(root, "device", log)),
        output: settings::output(&only(root, "output", log)),
        cloth,
        solid,
        collider,
        notes,
    }
}

fn stem(file: &str) -> String {
    Path::new(file).file_stem().map_or_else(|| "scene".to_string(), |s| s.to_string_lossy().into_owned())
}

fn known(name: &str) -> &'static SectionKeys {
    keys::section(name).unwrap_or(&keys::TOP)
}

/// The tables of `[[name]]`.
fn sections<'a>(root: &'a Table, name: &str, log: &'a Log<'a>) -> Vec<Section<'a>> {
    let Some(entry) = root.get(name) else { return Vec::new() };
    let refuse = |node: &Node| {
        let message = format!("`{name}` is {}; expected a table", node.described());
        log.add(node.place, message, format!("write [[{name}]] on a line of its own, its keys below"));
    };
    let Value::List(items) = &entry.node.value else {
        refuse(&entry.node);
        return Vec::new();
    };
    let mut found = Vec::new();
    for item in items {
        match &item.value {
            Value::Table(table) => found.push(Section::new(item.place, table, known(name), log)),
            _ => refuse(item),
        }
    }
    found
}

/// The table `[name]`, empty if it is absent.
fn only<'a>(root: &'a Table, name: &str, log: &'a Log<'a>) -> Section<'a> {
    static EMPTY: Table = Table { entries: Vec::new() };
    let Some(entry) = root.get(name) else {
        return Section::new(Place::Text { start: 0, end: 0 }, &EMPTY, known(name), log);
    };
    let table = match &entry.node.value {
        Value::Table(table) => table,
        Value::List(items) if matches!(items.first().map(|i| &i.value), Some(Value::Table(_))) => {
            log.add(
                entry.place,
                format!("there is only one `{name}`"),
                format!("write [{name}] instead of [[{name}]]"),
            );
            &EMPTY
        }
        _ => {
            let message = format!("`{name}` is {}; expected a table", entry.node.described());
            log.add(entry.node.place, message, format!("write [{name}] on a line of its own, its keys below"));
            &EMPTY
        }
    };
    Section::new(entry.place, table, known(name), log)
}

/// The default name of the `index`th of `count` things.
pub(super) fn default_name(what: &str, index: usize, count: usize) -> String {
    if count == 1 { what.to_string() } else { format!("{what}{index}") }
}

/// Bodies that stop each other keep their thickness apart: without one nothing would.
fn check_thickness(
    root: &Table,
    contact: &ContactSettings,
    cloth: &[Copied<Cloth>],
    solid: &[Copied<Solid>],
    log: &Log,
) {
    let thin_cloths = cloth.iter().filter(|copy| copy.body.thickness <= 0.0).map(|copy| ("cloth", copy.table));
    let thin_solids = solid.iter().filter(|copy| copy.body.thickness <= 0.0).map(|copy| ("solid", copy.table));
    let mut thin: Vec<_> = thin_cloths.chain(thin_solids).filter(|_| contact.self_collision).collect();
    thin.dedup();
    for (name, table) in thin {
        sections(root, name, log)[table].fail(
            "thickness",
            "a body without thickness stops nothing, and contact.self_collision is on".to_string(),
            "give it a `thickness` above 0, or switch self_collision off",
        );
    }
}

/// Pins find bodies by name, and messages name colliders: no name may be given twice.
fn check_names(root: &Table, cloth: &[Copied<Cloth>], solid: &[Copied<Solid>], collider: &[Collider], log: &Log) {
    let cloths = cloth.iter().map(|copy| ("cloth", copy.table, &copy.body.name));
    let solids = solid.iter().map(|copy| ("solid", copy.table, &copy.body.name));
    let colliders = collider.iter().enumerate().map(|(table, collider)| ("collider", table, &collider.name));
    for group in [cloths.chain(solids).collect::<Vec<_>>(), colliders.collect()] {
        let mut seen: HashSet<&str> = HashSet::new();
        for (what, table, name) in group {
            if !seen.insert(name) {
                sections(root, what, log)[table].fail(
                    "name",
                    format!("the name \"{name}\" is taken"),
                    "give each body and each collider its own `name`",
                );
            }
        }
    }
}

//! Overrides: `--set cloth.resolution=316` changes what was typed before it is given a meaning.

use super::error::Log;
use super::keys::section;
use super::parse::default_name;
use super::suggest;
use super::tree::{Node, Place, Table, Value};

/// No key of a scene lies deeper.
const DEEPEST: usize = 6;

/// Puts every override into the tree; tables that are missing are made.
pub(super) fn apply(root: &mut Table, set: &[(String, String)], log: &Log) {
    for (index, (key, value)) in set.iter().enumerate() {
        let place = Place::Override(index);
        let path = path_of(key);
        if path.len() > DEEPEST || path.iter().any(|name| name.is_empty()) {
            log.add(place, format!("`{key}` is not the name of a key"), "write for example `time.frames=10`");
            continue;
        }
        if let Err((message, help)) = put(root, &path, Node::from_override(value, place)) {
            log.add(place, message, help);
        }
    }
}

/// The names of `key`; `cloth.mesh.size` is `cloth.size`, because the keys of a `mesh` table are the body's.
fn path_of(key: &str) -> Vec<&str> {
    let mut path: Vec<&str> = key.split('.').map(str::trim).collect();
    if matches!(path[0], "cloth" | "solid")
        && let Some(at) = path.iter().position(|name| *name == "mesh").filter(|at| at + 1 < path.len())
    {
        path.remove(if path[at + 1] == "file" { at + 1 } else { at });
    }
    path
}

type Mistake = (String, String);

fn put(root: &mut Table, path: &[&str], node: Node) -> Result<(), Mistake> {
    let place = node.place;
    let [first, rest @ ..] = path else { return Ok(()) };
    if rest.is_empty() {
        root.put(first, node);
        return Ok(());
    }
    let many = section(first).is_some_and(|s| s.many);
    if root.get(first).is_none() {
        let value = if many { Value::List(Vec::new()) } else { Value::Table(Table::default()) };
        root.put(first, Node { place, value });
    }
    let Some(entry) = root.get_mut(first) else { return Ok(()) };
    match &mut entry.node.value {
        Value::List(items) if many => {
            let (index, rest) = element(first, items, rest)?;
            if index == items.len() {
                items.push(Node { place, value: Value::Table(Table::default()) });
            }
            put_inside(&mut items[index], first, rest, node)
        }
        _ => put_inside(&mut entry.node, first, rest, node),
    }
}

/// Which element of `[[name]]` a path means, and the rest of the path: by index, by name, or the only one.
fn element<'p>(name: &str, items: &[Node], path: &'p [&'p str]) -> Result<(usize, &'p [&'p str]), Mistake> {
    let (first, rest) = (path[0], &path[1..]);
    let count = items.len();
    if let Ok(index) = first.parse::<usize>() {
        // The first of its kind may be made; a further one is more often a wrong index than a wish.
        return if index < count.max(1) {
            Ok((index, rest))
        } else {
            Err((format!("there is no `{name}.{index}`"), listed(name, items)))
        };
    }
    if section(name).is_some_and(|s| s.find(first).is_none()) && !rest.is_empty() {
        let named = |index: &usize| name_of(name, items, *index).is_some_and(|n| n == first);
        if let Some(index) = (0..count).find(named) {
            return Ok((index, rest));
        }
    }
    if count <= 1 {
        return Ok((0, path));
    }
    let known: Vec<&str> = section(name).into_iter().flat_map(|s| s.keys).map(|key| key.name).collect();
    if !known.contains(&first) {
        // Neither is made right by saying which one is meant.
        return Err(match rest {
            [] => (format!("unknown key `{first}` in [[{name}]]"), suggest::help(first, "keys", &known)),
            _ => (format!("there is no {name} called `{first}`"), listed(name, items)),
        });
    }
    let help = format!(
        "there are {count} [[{name}]]; write `{name}.0.{first}` for the first of them, or `{name}.NAME.{first}` with its name"
    );
    Err((format!("`{name}.{first}` does not say which {name}"), help))
}

/// The name of an element, as reports and pins use it; pins and forces have none.
fn name_of(section_name: &str, items: &[Node], index: usize) -> Option<String> {
    section(section_name)?.find("name")?;
    let Value::Table(table) = &items.get(index)?.value else { return None };
    match table.get("name").map(|entry| &entry.node.value) {
        Some(Value::Text(name)) => Some(name.clone()),
        Some(_) => None,
        None => Some(default_name(section_name, index, items.len())),
    }
}

/// `there is 1 [[cloth]]: cloth.0 ("curtain")`
fn listed(name: &str, items: &[Node]) -> String {
    const SHOWN: usize = 8;
    let verb = if items.len() == 1 { "is" } else { "are" };
    let one = |index: usize| match name_of(name, items, index) {
        Some(own) => format!("{name}.{index} (\"{own}\")"),
        None => format!("{name}.{index}"),
    };
    let shown: Vec<String> = (0..items.len().min(SHOWN)).map(one).collect();
    let more = if items.len() > SHOWN { ", ..." } else { "" };
    format!("there {verb} {} [[{name}]]: {}{more}", items.len(), shown.join(", "))
}

fn put_inside(at: &mut Node, name: &str, path: &[&str], node: Node) -> Result<(), Mistake> {
    let [first, rest @ ..] = path else {
        *at = node;
        return Ok(());
    };
    let place = node.place;
    let found = at.described();
    match &mut at.value {
        Value::Table(table) => {
            if rest.is_empty() {
                table.put(first, node);
                return Ok(());
            }
            if table.get(first).is_none() {
                table.put(first, Node { place, value: Value::Table(Table::default()) });
            }
            match table.get_mut(first) {
                Some(entry) => put_inside(&mut entry.node, first, rest, node),
                None => Ok(()),
            }
        }
        Value::List(items) => {
            let count = items.len();
            match first.parse::<usize>().ok().and_then(|index| items.get_mut(index)) {
                Some(item) => put_inside(item, first, rest, node),
                None => Err((
                    format!("`{name}` has no element `{first}`"),
                    format!("it is a list of {count}, counted from 0"),
                )),
            }
        }
        _ => {
            let help = format!("set `{name}` itself, or a key beside it");
            Err((format!("`{name}` is {found}, so there is no `{first}` in it"), help))
        }
    }
}

//! The key table tells the truth about the parser, and the reference page about the key table.

use super::*;
use crate::scene::key::{Key, SectionKeys};
use crate::scene::keys::{SECTIONS, TOP};
use crate::scene::reference::{is_typed, reference_markdown};

/// A valid scene whose last table is `section`, of the shape or kind for which `key` has a meaning.
fn scene_for(section: &SectionKeys, key: &Key, line: &str) -> String {
    let shape = key.only.first().copied();
    let decided = |default: &str| format!("{} = \"{}\"\n", section.decides, shape.unwrap_or(default));
    let body = "[[cloth]]\nname = \"body\"\n";
    let required = |own: &str| match (own, shape) {
        ("collider", Some("half-space")) => "",
        ("collider", Some("sphere")) | ("collider", None) => "radius = 1\n",
        ("collider", Some("capsule" | "cylinder")) => "radius = 1\nheight = 1\n",
        ("collider", Some("mesh")) => "mesh = \"Cargo.toml\"\n",
        ("collider", _) => "size = 1\n",
        ("force", Some("acceleration")) => "acceleration = [0, 0, 0]\n",
        ("force", Some("damping")) => "rate = 1\n",
        ("force", Some("rayleigh")) => "",
        ("force", _) => "velocity = [0, 0, 0]\n",
        ("pin", _) => "vertices = 0\n",
        ("drag", _) => "path = [[0, 0, 0, 0], [1, 0, 1, 0]]\nstiffness = 1\n",
        _ => "",
    };
    let mut lines = match section.name {
        "" => return format!("{}{line}\n{body}", if key.name == "pliant" { "" } else { "pliant = 1\n" }),
        "cloth" | "solid" if key.name == "mesh" => String::new(),
        "cloth" => decided("grid"),
        "solid" => decided("box"),
        "collider" => decided("sphere"),
        "force" => decided("wind"),
        _ => String::new(),
    };
    lines.push_str(required(section.name));
    let own: String =
        lines.lines().filter(|l| !l.starts_with(&format!("{} =", key.name))).map(|l| format!("{l}\n")).collect();
    format!("pliant = 1\n{body}{}\n{own}{line}\n", section.title())
}

fn every_key() -> impl Iterator<Item = (&'static SectionKeys, &'static Key)> {
    std::iter::once(&TOP).chain(SECTIONS).flat_map(|s| s.keys.iter().map(move |k| (s, k)))
}

#[test]
fn every_key_of_the_table_is_read() {
    for (section, key) in every_key() {
        let text = scene_for(section, key, &format!("{} = 1979-05-27", key.name));
        let message = bad(&text);
        assert!(message.contains(&format!("{} = 1979-05-27", key.name)), "{text}\n{message}");
        assert!(message.contains("is a date"), "`{}` of {} is not read:\n{message}", key.name, section.title());
    }
}

#[test]
fn every_default_of_the_table_is_what_an_absent_key_means() {
    let mut compared = 0;
    for (section, key) in every_key().filter(|(_, k)| is_typed(k.default)) {
        let with = good(&scene_for(section, key, &format!("{} = {}", key.name, key.default)));
        let without = good(&scene_for(section, key, ""));
        assert_eq!(with, without, "the default of `{}` in {}", key.name, section.title());
        compared += 1;
    }
    assert!(compared > 40, "only {compared} defaults were compared");
}

#[test]
fn keys_are_named_once_and_only_for_choices_that_exist() {
    for section in std::iter::once(&TOP).chain(SECTIONS) {
        for (i, key) in section.keys.iter().enumerate() {
            assert!(section.keys[..i].iter().all(|k| k.name != key.name), "{} {}", section.name, key.name);
            for only in key.only {
                let decides = section.find(section.decides).expect("a key decides");
                assert!(format!("{:?}", decides.kind).contains(&format!("\"{only}\"")), "{} {only}", section.name);
            }
        }
    }
}

#[test]
fn the_reference_page_is_up_to_date() {
    let path = root().join("docs/scene.md");
    let page = reference_markdown();
    if std::env::var_os("PLIANT_BLESS").is_some() {
        std::fs::create_dir_all(root().join("docs")).expect("docs/ can be made");
        std::fs::write(&path, &page).expect("docs/scene.md can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(found == page, "docs/scene.md is out of date: run PLIANT_BLESS=1 cargo test -p pliant --lib scene");
}

#[test]
fn the_scene_on_the_reference_page_works() {
    let page = reference_markdown();
    let scene = page.split("```toml").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    assert_eq!(good(scene).pin.len(), 1);
}

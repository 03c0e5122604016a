//! Tests of the built program, as its users call it.

mod bad_input;
mod bad_meshes;
mod bench;
mod colour;
mod commands;
mod devices;
mod files;
mod full_disk;
mod killed;
mod material;
mod mesh_collider;
mod repeatable;
#[path = "../../../pliant-gpu/tests/required/mod.rs"]
mod required;
mod run;
mod selftest;
#[cfg(unix)]
mod stopped_twice;
mod support;
mod tune;
#[cfg(unix)]
mod view;
mod warned;

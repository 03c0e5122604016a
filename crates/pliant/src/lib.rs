//! Pliant simulates cloth and soft solids in real time, and says how good each answer is.

pub mod atomic_file;
pub mod colouring;
pub mod contact;
pub mod counted;
pub mod device;
pub mod disk_cache;
pub mod linear;
pub mod material;
pub mod math;
pub mod mesh;
pub mod model;
pub mod output;
pub mod scene;
pub mod solver;
pub mod step;

/// The example of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

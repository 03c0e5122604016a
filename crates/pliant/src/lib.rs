//! Pliant simulates cloth and soft solids in real time, and says how good each answer is.

pub mod colouring;
pub mod material;
pub mod linear;
pub mod math;
pub mod mesh;
pub mod output;
pub mod scene;

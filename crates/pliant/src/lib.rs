//! Pliant simulates cloth and soft solids in real time, and says how good each answer is.

pub mod atomic_file;
pub mod material;
pub mod math;
pub mod mesh;
pub mod output;
pub mod scene;

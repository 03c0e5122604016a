//! The verbs of [`pliant::device::Device`] on a GPU, in wgpu and WGSL. Launchers only: algorithms are solvers of
//! `pliant`, formulas lie beside their Rust twins there.

// Launchers of physics use what is not used yet.
#![allow(dead_code)]

mod adapter;
mod buffer;
mod context;
mod error;
mod gpu;
mod kernel;
mod readback;
mod recorder;
mod timer;
mod vector;

#[cfg(test)]
mod tests;

pub use adapter::{AdapterInfo, Choice, Kind, adapters};
pub use buffer::Field;
pub use context::Trust;
pub use error::GpuError;
pub use gpu::Gpu;

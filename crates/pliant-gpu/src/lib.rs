//! The verbs of [`pliant::device::Device`] on a GPU, in wgpu and WGSL. Launchers only: algorithms are solvers of
//! `pliant`, formulas lie beside their Rust twins there.

mod adapter;
mod balance;
mod buffer;
mod chunks;
mod close;
mod colouring;
mod constrain;
mod context;
mod conversion;
mod cut;
mod device;
mod devices;
mod elements;
mod error;
mod gpu;
mod grips;
mod kernel;
mod kernels;
mod library;
mod matrix;
mod multigrid;
mod order;
mod patch_pack;
mod patches;
mod problem;
mod readback;
mod recorder;
mod relax;
mod rings;
mod rows;
mod scale;
mod scan;
pub mod selftest;
mod slots;
mod stepping;
mod sweep;
mod timer;
mod timing;
mod touching;
mod turn;
mod vector;

#[cfg(test)]
mod tests;

pub use adapter::{AdapterInfo, Choice, Kind, adapters, chosen};
pub use buffer::Field;
pub use colouring::{Colourer, GpuColouring, GpuGraph};
pub use context::Trust;
pub use cut::Cut;
pub use device::{Numbers, Points, Reading};
pub use devices::AllDevices;
pub use error::GpuError;
pub use gpu::Gpu;
pub use problem::GpuProblem;

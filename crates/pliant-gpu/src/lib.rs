//! The verbs of [`pliant::device::Device`] on a GPU, in wgpu and WGSL. Launchers only: algorithms are solvers of
//! `pliant`, formulas lie beside their Rust twins there.

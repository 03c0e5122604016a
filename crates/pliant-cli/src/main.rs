//! `pliant`, the program.

fn main() {}

//! The live viewer of Pliant: a page on which a scene is simulated while somebody pulls at it.
//!
//! [`serve`] listens, on loopback unless told otherwise, and runs the simulation on a thread of its own. What travels between
//! server and page is in `docs/viewer.md`.
//!
//! A client's message passes `guard.rs` and `command.rs`, then waits for the session (`session.rs`), which does it between two
//! frames. Frames go the other way over the board (`board.rs`), where there is only ever the newest.

mod board;
mod client;
mod command;
mod connections;
mod convergence;
mod crowd;
mod exports;
mod grip;
mod guard;
mod library;
mod orders;
mod page;
mod recording;
mod scratch;
mod server;
mod session;
mod settings;
mod state;
mod view;

pub use page::PAGE;
pub use server::{Address, SHORTEST_TOKEN, ViewError, ViewOptions, serve};

//! What a run leaves behind: frames, pictures, plots, checkpoints, the report.

mod animation;
mod beside;
mod camera;
mod font;
mod frame_store;
pub mod glb;
mod glb_plan;
mod image;
mod light;
mod palette;
mod plot;
mod plot_canvas;
mod quantise;
mod raster;
mod render;
mod surfaces;

pub use animation::{GifFile, GifWriter};
pub use camera::{Bounds, Camera};
pub use font::text_width;
pub use frame_store::{FrameStore, FrameStoreError};
pub use image::{Image, save_png, write_png};
pub use palette::{body_colour, chart_colour, collider_colour};
pub use plot::{Chart, Series};
pub use render::{Stage, render};
pub use surfaces::Surface;

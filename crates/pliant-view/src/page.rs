//! The page, as it was built.

/// One HTML file with everything in it; without npm, a page that says how to get it.
pub const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.html"));

//! Colours: of bodies, of colliders, of curves; and the sRGB curve between what is seen and what light adds up in.

/// sRGB colour of the `index`-th body, each component in [0, 1]; repeats after eight.
pub fn body_colour(index: usize) -> [f32; 3] {
    const COLOURS: [u32; 8] = [0xc8553d, 0x2f7f93, 0xe0a83e, 0x7a9a5b, 0x8a6fa8, 0xd98a8f, 0x4f6d9a, 0xb58863];
    rgb(COLOURS[index % COLOURS.len()]).map(|c| f32::from(c) / 255.0)
}

/// sRGB colour of colliders, each component in [0, 1]: grey, so that bodies stand out.
pub fn collider_colour() -> [f32; 3] {
    rgb(0xa7adb5).map(|c| f32::from(c) / 255.0)
}

/// sRGB colour of the `index`-th curve of a chart; repeats after eight.
///
/// Okabe and Ito, "Color Universal Design", 2008: told apart by people with any colour vision. Their yellow is too
/// pale for lines on white and is darkened.
pub fn chart_colour(index: usize) -> [u8; 3] {
    const COLOURS: [u32; 8] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xe69f00, 0x000000, 0xb3a400];
    rgb(COLOURS[index % COLOURS.len()])
}

/// Three bytes of 0xrrggbb.
pub(super) const fn rgb(hex: u32) -> [u8; 3] {
    [(hex >> 16) as u8, (hex >> 8) as u8, hex as u8]
}

/// sRGB to linear light, IEC 61966-2-1.
pub(super) fn linear(seen: f32) -> f32 {
    if seen <= 0.040_45 { seen.max(0.0) / 12.92 } else { ((seen + 0.055) / 1.055).powf(2.4) }
}

/// Linear light to sRGB, IEC 61966-2-1.
pub(super) fn seen(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { linear.max(0.0) * 12.92 } else { 1.055 * linear.min(1.0).powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_and_seen_undo_each_other() {
        for i in 0..=255 {
            let c = i as f32 / 255.0;
            assert!((seen(linear(c)) - c).abs() < 1e-5, "{c}");
        }
    }

    #[test]
    fn chart_colours_differ_from_each_other_and_from_white() {
        for i in 0..8 {
            for j in 0..i {
                assert_ne!(chart_colour(i), chart_colour(j));
            }
            assert!(chart_colour(i).iter().any(|&c| c < 200));
        }
    }
}

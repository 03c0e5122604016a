//! Numbers in messages: "1 tetrahedron", "2 tetrahedra", "12.3 N".

use std::fmt::Display;

/// A number with the word for what it counts.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    let word = if count == N::from(1) { one } else { many };
    format!("{count} {word}")
}

/// A number with about three digits that matter.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        "-".to_string()
    } else if size == 0.0 {
        "0".to_string()
    } else if !(1e-3..1e5).contains(&size) {
        format!("{value:.2e}")
    } else {
        let decimals = (2 - size.log10().floor() as i32).clamp(0, 5) as usize;
        format!("{value:.decimals$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_several() {
        let said = [0usize, 1, 2].map(|count| counted(count, "vertex", "vertices"));
        assert_eq!(said, ["0 vertices", "1 vertex", "2 vertices"]);
    }

    #[test]
    fn numbers_keep_three_digits() {
        let shown = [0.0, 1.0, 12.345, 1234.5, 0.01234, 1.234e-7, 1.2e9, f64::NAN].map(short);
        assert_eq!(shown, ["0", "1.00", "12.3", "1234", "0.0123", "1.23e-7", "1.20e9", "-"]);
    }
}

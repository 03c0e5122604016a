//! Numbers of things in messages: "1 tetrahedron", "2 tetrahedra".

use std::fmt::Display;

/// A number with the word for what it counts.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    let word = if count == N::from(1) { one } else { many };
    format!("{count} {word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_several() {
        let said = [0usize, 1, 2].map(|count| counted(count, "vertex", "vertices"));
        assert_eq!(said, ["0 vertices", "1 vertex", "2 vertices"]);
    }
}

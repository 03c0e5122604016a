//! The nearest known name to a misspelt one.

use std::path::Path;

/// The candidate nearest to `word`, if one is near enough to be what was meant.
///
/// Near: at most a third of the letters differ (a swap of neighbours counts once; case and `-`, `_`, ` ` do not count).
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    nearest_within(allowed(word), word, candidates)
}

/// How many letters of a word may differ.
fn allowed(word: &str) -> usize {
    (normal(word).len().max(3) / 3).min(3)
}

fn nearest_within<'c>(allowed: usize, word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let typed = normal(word);
    candidates
        .into_iter()
        .map(|candidate| (distance(&typed, &normal(candidate)), candidate))
        .filter(|(d, _)| *d <= allowed)
        .min_by_key(|(d, _)| *d)
        .map(|(_, candidate)| candidate)
}

/// A sentence that helps someone who typed `word` where one of `candidates` was expected.
pub(super) fn help(word: &str, what: &str, candidates: &[&str]) -> String {
    similar(word, candidates).unwrap_or_else(|| format!("known {what}: {}", list(candidates)))
}

/// A question about the nearest name, or about all names that hold `word`; `None` if there are none.
pub(super) fn similar(word: &str, candidates: &[&str]) -> Option<String> {
    if let Some(near) = nearest(word, candidates.iter().copied()) {
        return Some(format!("did you mean `{near}`?"));
    }
    let typed = normal(word);
    let holds = |name: &str| typed.len() >= 4 && normal(name).windows(typed.len()).any(|w| w == typed);
    let holding: Vec<&str> = candidates.iter().copied().filter(|c| holds(c)).collect();
    (!holding.is_empty()).then(|| format!("did you mean {}?", either(&holding)))
}

/// `a`, `b`, `c`
pub(super) fn list(names: &[&str]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// `a`, `b` or `c`
pub(super) fn either(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("`{one}`"),
        [most @ .., last] => format!("{} or `{last}`", list(most)),
    }
}

/// The file in `folder` whose name is nearest to `name`. That both end in `.toml` makes them no nearer.
pub(super) fn nearest_file(folder: &Path, name: &str) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut names: Vec<String> =
        entries.flatten().take(1000).filter_map(|e| e.file_name().into_string().ok()).collect();
    // A link that leads nowhere is in the folder by the very name.
    names.retain(|found| found != name);
    names.sort();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    nearest_within(allowed(stem), name, names.iter().map(String::as_str)).map(str::to_string)
}

fn normal(word: &str) -> Vec<char> {
    // A name longer than this is no misspelling; the cut bounds the quadratic distance below.
    word.chars().take(64).map(|c| if matches!(c, '-' | ' ') { '_' } else { c.to_ascii_lowercase() }).collect()
}

/// Optimal string alignment distance: insert, delete, replace, swap neighbours.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 5] = ["density", "stretch_stiffness", "bend_stiffness", "position", "scale"];

    #[test]
    fn distance_counts_edits_and_a_swap_once() {
        let d = |a: &str, b: &str| distance(&normal(a), &normal(b));
        assert_eq!(
            (d("abc", "abc"), d("abc", "acb"), d("abc", "ab"), d("", "abc"), d("kitten", "sitting")),
            (0, 1, 1, 3, 3)
        );
    }

    #[test]
    fn a_misspelt_name_finds_the_nearest() {
        assert_eq!(nearest("densty", KEYS), Some("density"));
        assert_eq!(nearest("Stretch-Stifness", KEYS), Some("stretch_stiffness"));
        assert_eq!(nearest("frames", KEYS), None);
    }

    #[test]
    fn an_ending_in_common_makes_files_no_nearer() {
        let folder = tempfile::tempdir().unwrap();
        ["big.toml", "tablecloth.toml"].iter().for_each(|name| std::fs::write(folder.path().join(name), "").unwrap());
        let near = |name: &str| nearest_file(folder.path(), name);
        assert_eq!((near("long.toml"), near("bag.toml")), (None, Some("big.toml".to_string())));
        assert_eq!(near("tablclot.toml"), Some("tablecloth.toml".to_string()));
    }

    #[test]
    fn a_part_of_a_name_finds_all_that_hold_it() {
        assert_eq!(help("stiffness", "keys", &KEYS), "did you mean `stretch_stiffness` or `bend_stiffness`?");
    }

    #[test]
    fn a_name_like_no_other_lists_them_all() {
        assert_eq!(help("colour", "keys", &KEYS[..2]), "known keys: `density`, `stretch_stiffness`");
    }
}

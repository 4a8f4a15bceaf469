//! Patterns of strings: which items must stand in a string, and between which of them others may.

use super::claims::{Kinds, Pattern};
use super::strings::items;
use crate::choice::Value;

/// At most this number of comparisons for one question. An ordinary one takes some hundred.
pub(super) const STEPS_MAX: usize = 30_000;

/// Whether `other` has the pattern that was found for `base`. Adds the comparisons to `steps`.
pub(super) fn matches(pattern: &Pattern, base: &Value, other: &Value, steps: &mut usize) -> bool {
    let (Some(mut base), Some(other)) = (items(base), items(other)) else { return false };
    if is_matched(pattern, &base, &other, steps) {
        return true;
    }
    if pattern.equal.iter().any(|at| *at >= base.len()) {
        return false;
    }
    let mut counted: Vec<char> = other.clone();
    counted.sort_unstable();
    let repeated = counted.chunk_by(|one, next| one == next);
    let mut repeated =
        repeated.filter(|same| !pattern.equal.is_empty() && same.len() >= pattern.equal.len());
    repeated.any(|same| {
        for at in &pattern.equal {
            base[*at] = same[0];
        }
        *steps <= STEPS_MAX && is_matched(pattern, &base, &other, steps)
    })
}

fn is_matched(pattern: &Pattern, base: &[char], other: &[char], steps: &mut usize) -> bool {
    let Pattern { items, gaps, .. } = pattern;
    if items.len() != base.len() || gaps.len() != base.len() + 1 {
        return false;
    }
    // After each item: the numbers of items of the base that may stand before it.
    let mut reached = vec![false; base.len() + 1];
    reached[0] = true;
    for item in other.iter().map(|item| u32::from(*item)) {
        *steps += base.len() / 8 + 1;
        for at in (0..=base.len()).rev() {
            let is_next = at > 0
                && reached[at - 1]
                && (u32::from(base[at - 1]) == item || is_of(&items[at - 1], item));
            reached[at] = is_next || (reached[at] && is_of(&gaps[at], item));
        }
    }
    reached[base.len()]
}

fn is_of(kinds: &Kinds, item: u32) -> bool {
    kinds.iter().any(|(least, greatest)| (*least..=*greatest).contains(&item))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each item and gap, a letter: `-` for none, `d` for digits, `*` for all.
    fn is_in(items: &str, gaps: &str, base: &str, other: &str) -> bool {
        let kinds = |letters: &str| -> Vec<Kinds> {
            let kinds = letters.bytes().map(|letter| match letter {
                b'-' => Vec::new(),
                b'd' => vec![(0x30, 0x39)],
                _ => vec![(0, u32::MAX)],
            });
            kinds.collect()
        };
        let equal = Vec::new();
        is_matched_by(
            &Pattern { choice: 0, items: kinds(items), gaps: kinds(gaps), equal },
            base,
            other,
        )
    }

    fn is_matched_by(pattern: &Pattern, base: &str, other: &str) -> bool {
        let (text, mut steps) = (|text: &str| Value::Text(text.into()), 0);
        let bytes = |text: &str| Value::Bytes(text.as_bytes().into());
        let found = matches(pattern, &text(base), &text(other), &mut steps);
        assert_eq!(found, matches(pattern, &bytes(base), &bytes(other), &mut steps));
        found
    }

    #[test]
    fn others_stand_where_they_may() {
        // As the regular expression `:.*`.
        assert!(is_in("-", "-*", ":", ":"));
        assert!(is_in("-", "-*", ":", ":ab"));
        assert!(!is_in("-", "-*", ":", "a:"));
        // As `.*a.*b`.
        assert!(is_in("--", "**-", "ab", "xaxb"));
        assert!(!is_in("--", "**-", "ab", "xbxa"));
        assert!(!is_in("--", "**-", "ab", "abx"));
    }

    #[test]
    fn an_item_may_be_any_other_or_one_of_a_kind() {
        assert!(is_in("-*-", "----", "abc", "axc"));
        assert!(!is_in("-*-", "----", "abc", "ac"));
        assert!(!is_in("-*-", "----", "abc", "axb"));
        assert!(is_in("d-", "---", "7a", "0a"));
        assert!(is_in("d-", "---", "7a", "9a"));
        assert!(!is_in("d-", "---", "7a", "xa"));
        assert!(!is_in("d-", "---", "7a", "7b"));
    }

    #[test]
    fn more_items_of_a_kind_may_stand_in_a_gap() {
        // As `0[0-9]+`.
        assert!(is_in("-d", "--d", "00", "0123"));
        assert!(!is_in("-d", "--d", "00", "012x"));
        assert!(!is_in("-d", "--d", "00", "0"));
    }

    #[test]
    fn equal_items_may_be_any_others() {
        // As the regular expression `(.)b\\1.*`.
        let pattern = |base, other| {
            let gaps = vec![Vec::new(), Vec::new(), Vec::new(), vec![(0, u32::MAX)]];
            let items = vec![Vec::new(); 3];
            is_matched_by(&Pattern { choice: 0, items, gaps, equal: vec![0, 2] }, base, other)
        };
        assert!(pattern("aba", "xbxab"));
        assert!(pattern("aba", "bbb"));
        assert!(!pattern("aba", "xbyab"));
        assert!(!pattern("aba", "xax"));
    }

    #[test]
    fn a_pattern_of_another_length_matches_nothing() {
        assert!(!is_in("*", "**", "ab", "ab"));
        assert!(!is_in("*", "*", "a", "a"));
    }
}

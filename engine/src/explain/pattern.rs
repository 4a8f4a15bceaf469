//! Patterns of strings: which items must stand in a string, and between which of them others may.

use super::claims::Pattern;
use crate::choice::Value;

/// Whether `other` has the pattern that was found for `base`. Adds the comparisons to `steps`.
pub(super) fn matches(pattern: &Pattern, base: &Value, other: &Value, steps: &mut usize) -> bool {
    match (base, other) {
        (Value::Bytes(base), Value::Bytes(other)) => {
            is_matched(pattern, base, other.iter().copied(), steps)
        }
        (Value::Text(base), Value::Text(other)) => {
            let base: Vec<char> = base.chars().collect();
            is_matched(pattern, &base, other.chars(), steps)
        }
        _ => false,
    }
}

fn is_matched<T: PartialEq>(
    pattern: &Pattern,
    base: &[T],
    other: impl Iterator<Item = T>,
    steps: &mut usize,
) -> bool {
    let Pattern { free, gaps, .. } = pattern;
    if free.len() != base.len() || gaps.len() != base.len() + 1 {
        return false;
    }
    // After each item: the numbers of items of the base that may stand before it.
    let mut reached = vec![false; base.len() + 1];
    reached[0] = true;
    for item in other {
        *steps += base.len() / 8 + 1;
        for at in (0..=base.len()).rev() {
            let is_next = at > 0 && reached[at - 1] && (free[at - 1] || base[at - 1] == item);
            reached[at] = is_next || (reached[at] && gaps[at]);
        }
    }
    reached[base.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(free: &[u8], gaps: &[u8], base: &str, other: &str) -> bool {
        let flags = |flags: &[u8]| flags.iter().map(|flag| *flag == 1).collect();
        let pattern = Pattern { choice: 0, free: flags(free), gaps: flags(gaps) };
        let (text, mut steps) = (|text: &str| Value::Text(text.into()), 0);
        let bytes = |text: &str| Value::Bytes(text.as_bytes().into());
        let found = matches(&pattern, &text(base), &text(other), &mut steps);
        assert_eq!(found, matches(&pattern, &bytes(base), &bytes(other), &mut steps));
        assert!(!matches(&pattern, &text(base), &bytes(other), &mut steps));
        found
    }

    #[test]
    fn further_items_stand_only_where_the_pattern_has_a_gap() {
        assert!(is_in(&[0, 0], &[0, 1, 0], "ab", "ab"));
        assert!(is_in(&[0, 0], &[0, 1, 0], "ab", "axxb"));
        assert!(!is_in(&[0, 0], &[0, 1, 0], "ab", "axxbx"));
        assert!(!is_in(&[0, 0], &[0, 1, 0], "ab", "xab"));
        assert!(is_in(&[0, 0], &[1, 0, 1], "ab", "xaabx"));
        assert!(!is_in(&[0, 0], &[1, 0, 1], "ab", "xaxb"));
    }

    #[test]
    fn a_free_item_may_be_any_other_but_not_absent() {
        assert!(is_in(&[0, 1, 0], &[0; 4], "abc", "axc"));
        assert!(!is_in(&[0, 1, 0], &[0; 4], "abc", "ac"));
        assert!(!is_in(&[0, 1, 0], &[0; 4], "abc", "axb"));
    }

    #[test]
    fn a_pattern_of_another_length_matches_nothing() {
        assert!(!is_in(&[1], &[1, 1], "ab", "ab"));
        assert!(is_in(&[], &[1], "", "xyz"));
        assert!(!is_in(&[], &[0], "", "x"));
    }
}

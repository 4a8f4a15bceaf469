//! Patterns of strings: which items must stand in a string, and between which of them others may.

use std::mem::discriminant;
use std::ops::Range;

use super::claims::{Kinds, Pattern};
use super::strings::items;
use crate::choice::Value;

/// At most this number of comparisons for one question. An ordinary one takes some hundred.
pub(crate) const STEPS_MAX: usize = 30_000;

/// The least and the greatest number of the items of a kind.
pub(crate) type Kind = (u32, u32);
/// All items.
pub(crate) const ANY: Kind = (0, u32::MAX);
/// What takes the place of an item, or stands between two.
pub(crate) const OTHERS: [char; 4] = ['\u{0}', '0', 'q', '\u{7f}'];
/// The kinds of characters that programs tell apart: digits, capital and small letters, and what is
/// beyond ASCII.
pub(crate) const KINDS: [Kind; 4] =
    [(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A), (0x80, char::MAX as u32)];

/// Whether `other` has the pattern that was found for `base`. In a loose one, each character may be
/// any of its kind, and each byte any. Adds the comparisons to `steps`.
pub(crate) fn matches(
    pattern: &Pattern,
    is_loose: bool,
    base: &Value,
    other: &Value,
    steps: &mut usize,
) -> bool {
    if discriminant(base) != discriminant(other) {
        return false;
    }
    let is_text = matches!(base, Value::Text(_));
    let is_alike = |one, other| is_loose && is_alike(one, other, is_text);
    let (Some(mut base), Some(other)) = (items(base), items(other)) else { return false };
    if is_matched(pattern, &is_alike, &base, &other, steps) {
        return true;
    }
    if pattern.equal.is_empty() || pattern.equal.iter().any(|at| *at >= base.len()) {
        return false;
    }
    let mut sorted = other.clone();
    sorted.sort_unstable();
    let repeated = sorted.chunk_by(|one, next| one == next);
    repeated.filter(|same| same.len() >= pattern.equal.len()).any(|same| {
        for at in &pattern.equal {
            base[*at] = same[0];
        }
        *steps <= STEPS_MAX && is_matched(pattern, &is_alike, &base, &other, steps)
    })
}

/// Whether an item of a string may stand for another one: by its kinds, or in a loose string by its
/// own kind.
pub(crate) fn is_item(
    item: char,
    kinds: &Kinds,
    other: char,
    is_loose: bool,
    is_text: bool,
) -> bool {
    item == other || is_of(kinds, other) || is_loose && is_alike(item, other, is_text)
}

/// Whether the pattern allows these items in place of a range of items that may be any.
pub(crate) fn is_between(pattern: &Pattern, range: Range<usize>, items: &[char]) -> bool {
    let part = Pattern {
        choice: pattern.choice,
        items: pattern.items[range.clone()].to_vec(),
        gaps: pattern.gaps[range.start..=range.end].to_vec(),
        equal: Vec::new(),
    };
    is_matched(&part, &|_, _| false, &vec!['\0'; range.len()][..], items, &mut 0)
}

/// Whether two characters are of the same kind. Bytes have no kinds.
fn is_alike(one: char, other: char, is_text: bool) -> bool {
    !is_text || kind(one) == kind(other)
}

/// The kind of a character. `None` for what is left of ASCII.
pub(crate) fn kind(item: char) -> Option<Kind> {
    KINDS.into_iter().find(|kind| is_in(*kind, item.into()))
}

pub(crate) fn is_in((least, greatest): Kind, item: u32) -> bool {
    (least..=greatest).contains(&item)
}

fn is_matched(
    pattern: &Pattern,
    is_alike: &dyn Fn(char, char) -> bool,
    base: &[char],
    other: &[char],
    steps: &mut usize,
) -> bool {
    let Pattern { items, gaps, .. } = pattern;
    if items.len() != base.len() || gaps.len() != base.len() + 1 {
        return false;
    }
    // After each item: the numbers of items of the base that may stand before it.
    let mut reached = vec![false; base.len() + 1];
    reached[0] = true;
    for item in other.iter().copied() {
        *steps += base.len() / 8 + 1;
        for at in (0..=base.len()).rev() {
            let is_next = at > 0
                && reached[at - 1]
                && (base[at - 1] == item
                    || is_of(&items[at - 1], item)
                    || is_alike(base[at - 1], item));
            reached[at] = is_next || (reached[at] && is_of(&gaps[at], item));
        }
    }
    reached[base.len()]
}

fn is_of(kinds: &Kinds, item: char) -> bool {
    kinds.iter().any(|kind| is_in(*kind, item.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each item and gap, a letter: `-` for none, `d` for digits, `*` for all.
    fn has(items: &str, gaps: &str, base: &str, other: &str) -> bool {
        let kinds = |letters: &str| -> Vec<Kinds> {
            let kinds = letters.bytes().map(|letter| match letter {
                b'-' => Vec::new(),
                b'd' => vec![(0x30, 0x39)],
                _ => vec![ANY],
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
        let found = matches(pattern, false, &text(base), &text(other), &mut steps);
        assert_eq!(found, matches(pattern, false, &bytes(base), &bytes(other), &mut steps));
        assert!(!matches(pattern, false, &text(base), &bytes(other), &mut steps));
        found
    }

    #[test]
    fn further_items_stand_only_where_the_pattern_has_a_gap() {
        assert!(has("--", "-*-", "ab", "ab"));
        assert!(has("--", "-*-", "ab", "axxb"));
        assert!(!has("--", "-*-", "ab", "axxbx"));
        assert!(!has("--", "-*-", "ab", "xab"));
        assert!(has("--", "*-*", "ab", "xaabx"));
        assert!(!has("--", "*-*", "ab", "xaxb"));
        // As the regular expression `:.*`.
        assert!(has("-", "-*", ":", ":"));
        assert!(has("-", "-*", ":", ":ab"));
        assert!(!has("-", "-*", ":", "a:"));
        // As `.*a.*b`.
        assert!(has("--", "**-", "ab", "xaxb"));
        assert!(!has("--", "**-", "ab", "xbxa"));
        assert!(!has("--", "**-", "ab", "abx"));
    }

    #[test]
    fn an_item_may_be_any_other_or_one_of_a_kind() {
        assert!(has("-*-", "----", "abc", "axc"));
        assert!(!has("-*-", "----", "abc", "ac"));
        assert!(!has("-*-", "----", "abc", "axb"));
        assert!(has("d-", "---", "7a", "0a"));
        assert!(has("d-", "---", "7a", "9a"));
        assert!(!has("d-", "---", "7a", "xa"));
        assert!(!has("d-", "---", "7a", "7b"));
    }

    #[test]
    fn more_items_of_a_kind_may_stand_in_a_gap() {
        // As `0[0-9]+`.
        assert!(has("-d", "--d", "00", "0123"));
        assert!(!has("-d", "--d", "00", "012x"));
        assert!(!has("-d", "--d", "00", "0"));
    }

    #[test]
    fn equal_items_may_be_any_others() {
        // As the regular expression `(.)b\1.*`.
        let pattern = |base, other| {
            let gaps = vec![Vec::new(), Vec::new(), Vec::new(), vec![ANY]];
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
        assert!(!has("*", "**", "ab", "ab"));
        assert!(!has("*", "*", "a", "a"));
        assert!(has("", "*", "", "xyz"));
        assert!(!has("", "-", "", "x"));
    }

    #[test]
    fn a_loose_string_may_have_other_items_of_the_same_kinds() {
        let pattern = |gap: &Kinds| {
            let gaps = vec![Vec::new(), Vec::new(), gap.clone()];
            Pattern { choice: 0, items: vec![Vec::new(); 2], gaps, equal: Vec::new() }
        };
        let (none, digits) = (Kinds::new(), vec![(0x30, 0x39)]);
        let text = |gap, base: &str, other: &str| {
            let (base, other) = (Value::Text(base.into()), Value::Text(other.into()));
            matches(&pattern(gap), true, &base, &other, &mut 0)
        };
        assert!(text(&none, "a9", "z0"));
        assert!(text(&none, "-é", "+λ"));
        assert!(!text(&none, "a9", "A9"));
        assert!(!text(&none, "a9", "a99"));
        assert!(text(&digits, "a9", "z012"));
        let bytes = |bytes: &[u8]| Value::Bytes(bytes.into());
        assert!(matches(&pattern(&none), true, &bytes(&[0, 1]), &bytes(&[9, 255]), &mut 0));
        assert!(!matches(&pattern(&none), true, &bytes(&[0, 1]), &bytes(&[9]), &mut 0));
    }
}

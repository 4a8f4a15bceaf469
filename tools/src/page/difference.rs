//! Two texts as one, with what was removed and what was added.

use maud::{Markup, html};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::value_tree::words;

/// Longer texts are not compared word by word, because that takes time quadratic in the difference.
const COMPARED_MAX_BYTES: usize = 4 << 10;

/// The new text, with the words of the old one that are gone. Both texts are printable.
pub(super) fn difference(old: &str, new: &str) -> Markup {
    if old.len().max(new.len()) > COMPARED_MAX_BYTES {
        return html! { del { (old) } " " ins { (new) } };
    }
    let (before, after) = (words(old), words(new));
    let operations = capture_diff_slices(Algorithm::Myers, &before, &after);
    html! {
        @for operation in operations {
            @let (tag, old, new) = operation.as_tag_tuple();
            @let (old, new) = (before[old].concat(), after[new].concat());
            @if tag == DiffTag::Equal {
                (new)
            } @else {
                @if !old.is_empty() { del { (old) } }
                @if !new.is_empty() { ins { (new) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_removed_and_added() {
        assert_eq!(
            difference("[Put(100), Get]", "[Put(17)]").into_string(),
            "[Put(<del>100</del><ins>17</ins>)<del>, Get</del>]"
        );
        assert_eq!(difference("<b>", "<b>").into_string(), "&lt;b&gt;");
    }
}

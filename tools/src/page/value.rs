//! A drawn value as a tree that folds, with the letters of its claims.

use std::ops::Range;

use maud::{Markup, html};

use super::scale::Scale;
use super::{counted, cut};
use crate::value_tree::{Letter, Node, Placed, parse, place};

/// A part of at most this length stands on one line.
const LINE_MAX_BYTES: usize = 76;
/// What a letter stands for, where the pointer is on it.
const MEANING_MAX_BYTES: usize = 80;
/// Groups that are nested deeper than this are folded at first.
const OPEN_DEPTH: usize = 3;
/// Groups with more parts than this are folded at first.
const OPEN_PARTS: usize = 40;

/// The tree of a value. `lettered` is the same value with letters. Both texts are printable.
pub(super) fn tree(
    text: &str,
    lettered: Option<&str>,
    letters: &[Letter<'_>],
    scale: &Scale,
) -> Markup {
    let places = lettered.map_or_else(Vec::new, |lettered| place(text, lettered, letters));
    let mut view = View { text, places: &places, letters, parts_left: scale.parts_max };
    let root = parse(text);
    html! { div.value { (view.part(&root, "", 0)) } }
}

struct View<'a> {
    text: &'a str,
    places: &'a [Placed],
    letters: &'a [Letter<'a>],
    /// How many parts may still get a line.
    parts_left: usize,
}

impl View<'_> {
    /// A part, with the comma behind it if it has one.
    fn part(&mut self, node: &Node, comma: &str, depth: usize) -> Markup {
        let span = node.span();
        let text = &self.text[span.clone()];
        let is_one_line = text.len() <= LINE_MAX_BYTES && !text.contains('\n');
        if node.is_leaf() || is_one_line || self.parts_left == 0 {
            return html! { (self.words(span)) (comma) };
        }
        let head = self.words(span.start..node.head.end);
        let count = node.children.len();
        let shown = count.min(self.parts_left);
        self.parts_left -= shown;
        let children: Vec<Markup> = node.children[..shown]
            .iter()
            .map(|child| {
                let letter = self.whole_letter(child);
                let part = self.part(child, ",", depth + 1);
                html! { li { @if let Some(letter) = letter { (letter) " " } (part) } }
            })
            .collect();
        let tail = self.words(node.tail.clone());
        let more: usize = node.children[shown..].iter().map(Node::count).sum();
        html! {
            details open[depth < OPEN_DEPTH && count <= OPEN_PARTS] {
                summary { (head) span.folded { " " (counted(count, "part")) " " (tail) (comma) } }
                ul {
                    @for child in &children { (child) }
                    @if more > 0 { li.dim { "and " (more) " more parts" } }
                }
                (tail) (comma)
            }
        }
    }

    /// The letter of a part that folds, if it stands for this part as a whole.
    fn whole_letter(&self, node: &Node) -> Option<Markup> {
        let span = node.span();
        let is_folding = !node.is_leaf() && span.len() > LINE_MAX_BYTES;
        let holds = |placed: &&Placed| {
            !placed.span.is_empty()
                && placed.span.start <= node.value.start
                && span.end <= placed.span.end
        };
        let placed = self.places.iter().find(holds).filter(|_| is_folding)?;
        Some(self.letter(&placed.text))
    }

    /// The text of a range, with the letters that stand for words in it.
    fn words(&self, range: Range<usize>) -> Markup {
        let mut at = range.start;
        let inside = self
            .places
            .iter()
            .filter(|placed| range.start <= placed.span.start && placed.span.end <= range.end);
        let mut pieces = Vec::new();
        for placed in inside {
            if placed.span.start < at {
                continue;
            }
            let (before, own) =
                (&self.text[at..placed.span.start], &self.text[placed.span.clone()]);
            let letter = self.letter(&placed.text);
            pieces.push(html! {
                (before) @if own.is_empty() { (letter) " " } @else { span.may { (own) (letter) } }
            });
            at = placed.span.end;
        }
        html! { @for piece in &pieces { (piece) } (self.text[at..range.end.max(at)]) }
    }

    fn letter(&self, name: &str) -> Markup {
        let letter = self.letters.iter().find(|letter| letter.name == name);
        // Only further elements have no letter of the alphabet.
        let is_further = name.starts_with('.');
        let meaning = letter.map(|letter| cut(letter.meaning, MEANING_MAX_BYTES));
        html! { sup class=[is_further.then_some("further")] title=[meaning] { (name) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value_tree::letters;

    fn shown(text: &str, lettered: Option<&str>) -> String {
        let lines = ["A is any value from 3".to_owned(), ".. is any further elements".to_owned()];
        tree(text, lettered, &letters(&lines), &Scale::of(1)).into_string()
    }

    #[test]
    fn a_short_value_stands_on_one_line_with_its_letters() {
        assert_eq!(
            shown("[Put(1), 2]", Some("[Put(A), 2, ..]")),
            "<div class=\"value\">[Put(<span class=\"may\">1<sup title=\"any value from 3\">A</sup>\
             </span>), 2<sup class=\"further\" title=\"any further elements\">..</sup> ]</div>"
        );
    }

    #[test]
    fn a_long_value_folds() {
        let text = format!("[Put {{ key: {}, value: 1 }}, 2]", "1".repeat(90));
        let page = shown(&text, Some(&text.replace("value: 1", "value: A")));
        assert_eq!(page.matches("<details open>").count(), 2, "{page}");
        assert!(page.contains("value: <span class=\"may\">1<sup"), "{page}");
        assert!(page.contains(" 2 parts "), "{page}");
    }

    #[test]
    fn markup_in_a_value_is_text() {
        let page = shown("\"</div><script>alert(1)</script>\"", None);
        assert!(!page.contains("<script") && page.contains("&lt;script&gt;"), "{page}");
    }

    #[test]
    fn a_value_of_many_parts_says_how_many_are_left_out() {
        let scale = Scale::of(1);
        let text = format!("[{}]", "1, ".repeat(scale.parts_max + 7));
        assert!(shown(&text, None).contains("and 7 more parts"));
    }
}

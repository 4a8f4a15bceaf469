//! The letters of claims, beside the parts of the value that they stand for.
//!
//! A report has the value a second time, with a letter in place of each part that may vary. The two
//! texts are compared part by part.

use std::ops::Range;

use super::words::is_word;
use super::{Node, parse};

/// A letter, and what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Letter<'a> {
    /// `A`, or `..` for further elements.
    pub(crate) name: &'a str,
    /// `any value from 3 to 255`.
    pub(crate) meaning: &'a str,
}

/// Where a letter stands in the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    /// The bytes of the value that may vary. Empty where there may be further elements.
    pub(crate) span: Range<usize>,
    /// The text of this part with its letters: mostly a letter alone.
    pub(crate) text: String,
}

/// Name of the letter for further elements.
const FURTHER: &str = "..";

/// The letters of the lines in `Explanation::letters`: `A, B are any value` gives two.
pub(crate) fn letters(lines: &[String]) -> Vec<Letter<'_>> {
    let mut letters = Vec::new();
    for line in lines {
        let parts = line.split_once(" is ").into_iter().chain(line.split_once(" are "));
        let Some((names, meaning)) = parts.min_by_key(|(names, _)| names.len()) else { continue };
        letters.extend(names.split(", ").map(|name| Letter { name, meaning }));
    }
    letters
}

/// Where the letters of `lettered` stand in `own`: the same value, once with letters and once
/// without. In the order of the text.
pub(crate) fn place(own: &str, lettered: &str, letters: &[Letter<'_>]) -> Vec<Placed> {
    let mut places = Places { own, lettered, letters, found: Vec::new() };
    places.compare(&parse(own), &parse(lettered));
    places.found
}

struct Places<'a> {
    own: &'a str,
    lettered: &'a str,
    letters: &'a [Letter<'a>],
    found: Vec<Placed>,
}

impl Places<'_> {
    fn compare(&mut self, own: &Node, lettered: &Node) {
        if let (Some(label), Some(lettered)) = (&own.label, &lettered.label) {
            self.take(label.clone(), lettered.clone());
        }
        if self.own[own.value.clone()] == self.lettered[lettered.value.clone()] {
            return;
        }
        if own.shape == lettered.shape && !own.is_leaf() {
            self.take(own.head.clone(), lettered.head.clone());
            self.compare_children(own, lettered);
            self.take(own.tail.clone(), lettered.tail.clone());
        } else {
            self.take(own.value.clone(), lettered.value.clone());
        }
    }

    /// Children from the beginning up to a letter, and from the end back to one, stand for each
    /// other. A letter takes what lies between.
    fn compare_children(&mut self, own: &Node, lettered: &Node) {
        let is_further = |node: &Node| {
            self.is_letter(&node.value) && self.lettered[node.value.clone()] == *FURTHER
        };
        let (further, others): (Vec<_>, Vec<_>) =
            lettered.children.iter().enumerate().partition(|(_, node)| is_further(node));
        let (count, wanted) = (own.children.len(), others.len());
        let stop = if count == wanted {
            wanted
        } else {
            others.iter().position(|(_, node)| self.is_letter(&node.value)).unwrap_or(wanted)
        };
        for (child, (_, other)) in own.children.iter().zip(&others[..stop]) {
            self.compare(child, other);
        }
        let behind = wanted.saturating_sub(stop + 1);
        if stop < wanted && stop + behind < count {
            let (first, last) = (&own.children[stop], &own.children[count - behind - 1]);
            self.take(first.span().start..last.span().end, others[stop].1.value.clone());
            let rest = own.children[count - behind..].iter().zip(&others[stop + 1..]);
            rest.for_each(|(child, (_, other))| self.compare(child, other));
        }
        for (number, (at, _)) in further.iter().enumerate() {
            let place = own.children.get(at - number).map_or(own.tail.start, |c| c.span().start);
            self.found.push(Placed { span: place..place, text: FURTHER.to_owned() });
        }
        self.found.sort_by_key(|placed| (placed.span.start, placed.span.end));
    }

    /// Keeps the place if the text with letters has one and differs.
    fn take(&mut self, own: Range<usize>, lettered: Range<usize>) {
        let (one, other) = (&self.own[own.clone()], &self.lettered[lettered.clone()]);
        if one.trim() == other.trim() {
            return;
        }
        let before = same_words(one.chars().zip(other.chars()));
        let (one, other) = (&one[before..], &other[before..]);
        let behind = same_words(one.chars().rev().zip(other.chars().rev()));
        let text = &other[..other.len() - behind];
        if self.has_letter(&(lettered.start + before..lettered.end - behind)) {
            let span = own.start + before..own.end - behind;
            self.found.push(Placed { span, text: text.to_owned() });
        }
    }

    fn is_letter(&self, lettered: &Range<usize>) -> bool {
        self.letters.iter().any(|letter| self.lettered[lettered.clone()] == *letter.name)
    }

    fn has_letter(&self, lettered: &Range<usize>) -> bool {
        let mut words = self.lettered[lettered.clone()].split(|c| !is_word(c));
        words.any(|word| self.letters.iter().any(|letter| letter.name == word))
            || self.is_letter(lettered)
    }
}

/// The bytes at the beginning that two texts share, up to the end of a word.
fn same_words(pairs: impl Iterator<Item = (char, char)>) -> usize {
    let (mut bytes, mut words) = (0, 0);
    for (one, other) in pairs {
        if !is_word(one) && !is_word(other) {
            words = bytes;
        }
        if one != other {
            return words;
        }
        bytes += one.len_utf8();
        if !is_word(one) {
            words = bytes;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    /// Each placed letter with the text that it stands for.
    fn placed(own: &str, lettered: &str) -> Vec<(String, String)> {
        let lines = lines(&["A, B are any value", "C is equal to A", ".. is any further elements"]);
        let places = place(own, lettered, &letters(&lines));
        places.into_iter().map(|one| (one.text, own[one.span].to_owned())).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    #[test]
    fn letters_have_their_meanings() {
        let lines = lines(&["A, B are any value from 1", "C is equal to A", "no letter"]);
        let letter = |name, meaning| Letter { name, meaning };
        assert_eq!(
            letters(&lines),
            [
                letter("A", "any value from 1"),
                letter("B", "any value from 1"),
                letter("C", "equal to A")
            ]
        );
    }

    #[test]
    fn a_letter_stands_for_the_part_at_its_place() {
        assert_eq!(
            placed(
                "let ops = [Insert(0, 0), Remove { key: 0 }, Clear];",
                "let ops = [Insert(A, B), Remove { key: C }, Clear];"
            ),
            pairs(&[("A", "0"), ("B", "0"), ("C", "0")])
        );
        assert_eq!(placed("let x = -5;", "let x = -A;"), pairs(&[("A", "5")]));
        assert_eq!(placed("let x = Abc;", "let x = A;"), pairs(&[("A", "Abc")]));
        assert_eq!(placed("let x = \"aB\";", "let x = B;"), pairs(&[("B", "\"aB\"")]));
        assert_eq!(placed("{1: 2}", "{A: 2}"), pairs(&[("A", "1")]));
    }

    #[test]
    fn a_letter_may_stand_for_several_parts() {
        assert_eq!(placed("Put(0, 0, 7)", "Put(A, 7)"), pairs(&[("A", "0, 0")]));
        assert_eq!(placed("[[1, 2], 3]", "[A, B]"), pairs(&[("A", "[1, 2]"), ("B", "3")]));
    }

    #[test]
    fn further_elements_have_a_place_without_text() {
        assert_eq!(placed("[42]", "[42, ..]"), pairs(&[("..", "")]));
        assert_eq!(placed("[0, 42]", "[.., A, 42]"), pairs(&[("..", ""), ("A", "0")]));
    }

    #[test]
    fn texts_that_do_not_fit_give_no_places() {
        assert_eq!(placed("[1, 2]", "Other(1)"), []);
        assert_eq!(placed("[1, 2]", "[1, 2]"), []);
    }
}

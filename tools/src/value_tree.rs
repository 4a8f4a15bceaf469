//! The `Debug` text of a value as a tree of its parts.
//!
//! [`parse`] takes any text. What is not Rust's `Debug` syntax becomes plain text, because a type
//! may write its `Debug` as it likes. Each part keeps its place in the text, so a text about the
//! same place, such as the letter of a claim, can stand beside it: see [`place`].
//!
//! ```text
//! let ops = [Insert { key: 1, value: "a" }, Clear];
//! |head      |children                    |     |tail
//! ```

mod brackets;
mod letters;
mod words;

use std::ops::Range;

use brackets::{Mark, Sign};

pub(crate) use letters::{Letter, Placed, letters, place};
pub(crate) use words::words;

/// Groups that are nested deeper than this stay plain text.
const DEPTH_MAX: usize = 100;

/// A part of a text. All ranges count bytes of the whole text and end at characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// The name of the field, or the key of the map entry.
    pub(crate) label: Option<Range<usize>>,
    /// The part without its label and without spaces around it.
    pub(crate) value: Range<usize>,
    /// How the part is written.
    pub(crate) shape: Shape,
    /// The text before the children, with the bracket that opens. All of `value` for a leaf.
    pub(crate) head: Range<usize>,
    /// The parts inside the brackets, in order. They may be zero, as in `[]`.
    pub(crate) children: Vec<Node>,
    /// The text behind the children, from the bracket that closes. Empty for a leaf, and where the
    /// text ends before the bracket closes.
    pub(crate) tail: Range<usize>,
}

/// How a part is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Text without parts: a number, a name, or what is not understood.
    Plain,
    /// A string or a character in quotation marks.
    Quoted,
    /// `Name { field: value }`.
    Struct,
    /// `(1, 2)` or `Name(1, 2)`.
    Tuple,
    /// `[1, 2]`.
    List,
    /// `{1, 2}`.
    Set,
    /// `{1: 2}`.
    Map,
}

impl Node {
    /// The part with its label.
    pub(crate) fn span(&self) -> Range<usize> {
        self.label.as_ref().map_or(self.value.start, |label| label.start)..self.value.end
    }

    /// Whether the part has no brackets that fold.
    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self.shape, Shape::Plain | Shape::Quoted)
    }

    /// This part and all parts below it.
    pub(crate) fn count(&self) -> usize {
        1 + self.children.iter().map(Node::count).sum::<usize>()
    }

    fn leaf(text: &str, label: Option<Range<usize>>, value: Range<usize>) -> Node {
        let shape =
            if brackets::is_quoted(&text[value.clone()]) { Shape::Quoted } else { Shape::Plain };
        let tail = value.end..value.end;
        Node { label, head: value.clone(), value, shape, children: Vec::new(), tail }
    }
}

/// The tree of a text. A text without brackets is one leaf. Takes time linear in the text, up to a
/// depth of 100; deeper groups stay plain text.
pub(crate) fn parse(text: &str) -> Node {
    let marks = brackets::marks(text);
    Parser { text, marks: &marks }.node(0..text.len(), 0..marks.len(), false, 0)
}

struct Parser<'a> {
    text: &'a str,
    marks: &'a [Mark],
}

impl Parser<'_> {
    /// The part in a range of the text and of the marks. `is_labelled` if it may begin with a
    /// label.
    fn node(
        &self,
        span: Range<usize>,
        marks: Range<usize>,
        is_labelled: bool,
        depth: usize,
    ) -> Node {
        let (mut label, mut value, mut marks) = (None, self.trimmed(span), marks);
        if is_labelled
            && let Some(colon) = self.outside(marks.clone()).find(|at| self.is_colon(*at))
        {
            let at = self.marks[colon].at;
            label = Some(self.trimmed(value.start..at));
            value = self.trimmed(at + 1..value.end);
            marks.start = colon + 1;
        }
        let opens = self.outside(marks.clone()).filter(|at| self.closes(*at).is_some());
        let length = |open: &usize| self.end(*open, &value) - self.marks[*open].at;
        match opens.max_by_key(length).filter(|_| depth < DEPTH_MAX) {
            Some(open) => self.group(label, value, open, depth),
            None => Node::leaf(self.text, label, value),
        }
    }

    fn group(
        &self,
        label: Option<Range<usize>>,
        value: Range<usize>,
        open: usize,
        depth: usize,
    ) -> Node {
        let Mark { at, sign, .. } = self.marks[open];
        let close = self.closes(open).unwrap_or(self.marks.len());
        let inside = at + 1..self.marks.get(close).map_or(value.end, |mark| mark.at);
        let head = value.start..at + 1;
        let tail = inside.end..value.end;
        let children = self.children(inside, open + 1..close, sign == Sign::Open('{'), depth + 1);
        let has_labels = children.iter().any(|child| child.label.is_some());
        let name = self.text[value.start..at].trim_end();
        let has_name = name.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>'));
        let shape = match sign {
            Sign::Open('(') => Shape::Tuple,
            Sign::Open('[') => Shape::List,
            _ if has_name => Shape::Struct,
            _ if has_labels => Shape::Map,
            _ => Shape::Set,
        };
        Node { label, value, shape, head, children, tail }
    }

    /// The parts between the commas.
    fn children(
        &self,
        inside: Range<usize>,
        marks: Range<usize>,
        is_labelled: bool,
        depth: usize,
    ) -> Vec<Node> {
        let commas = self.outside(marks.clone()).filter(|at| self.marks[*at].sign == Sign::Comma);
        let (mut children, mut start, mut first) = (Vec::new(), inside.start, marks.start);
        for (end, last) in commas
            .map(|comma| (self.marks[comma].at, comma))
            .chain(std::iter::once((inside.end, marks.end)))
        {
            let is_empty = self.text[start..end].trim().is_empty();
            // Behind the last comma there may be only spaces.
            if !is_empty || last < marks.end {
                children.push(self.node(start..end, first..last, is_labelled, depth));
            }
            (start, first) = (end + 1, last + 1);
        }
        children
    }

    /// The marks of a range that stand in no group of this range.
    fn outside(&self, marks: Range<usize>) -> impl Iterator<Item = usize> {
        let (mut next, end) = (marks.start, marks.end);
        std::iter::from_fn(move || {
            let at = next;
            next = self.closes(at).filter(|_| at < end).map_or(at, |close| close) + 1;
            (at < end).then_some(at)
        })
    }

    /// The mark that closes the group of this mark. One behind the last mark if the text ends
    /// before.
    fn closes(&self, open: usize) -> Option<usize> {
        self.marks.get(open)?.closes
    }

    fn end(&self, open: usize, value: &Range<usize>) -> usize {
        let close = self.closes(open).and_then(|close| self.marks.get(close));
        close.map_or(value.end, |mark| mark.at)
    }

    fn is_colon(&self, at: usize) -> bool {
        self.marks[at].sign == Sign::Colon
    }

    fn trimmed(&self, span: Range<usize>) -> Range<usize> {
        let text = &self.text[span.clone()];
        let start = span.start + (text.len() - text.trim_start().len());
        start..(start + text.trim().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree in words: the shape, and the label of each leaf with its text.
    fn written(text: &str, node: &Node) -> String {
        let label = node.label.clone().map_or(String::new(), |label| format!("{}=", &text[label]));
        if node.is_leaf() {
            return format!("{label}{}", &text[node.value.clone()]);
        }
        let parts: Vec<String> = node.children.iter().map(|child| written(text, child)).collect();
        format!("{label}{:?}<{}>", node.shape, parts.join("|"))
    }

    fn tree(text: &str) -> String {
        written(text, &parse(text))
    }

    #[test]
    fn values_of_each_shape_have_their_parts() {
        for (text, expected) in [
            ("12", "12"),
            ("", ""),
            ("[]", "List<>"),
            ("[1, [2, 3]]", "List<1|List<2|3>>"),
            ("Some((1, \"a, b\"))", "Tuple<Tuple<1|\"a, b\">>"),
            ("Point { x: 1, y: -2.5 }", "Struct<x=1|y=-2.5>"),
            ("Point { x: 1, .. }", "Struct<x=1|..>"),
            ("{1, 2}", "Set<1|2>"),
            ("{(1, 2): \"a: b\", 3: {}}", "Map<(1, 2)=\"a: b\"|3=Set<>>"),
            ("{127.0.0.1:80, [::1]:8080}", "Set<127.0.0.1:80|List<::1>>"),
            ("[\n    1,\n    2,\n]", "List<1|2>"),
            ("let ops = [Insert(1), Get];", "List<Tuple<1>|Get>"),
            ("map.insert(1, [2, 3, 4]).is_none();", "Tuple<1|List<2|3|4>>"),
            ("['[', '\\'', '\\u{1b}', 'x']", "List<'['|'\\''|'\\u{1b}'|'x'>"),
        ] {
            assert_eq!(tree(text), expected, "{text}");
        }
    }

    #[test]
    fn heads_and_tails_hold_the_rest_of_the_text() {
        let text = "let ops = [1, 2];";
        let node = parse(text);
        assert_eq!((&text[node.head], &text[node.tail]), ("let ops = [", "];"));
    }

    #[test]
    fn text_that_is_cut_off_keeps_the_groups_that_are_open() {
        assert_eq!(tree("[[1, 2], [3, .. (cut off)"), "List<List<1|2>|List<3|Tuple<cut off>>>");
        assert_eq!(tree("Point { x: \"ab"), "Struct<x=\"ab>");
    }

    #[test]
    fn brackets_without_a_partner_are_plain_text() {
        assert_eq!(tree("Face { mouth: :(, eyes: 2 }"), "Struct<mouth=:(|eyes=2>");
        assert_eq!(tree("a) b] c}"), "a) b] c}");
        assert_eq!(tree("[don't, (a'b)]"), "List<don't|Tuple<a'b>>");
    }

    #[test]
    fn deep_and_long_texts_are_read() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(parse(&deep).count(), 101);
        let long = format!("[{}]", "\u{fc}, ".repeat(100_000));
        assert_eq!(parse(&long).children.len(), 100_000);
    }

    #[test]
    fn every_range_is_inside_of_its_parent() {
        fn check(text: &str, node: &Node) {
            let span = node.span();
            assert!(text.get(span.clone()).is_some(), "{text:?}");
            assert!(node.head.end <= node.tail.start, "{text:?}: {node:?}");
            let mut before = node.head.end;
            for child in &node.children {
                assert!(before <= child.span().start, "{text:?}: {node:?}");
                before = child.span().end;
                check(text, child);
            }
            assert!(node.is_leaf() || before <= node.tail.start, "{text:?}: {node:?}");
        }
        let signs = ["(", ")", "[", "]", "{", "}", ",", ": ", "\"", "'", "\\", "\u{fc}", " ", "a"];
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(signs[(state >> 33) as usize % signs.len()]);
            }
            check(&text, &parse(&text));
        }
    }
}

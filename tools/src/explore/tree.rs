//! Values as rows that fold, with the claims about each part beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use dwindle_corpus::events::{ExploredParts, PartPlace};
use dwindle_corpus::{Explanation, Report, printable_line};

use crate::value_tree::{Node, letters, parse, place};

/// A group of at most this many bytes begins folded, unless a part of it has claims.
const FOLDED_MAX_BYTES: usize = 60;

/// What is known of a part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// What a request calls it. `None` before the target has answered.
    pub(crate) place: Option<PartPlace>,
    value: usize,
    span: Range<usize>,
    /// The letter of the part and its claims. Empty if nothing is claimed.
    pub(crate) claims: String,
    /// Whether inputs of the class have other values here.
    pub(crate) varies: bool,
}

/// A part of a value as a row, or the row that closes it.
#[derive(Debug)]
struct Line {
    value: usize,
    depth: usize,
    /// The whole part, with its label.
    span: Range<usize>,
    /// What is shown of a group that is open: its beginning, or its end for the row that closes it.
    open: Range<usize>,
    /// The rows from here to this one are the part. Equal to the next row for a leaf.
    end: usize,
    is_closing: bool,
    parts: Vec<usize>,
}

/// A row to draw.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row<'a> {
    pub(crate) depth: usize,
    /// Whether the row is a group that is folded. `None` for a leaf.
    pub(crate) folded: Option<bool>,
    pub(crate) text: &'a str,
    pub(crate) parts: Vec<&'a Part>,
}

/// The values of one input.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    values: Vec<String>,
    parts: Vec<Part>,
    lines: Vec<Line>,
    folded: BTreeSet<usize>,
    /// The groups that the user has folded (true) or unfolded.
    chosen: BTreeMap<usize, bool>,
    /// The lines that are not inside a folded group.
    visible: Vec<usize>,
    /// The index of the selected row among the visible ones.
    pub(crate) selected: usize,
}

impl Tree {
    /// The tree of values that are safe for a terminal.
    pub(crate) fn new(values: Vec<String>, parts: Vec<Part>) -> Tree {
        let mut tree = Tree { values, parts, ..Tree::default() };
        for (value, text) in tree.values.iter().enumerate() {
            add(&mut tree.lines, value, &parse(text), 0);
        }
        for (index, part) in tree.parts.iter().enumerate() {
            if let Some(line) = innermost(&tree.lines, part) {
                tree.lines[line].parts.push(index);
            }
        }
        for line in 0..tree.lines.len() {
            let Line { ref span, end, is_closing, depth, .. } = tree.lines[line];
            let has_claims =
                |inner: &Line| inner.parts.iter().any(|part| !tree.parts[*part].claims.is_empty());
            let is_group = end > line + 1 && !is_closing;
            let is_short = span.len() <= FOLDED_MAX_BYTES;
            // Of a whole value, the claims about itself count, too.
            let first = if depth == 0 { line } else { line + 1 };
            if is_group && is_short && !tree.lines[first..end].iter().any(has_claims) {
                tree.folded.insert(line);
            }
        }
        tree.look();
        tree
    }

    /// The tree of a report, with the letters of its explanation.
    pub(crate) fn of_report(report: &Report) -> Tree {
        let safe = |texts: &[String]| -> Vec<String> {
            texts.iter().map(|text| printable_line(text).into_owned()).collect()
        };
        let values = safe(report.drawn());
        let parts = report.explanation.as_ref().map_or_else(Vec::new, |known| {
            let Explanation { value, letters: lines, .. } = &**known;
            let (lettered, lines) = (safe(value), safe(lines));
            let letters = letters(&lines);
            let mut parts = Vec::new();
            for (index, (own, lettered)) in values.iter().zip(&lettered).enumerate() {
                for placed in place(own, lettered, &letters) {
                    let meaning = letters.iter().find(|letter| letter.name == placed.text);
                    let meaning = meaning.map_or("", |letter| letter.meaning);
                    let claims = format!("{}: {meaning}", placed.text);
                    let (span, varies) = (placed.span, true);
                    parts.push(Part { place: None, value: index, span, claims, varies });
                }
            }
            parts
        });
        Tree::new(values, parts)
    }

    /// The tree that the target has answered with. What the user has folded stays so if the values
    /// are the same.
    pub(crate) fn answered(&self, answer: &ExploredParts) -> Tree {
        let parts = answer.parts.iter().filter(|part| {
            let value = answer.values.get(part.value);
            value.is_some_and(|value| value.get(part.start..part.end).is_some())
        });
        let parts = parts.map(|part| {
            let letter = part.letter.as_ref().map(|letter| format!("{letter}: "));
            let claims = letter.unwrap_or_default() + &part.claims.join(" and ");
            Part {
                place: Some(part.place),
                value: part.value,
                span: part.start..part.end,
                claims: printable_line(&claims).into_owned(),
                varies: part.varies,
            }
        });
        let values: Vec<String> =
            answer.values.iter().map(|value| printable_line(value).into_owned()).collect();
        let mut tree = Tree::new(values, parts.collect());
        if tree.values == self.values {
            let selected = self.visible.get(self.selected).copied().unwrap_or(0);
            tree.chosen.clone_from(&self.chosen);
            tree.folded.retain(|line| self.chosen.get(line) != Some(&false));
            tree.folded.extend(self.chosen.iter().filter(|(_, fold)| **fold).map(|(at, _)| *at));
            tree.look();
            tree.selected = tree.visible.partition_point(|line| *line < selected);
        }
        tree
    }

    /// The number of visible rows.
    pub(crate) fn len(&self) -> usize {
        self.visible.len()
    }

    /// The values as texts.
    pub(crate) fn values(&self) -> &[String] {
        &self.values
    }

    /// The visible row with this number.
    pub(crate) fn row(&self, number: usize) -> Option<Row<'_>> {
        let at = *self.visible.get(number)?;
        let line = &self.lines[at];
        let is_group = line.end > at + 1 && !line.is_closing;
        let folded = is_group.then(|| self.folded.contains(&at));
        let span = if folded == Some(false) || line.is_closing { &line.open } else { &line.span };
        let parts = line.parts.iter().map(|part| &self.parts[*part]).collect();
        Some(Row {
            depth: line.depth,
            folded,
            text: self.values[line.value][span.clone()].trim(),
            parts,
        })
    }

    /// The part that a key is about: that of the selected row, or the innermost one around it.
    pub(crate) fn part(&self) -> Option<&Part> {
        let at = *self.visible.get(self.selected)?;
        let of = |line: &Line| {
            let mut parts = line.parts.iter().map(|part| &self.parts[*part]);
            parts.find(|part| part.place.is_some())
        };
        of(&self.lines[at]).or_else(|| {
            let around = self.lines[..at].iter().rev().filter(|line| line.end > at);
            around.filter(|line| !line.is_closing).find_map(of)
        })
    }

    /// The text of a part.
    pub(crate) fn text(&self, part: &Part) -> &str {
        &self.values[part.value][part.span.clone()]
    }

    /// Moves the selection by some rows.
    pub(crate) fn move_by(&mut self, rows: isize) {
        let last = self.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(rows).min(last);
    }

    /// Folds or unfolds the selected group. Of a leaf, folds the group around it.
    pub(crate) fn fold(&mut self, fold: bool) {
        let Some(at) = self.visible.get(self.selected).copied() else { return };
        let is_group =
            |line: usize| self.lines[line].end > line + 1 && !self.lines[line].is_closing;
        let is_there = is_group(at) && (!fold || !self.folded.contains(&at));
        let around = (0..at).rev().find(|line| is_group(*line) && self.lines[*line].end > at);
        let target = match (is_there, fold) {
            (true, _) => at,
            (false, true) => around.unwrap_or(at),
            (false, false) => return,
        };
        if !is_group(target) {
            return;
        }
        self.chosen.insert(target, fold);
        if fold {
            self.folded.insert(target);
        } else {
            self.folded.remove(&target);
        }
        self.look();
        self.selected = self.visible.iter().position(|line| *line == target).unwrap_or(0);
    }

    /// Whether the selected row is a group that is folded.
    pub(crate) fn is_folded(&self) -> bool {
        self.row(self.selected).is_some_and(|row| row.folded == Some(true))
    }

    fn look(&mut self) {
        self.visible.clear();
        let mut at = 0;
        while at < self.lines.len() {
            self.visible.push(at);
            at = if self.folded.contains(&at) { self.lines[at].end } else { at + 1 };
        }
        self.selected = self.selected.min(self.len().saturating_sub(1));
    }
}

/// Adds the rows of a part and of all parts inside.
fn add(lines: &mut Vec<Line>, value: usize, node: &Node, depth: usize) {
    let (span, at) = (node.span(), lines.len());
    let open = span.start..node.head.end;
    let line = Line {
        value,
        depth,
        span: span.clone(),
        open,
        end: at + 1,
        is_closing: false,
        parts: Vec::new(),
    };
    lines.push(line);
    if node.children.is_empty() {
        return;
    }
    for child in &node.children {
        add(lines, value, child, depth + 1);
    }
    if !node.tail.is_empty() {
        let (open, end) = (node.tail.clone(), lines.len() + 1);
        let span = open.clone();
        lines.push(Line { value, depth, span, open, end, is_closing: true, parts: Vec::new() });
    }
    lines[at].end = lines.len();
}

/// The smallest row that holds a part. A place for further elements belongs to the group around it,
/// not to the element beside it.
fn innermost(lines: &[Line], part: &Part) -> Option<usize> {
    let Range { start, end } = part.span;
    let margin = usize::from(part.span.is_empty());
    let holds = |line: &Line| {
        line.value == part.value
            && line.span.start + margin <= start
            && end + margin <= line.span.end
    };
    let holding = (0..lines.len()).filter(|line| holds(&lines[*line]) && !lines[*line].is_closing);
    holding.min_by_key(|line| lines[*line].span.len())
}

#[cfg(test)]
mod tests {
    use dwindle_corpus::{BugId, BugKind};

    use super::*;

    fn rows(tree: &Tree) -> Vec<String> {
        let row = |number| {
            let row = tree.row(number).unwrap();
            let claims: Vec<&str> = row.parts.iter().map(|part| part.claims.as_str()).collect();
            let mark = match row.folded {
                Some(true) => "+",
                Some(false) => "-",
                None => " ",
            };
            format!("{}{mark}{} {}", " ".repeat(row.depth), row.text, claims.join("; "))
                .trim_end()
                .to_owned()
        };
        (0..tree.len()).map(row).collect()
    }

    fn report() -> Report {
        let mut report = Report::pending("t", BugId::of("x"), BugKind::Panic);
        report.listing = vec!["let ops = [Insert(1, 2), Get(3)];".to_owned()];
        report.explanation = Some(Box::new(Explanation {
            value: vec!["let ops = [Insert(A, 2), Get(3), ..];".to_owned()],
            letters: vec!["A is any value".to_owned(), ".. is any further elements".to_owned()],
            ..Explanation::default()
        }));
        report
    }

    #[test]
    fn groups_with_claims_are_open_and_others_folded() {
        let tree = Tree::of_report(&report());
        assert_eq!(
            rows(&tree),
            [
                "-let ops = [ ..: any further elements",
                " -Insert(",
                "   1 A: any value",
                "   2",
                "  )",
                " +Get(3)",
                " ];"
            ]
        );
    }

    #[test]
    fn folding_hides_the_rows_of_a_group_and_keeps_the_selection() {
        let mut tree = Tree::of_report(&report());
        tree.move_by(3);
        tree.fold(true);
        assert_eq!((tree.selected, tree.is_folded()), (1, true));
        assert_eq!(rows(&tree)[1..3], [" +Insert(1, 2)", " +Get(3)"]);
        tree.fold(false);
        assert_eq!((tree.len(), tree.is_folded()), (7, false));
        tree.move_by(-10);
        tree.fold(true);
        assert_eq!(rows(&tree), ["+let ops = [Insert(1, 2), Get(3)]; ..: any further elements"]);
        tree.move_by(10);
        assert_eq!(tree.selected, 0);
    }

    #[test]
    fn a_key_is_about_the_innermost_part_around_the_selected_row() {
        let part = |place, start: usize, end| Part {
            place: Some(PartPlace::Span(place)),
            value: 0,
            span: start..end,
            claims: String::new(),
            varies: false,
        };
        let mut tree =
            Tree::new(vec!["[[1, 2], 3]".to_owned()], vec![part(0, 0, 11), part(1, 1, 7)]);
        tree.fold(false);
        tree.move_by(1);
        tree.fold(false);
        let at = |tree: &Tree| tree.part().and_then(|part| part.place);
        assert_eq!(at(&tree), Some(PartPlace::Span(1)));
        tree.move_by(1);
        assert_eq!(at(&tree), Some(PartPlace::Span(1)), "{:?}", rows(&tree));
        tree.move_by(3);
        assert_eq!(at(&tree), Some(PartPlace::Span(0)), "{:?}", rows(&tree));
    }

    #[test]
    fn a_report_cannot_control_the_terminal() {
        let mut report = report();
        report.listing = vec!["let a = \u{1b}[2J\n;".to_owned()];
        let tree = Tree::of_report(&report);
        assert!(rows(&tree).iter().all(|row| !row.contains(['\u{1b}', '\n'])), "{:?}", rows(&tree));
    }
}

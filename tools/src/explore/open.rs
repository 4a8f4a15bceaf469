//! A bug that is open on the screen: its causes, its value, and what was asked about it.

use std::collections::BTreeMap;

use dwindle_corpus::events::{ExploredInput, InputEnding, PartPlace};
use dwindle_corpus::{BugId, Report, excerpt, printable_line};

use super::bugs::Cause;
use super::tree::{Part, Tree};

/// How many lines of results are kept.
const RESULTS_MAX: usize = 1000;
/// The longest text of a part in a line about it.
const PART_MAX_BYTES: usize = 30;

/// What the user wants to be otherwise than in the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The part keeps its minimized value.
    Fixed,
    /// The part takes any value.
    Freed,
}

/// The part of the screen that the arrow keys move in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    Tree,
    Results,
}

/// A line of the results.
#[derive(Debug)]
pub(crate) enum Found {
    /// What the inputs below are.
    Heading(String),
    /// An input, and how it ended.
    Input { input: ExploredInput, how: String },
}

/// The suspicious lines of a cause in words.
fn suspicious(report: &Report) -> impl Iterator<Item = String> {
    let lines = report.explanation.iter().flat_map(|known| &known.lines);
    lines.map(|line| printable_line(&format!("suspicious: {}", line.in_words())).into_owned())
}

/// A bug that is open.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) id: BugId,
    pub(crate) causes: Vec<Cause>,
    /// The index of the cause on the screen.
    pub(crate) at: usize,
    pub(crate) tree: Tree,
    pub(crate) changed: BTreeMap<PartPlace, Change>,
    pub(crate) results: Vec<Found>,
    /// The index of the selected result.
    pub(crate) result: usize,
    pub(crate) focus: Focus,
    /// A result that is shown as a tree, with its title.
    pub(crate) shown: Option<(String, Tree)>,
}

impl Open {
    /// One cause of a bug, as its report says. The results begin with its suspicious lines.
    pub(crate) fn new(id: BugId, causes: Vec<Cause>, at: usize) -> Open {
        Open {
            id,
            tree: Tree::of_report(&causes[at].report),
            results: suspicious(&causes[at].report).map(Found::Heading).collect(),
            causes,
            at,
            changed: BTreeMap::new(),
            result: 0,
            focus: Focus::Tree,
            shown: None,
        }
    }

    /// Adds a line to the results. The selection follows unless the user moves in the results.
    pub(crate) fn add(&mut self, found: Found) {
        if self.results.len() >= RESULTS_MAX {
            self.results.remove(0);
            self.result = self.result.saturating_sub(1);
        }
        self.results.push(found);
        if self.focus == Focus::Tree {
            self.result = self.results.len() - 1;
        }
    }

    /// The tree on the screen.
    pub(crate) fn tree_mut(&mut self) -> &mut Tree {
        self.shown.as_mut().map_or(&mut self.tree, |(_, tree)| tree)
    }

    /// The values of an input that differ from the minimized ones, as one line.
    pub(crate) fn differing(&self, input: &ExploredInput) -> String {
        let own = self.tree.values();
        let values = input.values.iter().enumerate();
        let differing = values.filter(|(at, value)| own.get(*at) != Some(*value));
        let texts: Vec<&str> = differing.map(|(_, value)| value.as_str()).collect();
        printable_line(&texts.join(" ")).into_owned()
    }

    /// Shows the selected result as a tree.
    pub(crate) fn show_result(&mut self) {
        let Some(Found::Input { input, how }) = self.results.get(self.result) else { return };
        let values = input.values.iter().map(|value| printable_line(value).into_owned());
        let title = match input.ending {
            InputEnding::Fails if !input.is_claimed => format!("{how}, outside of the class"),
            _ => how.clone(),
        };
        self.shown = Some((title, Tree::new(values.collect(), Vec::new())));
        self.focus = Focus::Tree;
    }

    /// What the user has changed about a part, and what is claimed of it.
    pub(crate) fn claims_of(&self, part: &Part) -> String {
        let change = part.place.and_then(|place| self.changed.get(&place));
        let change = match change {
            Some(Change::Fixed) => "[fixed] ",
            Some(Change::Freed) => "[freed] ",
            None => "",
        };
        format!("{change}{}", part.claims)
    }

    /// The selected part in words.
    pub(crate) fn detail(&self) -> String {
        match self.tree.part() {
            Some(part) => {
                let claims = self.claims_of(part);
                let claims =
                    if claims.trim().is_empty() { "nothing is claimed of it" } else { &claims };
                format!("{}  {claims}", excerpt(self.tree.text(part), PART_MAX_BYTES))
            }
            None => String::new(),
        }
    }
}

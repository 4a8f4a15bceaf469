//! One HTML page about the bugs of a fuzz crate and its runs.
//!
//! The page loads nothing: style, script and charts stand in it. Without script it can be read, and
//! the parts fold; script only sorts the table and copies commands. All foreign text goes through
//! [`shown`] and is escaped by maud. The policy in its head lets no other script run.

mod bug;
mod cases;
mod chart;
mod difference;
mod lines;
mod reach;
mod runs;
mod scale;
mod shrink;
mod source;
mod table;
mod target;
mod value;

use std::borrow::Cow;
use std::path::PathBuf;

use dwindle_corpus::{Report, ShrinkStep, excerpt, printable};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::history::Moment;
use crate::observations::Cases;
use crate::reach::Reach;
use crate::sources::{Excerpt, NoLines};
use scale::Scale;

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/script.js");

/// What a page shows.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The folder of the fuzz crate, for the title.
    pub(crate) project: String,
    /// When the page was written, as text.
    pub(crate) written: String,
    pub(crate) targets: Vec<TargetPart>,
}

/// What a page shows of a target.
#[derive(Debug, Default)]
pub(crate) struct TargetPart {
    pub(crate) name: String,
    /// Whether the fuzz crate has no such target, but the store has bugs of it.
    pub(crate) is_gone: bool,
    pub(crate) bugs: Vec<BugPart>,
    /// The runs that the store knows.
    pub(crate) runs: Vec<Vec<Moment>>,
    /// What the observed cases show, if any were observed.
    pub(crate) cases: Option<Cases>,
    /// Which lines the corpus reaches, if it was run for that.
    pub(crate) reach: Option<Reach>,
    /// What in the store cannot be read: the path and the reason.
    pub(crate) damaged: Vec<(String, String)>,
}

/// What a page shows of a bug, or of one of its variants.
#[derive(Debug)]
pub(crate) struct BugPart {
    pub(crate) report: Report,
    /// The key, if this is a variant.
    pub(crate) variant: Option<String>,
    /// The hits of the bug, of all runs that the store knows.
    pub(crate) hits: u64,
    /// The folder of the files.
    pub(crate) directory: PathBuf,
    /// What a command does, and the command.
    pub(crate) commands: Vec<(&'static str, String)>,
    /// The source lines at the place of the failure.
    pub(crate) source: Option<Result<Excerpt, NoLines>>,
    /// The source around each suspicious line of the report.
    pub(crate) lines: Vec<Result<Excerpt, NoLines>>,
    /// How the input became small.
    pub(crate) steps: Vec<ShrinkStep>,
    pub(crate) variants: Vec<BugPart>,
}

impl TargetPart {
    /// Whether there is anything to show of the target.
    fn is_known(&self) -> bool {
        let is_empty = self.bugs.is_empty() && self.damaged.is_empty() && self.runs.is_empty();
        !is_empty || self.cases.is_some() || self.reach.is_some()
    }
}

impl Page {
    /// The bugs and variants of all targets.
    pub(crate) fn bugs(&self) -> impl Iterator<Item = &BugPart> {
        let bugs = self.targets.iter().flat_map(|target| &target.bugs);
        bugs.flat_map(|bug| std::iter::once(bug).chain(&bug.variants))
    }

    /// The page. Up to a hundred bugs take less than 1 MB; each of them gets less room then.
    pub(crate) fn html(&self) -> String {
        let sections = self.bugs().count();
        let mut scale = Scale::of(sections);
        loop {
            let page = self.written_at(&scale);
            if page.len() <= Scale::page_max(sections) || scale.text_max < 50 {
                return page;
            }
            scale = scale.half();
        }
    }

    fn written_at(&self, scale: &Scale) -> String {
        let body = self.body(scale);
        // Foreign text cannot contain the hash of the text that it stands in.
        let nonce = blake3::hash(body.0.as_bytes()).to_hex();
        let policy = format!(
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{nonce}'; base-uri \
             'none'; form-action 'none'"
        );
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { "dwindle: " (shown(&self.project)) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    (body)
                    script nonce=(nonce) { (PreEscaped(SCRIPT)) }
                }
            }
        };
        page.into_string()
    }

    fn known(&self) -> impl Iterator<Item = (usize, &TargetPart)> {
        self.targets.iter().enumerate().filter(|(_, target)| target.is_known())
    }

    fn body(&self, scale: &Scale) -> Markup {
        let bugs: usize = self.targets.iter().map(|target| target.bugs.len()).sum();
        html! {
            header {
                h1 { (shown(&self.project)) }
                p.dim {
                    "written by cargo dwindle, " (self.written) ": "
                    (counted(self.targets.len(), "target")) ", " (counted(bugs, "bug"))
                }
                @if self.targets.len() > 1 {
                    nav { @for (number, target) in self.known() {
                        a href={ "#t" (number) } { (shown(&target.name)) }
                    } }
                }
            }
            main {
                (table::bugs(self, scale))
                @for (number, target) in self.known() {
                    (target::section(number, target, scale))
                }
                (target::unknown(&self.targets))
            }
        }
    }
}

/// Foreign text, safe to show: control characters are escaped. maud escapes markup.
fn shown(text: &str) -> Cow<'_, str> {
    printable(text)
}

/// Foreign text, cut and safe to show.
fn cut(text: &str, text_max: usize) -> String {
    printable(&excerpt(text, text_max)).into_owned()
}

/// `1 bug`, `2 bugs`.
fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests;

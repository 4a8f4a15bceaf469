//! Draws the screen. Everything fits into 40 columns and 10 rows; a larger terminal shows more.

use dwindle_corpus::events::InputEnding;
use dwindle_corpus::printable_line;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph, Wrap};

use super::bugs::in_words;
use super::keys::HELP;
use super::open::{Focus, Found, Open};
use super::state::State;
use super::tree::{Row, Tree};

/// From this height on, the results stand below the value. Otherwise Tab changes between them.
const BOTH_MIN_ROWS: u16 = 18;
/// From this height on, the claims of the selected part have three rows.
const DETAIL_MIN_ROWS: u16 = 14;

const KEYS: &str = "n next  m more  x fix  f free  p passing  w test  ? help  q quit";
const KEYS_SHORT: &str = "n m x f p w  ? help  q quit";

/// Draws everything.
pub(crate) fn draw(frame: &mut Frame<'_>, state: &State) {
    let area = frame.area();
    let rows =
        [Constraint::Length(1), Constraint::Min(1), Constraint::Length(1), Constraint::Length(1)];
    let [head, body, status, keys] = Layout::vertical(rows).areas(area);
    frame.render_widget(Line::from(title(state)).bold().reversed(), head);
    match &state.open {
        None => list(frame, state, body),
        Some(open) => bug(frame, open, body),
    }
    frame.render_widget(status_line(state), status);
    let is_wide = usize::from(keys.width) >= KEYS.len();
    let text = match &state.open {
        None => "Enter open  ? help  q quit",
        Some(_) if is_wide => KEYS,
        Some(_) => KEYS_SHORT,
    };
    frame.render_widget(Line::from(text).dim(), keys);
    if state.has_help {
        help(frame, area);
    }
}

fn title(state: &State) -> String {
    let target = printable_line(&state.target);
    let text = match &state.open {
        None => format!("{target}: {} bugs", state.listed.len()),
        Some(open) => {
            let report = &open.causes[open.at].report;
            let (cause, of) = (open.at + 1, open.causes.len());
            let causes = if of > 1 { format!(" cause {cause}/{of}") } else { String::new() };
            format!("{target} {}{causes}  {}: {}", open.id, in_words(report), report.message)
        }
    };
    printable_line(&text).into_owned()
}

/// The question, what the target works on, or the last message.
fn status_line(state: &State) -> Line<'static> {
    if let Some(test) = &state.question {
        let path = crate::screen::from_here(&test.path);
        return Line::from(format!("write {path}? y/n")).yellow();
    }
    match state.waiting.first() {
        Some(waiting) => {
            let seconds = waiting.since.elapsed().as_secs();
            let text = format!("{}, {seconds} s  Esc stops it  {}", waiting.what, state.message);
            Line::from(text).cyan()
        }
        None => Line::from(state.message.clone()),
    }
}

fn list(frame: &mut Frame<'_>, state: &State, area: Rect) {
    let line = |number: usize| {
        let bug = &state.listed[number];
        let text = match &bug.report {
            Ok(report) => {
                format!("{}  {}  {}: {}", bug.id, report.status, in_words(report), report.message)
            }
            Err(damage) => format!("{}  damaged  {damage}", bug.id),
        };
        let line = Line::from(cut(&printable_line(&text), area.width));
        if number == state.listed_at { line.reversed() } else { line }
    };
    rows(frame, area, (state.listed.len(), state.listed_at), line);
}

fn bug(frame: &mut Frame<'_>, open: &Open, area: Rect) {
    let detail = if area.height + 3 >= DETAIL_MIN_ROWS { 3 } else { 1 };
    let has_both = area.height + 3 >= BOTH_MIN_ROWS && !open.results.is_empty();
    let results = if has_both { area.height / 3 } else { 0 };
    let parts = [Constraint::Min(1), Constraint::Length(detail), Constraint::Length(results)];
    let [top, middle, bottom] = Layout::vertical(parts).areas(area);
    if has_both || open.focus == Focus::Tree {
        tree(frame, open, top);
    } else {
        found(frame, open, top);
    }
    if has_both {
        found(frame, open, bottom);
    }
    let detail = match (&open.shown, open.focus) {
        (Some((title, _)), Focus::Tree) => format!("{title}  (Esc goes back)"),
        (None, Focus::Tree) => open.detail(),
        (_, Focus::Results) => selected_result(open),
    };
    let detail = Paragraph::new(cut(&detail, middle.width.saturating_mul(detail_rows(middle))));
    frame.render_widget(detail.wrap(Wrap { trim: true }).yellow(), middle);
}

fn detail_rows(area: Rect) -> u16 {
    area.height.max(1)
}

fn selected_result(open: &Open) -> String {
    match open.results.get(open.result) {
        Some(Found::Input { how, .. }) => format!("{how}  (Enter shows it as a tree)"),
        Some(Found::Heading(heading)) => heading.clone(),
        None => String::new(),
    }
}

fn tree(frame: &mut Frame<'_>, open: &Open, area: Rect) {
    let tree: &Tree = open.shown.as_ref().map_or(&open.tree, |(_, tree)| tree);
    let line = |number: usize| {
        let Some(row) = tree.row(number) else { return Line::default() };
        let line = tree_line(open, &row, area.width);
        let is_selected = number == tree.selected && open.focus == Focus::Tree;
        if is_selected { line.reversed() } else { line }
    };
    rows(frame, area, (tree.len(), tree.selected), line);
}

/// A part, and at its right what is claimed of it.
fn tree_line(open: &Open, row: &Row<'_>, width: u16) -> Line<'static> {
    let mark = match row.folded {
        Some(true) => "+ ",
        Some(false) => "- ",
        None => "  ",
    };
    let claims: Vec<String> = row.parts.iter().map(|part| open.claims_of(part)).collect();
    let claims: Vec<&str> = claims.iter().map(|claim| claim.trim()).collect();
    let claims = claims.into_iter().filter(|claim| !claim.is_empty()).collect::<Vec<_>>();
    let claims = claims.join("; ");
    let indent = (2 * row.depth).min(usize::from(width) / 2);
    let left = usize::from(width).saturating_sub(indent + mark.len());
    let for_claims = if claims.is_empty() { 0 } else { (claims.chars().count() + 2).min(left / 2) };
    let text = cut(row.text, (left - for_claims) as u16);
    let mut spans = vec![Span::from(" ".repeat(indent)), Span::from(mark).dim(), Span::from(text)];
    if !claims.is_empty() {
        let has_changed = claims.starts_with('[');
        let style = Style::new().fg(if has_changed { Color::Yellow } else { Color::Cyan });
        spans.push(Span::styled(format!("  {claims}"), style));
    }
    Line::from(spans)
}

fn found(frame: &mut Frame<'_>, open: &Open, area: Rect) {
    let line = |number: usize| {
        let line = match &open.results[number] {
            Found::Heading(heading) => Line::from(format!("-- {heading}")).dim(),
            Found::Input { input, .. } => {
                let (word, colour) = match input.ending {
                    InputEnding::Fails => ("fails   ", Color::Red),
                    InputEnding::FailsOtherwise => ("other   ", Color::Magenta),
                    InputEnding::Passes => ("passes  ", Color::Green),
                    InputEnding::Rejected => ("rejected", Color::Reset),
                };
                let values = cut(&open.differing(input), area.width.saturating_sub(9));
                Line::from(vec![Span::from(word).fg(colour), Span::from(format!(" {values}"))])
            }
        };
        let is_selected = number == open.result && open.focus == Focus::Results;
        if is_selected { line.reversed() } else { line }
    };
    rows(frame, area, (open.results.len(), open.result), line);
}

/// Draws those of `count` rows that fit, with the selected one in the middle.
fn rows(
    frame: &mut Frame<'_>,
    area: Rect,
    (count, selected): (usize, usize),
    line: impl Fn(usize) -> Line<'static>,
) {
    let height = usize::from(area.height);
    let first = selected.saturating_sub(height / 2).min(count.saturating_sub(height));
    let lines: Vec<Line<'static>> = (first..count).take(height).map(line).collect();
    frame.render_widget(Paragraph::new(lines), area);
}

/// The beginning of a text that fits into a width.
fn cut(text: &str, width: u16) -> String {
    let width = usize::from(width);
    if text.chars().nth(width).is_none() {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push('\u{2026}');
    cut
}

fn help(frame: &mut Frame<'_>, area: Rect) {
    frame.render_widget(Clear, area);
    let lines = HELP.iter().map(|(keys, what)| {
        Line::from(vec![Span::from(format!("{keys:<11}")).bold(), Span::from(*what)])
    });
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), area);
}

#[cfg(test)]
mod tests;

//! What each key does.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::open::{Change, Focus};
use super::state::{Action, State};
use crate::exit::Exit;

/// How many rows a page has.
const PAGE: isize = 10;

/// The keys and what they do, for the help.
pub(crate) const HELP: [(&str, &str); 15] = [
    ("up down", "move; also k j, PgUp, Home"),
    ("left right", "fold, unfold; also h l Space"),
    ("n", "look for another cause"),
    ("[ ]", "the other known causes"),
    ("m", "more examples of this cause"),
    ("x", "fix the part; examples"),
    ("f", "free the part; examples"),
    ("c", "undo what x and f did"),
    ("p", "the nearest passing input"),
    ("w", "write a regression test"),
    ("Tab", "to the results and back"),
    ("Enter", "show a result as a tree"),
    ("Esc", "stop the target, or go back"),
    ("b", "the list of bugs"),
    ("q", "quit; also Ctrl-C"),
];

/// Does what a key is for.
pub(crate) fn press(state: &mut State, key: KeyEvent) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return (key.code == KeyCode::Char('c')).then_some(Action::Quit(Exit::Interrupted));
    }
    if state.question.is_some() {
        state.answer(matches!(key.code, KeyCode::Char('y' | 'Y') | KeyCode::Enter));
        return None;
    }
    if std::mem::take(&mut state.has_help) {
        return None;
    }
    match key.code {
        KeyCode::Char('q') => return Some(Action::Quit(state.exit())),
        KeyCode::Char('?') => state.has_help = true,
        KeyCode::Esc => return escape(state),
        _ if state.open.is_none() => return in_list(state, key.code),
        _ => return in_bug(state, key.code),
    }
    None
}

/// Stops the target if it works. Otherwise goes back by one step.
fn escape(state: &mut State) -> Option<Action> {
    if let Some(action) = state.stop() {
        return Some(action);
    }
    let open = state.open.as_mut()?;
    if open.shown.take().is_none() {
        open.focus = Focus::Tree;
    }
    None
}

/// How far a key moves.
fn distance(code: KeyCode) -> Option<isize> {
    Some(match code {
        KeyCode::Up | KeyCode::Char('k') => -1,
        KeyCode::Down | KeyCode::Char('j') => 1,
        KeyCode::PageUp => -PAGE,
        KeyCode::PageDown => PAGE,
        KeyCode::Home => isize::MIN,
        KeyCode::End => isize::MAX,
        _ => return None,
    })
}

fn in_list(state: &mut State, code: KeyCode) -> Option<Action> {
    if let Some(by) = distance(code) {
        let last = state.listed.len().saturating_sub(1);
        state.listed_at = state.listed_at.saturating_add_signed(by).min(last);
        return None;
    }
    if !matches!(code, KeyCode::Enter | KeyCode::Right | KeyCode::Char('l')) {
        return None;
    }
    let bug = state.listed.get(state.listed_at)?;
    if let Err(damage) = &bug.report {
        state.message = format!("damaged: {}", dwindle_corpus::printable_line(damage));
        return None;
    }
    state.open_bug(bug.id)
}

fn in_bug(state: &mut State, code: KeyCode) -> Option<Action> {
    match code {
        KeyCode::Char('n') => return state.next(),
        KeyCode::Char('m') => return state.examples(),
        KeyCode::Char('x') => return state.change(Change::Fixed),
        KeyCode::Char('f') => return state.change(Change::Freed),
        KeyCode::Char('c') => state.clear_changes(),
        KeyCode::Char('p') => return state.passing(),
        KeyCode::Char('w') => state.offer_test(),
        KeyCode::Char('[') => return state.turn(-1),
        KeyCode::Char(']') => return state.turn(1),
        KeyCode::Char('b') => {
            let action = state.stop();
            state.open = None;
            state.message.clear();
            return action;
        }
        _ => in_pane(state, code),
    }
    None
}

fn in_pane(state: &mut State, code: KeyCode) {
    let Some(open) = &mut state.open else { return };
    match (code, open.focus) {
        (KeyCode::Tab, Focus::Tree) if !open.results.is_empty() => open.focus = Focus::Results,
        (KeyCode::Tab, _) => open.focus = Focus::Tree,
        (KeyCode::Enter, Focus::Results) => open.show_result(),
        (KeyCode::Left | KeyCode::Char('h'), Focus::Tree) => open.tree_mut().fold(true),
        (KeyCode::Right | KeyCode::Char('l'), Focus::Tree) => open.tree_mut().fold(false),
        (KeyCode::Char(' ') | KeyCode::Enter, Focus::Tree) => {
            let is_folded = open.tree_mut().is_folded();
            open.tree_mut().fold(!is_folded);
        }
        (code, focus) => {
            let Some(by) = distance(code) else { return };
            match focus {
                Focus::Tree => open.tree_mut().move_by(by),
                Focus::Results => {
                    let last = open.results.len().saturating_sub(1);
                    open.result = open.result.saturating_add_signed(by).min(last);
                }
            }
        }
    }
}

//! The screen of `cargo dwindle explore`.
//!
//! Two loops run beside each other. This one draws, reads keys and never waits for the target. The
//! target binary is a child (`asked`) that answers requests one after the other. `state` is what
//! the screen shows; it changes by keys (`keys`) and by answers, and `draw` draws it.

mod asked;
pub(crate) mod bugs;
mod regression_test;
mod tree;
mod open;
mod state;
mod keys;
mod draw;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use dwindle_corpus::{BugId, BugStore};
use ratatui::crossterm::event::{self, Event};

use crate::exit::{Exit, wrong_use};
use asked::{Asked, Heard};
use bugs::Listed;
use state::{Action, State};

/// How long the loop waits for a key before it looks for answers.
const TICK: Duration = Duration::from_millis(30);

/// The bugs on the screen, and where tests are written to.
pub(crate) struct Explored {
    pub(crate) target: String,
    pub(crate) fuzz_dir: PathBuf,
    pub(crate) store: BugStore,
    pub(crate) listed: Vec<Listed>,
    /// The bug that is open at first. `None` shows the list.
    pub(crate) bug: Option<BugId>,
}

/// Returns an error of exit code 2 unless stdin and stdout are a terminal.
pub(crate) fn require_terminal() -> Result<()> {
    if std::io::stdout().is_terminal() && std::io::stdin().is_terminal() {
        return Ok(());
    }
    Err(wrong_use(
        "explore needs a terminal; without one, `cargo dwindle show` shows the values of an input \
         and `cargo dwindle next` looks for other causes",
    ))
}

/// Shows the bugs until the user quits. `command` starts the target binary in the mode `explore`.
/// `is_interrupted` says whether the process was asked to end.
pub(crate) fn explore(
    explored: Explored,
    command: impl Fn() -> Command + 'static,
    mut is_interrupted: impl FnMut() -> bool,
) -> Result<Exit> {
    let Explored { target, fuzz_dir, store, listed, bug } = explored;
    let mut state = State::new(&target, fuzz_dir, store, listed);
    let mut asked = Asked::new(command);
    let action = bug.and_then(|bug| state.open_bug(bug));
    let mut terminal = ratatui::try_init().context("cannot use the terminal")?;
    // From here on, the terminal is restored however this ends.
    let _restored = Restored;
    if let Some(exit) = act(&mut state, &mut asked, action) {
        return Ok(exit);
    }
    loop {
        terminal.draw(|frame| draw::draw(frame, &state)).context("cannot write to the terminal")?;
        if is_interrupted() {
            return Ok(Exit::Interrupted);
        }
        let mut actions = Vec::new();
        if event::poll(TICK).context("cannot read from the terminal")? {
            // Keys that are there already are read before the next drawing.
            while event::poll(Duration::ZERO)? {
                if let Event::Key(key) = event::read()? {
                    let action = keys::press(&mut state, key);
                    actions.extend(act(&mut state, &mut asked, action));
                }
            }
        }
        while let Some(heard) = asked.hear() {
            let action = match heard {
                Heard::Event(line) => state.hear(&line),
                Heard::Ended(how) => {
                    state.ended(&how);
                    None
                }
            };
            actions.extend(act(&mut state, &mut asked, action));
        }
        if let Some(exit) = actions.first() {
            return Ok(*exit);
        }
    }
}

/// Does what a key or an answer leads to. Returns how the command ends, if it does.
fn act(state: &mut State, asked: &mut Asked, action: Option<Action>) -> Option<Exit> {
    let request = match action? {
        Action::Quit(exit) => return Some(exit),
        Action::Stop => {
            asked.stop();
            return None;
        }
        Action::AskAfresh(request) => {
            asked.stop();
            request
        }
        Action::Ask(request) => request,
    };
    if let Err(error) = asked.ask(&request) {
        state.ended(&format!("cannot be started: {error:#}"));
    }
    None
}

/// Restores the terminal when it is dropped.
struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

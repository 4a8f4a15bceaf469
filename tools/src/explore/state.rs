//! What is on the screen, and what changes it: answers of the target, and the wishes of the user.

use std::path::PathBuf;
use std::time::Instant;

use dwindle_corpus::events::{Answered, Event, EventLine, PartPlace, Request, Wanted};
use dwindle_corpus::{BugId, BugStore, printable_line};

use super::bugs::{self, Cause, Listed};
use super::open::{Change, Found, Open};
use super::regression_test::{Test, Written};
use super::tree::Part;
use crate::exit::Exit;

/// How many examples one key asks for.
const EXAMPLES: u32 = 5;
/// How many requests may wait.
const WAITING_MAX: usize = 3;

/// What the loop around the screen must do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Send a request to the target binary.
    Ask(Request),
    /// End the target binary, start it again and send it a request.
    AskAfresh(Request),
    /// End the target binary.
    Stop,
    /// End the command.
    Quit(Exit),
}

/// A request that is not answered yet.
#[derive(Debug)]
pub(crate) struct Waiting {
    number: u64,
    pub(crate) what: &'static str,
    pub(crate) since: Instant,
}

/// Everything that the screen shows.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) target: String,
    fuzz_dir: PathBuf,
    store: BugStore,
    pub(crate) listed: Vec<Listed>,
    /// The index of the selected bug in the list.
    pub(crate) listed_at: usize,
    /// `None` shows the list of bugs.
    pub(crate) open: Option<Open>,
    pub(crate) waiting: Vec<Waiting>,
    pub(crate) message: String,
    /// A test that is written if the user agrees.
    pub(crate) question: Option<Test>,
    pub(crate) has_help: bool,
    has_found_cause: bool,
    number: u64,
}

impl State {
    pub(crate) fn new(
        target: &str,
        fuzz_dir: PathBuf,
        store: BugStore,
        listed: Vec<Listed>,
    ) -> State {
        State {
            target: target.to_owned(),
            fuzz_dir,
            store,
            listed,
            listed_at: 0,
            open: None,
            waiting: Vec::new(),
            message: String::new(),
            question: None,
            has_help: false,
            has_found_cause: false,
            number: 0,
        }
    }

    /// Opens a bug at its own input.
    pub(crate) fn open_bug(&mut self, id: BugId) -> Option<Action> {
        match bugs::causes(&self.store, id) {
            Ok(causes) => {
                self.listed_at = self.listed.iter().position(|bug| bug.id == id).unwrap_or(0);
                self.open_cause(id, causes, 0)
            }
            Err(error) => {
                self.message = printable_line(&format!("{error:#}")).into_owned();
                None
            }
        }
    }

    fn open_cause(&mut self, id: BugId, causes: Vec<Cause>, at: usize) -> Option<Action> {
        self.open = Some(Open::new(id, causes, at));
        // Answers about the cause before are for a screen that is gone.
        let is_working = !self.waiting.is_empty();
        self.waiting.clear();
        match self.ask("finding the parts", Wanted::Parts)? {
            Action::Ask(request) if is_working => Some(Action::AskAfresh(request)),
            action => Some(action),
        }
    }

    /// Goes to the next or the previous known cause.
    pub(crate) fn turn(&mut self, by: isize) -> Option<Action> {
        let open = self.open.take()?;
        let count = open.causes.len();
        if count == 1 {
            self.say("no other cause is known; n looks for one");
            self.open = Some(open);
            return None;
        }
        let at = (open.at + count).saturating_add_signed(by) % count;
        self.open_cause(open.id, open.causes, at)
    }

    fn ask(&mut self, what: &'static str, wanted: Wanted) -> Option<Action> {
        let open = self.open.as_ref()?;
        if self.waiting.len() >= WAITING_MAX {
            self.say("the target is busy; Esc stops it");
            return None;
        }
        self.number += 1;
        let number = self.number;
        self.waiting.push(Waiting { number, what, since: Instant::now() });
        self.message.clear();
        let cause = open.causes[open.at].key.clone();
        Some(Action::Ask(Request { number, bug_id: open.id, cause, wanted }))
    }

    /// Asks for examples with the parts as the user has changed them.
    pub(crate) fn examples(&mut self) -> Option<Action> {
        let number = self.number;
        let open = self.open.as_mut()?;
        let of = |change| {
            let changed = open.changed.iter().filter(move |(_, is)| **is == change);
            changed.map(|(place, _)| *place).collect::<Vec<PartPlace>>()
        };
        let (fixed, freed) = (of(Change::Fixed), of(Change::Freed));
        let heading = match (fixed.len(), freed.len()) {
            (0, 0) => "examples of the class".to_owned(),
            (fixed, 0) => format!("examples, {fixed} fixed"),
            (_, freed) => format!("examples, {freed} freed and the rest kept"),
        };
        let wanted = Wanted::Examples { count: EXAMPLES, seed: number, fixed, freed };
        let action = self.ask("drawing examples", wanted)?;
        self.add(Found::Heading(heading));
        Some(action)
    }

    /// Asks for the nearest passing input.
    pub(crate) fn passing(&mut self) -> Option<Action> {
        let action = self.ask("looking for the nearest passing input", Wanted::Passing)?;
        self.add(Found::Heading("the nearest passing input".to_owned()));
        Some(action)
    }

    /// Asks for one search for another cause.
    pub(crate) fn next(&mut self) -> Option<Action> {
        let seed = self.number;
        self.ask("looking for another cause", Wanted::Next { seed })
    }

    /// Fixes or frees the part of the selected row, or takes that back. Asks for examples of it.
    pub(crate) fn change(&mut self, change: Change) -> Option<Action> {
        let open = self.open.as_mut().filter(|open| open.shown.is_none())?;
        let Some(Part { place: Some(place), varies, .. }) = open.tree.part() else {
            self.say("where this part is drawn is not known");
            return None;
        };
        let key = *place;
        if open.changed.get(&key) == Some(&change) {
            open.changed.remove(&key);
            self.say("as claimed again");
            return None;
        }
        if change == Change::Fixed && !varies && !open.changed.contains_key(&key) {
            self.say("nothing is claimed of this part: it is fixed; f frees it");
            return None;
        }
        open.changed.insert(key, change);
        self.examples()
    }

    /// Takes back what the user has fixed and freed.
    pub(crate) fn clear_changes(&mut self) {
        if let Some(open) = &mut self.open {
            open.changed.clear();
            self.say("all parts are as claimed");
        }
    }

    /// Ends the target binary, if it works.
    pub(crate) fn stop(&mut self) -> Option<Action> {
        let first = self.waiting.first()?;
        self.message = format!("stopped {}", first.what);
        if self.waiting.iter().any(|waiting| waiting.what.ends_with("another cause")) {
            self.message += "; what it had found stays pending, and n takes it up";
        }
        self.waiting.clear();
        Some(Action::Stop)
    }

    /// Asks whether to write the test of the cause on the screen.
    pub(crate) fn offer_test(&mut self) {
        let Some(open) = &self.open else { return };
        let cause = &open.causes[open.at];
        match Test::of(cause, open.id, &self.target, &self.fuzz_dir) {
            Ok(test) => self.question = Some(test),
            Err(error) => self.message = printable_line(&format!("{error:#}")).into_owned(),
        }
    }

    /// The answer to the question.
    pub(crate) fn answer(&mut self, yes: bool) {
        let Some(test) = self.question.take() else { return };
        let path = crate::screen::from_here(&test.path);
        self.message = match yes.then(|| test.write()) {
            None => "nothing was written".to_owned(),
            Some(Ok(Written::New)) => {
                format!("wrote {path}; cargo test --test {}", test.name)
            }
            Some(Ok(Written::Same)) => format!("{path} is there already"),
            Some(Ok(Written::Other)) => format!("{path} has another text and was not changed"),
            Some(Err(error)) => printable_line(&format!("{error:#}")).into_owned(),
        };
    }

    /// The code of a command that the user ends.
    pub(crate) fn exit(&self) -> Exit {
        if self.has_found_cause { Exit::Bugs } else { Exit::Clean }
    }

    /// The target binary has ended without being asked to.
    pub(crate) fn ended(&mut self, how: &str) {
        let was = self.waiting.first().map(|waiting| format!(" while {}", waiting.what));
        self.message = format!(
            "the target binary {how}{}; the next request starts it again",
            was.unwrap_or_default()
        );
        self.waiting.clear();
    }

    /// Takes a message of the target binary.
    pub(crate) fn hear(&mut self, line: &EventLine) -> Option<Action> {
        let text = || printable_line(line.text()).into_owned();
        match line.event() {
            Some(Event::Parts(parts)) if self.is_waiting(parts.number) => {
                let open = self.open.as_mut()?;
                open.tree = open.tree.answered(parts);
            }
            Some(Event::Example(input)) if self.is_waiting(input.number) => {
                self.add(Found::Input { input: input.clone(), how: text() });
            }
            Some(Event::Answered(answered)) if self.is_waiting(answered.number) => {
                return self.answered(answered, text());
            }
            Some(Event::Error | Event::Warning) => self.message = text(),
            _ => {}
        }
        None
    }

    fn answered(&mut self, answered: &Answered, text: String) -> Option<Action> {
        self.waiting.retain(|waiting| waiting.number != answered.number);
        if !text.is_empty() {
            self.message = text;
        }
        let key = answered.cause.as_ref()?;
        self.has_found_cause = true;
        let id = self.open.as_ref()?.id;
        let causes = bugs::causes(&self.store, id).ok()?;
        let at = causes.iter().position(|cause| cause.key.as_ref() == Some(key))?;
        let message = format!("another cause: {} of {}", at + 1, causes.len());
        let action = self.open_cause(id, causes, at);
        self.message = message;
        action
    }

    /// Shows a message.
    fn say(&mut self, words: &str) {
        words.clone_into(&mut self.message);
    }

    fn is_waiting(&self, number: u64) -> bool {
        self.waiting.iter().any(|waiting| waiting.number == number)
    }

    fn add(&mut self, found: Found) {
        if let Some(open) = &mut self.open {
            open.add(found);
        }
    }
}

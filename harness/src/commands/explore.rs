//! Answers questions about the bugs of a store: see [`dwindle_corpus::events::Request`]. The
//! program that asks shows the answers, and ends this process when it does not want to wait.

use std::io::BufRead as _;
use std::time::Duration;

use dwindle_corpus::events::{
    Answered, Event, ExploredInput, ExploredParts, InputEnding, PartPlace, Request, Wanted,
};
use dwindle_corpus::{BugStore, Report, StoreError, printable_line, read_input};
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::explain::{
    Budget, Cause, Claim, Claims, Fresh, Place, RUNS, nearest_passing,
};
use dwindle_engine::internals::shrink::Candidate;

use super::explainer::explain_entry;
use super::next::{FULL, Search, Step, has_no_causes, nothing};
use crate::execution::{Executor, Run, Runs};
use crate::exit::{ENVIRONMENT, NOTHING_FAILED, WRONG_USE, refuse};
use crate::explain::{is_worth_it, known, parts, values_in};
use crate::isolation::Isolated;
use crate::limits::Limits;
use crate::minimize::Only;
use crate::minimize::candidates::CandidateRunner;
use crate::minimize::clock::Clock;
use crate::minimize::reliability::Repeats;
use crate::session::entry::Entry;
use crate::session::{report, store};
use crate::target::Target;
use crate::{environment, events};

/// How long the search for the places of the parts takes, and the one for a passing input.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many draws are tried for one example.
const DRAWS: u64 = 20;

/// Answers requests until standard input ends.
pub(crate) fn run(target: &'static Target) -> i32 {
    let limits = match Limits::from_environment() {
        Ok(limits) => limits,
        Err(message) => return refuse(WRONG_USE, &message),
    };
    let executor = match Isolated::new(target, environment::choices_max()) {
        Ok(executor) => executor,
        Err(error) => {
            let text = format!("cannot start a process that runs the target: {error}");
            return refuse(ENVIRONMENT, &text);
        }
    };
    let store = match store::open(target, None) {
        Ok(store) => store,
        Err(error) => return refuse(ENVIRONMENT, &error.to_string()),
    };
    let mut answers = Answers { executor, target, store, limits, opened: None };
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        match serde_json::from_str::<Request>(&line) {
            Ok(request) => answers.answer(&request),
            Err(error) => events::warning(&format!("a line is not a request: {error}")),
        }
    }
    NOTHING_FAILED
}

/// A minimized input whose claims are known.
struct Opened {
    entry: Entry,
    stored: Report,
    input: Vec<u8>,
    cause: Cause,
}

struct Answers {
    executor: Isolated,
    target: &'static Target,
    store: BugStore,
    limits: Limits,
    /// The last input that a request was about.
    opened: Option<Opened>,
}

/// The text of an answer, and the key of a cause that was found. An error says what is missing.
type Answer = Result<(String, Option<String>), String>;

impl Answers {
    fn answer(&mut self, request: &Request) {
        let entry = Entry { id: request.bug_id, variant: request.cause.clone() };
        let answer = match &request.wanted {
            Wanted::Next { seed } => self.next(&entry, *seed),
            wanted => self.open(&entry).and_then(|opened| {
                let answer = match wanted {
                    Wanted::Examples { count, seed, fixed, freed } => {
                        let wanted = (*count, *seed, &fixed[..], &freed[..]);
                        self.examples(&opened, request.number, wanted)
                    }
                    Wanted::Passing => self.passing(&opened, request.number),
                    Wanted::Parts | Wanted::Next { .. } => {
                        Ok((self.parts(&opened, request.number), None))
                    }
                };
                self.opened = Some(opened);
                answer
            }),
        };
        let (is_done, (text, cause)) = match answer {
            Ok(answer) => (true, answer),
            Err(reason) => (false, (reason, None)),
        };
        let answered = Answered { number: request.number, is_done, cause };
        events::say(Event::Answered(answered), &text);
    }

    /// Reads and runs a minimized input, and looks for claims about it if there are none yet.
    fn open(&mut self, entry: &Entry) -> Result<Opened, String> {
        let bug = entry.bug(&self.store);
        let in_words = |error: StoreError| error.to_string();
        let mut stored = bug.read_report().map_err(in_words)?;
        if let Some(opened) = self.opened.take()
            && opened.entry == *entry
            && opened.stored == stored
        {
            return Ok(opened);
        }
        if let Some(reason) = has_no_causes(&stored) {
            return Err(format!("there are no claims about bug {entry}, because {reason}"));
        }
        if stored.explanation.is_none() && is_worth_it(stored.kind) {
            explain_entry(&mut self.executor, &self.store, (entry, &bug, &stored))
                .map_err(in_words)?;
            stored = bug.read_report().map_err(in_words)?;
        }
        let input = read_input(&bug.input()).map_err(in_words)?.to_vec();
        let cause = known::cause(&mut self.executor, &bug).ok_or_else(|| {
            format!("the input of bug {entry} does not fail as this bug any more")
        })?;
        Ok(Opened { entry: entry.clone(), stored, input, cause })
    }

    /// Sends the parts. Returns what there is to say of them.
    fn parts(&mut self, opened: &Opened, number: u64) -> String {
        let clock = self.clock();
        let id = opened.stored.bug_id;
        let found = parts::parts(&mut self.executor, (id, &opened.input), &opened.cause, &clock);
        self.executor.allow_for(Runs::Any);
        let has_claims = !opened.cause.claims.claims.is_empty();
        let text = match (found.missing, has_claims) {
            (0, true) => String::new(),
            (0, false) if !is_worth_it(opened.stored.kind) => {
                format!("a bug of the kind {} gets no claims", opened.stored.kind)
            }
            (0, false) => "nothing is claimed: no part was found that may vary".to_owned(),
            (missing, _) => format!(
                "the target is slow: {} could not be found in the text",
                report::counted(missing, "part")
            ),
        };
        let parts::Parts { values, parts, missing } = found;
        let parts = ExploredParts { number, values, parts, missing };
        events::say(Event::Parts(Box::new(parts)), "");
        text
    }

    /// Draws inputs of the class one by one. With a freed part they may be outside of it.
    fn examples(
        &mut self,
        opened: &Opened,
        number: u64,
        (count, seed, fixed, freed): (u32, u64, &[PartPlace], &[PartPlace]),
    ) -> Answer {
        let Cause { minimized, claims } = &opened.cause;
        let read = |places: &[PartPlace]| -> Result<Vec<Place>, String> {
            let read = places.iter().map(|place| parts::read(*place, minimized));
            read.collect::<Option<_>>().ok_or_else(|| "the input has no such part".to_owned())
        };
        let varied = claims.varied(minimized, &read(fixed)?, &read(freed)?);
        if !varied.claims.iter().any(Claim::is_universal) {
            return Err("no part may vary: free one first".to_owned());
        }
        let mut drawn = vec![minimized.values()];
        let mut shown = 0;
        for attempt in 0..u64::from(count) * DRAWS {
            if shown == count {
                break;
            }
            let seed = seed.wrapping_mul(1 << 20).wrapping_add(attempt);
            let Some(values) = self.draw(opened, &varied, seed) else { continue };
            if drawn.contains(&values) {
                continue;
            }
            let mut trace = Trace::default();
            self.executor.allow_for(Runs::Candidates(opened.stored.kind));
            let choices_max = environment::choices_max();
            self.executor.run_candidate(Candidate::replaying(&values), choices_max, &mut trace);
            let is_claimed = claims.covers(minimized, &trace);
            // Without a freed part, an input outside of the class says nothing of it.
            if !trace.is_empty() && (is_claimed || !freed.is_empty()) {
                self.show(opened, number, &encode(&trace.choices), is_claimed);
                shown += 1;
            }
            drawn.push(values);
        }
        match shown {
            0 => Err("no other input was drawn: nothing else may vary".to_owned()),
            _ if shown < count => {
                Ok((format!("only {}", report::counted(shown.into(), "example")), None))
            }
            _ => Ok((report::counted(shown.into(), "example"), None)),
        }
    }

    fn draw(&mut self, opened: &Opened, varied: &Claims, seed: u64) -> Option<Vec<Value>> {
        let clock = self.clock();
        self.executor.allow_for(Runs::Candidates(opened.stored.kind));
        let only = (opened.stored.bug_id, Only::default());
        let mut runner = CandidateRunner::new(&mut self.executor, only, Repeats::Always, &clock);
        let mut never = || false;
        Fresh::new(varied, &opened.cause.minimized, &mut runner, seed, &mut never).draw()
    }

    /// Runs an input and shows its values and how it ends.
    fn show(&mut self, opened: &Opened, number: u64, input: &[u8], is_claimed: bool) {
        self.executor.allow_for(Runs::BesideHangs);
        let (run, transcript) = self.executor.run_with_transcript(input, &mut Trace::default());
        self.executor.allow_for(Runs::Any);
        let (ending, text) = match &run {
            Run::Failed(failed) if failed.is_of(&opened.stored) => {
                (InputEnding::Fails, "fails".to_owned())
            }
            Run::Failed(failed) => {
                let message = failed.message.lines().next().unwrap_or_default();
                let text =
                    format!("fails otherwise: {} at {}: {message}", failed.kind, failed.location);
                (InputEnding::FailsOtherwise, text)
            }
            Run::Passed => (InputEnding::Passes, "passes".to_owned()),
            run => (InputEnding::Rejected, format!("the target {}", run.in_words())),
        };
        let values = values_in(&transcript).into_iter().map(|value| parts::safe(&value));
        let input = ExploredInput { number, values: values.collect(), ending, is_claimed };
        events::say(Event::Example(input), &printable_line(&text));
    }

    fn passing(&mut self, opened: &Opened, number: u64) -> Answer {
        let Cause { minimized, claims } = &opened.cause;
        let clock = self.clock();
        self.executor.allow_for(Runs::Candidates(opened.stored.kind));
        let only = (opened.stored.bug_id, Only::default());
        let mut runner = CandidateRunner::new(&mut self.executor, only, Repeats::Always, &clock);
        let mut stop = || clock.is_over();
        let budget = Budget { runs_max: RUNS, seed: 0, stop: &mut stop };
        let origin = CandidateRunner::<Isolated>::ORIGIN;
        let passing = nearest_passing(minimized, claims, origin, &mut runner, budget);
        let Some(passing) = passing else {
            return Err("no passing input was found one small step away".to_owned());
        };
        let mut trace = Trace::default();
        let candidate = Candidate::replaying(&passing.values);
        self.executor.run_candidate(candidate, environment::choices_max(), &mut trace);
        self.show(opened, number, &encode(&trace.choices), claims.covers(minimized, &trace));
        Ok(("the nearest passing input".to_owned(), None))
    }

    /// One search for another cause of the bug.
    fn next(&mut self, entry: &Entry, seed: u64) -> Answer {
        let in_words = |error: StoreError| error.to_string();
        let stored = self.store.bug(entry.id).read_report().map_err(in_words)?;
        if let Some(reason) = has_no_causes(&stored) {
            return Err(format!("no causes, because {reason}"));
        }
        let Answers { executor, target, store, limits, .. } = self;
        let mut search = Search { executor, target, store, limits: *limits };
        match search.step(entry.id, seed).map_err(in_words)? {
            Step::Found(key) => Ok(("another cause".to_owned(), Some(key))),
            Step::Nothing { causes, runs } => Ok((nothing(causes, runs), None)),
            Step::Form => Ok(("a further form of a known cause".to_owned(), None)),
            Step::Lost => Ok(("a failure was found, but it does not repeat".to_owned(), None)),
            Step::Full => Ok((FULL.to_owned(), None)),
            Step::Gone => Err("its input does not fail any more".to_owned()),
        }
    }

    fn clock(&self) -> Clock {
        let limits = Limits { time_max: PATIENCE, wall_max: PATIENCE, ..self.limits };
        let executor = &self.executor;
        Clock::start(limits, executor.time_elsewhere(), executor.waited_elsewhere())
    }
}

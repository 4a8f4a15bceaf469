//! Runs a property without a fuzzer.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dwindle_corpus::{
    BugId, BugStore, Claim, SHOWN_MAX_BYTES, excerpt, exhaustion, printable, read_input,
};
use dwindle_engine::TestCase;
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::codec::encode;

use crate::execution::{Executor, InProcess, Run};
use crate::failure::panics::Scope;
use crate::limits::Limits;
use crate::minimize::{Found, Minimized, Only, minimize};
use crate::report;
use crate::settings::Settings;

/// The numbers of a property that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passed {
    /// Number of cases that ran to their end.
    pub cases: u64,
    /// Number of cases that were rejected or asked for too many choices.
    pub rejected: u64,
}

/// A failure of a property, minimized.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failure {
    /// `Debug` of each value that the property itself drew, in order.
    pub draws: Vec<String>,
    /// The notes of the property.
    pub notes: Vec<String>,
    /// Draws and notes in order, as lines for a test: `let name = value;`, with notes as comments.
    /// Names come from [`draw_named`](TestCase::draw_named). A repeated name gets a number, and
    /// draws without a name are `draw_1`, `draw_2` and so on.
    pub listing: Vec<String>,
    /// The panic message.
    pub message: String,
    /// Where it panicked, as `crate-version/path:line:column`.
    pub location: String,
    /// Bytes that decode to this failure, also under a fuzzer.
    pub input: Vec<u8>,
    /// Number of choices in the input.
    pub choices: usize,
    /// Executions up to and including the first failing one.
    pub calls_to_find: u64,
    /// Executions after the first failing one, including those that exhaust and confirm.
    pub calls_to_shrink: u64,
    /// The part of these executions before no pass improved the input for the first time.
    pub calls_to_fixpoint: u64,
    /// The part of these executions that searched around the result without finding a smaller
    /// failure.
    pub calls_to_exhaust: u64,
    /// Number of smaller inputs that are known not to fail, if a stated set of them was tried
    /// completely. Each input of the set keeps a beginning of this one and lowers the next choice.
    /// It continues with the two simplest values of each choice, or with values of this input.
    pub no_smaller_among: Option<u64>,
    /// Which parts may vary, and the nearest input that passes, in at most two lines. Only
    /// [`#[dwindle::test]`](macro@crate::test) fills it.
    pub explained: Vec<String>,
    /// How long the shrink took.
    pub shrink_time: Duration,
    /// Whether the shrink ran to its end. If not, this is the best input within the budget.
    pub finished: bool,
    /// Whether every repeated run failed.
    pub reliable: bool,
}

/// For people: long values are cut, and control characters are escaped. The fields have the full
/// text.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text| printable(&excerpt(text, SHOWN_MAX_BYTES)).into_owned();
        writeln!(f, "{} (at {})", shown(&self.message), self.location)?;
        for draw in &self.draws {
            writeln!(f, "    {}", shown(draw))?;
        }
        for note in &self.notes {
            writeln!(f, "    note: {}", shown(note))?;
        }
        write!(
            f,
            "found after {} cases, minimized to {} choices in {} calls",
            self.calls_to_find, self.choices, self.calls_to_shrink
        )?;
        match self.no_smaller_among.filter(|_| self.finished).and_then(exhaustion) {
            Some(exhaustion) => write!(f, "; {exhaustion}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

/// Runs `property` first on the inputs of bugs in the store, and then on random cases. Shrinks the
/// first failure.
///
/// Any panic of the property in this thread is a failure. Panics of the runs are not printed.
///
/// # Errors
/// The minimized failure. The store keeps it, if there is a store.
///
/// # Panics
/// If the store cannot be opened or written. Also if dwindle is used wrongly, for example with an
/// empty range or without alternatives. This is no failure of the property.
#[expect(
    clippy::result_large_err,
    clippy::needless_pass_by_value,
    reason = "a property fails once, and settings are written where they are used"
)]
pub fn check(settings: Settings, property: impl FnMut(&mut TestCase)) -> Result<Passed, Failure> {
    let mut executor = InProcess::new(
        property,
        Scope::Thread,
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default(),
        settings.choices_max,
    );
    match search(&mut executor, &settings) {
        Ok(passed) => Ok(passed),
        Err(failing) => {
            let Failing { calls_to_find, original, minimized } = *failing;
            if let Some(store) = &settings.store
                && let id = (minimized.failed.id, None)
                && let Err(message) =
                    keep(store, &settings, id, Some(&original), &minimized, executor.manifest_dir())
            {
                panic!("{message}");
            }
            Err(failure(calls_to_find, minimized))
        }
    }
}

/// A failure, with its original and its minimized input.
struct Failing {
    calls_to_find: u64,
    original: Vec<u8>,
    minimized: Minimized,
}

fn search<P: FnMut(&mut TestCase)>(
    executor: &mut InProcess<P>,
    settings: &Settings,
) -> Result<Passed, Box<Failing>> {
    let limits = Limits {
        calls_max: settings.calls_max,
        exhaust_max: settings.exhaust_max,
        time_max: settings.time_max,
        wall_max: settings.time_max,
    };
    let mut calls = 0;
    let mut trace = Trace::default();
    for input in stored_inputs(settings) {
        calls += 1;
        match executor.run_input(&input, &mut trace) {
            Run::Failed(failed) => {
                let minimized = minimize(
                    executor,
                    Found { input: &input, trace: &trace, failed: &failed, only: Only::default() },
                    limits,
                    &mut |_, _| {},
                );
                return Err(Box::new(Failing { calls_to_find: calls, original: input, minimized }));
            }
            Run::Misused(misuse) => panic!("{misuse}"),
            Run::Passed | Run::Rejected | Run::Overrun => {}
        }
    }
    let mut passed = Passed { cases: 0, rejected: 0 };
    let mut case = 0;
    let mut explorer = settings.explorer(settings.seed.unwrap_or(0));
    while passed.cases < settings.max_cases
        && passed.cases + passed.rejected < settings.max_cases.saturating_mul(10)
    {
        calls += 1;
        case += 1;
        match executor.run_random(&mut explorer, case) {
            Run::Passed => passed.cases += 1,
            Run::Rejected | Run::Overrun => passed.rejected += 1,
            Run::Misused(misuse) => panic!("{misuse}"),
            Run::Failed(failed) => {
                executor.driver.swap_trace(&mut trace);
                let original = encode(&trace.choices);
                let minimized = minimize(
                    executor,
                    Found {
                        input: &original,
                        trace: &trace,
                        failed: &failed,
                        only: Only::default(),
                    },
                    limits,
                    &mut |_, _| {},
                );
                return Err(Box::new(Failing { calls_to_find: calls, original, minimized }));
            }
        }
    }
    Ok(passed)
}

pub(crate) fn failure(calls_to_find: u64, minimized: Minimized) -> Failure {
    let drawn = if minimized.has_names { &minimized.listing } else { &minimized.draws };
    Failure {
        explained: minimized.explanation.map_or_else(Vec::new, |known| known.lines(drawn)),
        message: minimized.failed.message,
        location: minimized.failed.location,
        draws: minimized.draws,
        notes: minimized.notes,
        listing: minimized.listing,
        input: minimized.input,
        choices: minimized.choices,
        calls_to_find,
        calls_to_shrink: minimized.calls + minimized.calls_to_confirm,
        calls_to_fixpoint: minimized.calls_to_fixpoint,
        calls_to_exhaust: minimized.calls_to_exhaust,
        no_smaller_among: minimized.no_smaller_among,
        shrink_time: minimized.time,
        finished: minimized.status == dwindle_corpus::Status::Minimized,
        reliable: minimized.status != dwindle_corpus::Status::Flaky,
    }
}

fn stored_inputs(settings: &Settings) -> Vec<Vec<u8>> {
    let Some(root) = &settings.store else { return Vec::new() };
    let Ok(store) = BugStore::open_existing(root, &name(settings)) else { return Vec::new() };
    let ids = store.ids().unwrap_or_default();
    ids.into_iter()
        .filter_map(|id| Some(read_input(&store.bug(id).input()).ok()?.to_vec()))
        .collect()
}

/// Keeps a failure in the store, as a bug or as a variant by cause. Returns its folder. Without an
/// `original`, only finds the folder.
///
/// # Errors
/// The text says why the store could not keep it.
pub(crate) fn keep(
    root: &Path,
    settings: &Settings,
    (id, cause_key): (BugId, Option<&str>),
    original: Option<&[u8]>,
    minimized: &Minimized,
    manifest_dir: &Path,
) -> Result<PathBuf, String> {
    let store = BugStore::open(root, &name(settings));
    let result = store.and_then(|store| {
        let bug = cause_key.map_or_else(|| store.bug(id), |key| store.variant(id, key));
        let Some(original) = original else { return Ok(bug.dir().to_owned()) };
        let pending = report::pending(&name(settings), &minimized.failed, original, "random");
        let report = report::minimized(&pending, minimized, manifest_dir);
        let claimed = match cause_key {
            None => store.claim(id, original, &pending)?,
            Some(key) => store.claim_variant(id, key, original, &pending)?,
        };
        if claimed == Claim::New || bug.read_report().is_ok() {
            match cause_key {
                None => store.finish(id, &minimized.input, &report, None)?,
                Some(key) => store.finish_variant(id, key, &minimized.input, &report, None)?,
            }
        }
        Ok(bug.dir().to_owned())
    });
    result.map_err(|error| {
        format!(
            "cannot keep the failure in the store {}: {error}; use `Settings::store(None)` to \
             keep no failures",
            root.display()
        )
    })
}

/// The name of the property as a folder name.
pub(crate) fn name(settings: &Settings) -> String {
    let name = settings
        .name
        .clone()
        .or_else(|| std::thread::current().name().map(str::to_owned))
        .unwrap_or_else(|| "property".to_owned());
    name.replace("::", "-")
        .chars()
        .map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' })
        .collect()
}

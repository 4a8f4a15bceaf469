//! The minimizer process. It minimizes one bug of the store while the fuzzer runs.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use dwindle_corpus::{BugId, BugKind, BugStore, Report, Status, StoreError};
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::explain::Cause;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::commands::explainer::explain_entry;
use crate::execution::{Executor, Run, Runs};
use crate::exit::minimizer::{LEFT, MAKES_ROOM, STORE_FAILED};
use crate::explain::{explained, known};
use crate::isolation::Isolated;
use crate::limits::Limits;
use crate::minimize::{Found, Minimized, Only, around, minimize, reliability};
use crate::session::claim::{claim_for_its_turn, claim_other};
use crate::session::entry::Entry;
use crate::session::minimizer::MAKE_ROOM;
use crate::session::unfinished::{self, Unfinished};
use crate::session::{damage, report, signals, steps};
use crate::system::priority::{self, Work};
use crate::system::process;
use crate::target::Target;
use crate::{environment, events};

/// A low-priority minimizer makes room if it gets less than this part of the processor time that it
/// could use.
const ENOUGH: f64 = 0.5;
/// Interval between two looks whether other bugs wait. Each one reads the reports of all bugs.
const LOOK_FOR_OTHERS: Duration = Duration::from_millis(100);

/// The whole life of a minimizer process.
pub(crate) fn run(target: &'static Target) -> i32 {
    if environment::has_low_priority() {
        let is_cause = Entry::of_this_process().is_some_and(|entry| entry.cause().is_some());
        priority::lower(if is_cause { Work::Causes } else { Work::Bug });
    }
    let code = match minimize_stored(target) {
        Ok(true) => 0,
        Ok(false) => LEFT,
        Err(message) => {
            events::error(&message);
            STORE_FAILED
        }
    };
    free();
    code
}

/// The lock that keeps other processes from minimizing the same bug.
static RESERVED: Mutex<Option<File>> = Mutex::new(None);

/// Whether the store has a result that this process only tries to improve.
static HAS_RESULT: AtomicBool = AtomicBool::new(false);

/// Releases the bug to other processes at once. Workers hold the file too, and may end after this
/// process.
fn free() {
    if let Some(file) = RESERVED.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // An error means that the file system does not support locks.
        let _ = file.unlock();
    }
}

/// Stores the smallest input so far and leaves, when a signal asks for it.
fn leave_when_asked() {
    signals::on_each(&[SIGINT, SIGTERM, MAKE_ROOM], |signal| {
        let makes_room = signal == MAKE_ROOM;
        if makes_room && priority::turns_with_offspring(process::id()).share() >= ENOUGH {
            return;
        }
        let is_kept = unfinished::keep_all().iter().all(Result::is_ok);
        free();
        process::leave(match (is_kept, makes_room) {
            (false, _) => STORE_FAILED,
            (true, true) if HAS_RESULT.load(Ordering::Acquire) => 0,
            (true, true) => MAKES_ROOM,
            (true, false) => LEFT,
        })
    });
}

/// `false` if another process minimizes the bug.
fn minimize_stored(target: &'static Target) -> Result<bool, String> {
    let root = environment::store().ok_or("a minimizer needs DWINDLE_STORE")?;
    let entry = Entry::of_this_process().ok_or("a minimizer needs DWINDLE_BUG")?;
    let limits = Limits::from_environment()?;
    let store =
        BugStore::open_existing(&root, &target.name()).map_err(|error| error.to_string())?;
    let Some(reserved) = entry.bug(&store).reserve().map_err(|error| error.to_string())? else {
        return Ok(false);
    };
    *RESERVED.lock().unwrap_or_else(PoisonError::into_inner) = Some(reserved);
    minimize_entry(target, &store, &entry, limits).map(|()| true)
}

fn minimize_entry(
    target: &'static Target,
    store: &BugStore,
    entry: &Entry,
    limits: Limits,
) -> Result<(), String> {
    let pending = entry.bug(store).read_report().map_err(|error| error.to_string())?;
    // Must happen before there is a second thread.
    let mut executor = Isolated::new(target, environment::choices_max())
        .map_err(|error| format!("cannot start a process that runs the target: {error}"))?;
    leave_when_asked();
    let task = Task { target, store, entry, pending: &pending, limits };
    minimize_at(&mut executor, task).map_err(|error| error.to_string())
}

/// What a minimizer process has to do.
#[derive(Clone, Copy)]
struct Task<'a> {
    target: &'a Target,
    store: &'a BugStore,
    entry: &'a Entry,
    pending: &'a Report,
    limits: Limits,
}

fn minimize_at(executor: &mut Isolated, task: Task<'_>) -> Result<(), StoreError> {
    let Task { store, entry, pending, limits, .. } = task;
    let unfinished = Unfinished::begin(store, entry, pending);
    let starts = unfinished::starts(store, entry, pending)?;
    let known = known::outside(executor, store, entry.id, entry.cause())?;
    if let Some(key) = entry.cause()
        && starts
            .iter()
            .all(|start| is_explained(executor, (entry.id, pending.kind), &known, start))
    {
        return store.withdraw_cause(entry.id, key);
    }
    let only = Only { call_path: entry.call_path(), outside: &known };
    let mut last = None;
    for start in &starts {
        match reduce(executor, only, pending, start, limits, Some(&unfinished)) {
            Ok(minimized) => {
                return keep_and_improve(executor, task, only, unfinished, (&**start, minimized));
            }
            Err(run) => last = Some((run, start)),
        }
    }
    let Some((run, original)) = last else { return Ok(()) };
    // The bug that stands for all damage never leads to claims of other bugs.
    if let Run::Failed(failed) = *run
        && entry.id != damage::catch_all()
    {
        claim_for_its_turn(store, pending, &failed, original)?;
    }
    not_reproduced(executor, store, (entry, pending), original)
}

/// Whether a known cause explains an input.
fn is_explained(
    executor: &mut Isolated,
    bug: (BugId, BugKind),
    known: &[Cause],
    input: &[u8],
) -> bool {
    let mut trace = Trace::default();
    executor.run_input(input, &mut trace);
    explained::is_explained(executor, bug, known, &trace)
}

/// Stores a result, and then searches around it while no other bug waits for a minimizer. A result
/// that this search improves is stored again.
fn keep_and_improve(
    executor: &mut Isolated,
    task: Task<'_>,
    only: Only<'_>,
    unfinished: Unfinished,
    (original, mut minimized): (&[u8], Minimized),
) -> Result<(), StoreError> {
    let Task { target, store, entry, pending, limits } = task;
    let keep = |executor: &mut Isolated, minimized: &Minimized| {
        let report = report::minimized(pending, minimized, executor.manifest_dir());
        let report = unfinished::with_what_was_done(pending, minimized, report);
        let repro = report::repro(&target.name(), entry.id, &report, &minimized.input);
        entry.finish(store, &minimized.input, &report, Some(&repro))
    };
    let claim_others = |executor: &mut Isolated, minimized: &mut Minimized| {
        let mut others = std::mem::take(&mut minimized.others).into_iter();
        others.try_for_each(|other| claim_other(executor, store, pending, &other))
    };
    keep(executor, &minimized)?;
    let steps = unfinished.into_steps();
    claim_others(executor, &mut minimized)?;
    HAS_RESULT.store(true, Ordering::Release);
    let mut others_wait = others_wait(store, entry);
    let mut steps = steps.finish(executor, original, &minimized, others_wait());
    steps::keep(store, entry, &minimized, &steps);
    if search_around(executor, only, limits, &mut minimized, &mut others_wait) {
        keep(executor, &minimized)?;
        steps.push(steps::result(&minimized));
        steps::keep(store, entry, &minimized, &steps);
    }
    claim_others(executor, &mut minimized)?;
    if let Some(call_path) = entry.call_path() {
        known::withdraw_equal(store, entry.id, (call_path, &minimized.input))?;
    }
    if entry.cause().is_some() && environment::explains() {
        // The next cause must lie outside of this one.
        let bug = entry.bug(store);
        explain_entry(executor, store, (entry, &bug, &bug.read_report()?))?;
    }
    Ok(())
}

/// Whether other bugs of the store wait for a minimizer, as of the last look.
fn others_wait<'a>(store: &'a BugStore, own: &'a Entry) -> impl FnMut() -> bool + 'a {
    let mut looked: Option<Instant> = None;
    let mut wait = false;
    move || {
        if !wait && looked.is_none_or(|looked| looked.elapsed() >= LOOK_FOR_OTHERS) {
            looked = Some(Instant::now());
            wait =
                Entry::pending(store).is_ok_and(|pending| pending.iter().any(|entry| entry != own));
        }
        wait
    }
}

/// Searches around a minimized input until `stop` says so. Returns whether it found a simpler one.
pub(crate) fn search_around(
    executor: &mut Isolated,
    only: Only<'_>,
    limits: Limits,
    minimized: &mut Minimized,
    stop: &mut dyn FnMut() -> bool,
) -> bool {
    executor.want_frames(only.call_path.is_some());
    let is_better = around::improve(executor, only, limits, minimized, stop, &mut |_, _| {});
    executor.want_frames(false);
    executor.allow_for(Runs::Any);
    is_better
}

/// Minimizes the input `original` of a bug, among the failures that `only` lets count. If no run
/// shows the bug, the error says how the first run ended. Each smaller input is recorded in
/// `unfinished`.
pub(crate) fn reduce(
    executor: &mut Isolated,
    only: Only<'_>,
    stored: &Report,
    original: &[u8],
    limits: Limits,
    unfinished: Option<&Unfinished>,
) -> Result<Minimized, Box<Run>> {
    // Runs that must keep a call path need frames.
    executor.want_frames(only.call_path.is_some());
    let mut trace = Trace::default();
    executor.narrow_stack(false);
    let failed =
        match executor.run_again(original, stored.kind, &|failed| failed.is_of(stored), &mut trace)
        {
            Run::Failed(failed) if failed.is_of(stored) => Ok(failed),
            run => {
                reliability::chance(executor, original, |failed| failed.is_of(stored), &mut trace)
                    .ok_or_else(|| Box::new(run))
            }
        };
    let mut note = |best: &Trace, calls| {
        if let Some(unfinished) = unfinished {
            unfinished.shrunk_to(best, calls, trace.len());
        }
    };
    let minimized = failed.map(|failed| {
        minimize(
            executor,
            Found { input: original, trace: &trace, failed: &failed, only },
            limits,
            &mut note,
        )
    });
    executor.want_frames(false);
    executor.allow_for(Runs::Any);
    minimized
}

/// Stores a bug whose first hit does not repeat, or fails in another way. The bug is flaky and
/// keeps its original input.
pub(crate) fn not_reproduced(
    executor: &mut Isolated,
    store: &BugStore,
    (entry, pending): (&Entry, &Report),
    original: &[u8],
) -> Result<(), StoreError> {
    let (_, transcript) = executor.run_with_transcript(original, &mut Trace::default());
    let report =
        Report { status: Status::Flaky, value: transcript.draws(), calls: 2, ..pending.clone() };
    entry.finish(store, original, &report, None)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::OnceLock;

    use dwindle_corpus::{BugId, BugKind};
    use dwindle_engine::TestCase;
    use dwindle_engine::generators as g;

    use super::*;

    /// The folder of the store and of the marks that the target leaves.
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();

    /// Fails for two different numbers with the common divisor 11 or 13. The passes leave 13 and
    /// 26; only a search around them has numbers above 100. The target notes whether the store had
    /// a result then.
    fn divisors(tc: &mut TestCase) {
        let (a, b) = (tc.draw(g::integers(1..=1000u32)), tc.draw(g::integers(1..=1000u32)));
        if a > 100 || b > 100 {
            let folder = FOLDER.get().unwrap();
            let store = BugStore::open_existing(folder, "target").unwrap();
            let own = store.bug(store.ids().unwrap()[0]).read_report().unwrap();
            let mark = if own.status == Status::Minimized { "searched" } else { "too early" };
            std::fs::write(folder.join(mark), "").unwrap();
        }
        let has = |divisor| a.is_multiple_of(divisor) && b.is_multiple_of(divisor);
        assert!(a == b || !(has(11) || has(13)));
    }

    #[test]
    fn the_store_has_the_result_before_the_search_around_it_which_waiting_bugs_prevent() {
        let folder = tempfile::tempdir().unwrap();
        FOLDER.set(folder.path().to_owned()).unwrap();
        let target = Box::leak(Box::new(Target::new(
            Some("target"),
            env!("CARGO_MANIFEST_DIR"),
            divisors,
            || {},
        )));
        let mut executor = Isolated::new(target, 1000).unwrap();
        let input = [13, 0, 0, 0, 26, 0, 0, 0];
        let mut minimized_in = |folder: &Path, another_waits: bool| {
            let store = BugStore::open(folder, "target").unwrap();
            let Run::Failed(failed) = executor.run_input(&input, &mut Trace::default()) else {
                panic!("it passes")
            };
            let pending = report::pending("target", &failed, &input, "test");
            store.claim(failed.id, &input, &pending).unwrap();
            if another_waits {
                let other = BugId::from_bits(u64::MAX);
                let waiting = Report::pending("target", other, BugKind::Panic);
                store.claim(other, &input, &waiting).unwrap();
            }
            let entry = Entry::from(failed.id);
            let task = Task {
                target,
                store: &store,
                entry: &entry,
                pending: &pending,
                limits: Limits::default(),
            };
            minimize_at(&mut executor, task).unwrap();
            let report = entry.bug(&store).read_report().unwrap();
            assert_eq!(report.status, Status::Minimized);
            report.value
        };
        assert_eq!(minimized_in(folder.path(), false), ["11", "22"]);
        let exists = |mark: &str| folder.path().join(mark).exists();
        assert!(exists("searched") && !exists("too early"));
        assert_eq!(minimized_in(tempfile::tempdir().unwrap().path(), true), ["13", "26"]);
    }

    #[test]
    fn the_search_around_a_result_gives_way_to_bugs_that_wait() {
        let folder = tempfile::tempdir().unwrap();
        let store = BugStore::open(folder.path(), "target").unwrap();
        let claim = |bits| {
            let id = BugId::from_bits(bits);
            let pending = Report::pending("target", id, BugKind::Panic);
            store.claim(id, &[1, 2], &pending).unwrap();
            (Entry::from(id), pending)
        };
        let (own, _) = claim(1);
        let mut wait = others_wait(&store, &own);
        assert!(!wait(), "only this bug waits");
        let (other, pending) = claim(2);
        assert!(!wait(), "the last look was a moment ago");
        std::thread::sleep(LOOK_FOR_OTHERS);
        assert!(wait());
        let report = Report { status: Status::Minimized, ..pending };
        other.finish(&store, &[1], &report, None).unwrap();
        assert!(wait(), "the search has ended for good");
        assert!(!others_wait(&store, &own)());
    }
}

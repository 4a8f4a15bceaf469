//! The minimizer process: one bug of the store, minimized beside the fuzzer.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dwindle_corpus::{BugId, BugStore, Report, Status, StoreError, Writer};
use dwindle_engine::Trace;
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};

use crate::failure::executor::{Failed, Run};
use crate::isolation::Isolated;
use crate::minimize::reliability;
use crate::minimize::site::{Runs, Site};
use crate::minimize::unfinished::{self, Unfinished};
use crate::minimize::{Found, Limits, Minimized, minimize};
use crate::priority;
use crate::process;
use crate::session::config;
use crate::session::damage;
use crate::session::entry::Entry;
use crate::session::report;
use crate::session::signals;
use crate::target::Target;

/// How much longer than its limits a minimizer may live: the last candidates may take their time.
const GRACE: Duration = Duration::from_mins(1);
/// The minimizer's exit code if the store cannot be read or written, so that the bug is pending still.
pub(crate) const STORE_FAILED: i32 = 3;
/// The same if another process minimizes the bug, or this one was asked to end and has kept the smallest input so far: the bug is pending.
pub(crate) const LEFT: i32 = 4;
/// The same if it got little of the processor and was asked to make room for a minimizer of a normal priority.
pub(crate) const MAKES_ROOM: i32 = 5;
/// At which it makes room, if it gets less of the processor than this part of what it could use.
pub(crate) const MAKE_ROOM: libc::c_int = SIGUSR1;
const ENOUGH: f64 = 0.5;

/// How a minimizer takes its turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    /// Beside a fuzzer.
    Low,
    Normal,
}

/// Starts the minimizer of a bug or variant. It ends by itself and leaves its result in the store.
pub(crate) fn start(store: &BugStore, entry: &Entry, priority: Priority) -> io::Result<Child> {
    let root = store.dir().parent().unwrap_or(store.dir());
    process::again()
        .env("DWINDLE_MODE", "minimizer")
        .env("DWINDLE_STORE", root)
        .env("DWINDLE_BUG", entry.to_string())
        .env("DWINDLE_MEMORY_MAX", config::memory_max().to_string())
        .env(GIVES_WAY, if priority == Priority::Low { "1" } else { "0" })
        .env("DWINDLE_TIMEOUT_MAX", config::timeout_shown().to_string())
        .env_remove("DWINDLE_EVENTS")
        // Out of reach of the terminal's Ctrl-C: the process that started it asks it to end.
        .process_group(0)
        .env_remove("RUST_LIBFUZZER_DEBUG_PATH")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

const GIVES_WAY: &str = "DWINDLE_GIVES_WAY";

/// How long a minimizer with these limits may live before its parent ends it. It keeps to them itself; this is for the case that it cannot. What it waits for the
/// processor comes on top.
pub(crate) fn patience(limits: Limits) -> Duration {
    limits.wall_max + GRACE
}

/// The whole life of a minimizer process.
pub(crate) fn run(target: &'static Target) -> i32 {
    if std::env::var_os(GIVES_WAY).is_some_and(|value| value == "1") {
        priority::lower();
    }
    let code = match minimize_stored(target) {
        Ok(true) => 0,
        Ok(false) => LEFT,
        Err(message) => {
            crate::session::events::error(&message);
            STORE_FAILED
        }
    };
    free();
    code
}

/// What keeps other processes from minimizing the same bug.
static RESERVED: Mutex<Option<File>> = Mutex::new(None);

/// Lets another process have the bug at once: workers hold the file too, and may end after this process.
fn free() {
    if let Some(file) = RESERVED.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // An error means that files cannot be locked there.
        let _ = file.unlock();
    }
}

/// Keeps the smallest input so far and leaves, when asked to.
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
            (true, true) => MAKES_ROOM,
            (true, false) => LEFT,
        })
    });
}

/// `false` if another process does it.
fn minimize_stored(target: &'static Target) -> Result<bool, String> {
    let root = config::store().ok_or("a minimizer needs DWINDLE_STORE")?;
    let entry: Entry = std::env::var("DWINDLE_BUG").ok().and_then(|entry| entry.parse().ok()).ok_or("a minimizer needs DWINDLE_BUG")?;
    let limits = config::limits()?;
    let store = BugStore::open_existing(&root, &target.name()).map_err(|error| error.to_string())?;
    let Some(reserved) = entry.bug(&store).reserve().map_err(|error| error.to_string())? else { return Ok(false) };
    *RESERVED.lock().unwrap_or_else(PoisonError::into_inner) = Some(reserved);
    minimize_entry(target, &store, &entry, limits).map(|()| true)
}

fn minimize_entry(target: &'static Target, store: &BugStore, entry: &Entry, limits: Limits) -> Result<(), String> {
    let pending = entry.bug(store).read_report().map_err(|error| error.to_string())?;
    // Before there is a second thread.
    let mut site = Isolated::new(target, config::choices_max()).map_err(|error| format!("no process could be started to run the target in: {error}"))?;
    leave_when_asked();
    minimize_at(&mut site, target, store, (entry, &pending), limits).map_err(|error| error.to_string())
}

fn minimize_at(site: &mut Isolated, target: &Target, store: &BugStore, (entry, pending): (&Entry, &Report), limits: Limits) -> Result<(), StoreError> {
    let unfinished = Unfinished::begin(store, entry, pending);
    let starts = unfinished::starts(store, entry, pending)?;
    let mut last = None;
    for start in &starts {
        match reduce(site, entry, pending, start, limits, Some(&unfinished)) {
            Ok(minimized) => {
                let report = report::minimized(pending, &minimized, site.manifest_dir());
                let report = unfinished::with_what_was_done(pending, &minimized, report);
                let repro = report::repro(&target.name(), entry.id, &report, &minimized.input);
                entry.finish(store, &minimized.input, &report, Some(&repro))?;
                for other in minimized.others {
                    claim_other(site, store, pending, &other)?;
                }
                return Ok(());
            }
            Err(run) => last = Some((run, start)),
        }
    }
    let Some((run, original)) = last else { return Ok(()) };
    // What stands for damage is kept for that alone.
    if let Run::Failed(failed) = *run
        && entry.id != damage::catch_all()
    {
        claim_for_its_turn(store, pending, &failed, original)?;
    }
    not_reproduced(site, store, (entry, pending), original)
}

/// Minimizes what `original` shows of a bug, or of a variant in its way; else how its first run ended, as no run showed it. Each smaller input is noted in `unfinished`.
pub(crate) fn reduce(
    site: &mut Isolated,
    entry: &Entry,
    stored: &Report,
    original: &[u8],
    limits: Limits,
    unfinished: Option<&Unfinished>,
) -> Result<Minimized, Box<Run>> {
    // What makes a variant is the way to the failure.
    site.want_frames(entry.variant.is_some());
    let mut trace = Trace::default();
    site.allow_for(Runs::Again(stored.kind));
    site.narrow_stack(false);
    let failed = match site.run_input(original, &mut trace) {
        Run::Failed(failed) if failed.is_of(stored) => Ok(failed),
        run => reliability::chance(site, original, |failed| failed.is_of(stored), &mut trace).ok_or_else(|| Box::new(run)),
    };
    let mut note = |best: &Trace, calls| {
        if let Some(unfinished) = unfinished {
            unfinished.shrunk_to(best, calls, trace.len());
        }
    };
    let minimized =
        failed.map(|failed| minimize(site, Found { input: original, trace: &trace, failed: &failed, variant: entry.variant.as_deref() }, limits, &mut note));
    site.want_frames(false);
    site.allow_for(Runs::Any);
    minimized
}

/// A failure of another bug, met on the way: claimed, for its own turn.
pub(crate) fn claim_other(site: &mut Isolated, store: &BugStore, like: &Report, input: &[u8]) -> Result<(), StoreError> {
    if let Run::Failed(failed) = site.run_input(input, &mut Trace::default())
        && !damage::is_damaging(site, input, &failed)
    {
        claim_for_its_turn(store, like, &failed, input)?;
    }
    Ok(())
}

fn claim_for_its_turn(store: &BugStore, like: &Report, failed: &Failed, input: &[u8]) -> Result<(), StoreError> {
    let id = claim(store, failed, input, &report::pending(&like.target, failed, input, &like.engine))?;
    store.count(id, &Writer::this_process(), 1)
}

/// Claims the bug of a failure, unless it is stored: its id there.
pub(crate) fn claim(store: &BugStore, failed: &Failed, input: &[u8], pending: &Report) -> Result<BugId, StoreError> {
    let id = store.known_as(failed.id, failed.old_id)?;
    store.claim(id, input, pending)?;
    store.add_alias(id, failed.id)?;
    Ok(id)
}

/// The first sighting does not fail again, or fails in another way: flaky, original kept.
pub(crate) fn not_reproduced(site: &mut Isolated, store: &BugStore, (entry, pending): (&Entry, &Report), original: &[u8]) -> Result<(), StoreError> {
    let (_, told) = site.run_told(original, &mut Trace::default());
    let report = Report { status: Status::Flaky, value: told.draws(), calls: 2, ..pending.clone() };
    entry.finish(store, original, &report, None)
}

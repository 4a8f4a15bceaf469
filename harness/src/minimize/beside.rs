//! The minimizer process: one bug of the store, minimized beside the fuzzer.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use dwindle_corpus::{BugId, BugStore, Report, Status, StoreError, Writer, read_input};
use dwindle_engine::Trace;

use crate::failure::executor::{Failed, Run};
use crate::isolation::Isolated;
use crate::minimize::reliability;
use crate::minimize::site::{Runs, Site};
use crate::minimize::{Found, Limits, Minimized, minimize};
use crate::process;
use crate::session::config;
use crate::session::damage;
use crate::session::entry::Entry;
use crate::session::report;
use crate::target::Target;

/// How much longer than its limits a minimizer may live: the last candidates may take their time.
const GRACE: Duration = Duration::from_mins(1);
/// The minimizer's exit code if the store cannot be read or written, so that the bug is pending still.
pub(crate) const STORE_FAILED: i32 = 3;
/// The same if another process minimizes the bug: another run on this store, or another instance of a campaign.
pub(crate) const TAKEN: i32 = 4;

/// Starts the minimizer of a bug or variant. It ends by itself and leaves its result in the store.
pub(crate) fn start(store: &BugStore, entry: &Entry) -> io::Result<Child> {
    let root = store.dir().parent().unwrap_or(store.dir());
    process::again()
        .env("DWINDLE_MODE", "minimizer")
        .env("DWINDLE_STORE", root)
        .env("DWINDLE_BUG", entry.to_string())
        .env("DWINDLE_MEMORY_MAX", config::memory_max().to_string())
        .env_remove("DWINDLE_EVENTS")
        // Out of reach of the terminal's Ctrl-C: whoever started it ends it, and what it worked on stays pending.
        .process_group(0)
        .env_remove("RUST_LIBFUZZER_DEBUG_PATH")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// How long a minimizer with these limits may live before whoever started it ends it. It keeps to them itself; this is for the case that it cannot.
pub(crate) fn patience(limits: Limits) -> Duration {
    limits.patient().wall_max + GRACE
}

/// The whole life of a minimizer process.
pub(crate) fn run(target: &'static Target) -> ! {
    process::lowest_priority();
    let code = match minimize_stored(target) {
        Ok(true) => 0,
        Ok(false) => TAKEN,
        Err(message) => {
            crate::session::events::error(&message);
            STORE_FAILED
        }
    };
    process::leave(code)
}

/// `false` if another process does it.
fn minimize_stored(target: &'static Target) -> Result<bool, String> {
    let root = config::store().ok_or("a minimizer needs DWINDLE_STORE")?;
    let entry: Entry = std::env::var("DWINDLE_BUG").ok().and_then(|entry| entry.parse().ok()).ok_or("a minimizer needs DWINDLE_BUG")?;
    let limits = config::limits()?.patient();
    let store = BugStore::open_existing(&root, &target.name()).map_err(|error| error.to_string())?;
    let Some(_reserved) = entry.bug(&store).reserve().map_err(|error| error.to_string())? else { return Ok(false) };
    minimize_entry(target, &store, &entry, limits).map(|()| true)
}

fn minimize_entry(target: &'static Target, store: &BugStore, entry: &Entry, limits: Limits) -> Result<(), String> {
    let bug = entry.bug(store);
    let pending = bug.read_report().map_err(|error| error.to_string())?;
    let original = read_input(&bug.original().map_err(|error| error.to_string())?).map_err(|error| error.to_string())?;
    let mut site = Isolated::new(target, config::choices_max()).map_err(|error| format!("no process could be started to run the target in: {error}"))?;
    minimize_at(&mut site, target, store, (entry, &pending), &original, limits).map_err(|error| error.to_string())
}

fn minimize_at(
    site: &mut Isolated,
    target: &Target,
    store: &BugStore,
    (entry, pending): (&Entry, &Report),
    original: &[u8],
    limits: Limits,
) -> Result<(), StoreError> {
    let minimized = match reduce(site, entry, pending, original, limits) {
        Ok(minimized) => minimized,
        Err(run) => {
            // What stands for damage is kept for that alone.
            if let Run::Failed(failed) = *run
                && entry.id != damage::catch_all()
            {
                claim_for_its_turn(store, pending, &failed, original)?;
            }
            return not_reproduced(site, store, (entry, pending), original);
        }
    };
    let report = report::minimized(pending, &minimized, site.manifest_dir());
    let repro = report::repro(&target.name(), entry.id, &report, &minimized.input);
    entry.finish(store, &minimized.input, &report, Some(&repro))?;
    for other in minimized.others {
        claim_other(site, store, pending, &other)?;
    }
    Ok(())
}

/// Minimizes what `original` shows of a bug, or of a variant in its way; else how its first run ended, as no run showed it.
pub(crate) fn reduce(site: &mut Isolated, entry: &Entry, stored: &Report, original: &[u8], limits: Limits) -> Result<Minimized, Box<Run>> {
    // What makes a variant is the way to the failure.
    site.want_frames(entry.variant.is_some());
    let mut trace = Trace::default();
    site.allow_for(Runs::Again(stored.kind));
    let failed = match site.run_input(original, &mut trace) {
        Run::Failed(failed) if failed.is_of(stored) => Ok(failed),
        run => reliability::chance(site, original, |failed| failed.is_of(stored), &mut trace).ok_or_else(|| Box::new(run)),
    };
    let minimized = failed
        .map(|failed| minimize(site, Found { input: original, trace: &trace, failed: &failed, variant: entry.variant.as_deref() }, limits, &mut |_, _| {}));
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

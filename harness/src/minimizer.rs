//! The minimizer process: one bug of the store, minimized beside the fuzzer.

use std::io;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use dwindle_corpus::{BugId, BugStore, Report, Status, StoreError, read_input};
use dwindle_engine::Trace;
use dwindle_engine::codec::encode;

use crate::config;
use crate::executor::{Executor, Run};
use crate::minimize::{Limits, minimize, run_told};
use crate::panics::{self, Scope};
use crate::process;
use crate::report;
use crate::target::Target;

/// How much longer than its budget a minimizer may take before it is stopped from inside: one candidate hangs.
const GRACE: Duration = Duration::from_secs(2);

/// Starts the minimizer of `id`. It ends by itself and leaves its result in the store.
pub(crate) fn start(store: &BugStore, id: BugId, engine: &str) -> io::Result<Child> {
    let root = store.dir().parent().unwrap_or(store.dir());
    process::again()
        .env("DWINDLE_MODE", "minimizer")
        .env("DWINDLE_STORE", root)
        .env("DWINDLE_BUG", id.to_string())
        .env("DWINDLE_ENGINE", engine)
        .env_remove("DWINDLE_EVENTS")
        .env_remove("RUST_LIBFUZZER_DEBUG_PATH")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// How long a minimizer with these limits may live before whoever started it ends it.
pub(crate) fn patience(limits: Limits) -> Duration {
    limits.time_max + GRACE * 3
}

/// The whole life of a minimizer process.
pub(crate) fn run(target: &'static Target) -> ! {
    process::lowest_priority();
    let code = match minimize_stored(target) {
        Ok(()) => 0,
        Err(message) => {
            crate::events::error(&message);
            3
        }
    };
    process::leave(code)
}

fn minimize_stored(target: &'static Target) -> Result<(), String> {
    let root = config::store().ok_or("a minimizer needs DWINDLE_STORE")?;
    let id: BugId = std::env::var("DWINDLE_BUG").ok().and_then(|id| id.parse().ok()).ok_or("a minimizer needs DWINDLE_BUG")?;
    let limits = config::limits()?;
    let store = BugStore::open_existing(&root, &target.name()).map_err(|error| error.to_string())?;
    minimize_bug(target, &store, id, limits).map_err(|error| error.to_string())
}

/// The best so far, for the watchdog.
type Best = Arc<Mutex<Option<(Trace, u64)>>>;

fn minimize_bug(target: &'static Target, store: &BugStore, id: BugId, limits: Limits) -> Result<(), StoreError> {
    let bug = store.bug(id);
    let pending = bug.read_report()?;
    let original = read_input(&bug.original()?)?;
    let mut executor = Executor::new(target.property(), Scope::Process, target.manifest_dir());
    executor.tc.start_bytes_recorded(&original, limits.choices_max);
    let failed = match executor.run() {
        Run::Failed(failed) if failed.id == id => failed,
        other => return not_reproduced(&mut executor, store, &pending, &original, other, limits),
    };
    let best: Best = Arc::default();
    watch(store.clone(), pending.clone(), limits, Arc::clone(&best));
    let minimized = minimize(&mut executor, failed, limits, &mut |trace, calls| {
        *best.lock().unwrap_or_else(PoisonError::into_inner) = Some((trace.clone(), calls));
    });
    let report = report::minimized(&pending, &minimized, executor.manifest_dir());
    let repro = report::repro(&target.name(), id, &report, &minimized.input);
    store.finish(id, &minimized.input, &report, Some(&repro))?;
    for other in minimized.others {
        claim_other(&mut executor, store, &pending, &other, limits)?;
    }
    Ok(())
}

/// A failure of another bug, met on the way: claimed, for its own turn.
fn claim_other<P: FnMut(&mut dwindle_engine::TestCase)>(
    executor: &mut Executor<P>,
    store: &BugStore,
    like: &Report,
    input: &[u8],
    limits: Limits,
) -> Result<(), StoreError> {
    executor.tc.start_bytes(input, limits.choices_max);
    if let Run::Failed(failed) = executor.run() {
        store.claim(failed.id, input, &report::pending(&like.target, &failed, input, &like.engine))?;
    }
    Ok(())
}

/// The first sighting does not fail again, or fails in another way: flaky, original kept.
fn not_reproduced<P: FnMut(&mut dwindle_engine::TestCase)>(
    executor: &mut Executor<P>,
    store: &BugStore,
    pending: &Report,
    original: &[u8],
    run: Run,
    limits: Limits,
) -> Result<(), StoreError> {
    if let Run::Failed(failed) = run {
        store.claim(failed.id, original, &report::pending(&pending.target, &failed, original, &pending.engine))?;
    }
    let (_, told) = run_told(executor, original, limits.choices_max);
    let report = Report { status: Status::Flaky, value: told.draws, calls: 2, ..pending.clone() };
    store.finish(pending.bug_id, original, &report, None)
}

/// Ends the process if a candidate hangs, with the best seen so far.
fn watch(store: BugStore, pending: Report, limits: Limits, best: Best) {
    thread::spawn(move || {
        panics::this_thread_is_ours();
        thread::sleep(limits.time_max + GRACE);
        let best = best.lock().unwrap_or_else(PoisonError::into_inner).take();
        let code = match best {
            None => 3,
            Some((trace, calls)) => {
                let input = encode(&trace.choices);
                let report = Report {
                    status: Status::BestEffort,
                    minimized_bytes: Some(input.len() as u64),
                    minimized_choices: Some(trace.len() as u64),
                    calls,
                    seconds: (limits.time_max + GRACE).as_secs_f64(),
                    ..pending
                };
                i32::from(store.finish(report.bug_id, &input, &report, None).is_err()) * 3
            }
        };
        process::leave(code);
    });
}

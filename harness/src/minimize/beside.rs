//! The minimizer process: one bug of the store, minimized beside the fuzzer.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dwindle_corpus::{BugId, BugStore, Report, Status, StoreError, Writer, read_input};
use dwindle_engine::Trace;
use dwindle_engine::codec::encode;

use crate::failure::executor::{Executor, Failed, Run};
use crate::failure::panics::{self, Scope};
use crate::minimize::isolation::CANDIDATES;
use crate::minimize::{Limits, minimize, run_told};
use crate::process;
use crate::session::config;
use crate::session::report;
use crate::target::Target;

/// Processor time that one candidate may burn, and time that it may sleep, before it is said to hang.
const HANGS_BUSY: Duration = Duration::from_secs(2);
const HANGS_IDLE: Duration = Duration::from_secs(20);
/// The minimizer's exit code if the store cannot be read or written, so that the bug is pending still.
pub(crate) const STORE_FAILED: i32 = 3;
/// Its exit code if the very first candidate hangs, so that trying again makes no sense.
const HUNG: i32 = 4;
/// How often the watchdog looks.
const WATCH: Duration = Duration::from_millis(100);

/// Starts the minimizer of `id`. It ends by itself and leaves its result in the store.
pub(crate) fn start(store: &BugStore, id: BugId) -> io::Result<Child> {
    let root = store.dir().parent().unwrap_or(store.dir());
    process::again()
        .env("DWINDLE_MODE", "minimizer")
        .env("DWINDLE_STORE", root)
        .env("DWINDLE_BUG", id.to_string())
        .env_remove("DWINDLE_EVENTS")
        // Out of reach of the terminal's Ctrl-C: whoever started it ends it, and what it worked on stays pending.
        .process_group(0)
        .env_remove("RUST_LIBFUZZER_DEBUG_PATH")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// How long a minimizer with these limits may live before whoever started it ends it. It watches itself; this is for the case that it cannot.
pub(crate) fn patience(limits: Limits) -> Duration {
    limits.patient().wall_max + HANGS_IDLE * 2
}

/// The whole life of a minimizer process.
pub(crate) fn run(target: &'static Target) -> ! {
    process::lowest_priority();
    let code = match minimize_stored(target) {
        Ok(()) => 0,
        Err(message) => {
            crate::session::events::error(&message);
            STORE_FAILED
        }
    };
    process::leave(code)
}

fn minimize_stored(target: &'static Target) -> Result<(), String> {
    let root = config::store().ok_or("a minimizer needs DWINDLE_STORE")?;
    let id: BugId = std::env::var("DWINDLE_BUG").ok().and_then(|id| id.parse().ok()).ok_or("a minimizer needs DWINDLE_BUG")?;
    let limits = config::limits()?.patient();
    let store = BugStore::open_existing(&root, &target.name()).map_err(|error| error.to_string())?;
    minimize_bug(target, &store, id, limits).map_err(|error| error.to_string())
}

/// The best so far, for the watchdog.
type Best = Arc<Mutex<Option<(Trace, u64)>>>;

fn minimize_bug(target: &'static Target, store: &BugStore, id: BugId, limits: Limits) -> Result<(), StoreError> {
    let bug = store.bug(id);
    let pending = bug.read_report()?;
    let original = read_input(&bug.original()?)?;
    let mut executor = Executor::new(target.property(), Scope::Process, target.manifest_dir(), config::choices_max());
    let failed = match executor.run_recorded(&original) {
        Run::Failed(failed) if failed.id == id => failed,
        other => return not_reproduced(&mut executor, store, &pending, &original, other),
    };
    let best: Best = Arc::default();
    let watched = watch(store.clone(), pending.clone(), Arc::clone(&best));
    let minimized = minimize(&mut executor, &failed, limits, &mut |trace, calls| {
        *best.lock().unwrap_or_else(PoisonError::into_inner) = Some((trace.clone(), calls));
    });
    // What follows runs no candidate, and takes long where others have the processor.
    drop(watched);
    let report = report::minimized(&pending, &minimized, executor.manifest_dir());
    let repro = report::repro(&target.name(), id, &report, &minimized.input);
    store.finish(id, &minimized.input, &report, Some(&repro))?;
    for other in minimized.others {
        claim_other(&mut executor, store, &pending, &other)?;
    }
    Ok(())
}

/// A failure of another bug, met on the way: claimed, for its own turn.
pub(crate) fn claim_other<P: FnMut(&mut dwindle_engine::TestCase)>(
    executor: &mut Executor<P>,
    store: &BugStore,
    like: &Report,
    input: &[u8],
) -> Result<(), StoreError> {
    if let Run::Failed(failed) = executor.run_bytes(input) {
        claim_for_its_turn(store, like, &failed, input)?;
    }
    Ok(())
}

fn claim_for_its_turn(store: &BugStore, like: &Report, failed: &Failed, input: &[u8]) -> Result<(), StoreError> {
    store.claim(failed.id, input, &report::pending(&like.target, failed, input, &like.engine))?;
    store.count(failed.id, &Writer::this_process(), 1)
}

/// The first sighting does not fail again, or fails in another way: flaky, original kept.
fn not_reproduced<P: FnMut(&mut dwindle_engine::TestCase)>(
    executor: &mut Executor<P>,
    store: &BugStore,
    pending: &Report,
    original: &[u8],
    run: Run,
) -> Result<(), StoreError> {
    if let Run::Failed(failed) = run {
        claim_for_its_turn(store, pending, &failed, original)?;
    }
    let (_, told) = run_told(executor, original);
    let report = Report { status: Status::Flaky, value: told.draws, calls: 2, ..pending.clone() };
    store.finish(pending.bug_id, original, &report, None)
}

/// Ends the process if a candidate hangs while the result lives, with the best seen so far.
fn watch(store: BugStore, pending: Report, best: Best) -> Sender<()> {
    let started = Instant::now();
    let (watched, end) = mpsc::channel();
    thread::spawn(move || {
        panics::this_thread_is_ours();
        if !await_hang(&end) {
            return;
        }
        let best = best.lock().unwrap_or_else(PoisonError::into_inner).take();
        let saved = best.map(|(trace, calls)| {
            let input = encode(&trace.choices);
            let report = Report {
                status: Status::BestEffort,
                minimized_bytes: Some(input.len() as u64),
                minimized_choices: Some(trace.len() as u64),
                calls,
                seconds: started.elapsed().as_secs_f64(),
                ..pending
            };
            store.finish(report.bug_id, &input, &report, None)
        });
        process::leave(match saved {
            Some(Ok(())) => 0,
            Some(Err(_)) => STORE_FAILED,
            None => HUNG,
        });
    });
    watched
}

/// Returns when no candidate was begun for too long, or at the end of what is watched: whether it was a hang.
///
/// Waiting for the processor is no hang: beside a fuzzer on every core that can take long.
fn await_hang(end: &Receiver<()>) -> bool {
    let mut candidate = CANDIDATES.load(Ordering::Relaxed);
    let (mut idle, mut since_cpu) = (Duration::ZERO, process::process_time());
    loop {
        let began = Instant::now();
        if end.recv_timeout(WATCH) != Err(RecvTimeoutError::Timeout) {
            return false;
        }
        let now = CANDIDATES.load(Ordering::Relaxed);
        if now != candidate || now == 0 {
            candidate = now;
            (idle, since_cpu) = (Duration::ZERO, process::process_time());
        } else if !process::another_thread_wants_the_processor() {
            idle += began.elapsed();
        }
        if idle >= HANGS_IDLE || process::process_time().saturating_sub(since_cpu) >= HANGS_BUSY {
            return true;
        }
    }
}

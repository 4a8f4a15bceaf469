//! Triage: thousands of crash files become the few bugs behind them.
//!
//! ```text
//! files -> distinct contents -> each run in a worker -> groups (bug, call path)
//!       -> the simplest of each group minimized -> store
//! ```
//!
//! Failures are recorded in the store by content, a few seconds of work at a time. So a kill loses
//! little work, and a later triage skips the recorded contents. Each content counts once, even
//! after several triaged stores are merged.

mod files;
mod trial;
mod contents;
mod groups;
mod reduce;
mod bugs;
mod summary;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dwindle_corpus::events::{Event, FileOutcome, Progress, RunStart};
use dwindle_corpus::{
    BugId, BugKind, BugStore, Content, ContentId, Report, StoreError, Survey, Writer,
};
use dwindle_engine::internals::codec::BYTE_FORMAT;

use self::contents::say_file;
use self::files::ReadFiles;
use self::groups::Groups;
use self::summary::Counts;
use self::trial::Hangs;
use crate::exit::{BUGS_SEEN, ENVIRONMENT, INTERRUPTED, NOTHING_FAILED, WRONG_USE, refuse};
use crate::failure::failed::Failed;
use crate::isolation::Isolated;
use crate::limits::Limits;
use crate::session::entry::Entry;
use crate::session::report::shown;
use crate::session::{signals, store, unfinished};
use crate::system::process;
use crate::target::Target;
use crate::{environment, events};

/// How often failures are recorded in the store. Each write waits for the disk, and a kill loses at
/// most this much work.
const RECORD: Duration = Duration::from_secs(2);
/// How often a listener gets the progress.
const PROGRESS: Duration = Duration::from_millis(200);
/// How often the triage checks for signals.
const TICK: Duration = Duration::from_millis(50);

/// Set when a signal asks the triage to end.
static STOPPING: AtomicBool = AtomicBool::new(false);

/// Triages the files at these paths. The exit code is [`BUGS_SEEN`] if any content fails, or is
/// known to fail.
pub(crate) fn triage(target: &'static Target, paths: &[PathBuf]) -> i32 {
    let (limits, jobs) =
        match Limits::from_environment().and_then(|limits| Ok((limits, environment::jobs()?))) {
            Ok(read) => read,
            Err(message) => return refuse(WRONG_USE, &message),
        };
    let files = match files::list(paths) {
        Ok(files) => files,
        Err(message) => return refuse(WRONG_USE, &message),
    };
    // Must happen before there is a second thread.
    let executors: Result<Vec<_>, _> = (0..jobs.min(files.inputs.len()))
        .map(|_| Isolated::new(target, environment::choices_max()))
        .collect();
    let mut executors = match executors {
        Ok(executors) => executors,
        Err(error) => {
            return refuse(
                ENVIRONMENT,
                &format!("cannot start a process that runs the target: {error}"),
            );
        }
    };
    signals::on_interrupt(INTERRUPTED, || STOPPING.store(true, Ordering::Release));
    let done =
        Triage::open(target, limits).and_then(|mut triage| triage.run(&mut executors, files));
    done.unwrap_or_else(|error| refuse(ENVIRONMENT, &error.to_string()))
}

/// A triage, from its first line to its table.
struct Triage {
    target: &'static Target,
    limits: Limits,
    is_dry: bool,
    /// `None` until a store exists. A triage without failures creates no store.
    store: Option<BugStore>,
    writer: Writer,
    /// Contents that the store has recorded, with their bugs.
    known: HashMap<ContentId, Vec<(BugId, Content)>>,
    groups: Groups,
    hangs: Hangs,
    /// Bugs that are in the store for certain.
    claimed: BTreeSet<BugId>,
    /// Bugs and variants whose minimization began.
    tried: BTreeSet<Entry>,
    /// Bugs that were hit while other bugs were minimized.
    met: BTreeMap<BugId, Failed>,
    counts: Counts,
    quiet: BTreeMap<usize, String>,
    flaky: BTreeMap<usize, String>,
    unread: Vec<String>,
    warnings: Vec<String>,
    started: Instant,
    last_record: Instant,
    last_progress: Option<Instant>,
}

impl Triage {
    /// Reads what the store knows, and prints warnings about its problems.
    fn open(target: &'static Target, limits: Limits) -> Result<Triage, StoreError> {
        let now = Instant::now();
        let mut triage = Triage {
            target,
            limits,
            is_dry: environment::dry_run(),
            store: None,
            writer: Writer::this_process(),
            known: HashMap::new(),
            groups: Groups::new(),
            hangs: Hangs::default(),
            claimed: BTreeSet::new(),
            tried: BTreeSet::new(),
            met: BTreeMap::new(),
            counts: Counts::default(),
            quiet: BTreeMap::new(),
            flaky: BTreeMap::new(),
            unread: Vec::new(),
            warnings: Vec::new(),
            started: now,
            last_record: now,
            last_progress: None,
        };
        let mut bugs = 0;
        match store::open_existing(target) {
            Ok(store) => {
                bugs = store.ids()?.len();
                triage.look_at(&store)?;
                triage.store = Some(store);
            }
            Err(error) if error.is_missing() => {}
            Err(error) => return Err(error),
        }
        let start = RunStart {
            target: target.name(),
            known: bugs as u64,
            engine: None,
            store: None,
            known_contents: Some(triage.known.len() as u64),
            switches_on: Vec::new(),
            switches_off: Vec::new(),
        };
        events::say(Event::Start(start), "");
        for warning in &triage.warnings {
            events::warning(warning);
        }
        Ok(triage)
    }

    fn look_at(&mut self, store: &BugStore) -> Result<(), StoreError> {
        let damaged = store.damaged();
        self.warnings.extend(damaged.iter().map(|damage| {
            format!(
                "{} is damaged, and dwindle does not use it: {}",
                shown(damage.path()).display(),
                damage.reason()
            )
        }));
        for id in store.ids()? {
            let Report { byte_format: format, kind, .. } = store.bug(id).read_report()?;
            if kind == BugKind::Timeout {
                self.hangs.add(id);
            }
            if format != BYTE_FORMAT {
                self.warnings.push(format!(
                    "the inputs of bug {id} have byte format {format}, but this target reads \
                     format {BYTE_FORMAT}, so they may mean something else now; `cargo dwindle \
                     check {}` shows whether the bug still fails, and --again runs known inputs",
                    self.target.name()
                ));
            }
            if !environment::again() {
                for content in store.contents(id)? {
                    self.known.entry(content.id).or_default().push((id, content));
                }
            }
        }
        Ok(())
    }

    fn run(&mut self, executors: &mut [Isolated], files: Survey) -> Result<i32, StoreError> {
        self.counts.files = files.inputs.len() as u64;
        let given = ReadFiles::read(files, |done| {
            self.progress("reading", done, self.counts.files as usize);
            if STOPPING.load(Ordering::Acquire) {
                process::leave(refuse(INTERRUPTED, "interrupted before the first run"));
            }
        });
        self.counts.contents = given.items.len() as u64;
        for (path, reason) in &given.unread {
            say_file(path, FileOutcome::Unread { reason: reason.clone() });
            self.unread.push(reason.clone());
        }
        for (path, same) in &given.repeated {
            let same_as = given.items[*same].path.to_string_lossy().into_owned();
            say_file(path, FileOutcome::Same { same_as });
        }
        self.run_contents(executors, &given.items);
        self.record()?;
        if !self.is_dry {
            self.reduce(executors)?;
        }
        self.end(false)?;
        Ok(if self.groups.is_empty() { NOTHING_FAILED } else { BUGS_SEEN })
    }

    /// Turns a missing or damaged bug folder into a warning. The triage goes on.
    fn or_warn(&mut self, id: BugId, result: Result<(), StoreError>) -> Result<(), StoreError> {
        match result {
            Err(error) if error.is_missing() || error.is_corrupt() || error.is_newer() => {
                let text = format!("dwindle skips bug {id}: {error}");
                if !self.warnings.contains(&text) {
                    events::warning(&text);
                    self.warnings.push(text);
                }
                Ok(())
            }
            result => result,
        }
    }

    fn leave_if_asked(&mut self) -> Result<(), StoreError> {
        if STOPPING.load(Ordering::Acquire) {
            // If an input cannot be kept, nothing is lost: its bug is pending, and the next run
            // minimizes it.
            drop(unfinished::keep_all());
            self.record()?;
            self.end(true)?;
            // Leaves without waiting for runs that hang.
            process::leave(INTERRUPTED);
        }
        Ok(())
    }

    fn progress(&mut self, phase: &str, done: usize, total: usize) {
        if self.last_progress.is_none_or(|last| last.elapsed() >= PROGRESS) {
            self.last_progress = Some(Instant::now());
            let progress = Progress {
                phase: phase.to_owned(),
                done: done as u64,
                total: total as u64,
                seconds: self.started.elapsed().as_secs_f64(),
                bugs: self.groups.len() as u64,
            };
            events::say(Event::Progress(progress), "");
        }
    }
}

/// Leaves at once on an error. The threads that run the target may take long to end, so this does
/// not wait for them.
fn or_leave(done: Result<(), StoreError>) {
    if let Err(error) = done {
        process::leave(refuse(ENVIRONMENT, &error.to_string()));
    }
}

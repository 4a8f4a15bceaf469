//! One run of a fuzzer: the bugs that it hit, the bugs that are being minimized, and its messages.

pub(crate) mod store;
pub(crate) mod entry;
pub(crate) mod claim;
pub(crate) mod minimizer;
pub(crate) mod unfinished;
pub(crate) mod damage;
pub(crate) mod report;
mod known_as;
pub(crate) mod likely_one;
pub(crate) mod pace;
pub(crate) mod signals;
pub(crate) mod current;
#[cfg(any(feature = "libfuzzer", feature = "afl"))]
pub(crate) mod tally;
mod following;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use dwindle_corpus::events::{
    BugRow, BugSeen, EndOfRun, Event, Heartbeat, MinimizedBug, RunStart, Totals,
};
use dwindle_corpus::{
    BugId, BugKind, BugStore, Claim, Report, Status, StoreError, Writer, read_input,
};
use sha1::{Digest, Sha1};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::events;
use crate::exit::minimizer::{LEFT, MAKES_ROOM, STORE_FAILED};
use crate::failure::deaths;
use crate::failure::failed::Failed;
use crate::failure::variants::{Variants, key_of};
use crate::limits::{Deadline, Limits};
use crate::session::entry::Entry;
use crate::session::following::Following;
use crate::session::known_as::KnownAs;
use crate::session::minimizer::Priority;
use crate::switches::Board;
use crate::system::{children, priority};
use crate::target::Target;

/// Interval of the heartbeat: how often a listener gets the progress of the run.
const HEARTBEAT: Duration = Duration::from_millis(500);
/// Interval for writing the counts of hits. Each write waits for the disk.
const COUNT: Duration = Duration::from_secs(5);
/// How long a minimizer that is asked to end may take to store its smallest input.
const KEEPING: Duration = Duration::from_secs(2);

/// A run, from its first line to its final table.
pub(crate) struct Session {
    target: String,
    engine: &'static str,
    store: BugStore,
    writer: Writer,
    limits: Limits,
    /// Prefix of the artifact files, for fuzzers whose users expect artifacts.
    artifact_prefix: Option<String>,
    seen: BTreeMap<BugId, Seen>,
    known_as: KnownAs,
    /// Finds the call paths to bugs.
    variants: Variants,
    ways: BTreeMap<BugId, BTreeSet<String>>,
    queue: VecDeque<Entry>,
    minimizing: Option<Minimizing>,
    /// Entries whose minimization began in this run. Each entry gets one turn.
    tried: BTreeSet<Entry>,
    started: Instant,
    last_heartbeat: Instant,
    last_count: Instant,
    pub(crate) executions: u64,
    /// Number of restarts of the fuzzer, and how long the run stood still for them.
    pub(crate) restarts: (u64, Duration),
    deadline: Deadline,
    /// Whether this session starts minimizers. A session that is one of several leaves this to the
    /// process that started them.
    minimizes: bool,
    /// Priority of new minimizers. It is low while a fuzzer runs.
    priority: Priority,
    /// What other processes do to the store, if this session reports it.
    following: Option<Following>,
    /// Warnings of this run. The final table repeats them, because the reader of a long run looks
    /// there.
    warnings: Vec<String>,
}

#[derive(Default)]
struct Seen {
    hits: u64,
    /// Hits by other processes since this session began.
    elsewhere: u64,
    written: u64,
    new: bool,
    artifact: bool,
}

struct Minimizing {
    entry: Entry,
    child: Child,
    since: Instant,
    /// The age at which [`Minimizing::is_given_time`] checks whether the minimizer hangs.
    due: Duration,
}

/// Whether a failure is a new bug or a known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    New,
    Known,
}

impl Session {
    /// Opens the store and prints its path. Queues bugs whose minimization was interrupted.
    pub(crate) fn open(
        target: &Target,
        engine: &'static str,
        artifact_prefix: Option<String>,
    ) -> Result<Session, String> {
        let limits = Limits::from_environment()?;
        let store = crate::session::store::open(target, artifact_prefix.as_deref())
            .map_err(|error| error.to_string())?;
        let known = store.ids().map_err(|error| error.to_string())?.len();
        let pending = Entry::pending(&store).map_err(|error| error.to_string())?;
        let name = target.name();
        let place = report::shown(store.dir());
        let mut text = format!(
            "dwindle: target {name}, engine {engine}; bugs are kept in {} ({known} known)",
            place.display()
        );
        let warnings: Vec<String> = store
            .damaged()
            .iter()
            .map(|damage| {
                format!(
                    "{} is damaged and left alone: {}",
                    damage.path().display(),
                    damage.reason()
                )
            })
            .collect();
        for warning in &warnings {
            let _ = write!(text, "\ndwindle: {warning}");
        }
        let switches = Board::of(engine);
        let _ = write!(text, "\ndwindle: {}", switches.line());
        let start = RunStart {
            target: name.clone(),
            known: known as u64,
            engine: Some(engine.to_owned()),
            store: Some(store.dir().to_string_lossy().into_owned()),
            known_contents: None,
            switches_on: switches.on.iter().map(ToString::to_string).collect(),
            switches_off: switches.off.iter().map(ToString::to_string).collect(),
        };
        events::say(Event::Start(start), &text);
        let now = Instant::now();
        Ok(Session {
            target: name,
            engine,
            store,
            writer: Writer::this_process(),
            limits,
            artifact_prefix,
            seen: BTreeMap::new(),
            known_as: KnownAs::default(),
            variants: Variants::new(target.manifest_dir()),
            ways: BTreeMap::new(),
            queue: pending.into(),
            minimizing: None,
            tried: BTreeSet::new(),
            started: now,
            last_heartbeat: now,
            last_count: now,
            executions: 0,
            restarts: (0, Duration::ZERO),
            deadline: Deadline::default(),
            minimizes: true,
            priority: Priority::Low,
            following: None,
            warnings,
        })
    }

    /// Sets the time at which the run ends. Bugs that are not minimized by then stay pending.
    pub(crate) fn end_by(&mut self, deadline: Deadline) {
        self.deadline = deadline;
    }

    pub(crate) fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// Leaves minimizing, and writing artifacts, to another process.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn leave_minimizing_to_another(&mut self) {
        self.minimizes = false;
        self.queue.clear();
    }

    /// The absolute path of the folder that holds the store.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn store_root(&self) -> std::path::PathBuf {
        let root = self.store.dir().parent().unwrap_or(self.store.dir());
        std::path::absolute(root).unwrap_or_else(|_| root.to_owned())
    }

    /// From now on minimizers have normal priority. A starved minimizer makes room for one with
    /// normal priority.
    pub(crate) fn fuzzing_is_over(&mut self) {
        if self.priority == Priority::Normal {
            return;
        }
        self.priority = Priority::Normal;
        if let Some(minimizing) = &self.minimizing {
            children::signal(minimizing.child.id() as libc::pid_t, minimizer::MAKE_ROOM);
        }
    }

    /// Records a failure. A known bug is counted; a new bug is claimed and queued for its
    /// minimizer.
    pub(crate) fn saw(&mut self, input: &[u8], failed: &Failed) -> Result<Hit, StoreError> {
        let id = self.stored_id(failed)?;
        if let Some(seen) = self.seen.get_mut(&id) {
            seen.hits += 1;
            return Ok(Hit::Known);
        }
        let pending = report::pending(&self.target, failed, input, self.engine);
        let new = matches!(self.store.claim(id, input, &pending)?, Claim::New);
        self.seen.insert(id, Seen { hits: 1, new, ..Seen::default() });
        if !new {
            return Ok(Hit::Known);
        }
        if self.minimizes {
            self.queue.push_back(id.into());
        }
        let text = format!(
            "dwindle: new bug {id}: {} at {}, being minimized",
            failed.kind, failed.location
        );
        events::say(Event::Bug(BugSeen::from(&pending)), &text);
        Ok(Hit::New)
    }

    /// The id under which a failure is stored, or will be.
    fn stored_id(&mut self, failed: &Failed) -> Result<BugId, StoreError> {
        let (id, added) = self.known_as.find(&self.store, failed)?;
        self.or_warn(id, added)?;
        Ok(id)
    }

    /// Whether the store has a bug by which damage to memory is known.
    pub(crate) fn knows_damage(&self) -> bool {
        let is_there =
            |id| self.store.known_as(id, None).is_ok_and(|id| self.store.bug(id).dir().is_dir());
        [damage::catch_all(), deaths::heap_damage("")].into_iter().any(is_there)
    }

    /// Whether this run has hit the bug of a failure before.
    pub(crate) fn has_seen(&mut self, failed: &Failed) -> bool {
        self.stored_id(failed).is_ok_and(|id| self.seen.contains_key(&id))
    }

    /// Adds hits to a bug that this run has hit before. Returns `false` if the run has not hit it,
    /// or if the bug is gone from the store.
    #[cfg(any(feature = "libfuzzer", feature = "afl"))]
    pub(crate) fn count(&mut self, id: BugId, more: u64) -> bool {
        self.seen.get_mut(&self.known_as.of(id)).map(|seen| seen.hits += more).is_some()
    }

    /// Hits of a bug in this run.
    pub(crate) fn hits(&self, id: BugId) -> u64 {
        self.seen.get(&self.known_as.of(id)).map_or(0, |seen| seen.hits)
    }

    /// Checks whether a known bug was reached over a new call path. If so, it is claimed as a
    /// variant and queued for its minimizer.
    pub(crate) fn look_for_variant(
        &mut self,
        input: &[u8],
        failed: &Failed,
    ) -> Result<(), StoreError> {
        let Some(key) = self.variants.key(failed) else { return Ok(()) };
        let looked = self.claim_variant(input, failed, key);
        self.or_warn(failed.id, looked)
    }

    fn claim_variant(
        &mut self,
        input: &[u8],
        failed: &Failed,
        key: String,
    ) -> Result<(), StoreError> {
        let id = self.stored_id(failed)?;
        if !self.ways.contains_key(&id) {
            let report = self.store.bug(id).read_report()?;
            // The call path to the bug itself is known only after its minimization.
            let Some(own) = key_of(&report.frames).filter(|_| report.status != Status::Pending)
            else {
                return Ok(());
            };
            let ways = self.store.variants(id)?.into_iter().chain([own]).collect();
            self.ways.insert(id, ways);
        }
        if self.ways.get_mut(&id).is_none_or(|ways| !ways.insert(key.clone())) {
            return Ok(());
        }
        let pending = report::pending(&self.target, failed, input, self.engine);
        if matches!(self.store.claim_variant(id, &key, input, &pending)?, Claim::New) {
            let text = format!(
                "dwindle: bug {id} is reached in another way (variant {key}), being minimized"
            );
            events::say(Event::Variant { bug_id: id, variant: key.clone() }, &text);
            if self.minimizes {
                self.queue.push_back(Entry { id, variant: Some(key) });
            }
        }
        Ok(())
    }

    /// Continues pending work: a minimizer that ended, the next minimizer, counters and the
    /// heartbeat. Frequent calls are cheap.
    pub(crate) fn poll(&mut self) -> Result<(), StoreError> {
        self.reap()?;
        if self.minimizing.is_none()
            && !self.deadline.ends_minimizing()
            && let Some(entry) = self.next()
        {
            self.start(entry)?;
        }
        if self.last_count.elapsed() >= COUNT {
            self.last_count = Instant::now();
            self.write_counters()?;
        }
        if self.last_heartbeat.elapsed() >= HEARTBEAT {
            self.last_heartbeat = Instant::now();
            if events::has_listener() {
                events::say(Event::Heartbeat(self.heartbeat()), "");
            }
        }
        Ok(())
    }

    /// The entry to minimize next. Timeouts and out-of-memory bugs come last, because their
    /// candidates take seconds.
    fn next(&mut self) -> Option<Entry> {
        let is_slow = |entry: &Entry| {
            let report = entry.bug(&self.store).read_report();
            report.is_ok_and(|report| matches!(report.kind, BugKind::Timeout | BugKind::Oom))
        };
        let at = self.queue.iter().position(|entry| !is_slow(entry)).unwrap_or(0);
        self.queue.remove(at)
    }

    /// The running minimizer, a child of this process.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn minimizer(&self) -> Option<libc::pid_t> {
        self.minimizing.as_ref().map(|minimizing| minimizing.child.id() as libc::pid_t)
    }

    /// Whether a minimizer runs or waits, and the deadline leaves time for it.
    pub(crate) fn is_busy(&self) -> bool {
        (self.minimizing.is_some() || !self.queue.is_empty()) && !self.deadline.ends_minimizing()
    }

    /// Ends the run. A bug that is being minimized stays pending with the smallest input so far.
    /// Writes the counters and the artifacts, and prints the table. Returns `true` if any input
    /// failed in this run.
    pub(crate) fn end(&mut self, interrupted: bool) -> Result<bool, StoreError> {
        self.stop_minimizing()?;
        self.write_counters()?;
        let entries = self.tried.iter().chain(&self.queue).map(|entry| entry.id);
        let ids: BTreeSet<BugId> = self.seen.keys().copied().chain(entries).collect();
        let mut bugs = Vec::new();
        let failed = !ids.is_empty();
        for id in ids {
            let written = self.write_artifact(id);
            self.or_warn(id, written)?;
            match self.store.bug(id).read_report() {
                Ok(report) => bugs.push((report, self.store.hits(id)?)),
                // The other bugs of the run are still reported.
                Err(error) => self
                    .warnings
                    .push(format!("bug {id} was seen, and its report is not readable: {error}")),
            }
        }
        let likely_one = self
            .store
            .likely_one_fault(&bugs.iter().map(|(report, _)| report.bug_id).collect::<Vec<_>>())?;
        let figures = report::Figures {
            executions: self.executions,
            time: self.started.elapsed(),
            restarts: self.restarts,
            interrupted,
        };
        let text = report::summary(
            &figures,
            failed.then_some(&bugs[..]),
            &self.warnings,
            self.store.dir(),
        );
        let text = text + &likely_one::words(&likely_one);
        let beat = self.heartbeat();
        let rows = bugs.into_iter().map(|(report, hits)| BugRow {
            report,
            hits,
            contents: None,
            variants: None,
            directory: None,
        });
        let end = EndOfRun {
            executions: beat.executions,
            seconds: beat.seconds,
            new_bugs: beat.new_bugs,
            hits: beat.hits,
            restarts: beat.restarts,
            restart_seconds: beat.restart_seconds,
            interrupted,
            bugs: rows.collect(),
            likely_one_fault: likely_one,
        };
        events::say(Event::End(Box::new(Totals::Run(end))), &text);
        Ok(failed)
    }

    /// Writes the input of a new bug as a file if the store cannot take the bug. Returns the
    /// message for the user.
    pub(crate) fn rescue(&self, input: &[u8], error: &StoreError) -> String {
        let path =
            format!("{}crash-{}", self.artifact_prefix.as_deref().unwrap_or("./"), sha1_hex(input));
        match std::fs::write(&path, input) {
            Ok(()) => format!("{error}; the failing input is kept in {path}"),
            Err(_) => format!(
                "{error}; the failing input could not be kept anywhere, it is b\"{}\"",
                input.escape_ascii()
            ),
        }
    }

    fn heartbeat(&self) -> Heartbeat {
        Heartbeat {
            executions: self.executions,
            seconds: self.started.elapsed().as_secs_f64(),
            bugs: self.seen.len() as u64,
            new_bugs: self.new_bugs() as u64,
            hits: self.seen.values().map(|seen| seen.hits + seen.elsewhere).sum(),
            restarts: self.restarts.0,
            restart_seconds: self.restarts.1.as_secs_f64(),
            minimizing: self.minimizing.as_ref().map(|minimizing| minimizing.entry.id),
            ..Heartbeat::default()
        }
    }

    /// Asks the minimizer to store its smallest input, and waits for it.
    fn stop_minimizing(&mut self) -> Result<(), StoreError> {
        let Some(minimizing) = &mut self.minimizing else { return Ok(()) };
        let (entry, patience) =
            (minimizing.entry.clone(), Instant::now() + self.deadline.left(KEEPING));
        children::signal(minimizing.child.id() as libc::pid_t, SIGTERM);
        while matches!(minimizing.child.try_wait(), Ok(None)) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = minimizing.child.kill();
        let _ = minimizing.child.wait();
        self.minimizing = None;
        self.announce_if_finished(&entry)
    }

    fn start(&mut self, entry: Entry) -> Result<(), StoreError> {
        if !self.tried.insert(entry.clone()) {
            return Ok(());
        }
        self.begin(entry)
    }

    fn begin(&mut self, entry: Entry) -> Result<(), StoreError> {
        match minimizer::start(&self.store, &entry, self.priority) {
            Ok(child) => {
                self.minimizing = Some(Minimizing {
                    entry,
                    child,
                    since: Instant::now(),
                    due: minimizer::patience(self.limits),
                });
            }
            Err(error) => {
                let given_up =
                    self.give_up(&entry, &format!("no process could be started for it: {error}"));
                self.or_warn(entry.id, given_up)?;
            }
        }
        Ok(())
    }

    fn reap(&mut self) -> Result<(), StoreError> {
        let Some(minimizing) = &mut self.minimizing else { return Ok(()) };
        let entry = minimizing.entry.clone();
        let ended = match minimizing.child.try_wait() {
            Ok(None) if minimizing.is_given_time() => return Ok(()),
            Ok(Some(status)) if status.code() == Some(STORE_FAILED) => {
                self.minimizing = None;
                let place = report::shown(self.store.dir());
                let text = format!(
                    "minimizing {entry} failed: {} could not be read or written; the bug stays \
                     pending, the next run takes it up",
                    place.display()
                );
                self.warn(text);
                return Ok(());
            }
            Ok(Some(status))
                if status.code() == Some(MAKES_ROOM)
                    || status.signal() == Some(minimizer::MAKE_ROOM) =>
            {
                self.minimizing = None;
                return self.begin(entry);
            }
            // The signal asked the minimizer to end because the run ends. The bug stays pending.
            Ok(Some(status))
                if status.code() == Some(LEFT)
                    || matches!(status.signal(), Some(SIGINT | SIGTERM)) =>
            {
                self.minimizing = None;
                return self.announce_if_finished(&entry);
            }
            Ok(Some(status)) => describe(status),
            Ok(None) | Err(_) => {
                let _ = minimizing.child.kill();
                let _ = minimizing.child.wait();
                Some("it did not end in time".to_owned())
            }
        };
        self.minimizing = None;
        if let Some(reason) = ended {
            let given_up = self.give_up(&entry, &reason);
            self.or_warn(entry.id, given_up)?;
        }
        // The minimizer stores failures of other bugs as pending.
        let pending = Entry::pending(&self.store)?;
        self.queue.extend(pending.into_iter().filter(|entry| !self.tried.contains(entry)));
        let queued: BTreeSet<Entry> = self.queue.drain(..).collect();
        self.queue.extend(queued);
        let announced = self.announce(&entry);
        self.or_warn(entry.id, announced)
    }

    /// Announces an entry that is minimized to the end, by this process or another.
    fn announce_if_finished(&mut self, entry: &Entry) -> Result<(), StoreError> {
        let announced = match entry.bug(&self.store).read_report() {
            Ok(report) if report.status == Status::Pending => Ok(()),
            Ok(_) => self.announce(entry),
            Err(error) => Err(error),
        };
        self.or_warn(entry.id, announced)
    }

    /// Turns a missing or damaged bug folder into a warning. The run goes on, and a new hit claims
    /// the bug again.
    fn or_warn(&mut self, id: BugId, result: Result<(), StoreError>) -> Result<(), StoreError> {
        match result {
            Err(error) if error.is_missing() || error.is_corrupt() => {
                self.seen.remove(&id);
                self.warn(format!("bug {id} cannot be worked on any more: {error}"));
                Ok(())
            }
            result => result,
        }
    }

    /// Gives up a minimization. The bug keeps its original input, and the next run does not try
    /// again.
    fn give_up(&mut self, entry: &Entry, reason: &str) -> Result<(), StoreError> {
        let bug = entry.bug(&self.store);
        let report = bug.read_report()?;
        if report.status != Status::Pending {
            return Ok(());
        }
        self.warn(format!(
            "minimizing {entry} ended early: {reason}; its input stays as it was found"
        ));
        let original = read_input(&bug.original()?)?;
        entry.finish(&self.store, &original, &Report { status: Status::BestEffort, ..report }, None)
    }

    fn announce(&mut self, entry: &Entry) -> Result<(), StoreError> {
        let bug = entry.bug(&self.store);
        let report = bug.read_report()?;
        let reproduce = report::reproduce(&self.target, report.kind, &bug.input());
        let text = report::text(&report, bug.dir(), &reproduce);
        let event = MinimizedBug {
            variant: entry.variant.clone(),
            ..MinimizedBug::new(report, bug.dir(), reproduce)
        };
        events::say(Event::Minimized(Box::new(event)), &text);
        self.write_artifact(entry.id)
    }

    /// Writes the minimized input of a new bug once, to the place where users of this fuzzer look
    /// for crashes.
    fn write_artifact(&mut self, id: BugId) -> Result<(), StoreError> {
        let (Some(prefix), Some(seen)) = (&self.artifact_prefix, self.seen.get_mut(&id)) else {
            return Ok(());
        };
        if !seen.new || seen.artifact || !self.minimizes {
            return Ok(());
        }
        let input = read_input(&self.store.bug(id).input())?;
        let path = format!("{prefix}crash-{}", sha1_hex(&input));
        match std::fs::write(&path, &*input) {
            Ok(()) => seen.artifact = true,
            Err(error) => {
                let text = format!("{path} could not be written: {error}");
                self.warn(text);
            }
        }
        Ok(())
    }

    /// Adds a remark to the final table.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn remark(&mut self, text: String) {
        self.warnings.push(text);
    }

    fn warn(&mut self, text: String) {
        events::warning(&text);
        self.warnings.push(text);
    }

    fn write_counters(&mut self) -> Result<(), StoreError> {
        let ids: Vec<BugId> = self.seen.keys().copied().collect();
        for id in ids {
            let counted = match self.seen.get_mut(&id) {
                Some(seen) if seen.written < seen.hits => {
                    seen.written = seen.hits;
                    self.store.count(id, &self.writer, seen.hits)
                }
                _ => Ok(()),
            };
            self.or_warn(id, counted)?;
        }
        Ok(())
    }
}

impl Minimizing {
    /// Whether the minimizer may go on. A minimizer that mostly waited for the processor gets more
    /// time.
    fn is_given_time(&mut self) -> bool {
        let elapsed = self.since.elapsed();
        if elapsed < self.due {
            return true;
        }
        let waited = priority::turns_with_offspring(self.child.id() as libc::pid_t).waited;
        let starves = waited > elapsed / 2;
        self.due = elapsed * 2;
        starves
    }
}

fn describe(status: ExitStatus) -> Option<String> {
    (!status.success()).then(|| format!("its process ended with {status}"))
}

/// The name that libFuzzer gives to a file with these contents.
pub(crate) fn sha1_hex(bytes: &[u8]) -> String {
    Sha1::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

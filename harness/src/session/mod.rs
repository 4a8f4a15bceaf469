//! One run of a fuzzer: the bugs that it hit, the bugs that are being minimized, and its messages.

pub(crate) mod store;
pub(crate) mod entry;
pub(crate) mod claim;
pub(crate) mod minimizer;
pub(crate) mod steps;
pub(crate) mod unfinished;
pub(crate) mod damage;
pub(crate) mod report;
mod known_as;
pub(crate) mod likely_one;
pub(crate) mod pace;
pub(crate) mod signals;
pub(crate) mod stop_signals;
pub(crate) mod current;
mod minimizing;
mod explaining;
mod allowance;
mod patience;
mod call_paths;
pub(crate) mod samples;
mod ending;
#[cfg(any(feature = "libfuzzer", feature = "afl"))]
pub(crate) mod tally;
mod following;
mod outlook;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use dwindle_corpus::events::{BugSeen, Event, Rejected, RunStart};
use dwindle_corpus::{BugId, BugStore, Claim, StoreError, Writer};
use sha1::{Digest, Sha1};

use crate::events;
use crate::failure::deaths;
use crate::failure::failed::Failed;
use crate::failure::variants::Variants;
use crate::limits::{Deadline, Limits};
use crate::session::entry::Entry;
use crate::session::explaining::Explaining;
use crate::session::following::Following;
use crate::session::known_as::KnownAs;
use crate::session::minimizer::Priority;
use crate::session::minimizing::Minimizing;
use crate::session::outlook::Outlook;
use crate::switches::Board;
use crate::system::children;
use crate::target::Target;

/// Interval of the heartbeat: how often a listener gets the progress of the run.
const HEARTBEAT: Duration = Duration::from_millis(500);
/// Interval for writing the counts of hits. Each write waits for the disk.
const COUNT: Duration = Duration::from_secs(5);

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
    /// The keys of the known call paths to each bug.
    call_paths: BTreeMap<BugId, BTreeSet<String>>,
    queue: VecDeque<Entry>,
    minimizing: Option<Minimizing>,
    explaining: Explaining,
    /// Entries whose minimization began in this run. Each entry gets one turn.
    tried: BTreeSet<Entry>,
    started: Instant,
    last_heartbeat: Instant,
    last_count: Instant,
    pub(crate) executions: u64,
    /// The inputs that were rejected, if the engine counts them.
    pub(crate) rejected: Option<Rejected>,
    /// Number of restarts of the fuzzer, and how long the run stood still for them.
    pub(crate) restarts: (u64, Duration),
    /// What the next minute is likely to bring.
    pub(crate) outlook: Outlook,
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

/// Whether a failure is a new bug or a known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    New,
    Known,
}

/// The warning about a damaged file of the store.
fn unused(path: &Path, reason: &str) -> String {
    format!("{} is damaged, and dwindle does not use it: {reason}", path.display())
}

impl Session {
    /// Opens the store and prints its path. Queues bugs whose minimization was interrupted.
    pub(crate) fn open(
        target: &Target,
        engine: &'static str,
        artifact_prefix: Option<String>,
    ) -> Result<Session, String> {
        let limits = Limits::from_environment()?;
        let store = store::open(target, artifact_prefix.as_deref()).map_err(|e| e.to_string())?;
        let said = |error: StoreError| error.to_string();
        let (known, pending) =
            (store.ids().map_err(said)?.len(), Entry::pending(&store).map_err(said)?);
        let (name, place) = (target.name(), report::shown(store.dir()));
        let mut text = format!(
            "dwindle: target {name}, engine {engine}; bugs are kept in {} ({known} known)",
            place.display()
        );
        let warnings: Vec<String> =
            store.damaged().iter().map(|damage| unused(damage.path(), damage.reason())).collect();
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
            call_paths: BTreeMap::new(),
            queue: pending.into(),
            minimizing: None,
            explaining: Explaining::default(),
            tried: BTreeSet::new(),
            started: now,
            last_heartbeat: now,
            last_count: now,
            executions: 0,
            rejected: None,
            restarts: (0, Duration::ZERO),
            outlook: Outlook::default(),
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
    pub(crate) fn leave_minimizing_to_another(&mut self) {
        self.minimizes = false;
        self.queue.clear();
    }

    /// The absolute path of the folder that holds the store.
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
        self.limit_explaining();
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
            self.sample(id, input);
            return Ok(Hit::Known);
        }
        let pending = report::pending(&self.target, failed, input, self.engine);
        let new = matches!(self.store.claim(id, input, &pending)?, Claim::New);
        self.seen.insert(id, Seen { hits: 1, new, ..Seen::default() });
        if !new {
            if let Ok(report) = self.store.bug(id).read_report() {
                self.want_explanation(&id.into(), &report);
            }
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
        self.poll_explaining(self.minimizing.is_none() && !self.deadline.ends_minimizing())?;
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

    /// Whether a minimizer or an explainer runs or waits, and the deadline leaves time for it.
    pub(crate) fn is_busy(&self) -> bool {
        let works = self.minimizing.is_some() || !self.queue.is_empty() || self.is_explaining();
        works && !self.deadline.ends_minimizing()
    }

    /// Turns a missing or damaged bug folder into a warning. The run goes on, and a new hit claims
    /// the bug again.
    fn or_warn(&mut self, id: BugId, result: Result<(), StoreError>) -> Result<(), StoreError> {
        match result {
            Err(error) if error.is_missing() || error.is_corrupt() => {
                self.seen.remove(&id);
                self.warn(format!("dwindle skips bug {id} until its next hit: {error}"));
                Ok(())
            }
            result => result,
        }
    }

    /// Adds a remark to the final table.
    pub(crate) fn remark(&mut self, text: String) {
        self.warnings.push(text);
    }

    /// Warns now and in the final table, if the run has not given this warning yet.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn warn_once(&mut self, text: &str) {
        if !self.warnings.iter().any(|warning| warning == text) {
            self.warn(text.to_owned());
        }
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

/// The name that libFuzzer gives to a file with these contents.
pub(crate) fn sha1_hex(bytes: &[u8]) -> String {
    Sha1::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

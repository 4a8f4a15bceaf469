//! The minimizer processes of a session: which bug is next, and what a minimizer has done.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use dwindle_corpus::events::{Event, MinimizedBug};
use dwindle_corpus::{BugId, BugKind, Report, Status, StoreError, read_input};
use signal_hook::consts::{SIGINT, SIGTERM};

use super::{Session, minimizer, report, sha1_hex};
use crate::environment::Command;
use crate::events;
use crate::exit::minimizer::{LEFT, MAKES_ROOM, STORE_FAILED};
use crate::session::entry::Entry;
use crate::session::patience::Patience;
use crate::system::{children, priority, usage};

/// How long a minimizer that is asked to end may take to store its smallest input.
const KEEPING: Duration = Duration::from_secs(2);

/// A minimizer process that runs.
pub(super) struct Minimizing {
    pub(super) entry: Entry,
    pub(super) child: Child,
    patience: Patience,
}

impl Session {
    /// The entry to minimize next. Timeouts and out-of-memory bugs come last, because their
    /// candidates take seconds.
    pub(super) fn next(&mut self) -> Option<Entry> {
        let is_slow = |entry: &Entry| {
            let report = entry.bug(&self.store).read_report();
            report.is_ok_and(|report| matches!(report.kind, BugKind::Timeout | BugKind::Oom))
        };
        let at = self.queue.iter().position(|entry| !is_slow(entry)).unwrap_or(0);
        self.queue.remove(at)
    }

    /// The running minimizer and the running explainer, children of this process.
    pub(crate) fn helpers(&self) -> impl Iterator<Item = libc::pid_t> + use<> {
        let minimizer =
            self.minimizing.as_ref().map(|minimizing| minimizing.child.id() as libc::pid_t);
        minimizer.into_iter().chain(self.explainer())
    }

    /// Asks the minimizer to store its smallest input, and waits for it.
    pub(super) fn stop_minimizing(&mut self) -> Result<(), StoreError> {
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

    pub(super) fn start(&mut self, entry: Entry) -> Result<(), StoreError> {
        if !self.tried.insert(entry.clone()) {
            return Ok(());
        }
        self.begin(entry)
    }

    fn begin(&mut self, entry: Entry) -> Result<(), StoreError> {
        match minimizer::start(&self.store, &entry, self.priority, Command::Minimizer) {
            Ok(child) => {
                self.minimizing = Some(Minimizing {
                    entry,
                    child,
                    patience: Patience::new(minimizer::patience(self.limits)),
                });
            }
            Err(error) => {
                let given_up = self.give_up(&entry, &format!("cannot start its process: {error}"));
                self.or_warn(entry.id, given_up)?;
            }
        }
        Ok(())
    }

    pub(super) fn reap(&mut self) -> Result<(), StoreError> {
        let Some(minimizing) = &mut self.minimizing else { return Ok(()) };
        let entry = minimizing.entry.clone();
        let process = minimizing.child.id() as libc::pid_t;
        let mut took = usage::time_at_end(process);
        let ended = match minimizing.child.try_wait() {
            Ok(None) if minimizing.patience.is_left(process) => return Ok(()),
            Ok(Some(status)) if status.code() == Some(STORE_FAILED) => {
                self.minimizing = None;
                let place = report::shown(self.store.dir());
                let text = format!(
                    "minimizing {entry} failed: cannot read or write {}; the bug stays pending, \
                     and the next run minimizes it",
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
                took = Some(priority::turns_with_offspring(process).ran);
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
        self.minimized_after_a_look(&entry, took.unwrap_or_default());
        // The minimizer stores failures of other bugs as pending.
        let pending = Entry::pending(&self.store)?;
        self.queue.extend(pending.into_iter().filter(|entry| !self.tried.contains(entry)));
        let queued: BTreeSet<Entry> = self.queue.drain(..).collect();
        self.queue.extend(queued);
        let is_withdrawn = entry.cause().is_some() && !entry.bug(&self.store).dir().is_dir();
        let announced = if is_withdrawn { Ok(()) } else { self.announce(&entry) };
        self.or_warn(entry.id, announced)
    }

    /// Announces an entry that is minimized to the end, by this process or another.
    pub(super) fn announce_if_finished(&mut self, entry: &Entry) -> Result<(), StoreError> {
        let announced = match entry.bug(&self.store).read_report() {
            Ok(report) if report.status == Status::Pending => Ok(()),
            Ok(_) => self.announce(entry),
            Err(error) => Err(error),
        };
        self.or_warn(entry.id, announced)
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

    pub(super) fn announce(&mut self, entry: &Entry) -> Result<(), StoreError> {
        let bug = entry.bug(&self.store);
        let report = bug.read_report()?;
        let reproduce = report::reproduce(&self.target, report.kind, &bug.input());
        let mut text = report::text(&report, bug.dir(), &reproduce);
        if entry.cause().is_some() {
            text.insert_str(0, "another cause of ");
        }
        let event = MinimizedBug {
            variant: entry.variant.clone(),
            ..MinimizedBug::new(report, bug.dir(), reproduce)
        };
        self.want_explanation(entry, &event.report);
        if event.report.is_further_form() {
            return Ok(());
        }
        events::say(Event::Minimized(Box::new(event)), &text);
        self.write_artifact(entry.id)
    }

    /// Writes the minimized input of a new bug once, to the place where users of this fuzzer look
    /// for crashes.
    pub(super) fn write_artifact(&mut self, id: BugId) -> Result<(), StoreError> {
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
                let text = format!("cannot write {path}: {error}");
                self.warn(text);
            }
        }
        Ok(())
    }
}

fn describe(status: ExitStatus) -> Option<String> {
    (!status.success()).then(|| format!("its process ended with {status}"))
}

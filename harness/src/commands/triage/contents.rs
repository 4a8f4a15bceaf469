//! Runs contents on all executors at once, and records failures meanwhile.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use dwindle_corpus::events::{BugSeen, Event, FileOutcome, TriagedFile};
use dwindle_corpus::{BugId, Claim, Content, Rate, StoreError, printable_path};

use crate::commands::triage::files::Item;
use crate::commands::triage::trial::{self, Trial};
use crate::commands::triage::{RECORD, TICK, Triage, or_leave};
use crate::events;
use crate::failure::failed::Failed;
use crate::failure::panics;
use crate::failure::variants::Variants;
use crate::isolation::Isolated;
use crate::session::{report, store};

impl Triage {
    /// Runs the unknown contents, on all executors at once.
    pub(super) fn run_contents(&mut self, executors: &mut [Isolated], items: &[Item]) {
        let mut due = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match self.known.get(&item.content) {
                Some(known) => {
                    self.counts.known += 1;
                    for (id, content) in known {
                        say_failed(item, *id, content.variant.as_deref(), true, None);
                        self.groups.entry(*id).or_default().add(
                            item,
                            content.choices,
                            content.variant.clone(),
                        );
                    }
                }
                None => due.push(index),
            }
        }
        let hangs = std::mem::take(&mut self.hangs);
        let next = AtomicUsize::new(0);
        let (sender, results) = mpsc::channel();
        thread::scope(|scope| {
            for executor in executors {
                let (sender, next, due, hangs) = (sender.clone(), &next, &due, &hangs);
                let mut call_paths = Variants::new(self.target.manifest_dir());
                scope.spawn(move || {
                    panics::this_thread_is_ours();
                    while let Some(index) = due.get(next.fetch_add(1, Ordering::Relaxed))
                        && sender
                            .send((
                                *index,
                                trial::run(executor, &mut call_paths, hangs, &items[*index]),
                            ))
                            .is_ok()
                    {}
                });
            }
            drop(sender);
            or_leave(self.listen(&results, items, due.len()));
        });
    }

    /// Takes results until all executors are done.
    fn listen(
        &mut self,
        results: &Receiver<(usize, Trial)>,
        items: &[Item],
        total: usize,
    ) -> Result<(), StoreError> {
        loop {
            match results.recv_timeout(TICK) {
                Ok((index, trial)) => {
                    self.counts.run += 1;
                    self.take(index, &items[index], trial);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if self.last_record.elapsed() >= RECORD {
                self.record()?;
            }
            self.progress("running", self.counts.run as usize, total);
            self.leave_if_asked()?;
        }
    }

    fn take(&mut self, index: usize, item: &Item, trial: Trial) {
        let file = printable_path(&item.path);
        match trial {
            Trial::Failed { failed, call_path, choices, rate } => {
                let failed = self.stored(failed);
                self.counts.failed += 1;
                say_failed(item, failed.id, call_path.as_deref(), false, rate);
                if let Some(rate) = rate {
                    self.counts.flaky += 1;
                    self.flaky.insert(
                        index,
                        format!(
                            "{file}  bug {}, in {} of {} runs",
                            failed.id, rate.failed, rate.of
                        ),
                    );
                }
                let group = self.groups.entry(failed.id).or_default();
                group.add(item, choices, call_path.clone());
                group.unrecorded.push(Content { id: item.content, choices, variant: call_path });
                group.failed.get_or_insert(failed);
            }
            Trial::Quiet(ended) => {
                self.counts.quiet += 1;
                say_file(&item.path, FileOutcome::Quiet { reason: format!("the target {ended}") });
                self.quiet.insert(index, format!("{file}  the target {ended}"));
            }
            Trial::Unread(reason) => {
                self.counts.run -= 1;
                say_file(&item.path, FileOutcome::Unread { reason: reason.clone() });
                self.unread.push(reason);
            }
        }
    }

    /// The failure under the id of its stored bug, which may be an older id.
    fn stored(&mut self, failed: Failed) -> Failed {
        let Some(store) = &self.store else { return failed };
        let id = store.known_as(failed.id, failed.old_id).unwrap_or(failed.id);
        if id != failed.id
            && !self.is_dry
            && let Err(error) = store.add_alias(id, failed.id)
        {
            self.warnings.push(format!("cannot give bug {id} its new id {}: {error}", failed.id));
        }
        Failed { id, ..failed }
    }

    /// Claims the new bugs, and records the failures since the last call.
    pub(super) fn record(&mut self) -> Result<(), StoreError> {
        self.last_record = Instant::now();
        if self.is_dry {
            return Ok(());
        }
        let due: Vec<BugId> = self
            .groups
            .iter()
            .filter(|(_, group)| !group.unrecorded.is_empty())
            .map(|(id, _)| *id)
            .collect();
        for id in due {
            let recorded = self.record_bug(id);
            self.or_warn(id, recorded)?;
        }
        Ok(())
    }

    fn record_bug(&mut self, id: BugId) -> Result<(), StoreError> {
        let store = match &self.store {
            Some(store) if !self.claimed.is_empty() => store,
            _ => self.store.insert(store::open(self.target, None)?),
        };
        let Some(group) = self.groups.get_mut(&id) else { return Ok(()) };
        if !self.claimed.contains(&id) {
            let (Some(failed), Some(best)) = (&group.failed, group.best()) else { return Ok(()) };
            // If the file is gone, the next file takes its place.
            let Ok(input) = best.item.read() else {
                group.call_paths.clear();
                return Ok(());
            };
            let pending = report::pending(&self.target.name(), failed, &input, "triage");
            if store.claim(id, &input, &pending)? == Claim::New {
                events::say(
                    Event::Bug(BugSeen::from(&pending)),
                    &format!("dwindle: new bug {id}: {} at {}", failed.kind, failed.location),
                );
            }
            self.claimed.insert(id);
        }
        store.record(id, &self.writer, &group.unrecorded)?;
        group.unrecorded.clear();
        Ok(())
    }
}

fn say_failed(item: &Item, id: BugId, call_path: Option<&str>, is_known: bool, rate: Option<Rate>) {
    let variant = call_path.map(str::to_owned);
    say_file(&item.path, FileOutcome::Failed { bug_id: id, variant, known: is_known, rate });
}

/// Says what became of a file.
pub(super) fn say_file(path: &Path, outcome: FileOutcome) {
    let file = path.to_string_lossy().into_owned();
    events::say(Event::File(TriagedFile { file, outcome }), "");
}

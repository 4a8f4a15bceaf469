//! Minimizes on all executors at once: first the bugs that the files show, then the pending entries
//! of the store.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;

use dwindle_corpus::{BugId, BugStore, StoreError};

use crate::commands::triage::reduce::{self, Reduced, Reducer, Task};
use crate::commands::triage::{TICK, Triage, or_leave};
use crate::failure::panics;
use crate::isolation::Isolated;
use crate::session::entry::Entry;

impl Triage {
    /// Minimizes the bugs that the files show, and then the pending entries of the store.
    pub(super) fn reduce(&mut self, executors: &mut [Isolated]) -> Result<(), StoreError> {
        let Some(store) = self.store.clone() else { return Ok(()) };
        let mut tasks = Vec::new();
        let ids: Vec<BugId> = self.groups.keys().copied().collect();
        for id in &ids {
            let samples = self.groups.get(id).map(reduce::samples).unwrap_or_default();
            match reduce::is_due(&store, *id, &samples) {
                Ok(true) => tasks.push(Task::Files(*id, samples)),
                Ok(false) => {}
                Err(error) => self.or_warn(*id, Err(error))?,
            }
        }
        loop {
            self.reduce_all(executors, &store, tasks);
            // Processes that were killed left these entries.
            let pending = Entry::pending(&store)?
                .into_iter()
                .filter(|entry| self.tried.insert(entry.clone()));
            tasks = pending.map(Task::Pending).collect();
            if tasks.is_empty() {
                break;
            }
        }
        for id in ids {
            let restated = store.restate(id);
            self.or_warn(id, restated)?;
        }
        Ok(())
    }

    /// Minimizes on all executors at once.
    fn reduce_all(&mut self, executors: &mut [Isolated], store: &BugStore, tasks: Vec<Task>) {
        let total = tasks.len();
        let queue = Mutex::new(tasks);
        let (sender, results) = mpsc::channel();
        let (target, limits) = (self.target, self.limits);
        thread::scope(|scope| {
            for executor in executors {
                let (sender, queue) = (sender.clone(), &queue);
                let mut reducer = Reducer { executor, target, store, limits };
                scope.spawn(move || {
                    panics::this_thread_is_ours();
                    loop {
                        let task = queue.lock().unwrap_or_else(PoisonError::into_inner).pop();
                        let Some(task) = task else { return };
                        if sender.send((task.id(), reducer.run(&task))).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            or_leave(self.listen_to_reducers(&results, total));
        });
    }

    fn listen_to_reducers(
        &mut self,
        results: &Receiver<(BugId, Result<Reduced, StoreError>)>,
        total: usize,
    ) -> Result<(), StoreError> {
        let mut done = 0;
        loop {
            match results.recv_timeout(TICK) {
                Ok((id, reduced)) => {
                    done += 1;
                    match reduced {
                        Ok(reduced) => {
                            self.counts.joined += reduced.joined;
                            self.met
                                .extend(reduced.met.into_iter().map(|failed| (failed.id, failed)));
                        }
                        Err(error) => self.or_warn(id, Err(error))?,
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            self.progress("minimizing", done, total);
            self.leave_if_asked()?;
        }
    }
}

//! The figures of a run: while it goes on, and at its end.

use std::collections::BTreeSet;

use dwindle_corpus::events::{BugRow, EndOfRun, Event, Heartbeat, Totals};
use dwindle_corpus::{BugId, StoreError};

use super::{Session, likely_one, report, sha1_hex};
use crate::events;

impl Session {
    /// Ends the run. A bug that is being minimized stays pending with the smallest input so far.
    /// Writes the counters and the artifacts, and prints the table. Returns `true` if any input
    /// failed in this run.
    pub(crate) fn end(&mut self, interrupted: bool) -> Result<bool, StoreError> {
        self.stop_minimizing()?;
        self.stop_explaining();
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
                    .push(format!("bug {id} was seen, but its report cannot be read: {error}")),
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
            new_coverage: self.outlook.estimate(),
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
            new_coverage: beat.new_coverage,
            rejected: beat.rejected,
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
                "{error}; dwindle could not keep the failing input, which is b\"{}\"",
                input.escape_ascii()
            ),
        }
    }

    pub(super) fn heartbeat(&self) -> Heartbeat {
        Heartbeat {
            executions: self.executions,
            seconds: self.started.elapsed().as_secs_f64(),
            bugs: self.seen.len() as u64,
            new_bugs: self.new_bugs() as u64,
            hits: self.seen.values().map(|seen| seen.hits + seen.elsewhere).sum(),
            restarts: self.restarts.0,
            restart_seconds: self.restarts.1.as_secs_f64(),
            minimizing: self.minimizing.as_ref().map(|minimizing| minimizing.entry.id),
            new_coverage: self.outlook.estimate(),
            rejected: self.rejected,
            ..Heartbeat::default()
        }
    }
}

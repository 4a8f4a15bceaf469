//! Finishing: the minimized input replaces the original one.

use std::fs;

use crate::aliases::united;
use crate::first::{first_of, with_first};
use crate::{Bug, BugId, BugStore, Explanation, Report, Status, StoreError};

impl BugStore {
    /// Stores the result of minimizing a bug.
    ///
    /// If the store already holds a result that sorts before this one, that result stays. Results
    /// that are not flaky sort first, then fewer choices, then fewer bytes. Inputs of equal length
    /// compare byte by byte, from first to last. Where the choices are unknown they compare from
    /// last to first; this is so for inputs that a target takes as they stand. Of equal inputs, a
    /// minimized one sorts before a best effort.
    ///
    /// The report that stays gets the earlier `first_seen` of both, with the engine of that hit. If
    /// `repro` is `None`, the `repro.rs` of an earlier input is removed. The `hits` in
    /// `report.json` are at least the counted number.
    ///
    /// If this fails or the process is killed, one of three states remains: the old one, the new
    /// one, or a pending bug whose `input` replays it.
    ///
    /// # Errors
    /// The bug does not exist or is damaged, or a file cannot be written.
    pub fn finish(
        &self,
        id: BugId,
        input: &[u8],
        report: &Report,
        repro: Option<&str>,
    ) -> Result<(), StoreError> {
        self.finish_as(&self.bug(id), input, report, repro)
    }

    /// [`BugStore::finish`] for a variant.
    ///
    /// # Errors
    /// The errors of [`BugStore::finish`].
    pub fn finish_variant(
        &self,
        id: BugId,
        variant_key: &str,
        input: &[u8],
        report: &Report,
        repro: Option<&str>,
    ) -> Result<(), StoreError> {
        self.finish_as(&self.checked_variant(id, variant_key)?, input, report, repro)
    }

    /// Adds an explanation to the report of a bug or a variant. `input` is the minimized input that
    /// it explains. Returns `false` if the store has another input by now: nothing is written then.
    ///
    /// # Errors
    /// The bug does not exist or is damaged, or a file cannot be written.
    pub fn explain(
        &self,
        bug: &Bug,
        input: &[u8],
        explanation: Box<Explanation>,
    ) -> Result<bool, StoreError> {
        let _lock = bug.lock()?;
        let stored = bug.read_report()?;
        if stored.status == Status::Pending || !fs::read(bug.input()).is_ok_and(|own| own == input)
        {
            return Ok(false);
        }
        self.rewrite(bug, &Report { explanation: Some(explanation), ..stored })?;
        Ok(true)
    }

    /// Raises the `hits` in a bug's report to the number counted so far.
    ///
    /// # Errors
    /// The bug does not exist or is damaged, or a file cannot be written.
    pub fn restate(&self, id: BugId) -> Result<(), StoreError> {
        let bug = self.bug(id);
        let _lock = bug.lock()?;
        let stored = bug.read_report()?;
        let hits = self.hits(id)?;
        if stored.hits >= hits {
            return Ok(());
        }
        self.rewrite(&bug, &Report { hits, ..stored })
    }

    /// Replaces a report by one of the same input. The caller holds the lock.
    ///
    /// Writes `report.json` last: if the process is killed before that, the next call does the work
    /// again from the old `report.json`.
    pub(crate) fn rewrite(&self, bug: &Bug, report: &Report) -> Result<(), StoreError> {
        if let Some(whole) = whole_of(bug, report) {
            let whole = report.close_whole_text(&whole);
            self.disk.replace(&bug.whole_text(), whole.as_bytes())?;
        }
        self.disk.replace(&bug.report_text(), report.to_text().as_bytes())?;
        self.disk.replace(&bug.report(), &report.to_json())
    }

    fn finish_as(
        &self,
        bug: &Bug,
        input: &[u8],
        report: &Report,
        repro: Option<&str>,
    ) -> Result<(), StoreError> {
        let _lock = bug.lock()?;
        let mut report = self.report_of(bug, report, report.status);
        report.hits = report.hits.max(self.hits(bug.id())?);
        let stored = bug.read_report()?;
        if let Ok(stored_input) = fs::read(bug.input())
            && stored.status != Status::Pending
            && standing(&stored, &stored_input) < standing(&report, input)
        {
            return self.add_what_is_known(bug, &stored, &report);
        }
        let whole = report.to_whole_text();
        let files = Files { input, repro, whole: whole.as_deref(), steps: None };
        self.replace(bug, &stored, &with_what_both_know(&report, &stored), &files)
    }

    /// Adds the first hit and the aliases of `other` to the report that stays. The caller holds the
    /// lock.
    pub(crate) fn add_what_is_known(
        &self,
        bug: &Bug,
        stays: &Report,
        other: &Report,
    ) -> Result<(), StoreError> {
        let report = with_what_both_know(stays, other);
        if report == *stays { Ok(()) } else { self.rewrite(bug, &report) }
    }

    /// Replaces the input and the report. The caller holds the lock and has compared the results.
    ///
    /// Writes `report.json` last. If its status is not "pending", this first sets it to "pending",
    /// so that a report never describes an input that is not there. All bytes are on the disk
    /// before the first rename.
    pub(crate) fn replace(
        &self,
        bug: &Bug,
        stored: &Report,
        report: &Report,
        files: &Files<'_>,
    ) -> Result<(), StoreError> {
        let disk = &self.disk;
        let reopened = match stored.status {
            Status::Pending => None,
            _ => Some(
                disk.stage(bug.dir(), &self.report_of(bug, stored, Status::Pending).to_json())?,
            ),
        };
        let stage = |bytes: &[u8]| disk.stage(bug.dir(), bytes);
        let input = stage(files.input)?;
        let repro = files.repro.map(|repro| stage(repro.as_bytes())).transpose()?;
        let whole = files.whole.map(|whole| report.close_whole_text(whole));
        let whole = whole.map(|whole| stage(whole.as_bytes())).transpose()?;
        let steps = files.steps.map(stage).transpose()?;
        let text = stage(report.to_text().as_bytes())?;
        let json = stage(&report.to_json())?;

        if let Some(reopened) = reopened {
            reopened.put(&bug.report())?;
            disk.sync_folder(bug.dir())?;
        }
        // Until the report is there, no steps must seem to belong to another input.
        disk.remove_file(&bug.steps())?;
        input.put(&bug.input())?;
        for (staged, path) in
            [(repro, bug.repro()), (whole, bug.whole_text()), (steps, bug.steps())]
        {
            match staged {
                Some(staged) => staged.put(&path)?,
                None => disk.remove_file(&path)?,
            }
        }
        text.put(&bug.report_text())?;
        disk.sync_folder(bug.dir())?;
        json.put(&bug.report())?;
        disk.sync_folder(bug.dir())
    }
}

/// What a result consists of beside its report.
pub(crate) struct Files<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) repro: Option<&'a str>,
    /// The text of the report with nothing cut.
    pub(crate) whole: Option<&'a str>,
    /// The bytes of `shrink.jsonl`.
    pub(crate) steps: Option<&'a [u8]>,
}

/// The text of a bug's report with nothing cut, `None` if `report.txt` cuts nothing.
pub(crate) fn whole_of(bug: &Bug, report: &Report) -> Option<String> {
    fs::read_to_string(bug.whole_text()).ok().or_else(|| report.to_whole_text())
}

/// The report that stays, with the first hit and the ids of both reports.
pub(crate) fn with_what_both_know(stays: &Report, other: &Report) -> Report {
    let report = with_first(stays, &first_of(stays, other));
    Report { aliases: united(&stays.aliases, &other.aliases), ..report }
}

/// The sort key of a result: of two results the smaller one stays. Every process computes the same
/// key, so the order of arrival does not matter.
pub(crate) fn standing(report: &Report, input: &[u8]) -> impl Ord + use<> {
    let reliability = match report.status {
        Status::Minimized | Status::BestEffort => 0,
        Status::Flaky => 1,
        Status::Pending => 2,
    };
    let choices = report.minimized_choices.unwrap_or(u64::MAX);
    let mut bytes = input.to_vec();
    if report.minimized_choices.is_none() {
        // The shrinker compares such inputs from the last byte to the first, so this does too.
        bytes.reverse();
    }
    (reliability, choices, bytes.len(), bytes, report.status == Status::BestEffort)
}

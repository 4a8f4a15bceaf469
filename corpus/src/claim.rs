//! Claiming: of all processes that see a new bug, exactly one gets it.

use std::fs;
use std::path::Path;

use crate::damage::check_original;
use crate::disk::temporary_in;
use crate::{
    Bug, BugId, BugStore, CAUSES_MAX, REPORT_FORMAT, Report, Status, StoreError, VARIANTS_MAX,
    content_hash, is_cause_key,
};

/// The answer to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// This caller has claimed the bug. It is in the store, pending, and no other process gets this
    /// answer.
    New,
    /// The store already holds the bug, so count a hit. Damaged bugs get this answer too, and stay
    /// until their owner looks at them.
    Known,
    /// The bug has [`VARIANTS_MAX`] variants by call path, or [`CAUSES_MAX`] by cause, and takes no
    /// more. Nothing was written; count a hit.
    Full,
}

impl BugStore {
    /// Puts a new bug into the store, unless the store holds it already.
    ///
    /// On [`Claim::New`] the bug is on the disk, and its `input` is a second copy of `original`.
    /// Its status is `pending`, whatever `report` says.
    ///
    /// If this fails or the process is killed, the store holds the whole bug or nothing of it. An
    /// error of the very last step, syncing the folder, leaves the bug claimed. It is then pending,
    /// and the next run minimizes it.
    ///
    /// # Errors
    /// A file cannot be written, or a file that is not a folder has the bug's name.
    pub fn claim(&self, id: BugId, original: &[u8], report: &Report) -> Result<Claim, StoreError> {
        self.claim_as(&self.bug(id), original, report)
    }

    /// Puts a new variant of a bug into the store, unless it is there or the bug has the most of
    /// its kind: [`VARIANTS_MAX`] by call path, [`CAUSES_MAX`] by cause.
    ///
    /// A variant is a failure of the bug that differs from the bug's own input: by its call path,
    /// or by its cause ([`cause_key`](crate::cause_key)).
    /// `variant_key` is 1 to 64 letters, digits, `-` or `_`. All else is as for
    /// [`BugStore::claim`].
    ///
    /// # Errors
    /// The bug does not exist, the key breaks this rule, or a file cannot be written.
    pub fn claim_variant(
        &self,
        id: BugId,
        variant_key: &str,
        original: &[u8],
        report: &Report,
    ) -> Result<Claim, StoreError> {
        let variant = self.checked_variant(id, variant_key)?;
        let _lock = self.bug(id).lock()?;
        let mut keys = self.variant_keys(id)?;
        keys.retain(|key| is_cause_key(key) == is_cause_key(variant_key));
        let keys_max = if is_cause_key(variant_key) { CAUSES_MAX } else { VARIANTS_MAX };
        if keys.len() >= keys_max && !keys.iter().any(|key| key == variant_key) {
            return Ok(Claim::Full);
        }
        self.claim_as(&variant, original, report)
    }

    /// Removes a variant by cause that turned out to be a known cause. Its bug stays.
    ///
    /// # Errors
    /// The bug does not exist, the key is not that of a variant by cause, or the folder cannot be
    /// removed.
    pub fn withdraw_cause(&self, id: BugId, cause_key: &str) -> Result<(), StoreError> {
        let variant = self.checked_variant(id, cause_key)?;
        if !is_cause_key(cause_key) {
            return Err(StoreError::bad_name(variant.dir(), "is not the key of a cause"));
        }
        let _lock = self.bug(id).lock()?;
        if variant.dir().is_dir() {
            let temporary = temporary_in(self.bug(id).dir());
            self.disk.rename_over(variant.dir(), &temporary)?;
            self.disk.discard(&temporary);
        }
        Ok(())
    }

    /// Keeps another hit of a bug, or of one of its variants, byte for byte. A hit that the store
    /// already keeps changes nothing.
    ///
    /// # Errors
    /// The bug or variant does not exist, or the file cannot be written.
    pub fn keep_original(
        &self,
        id: BugId,
        variant_key: Option<&str>,
        original: &[u8],
    ) -> Result<(), StoreError> {
        let bug = match variant_key {
            None => self.bug(id),
            Some(key) => self.checked_variant(id, key)?,
        };
        let _lock = bug.lock()?;
        let path = bug.dir().join(Bug::original_named(&content_hash(original)));
        if check_original(&path).is_ok() {
            return Ok(());
        }
        self.disk.replace(&path, original)
    }

    pub(crate) fn checked_variant(&self, id: BugId, variant_key: &str) -> Result<Bug, StoreError> {
        let variant = self.variant(id, variant_key);
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        if !(1..=64).contains(&variant_key.len()) || !variant_key.bytes().all(is_plain) {
            let rule = "is not the key of a variant; a key is 1 to 64 letters, digits, '-' or '_'";
            return Err(StoreError::bad_name(variant.dir(), rule));
        }
        Ok(variant)
    }

    fn claim_as(&self, bug: &Bug, original: &[u8], report: &Report) -> Result<Claim, StoreError> {
        let report = self.report_of(bug, report, Status::Pending);
        let original_name = Bug::original_named(&content_hash(original));
        let (text, whole) = (report.to_text(), report.to_whole_text());
        let json = report.to_json();
        let mut files: Vec<(&str, &[u8])> = vec![
            (&original_name, original),
            ("input", original),
            ("report.txt", text.as_bytes()),
            ("report.json", &json),
        ];
        files.extend(whole.iter().map(|whole| (Bug::WHOLE, whole.as_bytes())));
        Ok(if self.publish(bug, &files)? { Claim::New } else { Claim::Known })
    }

    /// The report as the store writes it for `bug`. The store sets the format, the target, the bug
    /// id and the status.
    pub(crate) fn report_of(&self, bug: &Bug, report: &Report, status: Status) -> Report {
        Report {
            format: REPORT_FORMAT,
            target: self.target().to_owned(),
            bug_id: bug.id(),
            status,
            ..report.clone()
        }
    }

    /// Makes a bug's folder with these files appear at once. Returns `false` if the folder already
    /// exists.
    pub(crate) fn publish(&self, bug: &Bug, files: &[(&str, &[u8])]) -> Result<bool, StoreError> {
        if is_there(bug)? {
            return Ok(false);
        }
        let parent = bug.dir().parent().unwrap_or(Path::new(""));
        let folder = temporary_in(parent);
        let published =
            self.prepare(&folder, files).and_then(|()| self.disk.rename_new(&folder, bug.dir()));
        match published {
            Ok(true) => {
                self.disk.sync_folder(parent)?;
                Ok(true)
            }
            Ok(false) => {
                self.disk.discard(&folder);
                if is_there(bug)? {
                    return Ok(false);
                }
                Err(StoreError::missing(
                    bug.dir(),
                    "was removed by another process; run the \
                                                    command again",
                ))
            }
            Err(error) => {
                self.disk.discard(&folder);
                Err(error)
            }
        }
    }

    fn prepare(&self, folder: &Path, files: &[(&str, &[u8])]) -> Result<(), StoreError> {
        self.disk.create_folder(folder)?;
        for (name, bytes) in files {
            self.disk.write_new(&folder.join(name), bytes)?;
        }
        self.disk.sync_folder(folder)
    }
}

fn is_there(bug: &Bug) -> Result<bool, StoreError> {
    match fs::metadata(bug.dir()) {
        Ok(metadata) if metadata.is_dir() => Ok(true),
        Ok(_) => Err(StoreError::corrupt(
            bug.dir(),
            "is a file, but a bug needs a folder of this name; move the file away",
        )),
        Err(_) => Ok(false),
    }
}

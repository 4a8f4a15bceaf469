//! How an input became small: the accepted steps of its shrink.

use std::fs;

use serde::{Deserialize, Serialize};

use crate::excerpt::excerpts;
use crate::printable::printable_json;
use crate::{Bug, BugStore, Status, StoreError};

/// The most steps that are kept of a shrink.
pub const STEPS_MAX: usize = 48;

/// The most bytes of all values of all steps.
const VALUES_MAX_BYTES: usize = 24 << 10;
/// A larger file was not written by dwindle.
const FILE_MAX_BYTES: u64 = 1 << 20;

/// An input that the shrinker accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShrinkStep {
    /// Runs of the target until then.
    pub calls: u64,
    /// Its choices. `None` where the target takes its input as it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choices: Option<u64>,
    /// Its size.
    pub bytes: u64,
    /// The drawn values as in [`Report::drawn`](crate::Report::drawn), cut. Empty if they are
    /// unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub value: Vec<String>,
}

impl Bug {
    /// The steps of the shrink of the present input, first to last. Empty if they are not known.
    /// Lines that cannot be read are left out.
    pub fn read_steps(&self) -> Vec<ShrinkStep> {
        let is_small =
            fs::metadata(self.steps()).is_ok_and(|metadata| metadata.len() <= FILE_MAX_BYTES);
        let text = if is_small { fs::read(self.steps()).unwrap_or_default() } else { Vec::new() };
        let lines = text.split(|byte| *byte == b'\n');
        let steps = lines.filter_map(|line| serde_json::from_slice(line).ok());
        steps.take(STEPS_MAX).collect()
    }
}

impl BugStore {
    /// Keeps how the input of a bug or of a variant became small, at most [`STEPS_MAX`] steps and
    /// about 32 KiB. Returns `false` if the store has another input by now: nothing is written
    /// then.
    ///
    /// # Errors
    /// The bug does not exist or is damaged, or the file cannot be written.
    pub fn keep_steps(
        &self,
        bug: &Bug,
        input: &[u8],
        steps: &[ShrinkStep],
    ) -> Result<bool, StoreError> {
        let _lock = bug.lock()?;
        let stored = bug.read_report()?;
        if stored.status == Status::Pending || !fs::read(bug.input()).is_ok_and(|own| own == input)
        {
            return Ok(false);
        }
        self.disk.replace(&bug.steps(), text(steps).as_bytes())?;
        Ok(true)
    }
}

fn text(steps: &[ShrinkStep]) -> String {
    let steps = &steps[steps.len().saturating_sub(STEPS_MAX)..];
    let value_max = VALUES_MAX_BYTES / steps.len().max(1);
    let mut text = String::new();
    for step in steps {
        let values = excerpts(&step.value, value_max, value_max);
        let all: usize = values.iter().map(|value| value.len()).sum();
        // Very many values: none of them would be left whole.
        let value = if all > 2 * value_max {
            Vec::new()
        } else {
            values.into_iter().map(std::borrow::Cow::into_owned).collect()
        };
        let json = serde_json::to_string(&ShrinkStep { value, ..*step })
            .expect("strings and numbers always make JSON");
        text += &printable_json(json);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BugId, BugKind, Report};

    fn step(calls: u64, value: &str) -> ShrinkStep {
        ShrinkStep { calls, choices: Some(3), bytes: 9, value: vec![value.to_owned()] }
    }

    fn minimized(store: &BugStore) -> (Bug, Report) {
        let id = BugId::from_bits(7);
        let pending = Report::pending("target", id, BugKind::Panic);
        store.claim(id, b"original", &pending).unwrap();
        let report = Report { status: Status::Minimized, ..pending };
        store.finish(id, b"ab", &report, None).unwrap();
        (store.bug(id), report)
    }

    #[test]
    fn steps_belong_to_the_input_that_they_led_to() {
        let folder = tempfile::tempdir().unwrap();
        let store = BugStore::open(folder.path(), "target").unwrap();
        let (bug, report) = minimized(&store);
        assert!(bug.read_steps().is_empty());
        assert!(!store.keep_steps(&bug, b"other", &[step(1, "[1]")]).unwrap());
        assert!(bug.read_steps().is_empty());
        let steps = [step(1, "[1, 2] \u{202e}"), step(5, "[1]")];
        assert!(store.keep_steps(&bug, b"ab", &steps).unwrap());
        assert_eq!(bug.read_steps(), steps);
        store.finish(bug.id(), b"a", &report, None).unwrap();
        assert!(bug.read_steps().is_empty(), "another input has other steps");
    }

    #[test]
    fn a_merge_keeps_the_steps_with_their_input() {
        let folder = tempfile::tempdir().unwrap();
        let one = BugStore::open(&folder.path().join("one"), "target").unwrap();
        let two = BugStore::open(&folder.path().join("two"), "target").unwrap();
        let (bug, _) = minimized(&one);
        one.keep_steps(&bug, b"ab", &[step(1, "[1]")]).unwrap();
        two.merge_from(&one).unwrap();
        assert_eq!(two.bug(bug.id()).read_steps(), [step(1, "[1]")]);
        let (bug, report) = minimized(&two);
        two.finish(bug.id(), b"a", &report, None).unwrap();
        two.keep_steps(&bug, b"a", &[step(2, "[]")]).unwrap();
        one.merge_from(&two).unwrap();
        assert_eq!(one.bug(bug.id()).read_steps(), [step(2, "[]")]);
    }

    #[test]
    fn the_file_is_bounded_and_damage_in_it_is_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let store = BugStore::open(folder.path(), "target").unwrap();
        let (bug, _) = minimized(&store);
        let steps: Vec<_> = (0..100).map(|calls| step(calls, &"x".repeat(5_000))).collect();
        store.keep_steps(&bug, b"ab", &steps).unwrap();
        assert!(fs::metadata(bug.steps()).unwrap().len() < 32 << 10);
        let kept = bug.read_steps();
        assert_eq!((kept.len(), kept[STEPS_MAX - 1].calls), (STEPS_MAX, 99));
        fs::write(bug.steps(), b"\xff\n{\"calls\":1,\"bytes\":2}\n{\"calls\":").unwrap();
        assert_eq!(bug.read_steps(), [ShrinkStep { calls: 1, bytes: 2, ..ShrinkStep::default() }]);
    }
}

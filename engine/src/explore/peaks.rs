//! The best cases so far, by the label of their scores.

use std::cmp::Ordering;

use fastrand::Rng;

use crate::choice::Value;
use crate::test_case::Score;
use crate::trace::{Label, Trace};

/// How many cases are kept for one label.
const KEPT: usize = 4;

/// Maximum labels. Further labels are ignored, because a target that makes labels of its draws
/// would fill the memory.
const LABELS_MAX: usize = 64;

/// The best cases of each label.
#[derive(Clone, Debug, Default)]
pub(super) struct Peaks(Vec<Peak>);

#[derive(Clone, Debug)]
struct Peak {
    label: Label,
    /// The best case first. Of equal cases, the newest first.
    best: Vec<(f64, Trace)>,
}

impl Peaks {
    /// Keeps a case under each label for which it is one of the best.
    pub(super) fn note(&mut self, scores: &[Score], trace: &Trace) {
        for Score { label, score } in scores {
            let index = match self.0.iter().position(|peak| peak.label == *label) {
                Some(index) => index,
                None if self.0.len() < LABELS_MAX => {
                    self.0.push(Peak { label: *label, best: Vec::new() });
                    self.0.len() - 1
                }
                None => continue,
            };
            self.0[index].note(*score, trace);
        }
    }

    /// Draws a case to mutate: mostly the best one of a label, with all labels equally likely.
    /// `None` if there are no cases.
    pub(super) fn parent(&self, rng: &mut Rng) -> Option<&Trace> {
        let peak = self.0.get(rng.usize(..self.0.len().max(1)))?;
        let index = if rng.u8(..8) == 0 { rng.usize(..peak.best.len()) } else { 0 };
        peak.best.get(index).map(|(_, trace)| trace)
    }
}

impl Peak {
    fn note(&mut self, score: f64, trace: &Trace) {
        // A case with an equal score goes in front of the kept one, so that the search can wander.
        // A longer case does not, because cases would grow without benefit.
        let size = size_of(trace);
        let at = self
            .best
            .iter()
            .position(|(kept, of)| match kept.total_cmp(&score) {
                Ordering::Less => true,
                Ordering::Equal => size <= size_of(of),
                Ordering::Greater => false,
            })
            .unwrap_or(self.best.len());
        if at < KEPT && !self.best.iter().any(|(_, of)| of.choices == trace.choices) {
            self.best.insert(at, (score, trace.clone()));
            self.best.truncate(KEPT);
        }
    }
}

/// The number of choices plus the bytes in their strings.
fn size_of(trace: &Trace) -> usize {
    let held = trace.choices.iter().map(|choice| match &choice.value {
        Value::Bytes(bytes) => bytes.len(),
        Value::Text(text) => text.len(),
        _ => 0,
    });
    trace.len() + held.sum::<usize>()
}

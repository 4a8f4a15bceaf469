//! Scores: how near an execution came to the goal of a search.

use super::{Driver, Source, TestCase};
use crate::trace::Label;

/// Receives the label and the score while an execution reads bytes and records nothing.
pub type Scorer = fn(Label, f64);

/// The greatest score of an execution under one label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// What the score measures.
    pub label: Label,
    /// How far the execution came.
    pub score: f64,
}

impl TestCase {
    /// Reports how near this execution came to a goal, on a scale of your choice. The search
    /// prefers inputs with higher scores, and mutates them.
    ///
    /// dwindle compares scores with the same label only.
    ///
    /// - Random test cases count the greatest score of an execution under each label. After a tenth
    ///   of the cases, it breeds new cases from the best ones.
    /// - Under libFuzzer and AFL++, an input with a new score is kept like an input with new
    ///   coverage. Large scores are new only if they differ by a 64th.
    /// - In a replay, a shrink or a report, this call does nothing.
    ///
    /// The idea: Löscher and Sagonas, Targeted Property-Based Testing, 2017.
    ///
    /// # Panics
    /// If `score` is infinite or not a number. Like any panic, this is a failure of the target.
    #[inline]
    #[track_caller]
    pub fn target(&mut self, score: f64, label: impl AsRef<str>) {
        assert!(
            score.is_finite(),
            "a score must be a finite number, and {score} is none: call `target` only where there \
             is one, or give a number for the worst"
        );
        if self.decode_only {
            if let Some(scorer) = self.scorer {
                scorer(Label::of(label.as_ref()), score);
            }
        } else if self.source == Source::Random {
            self.keep_score(Label::of(label.as_ref()), score);
        }
    }

    fn keep_score(&mut self, label: Label, score: f64) {
        match self.scores.iter_mut().find(|kept| kept.label == label) {
            Some(kept) => kept.score = kept.score.max(score),
            None => self.scores.push(Score { label, score }),
        }
    }
}

impl Driver {
    /// Sends each score to `scorer` from now on, while executions read bytes and record nothing.
    pub fn tell_scores(&mut self, scorer: Scorer) {
        self.0.scorer = Some(scorer);
    }

    /// The scores of a random execution: the greatest one for each label.
    pub fn scores(&self) -> &[Score] {
        &self.0.scores
    }
}

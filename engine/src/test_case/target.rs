//! Scores: how near an execution came to what is sought.

use super::{Source, TestCase};
use crate::trace::Label;

/// Who is told of scores while bytes are read and nothing is recorded: the label, and the score.
pub type Scorer = fn(Label, f64);

/// The greatest score that an execution told under one label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// What it is a score of.
    pub label: Label,
    /// How far the execution got.
    pub score: f64,
}

impl TestCase {
    /// Says how near this execution came to what is sought, in numbers of your own: the search prefers inputs with higher scores, and changes them.
    ///
    /// Scores of one label are compared with each other, those of different labels are not. Told more than once in an execution, the greatest counts for random cases,
    /// which are bred from the best ones after a tenth of them. Under libFuzzer and AFL++ an input with a score that no input had before is kept as one with new
    /// coverage is; large scores have to differ by a 64th for that. Where an input is replayed, shrunk or reported, this does nothing. The idea: Löscher and Sagonas,
    /// Targeted Property-Based Testing, 2017.
    ///
    /// # Panics
    /// If `score` is infinite or not a number; as any panic, that is a failure of the target.
    #[inline]
    #[track_caller]
    pub fn target(&mut self, score: f64, label: impl AsRef<str>) {
        assert!(
            score.is_finite(),
            "a score must be a finite number, and {score} is none: call `target` only where there is one, or give a number for the worst"
        );
        if self.decode_only {
            if let Some(scorer) = self.scorer {
                scorer(Label::of(label.as_ref()), score);
            }
        } else if self.source == Source::Random {
            self.keep_score(Label::of(label.as_ref()), score);
        }
    }

    /// Tells `scorer` of each score from now on, while bytes are read and nothing is recorded.
    pub fn tell_scores(&mut self, scorer: Scorer) {
        self.scorer = Some(scorer);
    }

    /// What a random execution told of itself: one score for each label, the greatest.
    pub fn scores(&self) -> &[Score] {
        &self.scores
    }

    fn keep_score(&mut self, label: Label, score: f64) {
        match self.scores.iter_mut().find(|kept| kept.label == label) {
            Some(kept) => kept.score = kept.score.max(score),
            None => self.scores.push(Score { label, score }),
        }
    }
}

//! Which edges failing and passing runs cover, and how suspicious that makes each.

use std::collections::BTreeMap;

use dwindle_corpus::{Reached, ochiai};
use dwindle_engine::internals::sorted::sort_by;

/// A suspicious edge covers at least this share of the failing runs, in percent. A run may miss an
/// edge because its counter had just wrapped to zero.
const FAILING_MIN: u32 = 90;
/// A suspicious edge covers at most this share of the passing runs, in percent.
const PASSING_MAX: u32 = 50;

/// How many runs cover each edge.
#[derive(Debug, Default)]
pub(super) struct Spectrum {
    failing: u32,
    passing: u32,
    /// For each edge, how many failing and how many passing runs cover it.
    covered: BTreeMap<u32, (u32, u32)>,
}

/// An edge that failing runs cover more often than passing ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scored {
    pub(super) edge: u32,
    pub(super) failing: Reached,
    pub(super) passing: Reached,
}

impl Scored {
    pub(super) fn score(&self) -> f64 {
        ochiai(self.failing, self.passing)
    }
}

impl Spectrum {
    /// Adds a run with the edges that it covers, each once.
    pub(super) fn add(&mut self, fails: bool, edges: &[u32]) {
        *(if fails { &mut self.failing } else { &mut self.passing }) += 1;
        for edge in edges {
            let (failing, passing) = self.covered.entry(*edge).or_default();
            *(if fails { failing } else { passing }) += 1;
        }
    }

    /// Whether a passing run covers this edge.
    pub(super) fn is_passed(&self, edge: u32) -> bool {
        self.covered.get(&edge).is_some_and(|(_, passing)| *passing > 0)
    }

    /// The suspicious edges, those with the best score first. Edges with the same score keep their
    /// order. None without both kinds of runs: then nothing tells the edges apart.
    pub(super) fn ranked(&self) -> Vec<Scored> {
        if self.failing == 0 || self.passing == 0 {
            return Vec::new();
        }
        let scored = self.covered.iter().map(|(edge, (failing, passing))| Scored {
            edge: *edge,
            failing: Reached { runs: *failing, of: self.failing },
            passing: Reached { runs: *passing, of: self.passing },
        });
        let mut ranked: Vec<Scored> = scored.filter(is_suspicious).collect();
        sort_by(&mut ranked, |one, other| other.score().total_cmp(&one.score()));
        ranked
    }
}

fn is_suspicious(scored: &Scored) -> bool {
    let Scored { failing, passing, .. } = scored;
    failing.runs * 100 >= failing.of * FAILING_MIN && passing.runs * 100 <= passing.of * PASSING_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spectrum(runs: &[(bool, &[u32])]) -> Spectrum {
        let mut spectrum = Spectrum::default();
        for (fails, edges) in runs {
            spectrum.add(*fails, edges);
        }
        spectrum
    }

    fn edges(spectrum: &Spectrum) -> Vec<u32> {
        spectrum.ranked().iter().map(|scored| scored.edge).collect()
    }

    #[test]
    fn an_edge_of_all_failing_and_few_passing_runs_comes_first() {
        // 1 runs always, 2 in one passing run, 3 in no passing run, 4 in passing runs only, and 5
        // in few failing runs.
        let spectrum = spectrum(&[
            (true, &[1, 2, 3, 5]),
            (true, &[1, 2, 3]),
            (false, &[1, 2, 4]),
            (false, &[1, 4]),
        ]);
        let ranked = spectrum.ranked();
        let [first, second] = ranked[..] else { panic!("{ranked:?}") };
        assert_eq!(
            first,
            Scored {
                edge: 3,
                failing: Reached { runs: 2, of: 2 },
                passing: Reached { runs: 0, of: 2 }
            }
        );
        assert_eq!((second.edge, second.passing.runs), (2, 1));
        assert!(first.score() > second.score());
        assert!(spectrum.is_passed(2) && !spectrum.is_passed(3) && !spectrum.is_passed(77));
    }

    #[test]
    fn edges_with_one_score_keep_their_order() {
        let spectrum = spectrum(&[(true, &[9, 4, 7]), (false, &[1])]);
        assert_eq!(edges(&spectrum), [4, 7, 9]);
    }

    #[test]
    fn nothing_is_suspicious_without_passing_or_without_failing_runs() {
        assert!(edges(&spectrum(&[(true, &[1, 2]), (true, &[1])])).is_empty());
        assert!(edges(&spectrum(&[(false, &[1, 2]), (false, &[1])])).is_empty());
        assert!(edges(&spectrum(&[])).is_empty());
    }

    #[test]
    fn one_failing_run_of_many_may_miss_an_edge() {
        let mut runs: Vec<(bool, &[u32])> = vec![(true, &[3]); 19];
        runs.extend([(true, &[][..]), (false, &[1])]);
        assert_eq!(edges(&spectrum(&runs)), [3]);
    }
}

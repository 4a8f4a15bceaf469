//! What the turns of a target have brought, and what the next one is expected to bring.
//!
//! A turn brings new edges and new bugs. Their rate after t seconds is assumed to be proportional
//! to 1/t, as in the live line of a run: see [`NewCoverage::estimate`].
//!
//! A file in the store, beside the target's folder, keeps the turns for the next time. They count
//! only for the executable that made them: what another one can cover is unknown.

use anyhow::{Context, Result};
use dwindle_corpus::events::NewCoverage;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The version of the file.
const FORMAT: u32 = 1;
/// The end of the file's name, after the name of the target.
const FILE: &str = ".turns.json";
/// Maximum turns that are kept. Then the oldest two become one.
const KEPT_MAX: usize = 64;

/// The turns of one target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Turns {
    format: u32,
    /// The hash of the executable.
    executable: String,
    /// Oldest first.
    turns: Vec<Turn>,
}

/// One turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Turn {
    /// How long it took.
    pub(crate) seconds: f64,
    /// How often new edges were covered, and how many new bugs were found.
    pub(crate) brought: u64,
}

impl Turns {
    /// Reads the turns of a target from the store in the folder `store`. The list is empty if there
    /// is no readable file, or if another executable made the turns.
    ///
    /// Returns an error if the executable cannot be read.
    pub(crate) fn read(store: &Path, target: &str, executable: &Path) -> Result<Turns> {
        let hash = hash(executable)?;
        let kept = fs::read(path(store, target))
            .ok()
            .and_then(|json| serde_json::from_slice::<Turns>(&json).ok())
            .filter(|kept| kept.format == FORMAT && kept.executable == hash)
            .filter(|kept| kept.turns.iter().all(|turn| turn.seconds.is_finite()));
        Ok(kept.unwrap_or(Turns { format: FORMAT, executable: hash, turns: Vec::new() }))
    }

    /// Writes the file, whole or not at all.
    pub(crate) fn write(&self, store: &Path, target: &str) -> Result<()> {
        let path = path(store, target);
        let write = || -> std::io::Result<()> {
            fs::create_dir_all(store)?;
            let mut file = tempfile::NamedTempFile::new_in(store)?;
            file.write_all(&serde_json::to_vec(self)?)?;
            file.persist(&path)?;
            Ok(())
        };
        write().with_context(|| format!("cannot write {}", path.display()))
    }

    /// Adds a turn.
    pub(crate) fn add(&mut self, turn: Turn) {
        self.turns.push(turn);
        if self.turns.len() > KEPT_MAX {
            let oldest = self.turns.remove(0);
            let next = &mut self.turns[0];
            next.seconds += oldest.seconds;
            next.brought += oldest.brought;
        }
    }

    /// How much a turn of this length is expected to bring. Infinite for a target without a turn.
    pub(crate) fn expected(&self, length: Duration) -> f64 {
        let seconds: f64 = self.turns.iter().map(|turn| turn.seconds).sum();
        if seconds <= 0.0 {
            return f64::INFINITY;
        }
        let brought = self.turns.iter().map(|turn| turn.brought).sum();
        let time = Duration::from_secs_f64(seconds);
        let after = |time: Duration| self.recent(seconds - time.as_secs_f64());
        NewCoverage::estimate(brought, after, time, length).expected
    }

    /// What the turns brought in their last `seconds`. Of a turn that lies partly in this time, the
    /// same part counts.
    fn recent(&self, seconds: f64) -> f64 {
        let mut left = seconds;
        let mut recent = 0.0;
        for turn in self.turns.iter().rev().filter(|turn| turn.seconds > 0.0) {
            let share = (left / turn.seconds).clamp(0.0, 1.0);
            recent += share * turn.brought as f64;
            left -= turn.seconds;
        }
        recent
    }
}

fn path(store: &Path, target: &str) -> PathBuf {
    store.join(format!("{target}{FILE}"))
}

fn hash(executable: &Path) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    fs::File::open(executable)
        .and_then(|file| hasher.update_reader(file).map(drop))
        .with_context(|| format!("cannot read {}", executable.display()))?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(of: &[(f64, u64)]) -> Turns {
        let mut turns = Turns { format: FORMAT, executable: String::new(), turns: Vec::new() };
        for &(seconds, brought) in of {
            turns.add(Turn { seconds, brought });
        }
        turns
    }

    const LENGTH: Duration = Duration::from_secs(6);

    #[test]
    fn a_target_without_a_turn_comes_first() {
        assert!(turns(&[]).expected(LENGTH) > turns(&[(6.0, 1000)]).expected(LENGTH));
    }

    #[test]
    fn what_brought_more_is_expected_to_bring_more() {
        let expected = |of: &[(f64, u64)]| turns(of).expected(LENGTH);
        assert!(expected(&[(6.0, 9)]) > expected(&[(6.0, 3)]));
        assert!(expected(&[(6.0, 3)]) > expected(&[(6.0, 0)]));
        // The same number in the first half only.
        assert!(expected(&[(6.0, 0), (6.0, 3)]) > expected(&[(6.0, 3), (6.0, 0)]));
        // A long time in vain, beside a short one.
        assert!(expected(&[(6.0, 0)]) > expected(&[(6.0, 0), (60.0, 0)]));
    }

    #[test]
    fn a_target_that_brings_nothing_gets_turns_later() {
        let good = turns(&[(6.0, 4), (600.0, 4)]);
        assert!(turns(&[(6.0, 0)]).expected(LENGTH) > good.expected(LENGTH));
    }

    #[test]
    fn the_oldest_turns_become_one() {
        let many: Vec<(f64, u64)> = (0..200).map(|at| (1.0, at % 3)).collect();
        let turns = turns(&many);
        assert_eq!(turns.turns.len(), KEPT_MAX);
        let seconds: f64 = turns.turns.iter().map(|turn| turn.seconds).sum();
        assert!((seconds - 200.0).abs() < 1e-9, "{seconds}");
        assert_eq!(turns.turns.iter().map(|turn| turn.brought).sum::<u64>(), 199);
    }

    #[test]
    fn turns_are_kept_for_the_same_executable_only() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, "one").unwrap();
        let store = folder.path().join("store");
        let mut kept = Turns::read(&store, "parse", &program).unwrap();
        kept.add(Turn { seconds: 6.0, brought: 2 });
        kept.write(&store, "parse").unwrap();
        assert_eq!(Turns::read(&store, "parse", &program).unwrap(), kept);
        assert_eq!(Turns::read(&store, "other", &program).unwrap().turns, []);
        fs::write(&program, "two").unwrap();
        assert_eq!(Turns::read(&store, "parse", &program).unwrap().turns, []);
    }

    #[test]
    fn a_damaged_file_counts_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, "one").unwrap();
        for text in ["", "{", "{\"format\":9}", "[1]"] {
            fs::write(folder.path().join("parse.turns.json"), text).unwrap();
            assert_eq!(Turns::read(folder.path(), "parse", &program).unwrap().turns, []);
        }
        assert!(Turns::read(folder.path(), "parse", &folder.path().join("missing")).is_err());
    }
}

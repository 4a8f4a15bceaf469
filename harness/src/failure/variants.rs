//! The call paths to one bug: the user's functions that led to the failure.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use dwindle_corpus::{BugId, BugKind};

use crate::failure::failed::{Failed, SignOfDamage};
use crate::failure::frames::shown_frames;

/// Distinguishes call paths. Symbolizing frames takes long, so each path is symbolized once.
pub(crate) struct Variants {
    manifest_dir: PathBuf,
    known: HashMap<Vec<usize>, Option<String>>,
}

impl Variants {
    pub(crate) fn new(manifest_dir: &Path) -> Variants {
        Variants { manifest_dir: manifest_dir.to_owned(), known: HashMap::new() }
    }

    /// The key of the call path to a failure. `None` if the path is unknown or meaningless.
    pub(crate) fn key(&mut self, failed: &Failed) -> Option<String> {
        if !tells(failed.kind)
            || failed.sign_of_damage == SignOfDamage::Heap
            || failed.addresses.is_empty()
        {
            return None;
        }
        let key = self.known.entry(failed.addresses.clone());
        key.or_insert_with_key(|addresses| key_of(&shown_frames(addresses, &self.manifest_dir)))
            .clone()
    }
}

/// Whether to check the call path of the `hit`th failure of a bug. Collecting the frames of a
/// panic takes as long as many executions.
pub(crate) fn is_looked_at(hit: u64) -> bool {
    const OFTEN: u64 = 256;
    hit.is_power_of_two() || hit.is_multiple_of(OFTEN)
}

/// Whether the frames identify the failure. A run that takes too much time or memory is stopped at
/// an arbitrary place. A stack overflows anywhere in its recursion.
fn tells(kind: BugKind) -> bool {
    match kind {
        BugKind::Panic | BugKind::Abort | BugKind::Segv | BugKind::Asan | BugKind::Exit => true,
        BugKind::StackOverflow | BugKind::Timeout | BugKind::Oom | BugKind::Leak => false,
    }
}

/// The key of a call path, from the frames of a report. Each function counts once, at its first
/// frame, so the depth of a recursion does not matter. Lines do not count, because every edit
/// changes them.
pub(crate) fn key_of(frames: &[String]) -> Option<String> {
    let mut functions: Vec<&str> = Vec::new();
    for frame in frames {
        let function = frame.rsplit_once(" (").map_or(frame.as_str(), |(function, _)| function);
        if !functions.contains(&function) {
            functions.push(function);
        }
    }
    (!functions.is_empty())
        .then(|| BugId::of(&format!("variant\n{}", functions.join("\n"))).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_depth_nor_line_makes_another_way() {
        let key = |frames: &[&str]| {
            key_of(&frames.iter().map(|frame| (*frame).to_owned()).collect::<Vec<_>>())
        };
        let way = key(&[
            "fail (a.rs:1)",
            "even (a.rs:2)",
            "odd (a.rs:3)",
            "even (a.rs:2)",
            "main (a.rs:9)",
        ]);
        assert_eq!(
            way,
            key(&[
                "fail (a.rs:7)",
                "even (a.rs:2)",
                "odd (a.rs:3)",
                "even (a.rs:2)",
                "odd (a.rs:3)",
                "main (a.rs:9)"
            ])
        );
        assert_ne!(way, key(&["fail (a.rs:1)", "other (a.rs:2)", "main (a.rs:9)"]));
        assert_eq!(key(&[]), None);
    }
}

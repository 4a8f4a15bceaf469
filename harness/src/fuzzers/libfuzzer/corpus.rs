//! A temporary corpus for users who gave none. Without it, a restarted fuzzer would lose everything
//! that the fuzzer before had learned.

use dwindle_corpus::events::Event;
use std::fs;
use std::path::{Path, PathBuf};

use crate::events;

/// A folder that exists until the end of the run.
pub(super) struct TemporaryCorpus(PathBuf);

impl TemporaryCorpus {
    /// Makes the folder and prints its path. Returns `None` if the folder cannot be made.
    pub(super) fn new() -> Option<TemporaryCorpus> {
        let folder = std::env::temp_dir().join(format!("dwindle-corpus-{}", std::process::id()));
        match std::fs::create_dir_all(&folder) {
            Ok(()) => {
                let text = format!(
                    "dwindle: no corpus folder is given; new inputs are kept in {} until the run \
                     ends",
                    folder.display()
                );
                events::say(Event::Note, &text);
                Some(TemporaryCorpus(folder))
            }
            Err(error) => {
                events::error(&format!(
                    "cannot make {}: {error}; when the fuzzer restarts, it loses its new inputs",
                    folder.display()
                ));
                None
            }
        }
    }

    /// The argument that names the folder to libFuzzer.
    pub(super) fn argument(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for TemporaryCorpus {
    fn drop(&mut self) {
        // Only this run uses the files in this folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How many executions libFuzzer makes before it fuzzes: one of the empty input, and one of each
/// file that is not empty. Without a file it runs one more input.
pub(super) fn executions_to_read(corpus: &[String]) -> u64 {
    1 + corpus.iter().map(|path| count_files(Path::new(path))).sum::<u64>().max(1)
}

/// How many files at a path, and below it, are not empty.
fn count_files(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    if metadata.is_dir() {
        fs::read_dir(path)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| count_files(&entry.path()))
            .sum()
    } else {
        u64::from(fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_corpus_that_is_not_empty_is_one_execution() {
        let folder = tempfile::tempdir().unwrap();
        let corpus = [folder.path().display().to_string()];
        assert_eq!((executions_to_read(&[]), executions_to_read(&corpus)), (2, 2));
        fs::create_dir(folder.path().join("below")).unwrap();
        for (name, content) in [("a", "1"), ("b", "2"), ("below/c", "3"), ("empty", "")] {
            fs::write(folder.path().join(name), content).unwrap();
        }
        assert_eq!(executions_to_read(&corpus), 4);
    }
}

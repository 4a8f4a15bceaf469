//! A temporary corpus for users who gave none. Without it, a restarted fuzzer would lose everything
//! that the fuzzer before had learned.

use dwindle_corpus::events::Event;
use std::path::PathBuf;

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
                    "dwindle: no corpus directory is given; what the fuzzer learns is kept in {} \
                     until the run ends",
                    folder.display()
                );
                events::say(Event::Note, &text);
                Some(TemporaryCorpus(folder))
            }
            Err(error) => {
                events::error(&format!(
                    "{} cannot be made: {error}; what the fuzzer learns is lost when it is started \
                     again",
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

//! A corpus for users who gave none: a fuzzer that is started again would have forgotten all it had learnt.

use std::path::PathBuf;

use serde_json::json;

use crate::events;

/// A folder that is gone at the end of the run.
pub(super) struct TemporaryCorpus(PathBuf);

impl TemporaryCorpus {
    /// Makes it, and says so; none if it cannot be made.
    pub(super) fn new() -> Option<TemporaryCorpus> {
        let folder = std::env::temp_dir().join(format!("dwindle-corpus-{}", std::process::id()));
        match std::fs::create_dir_all(&folder) {
            Ok(()) => {
                let text = format!("dwindle: no corpus directory is given; what the fuzzer learns is kept in {} until the run ends", folder.display());
                events::say("note", json!({}), &text);
                Some(TemporaryCorpus(folder))
            }
            Err(error) => {
                events::error(&format!("{} cannot be made: {error}; what the fuzzer learns is lost when it is started again", folder.display()));
                None
            }
        }
    }

    /// How libFuzzer is told of it.
    pub(super) fn argument(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for TemporaryCorpus {
    fn drop(&mut self) {
        // It holds nothing that anybody asked for.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

//! Runs inputs in processes that may die of them.

use crate::child::{INPUT_TIMEOUT_SECONDS, Message};
use crate::exit::Stop;
use crate::folders::as_argument;
use crate::session::Session;
use anyhow::{Result, anyhow};
use dwindle_corpus::events::{Event, EventLine, Progress};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How long the arguments of one process may be. The system allows more.
const ARGUMENTS_MAX_BYTES: usize = 64 << 10;

/// The target that runs inputs.
pub(super) struct Target<'a> {
    pub(super) name: &'a str,
    /// Arguments for libFuzzer.
    pub(super) engine_args: &'a [OsString],
}

/// An input that ended the process which ran it.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) path: PathBuf,
    pub(super) reason: String,
}

/// Runs each input once. The profiles go to `folder`. Returns the inputs that failed.
pub(super) fn run_all(
    target: &Target<'_>,
    session: &mut Session,
    inputs: &[PathBuf],
    folder: &Path,
) -> Result<Vec<Failed>> {
    let mut failed = Vec::new();
    let mut done = 0;
    let began = Instant::now();
    while done < inputs.len() {
        let batch: Vec<PathBuf> = inputs[done..].iter().map(|path| as_argument(path)).collect();
        let batch = &batch[..batch_length(&batch)];
        let mut command = session.command(None, None)?;
        // %m: all processes of one binary add to one file. %c: the counters lie in the file.
        command
            .env("LLVM_PROFILE_FILE", folder.join("%m%c.profraw"))
            // libFuzzer alone runs the inputs: a failure ends the process at once.
            .env("DWINDLE", "off")
            .arg(format!("-timeout={INPUT_TIMEOUT_SECONDS}"))
            .arg("-detect_leaks=0")
            .args(target.engine_args)
            .args(batch);
        let mut track = Track { batch, started: 0, is_running: false };
        let ending = session.watch(&mut command, |screen, line| {
            if !track.take(line) {
                return Ok(());
            }
            let progress = Progress {
                phase: "running".to_owned(),
                done: (done + track.started) as u64,
                total: inputs.len() as u64,
                seconds: began.elapsed().as_secs_f64(),
                bugs: failed.len() as u64,
            };
            let event = EventLine::new(Event::Progress(progress), "");
            screen.take(Message::Event(Box::new(event)))
        })?;
        if ending.interrupted {
            return Err(Stop::Interrupted.into());
        }
        if track.started == 0 {
            return Err(anyhow!(
                "target `{}` {} before it ran an input\n{}",
                target.name,
                ending.how(),
                ending.last_words()
            ));
        }
        if track.is_running && !ending.status.success() {
            let path = inputs[done + track.started - 1].clone();
            failed.push(Failed { path, reason: ending.reason() });
        }
        done += track.started;
    }
    Ok(failed)
}

/// How many of the paths fit into the arguments of one process, at least one.
fn batch_length(paths: &[PathBuf]) -> usize {
    let mut bytes = 0;
    let fit = paths.iter().take_while(|path| {
        bytes += path.as_os_str().len() + 1;
        bytes <= ARGUMENTS_MAX_BYTES
    });
    fit.count().max(1)
}

/// How far a process is with its inputs, from the output of libFuzzer.
struct Track<'a> {
    batch: &'a [PathBuf],
    started: usize,
    /// Whether the last input that was started has not ended.
    is_running: bool,
}

impl Track<'_> {
    /// Reads a line. Returns whether an input begins.
    fn take(&mut self, line: &str) -> bool {
        // The target may have printed the beginning of the line.
        let names = |words: &str, path: &Path| {
            let rest = line.split_once(words).map(|(_, rest)| rest);
            rest.is_some_and(|rest| rest.starts_with(&*path.to_string_lossy()))
        };
        let begins = self.batch.get(self.started).is_some_and(|next| names("Running: ", next));
        if begins {
            self.started += 1;
            self.is_running = true;
        } else if self.started > 0 && names("Executed ", &self.batch[self.started - 1]) {
            self.is_running = false;
        }
        begins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_does_not_end_is_the_one_that_failed() {
        let batch = ["c/a", "c/b", "c/c"].map(PathBuf::from);
        let mut track = Track { batch: &batch, started: 0, is_running: false };
        for (line, begins, started, is_running) in [
            ("Running 3 inputs 1 time(s) each.", false, 0, false),
            ("Running: c/a", true, 1, true),
            ("Running: c/c", false, 1, true),
            ("Executed c/a in 0 ms", false, 1, false),
            ("half a line of the targetRunning: c/b", true, 2, true),
            ("thread panicked", false, 2, true),
        ] {
            assert_eq!(track.take(line), begins, "{line}");
            assert_eq!((track.started, track.is_running), (started, is_running), "{line}");
        }
    }

    #[test]
    fn a_batch_has_at_least_one_input() {
        let paths = |bytes: usize, count| vec![PathBuf::from("p".repeat(bytes)); count];
        assert_eq!(batch_length(&paths(10, 3)), 3);
        assert_eq!(batch_length(&paths(2 * ARGUMENTS_MAX_BYTES, 3)), 1);
        assert_eq!(batch_length(&paths(ARGUMENTS_MAX_BYTES / 2 - 1, 3)), 2);
    }
}

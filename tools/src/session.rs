//! One target, built and run once: the shared part of `run`, `min`, `show` and `check`.

use crate::args::{Build, Limit, Sanitizer, Shrinking};
use crate::child::{self, Company, Ending, Message};
use crate::compile::{self, Purpose};
use crate::exit::Exit;
use crate::history::Recorder;
use crate::project::Project;
use crate::reports::{Findings, Origin};
use crate::screen::{Screen, error_line, from_here};
use crate::signals::Interrupts;
use anyhow::{Result, anyhow};
use dwindle_corpus::events::Event;
use dwindle_corpus::printable_line;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A target that has been built.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) project: Project,
    pub(crate) screen: Screen,
    target: String,
    executable: PathBuf,
    sanitizer: Sanitizer,
    interrupts: Interrupts,
    /// The bugs that the target has reported.
    pub(crate) findings: Findings,
    origin: Origin,
}

impl Session {
    /// Finds the fuzz crate and builds the target for an engine, or for another purpose.
    /// `echo`: show the target's output.
    pub(crate) fn open(
        target: &str,
        purpose: impl Into<Purpose>,
        build: &Build,
        echo: bool,
    ) -> Result<Self> {
        let project = Project::find(build.fuzz_dir.as_deref())?;
        project.require(target)?;
        let mut interrupts = Interrupts::catch()?;
        let executable = compile::build(&project, target, purpose.into(), build, &mut interrupts)?;
        let screen = Screen::new(build.json, echo);
        Ok(Self {
            origin: Origin::new(target, &project.dir, build),
            findings: Findings::default(),
            project,
            screen,
            target: target.to_owned(),
            executable,
            sanitizer: build.sanitizer,
            interrupts,
        })
    }

    /// The command for the target binary in a mode, with the store and the budget in its
    /// environment.
    pub(crate) fn command(
        &self,
        mode: Option<&str>,
        shrinking: Option<&Shrinking>,
    ) -> Result<Command> {
        let store = shrinking.map(|shrinking| self.store(shrinking)).transpose()?;
        let budget = shrinking.map_or(&[][..], |shrinking| &shrinking.budget);
        Ok(command_of(&self.executable, mode, store.as_deref(), budget, self.sanitizer))
    }

    /// As [`Session::command`], for a binary that is started several times.
    pub(crate) fn commands(
        &self,
        mode: &'static str,
        shrinking: &Shrinking,
    ) -> Result<impl Fn() -> Command + use<>> {
        let (executable, sanitizer) = (self.executable.clone(), self.sanitizer);
        let (store, budget) = (self.store(shrinking)?, shrinking.budget.clone());
        Ok(move || command_of(&executable, Some(mode), Some(&store), &budget, sanitizer))
    }

    /// Whether this process was asked to end since the last call.
    pub(crate) fn is_interrupted(&mut self) -> bool {
        self.interrupts.next().is_some()
    }

    /// Runs the command to its end and shows nothing but its output, if that is echoed. `on_line`
    /// gets each line of its stderr.
    pub(crate) fn watch(
        &mut self,
        command: &mut Command,
        mut on_line: impl FnMut(&mut Screen, &str) -> io::Result<()>,
    ) -> Result<Ending> {
        let screen = &mut self.screen;
        child::watch(command, &mut self.interrupts, Company::NONE, |message| {
            if let Message::Stderr(line) = &message {
                on_line(screen, line)?;
            }
            match message {
                Message::Event(_) => Ok(()),
                message => screen.take(message),
            }
        })
    }

    /// The file that was built.
    pub(crate) fn executable(&self) -> &Path {
        &self.executable
    }

    /// See [`Project::store`].
    pub(crate) fn store(&self, shrinking: &Shrinking) -> Result<PathBuf> {
        self.project.store(shrinking.store.as_deref())
    }

    /// Runs the command to its end, shows its events, and returns the exit code. `libfuzzer`: the
    /// binary has libFuzzer's `main`.
    pub(crate) fn drive(
        &mut self,
        mut command: Command,
        libfuzzer: bool,
        company: Company<'_>,
    ) -> Result<Exit> {
        let artifacts = artifact_folder(&command);
        let before = names_in(&artifacts);
        let (mut seen, mut recorder) = (Seen::default(), Recorder::default());
        let (screen, findings) = (&mut self.screen, &mut self.findings);
        let ending = child::watch(&mut command, &mut self.interrupts, company, |message| {
            if let Message::Event(event) = &message {
                findings.take(event.event(), &mut self.origin);
                if let Err(error) = recorder.take(event.event(), screen.gauges()) {
                    screen.aside(&format!(
                        "warning: the history of this run cannot be written: {error}"
                    ));
                }
                seen.has_spoken = true;
                seen.has_explained |= matches!(event.event(), Some(Event::Error));
                seen.has_ended |= matches!(event.event(), Some(Event::End(_)));
            }
            screen.take(message)
        })?;
        self.screen.end();
        if ending.overran {
            let words = "did not end when its time was up and was killed; the next run minimizes \
                         the pending bugs";
            self.screen.aside(&error_line(&format!("target `{}` {words}", self.target)));
            return Ok(Exit::Environment);
        }

        let new_artifact = names_in(&artifacts)
            .difference(&before)
            .next()
            .map(|artifact| from_here(&artifacts.join(artifact)));
        self.exit(&ending, libfuzzer, &seen, new_artifact)
    }

    /// The exit code of a binary that has ended. Says why, if the binary has not said it.
    fn exit(
        &self,
        ending: &Ending,
        libfuzzer: bool,
        seen: &Seen,
        new_artifact: Option<String>,
    ) -> Result<Exit> {
        let &Seen { has_spoken, has_explained, has_ended } = seen;
        let stranger = "check that it uses `dwindle::fuzz_target!`, and that DWINDLE=off is not \
                        set";
        match ending.exit(libfuzzer) {
            Some(Exit::Interrupted) => Ok(Exit::Interrupted),
            // A run with an `end` event has already reported everything. Without one, libFuzzer
            // itself ended the run because the target died.
            Some(Exit::Bugs) if libfuzzer && has_spoken && !has_ended && !self.screen.echoes() => {
                self.tell_tail(ending);
                let input = new_artifact.map(|artifact| format!("; the input: {artifact}"));
                self.screen.aside(&error_line(&format!(
                    "target `{}` died{}",
                    self.target,
                    input.unwrap_or_default()
                )));
                Ok(Exit::Bugs)
            }
            Some(exit @ (Exit::Clean | Exit::Bugs)) if has_spoken => Ok(exit),
            // When the user asks for its help, libFuzzer answers and runs no input.
            Some(exit @ (Exit::Clean | Exit::Bugs)) if libfuzzer && self.screen.echoes() => {
                Ok(exit)
            }
            Some(exit @ (Exit::Clean | Exit::Bugs)) if libfuzzer => {
                self.tell_tail(ending);
                self.screen.aside(&error_line(&format!(
                    "target `{}` ran without dwindle: {stranger}",
                    self.target
                )));
                Ok(exit)
            }
            Some(Exit::Clean | Exit::Bugs) => {
                self.tell_tail(ending);
                Err(anyhow!("target `{}` does not use dwindle: {stranger}", self.target))
            }
            Some(exit @ (Exit::Environment | Exit::WrongUse)) if has_explained => Ok(exit),
            Some(Exit::Environment | Exit::WrongUse) | None => {
                self.tell_tail(ending);
                let words = format!("target `{}` {}", self.target, ending.how());
                match new_artifact {
                    Some(artifact) => {
                        let words = format!("{words}; the input: {artifact}");
                        self.screen.aside(&error_line(&words));
                        Ok(Exit::Bugs)
                    }
                    None => Err(anyhow!(words)),
                }
            }
        }
    }

    fn tell_tail(&self, ending: &Ending) {
        // If the output was echoed, these lines are already on the screen.
        for line in ending.tail.iter().filter(|_| !self.screen.echoes()) {
            self.screen.aside(&printable_line(line));
        }
    }
}

fn command_of(
    executable: &Path,
    mode: Option<&str>,
    store: Option<&Path>,
    budget: &[Limit],
    sanitizer: Sanitizer,
) -> Command {
    let mut command = Command::new(executable);
    match mode {
        Some(mode) => command.env("DWINDLE_MODE", mode),
        None => command.env_remove("DWINDLE_MODE"),
    };
    if let Some(store) = store {
        command.env("DWINDLE_STORE", store);
    }
    for limit in budget {
        match limit {
            Limit::Calls(calls) => command.env("DWINDLE_BUDGET_CALLS", calls.to_string()),
            Limit::Seconds(seconds) => command.env("DWINDLE_BUDGET_SECONDS", seconds.to_string()),
        };
    }
    if sanitizer == Sanitizer::Address {
        // As in cargo-fuzz: duplicate symbols of Rust are not the user's bugs.
        let mut options = std::env::var_os("ASAN_OPTIONS").unwrap_or_default();
        if !options.is_empty() {
            options.push(":");
        }
        options.push("detect_odr_violation=0");
        command.env("ASAN_OPTIONS", options);
    }
    command
}

/// What a binary has sent.
#[derive(Default)]
struct Seen {
    /// Any event.
    has_spoken: bool,
    /// An error with its reason.
    has_explained: bool,
    /// The figures of the end.
    has_ended: bool,
}

/// The folder in which libFuzzer stores crashing inputs. It is that of the last `-artifact_prefix`,
/// because libFuzzer also uses the last one.
fn artifact_folder(command: &Command) -> PathBuf {
    let prefix = command
        .get_args()
        .filter_map(|argument| argument.as_encoded_bytes().strip_prefix(b"-artifact_prefix="))
        .last()
        .unwrap_or_default();
    let prefix = Path::new(OsStr::from_bytes(prefix));
    if prefix.is_dir() { prefix.to_owned() } else { prefix.parent().unwrap_or(prefix).to_owned() }
}

fn names_in(folder: &Path) -> HashSet<OsString> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
}

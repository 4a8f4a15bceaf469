//! Converts one fuzz folder and runs its targets, as a user would.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::tools;

/// What was tried of one fuzz crate, and what came of it.
#[derive(Debug, Default)]
pub(super) struct Attempt {
    /// Why it was not converted. `None` if it was.
    pub(super) refusal: Option<String>,
    /// The targets that were tried.
    pub(super) targets: Vec<Target>,
    /// How many targets there are.
    pub(super) targets_all: usize,
    /// What a user must do, or find out, without `cargo dwindle`.
    pub(super) by_hand: Vec<String>,
}

impl Attempt {
    /// A fuzz crate that was not converted.
    pub(super) fn refused(why: &str) -> Self {
        Self { refusal: Some(why.to_owned()), ..Self::default() }
    }
}

/// One target, and its run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Target {
    pub(super) is_built: bool,
    pub(super) executions: u64,
    /// The bugs in the store at the end.
    pub(super) bugs: u64,
    /// Those of them whose input is minimized.
    pub(super) minimized: u64,
}

/// `cargo dwindle`.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) executable: PathBuf,
    /// The folder of the crate `dwindle`.
    pub(super) harness: PathBuf,
    /// Where all projects are built, so that cargo builds dwindle once.
    pub(super) target_dir: PathBuf,
}

impl Tool {
    /// Converts the crates in and below `folder`. Gives the remarks for the user, or the attempt
    /// that ended here.
    pub(super) fn convert(&self, folder: &Path) -> Result<Result<Vec<String>, Attempt>> {
        let mut command = self.command(folder.parent().unwrap_or(folder));
        command.args(["init", "--yes", "--dwindle"]).arg(&self.harness);
        let output = command.output().context("cannot start cargo dwindle")?;
        if !output.status.success() {
            return Ok(Err(Attempt::refused(&first_error(&output))));
        }
        let mut remarks: Vec<String> =
            text(&output.stderr).lines().map(str::trim).map(str::to_owned).collect();
        remarks.retain(|remark| !remark.is_empty());
        Ok(Ok(remarks))
    }

    /// Builds and runs the first targets of a converted fuzz crate. `remarks` are those of the
    /// conversion.
    pub(super) fn run(
        &self,
        fuzz_crate: &Path,
        remarks: &[String],
        targets_max: usize,
        seconds: u64,
    ) -> Result<Attempt> {
        let mut attempt = Attempt { by_hand: remarks.to_vec(), ..Attempt::default() };
        let mut list = self.command(fuzz_crate);
        let output = list.args(["list", "--json", "--fuzz-dir", "."]).output();
        let output = output.context("cannot start cargo dwindle")?;
        if !output.status.success() {
            attempt.by_hand.push(first_error(&output));
            return Ok(attempt);
        }
        let targets = events(&output, "target");
        let targets: Vec<&str> =
            targets.iter().filter_map(|event| event["target"].as_str()).collect();
        attempt.targets_all = targets.len();
        for name in targets.into_iter().take(targets_max) {
            eprintln!("  {name}");
            let (target, trouble) = self.run_target(fuzz_crate, name, seconds)?;
            attempt.targets.push(target);
            attempt.by_hand.extend(trouble.map(|trouble| format!("`{name}`: {trouble}")));
        }
        Ok(attempt)
    }

    /// Builds and runs one target. The text says what went wrong, if something did.
    fn run_target(
        &self,
        fuzz_crate: &Path,
        name: &str,
        seconds: u64,
    ) -> Result<(Target, Option<String>)> {
        let mut target = Target::default();
        let mut build = self.command(fuzz_crate);
        let output = build.args(["build", name, "--fuzz-dir", "."]).output();
        let output = output.context("cannot start cargo dwindle")?;
        if !output.status.success() {
            return Ok((target, Some(first_error(&output))));
        }
        target.is_built = true;
        let mut run = self.command(fuzz_crate);
        run.args(["run", name, "--json", "--fuzz-dir", ".", "--max-time", &seconds.to_string()]);
        let output = run.output().context("cannot start cargo dwindle")?;
        let ends = events(&output, "end");
        let Some(end) = ends.last() else {
            return Ok((target, Some(first_error(&output))));
        };
        let empty = Vec::new();
        let bugs = end["bugs"].as_array().unwrap_or(&empty);
        let is_minimized = |bug: &&Value| bug["report"]["status"] == "minimized";
        target.executions = end["executions"].as_u64().unwrap_or_default();
        target.bugs = bugs.len() as u64;
        target.minimized = bugs.iter().filter(is_minimized).count() as u64;
        let trouble = (!matches!(output.status.code(), Some(0 | 1)))
            .then(|| format!("the run ended with {}", output.status));
        Ok((target, trouble))
    }

    fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.executable);
        command
            .arg("dwindle")
            .current_dir(folder)
            .env("CARGO_TARGET_DIR", &self.target_dir)
            .stdin(Stdio::null());
        tools::free_of_dwindle(&mut command);
        command
    }
}

/// The events of this kind that a command printed with `--json`.
fn events(output: &Output, kind: &str) -> Vec<Value> {
    let text = text(&output.stdout);
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events.filter(|event| event["event"] == kind).collect()
}

/// The first line of the first error that a command printed, else its last line, else how it ended.
fn first_error(output: &Output) -> String {
    let text = text(&output.stderr);
    let is_error = |line: &&str| line.starts_with("error:") || line.starts_with("error[");
    let line = text.lines().find(is_error).or_else(|| text.lines().rfind(|line| !line.is_empty()));
    line.map_or_else(|| output.status.to_string(), |line| line.trim().to_owned())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn output(stderr: &str) -> Output {
        Output {
            status: ExitStatus::from_raw(3 << 8),
            stdout: b"{\"event\":\"end\",\"executions\":7}\nwords\n{\"event\":\"start\"}\n"
                .to_vec(),
            stderr: stderr.into(),
        }
    }

    #[test]
    fn the_first_error_is_shown_else_the_last_line_else_the_exit_code() {
        for (stderr, shown) in [
            ("   Compiling a\nerror[E1]: one\nerror: two\n", "error[E1]: one"),
            ("warning: x\nthe end\n\n", "the end"),
            ("", "exit status: 3"),
        ] {
            assert_eq!(first_error(&output(stderr)), shown);
        }
    }

    #[test]
    fn events_of_one_kind_are_read() {
        let ends = events(&output(""), "end");
        assert_eq!(ends.len(), 1);
        assert_eq!(ends[0]["executions"], 7);
    }
}

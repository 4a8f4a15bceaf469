//! Steps one after the other, each with its title, its time, and the command that repeats it alone.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::tools;

/// One thing CI does.
#[derive(Debug)]
pub struct Step {
    /// What it shows, in few words.
    pub title: &'static str,
    /// What must succeed, in order.
    pub commands: Vec<Command>,
    /// What must be there; called before the commands.
    pub needs: Vec<fn() -> Result<()>>,
}

impl Step {
    /// A step that needs nothing but Rust.
    pub fn new(title: &'static str, commands: impl IntoIterator<Item = Command>) -> Step {
        Step { title, commands: commands.into_iter().collect(), needs: Vec::new() }
    }

    /// The same, which first sees to it that something is there.
    #[must_use]
    pub fn needs(mut self, what: fn() -> Result<()>) -> Step {
        self.needs.push(what);
        self
    }
}

/// Runs all steps up to the first that fails.
///
/// # Errors
/// What failed, and the command that repeats it.
pub fn run(name: &str, steps: Vec<Step>) -> Result<()> {
    let started = Instant::now();
    let count = steps.len();
    for (index, mut step) in steps.into_iter().enumerate() {
        eprintln!("\n=== {} of {count}: {}", index + 1, step.title);
        let began = Instant::now();
        for need in &step.needs {
            need().with_context(|| {
                format!("{name} failed at step {} of {count}, {}", index + 1, step.title)
            })?;
        }
        for command in &mut step.commands {
            let words = shown(command);
            // What an incremental build would keep fills gigabytes.
            command.env("CARGO_INCREMENTAL", "0");
            let status = command.status().with_context(|| format!("cannot start {words}"))?;
            if !status.success() {
                bail!(
                    "{name} failed at step {} of {count}, {} ({status}); alone:\n    {words}",
                    index + 1,
                    step.title,
                );
            }
        }
        eprintln!("=== {}: passed in {}", step.title, minutes(began.elapsed()));
    }
    eprintln!("\n{name}: all {count} steps passed in {}", minutes(started.elapsed()));
    Ok(())
}

/// The command as one would type it in the repository's folder.
pub fn shown(command: &Command) -> String {
    let root = tools::root();
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!("{}={}", name.to_string_lossy(), quoted(&value.to_string_lossy())));
        }
    }
    let program = Path::new(command.get_program());
    words.push(program.file_name().unwrap_or(command.get_program()).to_string_lossy().into_owned());
    for argument in command.get_args() {
        let path = Path::new(argument);
        words.push(quoted(&path.strip_prefix(&root).unwrap_or(path).to_string_lossy()));
    }
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_=./+,:".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {} s", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_failure_ends_the_steps_and_names_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let reached = folder.path().join("reached");
        let error = run(
            "demo",
            vec![
                Step::new("the first", [sh("true")]),
                Step::new("the second", [sh("exit 7")]),
                Step::new("the third", [sh(&format!("touch {}", reached.display()))]),
            ],
        )
        .unwrap_err();
        let words = error.to_string();
        assert!(
            words.contains("step 2 of 3, the second")
                && words.ends_with("alone:\n    sh -c 'exit 7'"),
            "{words}"
        );
        assert!(!reached.exists());
    }

    #[test]
    fn a_missing_tool_fails_its_step() {
        let error = run(
            "demo",
            vec![Step::new("the only", [sh("true")]).needs(|| bail!("no compiler here"))],
        )
        .unwrap_err();
        assert_eq!(format!("{error:#}"), "demo failed at step 1 of 1, the only: no compiler here");
    }

    #[test]
    fn a_command_is_shown_as_a_user_types_it() {
        let mut command = Command::new("/usr/lib/cargo");
        command
            .arg("doc")
            .arg(tools::root().join("fuzz/Cargo.toml"))
            .env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(shown(&command), "RUSTDOCFLAGS='-D warnings' cargo doc fuzz/Cargo.toml");
    }
}

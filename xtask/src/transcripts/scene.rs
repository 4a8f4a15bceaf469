//! The folder in which the commands of a page run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use regex::Regex;
use tempfile::TempDir;

use crate::tools;

/// What documents write for the folder of a clone of this repository.
const CLONE: &str = "../path/to/dwindle/";

/// `cargo dwindle` as in the clone: on the targets of this repository, but with a corpus, a store
/// and other output in the current folder.
const IN_THE_REPOSITORY: &str = r#"#!/bin/sh
set -eu
shift
command=$1 target=${2:-}
shift
export DWINDLE_STORE="$PWD/fuzz/crashes"
case "$command $*" in
    *"--engine afl"*) set -- "$@" --as-is --out "fuzz/afl/$target" ;;
    *"--engine random"* | *"--all"*) ;;
    "run "* | "cmin "* | "coverage "*)
        shift
        mkdir -p "fuzz/corpus/$target"
        set -- "$target" "fuzz/corpus/$target" "$@" ;;
esac
exec "$DWINDLE_EXECUTABLE" "$command" --fuzz-dir "$DWINDLE_REPOSITORY/fuzz" "$@"
"#;

/// `cargo dwindle` as a user has it.
const INSTALLED: &str = "#!/bin/sh\nexec \"$DWINDLE_EXECUTABLE\" \"$@\"\n";

/// A temporary folder with the files of a page.
pub(super) struct Scene {
    folder: TempDir,
    /// The folders with `cargo-dwindle`: in the repository, and elsewhere.
    in_the_repository: PathBuf,
    installed: PathBuf,
    executable: PathBuf,
}

impl Scene {
    pub(super) fn new() -> Result<Scene> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let script = |name: &str, text: &str| -> Result<PathBuf> {
            let bin = folder.path().join(name);
            fs::create_dir(&bin)?;
            let path = bin.join("cargo-dwindle");
            fs::write(&path, text)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
            Ok(bin)
        };
        let in_the_repository = script(".in-the-repository", IN_THE_REPOSITORY)?;
        let installed = script(".installed", INSTALLED)?;
        let executable = tools::build_cargo_dwindle()?;
        Ok(Scene { folder, in_the_repository, installed, executable })
    }

    /// Writes a file of the page.
    pub(super) fn write(&self, path: &str, text: &str) -> Result<()> {
        let path = self.folder.path().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).context("cannot make a folder of the scene")?;
        }
        fs::write(&path, with_the_clone(text))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Adds to the end of a file of the scene, which a command has made.
    pub(super) fn append(&self, path: &str, text: &str) -> Result<()> {
        let before = fs::read_to_string(self.folder.path().join(path))
            .with_context(|| format!("no command has made {path}"))?;
        self.write(path, &format!("{before}\n{text}"))
    }

    /// Runs the commands of a transcript. Returns a transcript with what they print.
    pub(super) fn transcript(
        &self,
        folder: &str,
        text: &str,
        max_time: Option<u64>,
    ) -> Result<String> {
        let shorter = Regex::new(r"--max-time \d+").context("a regular expression")?;
        let mut transcript = String::new();
        for command in commands(text) {
            let run = match max_time {
                Some(seconds) => {
                    shorter.replace_all(&command, format!("--max-time {seconds}")).into_owned()
                }
                None => command.clone(),
            };
            transcript.extend(["$ ", &command, "\n", &self.run(folder, &run)?]);
        }
        ensure!(!transcript.is_empty(), "a transcript in {folder} has no command");
        Ok(transcript)
    }

    /// What a command prints to stdout.
    fn run(&self, folder: &str, command: &str) -> Result<String> {
        let is_repository = folder == "repository";
        let folder = self.folder.path().join(if is_repository { "." } else { folder });
        fs::create_dir_all(&folder).context("cannot make a folder of the scene")?;
        share_builds(&folder)?;
        let bin = if is_repository { &self.in_the_repository } else { &self.installed };
        let mut shell = Command::new("sh");
        shell.args(["-c", &with_the_clone(command)]).current_dir(&folder);
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            // What the cargo that runs this sets for its own crate.
            if name.starts_with("DWINDLE") || name.starts_with("CARGO_PKG") {
                shell.env_remove(&*name);
            }
        }
        if command.contains("--engine afl") {
            tools::with_cargo_afl(&mut shell)?;
        }
        let known = shell.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, path)| path);
        let path = known.map(ToOwned::to_owned).or_else(|| std::env::var_os("PATH"));
        let path = std::env::join_paths(
            [bin.clone()].into_iter().chain(std::env::split_paths(&path.unwrap_or_default())),
        )?;
        shell
            .env("PATH", path)
            .env("DWINDLE_EXECUTABLE", &self.executable)
            .env("DWINDLE_REPOSITORY", tools::root())
            .env("CARGO_TARGET_DIR", tools::fuzz_target_dir())
            .env("CARGO_TERM_COLOR", "never")
            .env_remove("CARGO_MANIFEST_DIR")
            .env_remove("GITHUB_ACTIONS")
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        let output = shell.output().with_context(|| format!("cannot start `{command}`"))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let printed = printed.replace(&*self.folder.path().to_string_lossy(), "/home/you");
        let harness = Regex::new("\"[^\"\n]*/harness\"").context("a regular expression")?;
        let harness_shown = format!("\"../{CLONE}harness\"");
        let mut printed = harness.replace_all(&printed, &*harness_shown).into_owned();
        if !printed.is_empty() && !printed.ends_with('\n') {
            printed.push('\n');
        }
        Ok(printed)
    }
}

/// The commands of a transcript. A command goes on in the next line after a backslash.
fn commands(text: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            commands.push(command.to_owned());
        } else if let Some(command) = commands.last_mut().filter(|_| goes_on) {
            *command = format!("{command}\n{line}");
        } else {
            continue;
        }
        goes_on = line.ends_with('\\');
    }
    commands
}

/// The text with the true path of the clone, also where it is seen from a folder of the crate.
fn with_the_clone(text: &str) -> String {
    let clone = format!("{}/", tools::root().display());
    text.replace(&format!("../{CLONE}"), &clone).replace(CLONE, &clone)
}

/// Lets each crate of the scene that has no lock file share what other tests have built.
fn share_builds(folder: &Path) -> Result<()> {
    for of in [folder.to_owned(), folder.join("fuzz")] {
        if of.join("Cargo.toml").is_file() && !of.join("Cargo.lock").exists() {
            tools::share_builds(&of)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_what_they_print() {
        let text = "$ one \\\n  more\nprinted $ two\n$ three\n  printed\n";
        assert_eq!(commands(text), ["one \\\n  more", "three"]);
    }
}

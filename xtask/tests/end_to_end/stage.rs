//! A fuzz crate to play on, and a temporary folder for all that a run leaves.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use xtask::tools;

use crate::processes::kill;

/// Longer than anything here takes, builds on a busy machine included.
const PATIENCE: Duration = Duration::from_mins(15);

/// A fuzz crate, and a folder of this test alone with `store/`, `corpus/` and `artifacts/`.
pub(crate) struct Stage {
    fuzz_dir: PathBuf,
    dir: TempDir,
}

impl Stage {
    /// The fuzz crate of this repository.
    pub(crate) fn ours() -> Stage {
        Stage::of(tools::root().join("fuzz"))
    }

    /// The tiny targets beside these tests.
    pub(crate) fn fixture() -> Stage {
        Stage::of(tools::root().join("xtask/tests/fixture"))
    }

    /// A folder in which a test makes its own crate `demo`. The crate `demo/fuzz` fuzzes `demo`.
    pub(crate) fn project() -> Stage {
        let mut stage = Stage::of(PathBuf::new());
        stage.fuzz_dir = stage.path("demo/fuzz");
        stage
    }

    fn of(fuzz_dir: PathBuf) -> Stage {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("corpus")).unwrap();
        fs::create_dir(dir.path().join("artifacts")).unwrap();
        Stage { fuzz_dir, dir }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A file in the folder of this test.
    pub(crate) fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// `cargo dwindle run TARGET`, from the corpus of this test.
    pub(crate) fn run(&self, target: &str, options: &[&str], engine_args: &[&str]) -> Command {
        let mut command = self.dwindle("run", target);
        if !options.contains(&"random") {
            command.arg(self.path("corpus"));
        }
        command.args(options).arg("--").arg(self.artifact_prefix()).args(engine_args);
        command
    }

    /// `cargo dwindle SUBCOMMAND TARGET`.
    pub(crate) fn dwindle(&self, subcommand: &str, target: &str) -> Command {
        let mut command = self.dwindle_for_all(subcommand);
        command.arg(target);
        command
    }

    /// `cargo dwindle SUBCOMMAND`.
    pub(crate) fn dwindle_for_all(&self, subcommand: &str) -> Command {
        let mut command = Command::new(cargo_dwindle());
        command.args([subcommand, "--fuzz-dir"]).arg(&self.fuzz_dir);
        self.set_the_stage(&mut command);
        command
    }

    /// `cargo dwindle SUBCOMMAND TARGET`, for the fuzz crate in a folder.
    pub(crate) fn dwindle_in(&self, fuzz_dir: &Path, subcommand: &str, target: &str) -> Command {
        let mut command = Command::new(cargo_dwindle());
        command.args([subcommand, target, "--fuzz-dir"]).arg(fuzz_dir);
        self.set_the_stage(&mut command);
        command
    }

    /// `cargo dwindle`, in the folder of the crate `demo`.
    pub(crate) fn dwindle_in_demo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(cargo_dwindle());
        self.set_the_stage(&mut command);
        command.args(arguments).current_dir(self.path("demo"));
        command
    }

    /// `cargo dwindle SUBCOMMAND TARGET`, with cargo-afl where cargo finds it.
    pub(crate) fn with_afl(&self, subcommand: &str, target: &str) -> Command {
        let mut command = self.dwindle(subcommand, target);
        tools::with_cargo_afl(&mut command).unwrap();
        command
    }

    /// `cargo dwindle run TARGET --engine afl`, from the corpus of this test, with its instances in
    /// `out/`.
    pub(crate) fn campaign(&self, target: &str, options: &[&str]) -> Command {
        let mut command = self.with_afl("run", target);
        command
            .arg(self.path("corpus"))
            .args(["--engine", "afl", "--as-is", "--out"])
            .arg(self.path("out"))
            .args(options);
        command
    }

    /// `cargo +nightly fuzz run TARGET`, from the corpus of this test.
    pub(crate) fn fuzz_run(&self, target: &str, engine_args: &[&str]) -> Command {
        let mut command = self.fuzz("run", target);
        command.arg(self.path("corpus")).arg("--").arg(self.artifact_prefix()).args(engine_args);
        command
    }

    /// `cargo +nightly fuzz SUBCOMMAND TARGET`.
    pub(crate) fn fuzz(&self, subcommand: &str, target: &str) -> Command {
        let mut command = tools::cargo_fuzz().unwrap();
        command.args([subcommand, "--fuzz-dir"]).arg(&self.fuzz_dir).arg(target);
        self.set_the_stage(&mut command);
        command
    }

    /// The target binary itself, as `cargo dwindle` builds it.
    pub(crate) fn binary(&self, target: &str) -> Command {
        let built = outcome(&mut self.run(target, &[], &["-help=1"]));
        assert_eq!(built.code, Some(0), "{built:?}");
        let mut folders = fs::read_dir(tools::fuzz_target_dir().join("dwindle"))
            .unwrap()
            .map(|entry| entry.unwrap().path().join("release"));
        let binary = folders
            .find_map(|folder| Some(folder.join(target)).filter(|path| path.is_file()))
            .unwrap();
        let mut command = Command::new(binary);
        command.arg(self.artifact_prefix());
        self.set_the_stage(&mut command);
        command
    }

    fn artifact_prefix(&self) -> String {
        format!("-artifact_prefix={}/", self.path("artifacts").display())
    }

    fn set_the_stage(&self, command: &mut Command) {
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("DWINDLE"))
        {
            command.env_remove(name);
        }
        command
            .current_dir(self.dir.path())
            .env("CARGO_TARGET_DIR", tools::fuzz_target_dir())
            .env("DWINDLE_STORE", self.path("store"))
            .env(MARKER, self.marker())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }

    /// What the environment of every process of this test holds in [`MARKER`].
    pub(crate) fn marker(&self) -> String {
        self.dir.path().display().to_string()
    }

    /// The artifacts, sorted by name.
    pub(crate) fn artifacts(&self) -> Vec<PathBuf> {
        files_in(&self.path("artifacts"))
    }

    /// A crash file as stock libFuzzer writes it: the target run with `DWINDLE=off` until it dies.
    pub(crate) fn crash_file(&self, target: &str) -> PathBuf {
        let crashed =
            outcome(self.binary(target).args(["-seed=3", "-runs=10000000"]).env("DWINDLE", "off"));
        assert_eq!(crashed.code, Some(77), "{crashed:?}");
        let artifacts = self.artifacts();
        assert_eq!(artifacts.len(), 1, "{crashed:?}");
        let crash = self.path("crash");
        fs::rename(&artifacts[0], &crash).unwrap();
        crash
    }
}

/// The environment variable by which the processes of a test are known.
pub(crate) const MARKER: &str = "DWINDLE_END_TO_END";

/// How a command ended, and what it said.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Nothing if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    pub(crate) fn of(output: &Output) -> Outcome {
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The events of `--json` with this name.
    pub(crate) fn events(&self, name: &str) -> Vec<Value> {
        let events =
            self.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect(line));
        events.filter(|event| event["event"] == name).collect()
    }

    #[track_caller]
    pub(crate) fn says(&self, words: &str) {
        assert!(
            self.stderr.contains(words) || self.stdout.contains(words),
            "{words:?} is not said in {self:#?}"
        );
    }
}

/// Runs a command to its end. One that takes for ever fails the test.
#[track_caller]
pub(crate) fn outcome(command: &mut Command) -> Outcome {
    let child = command.spawn().unwrap();
    let id = child.id();
    let (done, waiting) = mpsc::channel::<()>();
    let watchdog = thread::spawn(move || {
        if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            kill(id);
        }
    });
    let output = child.wait_with_output().unwrap();
    drop(done);
    watchdog.join().unwrap();
    Outcome::of(&output)
}

/// The path of the file `tmin` has written, beside the artifacts of the fuzz crate.
pub(crate) fn minimized_artifact(words: &str) -> PathBuf {
    let line = words
        .lines()
        .map(str::trim)
        .find(|line| line.contains("/minimized-from-") && !line.contains(' '));
    PathBuf::from(line.unwrap_or_else(|| panic!("no minimized file is named in {words}")))
}

/// The files of a folder, sorted; none if it is not there.
pub(crate) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The names of the files of a folder, sorted.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    files_in(folder)
        .iter()
        .filter_map(|path| path.file_name())
        .map(OsStr::to_string_lossy)
        .map(String::from)
        .collect()
}

/// The command line, built once.
fn cargo_dwindle() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| tools::build_cargo_dwindle().unwrap())
}

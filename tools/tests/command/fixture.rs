//! A fuzz crate in a temporary folder, whose cargo builds nothing and whose target plays a script.
//!
//! The target is the test's own executable, called again; the script tells it what to say and how
//! to end.

use assert_cmd::Command;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than anything here takes, for machines that do much else.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Fixture {
    dir: TempDir,
}

impl Fixture {
    /// A fuzz crate with the targets `alpha` and `beta`. The script is for both; see [`play`] for
    /// its words.
    pub(crate) fn new(script: &str) -> Self {
        let fixture = Self { dir: tempfile::tempdir().unwrap() };
        let fuzz = fixture.path("fuzz");
        fs::create_dir_all(fuzz.join("src/bin")).unwrap();
        for target in ["alpha", "beta"] {
            fs::write(fuzz.join(format!("src/bin/{target}.rs")), "fn main() {}").unwrap();
        }
        let manifest = "[package]\nname = \"fixture-fuzz\"\nedition = \"2021\"\n\
                        [package.metadata]\ncargo-fuzz = true\n[workspace]\n";
        fs::write(fuzz.join("Cargo.toml"), manifest).unwrap();
        fs::write(fixture.path("script"), script).unwrap();

        let here = fixture.path("").display().to_string();
        let test = std::env::current_exe().unwrap();
        fixture.executable(
            "target",
            &format!(
                "FIXTURE='{here}' FIXTURE_ARGS=\"$*\" exec '{}' --exact \
                 fixture::the_target_plays_its_script --nocapture --test-threads=1",
                test.display()
            ),
        );
        let artifact = |target| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"x","manifest_path":"/x","target":{{"kind":["bin"],"crate_types":["bin"],"name":"{target}","src_path":"/x","edition":"2021","doc":false,"doctest":false,"test":false}},"profile":{{"opt_level":"3","debuginfo":1,"debug_assertions":true,"overflow_checks":true,"test":false}},"features":[],"filenames":["/x"],"executable":"{here}/target","fresh":true}}"#
            )
        };
        fixture.executable(
            "cargo",
            &format!(
                "case \"$1\" in\n\
                 build) echo \"$@\" > '{here}/build-args'; echo \"$CARGO_ENCODED_RUSTFLAGS\" > \
                 '{here}/build-flags'\n\
                 if [ -n \"$BUILD_HANGS\" ]; then echo $$ > '{here}/pid.tmp'; mv '{here}/pid.tmp' \
                 '{here}/pid'; exec sleep 1000; fi\n\
                 if [ -n \"$BUILD_FAILS\" ]; then echo 'error: the words of the compiler' >&2; \
                 exit 101; fi\n\
                 case \"$*\" in *\"--bin ${{BUILD_OF_ONE_FAILS:-none}} \"*)\n\
                 echo 'error: only this one' >&2; exit 101;; esac\n\
                 echo '{}'; echo '{}' ;;\n\
                 +*) echo \"error: toolchain '$1' is not installed\" >&2; exit 1 ;;\n\
                 *) exec '{}' \"$@\" ;;\n\
                 esac",
                artifact("alpha"),
                artifact("beta"),
                env!("CARGO")
            ),
        );
        fixture
    }

    /// A path in the fixture's folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// What a file of the fixture's folder holds; waits until it is there.
    pub(crate) fn await_file(&self, name: &str) -> String {
        let path = self.path(name);
        wait_until(name, || path.exists());
        fs::read_to_string(path).unwrap().trim().to_owned()
    }

    /// `cargo dwindle` in the fixture's folder.
    pub(crate) fn dwindle(&self, arguments: &[&str]) -> Command {
        Command::from_std(self.plain(arguments))
    }

    /// The same as a command of the standard library, to be left running.
    pub(crate) fn plain(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cargo-dwindle"));
        let path = std::env::join_paths(
            [self.path("")]
                .into_iter()
                .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
        )
        .unwrap();
        command
            .args(arguments)
            .current_dir(self.path(""))
            .env("CARGO", self.path("cargo"))
            .env("PATH", path)
            .env("CXX", "/bin/sh")
            .env("TMPDIR", self.path(""));
        for name in [
            "CARGO_TARGET_DIR",
            "DWINDLE_STORE",
            "DWINDLE_STOP",
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "GITHUB_ACTIONS",
            "LLVM_COV",
            "LLVM_PROFDATA",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// Another process writes the executable. The system starts no file that is open for writing,
    /// and a process that another test starts now would hold a file of this process open.
    pub(crate) fn executable(&self, name: &str, script: &str) {
        let text = self.path(&format!("{name}.script"));
        fs::write(&text, format!("#!/bin/sh\n{script}\n")).unwrap();
        let mut install = std::process::Command::new("install");
        let status = install.args(["-m", "755"]).arg(&text).arg(self.path(name)).status();
        assert!(status.unwrap().success(), "{name} cannot be written");
        fs::remove_file(text).unwrap();
    }
}

pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process runs. One that has ended and waits to be reaped does not.
pub(crate) fn runs(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next())
        .is_some_and(|state| state != 'Z' && state != 'X')
}

/// Plays the script, when called as the target of a fixture; else it has nothing to test.
#[test]
fn the_target_plays_its_script() {
    if let Some(here) = std::env::var_os("FIXTURE") {
        play(Path::new(&here));
    }
}

/// Each line is a word and what it needs: `send JSON`, `raw TEXT` (a part of a line of events),
/// `stdout TEXT`, `stderr TEXT`, `artifact NAME`, `exit CODE`, `die` (by SIGKILL), `await-signal`
/// (goes on at the next signal), `ignore-signals` (for ever), `sleeper` (starts a process that
/// would outlive this one).
fn play(here: &Path) {
    let arguments = std::env::var("FIXTURE_ARGS").unwrap();
    let environment: Vec<_> = std::env::vars()
        .filter(|(name, _)| name.starts_with("DWINDLE"))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let mut signals = Signals::new([SIGINT, SIGTERM]).unwrap();
    leave(here, "args", &arguments);
    leave(here, "env", &environment.join("\n"));
    leave(here, "pid", &std::process::id().to_string());
    let mut events = UnixStream::connect(std::env::var_os("DWINDLE_EVENTS").unwrap()).unwrap();
    for line in fs::read_to_string(here.join("script")).unwrap().lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "send" => writeln!(events, "{rest}").unwrap(),
            "raw" => write!(events, "{rest}").unwrap(),
            "stdout" => println!("{rest}"),
            "stderr" => eprintln!("{rest}"),
            "artifact" => {
                let prefix = arguments
                    .split(' ')
                    .filter_map(|argument| argument.strip_prefix("-artifact_prefix="))
                    .next_back()
                    .unwrap();
                fs::write(format!("{prefix}{rest}"), "input").unwrap();
            }
            "sleeper" => leave(
                here,
                "sleeper",
                &std::process::Command::new("sleep").arg("1000").spawn().unwrap().id().to_string(),
            ),
            "await-signal" => {
                let first = signals.forever().next().unwrap();
                // A second delivery would be there by now: signals are passed on before anything
                // else is done.
                let more = signals.pending().count();
                leave(here, "signal", &format!("{first} {more}"));
            }
            "ignore-signals" => {
                for signal in signals.forever() {
                    leave(here, "ignored", &signal.to_string());
                }
            }
            "exit" => std::process::exit(rest.parse().unwrap()),
            "die" => rustix::process::kill_process(
                rustix::process::getpid(),
                rustix::process::Signal::KILL,
            )
            .unwrap(),
            other => panic!("no such word: {other}"),
        }
    }
}

/// Leaves a file that is whole as soon as it is there.
fn leave(here: &Path, name: &str, text: &str) {
    let unfinished = here.join(format!("{name}.tmp"));
    fs::write(&unfinished, text).unwrap();
    fs::rename(unfinished, here.join(name)).unwrap();
}

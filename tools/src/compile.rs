//! Builds a target with coverage instrumentation, on stable Rust, without cargo-fuzz.

pub(crate) mod afl;

use crate::args::{Build, Engine, Sanitizer};
use crate::exit::Stop;
use crate::group::Group;
use crate::project::Project;
use crate::signals::Interrupts;
use anyhow::{Context, Result, anyhow, bail};
use cargo_metadata::Message;
use rustix::process::Signal;
use std::ffi::OsString;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The default flags of cargo-fuzz 0.13 in its order, and dwindle's own flags.
const RUSTC_FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    // Added by dwindle. The code checks `__sancov_should_track` before each call that traces a
    // comparison, so that workers can disable tracing.
    "-Cllvm-args=-sanitizer-coverage-gated-trace-callbacks",
    "--cfg",
    "fuzzing",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
    "-Cdebug-assertions=on",
    "-Ccodegen-units=1",
    // dwindle identifies a bug by its return addresses and shows its frames.
    "-Coverflow-checks=on",
    "-Cforce-frame-pointers=yes",
];

/// Builds `target` and returns the path of its executable. Cargo's progress and the compiler's
/// messages go to stderr.
///
/// The build has a separate target folder inside the fuzz crate's: `dwindle/` (`dwindle-asan/`,
/// `dwindle-afl/`, ..). With one folder, dwindle's flags and cargo-fuzz's would each make the other
/// build everything again.
pub(crate) fn build(
    project: &Project,
    target: &str,
    engine: Engine,
    options: &Build,
    interrupts: &mut Interrupts,
) -> Result<PathBuf> {
    let toolchain = Toolchain::choose(options)?;
    let is_afl = engine == Engine::Afl;
    let mut command = if is_afl {
        let mut command = afl::build_command(&toolchain, project)?;
        command
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env("RUSTFLAGS", afl::rustc_flags(options.sanitizer));
        command
    } else {
        let mut command = toolchain.cargo();
        command.arg("build").env("CARGO_ENCODED_RUSTFLAGS", rustc_flags(options.sanitizer));
        command
    };
    let folder = match (is_afl, options.sanitizer) {
        (false, Sanitizer::None) => "dwindle",
        (false, Sanitizer::Address) => "dwindle-asan",
        (true, Sanitizer::None) => "dwindle-afl",
        (true, Sanitizer::Address) => "dwindle-afl-asan",
    };
    command
        .args(["--release", "--message-format=json-render-diagnostics"])
        .args(["--config", "profile.release.debug=\"line-tables-only\""])
        .args(["--config", "profile.release.strip=\"none\""])
        .args(["--bin", target])
        .arg("--manifest-path")
        .arg(project.dir.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(project.target_dir.join(folder))
        // With a named platform, cargo keeps the flags away from build scripts and proc macros.
        .args(["--target", &toolchain.host]);
    for features in &options.features {
        command.args(["--features", features]);
    }
    if options.no_default_features && !is_afl {
        command.arg("--no-default-features");
    }
    if options.verbose {
        command.arg("--verbose");
    }
    let built = run(&mut command, target, interrupts)?;
    if let Some(executable) = built.executable.filter(|_| built.success) {
        return Ok(executable);
    }
    if !is_afl && !built.reached_libfuzzer && missing_cpp_compiler(&toolchain.host) {
        bail!(
            "no C++ compiler found, and libFuzzer needs one: install g++ or clang (Debian, \
             Ubuntu: `apt install g++`), or name a compiler in CXX"
        );
    }
    bail!("target `{target}` does not build; see the errors above")
}

/// The compiler's flags for coverage, in the format of `CARGO_ENCODED_RUSTFLAGS`. The user's own
/// flags come last, so that they win.
fn rustc_flags(sanitizer: Sanitizer) -> OsString {
    let mut flags = RUSTC_FLAGS.join("\u{1f}");
    if cfg!(target_os = "linux") {
        flags.push_str("\u{1f}-Cllvm-args=-sanitizer-coverage-stack-depth");
    }
    if sanitizer == Sanitizer::Address {
        flags.push_str("\u{1f}-Zsanitizer=address");
    }
    let users = std::env::var("CARGO_ENCODED_RUSTFLAGS")
        .or_else(|_| {
            std::env::var("RUSTFLAGS")
                .map(|plain| plain.split_whitespace().collect::<Vec<_>>().join("\u{1f}"))
        })
        .unwrap_or_default();
    if !users.is_empty() {
        flags.push('\u{1f}');
        flags.push_str(&users);
    }
    flags.into()
}

/// The cargo that builds, and the platform it builds for.
pub(crate) struct Toolchain {
    name: Option<String>,
    host: String,
}

impl Toolchain {
    /// Chooses the named toolchain, else nightly for a sanitizer, else the present one.
    pub(crate) fn choose(options: &Build) -> Result<Self> {
        let sanitized = options.sanitizer != Sanitizer::None;
        let in_use = Self::probe(options.toolchain.clone())?;
        let (toolchain, nightly) = match &options.toolchain {
            None if sanitized && !in_use.1 => Self::probe(Some("nightly".to_owned())).context(
                "--sanitizer address needs a nightly toolchain: `rustup toolchain install nightly`",
            )?,
            _ => in_use,
        };
        if sanitized && !nightly {
            bail!(
                "--sanitizer address needs a nightly toolchain, but {} is not one",
                toolchain.name.as_deref().unwrap_or("the current toolchain")
            );
        }
        Ok(toolchain)
    }

    /// The toolchain, and whether it accepts unstable flags.
    fn probe(name: Option<String>) -> Result<(Self, bool)> {
        let mut toolchain = Self { name, host: String::new() };
        let mut command = toolchain.cargo();
        command.arg("-vV");
        let output = command
            .output()
            .with_context(|| format!("cannot start {command:?}; is Rust installed?"))?;
        let words = String::from_utf8_lossy(&output.stdout);
        let host = words.lines().find_map(|line| line.strip_prefix("host: "));
        match (&toolchain.name, host) {
            (_, Some(host)) if output.status.success() => host.clone_into(&mut toolchain.host),
            (Some(name), _) => {
                bail!("cannot use toolchain `{name}`: {}", first_line(&output.stderr))
            }
            (None, _) => bail!("`cargo -vV` failed: {}", first_line(&output.stderr)),
        }
        let nightly = words
            .lines()
            .next()
            .is_some_and(|line| line.contains("-nightly") || line.contains("-dev"));
        Ok((toolchain, nightly || std::env::var_os("RUSTC_BOOTSTRAP").is_some()))
    }

    /// The compiler.
    pub(crate) fn rustc(&self) -> Command {
        let mut command = Command::new("rustc");
        command.args(self.name.as_ref().map(|name| format!("+{name}")));
        command
    }

    /// `cargo` as the user would type it.
    pub(crate) fn as_typed(&self) -> String {
        self.name.as_ref().map_or_else(|| "cargo".to_owned(), |name| format!("cargo +{name}"))
    }

    pub(crate) fn cargo(&self) -> Command {
        let Some(name) = &self.name else {
            // Cargo sets CARGO when it starts this program. It is the cargo that the user called.
            return Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        };
        // Only rustup's `cargo` understands `+name`.
        let mut command = Command::new("cargo");
        command.arg(format!("+{name}"));
        command
    }
}

fn first_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).lines().next().unwrap_or("no reason was given").to_owned()
}

#[derive(Default)]
struct Built {
    success: bool,
    executable: Option<PathBuf>,
    /// libFuzzer's own code has been compiled.
    reached_libfuzzer: bool,
}

fn run(command: &mut Command, target: &str, interrupts: &mut Interrupts) -> Result<Built> {
    let mut group = Group::start(command.stdin(Stdio::null()).stdout(Stdio::piped()))?;
    let stdout = group.child().stdout.take().ok_or_else(|| anyhow!("cargo has no stdout"))?;
    let (sender, messages) = mpsc::channel();
    thread::spawn(move || {
        for message in Message::parse_stream(BufReader::new(stdout)).map_while(Result::ok) {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    let mut built = Built::default();
    let mut interrupted = false;
    loop {
        if let Some(signal) = interrupts.next() {
            // Signals the whole group, because cargo alone would leave its compilers running.
            group.signal_all(if interrupted { Signal::KILL } else { signal });
            interrupted = true;
        }
        match messages.recv_timeout(Duration::from_millis(50)) {
            Ok(Message::CompilerArtifact(artifact))
                if artifact.target.name == target && artifact.target.is_bin() =>
            {
                built.executable = artifact.executable.map(Into::into);
            }
            Ok(Message::BuildScriptExecuted(script)) => {
                built.reached_libfuzzer |= script.package_id.repr.contains("libfuzzer-sys");
            }
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    built.success = group.finish()?.success();
    if interrupted { Err(Stop::Interrupted.into()) } else { Ok(built) }
}

/// Whether the compiler that libfuzzer-sys's build script would call is missing.
fn missing_cpp_compiler(host: &str) -> bool {
    let named = [
        format!("CXX_{host}"),
        format!("CXX_{}", host.replace('-', "_")),
        "TARGET_CXX".to_owned(),
        "CXX".to_owned(),
    ];
    let named = named.iter().find_map(std::env::var_os).unwrap_or_else(|| "c++".into());
    // A named compiler may include arguments or a wrapper (`ccache g++`).
    let named = named.to_string_lossy();
    let Some(program) = named.split_whitespace().next() else { return true };
    if program.contains('/') {
        return !Path::new(program).is_file();
    }
    !std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sanitizer_adds_only_its_flag() {
        let separated = |flags: OsString| {
            flags.into_string().unwrap().split('\u{1f}').map(str::to_owned).collect::<Vec<_>>()
        };
        let plain = separated(rustc_flags(Sanitizer::None));
        let mut sanitized = separated(rustc_flags(Sanitizer::Address));
        assert!(plain.iter().all(|flag| !flag.is_empty() && !flag.contains(' ')));
        let position = sanitized.iter().position(|flag| flag == "-Zsanitizer=address").unwrap();
        sanitized.remove(position);
        assert_eq!(sanitized, plain);
    }
}

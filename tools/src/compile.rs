//! Builds a target with coverage instrumentation, on stable Rust, without cargo-fuzz.

pub(crate) mod afl;
mod flags;
mod toolchain;

use crate::args::{Build, Engine, Sanitizer};
use crate::exit::{Stop, wrong_use};
use crate::group::Group;
use crate::project::Project;
use crate::signals::Interrupts;
use anyhow::{Result, anyhow, bail};
use cargo_metadata::Message;
use rustix::process::Signal;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;
pub(crate) use toolchain::Toolchain;

/// What the binary is instrumented for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be fuzzed by this engine.
    Fuzzing(Engine),
    /// To count how often each line runs.
    Coverage,
}

impl From<Engine> for Purpose {
    fn from(engine: Engine) -> Self {
        Self::Fuzzing(engine)
    }
}

/// Builds `target` and returns the path of its executable. Cargo's progress and the compiler's
/// messages go to stderr.
///
/// The build has a separate target folder inside the fuzz crate's: `dwindle/` (`dwindle-asan/`,
/// `dwindle-afl/`, ..). With one folder, dwindle's flags and cargo-fuzz's would each make the other
/// build everything again.
pub(crate) fn build(
    project: &Project,
    target: &str,
    purpose: Purpose,
    options: &Build,
    interrupts: &mut Interrupts,
) -> Result<PathBuf> {
    let is_afl = purpose == Purpose::Fuzzing(Engine::Afl);
    if is_afl && !matches!(options.sanitizer, Sanitizer::None | Sanitizer::Address) {
        return Err(wrong_use(
            "AFL++ works with --sanitizer address or without a sanitizer; use libFuzzer for the \
             others",
        ));
    }
    let toolchain = Toolchain::choose(options)?;
    let triple = toolchain.triple(options);
    let mut command = if is_afl {
        let mut command = afl::build_command(&toolchain, project)?;
        command
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env("RUSTFLAGS", flags::of_afl(options.sanitizer));
        command
    } else {
        let mut command = toolchain.cargo();
        let flags = flags::encoded(purpose, options.sanitizer, triple);
        command.arg("build").env("CARGO_ENCODED_RUSTFLAGS", flags);
        command
    };
    let profile = if options.dev { "dev" } else { "release" };
    command
        .args(["--profile", profile, "--message-format=json-render-diagnostics"])
        .args(["--config", &format!("profile.{profile}.debug=\"line-tables-only\"")])
        .args(["--config", &format!("profile.{profile}.strip=\"none\"")])
        .args(["--bin", target])
        .arg("--manifest-path")
        .arg(project.dir.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(project.target_dir.join(folder(purpose, options.sanitizer)))
        // With a named platform, cargo keeps the flags away from build scripts and proc macros.
        .args(["--target", triple]);
    if options.sanitizer.needs_std() {
        command.arg("-Zbuild-std");
    }
    for features in options.features.iter().chain(&needed(project, target, purpose, options)) {
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
    if !is_afl && !built.reached_libfuzzer && missing_cpp_compiler(triple) {
        bail!(
            "no C++ compiler found, and libFuzzer needs one: install g++ or clang (Debian, \
             Ubuntu: `apt install g++`), or name a compiler in CXX"
        );
    }
    bail!("target `{target}` does not build; see the errors above")
}

/// The features that the target does not build without, and that the user does not name. The user
/// is shown them. A user who turns the default features off chooses all features.
fn needed(project: &Project, target: &str, purpose: Purpose, options: &Build) -> Vec<String> {
    if options.no_default_features {
        return Vec::new();
    }
    let first = if purpose == Purpose::Fuzzing(Engine::Afl) { "afl" } else { "default" };
    let on = options.features.iter().map(String::as_str).chain([first]);
    let needed = project.features.missing(target, on);
    if !needed.is_empty() {
        eprintln!("building `{target}` with the features that it requires: {}", needed.join(","));
    }
    needed
}

/// The name of the target folder for builds with the same flags.
fn folder(purpose: Purpose, sanitizer: Sanitizer) -> String {
    let purpose = match purpose {
        Purpose::Fuzzing(Engine::Afl) => "-afl",
        Purpose::Fuzzing(_) => "",
        Purpose::Coverage => "-coverage",
    };
    let sanitizer = match sanitizer {
        Sanitizer::None => "",
        Sanitizer::Address => "-asan",
        Sanitizer::Leak => "-lsan",
        Sanitizer::Memory => "-msan",
        Sanitizer::Thread => "-tsan",
    };
    format!("dwindle{purpose}{sanitizer}")
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

//! The peers: one program each, built or installed when they are first needed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use quality_properties::Property;
use quality_properties::probe::Measure;
use serde::Serialize;

const HYPOTHESIS: &str = "hypothesis==6.170.15";

/// A tool to measure beside dwindle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[value(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Peer {
    /// Python's, installed with pip.
    Hypothesis,
    /// Hypothesis' authors' engine in Rust.
    Hegeltest,
    /// Property tests on a tape.
    ChaosTheory,
    /// Shrinks values, not choices.
    Proptest,
}

impl Peer {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Peer::Hypothesis => "hypothesis",
            Peer::Hegeltest => "hegeltest",
            Peer::ChaosTheory => "chaos_theory",
            Peer::Proptest => "proptest",
        }
    }

    /// Makes its program ready.
    ///
    /// # Errors
    /// If it cannot be built or installed, with the sentence how it could be.
    pub fn install(self) -> Result<()> {
        match self {
            Peer::Hypothesis => install_hypothesis(),
            _ => build(&format!("quality_{}", self.name())),
        }
        .with_context(|| {
            format!(
                "{} is not there; --peers names the peers to run, without it or none at all",
                self.name()
            )
        })
    }

    /// What it makes of `seeds` seeds.
    ///
    /// # Errors
    /// If its program fails.
    pub fn shrink_seeds(self, property: Property, seeds: u64) -> Result<Vec<Option<Measure>>> {
        self.run(&[property.name(), &seeds.to_string()], "")
    }

    /// What it makes of these starting values, one a line. Only Hypothesis takes them.
    ///
    /// # Errors
    /// If its program fails.
    pub fn shrink_values(self, property: Property, values: &str) -> Result<Vec<Option<Measure>>> {
        ensure!(self == Peer::Hypothesis, "{} does not start from a given value", self.name());
        self.run(&[property.name(), "-"], values)
    }

    fn run(self, arguments: &[&str], input: &str) -> Result<Vec<Option<Measure>>> {
        let mut command = match self {
            Peer::Hypothesis => hypothesis("hypothesis_peer.py"),
            _ => Command::new(
                std::env::current_exe()?.with_file_name(format!("quality_{}", self.name())),
            ),
        };
        let mut child = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut stdin = child.stdin.take().context("the pipe to the peer is there once")?;
        let input = input.to_owned();
        // The peer answers before it has read everything: who writes must not be who reads.
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output()?;
        let _ = writer.join();
        if !output.status.success() {
            bail!(
                "{} {} failed:\n{}",
                self.name(),
                arguments.join(" "),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        let lines = String::from_utf8(output.stdout)?;
        // chaos_theory also prints a few words to standard output.
        let lines = lines.lines().filter(|line| line.starts_with('{') || *line == "null");
        lines
            .map(|line| {
                serde_json::from_str(line)
                    .with_context(|| format!("{} printed {line:?}", self.name()))
            })
            .collect()
    }
}

/// Starts a program in the folder of the peers with the Python that has Hypothesis.
pub fn hypothesis(program: &str) -> Command {
    let mut command = Command::new(python());
    // Python would write what it compiled beside the programs.
    command.arg("-B").arg(bench().join("quality/peers").join(program));
    command
}

fn bench() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn python() -> PathBuf {
    bench().join("target/hypothesis/bin/python")
}

fn build(package: &str) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--locked", "--quiet", "--package", package])
        .current_dir(bench())
        .status()?;
    ensure!(
        status.success(),
        "its crates have to be in reach: run `cargo fetch --manifest-path bench/Cargo.toml` with a \
         network"
    );
    Ok(())
}

fn install_hypothesis() -> Result<()> {
    let is_there = || {
        Command::new(python())
            .args(["-c", "import hypothesis"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if is_there() {
        return Ok(());
    }
    let folder = bench().join("target/hypothesis");
    let made = Command::new("python3")
        .args(["-m", "venv"])
        .arg(&folder)
        .status()
        .is_ok_and(|status| status.success());
    ensure!(made, "it needs python3 with its venv module (Debian: apt-get install python3-venv)");
    let installed = Command::new(python())
        .args(["-m", "pip", "install", "--quiet", HYPOTHESIS])
        .status()
        .is_ok_and(|status| status.success());
    ensure!(
        installed && is_there(),
        "it needs a network: run `{} -m pip install {HYPOTHESIS}` there",
        python().display()
    );
    Ok(())
}

//! LLVM's tools that read profiles.

use crate::compile::Toolchain;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// `llvm-profdata` and `llvm-cov`, of the LLVM that rustc has.
#[derive(Debug)]
pub(super) struct Llvm {
    profdata: PathBuf,
    cov: PathBuf,
}

/// How many lines, functions or regions there are, and how many of them the inputs reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Covered {
    pub(super) count: u64,
    pub(super) covered: u64,
}

/// The figures of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Summary {
    pub(super) lines: Covered,
    pub(super) functions: Covered,
    pub(super) regions: Covered,
}

/// One file of the report of `llvm-cov export`.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Source {
    #[serde(rename = "filename")]
    pub(super) path: PathBuf,
    pub(super) summary: Summary,
}

#[derive(Deserialize)]
struct Export {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    files: Vec<Source>,
}

impl Llvm {
    /// Finds both tools. An error says how to install them.
    pub(super) fn find(toolchain: &Toolchain) -> Result<Self> {
        let version = toolchain.llvm()?;
        let major = version.split('.').next().unwrap_or_default();
        let folder = toolchain.tools()?;
        let find = |name: &str, variable: &str| {
            if let Some(named) = std::env::var_os(variable).filter(|path| !path.is_empty()) {
                return Ok(PathBuf::from(named));
            }
            let own = folder.join(name);
            if own.is_file() {
                return Ok(own);
            }
            // Another version reads these profiles wrongly or not at all.
            let in_path = [name.to_owned(), format!("{name}-{major}")].map(PathBuf::from);
            in_path.into_iter().find(|tool| has_version(tool, major)).with_context(|| {
                format!(
                    "{name} of LLVM {major} is missing: `{}`; or name it in {variable}",
                    toolchain.component_add("llvm-tools")
                )
            })
        };
        Ok(Self {
            profdata: find("llvm-profdata", "LLVM_PROFDATA")?,
            cov: find("llvm-cov", "LLVM_COV")?,
        })
    }

    /// Merges raw profiles into one file.
    pub(super) fn merge(&self, raw: &[PathBuf], into: &Path) -> Result<()> {
        let mut command = Command::new(&self.profdata);
        command.args(["merge", "-sparse", "-o"]).arg(into).args(raw);
        says(&mut command).map(drop)
    }

    /// The figures of all files.
    pub(super) fn summaries(&self, executable: &Path, profile: &Path) -> Result<Vec<Source>> {
        let mut command = Command::new(&self.cov);
        command.args(["export", "--summary-only", "--instr-profile"]).arg(profile).arg(executable);
        sources(&says(&mut command)?)
    }

    /// The lines of all files and how often each ran, in the format of lcov.
    pub(super) fn lines(&self, executable: &Path, profile: &Path) -> Result<String> {
        let mut command = Command::new(&self.cov);
        command.args(["export", "--format=lcov", "--skip-functions", "--instr-profile"]);
        command.arg(profile).arg(executable);
        Ok(String::from_utf8_lossy(&says(&mut command)?).into_owned())
    }

    /// Writes the pages of these files.
    pub(super) fn html<'a>(
        &self,
        executable: &Path,
        profile: &Path,
        files: impl Iterator<Item = &'a Path>,
        to: &Path,
    ) -> Result<()> {
        let mut folder = OsString::from("--output-dir=");
        folder.push(to);
        let mut command = Command::new(&self.cov);
        command
            .args(["show", "--format=html", "--show-instantiations=false"])
            .arg("--show-line-counts-or-regions")
            .arg(folder)
            .arg("--instr-profile")
            .arg(profile)
            .arg(executable)
            .args(files);
        says(&mut command).with_context(|| format!("cannot write {}", to.display())).map(drop)
    }
}

/// Reads the report of `llvm-cov export`.
fn sources(json: &[u8]) -> Result<Vec<Source>> {
    let export: Export =
        serde_json::from_slice(json).context("llvm-cov writes an unknown report")?;
    Ok(export.data.into_iter().flat_map(|data| data.files).collect())
}

/// Whether a program is there and belongs to this version of LLVM.
fn has_version(tool: &Path, major: &str) -> bool {
    let output = Command::new(tool).arg("--version").output();
    output.is_ok_and(|output| {
        String::from_utf8_lossy(&output.stdout).contains(&format!("LLVM version {major}."))
    })
}

fn says(command: &mut Command) -> Result<Vec<u8>> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        bail!("{program} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_gives_the_figures_of_each_file() {
        let json = br#"{"data":[{"files":[{"filename":"/p/src/a.rs","summary":{
            "branches":{"count":0,"covered":0,"notcovered":0,"percent":0},
            "functions":{"count":2,"covered":1,"percent":50},
            "lines":{"count":9,"covered":3,"percent":33.3},
            "regions":{"count":15,"covered":15,"notcovered":0,"percent":100}}}],
            "totals":{}}],"type":"llvm.coverage.json.export","version":"3.1.0"}"#;
        let share = |count, covered| Covered { count, covered };
        let summary =
            Summary { lines: share(9, 3), functions: share(2, 1), regions: share(15, 15) };
        let expected = Source { path: "/p/src/a.rs".into(), summary };
        assert_eq!(sources(json).unwrap(), [expected]);
        assert!(sources(b"{}").is_err());
    }
}

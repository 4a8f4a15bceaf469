//! Runs inputs one by one, smallest first, to find the smallest input for each line.

use super::llvm::Llvm;
use super::packages::Packages;
use super::profile_folder;
use super::runs::{Target, run_all};
use crate::args::Build;
use crate::compile::{Purpose, Toolchain};
use crate::project::Project;
use crate::reach::{FileReach, Reach, Tried, read_lcov};
use crate::session::Session;
use anyhow::Result;
use dwindle_corpus::{list_corpus, printable_path};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Each input costs a process of the target and two of LLVM's tools.
const INPUTS_MAX: usize = 100;

/// Builds the target with coverage and runs at most a hundred inputs of its corpus. `None` without
/// a corpus.
pub(crate) fn smallest_inputs(
    project: &Project,
    target: &str,
    build: &Build,
) -> Result<Option<Reach>> {
    let corpus = project.corpus(target);
    let mut inputs: Vec<Tried> = list_corpus(&corpus)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|path| Some(Tried { bytes: fs::metadata(&path).ok()?.len(), path }))
        .collect();
    if inputs.is_empty() {
        return Ok(None);
    }
    inputs.sort_by(|one, other| (one.bytes, &one.path).cmp(&(other.bytes, &other.path)));
    let left_out = inputs.len().saturating_sub(INPUTS_MAX);
    inputs.truncate(INPUTS_MAX);
    let llvm = Llvm::find(&Toolchain::choose(build)?)?;
    let packages = Packages::choose(project, &[])?;
    let mut session = Session::open(target, Purpose::Coverage, build, build.verbose)?;
    let runs = Target { name: target, engine_args: &[] };
    let mut files: BTreeMap<PathBuf, FileReach> = BTreeMap::new();
    for (number, input) in inputs.iter().enumerate() {
        let folder = profile_folder(project)?;
        // An input that fails reaches lines, too.
        run_all(&runs, &mut session, std::slice::from_ref(&input.path), folder.path())?;
        let profile = folder.path().join("all.profdata");
        llvm.merge(&list_corpus(folder.path())?, &profile)?;
        let text = llvm.lines(session.executable(), &profile)?;
        for (path, lines) in read_lcov(&text).iter().filter(|(path, _)| packages.has(path)) {
            let file = files.entry(path.to_path_buf()).or_default();
            file.name = printable_path(&packages.short(path));
            file.add(number, lines);
        }
    }
    session.screen.end();
    Ok(Some(Reach { inputs, left_out, files: files.into_values().collect() }))
}

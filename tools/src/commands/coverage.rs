//! `cargo dwindle coverage`: which code of the crate under test the inputs reach.
//!
//! The counters of a process lie in the file of its profile, which all processes add to. So an
//! input that kills its process loses nothing: the next process runs the rest.

mod llvm;
mod packages;
mod runs;
mod smallest;

use crate::args::Coverage;
use crate::compile::{Purpose, Toolchain};
use crate::exit::{Exit, wrong_use};
use crate::folders::require_file;
use crate::project::Project;
use crate::screen::{from_here, json, table};
use crate::session::Session;
use anyhow::{Context, Result, anyhow};
use dwindle_corpus::events::{CoverageFigures, Event, FileCoverage, Reached};
use dwindle_corpus::{list_corpus, printable_path};
use llvm::{Covered, Llvm, Source, Summary};
use packages::Packages;
use runs::{Failed, Target, run_all};
pub(super) use smallest::smallest_inputs;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(crate) fn coverage(options: &Coverage) -> Result<Exit> {
    let project = Project::find(options.build.fuzz_dir.as_deref())?;
    project.require(&options.target)?;
    let inputs = inputs(options, &project)?;
    let html = options.html.as_deref().map(html_folder).transpose()?;
    let llvm = Llvm::find(&Toolchain::choose(&options.build)?)?;
    let packages = Packages::choose(&project, &options.package)?;
    let mut session =
        Session::open(&options.target, Purpose::Coverage, &options.build, options.build.verbose)?;
    let folder = profile_folder(&project)?;
    let target = Target { name: &options.target, engine_args: &options.engine_args };
    let failed = run_all(&target, &mut session, &inputs, folder.path())?;
    session.screen.end();

    let raw = list_corpus(folder.path())?;
    if raw.is_empty() {
        return Err(anyhow!(
            "target `{}` wrote no profile; LLVM_PROFILE_FILE may be set by the target itself",
            options.target
        ));
    }
    let profile = folder.path().join("all.profdata");
    llvm.merge(&raw, &profile)?;
    let mut sources = llvm.summaries(session.executable(), &profile)?;
    sources.retain(|source| packages.has(&source.path));
    sources.sort_by(|one, other| one.path.cmp(&other.path));
    if sources.is_empty() {
        return Err(wrong_use(
            "no file of the packages under test is in the binary; name others with --package",
        ));
    }
    if let Some(html) = &html {
        let files = sources.iter().map(|source| source.path.as_path());
        llvm.html(session.executable(), &profile, files, html)?;
    }
    let total = total(&sources);
    if options.build.json {
        tell_program(options, &sources, total, inputs.len(), &failed, html.as_deref())?;
    } else {
        tell_people(&packages, &sources, total, inputs.len(), &failed)?;
        if let Some(html) = html {
            writeln!(io::stdout(), "\neach line: {}", from_here(&html.join("index.html")))?;
        }
    }
    Ok(if failed.is_empty() { Exit::Clean } else { Exit::Bugs })
}

/// The files to run. An error of exit code 2 if there are none, or if one cannot be read.
fn inputs(options: &Coverage, project: &Project) -> Result<Vec<PathBuf>> {
    let target = &options.target;
    if let Some(input) = &options.input {
        require_file(input)?;
        return Ok(vec![input.clone()]);
    }
    let own = [project.corpus(target), project.campaign(target)];
    let folders = if options.corpus.is_empty() {
        own.into_iter().filter(|folder| folder.is_dir()).collect()
    } else {
        options.corpus.clone()
    };
    if folders.is_empty() {
        return Err(wrong_use(format!(
            "{} does not exist; `cargo dwindle run {target}` makes a corpus, and --input runs one \
             file",
            project.corpus(target).display()
        )));
    }
    let mut inputs = Vec::new();
    for folder in &folders {
        inputs.extend(list_corpus(folder).map_err(|error| wrong_use(error.to_string()))?);
    }
    if inputs.is_empty() {
        let names: Vec<_> = folders.iter().map(|folder| printable_path(folder)).collect();
        return Err(wrong_use(format!("no inputs in {}", names.join(", "))));
    }
    inputs.iter().try_for_each(|input| require_file(input))?;
    Ok(inputs)
}

/// Makes the folder for the pages, before the work that would be lost without it.
fn html_folder(folder: &Path) -> Result<PathBuf> {
    if folder.exists() && !folder.is_dir() {
        return Err(wrong_use(format!(
            "{} is a file; name a folder for the pages",
            folder.display()
        )));
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    std::path::absolute(folder).with_context(|| format!("{} is not a path", folder.display()))
}

/// A folder for the profiles, which goes with the result.
fn profile_folder(project: &Project) -> Result<tempfile::TempDir> {
    let mut folder = project.target_dir.clone();
    // LLVM takes this sign in the name of a profile for the beginning of a pattern.
    if folder.as_os_str().as_encoded_bytes().contains(&b'%') {
        folder = std::env::temp_dir();
    }
    fs::create_dir_all(&folder)
        .and_then(|()| tempfile::Builder::new().prefix("dwindle-profile-").tempdir_in(&folder))
        .with_context(|| format!("cannot make a folder in {}", folder.display()))
}

fn total(sources: &[Source]) -> Summary {
    let mut total = Summary::default();
    for Source { summary, .. } in sources {
        for (sum, share) in [
            (&mut total.lines, summary.lines),
            (&mut total.functions, summary.functions),
            (&mut total.regions, summary.regions),
        ] {
            sum.count += share.count;
            sum.covered += share.covered;
        }
    }
    total
}

/// The part that was reached, in percent. Rounded down, so that 100 means all.
fn percent(share: Covered) -> u64 {
    (share.covered * 100).checked_div(share.count).unwrap_or(100)
}

fn tell_people(
    packages: &Packages,
    sources: &[Source],
    total: Summary,
    inputs: usize,
    failed: &[Failed],
) -> io::Result<()> {
    for Failed { path, reason } in failed {
        writeln!(io::stdout(), "failed  {}: {reason}", from_here(path))?;
    }
    let head = ["file", "lines", "reached", "%", "functions", "reached", "regions", "reached"];
    let row = |name: String, summary: Summary| {
        let Summary { lines, functions, regions } = summary;
        let figures = [
            lines.count,
            lines.covered,
            percent(lines),
            functions.count,
            functions.covered,
            regions.count,
            regions.covered,
        ];
        let mut cells = figures.into_iter().map(|figure| figure.to_string());
        std::array::from_fn(|column| {
            if column == 0 { name.clone() } else { cells.next().unwrap_or_default() }
        })
    };
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(
        sources
            .iter()
            .map(|source| row(printable_path(&packages.short(&source.path)), source.summary)),
    );
    rows.push(row("all".to_owned(), total));
    let inputs = if inputs == 1 { "1 input".to_owned() } else { format!("{inputs} inputs") };
    let failed = match failed.len() {
        0 => String::new(),
        failed => format!(", {failed} failed"),
    };
    table::print(&format!("coverage by {inputs}{failed}"), &rows)
}

fn tell_program(
    options: &Coverage,
    sources: &[Source],
    total: Summary,
    inputs: usize,
    failed: &[Failed],
    html: Option<&Path>,
) -> io::Result<()> {
    let reached = |share: Covered| Reached { count: share.count, reached: share.covered };
    let file = |path: String, summary: Summary| FileCoverage {
        file: path,
        lines: reached(summary.lines),
        functions: reached(summary.functions),
        regions: reached(summary.regions),
    };
    json::write(Event::Coverage(Box::new(CoverageFigures {
        target: options.target.clone(),
        inputs: inputs as u64,
        failed: failed.iter().map(|failed| failed.path.to_string_lossy().into_owned()).collect(),
        files: sources
            .iter()
            .map(|source| file(source.path.to_string_lossy().into_owned(), source.summary))
            .collect(),
        total: file(String::new(), total),
        html: html.map(|folder| folder.to_string_lossy().into_owned()),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_all_lines_are_a_hundred_percent() {
        let share = |count, covered| Covered { count, covered };
        assert_eq!(percent(share(1000, 999)), 99);
        assert_eq!(percent(share(1000, 1000)), 100);
        assert_eq!(percent(share(3, 0)), 0);
        assert_eq!(percent(share(0, 0)), 100);
    }
}

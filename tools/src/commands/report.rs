//! `cargo dwindle report`: writes a page about bugs and runs.

mod gather;
mod observe;

use super::coverage::smallest_inputs;
use crate::args::ReportPage;
use crate::exit::{Exit, wrong_use};
use crate::page::Page;
use crate::project::Project;
use crate::reports::save;
use crate::screen::{from_here, json};
use anyhow::{Context, Result};
use dwindle_corpus::BugStore;
use dwindle_corpus::events::{Event, PageFigures};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The name of the page in its folder.
const FILE: &str = "index.html";

pub(crate) fn report(options: &ReportPage) -> Result<Exit> {
    let project = Project::find(options.build.fuzz_dir.as_deref())?;
    let root = project.store(options.store.as_deref())?;
    let targets = targets(options, &project, &root)?;
    let folder = folder(&options.out)?;
    let gather = gather::Gather::new(&project, &root, &options.build);
    let mut page = Page {
        project: project_name(&project),
        written: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        targets: Vec::new(),
    };
    let mut observations = options.observe.as_deref().map(create).transpose()?;
    for target in &targets {
        let mut part = gather.target(target)?;
        if let Some(all) = observations.as_mut().filter(|_| !part.is_gone) {
            part.cases = Some(observe::observe(options, &project, target, all)?);
        }
        if options.coverage && !part.is_gone {
            part.reach = smallest_inputs(&project, target, &options.build)?;
        }
        page.targets.push(part);
    }
    let file = folder.join(FILE);
    let text = page.html();
    save(&file, text.as_bytes())?;
    tell(options, &page, &file, text.len())?;
    Ok(Exit::Clean)
}

/// The targets to show. An error of exit code 2 if a named one is neither in the fuzz crate nor in
/// the store.
fn targets(options: &ReportPage, project: &Project, root: &Path) -> Result<Vec<String>> {
    let stored = BugStore::targets(root)?;
    if options.targets.is_empty() {
        let mut all = project.targets.clone();
        all.extend(stored.into_iter().filter(|target| !project.targets.contains(target)));
        return Ok(all);
    }
    let mut named: Vec<String> = Vec::new();
    for target in &options.targets {
        if !stored.contains(target) {
            project.require(target)?;
        }
        if !named.contains(target) {
            named.push(target.clone());
        }
    }
    Ok(named)
}

/// Makes the folder for the page, before the work that would be lost without it.
fn folder(out: &Path) -> Result<PathBuf> {
    if out.exists() && !out.is_dir() {
        return Err(wrong_use(format!("{} is a file; name a folder for the page", out.display())));
    }
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    std::path::absolute(out).with_context(|| format!("{} is not a path", out.display()))
}

/// Makes the file for the observations.
fn create(file: &Path) -> Result<File> {
    File::create(file)
        .map_err(|error| wrong_use(format!("{} cannot be written: {error}", file.display())))
}

/// The fuzz crate, named by the folder that it fuzzes.
fn project_name(project: &Project) -> String {
    let own = project.dir.file_name();
    let above = project.dir.parent().and_then(Path::file_name);
    let name = if own.is_some_and(|name| name == "fuzz") { above.or(own) } else { own };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

fn tell(options: &ReportPage, page: &Page, file: &Path, bytes: usize) -> io::Result<()> {
    let variants = page.bugs().filter(|bug| bug.variant.is_some()).count();
    let bugs = page.bugs().count() - variants;
    let damaged: usize = page.targets.iter().map(|target| target.damaged.len()).sum();
    if options.build.json {
        return json::write(Event::Page(PageFigures {
            file: file.to_string_lossy().into_owned(),
            bytes: bytes as u64,
            targets: page.targets.len() as u64,
            bugs: bugs as u64,
            variants: variants as u64,
            damaged: damaged as u64,
        }));
    }
    let mut words = vec![counted(bugs, "bug"), counted(variants, "variant")];
    if damaged > 0 {
        words.push(format!("{damaged} damaged"));
    }
    writeln!(io::stdout(), "{}: {}", from_here(file), words.join(", "))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

//! `cargo dwindle corpus`: copies inputs between engines as plain files, and shows the figures of a
//! corpus.

use crate::args::{Corpus, CorpusAction, Export, Import, Stats};
use crate::exit::{Exit, wrong_use};
use crate::project::Project;
use crate::screen::from_here;
use crate::screen::json;
use anyhow::{Context, Result};
use dwindle_corpus::events::{CopiedInputs, CorpusFigures, Event};
use dwindle_corpus::{ContentId, list_corpus, read_input};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

pub(crate) fn corpus(options: &Corpus) -> Result<Exit> {
    match &options.action {
        CorpusAction::Import(import) => take_in(import),
        CorpusAction::Export(export) => give_out(export),
        CorpusAction::Stats(stats) => tell(stats),
    }
}

fn take_in(options: &Import) -> Result<Exit> {
    let own = own_folder(&options.place.target, options.place.fuzz_dir.as_deref())?;
    let files = files_of(&options.paths)?;
    let copied = copy(&files, &own)?;
    copied.tell(&own, Event::Imported, options.place.json)
}

fn give_out(options: &Export) -> Result<Exit> {
    let own = own_folder(&options.place.target, options.place.fuzz_dir.as_deref())?;
    if options.folder.exists() && !options.folder.is_dir() {
        return Err(wrong_use(format!(
            "{} is a file; name a folder to export to",
            options.folder.display()
        )));
    }
    let files = if own.is_dir() { list_corpus(&own)? } else { Vec::new() };
    if files.is_empty() {
        return Err(wrong_use(format!("{} holds no inputs", own.display())));
    }
    let copied = copy(&files, &options.folder)?;
    copied.tell(&options.folder, Event::Exported, options.place.json)
}

fn own_folder(target: &str, fuzz_dir: Option<&Path>) -> Result<PathBuf> {
    let project = Project::find(fuzz_dir)?;
    project.require(target)?;
    Ok(project.corpus(target))
}

fn files_of(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        let found = list_corpus(path).map_err(|error| wrong_use(error.to_string()))?;
        if found.is_empty() {
            return Err(wrong_use(format!("{} is a folder without inputs", path.display())));
        }
        files.extend(found);
    }
    Ok(files)
}

/// How many inputs were copied or left out.
#[derive(Debug, Default)]
struct Copied {
    new: u64,
    known: u64,
    empty: u64,
    unread: u64,
}

/// Copies each distinct content that `to` does not hold yet. The content's hash becomes the file
/// name.
///
/// The empty input is left out: AFL++ does not accept it, and libFuzzer always begins with it.
fn copy(files: &[PathBuf], to: &Path) -> Result<Copied> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let mut copied = Copied::default();
    let mut contents = BTreeSet::new();
    for file in list_corpus(to)? {
        if let Ok(input) = read_input(&file) {
            contents.insert(ContentId::of(&input));
        }
    }
    for file in files {
        match read_input(file) {
            Ok(input) if input.is_empty() => copied.empty += 1,
            Ok(input) => {
                let name = ContentId::of(&input);
                if contents.contains(&name) {
                    copied.known += 1;
                    continue;
                }
                let path = to.join(name.to_string());
                // Renames at the end, so that an unfinished copy is never taken for an input.
                let unfinished = to.join(format!(".{name}.part"));
                fs::write(&unfinished, &*input)
                    .and_then(|()| fs::rename(&unfinished, &path))
                    .with_context(|| format!("cannot write {}", path.display()))?;
                copied.new += 1;
                contents.insert(name);
            }
            Err(error) => {
                eprintln!("warning: {error}; it is left out");
                copied.unread += 1;
            }
        }
    }
    Ok(copied)
}

impl Copied {
    fn tell(&self, to: &Path, event: fn(CopiedInputs) -> Event, is_json: bool) -> Result<Exit> {
        if is_json {
            json::write(event(CopiedInputs {
                folder: to.display().to_string(),
                new: self.new,
                known: self.known,
                empty: self.empty,
                unread: self.unread,
            }))?;
        } else {
            let mut words =
                format!("{} new, {} known, into {}", counted(self.new), self.known, from_here(to));
            if self.empty > 0 {
                write!(words, "; {} empty and left out", self.empty)?;
            }
            if self.unread > 0 {
                write!(words, "; {} left out that could not be read", self.unread)?;
            }
            writeln!(io::stdout(), "{words}")?;
        }
        Ok(Exit::Clean)
    }
}

/// Shows the figures of corpora: of each given path, else of the target's corpus and its AFL++
/// campaign.
fn tell(options: &Stats) -> Result<Exit> {
    let folders = if options.paths.is_empty() {
        let project = Project::find(options.place.fuzz_dir.as_deref())?;
        project.require(&options.place.target)?;
        let own = [project.corpus(&options.place.target), project.campaign(&options.place.target)];
        own.into_iter().filter(|folder| folder.is_dir()).collect()
    } else {
        options.paths.clone()
    };
    if folders.is_empty() && !options.place.json {
        writeln!(
            io::stdout(),
            "no corpus of `{}` yet: `cargo dwindle run {}` makes one",
            options.place.target,
            options.place.target
        )?;
    }
    for folder in folders {
        let files = list_corpus(&folder).map_err(|error| wrong_use(error.to_string()))?;
        let mut sizes = Vec::new();
        let mut contents = BTreeSet::new();
        for file in &files {
            match read_input(file) {
                Ok(input) => {
                    sizes.push(input.len());
                    contents.insert(ContentId::of(&input));
                }
                Err(error) => eprintln!("warning: {error}; it is left out"),
            }
        }
        sizes.sort_unstable();
        let (bytes, median, largest) = (
            sizes.iter().sum::<usize>(),
            sizes.get(sizes.len() / 2).copied().unwrap_or(0),
            sizes.last().copied().unwrap_or(0),
        );
        let distinct = contents.len();
        if options.place.json {
            json::write(Event::Corpus(CorpusFigures {
                folder: folder.display().to_string(),
                inputs: sizes.len() as u64,
                distinct: distinct as u64,
                bytes: bytes as u64,
                median_bytes: median as u64,
                largest_bytes: largest as u64,
            }))?;
        } else {
            let inputs = counted(sizes.len() as u64);
            let place = from_here(&folder);
            writeln!(
                io::stdout(),
                "{place}: {inputs}, {distinct} distinct, {bytes} bytes (median {median}, largest \
                 {largest})"
            )?;
        }
    }
    Ok(Exit::Clean)
}

fn counted(inputs: u64) -> String {
    if inputs == 1 { "1 input".to_owned() } else { format!("{inputs} inputs") }
}

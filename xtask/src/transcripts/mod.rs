//! The transcripts in the documents: each is what a command of the document printed.
//!
//! A comment before a code block says what the block is:
//! - `<!-- file: parser/src/lib.rs -->`: the block is a file in the scene of this page. The scene
//!   is a temporary folder, in which all commands of the page run in their order.
//! - `<!-- append: parser/Cargo.toml -->`: the block is added to a file of the scene.
//! - `<!-- scene: tests.md -->`, without a block: the files of that page, as they are at its end.
//! - `<!-- transcript: parser -->`: the block has commands, which begin with `$`, and what they
//!   print to stdout. They run in the folder `parser` of the scene.
//! - `<!-- transcript: repository -->`: the same, as in a clone of this repository. The corpus and
//!   the store lie in the scene.
//!
//! A marker of a transcript may end with `; tests use --max-time 6`: then tests shorten the run.
//! A line `...` in the output stands for any number of lines. `compare` lists what may differ.

mod page;
mod compare;
mod scene;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

pub use compare::difference;
pub use page::{Block, Kind, blocks};
use scene::Scene;

use crate::tools;

/// How the commands of a page run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// As they stand in the page.
    Full,
    /// As the marker says for tests.
    Short,
}

/// A block whose text is not what the commands print.
#[derive(Debug)]
pub struct Stale {
    /// The number of the line after the opening fence, from 0.
    pub line: usize,
    /// What the block should be, without the fences.
    pub printed: String,
    /// The first difference, for people.
    pub difference: String,
}

/// Each document that may have transcripts: README and the pages of the book.
///
/// # Errors
/// The folder of the book cannot be read.
pub fn documents() -> Result<Vec<PathBuf>> {
    let folder = tools::root().join("docs");
    let mut pages = vec![tools::root().join("README.md")];
    for entry in fs::read_dir(&folder).context("cannot read the folder docs")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(pages)
}

/// Runs all commands of a page in a new scene. Returns the transcripts that are not true any more.
///
/// # Errors
/// A marker is wrong, or a command cannot be started.
pub fn stale(page: &Path, length: Length) -> Result<Vec<Stale>> {
    let text =
        fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let blocks = blocks(&text).with_context(|| format!("in {}", page.display()))?;
    let mut stale = Vec::new();
    if !blocks.iter().any(|block| matches!(block.kind, Kind::Transcript { .. })) {
        return Ok(stale);
    }
    let scene = Scene::new()?;
    for block in &blocks {
        match &block.kind {
            Kind::Scene { page } => files_of(page, &scene)?,
            Kind::File { path } => scene.write(path, &block.text)?,
            Kind::Append { path } => scene.append(path, &block.text)?,
            Kind::Transcript { folder, max_time } => {
                let max_time = max_time.filter(|_| length == Length::Short);
                let printed = scene.transcript(folder, &block.text, max_time)?;
                if let Some(difference) = difference(&block.text, &printed) {
                    stale.push(Stale { line: block.line, printed, difference });
                }
            }
        }
    }
    Ok(stale)
}

/// Writes the files of another page into the scene.
fn files_of(page: &str, scene: &Scene) -> Result<()> {
    let path = tools::root().join("docs").join(page);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read docs/{page}"))?;
    for block in blocks(&text)? {
        if let Kind::File { path } = &block.kind {
            scene.write(path, &block.text)?;
        }
    }
    Ok(())
}

/// Runs the commands of all documents whose name contains `name`, and writes what they print into
/// the documents. Blocks that are true stay as they are.
///
/// # Errors
/// A document cannot be read or written, or a command cannot be started.
pub fn rewrite(name: &str) -> Result<()> {
    let mut count = 0;
    for page in documents()? {
        let shown = page.strip_prefix(tools::root()).unwrap_or(&page).display().to_string();
        if !shown.contains(name) {
            continue;
        }
        count += 1;
        let stale = stale(&page, Length::Full)?;
        let text = fs::read_to_string(&page).context("cannot read the page again")?;
        fs::write(&page, page::replaced(&text, &stale)?)
            .with_context(|| format!("cannot write {shown}"))?;
        println!("{shown}: {} transcripts written", stale.len());
    }
    ensure!(count > 0, "no document is named {name}; the documents are README.md and docs/*.md");
    Ok(())
}

//! `cargo dwindle min`: minimize crash files.

use crate::args::Min;
use crate::exit::{Exit, wrong_use};
use crate::run::as_argument;
use crate::screen::Plan;
use crate::session::Session;
use anyhow::Result;
use dwindle_corpus::{check_size, list_inputs};
use std::fs::File;
use std::path::Path;

pub(crate) fn min(options: &Min) -> Result<Exit> {
    for path in &options.files {
        require_inputs(path)?;
    }
    let session = Session::open(&options.target, &options.build, options.build.verbose)?;
    let store = session.store(&options.shrinking)?.join(&options.target);
    session.screen.begin(&Plan { target: &options.target, engine: None, corpus: &[], store: &store })?;
    let mut command = session.command(Some("min"), Some(&options.shrinking))?;
    command.args(options.files.iter().map(|file| as_argument(file)));
    session.drive(command, false)
}

/// An error of exit code 2 unless there is anything to minimize: a file, or a folder with files in it. What in a folder is no input is named when it is its turn.
fn require_inputs(path: &Path) -> Result<()> {
    if !path.is_dir() {
        return require_file(path);
    }
    if list_inputs(path)?.is_empty() {
        return Err(wrong_use(format!("{} is a folder without inputs", path.display())));
    }
    Ok(())
}

/// An error of exit code 2 unless the file can be read and is no larger than an input may be; better now than after a long build.
pub(crate) fn require_file(file: &Path) -> Result<()> {
    if file.is_dir() {
        return Err(wrong_use(format!("{0} is a folder; name the files in it: {1}", file.display(), file.join("*").display())));
    }
    let metadata = File::open(file).and_then(|file| file.metadata()).map_err(|error| wrong_use(format!("cannot read {}: {error}", file.display())))?;
    check_size(file, metadata.len()).map_err(|error| wrong_use(error.to_string()))
}

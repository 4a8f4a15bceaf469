//! Checks the files and folders that a user names, and prepares paths as arguments of the target.

use crate::args::Run;
use crate::exit::wrong_use;
use anyhow::{Context, Result};
use dwindle_corpus::check_size;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Changes a path so that no engine takes it for an option.
pub(crate) fn as_argument(path: &Path) -> PathBuf {
    if path.as_os_str().as_encoded_bytes().starts_with(b"-") {
        Path::new(".").join(path)
    } else {
        path.to_owned()
    }
}

/// Returns an error of exit code 2 if the path is not a folder.
pub(crate) fn require_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let words = if folder.exists() {
        "is a file, not a corpus folder; `cargo dwindle show` runs one file"
    } else {
        "does not exist"
    };
    Err(wrong_use(format!("{} {words}", folder.display())))
}

/// The folders that the user named, else the target's own corpus folder, which is created if
/// missing.
pub(crate) fn corpus_folders(options: &Run, own: PathBuf) -> Result<Vec<PathBuf>> {
    if !options.corpus.is_empty() {
        return Ok(options.corpus.clone());
    }
    fs::create_dir_all(&own).with_context(|| format!("cannot make {}", own.display()))?;
    Ok(vec![own])
}

/// Returns an error of exit code 2 unless the file is readable and small enough for an input. The
/// check is here because an error after a long build costs time.
pub(crate) fn require_file(file: &Path) -> Result<()> {
    if file.is_dir() {
        return Err(wrong_use(format!(
            "{0} is a folder; name the files in it: {1}",
            file.display(),
            file.join("*").display()
        )));
    }
    let metadata = File::open(file)
        .and_then(|file| file.metadata())
        .map_err(|error| wrong_use(format!("cannot read {}: {error}", file.display())))?;
    check_size(file, metadata.len()).map_err(|error| wrong_use(error.to_string()))
}

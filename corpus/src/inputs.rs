//! Finds inputs in the folders of fuzzers.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::StoreError;

/// Lists the input files at `path`, sorted.
///
/// - A file is itself the one input.
/// - A corpus or a folder of libFuzzer artifacts: all files, also those in subfolders.
/// - An output folder of AFL++, of one instance or of several: the *failing* inputs, from `crashes`
///   and `hangs`. For the corpus, name its `queue` folder.
/// - A bug store: the `input` of each bug and variant.
///
/// Three things are left out: names that begin with a dot, `README.txt`, and the contents of
/// symbolic links to folders below `path`.
///
/// # Errors
/// `path` does not exist, or a folder cannot be read.
pub fn list_inputs(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let listed = survey(path, Wanted::Failing)?;
    listed.unread.into_iter().next().map_or(Ok(listed.inputs), Err)
}

/// Lists the files of the corpus at `path`, sorted.
///
/// Like [`list_inputs`], but takes the passing inputs of AFL++'s instances, from `queue`.
///
/// # Errors
/// The errors of [`list_inputs`].
pub fn list_corpus(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let listed = survey(path, Wanted::Corpus)?;
    listed.unread.into_iter().next().map_or(Ok(listed.inputs), Err)
}

/// The input files at a path, and the folders below it that cannot be read.
#[derive(Debug, Default)]
pub struct Survey {
    /// The files that [`list_inputs`] lists, sorted.
    pub inputs: Vec<PathBuf>,
    /// One error for each folder that could not be read.
    pub unread: Vec<StoreError>,
}

/// [`list_inputs`] for a tree with unreadable folders: lists the inputs in all other folders.
///
/// # Errors
/// `path` does not exist.
pub fn survey_inputs(path: &Path) -> Result<Survey, StoreError> {
    survey(path, Wanted::Failing)
}

/// Which inputs of an AFL++ instance to list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Failing,
    Corpus,
}

fn survey(path: &Path, wanted: Wanted) -> Result<Survey, StoreError> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            StoreError::missing(path, "does not exist; name a file or a folder of inputs")
        }
        _ => StoreError::io("read", path, error),
    })?;
    if !metadata.is_dir() {
        return Ok(Survey { inputs: vec![path.to_owned()], unread: Vec::new() });
    }
    let mut survey = Survey::default();
    survey.folder(path, wanted);
    survey.inputs.sort();
    Ok(survey)
}

impl Survey {
    fn folder(&mut self, folder: &Path, wanted: Wanted) {
        let Some(entries) = self.entries(folder) else { return };
        if entries.has_file("report.json") && entries.has_file("input") {
            self.inputs.push(folder.join("input"));
            entries
                .folders_named(|name| name.starts_with("variant-"))
                .for_each(|folder| self.folder(folder, wanted));
        } else if entries.is_afl_instance() {
            let is_wanted = if wanted == Wanted::Failing {
                is_failures_of_afl
            } else {
                |name: &str| name == "queue"
            };
            entries.folders_named(is_wanted).for_each(|folder| {
                let files = self.entries(folder).into_iter().flat_map(|entries| entries.files);
                // With AFL_PERSISTENT_RECORD, AFL++ stores the runs before a crash in the same
                // folder. Only the files named `id..` failed.
                self.inputs.extend(files.filter(|path| name_of(path).starts_with("id")));
            });
        } else {
            self.inputs
                .extend(entries.files.iter().filter(|path| name_of(path) != "README.txt").cloned());
            entries.folders.iter().for_each(|folder| self.folder(folder, wanted));
        }
    }

    fn entries(&mut self, folder: &Path) -> Option<Entries> {
        Entries::read(folder).map_err(|error| self.unread.push(error)).ok()
    }
}

/// Whether AFL++ keeps failing inputs in a folder of this name. AFL++ renames `crashes` to
/// `crashes.<date>` when a session is resumed in place.
pub(crate) fn is_failures_of_afl(name: &str) -> bool {
    ["crashes", "hangs"].iter().any(|kind| {
        name.strip_prefix(kind).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// The files and folders in one folder, without names that begin with a dot.
pub(crate) struct Entries {
    files: Vec<PathBuf>,
    pub(crate) folders: Vec<PathBuf>,
}

impl Entries {
    pub(crate) fn read(folder: &Path) -> Result<Entries, StoreError> {
        let fail = |error| StoreError::io("read", folder, error);
        let mut entries = Entries { files: Vec::new(), folders: Vec::new() };
        for entry in fs::read_dir(folder).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            // Skips removed files and broken links, which are not inputs, and links to folders,
            // which may form a circle.
            let kind = entry.file_type().map_err(fail)?;
            if kind.is_dir() {
                entries.folders.push(entry.path());
            } else if fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_file()) {
                entries.files.push(entry.path());
            }
        }
        Ok(entries)
    }

    pub(crate) fn is_afl_instance(&self) -> bool {
        let has_folder = |name: &str| self.folders.iter().any(|path| name_of(path) == name);
        self.has_file("fuzzer_stats")
            || self.has_file("fuzzer_setup")
            || (has_folder("queue") && has_folder("crashes"))
    }

    fn has_file(&self, name: &str) -> bool {
        self.files.iter().any(|path| name_of(path) == name)
    }

    fn folders_named(&self, is_wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &PathBuf> {
        self.folders.iter().filter(move |path| is_wanted(name_of(path)))
    }
}

/// The last part of a path. Empty if it is not UTF-8, so that it matches none of the expected
/// names.
pub(crate) fn name_of(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

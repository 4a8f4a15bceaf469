//! Reading inputs, and finding them in the folders of fuzzers.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::StoreError;

/// How many bytes an input has at most: more than any fuzzer writes, and what the processes that run targets can hand each other.
pub const INPUT_MAX_BYTES: u64 = 64 << 20;

/// The bytes of one file, mapped into memory where that is possible.
pub struct Input(Bytes);

enum Bytes {
    Mapped(Mmap),
    Copied(Vec<u8>),
}

impl Deref for Input {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Mapped(map) => map,
            Bytes::Copied(bytes) => bytes,
        }
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Input({} bytes)", self.len())
    }
}

/// Reads one input. Files are mapped; pipes and the like are read to their end.
///
/// While the result lives, nobody may truncate the file: reading past its new end would end the process (SIGBUS). The
/// store and the fuzzers never do; they write new files.
///
/// # Errors
/// There is no such file, it is a folder, it is larger than [`INPUT_MAX_BYTES`], or it cannot be read.
pub fn read_input(path: &Path) -> Result<Input, StoreError> {
    let fail = |error| StoreError::io("read", path, error);
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StoreError::missing(path, "is not there; name a file that holds an input"),
        _ => fail(error),
    })?;
    let metadata = file.metadata().map_err(fail)?;
    if metadata.is_dir() {
        return Err(StoreError::bad_name(path, "is a folder; name one of the files in it"));
    }
    check_size(path, metadata.len())?;
    // An empty map is an error; files of /proc say that they are empty and are not.
    if !metadata.is_file() || metadata.len() == 0 {
        let mut bytes = Vec::new();
        file.take(INPUT_MAX_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
        check_size(path, bytes.len() as u64)?;
        return Ok(Input(Bytes::Copied(bytes)));
    }
    // SAFETY: the map is private to reads, and inputs are not written in place while they are read: the store replaces
    // files by renaming, libFuzzer and AFL++ write each input once. The docs pass the duty on for other files.
    let map = unsafe { Mmap::map(&file) }.map_err(fail)?;
    Ok(Input(Bytes::Mapped(map)))
}

/// An error where a file of this size is no input. Reads nothing.
///
/// # Errors
/// It is larger than [`INPUT_MAX_BYTES`].
pub fn check_size(path: &Path, bytes: u64) -> Result<(), StoreError> {
    if bytes > INPUT_MAX_BYTES { Err(StoreError::too_large(path, bytes)) } else { Ok(()) }
}

/// The input files at `path`, sorted.
///
/// - A file is itself the one input.
/// - A corpus or a folder of libFuzzer artifacts: all files, also in folders within.
/// - An output folder of AFL++, of one instance or of several: the *failing* inputs, from `crashes` and `hangs`. For
///   the corpus name its `queue` folder.
/// - A bug store: the `input` of each bug and variant.
///
/// Never listed: names that begin with a dot, `README.txt`, and what symbolic links to folders lead to below `path`.
///
/// # Errors
/// `path` is not there, or a folder cannot be read.
pub fn list_inputs(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let listed = survey(path, Wanted::Failing)?;
    listed.unread.into_iter().next().map_or(Ok(listed.inputs), Err)
}

/// The files of the corpus at `path`, sorted: as [`list_inputs`], but of AFL++'s instances the inputs that passed, from `queue`.
///
/// # Errors
/// Those of [`list_inputs`].
pub fn list_corpus(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let listed = survey(path, Wanted::Corpus)?;
    listed.unread.into_iter().next().map_or(Ok(listed.inputs), Err)
}

/// The input files at a path, and the folders below it that cannot be read.
#[derive(Debug, Default)]
pub struct Survey {
    /// What [`list_inputs`] lists, sorted.
    pub inputs: Vec<PathBuf>,
    /// Why a folder could not be read, for each such folder.
    pub unread: Vec<StoreError>,
}

/// [`list_inputs`] for a tree of which some folder may not be readable: the others are listed all the same.
///
/// # Errors
/// `path` is not there.
pub fn survey_inputs(path: &Path) -> Result<Survey, StoreError> {
    survey(path, Wanted::Failing)
}

/// Which of the inputs that AFL++ keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Failing,
    Corpus,
}

fn survey(path: &Path, wanted: Wanted) -> Result<Survey, StoreError> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StoreError::missing(path, "is not there; name a file or a folder of inputs"),
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
            entries.folders_named(|name| name.starts_with("variant-")).for_each(|folder| self.folder(folder, wanted));
        } else if entries.is_afl_instance() {
            let is_wanted = if wanted == Wanted::Failing { is_failures_of_afl } else { |name: &str| name == "queue" };
            entries.folders_named(is_wanted).for_each(|folder| {
                let files = self.entries(folder).into_iter().flat_map(|entries| entries.files);
                // With AFL_PERSISTENT_RECORD the runs before a crash stand beside it; they are not what failed.
                self.inputs.extend(files.filter(|path| name_of(path).starts_with("id")));
            });
        } else {
            self.inputs.extend(entries.files.iter().filter(|path| name_of(path) != "README.txt").cloned());
            entries.folders.iter().for_each(|folder| self.folder(folder, wanted));
        }
    }

    fn entries(&mut self, folder: &Path) -> Option<Entries> {
        Entries::read(folder).map_err(|error| self.unread.push(error)).ok()
    }
}

/// AFL++ renames `crashes` to `crashes.<date>` when a session is resumed in place.
pub(crate) fn is_failures_of_afl(name: &str) -> bool {
    ["crashes", "hangs"].iter().any(|kind| name.strip_prefix(kind).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// What stands in one folder, without names that begin with a dot.
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
            // A file that went away since, or a link to nothing, is no input; a link to a folder may lead in circles.
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
        self.has_file("fuzzer_stats") || self.has_file("fuzzer_setup") || (has_folder("queue") && has_folder("crashes"))
    }

    fn has_file(&self, name: &str) -> bool {
        self.files.iter().any(|path| name_of(path) == name)
    }

    fn folders_named(&self, is_wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &PathBuf> {
        self.folders.iter().filter(move |path| is_wanted(name_of(path)))
    }
}

/// The last part of a path, empty where it is no UTF-8: none of the names looked for.
pub(crate) fn name_of(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

//! The input of a triage: the distinct contents of the files, and the files that cannot be read.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use dwindle_corpus::{ContentId, Input, Survey, printable_path, read_input, survey_inputs};
use dwindle_engine::internals::sorted::sort_by;

/// A content, with the first file that holds it.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) content: ContentId,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

/// The result of reading all files.
#[derive(Debug, Default)]
pub(crate) struct ReadFiles {
    pub(crate) items: Vec<Item>,
    /// Files whose content an earlier item has, each with the index of that item.
    pub(crate) repeated: Vec<(PathBuf, usize)>,
    /// Files and folders that cannot be read, each with the reason.
    pub(crate) unread: Vec<(PathBuf, String)>,
}

/// The files at these paths, each once, and the folders that cannot be read. The error is the
/// problem with the paths.
pub(crate) fn list(paths: &[PathBuf]) -> Result<Survey, String> {
    let mut all = Survey::default();
    for path in paths {
        let survey = survey_inputs(path).map_err(|error| error.to_string())?;
        if survey.inputs.is_empty() && survey.unread.is_empty() {
            return Err(format!("{} is a folder without inputs", printable_path(path)));
        }
        all.inputs.extend(survey.inputs);
        all.unread.extend(survey.unread);
    }
    if paths.is_empty() {
        return Err("triage takes files and folders of files".to_owned());
    }
    sort_by(&mut all.inputs, Ord::cmp);
    all.inputs.dedup();
    Ok(all)
}

impl ReadFiles {
    /// Reads every file once. `progress` gets the number of files read so far.
    pub(crate) fn read(survey: Survey, mut progress: impl FnMut(usize)) -> ReadFiles {
        let unread =
            survey.unread.into_iter().map(|error| (error.path().to_owned(), error.to_string()));
        let mut given = ReadFiles { unread: unread.collect(), ..ReadFiles::default() };
        let mut first: HashMap<ContentId, usize> = HashMap::new();
        for (index, path) in survey.inputs.into_iter().enumerate() {
            progress(index);
            match read(&path) {
                Ok(input) => {
                    let content = ContentId::of(&input);
                    let next = given.items.len();
                    match *first.entry(content).or_insert(next) {
                        index if index < next => given.repeated.push((path, index)),
                        _ => given.items.push(Item { content, path, bytes: input.len() as u64 }),
                    }
                }
                Err(reason) => given.unread.push((path, reason)),
            }
        }
        given
    }
}

impl Item {
    /// Reads the bytes again. It is an error if the content has changed.
    pub(crate) fn read(&self) -> Result<Input, String> {
        let input = read(&self.path)?;
        if ContentId::of(&input) == self.content {
            Ok(input)
        } else {
            Err(format!(
                "{} changed during the triage; run the command again",
                printable_path(&self.path)
            ))
        }
    }
}

fn read(path: &Path) -> Result<Input, String> {
    // Reading a pipe would block, and a pipe can be read only once.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return Err(format!(
            "{} is neither a file nor a folder; copy its content into a file",
            printable_path(path)
        ));
    }
    read_input(path).map_err(|error| error.to_string())
}

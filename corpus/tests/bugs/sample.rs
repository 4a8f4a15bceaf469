//! A bug to store, and what a folder holds, for all tests.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use dwindle_corpus::{BugId, BugKind, Content, ContentId, Report, Status};
use tempfile::TempDir;

pub(crate) const ORIGINAL: &[u8] = b"the first hit, with much that does not matter";
pub(crate) const SMALL: &[u8] = b"small";

pub(crate) fn id() -> BugId {
    BugId::of("panic demo-1.0.0/src/lib.rs:3:9")
}

pub(crate) fn pending() -> Report {
    let mut report = Report::pending("parse", id(), BugKind::Panic);
    report.message = String::from("index out of bounds");
    report.original_bytes = ORIGINAL.len() as u64;
    report.first_seen = 1_700_000_000;
    report
}

pub(crate) fn minimized(input: &[u8], choices: u64) -> Report {
    let mut report = pending();
    report.status = Status::Minimized;
    report.minimized_bytes = Some(input.len() as u64);
    report.minimized_choices = Some(choices);
    report
}

/// Contents of some numbers, sorted as a store sorts them.
pub(crate) fn contents(numbers: Range<u64>) -> Vec<Content> {
    let mut contents: Vec<Content> = numbers
        .map(|n| Content { id: ContentId::of(&n.to_le_bytes()), choices: Some(n), variant: None })
        .collect();
    contents.sort();
    contents
}

/// A folder for tests that go through thousands of syncs: in memory where there is such a place, as
/// kills do not mind.
pub(crate) fn quick_folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// All files below a folder: relative path and content.
pub(crate) fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, files);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                // A link to nothing is there all the same.
                let content = fs::read(&path).unwrap_or_else(|_| {
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                });
                files.insert(name, content);
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(folder, folder, &mut files);
    files
}

/// Everything below a folder, folders too, whose name is that of a temporary.
pub(crate) fn temporaries(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with(".tmp-") {
            found.push(path.display().to_string());
        } else if path.is_dir() {
            found.extend(temporaries(&path));
        }
    }
    found
}

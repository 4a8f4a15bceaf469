//! Source files that reports name.

use dwindle_corpus::{SOURCE_AROUND, source_digest};
use std::env;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The first folder at or above `start` that holds a repository, else `start`.
pub(crate) fn repository(start: &Path) -> &Path {
    start.ancestors().find(|folder| fs::metadata(folder.join(".git")).is_ok()).unwrap_or(start)
}

/// Finds a file that a report names from the folder of its crate. `dir` is the folder of the fuzz
/// crate. Files of crates from a registry are in no folder of the repository. A report may come
/// from another machine, so it cannot name files outside of the repository.
pub(crate) fn find(dir: &Path, file: &Path) -> Option<PathBuf> {
    let root = repository(dir);
    let folders = dir.ancestors().take_while(|folder| folder.starts_with(root));
    folders.filter(|_| is_inside(file)).map(|folder| folder.join(file)).find(|path| path.is_file())
}

/// Whether a path leads to nothing outside of the folder that it begins in.
fn is_inside(file: &Path) -> bool {
    file.components().all(|part| matches!(part, Component::Normal(_)))
}

/// Finds a file of a crate from a registry, where cargo has unpacked it: `semver-1.0.0/src/lib.rs`.
fn find_in_registry(file: &Path) -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))?;
    let registries = fs::read_dir(home.join("registry/src")).ok().filter(|_| is_inside(file))?;
    registries
        .filter_map(|registry| Some(registry.ok()?.path().join(file)))
        .find(|path| path.is_file())
}

/// A place in a source file: `src/lib.rs:17:9`, or `src/lib.rs:17` in a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceLine {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
}

impl SourceLine {
    /// Reads `file:line` and `file:line:column`.
    pub(crate) fn read(text: &str) -> Option<SourceLine> {
        let (before, last) = text.rsplit_once(':')?;
        let last: usize = last.parse().ok()?;
        let (file, line) = match before.rsplit_once(':') {
            Some((file, line)) if line.parse::<usize>().is_ok() => (file, line.parse().ok()?),
            _ => (before, last),
        };
        (!file.is_empty() && line > 0).then(|| SourceLine { file: file.into(), line })
    }
}

/// Lines of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The line of the place.
    pub(crate) line: usize,
    /// The number of the first line.
    pub(crate) first: usize,
    pub(crate) lines: Vec<String>,
    /// Whether the file was changed after the report was written.
    pub(crate) is_changed: bool,
}

/// Why there are no lines of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoLines {
    /// The file is not in the repository, or gone.
    Missing,
    /// The file has fewer lines by now.
    Shorter,
    /// The lines were changed after the target was built.
    Changed,
    /// The report does not say which lines these were. The source was missing when dwindle looked,
    /// or newer than the target.
    Unknown,
}

/// A larger file is not source code.
const FILE_MAX_BYTES: u64 = 4 << 20;
/// A longer line is cut.
const LINE_MAX_CHARS: usize = 160;

/// The lines around a place. `report` is the file that names the place.
pub(crate) fn excerpt(
    dir: &Path,
    at: &SourceLine,
    around: usize,
    report: &Path,
) -> Result<Excerpt, NoLines> {
    let path = find(dir, &at.file).ok_or(NoLines::Missing)?;
    let changed = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let excerpt = lines_of(&read(&path).ok_or(NoLines::Missing)?, at.line, around)?;
    let is_changed = changed(&path).zip(changed(report)).is_some_and(|(own, then)| own > then);
    Ok(Excerpt { is_changed, ..excerpt })
}

/// The lines around a place, if they are those of the target. `digest` is what the report has of
/// them. The file may also be that of a crate from a registry.
pub(crate) fn excerpt_as_built(
    dir: &Path,
    at: &SourceLine,
    digest: Option<&str>,
) -> Result<Excerpt, NoLines> {
    let digest = digest.ok_or(NoLines::Unknown)?;
    let path = find(dir, &at.file).or_else(|| find_in_registry(&at.file));
    let text = path.and_then(|path| read(&path)).ok_or(NoLines::Missing)?;
    if source_digest(&text, at.line).as_deref() != Some(digest) {
        return Err(NoLines::Changed);
    }
    lines_of(&text, at.line, SOURCE_AROUND)
}

fn read(path: &Path) -> Option<String> {
    let is_small = fs::metadata(path).is_ok_and(|metadata| metadata.len() <= FILE_MAX_BYTES);
    let bytes = fs::read(path).ok().filter(|_| is_small)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn lines_of(text: &str, line: usize, around: usize) -> Result<Excerpt, NoLines> {
    let first = line.saturating_sub(around).max(1);
    let lines: Vec<String> = text
        .lines()
        .skip(first - 1)
        .take(line + around + 1 - first)
        .map(|line| line.chars().take(LINE_MAX_CHARS).collect::<String>().replace('\t', "    "))
        .collect();
    if first + lines.len() <= line {
        return Err(NoLines::Shorter);
    }
    Ok(Excerpt { line, first, lines, is_changed: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_a_file_and_a_line() {
        let place = |file: &str, line| Some(SourceLine { file: file.into(), line });
        assert_eq!(SourceLine::read("src/lib.rs:17:9"), place("src/lib.rs", 17));
        assert_eq!(SourceLine::read("src/lib.rs:17"), place("src/lib.rs", 17));
        for text in ["", "src/lib.rs", "src/lib.rs:x", ":3", "src/lib.rs:0:1"] {
            assert_eq!(SourceLine::read(text), None, "{text}");
        }
    }

    #[test]
    fn an_excerpt_says_what_became_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("report.json");
        fs::write(folder.path().join("a.rs"), b"1\n2\n3\n\t4\xff\n5\n").unwrap();
        fs::write(&report, "").unwrap();
        let at = |file: &str, line| {
            excerpt(folder.path(), &SourceLine { file: file.into(), line }, 1, &report)
        };
        let found = at("a.rs", 4).unwrap();
        assert_eq!((found.first, found.is_changed), (3, false));
        let text = String::from_utf8(b"1\n2\n3\n\t4\n5\n".to_vec()).unwrap();
        fs::write(folder.path().join("a.rs"), text).unwrap();
        assert_eq!(at("a.rs", 4).unwrap().lines, ["3", "    4", "5"]);
        assert_eq!(at("a.rs", 1).unwrap().lines, ["1", "2"]);
        assert_eq!(at("a.rs", 9), Err(NoLines::Shorter));
        assert_eq!(at("b.rs", 1), Err(NoLines::Missing));
        fs::write(folder.path().join("outside.rs"), "secret").unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        for file in ["../outside.rs", "/etc/passwd"] {
            assert_eq!(find(&inner, Path::new(file)), None, "{file}");
        }
        let file = fs::File::options().write(true).open(&report).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        assert!(at("a.rs", 1).unwrap().is_changed);
    }

    #[test]
    fn an_excerpt_as_built_is_shown_only_while_its_lines_are_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.rs");
        let text = "1\n2\n3\n4\n5\n6\n7\n";
        fs::write(&file, text).unwrap();
        let digest = source_digest(text, 4);
        let at = |file: &str, digest: Option<&str>| {
            excerpt_as_built(folder.path(), &SourceLine { file: file.into(), line: 4 }, digest)
        };
        let found = at("a.rs", digest.as_deref()).unwrap();
        assert_eq!((found.first, found.line, found.lines.concat()), (2, 4, "23456".to_owned()));
        // A change elsewhere keeps the lines.
        fs::write(&file, text.replace('7', "seven")).unwrap();
        assert!(at("a.rs", digest.as_deref()).is_ok());
        for changed in [text.replace('6', "six"), format!("0\n{text}"), String::new()] {
            fs::write(&file, changed).unwrap();
            assert_eq!(at("a.rs", digest.as_deref()), Err(NoLines::Changed));
        }
        assert_eq!(at("a.rs", None), Err(NoLines::Unknown));
        fs::remove_file(&file).unwrap();
        assert_eq!(at("a.rs", digest.as_deref()), Err(NoLines::Missing));
        assert_eq!(at("../a.rs", digest.as_deref()), Err(NoLines::Missing));
    }
}

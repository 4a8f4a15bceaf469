//! Source files that reports name.

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
    let is_inside = file.components().all(|part| matches!(part, Component::Normal(_)));
    let root = repository(dir);
    let folders = dir.ancestors().take_while(|folder| folder.starts_with(root));
    folders.filter(|_| is_inside).map(|folder| folder.join(file)).find(|path| path.is_file())
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
    let is_small = fs::metadata(&path).is_ok_and(|metadata| metadata.len() <= FILE_MAX_BYTES);
    let bytes = fs::read(&path).ok().filter(|_| is_small).ok_or(NoLines::Missing)?;
    let text = String::from_utf8_lossy(&bytes);
    let first = at.line.saturating_sub(around).max(1);
    let lines: Vec<String> = text
        .lines()
        .skip(first - 1)
        .take(at.line + around + 1 - first)
        .map(|line| line.chars().take(LINE_MAX_CHARS).collect::<String>().replace('\t', "    "))
        .collect();
    if first + lines.len() <= at.line {
        return Err(NoLines::Shorter);
    }
    let is_changed = changed(&path).zip(changed(report)).is_some_and(|(own, then)| own > then);
    Ok(Excerpt { line: at.line, first, lines, is_changed })
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
}

//! The names of panics: id and place.

use std::path::{Path, PathBuf};

use dwindle_corpus::BugId;

use crate::failure::location::portable_location;
use crate::failure::panics::Panic;

/// How many panics are remembered. A user who tells bugs apart by words of their own may make any number of them.
const KNOWN_MAX: usize = 256;

/// Names panics, most of which are seen again and again.
pub(crate) struct Names {
    pub(crate) manifest_dir: PathBuf,
    /// A target has few places to panic at: they are looked through.
    known: Vec<Name>,
}

struct Name {
    file: String,
    line: u32,
    column: u32,
    bug_key: String,
    id: BugId,
    location: String,
}

impl Names {
    pub(crate) fn new(manifest_dir: PathBuf) -> Names {
        Names { manifest_dir, known: Vec::new() }
    }

    /// As [`of_panic`].
    pub(crate) fn of(&mut self, panic: &Panic, bug_key: &str) -> (BugId, String) {
        let is_it = |name: &&Name| name.line == panic.line && name.column == panic.column && name.file == panic.file && name.bug_key == bug_key;
        if let Some(name) = self.known.iter().find(is_it) {
            return (name.id, name.location.clone());
        }
        let (id, location) = of_panic(panic, bug_key, &self.manifest_dir);
        if self.known.len() < KNOWN_MAX {
            let (file, bug_key) = (panic.file.clone(), bug_key.to_owned());
            self.known.push(Name { file, line: panic.line, column: panic.column, bug_key, id, location: location.clone() });
        }
        (id, location)
    }
}

/// The id and the place of a panic. The id is that of its kind, its place and the words of the user. Neither message nor frames, which differ from build to build
/// and from input to input.
pub(crate) fn of_panic(panic: &Panic, bug_key: &str, manifest_dir: &Path) -> (BugId, String) {
    let location = portable_location(&panic.file, panic.line, panic.column, manifest_dir);
    (BugId::of(&format!("panic\n{location}\n{bug_key}")), location)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_remembered_is_the_name_made_anew() {
        let mut names = Names::new("/home/me/project/fuzz".into());
        let panics: Vec<Panic> = [("src/a.rs", 1, 2), ("src/a.rs", 2, 1), ("src/b.rs", 1, 2), ("", 0, 0)]
            .map(|(file, line, column)| Panic { message: line.to_string(), file: file.to_owned(), line, column, addresses: Vec::new() })
            .into();
        let mut ids = Vec::new();
        for _ in 0..2 {
            for panic in &panics {
                for bug_key in ["", "one", "two"] {
                    let name = names.of(panic, bug_key);
                    assert_eq!(name, of_panic(panic, bug_key, &names.manifest_dir));
                    ids.push(name.0);
                }
            }
        }
        assert_eq!(ids[..12], ids[12..]);
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 12);
    }

    #[test]
    fn more_names_than_are_remembered_are_right_all_the_same() {
        let mut names = Names::new(PathBuf::new());
        let panic = Panic { message: String::new(), file: "src/a.rs".to_owned(), line: 1, column: 1, addresses: Vec::new() };
        for _ in 0..2 {
            for key in 0..=KNOWN_MAX {
                let key = key.to_string();
                assert_eq!(names.of(&panic, &key), of_panic(&panic, &key, Path::new("")));
            }
        }
        assert_eq!(names.known.len(), KNOWN_MAX);
    }
}

//! The names of panics: id and place.
//!
//! A target may damage the heap of the process that runs it. So that process makes the id of a
//! panic only from memory that no target writes to. This is the place that the compiler put into
//! the executable, and a table outside the heap. The process that requested the run makes the text
//! of the place.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use dwindle_corpus::BugId;

use crate::failure::location::PortablePlace;
use crate::failure::panics::{Panic, Place};

/// Number of remembered places. A target has few.
const KNOWN_MAX: usize = 64;

/// Names panics, most of which repeat many times.
pub(crate) struct PanicNames {
    pub(crate) manifest_dir: PathBuf,
    /// Separates the entries of this value from those of others in the same table.
    number: u64,
}

/// The id of the panics at one place.
#[derive(Clone, Copy)]
struct Name {
    /// The number of the [`PanicNames`] that owns this entry, or 0 for an empty entry.
    number: u64,
    /// The address of the file name, which represents the name.
    file: usize,
    line: u32,
    column: u32,
    id: BugId,
}

const NO_NAME: Name = Name { number: 0, file: 0, line: 0, column: 0, id: BugId::from_bits(0) };

thread_local! {
    static KNOWN: RefCell<[Name; KNOWN_MAX]> = const { RefCell::new([NO_NAME; KNOWN_MAX]) };
    static NEXT: Cell<usize> = const { Cell::new(0) };
}

impl PanicNames {
    pub(crate) fn new(manifest_dir: PathBuf) -> PanicNames {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        PanicNames { manifest_dir, number: NUMBER.fetch_add(1, Ordering::Relaxed) }
    }

    /// As [`id_of_panic`].
    pub(crate) fn of(&self, panic: &Panic, bug_key: &str) -> BugId {
        let place = &panic.place;
        if !bug_key.is_empty() || !place.is_static() {
            return id_of_panic(place, bug_key, &self.manifest_dir);
        }
        let (file, line, column) = (place.file.as_ptr() as usize, place.line, place.column);
        let is_it = |name: &&Name| {
            name.line == line
                && name.column == column
                && name.file == file
                && name.number == self.number
        };
        if let Some(id) = KNOWN.with_borrow(|known| known.iter().find(is_it).map(|name| name.id)) {
            return id;
        }
        let id = id_of_panic(place, bug_key, &self.manifest_dir);
        let next = NEXT.replace((NEXT.get() + 1) % KNOWN_MAX);
        KNOWN.with_borrow_mut(|known| {
            known[next] = Name { number: self.number, file, line, column, id }
        });
        id
    }
}

/// The id of a panic, made of its kind, its place and the user's bug key. Message and frames do not
/// count: they differ from build to build and from input to input.
pub(crate) fn id_of_panic(place: &Place, bug_key: &str, manifest_dir: &Path) -> BugId {
    BugId::of_parts(format_args!("panic\n{}\n{bug_key}", place.portable(manifest_dir)))
}

impl Place {
    /// The place, in a form that is the same on every machine.
    pub(crate) fn portable<'a>(&'a self, manifest_dir: &'a Path) -> PortablePlace<'a> {
        PortablePlace::new(&self.file, self.line, self.column, manifest_dir)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &'static str, line: u32, column: u32) -> Place {
        Place { file: file.into(), line, column }
    }

    #[test]
    fn a_cached_name_equals_a_new_one() {
        let names = PanicNames::new("/home/me/project/fuzz".into());
        let panics = [("src/a.rs", 1, 2), ("src/a.rs", 2, 1), ("src/b.rs", 1, 2), ("", 0, 0)]
            .map(|(file, line, column)| Panic::at(place(file, line, column)));
        let mut ids = Vec::new();
        for _ in 0..2 {
            for panic in &panics {
                for bug_key in ["", "one", "two"] {
                    let id = names.of(panic, bug_key);
                    assert_eq!(id, id_of_panic(&panic.place, bug_key, &names.manifest_dir));
                    ids.push(id);
                }
            }
        }
        assert_eq!(ids[..12], ids[12..]);
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 12);
    }

    #[test]
    fn ids_are_those_of_the_first_version() {
        let place = place("/home/me/.cargo/git/checkouts/widget-0a1b2c3d/f00ba4/src/lib.rs", 3, 9);
        let id = BugId::of("panic\nwidget-f00ba4/src/lib.rs:3:9\nkey");
        assert_eq!(id_of_panic(&place, "key", Path::new("")), id);
    }

    #[test]
    fn names_are_right_when_the_cache_is_full() {
        let names = PanicNames::new(PathBuf::new());
        for _ in 0..2 {
            for line in 1..=2 * KNOWN_MAX as u32 {
                let panic = Panic::at(place("src/a.rs", line, 1));
                assert_eq!(names.of(&panic, ""), id_of_panic(&panic.place, "", Path::new("")));
            }
        }
    }
}

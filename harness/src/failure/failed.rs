//! A failure with its name: the id of its bug.

use std::path::Path;

use dwindle_corpus::{BugId, BugKind, Report};

use crate::failure::panics::{Panic, Place};

/// The version of the rules by which bugs get their ids.
///
/// Version 2: what an allocator notices is known by that alone, and use of freed memory by where it was freed. See [`Failed::old_id`].
pub(crate) const SIGNATURE_VERSION: u32 = 2;

/// A failure, named.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) id: BugId,
    /// Its id by the rules of version 1, where that is another one.
    pub(crate) old_id: Option<BugId>,
    pub(crate) kind: BugKind,
    /// In words. Empty in a process that runs the target for another one: that one makes the words of the place.
    pub(crate) location: String,
    /// Where a panic was.
    pub(crate) place: Place,
    pub(crate) message: String,
    /// Whether it can only come of damaged memory.
    pub(crate) sign_of_damage: SignOfDamage,
    /// Return addresses, innermost first.
    pub(crate) addresses: Vec<usize>,
}

/// What a failure says of the memory of its process, in a build without a sanitizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignOfDamage {
    None,
    /// An allocator found its memory damaged.
    Heap,
    /// A pointer that points nowhere was used.
    Pointer,
}

impl Failed {
    /// A panic, the place of which is not in words yet.
    pub(crate) fn of_panic(panic: Panic, id: BugId) -> Failed {
        let Panic { message, place, addresses } = panic;
        Failed { id, old_id: None, kind: BugKind::Panic, location: String::new(), place, message, sign_of_damage: SignOfDamage::None, addresses }
    }

    /// The same failure, a panic, with its place in words.
    pub(crate) fn located(self, manifest_dir: &Path) -> Failed {
        Failed { location: self.place.portable(manifest_dir).to_string(), ..self }
    }

    /// Whether this is a failure of a stored bug, also one that was stored under an older id.
    pub(crate) fn is_of(&self, report: &Report) -> bool {
        let ids = [Some(self.id), self.old_id];
        ids.contains(&Some(report.bug_id)) || report.aliases.contains(&self.id)
    }
}

//! A failure with its name: the id of its bug.

use std::path::Path;

#[cfg(feature = "fuzzing")]
use dwindle_corpus::events::BugSeen;
use dwindle_corpus::{BugId, BugKind, Report};

use crate::failure::panics::{Panic, Place};

/// The version of the rules that give bugs their ids.
///
/// In version 2, all damage that an allocator detects has one id. A use of freed memory has an id
/// from the function that freed it. See [`Failed::old_id`].
pub(crate) const SIGNATURE_VERSION: u32 = 2;

/// A failure, named.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) id: BugId,
    /// The id by the rules of version 1, if it differs.
    pub(crate) old_id: Option<BugId>,
    pub(crate) kind: BugKind,
    /// The place as text. Empty in a process that runs the target for another process, because that
    /// other process makes the text.
    pub(crate) location: String,
    /// The place of a panic.
    pub(crate) place: Place,
    pub(crate) message: String,
    /// Whether only damaged memory can cause this failure.
    pub(crate) sign_of_damage: SignOfDamage,
    /// Return addresses, innermost first.
    pub(crate) addresses: Vec<usize>,
}

/// What a failure shows about the memory of its process, in a build without a sanitizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignOfDamage {
    None,
    /// An allocator found its memory damaged.
    Heap,
    /// The target used a pointer that points nowhere.
    Pointer,
}

impl Failed {
    /// The failure as an event tells it.
    #[cfg(feature = "fuzzing")]
    pub(crate) fn event(&self) -> BugSeen {
        BugSeen {
            bug_id: self.id,
            kind: self.kind,
            message: self.message.clone(),
            location: Some(self.location.clone()),
            known: None,
        }
    }

    /// A panic whose place is not yet text.
    pub(crate) fn of_panic(panic: Panic, id: BugId) -> Failed {
        let Panic { message, place, addresses } = panic;
        Failed {
            id,
            old_id: None,
            kind: BugKind::Panic,
            location: String::new(),
            place,
            message,
            sign_of_damage: SignOfDamage::None,
            addresses,
        }
    }

    /// The same panic, with its place as text.
    pub(crate) fn located(self, manifest_dir: &Path) -> Failed {
        Failed { location: self.place.portable(manifest_dir).to_string(), ..self }
    }

    /// Whether this is a failure of a stored bug, even if the bug was stored under an older id.
    pub(crate) fn is_of(&self, report: &Report) -> bool {
        let ids = [Some(self.id), self.old_id];
        ids.contains(&Some(report.bug_id)) || report.aliases.contains(&self.id)
    }
}

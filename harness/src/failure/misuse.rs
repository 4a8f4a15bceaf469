//! Wrong use of dwindle by a target or a test. It is reported with its place, and never stored as a
//! bug.

use std::fmt;
use std::path::Path;

use dwindle_engine::internals::misuse;

use crate::failure::panics::Panic;
#[cfg(feature = "fuzzing")]
use crate::{events, exit::WRONG_USE, system::process};

/// The description of the wrong use, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misuse(pub(crate) String);

impl Misuse {
    /// The wrong use that a panic reports, if it reports one.
    pub(crate) fn of(panic: &Panic, manifest_dir: &Path) -> Option<Misuse> {
        let what = misuse::of(&panic.message)?;
        Some(Misuse(format!("{}{what} (at {})", misuse::MARK, panic.place.portable(manifest_dir))))
    }

    /// Prints the wrong use and ends the process.
    #[cfg(feature = "fuzzing")]
    pub(crate) fn leave(&self) -> ! {
        events::error(&self.0);
        process::leave(WRONG_USE)
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

//! The properties that were written once the search for claims was done.

use crate::property::Property;

/// All of them.
pub const ALL: &[Property] = &[];

//! The tools, each run from a seed until it hits.

use clap::ValueEnum;

use crate::conditions::Property;
use crate::{ours, with_hegeltest, with_proptest};

/// A tool of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tool {
    /// This project's.
    Dwindle,
    /// Strategies.
    Proptest,
    /// Hypothesis' authors' engine in Rust.
    Hegeltest,
}

impl Tool {
    /// Its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Dwindle => "dwindle",
            Tool::Proptest => "proptest",
            Tool::Hegeltest => "hegeltest",
        }
    }

    /// The number of the first case that hits, if one of `cases` does.
    pub fn cases_to_hit(self, property: Property, seed: u64, cases: u64) -> Option<u64> {
        match self {
            Tool::Dwindle => ours::cases_to_hit(property, seed, cases),
            Tool::Proptest => with_proptest::cases_to_hit(property, seed, cases),
            Tool::Hegeltest => with_hegeltest::cases_to_hit(property, seed, cases),
        }
    }
}

//! The reducers. Each starts from the same program, asks the same oracle, and says what it cost.

mod ours;
mod shrink;
mod notes;
mod libfuzzer;
mod text;

pub use libfuzzer::fuzz;
pub use text::oracle;

use std::fmt;
use std::time::Duration;

use anyhow::Result;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::start::Start;

/// A reducer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Reducer {
    Dwindle,
    /// `wasm-tools shrink`.
    WasmShrink,
    /// libFuzzer's `-minimize_crash`, on the bytes.
    Libfuzzer,
    /// Delta debugging of the text, by lines and then by characters.
    Picire,
    /// The successor of C-Reduce, on the text.
    Cvise,
}

impl Reducer {
    pub const ALL: [Reducer; 5] = [
        Reducer::Dwindle,
        Reducer::WasmShrink,
        Reducer::Libfuzzer,
        Reducer::Picire,
        Reducer::Cvise,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Reducer::Dwindle => "dwindle",
            Reducer::WasmShrink => "wasm_shrink",
            Reducer::Libfuzzer => "libfuzzer",
            Reducer::Picire => "picire",
            Reducer::Cvise => "cvise",
        }
    }

    /// Whether it starts the oracle as a program and takes minutes.
    pub fn is_slow(self) -> bool {
        matches!(self, Reducer::Libfuzzer | Reducer::Picire | Reducer::Cvise)
    }

    /// Whether its results are modules that the generator makes.
    pub fn keeps_to_generator(self) -> bool {
        matches!(self, Reducer::Dwindle | Reducer::Libfuzzer)
    }

    /// Makes the tool ready.
    ///
    /// # Errors
    /// If it cannot be installed, with the reason.
    pub fn install(self) -> Result<()> {
        match self {
            Reducer::Dwindle | Reducer::WasmShrink | Reducer::Libfuzzer => Ok(()),
            Reducer::Picire => text::install_picire(),
            Reducer::Cvise => text::require_cvise(),
        }
    }

    /// Reduces the program of a start.
    ///
    /// # Errors
    /// If the tool fails.
    pub fn reduce(self, start: Start, limit: Duration) -> Result<Reduced> {
        match self {
            Reducer::Dwindle => ours::reduce(start, 1, limit),
            Reducer::WasmShrink => shrink::reduce(start, limit),
            Reducer::Libfuzzer => libfuzzer::reduce(start, limit),
            Reducer::Picire => text::reduce(text::Tool::Picire, start, limit),
            Reducer::Cvise => text::reduce(text::Tool::Cvise, start, limit),
        }
    }
}

impl fmt::Display for Reducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reduces with dwindle, and searches longer around the end than a minimizer does.
///
/// # Errors
/// If the right version is not built.
pub fn thoroughly(start: Start, limit: Duration) -> Result<Reduced> {
    ours::reduce(start, 20, limit)
}

/// What a reducer came to.
pub struct Reduced {
    /// The smallest module that fails.
    pub module: Vec<u8>,
    /// Runs of the oracle.
    pub runs: u64,
    /// Processor time besides the oracle, and of the oracle.
    pub time: Duration,
    pub oracle_time: Duration,
    /// Whether the reducer ended by itself within the limit.
    pub is_finished: bool,
    /// The failing modules on the way, each with the runs up to it. Only dwindle says them.
    pub course: Vec<(u64, Vec<u8>)>,
}

//! The smallest failing module that a generator is known to make.

use std::time::{Duration, Instant};

use crate::oracle;
use crate::reduce;
use crate::start::{Start, Subject};

/// Seeds from here on, so that the starts are not searched again.
const FIRST_SEED: u64 = 1_000_000;

/// Looks for further failures for a time and reduces each with a thorough search. Returns the least
/// size as text.
pub fn search(subject: Subject, seconds: u64) -> Option<usize> {
    let began = Instant::now();
    let limit = Duration::from_secs(seconds);
    (FIRST_SEED..)
        .take_while(|_| began.elapsed() < limit)
        .filter_map(|seed| {
            let start = Start { subject, seed };
            oracle::difference(&start.module()?)?;
            let reduced = reduce::thoroughly(start, limit.saturating_sub(began.elapsed()));
            wasmprinter::print_bytes(reduced.module).ok().map(|text| text.len())
        })
        .min()
}

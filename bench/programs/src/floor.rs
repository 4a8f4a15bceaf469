//! The smallest failing module that a generator is known to make.

use std::time::{Duration, Instant};

use crate::oracle::Oracle;
use crate::reduce;
use crate::start::{Start, Subject};

/// Seeds from here on, so that the starts are not searched again.
const FIRST_SEED: u64 = 1_000_000;

/// Looks for further failures for a time and reduces each with a thorough search. Returns the least
/// size as text.
pub fn search(subject: Subject, seconds: u64) -> Option<usize> {
    let oracle = Oracle::new(subject.right()).ok()?;
    let began = Instant::now();
    let limit = Duration::from_secs(seconds);
    let mut least: Option<usize> = None;
    for seed in FIRST_SEED.. {
        let left = limit.saturating_sub(began.elapsed());
        if left.is_zero() {
            break;
        }
        let start = Start { subject, seed };
        if start.module().is_none_or(|module| oracle.difference(&module).is_none()) {
            continue;
        }
        let reduced = reduce::thoroughly(start, left).ok()?;
        let size = wasmprinter::print_bytes(reduced.module).ok().map(|text| text.len());
        least = least.into_iter().chain(size).min();
    }
    least
}

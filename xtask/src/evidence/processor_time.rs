//! The processor time of the processes that a measurement starts.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

/// How much processor time the system counts as one, in milliseconds.
const TICK_MS: u64 = 10;

/// The processor time of all processes that this one started and that have ended: user's and
/// system's, fields 16 and 17 of what Linux says of a process.
pub(crate) fn time_of_children() -> Result<Duration> {
    let line = fs::read_to_string("/proc/self/stat").context("cannot read /proc/self/stat")?;
    let behind_the_name = line.rsplit(')').next().unwrap_or_default();
    let ticks = behind_the_name
        .split_whitespace()
        .skip(13)
        .take(2)
        .map(|ticks| ticks.parse::<u64>().context("/proc/self/stat is not as expected"));
    Ok(Duration::from_millis(TICK_MS * ticks.sum::<Result<u64>>()?))
}

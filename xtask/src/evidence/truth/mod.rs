//! Whether dwindle's statements hold: each kept input fails again, each fault counts once, limits hold. One file for each figure.

mod busy;
mod jobs;

use anyhow::Result;

use super::Evidence;

/// The measurements, in the order of the figures.
pub(super) const PARTS: &[Evidence] = &[
    Evidence {
        name: "truth-busy",
        what: "with sixteen busy processes on two cores: when runs of 20 s end, and what a shrink comes to; about ten minutes",
        measure: busy::measure,
    },
    Evidence { name: "truth-jobs", what: "a minute of `cargo fuzz run --jobs 2` beside one with one job; about three minutes", measure: jobs::measure },
];

/// Makes all measurements, one after the other.
pub(super) fn measure() -> Result<()> {
    for part in PARTS {
        println!("\n## {}: {}\n", part.name, part.what);
        (part.measure)()?;
    }
    Ok(())
}

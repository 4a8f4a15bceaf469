//! Whether dwindle's statements hold: each kept input fails again, each fault counts once, limits hold. One file for each figure.

mod deaths;
mod odd;

use anyhow::Result;

use super::Evidence;

/// The measurements, in the order of the figures.
pub(super) const PARTS: &[Evidence] = &[
    Evidence {
        name: "truth-deaths",
        what: "every kind of death, minimized: the printed command in twenty new processes; depths of overflows beside the least; about half an hour",
        measure: deaths::measure,
    },
    Evidence { name: "truth-odd", what: "what a target may do to its process: kept, minimized, ended in time; about eight minutes", measure: odd::measure },
];

/// Makes all measurements, one after the other.
pub(super) fn measure() -> Result<()> {
    for part in PARTS {
        println!("\n## {}: {}\n", part.name, part.what);
        (part.measure)()?;
    }
    Ok(())
}

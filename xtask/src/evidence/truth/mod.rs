//! Whether dwindle's statements hold: each kept input fails again, each fault counts once, limits hold. One file for each figure.

mod deaths;

use anyhow::Result;

use super::Evidence;

/// The measurements, in the order of the figures.
pub(super) const PARTS: &[Evidence] = &[Evidence {
    name: "truth-deaths",
    what: "every kind of death, minimized: the printed command in twenty new processes; depths of overflows beside the least; about half an hour",
    measure: deaths::measure,
}];

/// Makes all measurements, one after the other.
pub(super) fn measure() -> Result<()> {
    for part in PARTS {
        println!("\n## {}: {}\n", part.name, part.what);
        (part.measure)()?;
    }
    Ok(())
}

//! Whether dwindle's statements hold: each kept input fails again, each fault counts once, limits hold. One file for each figure.

mod off;

use anyhow::Result;

use super::Evidence;

/// The measurements, in the order of the figures.
pub(super) const PARTS: &[Evidence] = &[Evidence {
    name: "truth-off",
    what: "`DWINDLE=off` beside twins on libfuzzer-sys; two inputs of each bug as ClusterFuzz reads, minimizes and cleanses them; about fifteen minutes with the builds",
    measure: off::measure,
}];

/// Makes all measurements, one after the other.
pub(super) fn measure() -> Result<()> {
    for part in PARTS {
        println!("\n## {}: {}\n", part.name, part.what);
        (part.measure)()?;
    }
    Ok(())
}

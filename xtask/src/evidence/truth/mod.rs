//! Whether dwindle's statements hold: each kept input fails again, each fault counts once, limits hold. One file for each figure.

mod malloc;

use anyhow::Result;

use super::Evidence;

/// The measurements, in the order of the figures.
pub(super) const PARTS: &[Evidence] = &[Evidence {
    name: "truth-malloc",
    what: "a fault inside the allocator, two hundred runs: what each keeps of it; about five minutes",
    measure: malloc::measure,
}];

/// Makes all measurements, one after the other.
pub(super) fn measure() -> Result<()> {
    for part in PARTS {
        println!("\n## {}: {}\n", part.name, part.what);
        (part.measure)()?;
    }
    Ok(())
}

//! Whether dwindle's statements hold: each kept input fails again, each fault counts once, limits
//! hold. One file for each figure.

mod deaths;
mod corruption;
mod malloc;
mod busy;
mod off;
mod jobs;
mod odd;

use anyhow::Result;

use super::Evidence;

/// The measurements, in the order of the figures.
pub(super) const PARTS: &[Evidence] = &[
    Evidence {
        name: "truth-deaths",
        what: "every kind of death, minimized: the printed command in twenty new processes; depths \
               of overflows beside the least; about half an hour",
        measure: deaths::measure,
    },
    Evidence {
        name: "truth-corruption",
        what: "ids for one memory fault in 20 runs of a minute, plain and with AddressSanitizer; \
               about an hour and a half on two cores",
        measure: corruption::measure,
    },
    Evidence {
        name: "truth-malloc",
        what: "a fault inside the allocator, two hundred runs: what each keeps of it; about five \
               minutes",
        measure: malloc::measure,
    },
    Evidence {
        name: "truth-busy",
        what: "with sixteen busy processes on two cores: when runs of 20 s end, and what a shrink \
               comes to; about ten minutes",
        measure: busy::measure,
    },
    Evidence {
        name: "truth-off",
        what: "`DWINDLE=off` beside twins on libfuzzer-sys; two inputs of each bug as ClusterFuzz \
               reads, minimizes and cleanses them; about fifteen minutes with the builds",
        measure: off::measure,
    },
    Evidence {
        name: "truth-jobs",
        what: "five runs of `cargo fuzz run --jobs 2`, five with one job; about twelve minutes",
        measure: jobs::measure,
    },
    Evidence {
        name: "truth-odd",
        what: "what a target may do to its process: kept, minimized, ended in time; about eight \
               minutes",
        measure: odd::measure,
    },
];

/// Makes all measurements, one after the other.
pub(super) fn measure() -> Result<()> {
    for part in PARTS {
        println!("\n## {}: {}\n", part.name, part.what);
        (part.measure)()?;
    }
    Ok(())
}

/// Whether a row is to be measured: with `ONLY` only those are whose names contain one of its
/// words, which commas separate.
fn is_wanted(row: &str) -> bool {
    let only = std::env::var("ONLY").unwrap_or_default();
    only.is_empty() || only.split(',').any(|words| row.contains(words))
}

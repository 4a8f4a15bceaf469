//! What a corpus covers of the crate under test, by the binary that it was found with.
//!
//! The binaries of dwindle and of its twins have different edges, since each compiles the crate
//! anew. They have its source lines in common.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use addr2line::Loader;
use anyhow::{Context, Result, anyhow, ensure};
use object::{Object, ObjectSection};
use serde::{Deserialize, Serialize};

/// The section in which the compiler lists the addresses of all edges.
const EDGES: &str = "__sancov_pcs";
/// Bytes of an edge there: its address, and flags.
const EDGE_BYTES: u64 = 16;

/// What is covered of the crate under test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// Distinct source lines.
    pub lines: usize,
    /// Distinct edges of the binary.
    pub edges: usize,
}

/// The source lines of a binary's edges.
pub struct Lines {
    /// By the number of the edge, for those edges alone that belong to the crate under test.
    lines: BTreeMap<u64, (String, u32)>,
}

impl Lines {
    /// Reads the debug information of a binary. `of` is the name and version of the crate under
    /// test.
    pub fn read(binary: &Path, of: &str) -> Result<Lines> {
        let bytes = std::fs::read(binary).context("cannot read the target")?;
        let file = object::File::parse(&*bytes).context("the target is no executable")?;
        let section = file.section_by_name(EDGES).context("the target has no table of edges")?;
        let table = section.address()..section.address() + section.size();
        let loader = Loader::new(binary).map_err(|error| anyhow!("{error}"))?;
        let folder = format!("/{of}");
        let mut lines = BTreeMap::new();
        // The executable may be loaded anywhere, so the addresses stand in its relocations.
        for (place, relocation) in file.dynamic_relocations().into_iter().flatten() {
            let offset = place.wrapping_sub(table.start);
            if !table.contains(&place) || !offset.is_multiple_of(EDGE_BYTES) {
                continue;
            }
            let address = relocation.addend().cast_unsigned();
            let location = loader.find_location(address).map_err(|error| anyhow!("{error}"))?;
            if let Some(location) = location
                && let Some(source) = location.file.filter(|source| source.contains(&folder))
            {
                let line = (source.to_owned(), location.line.unwrap_or(0));
                lines.insert(offset / EDGE_BYTES, line);
            }
        }
        ensure!(!lines.is_empty(), "{} has no edge of {of}", binary.display());
        Ok(Lines { lines })
    }

    /// What the inputs of a corpus cover. `scratch` is an empty folder.
    pub fn covered_by(&self, binary: &Path, corpus: &Path, scratch: &Path) -> Result<Covered> {
        // While it merges, libFuzzer writes down the edges of each input.
        let control = scratch.join("control");
        let merged = scratch.join("merged");
        std::fs::create_dir(&merged).context("cannot make a temporary folder")?;
        let status = Command::new(binary)
            .arg("-merge=1")
            .arg(format!("-merge_control_file={}", control.display()))
            .arg(&merged)
            .arg(corpus)
            .current_dir(scratch)
            .env("DWINDLE", "off")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .context("cannot start the target")?;
        ensure!(status.success(), "the merge of {} ended with {status}", corpus.display());
        let control = std::fs::read_to_string(&control).context("cannot read the edges")?;
        Ok(self.covered(&control))
    }

    /// What the lines `COV input edge..` of a control file say together.
    fn covered(&self, control: &str) -> Covered {
        let edges: BTreeSet<u64> = control
            .lines()
            .filter_map(|line| line.strip_prefix("COV "))
            .flat_map(|line| line.split_ascii_whitespace().skip(1))
            .filter_map(|edge| edge.parse().ok())
            .filter(|edge| self.lines.contains_key(edge))
            .collect();
        let lines: BTreeSet<_> = edges.iter().map(|edge| &self.lines[edge]).collect();
        Covered { lines: lines.len(), edges: edges.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_and_lines_of_the_crate_are_counted_once() {
        let lines = [(3, ("a.rs", 1)), (4, ("a.rs", 1)), (5, ("b.rs", 1)), (6, ("b.rs", 2))];
        let lines = lines.map(|(edge, (file, line))| (edge, (file.to_owned(), line)));
        let lines = Lines { lines: lines.into() };
        let control = "3\n0\nSTARTED 0 5\nFT 0 6\nCOV 0 3 9 4\nSTARTED 1 1\nCOV 1 3 5\n";
        assert_eq!(lines.covered(control), Covered { lines: 2, edges: 3 });
        assert_eq!(lines.covered(""), Covered::default());
    }
}

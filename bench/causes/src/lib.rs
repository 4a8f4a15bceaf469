//! Programs with faults behind one assertion. Which fault an input shows is known here alone.

pub mod first;
pub mod fresh;
pub mod last;
pub mod later;
pub mod program;
pub mod trees;

/// All programs.
pub fn all() -> impl Iterator<Item = &'static program::Program> {
    first::ALL.iter().chain(later::ALL).chain(last::ALL).chain(trees::ALL).chain(fresh::ALL)
}

//! Programs with faults behind one assertion. Which fault an input shows is known here alone.

pub mod first;
pub mod later;
pub mod program;

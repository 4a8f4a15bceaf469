//! Finds the known cause of which a new one is a further form.
//!
//! - `joined` compares what both causes say. Each of its rules has a file: both explain one input
//!   (`meeting`), several operations may be one (`regrouped`) or stand in another order
//!   (`reordered`), further inputs on the line through both fail (`on_a_line`; `aligned` says which
//!   parts of one stand for which of the other), decimal numbers between those of their strings
//!   fail (`numerals`), or both need the same bound in their last operation (`shared_bound`).
//! - `same` compares them in contexts, twice, with other contexts.
//! - `signs` decide together where contexts give no verdict.

mod numerals;
mod joined;
mod meeting;
mod aligned;
mod on_a_line;
mod regrouped;
mod reordered;
mod same;
mod signs;
mod shared_bound;
pub(crate) mod further_form;

//! The command as it is called, beside a cargo that builds nothing and a target that plays a
//! script.

mod wrong_use;
mod building;
mod running;
mod checking;
mod reporting;
mod paging;
mod covering;
mod corpora;
mod triaging;
mod merging;
mod making;
mod converting;
mod interrupting;
mod jobs;
mod all;
mod place;
mod fixture;

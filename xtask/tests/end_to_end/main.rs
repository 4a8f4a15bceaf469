//! The whole way, with real binaries: cargo-dwindle, libFuzzer, cargo-fuzz on nightly, signals and
//! kills.
//!
//! Every test has its own store, corpus and artifact folder. Cargo builds all fuzz crates into one
//! folder, so that it builds their common parts once.

mod run;
mod several_bugs;
mod odd_panics;
mod random;
mod random_cases;
mod random_jobs;

mod min;
mod triage;
mod triage_trouble;
mod deadly;
mod crash_path;
mod identity;
mod reliability;
mod reproduces;
mod repro;
mod property;
mod machine;
mod project;
mod documents;
mod conversion;
mod corpus_tools;
mod check;
mod odd_files;
mod odd_targets;
mod odd_texts;
mod dictionary;
mod coverage;
mod page;
mod libfuzzer;
mod switches;
mod drop_in;
mod mutators;

mod passthrough;

mod afl;

mod cargo_fuzz;
mod cargo_fuzz_files;

mod wrong_use;
mod store_trouble;
mod explained;
mod lines;
mod explore;
mod failing_writes;

mod interrupting;
mod killing;
mod limits;
mod jobs;

mod stage;
mod bugs;
mod processes;
mod terminal;

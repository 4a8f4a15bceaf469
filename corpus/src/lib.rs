//! The bug store keeps each bug once, for any number of fuzzers, even if they are killed.
//!
//! ```text
//! <root>/<target>/<bug-id>/
//!     input              what replays the bug; minimized once the status says so
//!     original-<hash>    an input that hit the bug, named by its content; never changed or deleted
//!     report.json        everything known (see [`Report`]); report.txt says the same for people
//!     full.txt           the same with nothing cut, if report.txt and report.json cut long values
//!     repro.rs           a test that fails without any fuzzer
//!     variant-<key>/     the same files for another call path to this bug, or another cause of it
//!     sightings/<writer> how often one process saw the bug (see [`BugStore::count`])
//!     contents/<writer>  which contents one process saw fail as the bug (see [`BugStore::record`])
//! ```
//!
//! - A bug appears whole or not at all. The store prepares its folder under a temporary name, syncs
//!   it, and renames it without replacing ([`BugStore::claim`]). Of several writers exactly one
//!   gets [`Claim::New`].
//! - `report.json` is the commit point: everything it states is already in the other files
//!   ([`BugStore::finish`]).
//! - [`BugStore::damaged`] lists the files that cannot be read. The store never deletes them and
//!   still shows all other bugs.
//! - Stores merge in any order, any number of times, with one result (`BugStore::merge_from`).
//!
//! ```
//! use dwindle_corpus::{BugId, BugKind, BugStore, Claim, Report, Status, Writer};
//!
//! # let folder = tempfile::tempdir()?;
//! # let root = folder.path();
//! let store = BugStore::open(root, "parse")?;
//! let id = BugId::of("panic demo-1.0.0/src/lib.rs:3:9");
//! let mut report = Report::pending("parse", id, BugKind::Panic);
//! assert_eq!(store.claim(id, b"as found", &report)?, Claim::New);
//! store.count(id, &Writer::this_process(), 1)?;
//!
//! report.status = Status::Minimized;
//! report.minimized_choices = Some(1);
//! store.finish(id, b"a", &report, None)?;
//! assert_eq!(std::fs::read(store.bug(id).input())?, b"a");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without the feature `fuzzing`, the store works on every system that Rust supports. With it, many
//! processes write one store and stores merge. That needs Linux.
//!
//! This crate never runs a target, and it treats inputs as plain bytes. Of each fuzzer it knows the
//! layout of the folders (`list_inputs`) and the counters in them (`executions_of_afl`).

#![cfg_attr(docsrs, feature(doc_cfg))]

mod digest;
mod id;
mod json;
mod report;
mod excerpt;
mod printable;
mod bug;
mod names;
mod store;

mod claim;
mod finish;
#[cfg(feature = "fuzzing")]
mod steps;
mod aliases;
#[cfg(feature = "fuzzing")]
mod likely_one;
mod first;
#[cfg(feature = "fuzzing")]
mod merge;
mod hits;
mod contents;

mod damage;

mod disk;
mod fault;
mod writer;
mod system;

mod input;
#[cfg(feature = "fuzzing")]
mod inputs;
#[cfg(feature = "fuzzing")]
mod afl;

#[cfg(feature = "fuzzing")]
pub mod events;
#[cfg(feature = "fuzzing")]
mod observation;
mod error;

#[cfg(feature = "fuzzing")]
pub use afl::{executions_of_afl, is_failure_of_afl, is_folder_of_afl};
pub use bug::Bug;
pub use claim::Claim;
pub use contents::Content;
pub use damage::Damage;
pub use error::StoreError;
pub use excerpt::{
    JSON_MAX_BYTES, SHOWN_MAX_BYTES, WHOLE_MAX_BYTES, excerpt, excerpt_of, excerpts,
};
#[doc(hidden)]
pub use fault::FaultPlan;
pub use id::{BugId, ContentId, NotABugId, content_hash};
pub use input::{INPUT_MAX_BYTES, Input, check_size, read_input};
#[cfg(feature = "fuzzing")]
pub use inputs::{Survey, list_corpus, list_inputs, survey_inputs};
pub use json::Json;
#[cfg(feature = "fuzzing")]
pub use merge::Merged;
#[cfg(feature = "fuzzing")]
pub use observation::{CaseStatus, Observation};
pub use printable::{printable, printable_json, printable_line, printable_path};
pub use report::{
    BugKind, Explanation, LINES_MAX, REPORT_FORMAT, Rate, Reached, Report, SOURCE_AROUND, Status,
    SuspiciousLine, exhaustion, ochiai, source_digest,
};
#[cfg(feature = "fuzzing")]
pub use steps::{STEPS_MAX, ShrinkStep};
pub use store::{BugStore, CAUSES_MAX, VARIANTS_MAX, cause_key, is_cause_key};
pub use writer::Writer;

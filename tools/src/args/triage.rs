//! `cargo dwindle triage`.

use super::{Build, EXIT_CODES, Shrinking};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  cargo dwindle triage parse fuzz/artifacts/parse        crash files of libFuzzer
  cargo dwindle triage parse afl-out/                    crashes and hangs of all AFL++ instances
  cargo dwindle triage parse old-crashes/ crash-1 --jobs 4
  cargo dwindle triage parse old-crashes/ --dry-run      list the bugs, write nothing
  cargo dwindle triage parse old-crashes/ --again        after a fix, run known inputs too";

/// Find the few bugs behind many crash files
#[derive(Debug, Args)]
#[command(
    long_about = "Runs every file and groups the failing files by bug. Minimizes the simplest \
                  file of each group and adds it to the store. Lists the files that do not fail, \
                  that fail only sometimes, or that cannot be read.\n\n\
                  A folder stands for all files in it and in its subfolders. An output folder of \
                  AFL++ stands for the files in `crashes` and `hangs`. Files with the same \
                  content run once. The store records each content that failed. This content \
                  counts as one hit of its bug, even if you triage it again. It runs again only \
                  with --again.\n\n\
                  You can interrupt or kill a triage. Start it again, and it continues at the \
                  same place. Triage does not change the given files.",
    after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Triage {
    /// The fuzz target: the name of a binary in the fuzz crate
    pub(crate) target: String,

    /// Crash files, or folders of crash files
    #[arg(value_name = "PATH", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// How many files run at once [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) jobs: Option<u64>,

    /// Also run inputs that the store already records, for example after a fix or with another
    /// build
    #[arg(long)]
    pub(crate) again: bool,

    /// Run and group the files, but minimize nothing and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) shrinking: Shrinking,

    #[command(flatten)]
    pub(crate) build: Build,
}

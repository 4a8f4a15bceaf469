//! `cargo dwindle triage`.

use super::{Build, EXIT_CODES, Shrinking};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  cargo dwindle triage parse fuzz/artifacts/parse        what libFuzzer left
  cargo dwindle triage parse afl-out/                    crashes and hangs of all AFL++ instances
  cargo dwindle triage parse old-crashes/ crash-1 --jobs 4
  cargo dwindle triage parse old-crashes/ --dry-run      which bugs are there? writes nothing
  cargo dwindle triage parse old-crashes/ --again        after a fix: what still fails?";

/// Turn thousands of crash files into the few bugs behind them
#[derive(Debug, Args)]
#[command(
    long_about = "Runs every file, groups those that fail by bug, and minimizes the simplest of \
                  each group into the store. Files that do not fail, that fail only now and then, \
                  or that cannot be read are listed.\n\n\
                  Of a folder these are all files, also in folders within; of an output folder of \
                  AFL++ those in `crashes` and `hangs`. Files of one content are run once. Each \
                  content that failed is recorded in the store: it counts as one hit of its \
                  bug, however often and wherever it is triaged, and is not run again unless \
                  --again is given.\n\n\
                  Interrupted or killed, it goes on where it was when it is started again. No file \
                  that is given is ever changed.",
    after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Triage {
    /// The fuzz target: the name of a binary of the fuzz crate
    pub(crate) target: String,

    /// Crash files, and folders of them
    #[arg(value_name = "PATH", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// How many files run at once [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) jobs: Option<u64>,

    /// Run also what the store knows already, as after a fix or with another build
    #[arg(long)]
    pub(crate) again: bool,

    /// Run and group, but minimize and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) shrinking: Shrinking,

    #[command(flatten)]
    pub(crate) build: Build,
}

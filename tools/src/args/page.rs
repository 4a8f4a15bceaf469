//! `cargo dwindle report`.

use super::{Build, EXIT_CODES};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  cargo dwindle report --out page              all targets, as page/index.html
  cargo dwindle report parse --out page
  cargo dwindle report parse --out page --observe cases.jsonl";

/// Write a page about bugs and runs: one HTML file that loads nothing
#[derive(Debug, Args)]
#[command(
    long_about = "Writes DIR/index.html: the bugs of the store and their causes in a table, and \
                  for each its values as a tree, the nearest input that passes, the place in the \
                  source, and commands to copy.\n\n\
                  The page loads nothing from the network and can be read without script. \
                  The command only reads the store. What cannot be read is listed on the page. \
                  It builds and runs nothing without --observe and --coverage.\n\n\
                  The exit code is 0 if the page is written, whatever bugs it shows.",
    after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct ReportPage {
    /// The targets to show [default: all with a folder in the store, and all of the fuzz crate]
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<String>,

    /// The folder for the page; an older page in it is replaced
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// The folder that keeps the bugs [default: `DWINDLE_STORE`, or else the fuzz crate's crashes/]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,

    /// Also run the corpus, or random cases without one, show how drawn values are distributed, and
    /// write each case to this file as a line of JSON in the format of Hypothesis' observability
    #[arg(long, value_name = "FILE")]
    pub(crate) observe: Option<PathBuf>,

    /// How many cases of each target are observed
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "observe")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) cases: u64,

    /// Observe random cases even if there is a corpus
    #[arg(long, requires = "observe")]
    pub(crate) random: bool,

    /// Also run the corpus in a build that counts lines, and show the smallest input for each line;
    /// this needs LLVM's tools, as `coverage` does
    #[arg(long)]
    pub(crate) coverage: bool,

    #[command(flatten)]
    pub(crate) build: Build,
}

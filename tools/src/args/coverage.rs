//! `cargo dwindle coverage`.

use super::{Build, EXIT_CODES};
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  cargo dwindle coverage parse                  by fuzz/corpus/parse
  cargo dwindle coverage parse --html report    also every line, as report/index.html
  cargo dwindle coverage parse --input crash-1  by one input
  cargo dwindle coverage parse seeds/ --package parser --package lexer";

/// Show which code of the crate under test the corpus reaches
#[derive(Debug, Args)]
#[command(
    long_about = "Builds a target with rustc's source-based coverage, runs each input once, and \
                  prints for each file of the crate under test how many lines, functions and \
                  regions the inputs reach.\n\n\
                  The crates under test are the local packages that the fuzz crate depends on. \
                  If there are none, they are its direct dependencies; if it has none of those, \
                  its own files. dwindle never counts.\n\n\
                  An input that fails or ends the process is named, and what it reached before \
                  counts. The exit code is then 1.\n\n\
                  The command needs llvm-profdata and llvm-cov in the version of rustc's LLVM: \
                  `rustup component add llvm-tools`. It looks at LLVM_PROFDATA and LLVM_COV first, \
                  then in the toolchain, then in PATH.",
    after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Coverage {
    /// The fuzz target: the name of a binary in the fuzz crate
    pub(crate) target: String,

    /// Files or folders to run [default: the target's corpus and its AFL++ campaign]
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: Vec<PathBuf>,

    /// Run only this file
    #[arg(long, value_name = "FILE", conflicts_with = "corpus")]
    pub(crate) input: Option<PathBuf>,

    /// Also write pages that show each line, with an index, to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) html: Option<PathBuf>,

    /// Show the files of this package [default: those under test]
    #[arg(long, value_name = "NAME")]
    pub(crate) package: Vec<String>,

    #[command(flatten)]
    pub(crate) build: Build,

    /// Arguments for libFuzzer, for example -timeout=5 or -`rss_limit_mb=4096`
    #[arg(last = true, value_name = "ENGINE ARGS")]
    pub(crate) engine_args: Vec<OsString>,
}

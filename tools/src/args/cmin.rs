//! `cargo dwindle cmin`.

use super::{Build, EXIT_CODES};
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  cargo dwindle cmin parse                      fuzz/corpus/parse
  cargo dwindle cmin parse seeds/               another folder
  cargo dwindle cmin parse -- -timeout=5        an input that takes longer than 5 s fails

Inputs of AFL++: copy them first, with `cargo dwindle corpus import parse fuzz/afl/parse`.";

/// Minimize a corpus: keep a small set of inputs with the same coverage
#[derive(Debug, Args)]
#[command(
    long_about = "Runs each input of the corpus once under libFuzzer and chooses a small set of \
                  inputs with the same coverage. None of the chosen inputs can be left out. \
                  Chosen files keep their names. The others are removed.\n\n\
                  The new corpus replaces the old one in one step, when it is complete. If the \
                  command is interrupted or killed before, the old corpus stays. Files that appear \
                  in the folder meanwhile stay too, and so do files that are not inputs: names \
                  that begin with a dot, and README.txt.\n\n\
                  An input that fails has no coverage to compare. The command names it, copies it \
                  to the fuzz crate's artifacts/TARGET, and takes it out of the corpus. The exit \
                  code is then 1. `cargo dwindle triage` finds the bugs behind such inputs.",
    after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Cmin {
    /// The fuzz target: the name of a binary in the fuzz crate
    pub(crate) target: String,

    /// The folder to minimize [default: fuzz/corpus/TARGET]
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) build: Build,

    /// Arguments for libFuzzer, for example -timeout=5 or -`rss_limit_mb=4096`
    #[arg(last = true, value_name = "ENGINE ARGS")]
    pub(crate) engine_args: Vec<OsString>,
}

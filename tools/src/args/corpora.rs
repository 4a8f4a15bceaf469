//! The commands that move inputs between engines: `corpus import|export|stats`.

use super::EXIT_CODES;
use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  cargo dwindle corpus import parse fuzz/afl/parse     what AFL++ found, for libFuzzer
  cargo dwindle corpus export parse seeds/             what libFuzzer found, for `afl-fuzz -i seeds`
  cargo dwindle corpus stats parse";

/// Move corpora between libFuzzer, AFL++ and others, as plain files
#[derive(Debug, Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Corpus {
    #[command(subcommand)]
    pub(crate) action: CorpusAction,
}

impl Corpus {
    pub(crate) fn is_json(&self) -> bool {
        match &self.action {
            CorpusAction::Import(Import { place, .. })
            | CorpusAction::Export(Export { place, .. })
            | CorpusAction::Stats(Stats { place, .. }) => place.json,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum CorpusAction {
    Import(Import),
    Export(Export),
    Stats(Stats),
}

/// Take inputs into the corpus of a target: each distinct content once
#[derive(Debug, Args)]
#[command(
    long_about = "Copies inputs into fuzz/corpus/TARGET, each distinct content once. Of an output \
                  folder of AFL++ these are the inputs in the `queue` of each instance. What is \
                  there stays, and nothing is removed anywhere."
)]
pub(crate) struct Import {
    #[command(flatten)]
    pub(crate) place: CorpusPlace,

    /// Files, folders of files, and output folders of AFL++
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
}

/// Copy the corpus of a target into a folder, without empty files, as AFL++ wants its seeds
#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) place: CorpusPlace,

    /// The folder to copy to; made if need be
    pub(crate) folder: PathBuf,
}

/// Say how many inputs there are, how many of them differ, and how large they are
#[derive(Debug, Args)]
pub(crate) struct Stats {
    #[command(flatten)]
    pub(crate) place: CorpusPlace,

    /// Folders to look at [default: the corpus of the target, and that of its campaign of AFL++]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

/// Whose corpus it is.
#[derive(Debug, Args)]
pub(crate) struct CorpusPlace {
    /// The fuzz target: the name of a binary of the fuzz crate
    pub(crate) target: String,

    /// The fuzz crate [default: ./fuzz, or the current package, or those of a parent folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) fuzz_dir: Option<PathBuf>,

    /// Write JSON lines on stdout and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}

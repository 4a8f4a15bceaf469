//! The commands that move inputs between engines: `corpus import|export|stats`.

use super::EXIT_CODES;
use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  cargo dwindle corpus import parse fuzz/afl/parse     inputs of AFL++, for libFuzzer
  cargo dwindle corpus export parse seeds/             inputs of libFuzzer, for `afl-fuzz -i seeds`
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

/// Copy inputs into the corpus of a target, each distinct content once
#[derive(Debug, Args)]
#[command(
    long_about = "Copies inputs into fuzz/corpus/TARGET, each distinct content once. From an \
                  output folder of AFL++, the command copies the inputs in the `queue` of each \
                  instance. It removes no file and overwrites none."
)]
pub(crate) struct Import {
    #[command(flatten)]
    pub(crate) place: CorpusPlace,

    /// Files, folders of files, and output folders of AFL++
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
}

/// Copy the corpus of a target into a folder, without empty files, as seeds for AFL++
#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) place: CorpusPlace,

    /// The folder to copy to; the command creates it if it does not exist
    pub(crate) folder: PathBuf,
}

/// Print how many inputs a corpus has, how many are distinct, and their sizes
#[derive(Debug, Args)]
pub(crate) struct Stats {
    #[command(flatten)]
    pub(crate) place: CorpusPlace,

    /// Folders to count [default: the target's corpus and its AFL++ campaign]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

/// Whose corpus it is.
#[derive(Debug, Args)]
pub(crate) struct CorpusPlace {
    /// The fuzz target: the name of a binary in the fuzz crate
    pub(crate) target: String,

    /// The folder of the fuzz crate [default: the nearest one, from the current folder upwards]
    #[arg(long, value_name = "DIR")]
    pub(crate) fuzz_dir: Option<PathBuf>,

    /// Write only JSON lines to stdout
    #[arg(long)]
    pub(crate) json: bool,
}

//! The commands that make and keep a fuzz crate: `init`, `add`, `list`, `check`, `merge`.

use super::{Build, EXIT_CODES, Reports};
use clap::Args;
use std::path::PathBuf;

const INIT_EXAMPLES: &str = "\
Examples:
  cargo dwindle init                            make fuzz/, or convert an existing one
  cargo dwindle init --dwindle ../dwindle/harness
  cargo dwindle init --yes                      convert without a question, as in a script
  cargo dwindle init --fuzz-dir crates/parser/fuzz";

const ADD_EXAMPLES: &str = "\
Examples:
  cargo dwindle add parse                       a target that draws values
  cargo dwindle add parse_bytes --arbitrary     a target over bytes, in the form of libfuzzer-sys";

const LIST_EXAMPLES: &str = "\
Examples:
  cargo dwindle list
  cargo dwindle list --json";

const CHECK_EXAMPLES: &str = "\
Examples:
  cargo dwindle check                           all targets with bugs in the store, as in CI
  cargo dwindle check parse
  cargo dwindle check --junit dwindle.xml --annotations auto
  cargo dwindle check parse --sanitizer address    for bugs that only ASan finds";

const MERGE_EXAMPLES: &str = "\
Examples:
  cargo dwindle merge /mnt/other-machine/crashes
  cargo dwindle merge night-1/ night-2/ --store all/";

/// Make a fuzz crate, or convert an existing one
#[derive(Debug, Args)]
#[command(
    long_about = "In a crate without a fuzz folder, the command makes `fuzz/` in cargo-fuzz's \
                  layout. It adds a first target, which builds and runs.\n\n\
                  The command converts a cargo-fuzz project: `libfuzzer-sys` becomes `dwindle` in \
                  Cargo.toml and `dwindle::arbitrary` in the sources. If `fuzz/` is a workspace, \
                  the command converts each fuzz crate in it. It shows the change as a diff and \
                  makes it only after a yes, or with --yes. It lists other files that name \
                  libfuzzer-sys (scripts, workflows, generators of targets) and leaves them as \
                  they are.\n\n\
                  If the workspace has a fuzz crate in another folder, the command names that \
                  crate and makes no second one. To make a second one, use --fuzz-dir.\n\n\
                  The command changes existing files only in a conversion that you agreed to.",
    after_help = format!("{INIT_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Init {
    /// The folder `harness` of the clone of dwindle to depend on [default: the clone in which this
    /// command was built]
    #[arg(long, value_name = "PATH")]
    pub(crate) dwindle: Option<PathBuf>,

    /// Convert without a question
    #[arg(long, short)]
    pub(crate) yes: bool,

    /// The folder of one or several fuzz crates [default: fuzz/ of this crate]
    #[arg(long, value_name = "DIR")]
    pub(crate) fuzz_dir: Option<PathBuf>,
}

/// Add a target to the fuzz crate
#[derive(Debug, Args)]
#[command(
    long_about = "Writes fuzz_targets/NAME.rs from a template and adds its [[bin]] to the fuzz \
                  crate's Cargo.toml. The order and the comments of Cargo.toml do not change.",
    after_help = format!("{ADD_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Add {
    /// The name of the new target
    pub(crate) name: String,

    /// Write a target in the form of libfuzzer-sys: over bytes, or over a type with `Arbitrary`
    #[arg(long)]
    pub(crate) arbitrary: bool,

    /// The folder of the fuzz crate [default: the nearest one, from the current folder upwards]
    #[arg(long, value_name = "DIR")]
    pub(crate) fuzz_dir: Option<PathBuf>,
}

/// List the targets of the fuzz crate, with their bugs
#[derive(Debug, Args)]
#[command(
    long_about = "Prints the targets of the fuzz crate, one on each line. If the store has bugs \
                  of a target, the line also says how many, and how many are not minimized yet.",
    after_help = format!("{LIST_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Replay every bug of the store and report whether it still fails
#[derive(Debug, Args)]
#[command(
    long_about = "Runs the inputs of every stored bug several times, in separate processes. \
                  Prints one of these states for each bug:\n\n  \
                  fixed           no input fails; remove the bug's folder, or keep it as a \
                  regression test\n  \
                  still failing   the minimized input fails, or the original input fails\n  \
                  flaky           an input fails in some runs and not in others\n  \
                  changed         an input fails as another bug\n  \
                  stale           no input fails, but the generator now reads the input \
                  differently\n  \
                  not seen        no input fails, but the bug was flaky before, or only a \
                  sanitizer finds it\n\n\
                  The exit code is 1 if a bug is still failing, flaky or changed. The command \
                  does not change the store.",
    after_help = format!("{CHECK_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Check {
    /// The fuzz target [default: every target with bugs in the store]
    pub(crate) target: Option<String>,

    /// The folder that keeps the bugs [default: `DWINDLE_STORE`, or else the fuzz crate's crashes/]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reports: Reports,

    #[command(flatten)]
    pub(crate) build: Build,
}

/// Merge the bugs of other stores into one store
#[derive(Debug, Args)]
#[command(
    long_about = "Copies every bug of the given stores into this store. The earliest hit of each \
                  bug stays. Hits are added up, and the hits of one process count only once. Of \
                  two minimized inputs, the simpler one stays. The order of the stores does not \
                  change the result, and neither does a second merge. The given stores do not \
                  change.",
    after_help = format!("{MERGE_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Merge {
    /// The stores to copy from; a store is a folder with one folder for each target
    #[arg(value_name = "STORE", required = true)]
    pub(crate) stores: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) place: Place,
}

/// Which store a command is about that builds nothing, and how it speaks.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The folder that keeps the bugs [default: `DWINDLE_STORE`, or else the fuzz crate's crashes/]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,

    /// The folder of the fuzz crate [default: the nearest one, from the current folder upwards]
    #[arg(long, value_name = "DIR")]
    pub(crate) fuzz_dir: Option<PathBuf>,

    /// Write only JSON lines to stdout
    #[arg(long)]
    pub(crate) json: bool,
}

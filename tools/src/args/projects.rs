//! The commands that make and keep a fuzz crate: `init`, `add`, `list`, `check`, `merge`.

use super::{Build, EXIT_CODES};
use clap::Args;
use std::path::PathBuf;

const INIT_EXAMPLES: &str = "\
Examples:
  cargo dwindle init                            make fuzz/, or convert the one that is there
  cargo dwindle init --dwindle ../dwindle/harness
  cargo dwindle init --yes                      convert without being asked, as in a script
  cargo dwindle init --fuzz-dir crates/parser/fuzz";

const ADD_EXAMPLES: &str = "\
Examples:
  cargo dwindle add parse                       a target that draws what it needs
  cargo dwindle add parse_bytes --arbitrary     a target over bytes, in the form of libfuzzer-sys";

const LIST_EXAMPLES: &str = "\
Examples:
  cargo dwindle list
  cargo dwindle list --json";

const CHECK_EXAMPLES: &str = "\
Examples:
  cargo dwindle check                           every target that has bugs in the store, as in CI
  cargo dwindle check parse
  cargo dwindle check parse --sanitizer address    for bugs only ASan sees";

const MERGE_EXAMPLES: &str = "\
Examples:
  cargo dwindle merge /mnt/other-machine/crashes
  cargo dwindle merge night-1/ night-2/ --store all/";

/// Make a fuzz crate, or convert the one that is there
#[derive(Debug, Args)]
#[command(
    long_about = "In a crate without a fuzz folder, makes `fuzz/` as cargo-fuzz lays it out, with \
                  a first target that builds and runs as it is.\n\n\
                  A cargo-fuzz project is converted: `libfuzzer-sys` becomes `dwindle` in its \
                  Cargo.toml and `dwindle::arbitrary` in its sources. So is each fuzz crate below \
                  `fuzz/`, where that is a workspace. The change is shown as a diff and made only \
                  after a yes, or with --yes. Other files that name libfuzzer-sys (scripts, \
                  workflows, generators of targets) are named and stay as they are.\n\n\
                  Where the workspace has a fuzz crate elsewhere, it is named and no second one is \
                  made unless --fuzz-dir says where.\n\n\
                  No file that is there is ever overwritten but by a conversion that was agreed \
                  to.",
    after_help = format!("{INIT_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Init {
    /// The folder `harness` of a clone of dwindle, to depend on [default: that of the clone this
    /// command was built in]
    #[arg(long, value_name = "PATH")]
    pub(crate) dwindle: Option<PathBuf>,

    /// Convert without being asked
    #[arg(long, short)]
    pub(crate) yes: bool,

    /// The folder of the fuzz crate, or of several [default: fuzz/ of this crate]
    #[arg(long, value_name = "DIR")]
    pub(crate) fuzz_dir: Option<PathBuf>,
}

/// Add a target to the fuzz crate
#[derive(Debug, Args)]
#[command(
    long_about = "Writes fuzz_targets/NAME.rs from a template and adds its [[bin]] to the fuzz \
                  crate's Cargo.toml, where order and comments stay as they are.",
    after_help = format!("{ADD_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Add {
    /// The name of the new target
    pub(crate) name: String,

    /// Write the form of libfuzzer-sys: a target over bytes, or over a type with `Arbitrary`
    #[arg(long)]
    pub(crate) arbitrary: bool,

    /// The fuzz crate [default: ./fuzz, or the current package, or those of a parent folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) fuzz_dir: Option<PathBuf>,
}

/// List the targets of the fuzz crate, with their bugs
#[derive(Debug, Args)]
#[command(
    long_about = "Prints the targets of the fuzz crate, one a line; behind those with bugs in the \
                  store, how many are known and how many of them wait to be minimized.",
    after_help = format!("{LIST_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Replay every bug of the store and say what became of it
#[derive(Debug, Args)]
#[command(
    long_about = "Runs the inputs of every stored bug, each several times and in processes of \
                  their own, and says of each bug one of:\n\n  fixed           nothing fails any \
                  more; its folder may be removed, or kept as a regression test\n  still failing   \
                  the minimized input fails, or the one it was made from\n  flaky           it \
                  came and went over several runs\n  changed         the same input fails as \
                  another bug\n  stale           nothing fails, but the generator reads the input \
                  differently now\n  not seen        nothing fails, but it was flaky before, or \
                  only a sanitizer can see it\n\n\
                  The exit code is 1 if anything fails: still failing, flaky or changed. The store \
                  stays as it is.",
    after_help = format!("{CHECK_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Check {
    /// The fuzz target [default: every target with bugs in the store]
    pub(crate) target: Option<String>,

    /// Where bugs are kept [default: `DWINDLE_STORE`, else the fuzz crate's crashes/]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) build: Build,
}

/// Take the bugs of other stores into one
#[derive(Debug, Args)]
#[command(
    long_about = "Takes every bug of the named stores into this one: first hits are united, \
                  hits are counted once for each process that had them, and of two minimized \
                  inputs the simpler one stays. Any number of stores, in any order, any number of \
                  times, have one result. The other stores are not changed.",
    after_help = format!("{MERGE_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Merge {
    /// The stores to take from: folders with one folder for each target
    #[arg(value_name = "STORE", required = true)]
    pub(crate) stores: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) place: Place,
}

/// Which store a command is about that builds nothing, and how it speaks.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// Where bugs are kept [default: `DWINDLE_STORE`, else the fuzz crate's crashes/]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,

    /// The fuzz crate [default: ./fuzz, or the current package, or those of a parent folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) fuzz_dir: Option<PathBuf>,

    /// Write JSON lines on stdout and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}

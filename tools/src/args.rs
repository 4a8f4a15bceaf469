//! The command line: what can be said, and the help a stranger reads.

mod corpora;
mod projects;
mod triage;

#[cfg(test)]
mod properties;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) use corpora::{Corpus, CorpusAction, Export, Import, Stats};
pub(crate) use projects::{Add, Check, Init, List, Merge};
pub(crate) use triage::Triage;

const EXIT_CODES: &str = "\
Exit codes:
  0    nothing failed
  1    bugs were seen, known or new
  2    wrong use: no such target, no such file, an unknown option
  3    the environment failed: build, toolchain, disk
  130  interrupted (Ctrl-C, SIGTERM); the run still ended in order";

const RUN_EXAMPLES: &str = "\
Examples:
  cargo dwindle run parse                       fuzz until Ctrl-C
  cargo dwindle run parse --max-time 60         fuzz for a minute, as in CI
  cargo dwindle run parse --stop-on-first       stop at the first new bug
  cargo dwindle run parse --jobs 4              four processes, one corpus, one store
  cargo dwindle run parse --engine random       no coverage: random cases only
  cargo dwindle run parse --engine afl --jobs 4 --max-time 3600
  cargo dwindle run parse seeds/ -- -runs=100000 -dict=parse.dict";

const MIN_EXAMPLES: &str = "\
Examples:
  cargo dwindle min parse fuzz/artifacts/parse/crash-*
  cargo dwindle min parse fuzz/artifacts/parse
  cargo dwindle min parse crash.bin --budget 1000000,60s
  cargo dwindle min parse crash.bin --sanitizer address    for a bug only ASan sees";

const WATCH_EXAMPLES: &str = "\
Examples:
  cargo dwindle watch parse fuzz/afl/parse
  cargo dwindle watch parse synced/out --store bugs";

const SHOW_EXAMPLES: &str = "\
Examples:
  cargo dwindle show parse fuzz/crashes/parse/0123456789abcdef/input
  cargo dwindle show parse fuzz/corpus/parse/adc83b19e793491b";

/// Coverage-guided fuzzing that keeps every bug once and minimizes it by re-generating its input
#[derive(Debug, Parser)]
#[command(
    name = "cargo-dwindle",
    bin_name = "cargo dwindle",
    version,
    about,
    long_about = "Coverage-guided fuzzing that keeps every bug once and minimizes it by \
                  re-generating its input.\n\n\
                  Works on the fuzz targets of a cargo-fuzz layout (a `fuzz/` crate with one \
                  binary per target) on stable Rust. Bugs are kept in fuzz/crashes/TARGET/BUG-ID/: \
                  the minimized input, a report, and a test that fails without any fuzzer.",
    after_help = EXIT_CODES
)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(Init),
    Add(Add),
    List(List),
    Run(Run),
    Watch(Watch),
    Min(Min),
    Triage(Triage),
    Show(Show),
    Check(Check),
    Merge(Merge),
    Corpus(Corpus),
}

impl Command {
    /// Whether the command writes events to stdout.
    pub(crate) fn is_json(&self) -> bool {
        match self {
            Command::Init(_) | Command::Add(_) => false,
            Command::List(options) => options.place.json,
            Command::Run(options) => options.build.json,
            Command::Watch(options) => options.build.json,
            Command::Min(options) => options.build.json,
            Command::Triage(options) => options.build.json,
            Command::Show(options) => options.build.json,
            Command::Check(options) => options.build.json,
            Command::Corpus(options) => options.is_json(),
            Command::Merge(options) => options.place.json,
        }
    }
}

/// Fuzz a target; keep and minimize every new bug on the way
#[derive(Debug, Args)]
#[command(
    long_about = "Builds a target with coverage instrumentation and fuzzes it.\n\n\
                  A bug does not end the run: a new one is kept in the store and minimized beside \
                  the fuzzer, a known one is counted. Ctrl-C ends the run in order; a second \
                  Ctrl-C kills it.",
    after_help = format!("{RUN_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Run {
    /// The fuzz target: the name of a binary of the fuzz crate
    pub(crate) target: String,

    /// Corpus folders; new inputs go to the first [default: fuzz/corpus/TARGET]
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: Vec<PathBuf>,

    /// What drives the target
    #[arg(long, value_enum, default_value_t = Engine::Libfuzzer)]
    pub(crate) engine: Engine,

    /// How many processes of libFuzzer, or instances of AFL++, fuzz side by side [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,

    /// Where the instances of AFL++ have their folders [default: the fuzz crate's afl/TARGET]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Have AFL++ run although the system hands crashes to another program or changes the
    /// processor's frequency
    #[arg(long)]
    pub(crate) as_is: bool,

    /// End the run after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_time: Option<u64>,

    /// End the run at the first new bug, after minimizing it
    #[arg(long)]
    pub(crate) stop_on_first: bool,

    #[command(flatten)]
    pub(crate) shrinking: Shrinking,

    #[command(flatten)]
    pub(crate) build: Build,

    /// Arguments for the engine: in libFuzzer's form, such as -runs=1000 or -seed=7; for AFL++
    /// those of afl-fuzz, such as -x parse.dict or -t 5000
    #[arg(last = true, value_name = "ENGINE ARGS")]
    pub(crate) engine_args: Vec<OsString>,
}

/// Keep and minimize what an AFL++ campaign finds that you have started yourself
#[derive(Debug, Args)]
#[command(
    long_about = "Watches the output folder of a campaign of AFL++ on a target, on this machine or \
                  copied here: runs each file that appears in `crashes` or `hangs`, keeps each new \
                  bug once and minimizes it. Begins with the files that are there, and goes on \
                  until Ctrl-C. Bugs that the campaign's own instances put into the same store are \
                  told of, too.",
    after_help = format!("{WATCH_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Watch {
    /// The fuzz target: the name of a binary of the fuzz crate
    pub(crate) target: String,

    /// The output folder of the campaign, or of one of its instances
    #[arg(value_name = "AFL_OUT_DIR")]
    pub(crate) folder: PathBuf,

    #[command(flatten)]
    pub(crate) shrinking: Shrinking,

    #[command(flatten)]
    pub(crate) build: Build,
}

/// Minimize crash files, whatever fuzzer found them
#[derive(Debug, Args)]
#[command(
    long_about = "Runs each file once; one that fails is put in the store and minimized. A file \
                  that does not fail is named and changes nothing.\n\n\
                  Of a folder these are all files, also in folders within; of an output folder of \
                  AFL++ those in `crashes` and `hangs`.",
    after_help = format!("{MIN_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Min {
    /// The fuzz target: the name of a binary of the fuzz crate
    pub(crate) target: String,

    /// The files to minimize, and folders of files
    #[arg(value_name = "PATH", required = true)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) shrinking: Shrinking,

    #[command(flatten)]
    pub(crate) build: Build,
}

/// Print what a file means to a target: its draws and the outcome
#[derive(Debug, Args)]
#[command(
    long_about = "Runs one file and prints each value the target draws from it and what came of \
                  it. Keeps nothing.",
    after_help = format!("{SHOW_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Show {
    /// The fuzz target: the name of a binary of the fuzz crate
    pub(crate) target: String,

    /// The file to show
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) build: Build,
}

/// Where bugs are kept and how hard they are minimized.
#[derive(Debug, Args)]
pub(crate) struct Shrinking {
    /// The limit for minimizing one bug: calls (50000), seconds (5s), or both (50000,5s); what is
    /// not said stays at 100000 calls, 10s
    #[arg(long, value_name = "BUDGET", value_delimiter = ',', value_parser = parse_limit)]
    pub(crate) budget: Vec<Limit>,

    /// Where bugs are kept [default: `DWINDLE_STORE`, else the fuzz crate's crashes/]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
}

/// How the target is built and how things are said.
#[derive(Debug, Args)]
pub(crate) struct Build {
    /// Build with a sanitizer; `address` needs a nightly toolchain
    #[arg(long, value_enum, default_value_t = Sanitizer::None, help_heading = "Build options")]
    pub(crate) sanitizer: Sanitizer,

    /// The fuzz crate [default: ./fuzz, or the current package, or those of a parent folder]
    #[arg(long, value_name = "DIR", help_heading = "Build options")]
    pub(crate) fuzz_dir: Option<PathBuf>,

    /// Features of the fuzz crate to build with
    #[arg(long, value_name = "FEATURES", help_heading = "Build options")]
    pub(crate) features: Vec<String>,

    /// Build without the fuzz crate's default features
    #[arg(long, help_heading = "Build options")]
    pub(crate) no_default_features: bool,

    /// Build with this toolchain, as in `cargo +NAME`
    #[arg(long, value_name = "NAME", help_heading = "Build options")]
    pub(crate) toolchain: Option<String>,

    /// Write JSON lines on stdout and nothing else there
    #[arg(long)]
    pub(crate) json: bool,

    /// Also show what the engine and the target print
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Coverage-guided, in process
    Libfuzzer,
    /// AFL++, in the folder afl/TARGET of the fuzz crate; needs cargo-afl
    Afl,
    /// Random cases, no coverage and no corpus
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sanitizer {
    None,
    /// For memory errors in unsafe code and in C
    Address,
}

/// One limit of a budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    Calls(u64),
    Seconds(f64),
}

/// Reads the command line. Ends the process on `--help` (0) and on wrong use (2), as clap does.
pub(crate) fn read() -> CommandLine {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    // Started as `cargo dwindle ..`, cargo puts the name of the subcommand first.
    if words.get(1).is_some_and(|word| word == "dwindle") {
        words.remove(1);
    }
    CommandLine::parse_from(words)
}

fn parse_limit(text: &str) -> Result<Limit, String> {
    let limit = match text.strip_suffix('s') {
        Some(digits) => {
            digits.parse().ok().filter(|seconds| (0.001..1e9).contains(seconds)).map(Limit::Seconds)
        }
        None => text.parse().ok().filter(|calls| *calls > 0).map(Limit::Calls),
    };
    limit
        .ok_or_else(|| "expected a number of calls such as 50000, or seconds such as 5s".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn a_budget_is_calls_or_seconds_or_both() {
        let CommandLine { command: Command::Run(run) } =
            CommandLine::parse_from(["cargo-dwindle", "run", "t", "--budget", "50000,5s"])
        else {
            panic!("not run")
        };
        assert_eq!(run.shrinking.budget, [Limit::Calls(50_000), Limit::Seconds(5.0)]);
        for wrong in ["0", "0s", "s", "5m", "-1s", "NaNs", "infs", ""] {
            assert!(parse_limit(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_follows_two_dashes_is_the_engines() {
        let CommandLine { command: Command::Run(run) } =
            CommandLine::parse_from(["cargo-dwindle", "run", "t", "seeds", "--", "-runs=1", "x"])
        else {
            panic!("not run")
        };
        assert_eq!(run.corpus, [PathBuf::from("seeds")]);
        assert_eq!(run.engine_args, ["-runs=1", "x"]);
    }
}

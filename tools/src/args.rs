//! The command line: commands, options and their help.

mod building;
mod cmin;
mod corpora;
mod coverage;
mod explore;
mod page;
mod projects;
mod reports;
mod triage;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod documents;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) use building::{Build, BuildTargets, Sanitizer};
pub(crate) use cmin::Cmin;
pub(crate) use corpora::{Corpus, CorpusAction, Export, Import, Stats};
pub(crate) use coverage::Coverage;
pub(crate) use explore::Explore;
pub(crate) use page::ReportPage;
pub(crate) use projects::{Add, Check, Init, List, Merge};
pub(crate) use reports::{Annotations, Reports};
pub(crate) use triage::Triage;

const EXIT_CODES: &str = "\
Exit codes:
  0    nothing failed
  1    a bug was found, known or new
  2    wrong use: no such target, no such file, an unknown option
  3    the environment failed: build, toolchain, disk
  130  interrupted (Ctrl-C, SIGTERM); everything found until then is kept";

const RUN_EXAMPLES: &str = "\
Examples:
  cargo dwindle run parse                       fuzz until Ctrl-C
  cargo dwindle run parse --max-time 60         fuzz for a minute, as in CI
  cargo dwindle run parse --stop-on-first       stop at the first new bug
  cargo dwindle run parse --jobs 4              four processes, one corpus, one store
  cargo dwindle run parse --jobs 0              a process for each core
  cargo dwindle run --all --max-time 3600       all targets, in turns, for an hour
  cargo dwindle run parse --engine random       no coverage: random cases only
  cargo dwindle run parse --engine afl --jobs 4 --max-time 3600
  cargo dwindle run parse --max-time 60 --sarif dwindle.sarif --annotations auto
  cargo dwindle run parse seeds/ -- -runs=100000 -dict=parse.dict";

const MIN_EXAMPLES: &str = "\
Examples:
  cargo dwindle min parse fuzz/artifacts/parse/crash-*
  cargo dwindle min parse fuzz/artifacts/parse
  cargo dwindle min parse crash.bin --budget 1000000,60s
  cargo dwindle min parse crash.bin --sanitizer address    for a bug that only ASan finds";

const NEXT_EXAMPLES: &str = "\
Examples:
  cargo dwindle next parse
  cargo dwindle next parse 643ecead613a7ca2 --budget 1000000,60s";

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
                  dwindle works on stable Rust. It runs fuzz targets in cargo-fuzz's layout: a \
                  crate `fuzz/` with one binary for each target. It keeps each bug in a folder \
                  fuzz/crashes/TARGET/BUG-ID/. The folder holds the minimized input, a report, \
                  and a test that fails without a fuzzer.",
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
    Build(BuildTargets),
    Run(Run),
    Watch(Watch),
    Min(Min),
    Next(Next),
    Explore(Explore),
    Cmin(Cmin),
    Triage(Triage),
    Show(Show),
    Coverage(Coverage),
    Report(ReportPage),
    Check(Check),
    Merge(Merge),
    Corpus(Corpus),
}

impl Command {
    /// Whether the command writes events to stdout.
    pub(crate) fn is_json(&self) -> bool {
        match self {
            Command::Init(_) | Command::Add(_) | Command::Explore(_) => false,
            Command::List(options) => options.place.json,
            Command::Build(options) => options.build.json,
            Command::Run(options) => options.build.json,
            Command::Watch(options) => options.build.json,
            Command::Min(options) => options.build.json,
            Command::Next(options) => options.build.json,
            Command::Cmin(options) => options.build.json,
            Command::Triage(options) => options.build.json,
            Command::Show(options) => options.build.json,
            Command::Coverage(options) => options.build.json,
            Command::Report(options) => options.build.json,
            Command::Check(options) => options.build.json,
            Command::Corpus(options) => options.is_json(),
            Command::Merge(options) => options.place.json,
        }
    }
}

/// Fuzz a target, and keep and minimize each new bug
#[derive(Debug, Args)]
#[command(
    long_about = "Builds a target with coverage instrumentation and fuzzes it.\n\n\
                  The run continues after a bug. dwindle keeps each new bug in the store and \
                  minimizes it while the fuzzer runs. For a known bug it only counts the hit. \
                  Ctrl-C ends the run and prints the results. A second Ctrl-C kills the run.",
    after_help = format!("{RUN_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Run {
    /// The fuzz target: the name of a binary in the fuzz crate
    #[arg(required_unless_present = "all")]
    target: Option<String>,

    /// Corpus folders; new inputs go to the first [default: fuzz/corpus/TARGET]
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: Vec<PathBuf>,

    /// Fuzz all targets of the fuzz crate in turns. They share the seconds of --max-time. All known
    /// bugs and corpora run first. Each turn goes to the most promising target
    #[arg(long, requires = "max_time", conflicts_with_all = ["target", "corpus"])]
    pub(crate) all: bool,

    /// The fuzzing engine
    #[arg(long, value_enum, default_value_t = Engine::Libfuzzer)]
    pub(crate) engine: Engine,

    /// How many processes fuzz in parallel; 0 for one on each core. Fewer start if memory is short
    /// [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub(crate) jobs: Option<u32>,

    /// The folder for the output of AFL++ [default: the fuzz crate's afl/TARGET]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Run AFL++ even if the system sends crashes to another program or changes the processor's
    /// frequency
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
    pub(crate) reports: Reports,

    #[command(flatten)]
    pub(crate) build: Build,

    /// Arguments for the engine, for example -runs=1000 or -seed=7; AFL++ takes those of afl-fuzz,
    /// for example -x parse.dict or -t 5000
    #[arg(last = true, value_name = "ENGINE ARGS")]
    pub(crate) engine_args: Vec<OsString>,
}

impl Run {
    /// The name of the target. Empty with `--all`.
    pub(crate) fn target(&self) -> &str {
        self.target.as_deref().unwrap_or_default()
    }
}

/// Keep and minimize the bugs of an AFL++ campaign that you started yourself
#[derive(Debug, Args)]
#[command(
    long_about = "Watches the output folder of an AFL++ campaign. The campaign may run on this \
                  machine, or the folder may be a copy from another machine.\n\n\
                  The command runs each file that is in `crashes` or `hangs`, or that appears \
                  there later. It keeps each new bug once and minimizes it. It also reports the \
                  bugs that the campaign's instances add to the same store. It runs until Ctrl-C.",
    after_help = format!("{WATCH_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Watch {
    /// The fuzz target: the name of a binary in the fuzz crate
    pub(crate) target: String,

    /// The output folder of the campaign, or of one of its instances
    #[arg(value_name = "AFL_OUT_DIR")]
    pub(crate) folder: PathBuf,

    #[command(flatten)]
    pub(crate) shrinking: Shrinking,

    #[command(flatten)]
    pub(crate) build: Build,
}

/// Minimize crash files of any fuzzer
#[derive(Debug, Args)]
#[command(
    long_about = "Runs each file once. If the target fails, the command adds the bug to the store \
                  and minimizes its input. If it does not fail, the command prints the name of \
                  the file and changes nothing.\n\n\
                  A folder stands for all files in it and in its subfolders. An output folder of \
                  AFL++ stands for the files in `crashes` and `hangs`.",
    after_help = format!("{MIN_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Min {
    /// The fuzz target: the name of a binary in the fuzz crate
    pub(crate) target: String,

    /// Files to minimize, or folders of such files
    #[arg(value_name = "PATH", required = true)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) shrinking: Shrinking,

    #[command(flatten)]
    pub(crate) build: Build,
}

/// Look for other causes of known bugs: failures at the same place that nothing explains so far
#[derive(Debug, Args)]
#[command(
    long_about = "One assertion may fail for several reasons. The command says what is known of \
                  each bug: which parts of its input may vary. Then it looks for a failure of the \
                  same bug that this does not explain, minimizes it and keeps it with the bug. It \
                  goes on until a search finds nothing.",
    after_help = format!("{NEXT_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Next {
    /// The fuzz target: the name of a binary in the fuzz crate
    pub(crate) target: String,

    /// The ids of bugs; all bugs of the target without one
    #[arg(value_name = "BUG")]
    pub(crate) bugs: Vec<String>,

    #[command(flatten)]
    pub(crate) shrinking: Shrinking,

    #[command(flatten)]
    pub(crate) build: Build,
}

/// Print the values that a target draws from a file, and the outcome
#[derive(Debug, Args)]
#[command(
    long_about = "Runs the target on one file. Prints each value that the target draws, and \
                  whether the target fails. Does not change the store.",
    after_help = format!("{SHOW_EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Show {
    /// The fuzz target: the name of a binary in the fuzz crate
    pub(crate) target: String,

    /// The file to show
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) build: Build,
}

/// Where bugs are kept and how hard they are minimized.
#[derive(Debug, Args)]
pub(crate) struct Shrinking {
    /// The limit for minimizing one bug: calls (50000), seconds (5s), or both (50000,5s)
    /// [default: 100000,10s]
    #[arg(long, value_name = "BUDGET", value_delimiter = ',', value_parser = parse_limit)]
    pub(crate) budget: Vec<Limit>,

    /// The folder that keeps the bugs [default: `DWINDLE_STORE`, or else the fuzz crate's crashes/]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Coverage-guided, in process
    Libfuzzer,
    /// AFL++, in the folder afl/TARGET of the fuzz crate; needs cargo-afl
    Afl,
    /// Random cases, without coverage and without a corpus
    Random,
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
    fn arguments_after_two_dashes_go_to_the_engine() {
        let CommandLine { command: Command::Run(run) } =
            CommandLine::parse_from(["cargo-dwindle", "run", "t", "seeds", "--", "-runs=1", "x"])
        else {
            panic!("not run")
        };
        assert_eq!(run.corpus, [PathBuf::from("seeds")]);
        assert_eq!(run.engine_args, ["-runs=1", "x"]);
    }
}

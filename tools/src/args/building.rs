//! How targets are built: the options of all commands that build, and `build`.

use super::{EXIT_CODES, Engine};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  cargo dwindle build                           all targets
  cargo dwindle build parse --dev               faster to build, slower to run
  cargo dwindle build parse --sanitizer memory
  cargo dwindle build parse --engine afl        with the runtime of AFL++
  gdb --args $(cargo dwindle build parse) fuzz/crashes/parse/0123456789abcdef/input";

/// Build targets and print the paths of their binaries
#[derive(Debug, Args)]
#[command(
    long_about = "Builds targets as the other commands do, and runs nothing. Prints the path of \
                  each binary on a line of stdout.\n\n\
                  A target that does not build is named, and the others are built. The exit code \
                  is then 3.",
    after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct BuildTargets {
    /// The fuzz targets [default: all targets of the fuzz crate]
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<String>,

    /// The engine that the binary is for; `random` is in each libFuzzer binary
    #[arg(long, value_enum, default_value_t = Engine::Libfuzzer)]
    pub(crate) engine: Engine,

    #[command(flatten)]
    pub(crate) build: Build,
}

/// How the target is built and how things are said.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Build {
    /// Build with a sanitizer of rustc; this needs a nightly toolchain
    #[arg(long, short, value_enum, default_value_t = Sanitizer::None)]
    #[arg(help_heading = "Build options")]
    pub(crate) sanitizer: Sanitizer,

    /// Build without optimization: faster to build, slower to run
    #[arg(long, short = 'D', help_heading = "Build options")]
    pub(crate) dev: bool,

    /// Build for this platform, for example x86_64-unknown-linux-musl [default: this machine's]
    // The field is not `target`, because the commands have an argument of that name.
    #[arg(long = "target", value_name = "TRIPLE", help_heading = "Build options")]
    pub(crate) triple: Option<String>,

    /// The folder of the fuzz crate [default: the nearest one, from the current folder upwards]
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

    /// Write only JSON lines to stdout
    #[arg(long)]
    pub(crate) json: bool,

    /// Also show the output of the engine and the target
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// A sanitizer of rustc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sanitizer {
    None,
    /// Finds memory errors in unsafe code and in C, and leaks
    Address,
    /// Finds leaks only
    Leak,
    /// Finds reads of uninitialized memory; builds the standard library too
    Memory,
    /// Finds data races; builds the standard library too
    Thread,
}

impl Sanitizer {
    /// The name for rustc's `-Zsanitizer`. `None` without a sanitizer.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Address => Some("address"),
            Self::Leak => Some("leak"),
            Self::Memory => Some("memory"),
            Self::Thread => Some("thread"),
        }
    }

    /// Whether the standard library must be built with the sanitizer too. Otherwise the sanitizer
    /// does not see what the standard library writes or locks. It then reports errors that do not
    /// exist.
    pub(crate) fn needs_std(self) -> bool {
        matches!(self, Self::Memory | Self::Thread)
    }
}

//! The options of `explore`.

use super::{Build, EXIT_CODES, Shrinking};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  cargo dwindle explore parse                       choose a bug from a list
  cargo dwindle explore parse 643ecead613a7ca2";

/// Explore a bug in a terminal: its value, what is claimed of each part, examples, other causes
#[derive(Debug, Args)]
#[command(
    long_about = "Shows the minimized value of a bug as a tree, with the claims beside each part. \
                  Keys look for another cause, draw more examples, draw examples with a part \
                  fixed or freed, show the nearest input that passes, and write a regression \
                  test. The key ? lists them.\n\n\
                  The target runs in other processes, so the screen stays responsive. Esc stops \
                  what the target works on. The exit code is 1 if another cause was found.",
    after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}")
)]
pub(crate) struct Explore {
    /// The fuzz target: the name of a binary in the fuzz crate
    pub(crate) target: String,

    /// The id of a bug [default: the only one, or a list to choose from]
    #[arg(value_name = "BUG")]
    pub(crate) bug: Option<String>,

    #[command(flatten)]
    pub(crate) shrinking: Shrinking,

    #[command(flatten)]
    pub(crate) build: Build,
}

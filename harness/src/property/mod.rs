//! The expansion of `#[dwindle::test]`: a property as a test.

mod overrides;
mod health;
mod message;
mod search;
mod causes;
mod string;
mod block_on;

use std::fmt::Debug;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::Path;

use dwindle_engine::TestCase;
use dwindle_engine::internals::Trace;

use crate::execution;
use crate::execution::{Executor, InProcess, Run};
use crate::failure::panics::Scope;
use crate::settings::Settings;

/// A property, as the macro describes it.
#[derive(Clone, Copy, Debug)]
pub struct Property {
    /// The name of the function.
    pub name: &'static str,
    /// The name with the modules around it.
    pub path: &'static str,
    /// The folder of the crate at build time.
    pub manifest_dir: &'static str,
    /// Inputs that replace all others, as strings of `#[dwindle::reproduce_failure]`.
    pub inputs: &'static [&'static str],
}

pub use block_on::block_on;

/// A type that a property may return.
#[diagnostic::on_unimplemented(
    message = "a property does not return `{Self}`",
    label = "returns `{Self}`",
    note = "a property returns nothing, or a `Result<(), E>` whose error is `Debug`",
    note = "to test a condition, write `assert!(..)` in the body"
)]
pub trait Settle {
    /// Panics at the caller's place if this is an error.
    fn settle(self);
}

impl Settle for () {
    fn settle(self) {}
}

impl<E: Debug> Settle for Result<(), E> {
    #[track_caller]
    fn settle(self) {
        if let Err(error) = self {
            panic!("the property returned Err({error:?})");
        }
    }
}

/// Panics at the caller's place if `returned` is an error.
#[track_caller]
pub fn settle<R: Settle>(returned: R) {
    returned.settle();
}

/// Runs the test of a property.
///
/// # Panics
/// If the property fails, or if a health check fails. The message has all details.
#[track_caller]
pub fn run(property: &Property, settings: Settings, run: fn(&mut TestCase)) {
    if let Err(message) = attempt(property, settings, run) {
        panic!("{message}");
    }
}

fn attempt(property: &Property, settings: Settings, run: fn(&mut TestCase)) -> Result<(), String> {
    let settings = overrides::apply_environment(settled(property, settings))?;
    let mut executor =
        InProcess::new(run, Scope::Thread, property.manifest_dir, settings.choices_max);
    if !property.inputs.is_empty() {
        return property
            .inputs
            .iter()
            .try_for_each(|text| reproduce(property, &mut executor, text));
    }
    let seed = settings.seed.unwrap_or_else(fresh_seed);
    let found = search::search(&mut executor, &settings, seed);
    for line in &found.asides {
        eprintln!("dwindle: {line}");
    }
    if let Some(misuse) = found.misused {
        return Err(misuse.to_string());
    }
    if !found.failures.is_empty() {
        return Err(message::of_failures(property, seed, &found.failures));
    }
    match found.unhealthy {
        Some(unhealthy) => Err(message::of_health(property, seed, &unhealthy)),
        None => Ok(()),
    }
}

/// The settings, with the property's own name and store folder filled in.
fn settled(property: &Property, mut settings: Settings) -> Settings {
    settings.name.get_or_insert_with(|| property.path.to_owned());
    let folder = Path::new(property.manifest_dir);
    // Tests run in the folder of their Cargo.toml. A binary that is started by hand may run
    // elsewhere.
    if folder.is_dir()
        && let Some(store) = &mut settings.store
    {
        *store = folder.join(&*store);
    }
    settings
}

/// Runs the one input that `text` encodes.
fn reproduce(
    property: &Property,
    executor: &mut InProcess<fn(&mut TestCase)>,
    text: &str,
) -> Result<(), String> {
    let input = string::decode(property.name, text)
        .map_err(|error| format!("#[dwindle::reproduce_failure(\"{text}\")] {error}"))?;
    let (run, transcript) = executor.run_with_transcript(&input, &mut Trace::default());
    let listing = execution::listing(&transcript);
    match run {
        Run::Misused(misuse) => Err(misuse.to_string()),
        Run::Failed(failed) => {
            Err(message::of_input(property, &listing, &failed.message, &failed.location))
        }
        Run::Passed => Err(message::of_quiet_input(property, &listing, "passes")),
        Run::Rejected => Err(message::of_quiet_input(property, &listing, "is rejected")),
        Run::Overrun => {
            Err(message::of_quiet_input(property, &listing, "asks for too many choices"))
        }
    }
}

/// A seed that no other run has, short enough to type.
fn fresh_seed() -> u64 {
    // The standard library exposes its source of randomness only in this way.
    RandomState::new().build_hasher().finish() >> 32
}

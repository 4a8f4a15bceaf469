//! Testing how a generator shrinks.

use std::fmt::Debug;

use dwindle_engine::Generator;
use dwindle_engine::explore::case_seed;
use dwindle_engine::shrinking::{self, InvalidShrink};

use crate::check::Passed;
use crate::settings::Settings;

/// Whether `holds(before, after)` of each value that `generator` makes and each that the shrinker makes of it in one step.
///
/// Shrinking makes choices simpler; what that does to the value is up to the generator. Tried are random values and what they shrink to, from each a few steps down: as
/// many random ones as the settings say, and of all at most a hundred times as many. Of the settings, those of the store and the shrink have no meaning here.
///
/// ```
/// use dwindle::prelude::*;
///
/// let below_11 = g::integers(0..=u64::MAX).map(|number| number % 11);
/// let settings = dwindle::Settings::default();
/// let invalid = dwindle::check_shrinking(settings, below_11, |before, after| after <= before).unwrap_err();
/// assert_eq!((invalid.before.as_str(), invalid.after.as_str()), ("0", "1"));
/// ```
///
/// # Errors
/// Two values of which it does not hold: from the simplest that has such a step, as far as shrinking finds it, the simplest step.
#[expect(clippy::needless_pass_by_value, reason = "settings and generators are written where they are used")]
pub fn check_shrinking<G>(settings: Settings, generator: G, holds: impl FnMut(&G::Value, &G::Value) -> bool) -> Result<Passed, Box<InvalidShrink>>
where
    G: Generator<Value: Debug>,
{
    let seeds = (1..=settings.max_cases.saturating_mul(10)).map(|case| case_seed(settings.seed.unwrap_or(0), case));
    let (cases, rejected) = shrinking::check_shrinking(&generator, holds, seeds, settings.max_cases, settings.choices_max)?;
    Ok(Passed { cases, rejected })
}

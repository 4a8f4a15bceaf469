//! Tests how a generator shrinks.

use std::fmt::Debug;

use dwindle_engine::Generator;
use dwindle_engine::InvalidShrink;
use dwindle_engine::internals::case_seed;
use dwindle_engine::internals::shrinking;

use crate::check::Passed;
use crate::settings::Settings;

/// Checks that `holds(before, after)` for each value that `generator` makes, and each value that
/// the shrinker makes of it in one step.
///
/// Shrinking makes choices simpler, and the generator decides the effect on the value. The check
/// tries random values and the values that they shrink to, a few steps down from each. It tries as
/// many random values as the settings say, and at most a hundred times as many values in total. The
/// settings for the store and the shrink have no effect here.
///
/// ```
/// use dwindle::prelude::*;
///
/// let below_11 = g::integers(0..=u64::MAX).map(|number| number % 11);
/// let settings = dwindle::Settings::default();
/// let invalid =
///     dwindle::check_shrinking(settings, below_11, |before, after| after <= before).unwrap_err();
/// assert_eq!((invalid.before.as_str(), invalid.after.as_str()), ("0", "1"));
/// ```
///
/// # Errors
/// Two values for which it does not hold. The first is the simplest value with such a step that
/// shrinking finds. The second is the result of its simplest such step.
#[expect(
    clippy::needless_pass_by_value,
    reason = "settings and generators are written where they are used"
)]
pub fn check_shrinking<G>(
    settings: Settings,
    generator: G,
    holds: impl FnMut(&G::Value, &G::Value) -> bool,
) -> Result<Passed, Box<InvalidShrink>>
where
    G: Generator<Value: Debug>,
{
    let seeds = (1..=settings.max_cases.saturating_mul(10))
        .map(|case| case_seed(settings.seed.unwrap_or(0), case));
    let (cases, rejected) = shrinking::check_shrinking(
        &generator,
        holds,
        seeds,
        settings.max_cases,
        settings.choices_max,
    )?;
    Ok(Passed { cases, rejected })
}

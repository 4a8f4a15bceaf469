//! Bugs whose input no longer fails: whether they are fixed, or the input no longer tests them.

use dwindle_corpus::{BugKind, Report, Status};
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::codec::{BYTE_FORMAT, encode};

use super::{BugVerdict, RunCounts};
use crate::execution::{Executor, Run};
use crate::isolation::{Isolated, sanitizer};
use crate::session::report::counted;

/// The verdict for a bug whose input no longer fails.
pub(super) fn verdict(
    executor: &mut Isolated,
    report: &Report,
    input: &[u8],
    trace: &Trace,
    tally: &RunCounts,
) -> BugVerdict {
    match report.kind {
        BugKind::Asan | BugKind::Leak if !sanitizer::is_there() => {
            return BugVerdict::Unseen(
                "a sanitizer found this bug, and this build has no sanitizer: use --sanitizer \
                 address",
            );
        }
        _ if report.status == Status::Flaky => {
            return BugVerdict::Unseen(
                "the bug was flaky when it was stored, and no run fails now",
            );
        }
        _ => {}
    }
    match changed_reading(report, input, trace, tally)
        .or_else(|| changed_draws(executor, report, input))
    {
        Some(reason) => BugVerdict::Stale(reason),
        None => BugVerdict::Fixed,
    }
}

/// How the choices read from the input differ from the original choices, as far as the report has
/// them.
fn changed_reading(
    report: &Report,
    input: &[u8],
    trace: &Trace,
    tally: &RunCounts,
) -> Option<String> {
    if report.byte_format != BYTE_FORMAT {
        return Some(format!(
            "the input has byte format {}, and this target reads format {BYTE_FORMAT}",
            report.byte_format
        ));
    }
    if matches!(tally.quiet, Some(Run::Overrun)) {
        return Some("the target now stops at the limit of choices".to_owned());
    }
    // Only minimized inputs are canonical. A fuzzer rarely writes the bytes that the choices encode
    // to.
    let before = report.minimized_choices.filter(|_| report.status == Status::Minimized)? as usize;
    let now = trace.len();
    if now < before {
        return Some(format!(
            "the target now draws {} from the input, and earlier it drew {before}",
            counted(now as u64, "choice")
        ));
    }
    // Draws after these were not reached when the input failed.
    (encode(&trace.choices[..before]) != input)
        .then(|| "the generator now reads the bytes as other choices".to_owned())
}

/// How the drawn values differ from those of the report.
fn changed_draws(executor: &mut Isolated, report: &Report, input: &[u8]) -> Option<String> {
    if report.value.is_empty() {
        return None;
    }
    let mut draws = || {
        executor.start_afresh();
        executor.run_with_transcript(input, &mut Trace::default()).1.draws()
    };
    let (now, again) = (draws(), draws());
    // Both in the form of `report.json`, which cuts long values.
    let stored = |value: Vec<String>| Report { value, ..report.clone() }.for_json().value;
    let (now, again) = (stored(now), stored(again));
    if now.len() < report.value.len() {
        return Some(format!(
            "the target now draws {} from the input, and earlier it drew {}",
            counted(now.len() as u64, "value"),
            report.value.len()
        ));
    }
    // A hash map prints in another order each time, so such a difference means nothing.
    let differ = report
        .value
        .iter()
        .zip(now.iter().zip(&again))
        .find(|(before, (now, again))| now == again && before != now);
    differ.map(|(before, (now, _))| {
        format!(
            "the target now draws {} from the input, and earlier it drew {}",
            shortened(now),
            shortened(before)
        )
    })
}

/// The part of a value that fits on a line.
fn shortened(value: &str) -> String {
    let mut text: String =
        value.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.len() < value.len() {
        text.push_str("..");
    }
    text
}

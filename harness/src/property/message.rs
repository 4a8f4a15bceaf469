//! The messages of a failing property test.

use std::fmt::Write;

use dwindle_corpus::{SHOWN_MAX_BYTES, excerpt, exhaustion, printable};

use super::health::Unhealthy;
use super::search::Shrunk;
use super::{Property, string};
use crate::report::{counted, shown};

/// Maximum length of a string in the message. A longer string is useless if the store has the
/// input.
const STRING_MAX: usize = 4096;

/// The message for the failures of a run.
pub(super) fn of_failures(property: &Property, seed: u64, failures: &[Shrunk]) -> String {
    let name = property.name;
    let mut text = match failures.len() {
        1 => format!("property `{name}` failed:\n"),
        several => format!("property `{name}` failed in {several} distinct ways:\n"),
    };
    for (index, shrunk) in failures.iter().enumerate() {
        if failures.len() > 1 {
            let _ = writeln!(text, "\nfailure {} of {}:", index + 1, failures.len());
        }
        one(&mut text, property, shrunk);
    }
    if failures.iter().any(|shrunk| shrunk.case.is_some()) {
        let _ = write!(
            text,
            "\nseed {seed}; to run the same cases: DWINDLE_SEED={seed} cargo test {name}"
        );
    }
    text.trim_end().to_owned()
}

fn one(text: &mut String, property: &Property, shrunk: &Shrunk) {
    let failure = &shrunk.failure;
    if shrunk.is_another_cause {
        text.push_str("  another cause at the same place\n");
    }
    list(text, &failure.listing);
    for line in &failure.explained {
        let _ = writeln!(text, "  {}", printable(line));
    }
    panicked(text, &failure.message, &failure.location);
    let choices = counted(failure.choices as u64, "choice");
    match shrunk.case {
        _ if shrunk.is_known => text.push_str("  known, and replayed from the store"),
        Some(case) => {
            let _ = write!(
                text,
                "  found in case {case}, minimized to {choices} in {}",
                counted(failure.calls_to_shrink, "call")
            );
        }
        None => {
            let _ = write!(
                text,
                "  found while minimizing another failure, minimized to {choices} in {}",
                counted(failure.calls_to_shrink, "call")
            );
        }
    }
    if !failure.finished && failure.reliable {
        text.push_str("; the search for a smaller one ran out of time");
    }
    if let Some(exhaustion) =
        failure.no_smaller_among.filter(|_| failure.finished).and_then(exhaustion)
    {
        let _ = write!(text, "; {exhaustion}");
    }
    text.push('\n');
    if !failure.reliable {
        text.push_str(
            "  flaky: this input does not fail in every run, so the result also depends on \
             something else: state, time, threads or hash order\n",
        );
    }
    match &shrunk.kept {
        Some(Ok(folder)) => {
            let _ = writeln!(text, "  kept in {}", shown(folder).display());
        }
        Some(Err(error)) => {
            let _ = writeln!(text, "  {error}");
        }
        None => {}
    }
    let string = string::encode(property.name, &failure.input);
    if string.len() <= STRING_MAX || !matches!(shrunk.kept, Some(Ok(_))) {
        let _ =
            writeln!(text, "  to run only this input: #[dwindle::reproduce_failure(\"{string}\")]");
    }
}

/// The message for a failure of an input in `#[dwindle::reproduce_failure]`.
pub(super) fn of_input(
    property: &Property,
    listing: &[String],
    message: &str,
    location: &str,
) -> String {
    let mut text = format!(
        "property `{}` failed on the input of #[dwindle::reproduce_failure]:\n",
        property.name
    );
    list(&mut text, listing);
    panicked(&mut text, message, location);
    text.trim_end().to_owned()
}

/// The message for an input in `#[dwindle::reproduce_failure]` that does not fail. `what` is what
/// the input does.
pub(super) fn of_quiet_input(property: &Property, listing: &[String], what: &str) -> String {
    let mut text = format!(
        "property `{}`: the input of #[dwindle::reproduce_failure] {what}:\n",
        property.name
    );
    list(&mut text, listing);
    text.push_str(
        "The bug is fixed, or the property now draws other values from the input: remove the \
         attribute",
    );
    text
}

/// The message for a run without failures that fails a health check.
pub(super) fn of_health(property: &Property, seed: u64, unhealthy: &Unhealthy) -> String {
    let Unhealthy { check, seen, advice } = unhealthy;
    let name = property.name;
    format!(
        "property `{name}` fails the health check {check:?}: {seen}.\n{advice}.\n\
         If this is intended: #[dwindle::test(suppress_health_check = [{check:?}])]\n\
         seed {seed}; to run the same cases: DWINDLE_SEED={seed} cargo test {name}"
    )
}

/// Appends the drawn values. Values that are too long for a terminal are cut.
fn list(text: &mut String, listing: &[String]) {
    if listing.is_empty() {
        text.push_str("    // nothing was drawn\n");
    }
    let mut left = SHOWN_ALL_MAX_BYTES;
    for (number, line) in listing.iter().enumerate() {
        if left == 0 {
            let _ = writeln!(text, "    // and {} more lines", listing.len() - number);
            break;
        }
        let shown = excerpt(line, SHOWN_MAX_BYTES.min(left));
        left = left.saturating_sub(line.len());
        indent(text, &shown);
    }
}

/// Maximum bytes of all values together in a message.
const SHOWN_ALL_MAX_BYTES: usize = 16 << 10;

fn panicked(text: &mut String, message: &str, location: &str) {
    let _ = writeln!(
        text,
        "  panicked at {}:",
        if location.is_empty() { "an unknown place" } else { location }
    );
    indent(text, &excerpt(message, SHOWN_MAX_BYTES));
}

fn indent(text: &mut String, lines: &str) {
    for line in printable(lines).lines() {
        let _ = writeln!(text, "    {line}");
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use super::*;
    use crate::check::Failure;

    fn shrunk(input: Vec<u8>, kept: Option<Result<PathBuf, String>>) -> String {
        let failure = Failure {
            draws: Vec::new(),
            notes: Vec::new(),
            listing: Vec::new(),
            message: "too long".to_owned(),
            location: "src/lib.rs:1:1".to_owned(),
            input,
            choices: 1,
            calls_to_find: 1,
            calls_to_shrink: 2,
            calls_to_fixpoint: 2,
            calls_to_exhaust: 0,
            no_smaller_among: None,
            explained: Vec::new(),
            shrink_time: Duration::ZERO,
            finished: false,
            reliable: true,
        };
        let property = Property { name: "long", path: "long", manifest_dir: "", inputs: &[] };
        of_failures(
            &property,
            7,
            &[Shrunk { failure, case: Some(3), is_known: false, is_another_cause: false, kept }],
        )
    }

    #[test]
    fn an_input_that_is_too_long_for_a_string_is_only_in_the_store() {
        let folder = || Some(Ok(PathBuf::from("crashes/long/0123")));
        assert!(shrunk(vec![1; 3000], folder()).contains("#[dwindle::reproduce_failure("));
        assert!(!shrunk(vec![1; 4000], folder()).contains("#[dwindle::reproduce_failure("));
        assert!(shrunk(vec![1; 4000], None).contains("#[dwindle::reproduce_failure("));
        assert!(
            shrunk(vec![1; 4000], Some(Err("the disk is full".to_owned())))
                .contains("#[dwindle::reproduce_failure(")
        );
    }

    #[test]
    fn a_message_says_that_the_search_did_not_end_and_that_the_store_failed() {
        let text = shrunk(vec![1], Some(Err("the disk is full".to_owned())));
        let lines = "  found in case 3, minimized to 1 choice in 2 calls; the search for a smaller \
                     one ran out of time\n  the disk is full\n";
        assert!(text.contains(lines), "{text}");
    }

    #[test]
    fn long_values_are_cut_and_control_characters_are_escaped() {
        let property = Property { name: "long", path: "long", manifest_dir: "", inputs: &[] };
        let listing = [
            "let one = \x1b[1m;".to_owned(),
            format!("let two = {};", "2".repeat(1 << 20)),
            "let three = 3;".to_owned(),
        ];
        let text = of_input(&property, &listing, "\u{9b}31m\nnext", "src/lib.rs:1:1");
        assert!(text.contains("    let one = \\u{1b}[1m;\n    let two = 222"), "{text}");
        assert!(
            text.contains("2 .. (1044491 more bytes)\n    // and 1 more lines\n")
                && text.contains("    \\u{9b}31m\n    next"),
            "{text}"
        );
    }
}

//! Lines of code that failing runs reach, and that passing runs near them do not.

use crate::content_hash;

/// How many lines an explanation has at most.
pub const LINES_MAX: usize = 10;
/// How many lines before and behind a line belong to its [digest](source_digest).
pub const SOURCE_AROUND: usize = 2;

/// How many of some runs reach a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// The runs that reach it.
    pub runs: u32,
    /// All runs.
    pub of: u32,
}

/// A line that the runs with the claimed failure reach, and few passing runs near them.
///
/// A line may have several parts, for example the two branches of an `if`. The figures are those of
/// the part with the best score.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SuspiciousLine {
    /// The file, in the form of the frames of a report.
    pub file: String,
    /// The number of the line.
    pub line: u32,
    /// The name of the function without a hash. Empty if it is not known.
    pub function: String,
    /// How many of the failing runs reach it.
    pub failing: Reached,
    /// How many of the passing runs nearby reach it.
    pub passing: Reached,
    /// The digest of the source lines around it when the target was built, see [`source_digest`].
    /// `None` if the source was not there, or was changed after the build.
    pub source: Option<String>,
}

impl SuspiciousLine {
    /// See [`ochiai`].
    pub fn score(&self) -> f64 {
        ochiai(self.failing, self.passing)
    }

    /// The line in words.
    ///
    /// ```text
    /// src/map.rs:41 in insert: reached by 20 of 20 failing runs, by 0 of 20 that pass nearby
    /// ```
    pub fn in_words(&self) -> String {
        let function = match short(&self.function) {
            "" => String::new(),
            name => format!(" in {name}"),
        };
        format!(
            "{}:{}{function}: reached by {} of {} failing runs, by {} of {} that pass nearby",
            self.file,
            self.line,
            self.failing.runs,
            self.failing.of,
            self.passing.runs,
            self.passing.of
        )
    }
}

/// How well a line separates failing from passing runs, from 0 to 1.
///
/// The formula is Ochiai's coefficient, which ranks faults well (Abreu, Zoeteweij and van Gemund
/// 2007, "On the accuracy of spectrum-based fault localization"). It is 1 if all failing runs and
/// no passing run reach the line.
pub fn ochiai(failing: Reached, passing: Reached) -> f64 {
    let reached = f64::from(failing.runs) + f64::from(passing.runs);
    let all = (f64::from(failing.of) * reached).sqrt();
    if all > 0.0 { f64::from(failing.runs) / all } else { 0.0 }
}

/// The digest of the lines around a line of a source file, as 16 hex digits. It shows later whether
/// an excerpt is still the code that ran. `None` if the text has no such line.
pub fn source_digest(text: &str, line: usize) -> Option<String> {
    let first = line.checked_sub(1)?.saturating_sub(SOURCE_AROUND);
    let around: Vec<&str> = text.lines().skip(first).take(line + SOURCE_AROUND - first).collect();
    let is_there = around.len() >= line - first;
    is_there.then(|| content_hash(around.join("\n").as_bytes()))
}

/// The last part of the name of a function, without type parameters and closures.
fn short(function: &str) -> &str {
    let parts = parts(function);
    let named = parts.into_iter().rev().map(|part| part.split('<').next().unwrap_or(part));
    named.map(str::trim).find(|part| !part.is_empty() && !part.starts_with('{')).unwrap_or(function)
}

/// The parts of a path that `::` separates outside of angle brackets.
fn parts(path: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let bytes = path.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if at == 0 || bytes[at - 1] != b'-' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && bytes.get(at + 1) == Some(&b':') => {
                parts.push(&path[start..at]);
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.push(&path[start.min(path.len())..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(runs: u32, of: u32) -> Reached {
        Reached { runs, of }
    }

    #[test]
    fn the_score_is_one_for_all_failing_and_no_passing_runs_and_zero_for_no_failing_run() {
        assert!((ochiai(reached(20, 20), reached(0, 20)) - 1.0).abs() < 1e-9);
        assert!((ochiai(reached(20, 20), reached(20, 20)) - 0.5_f64.sqrt()).abs() < 1e-9);
        for failing in [reached(0, 20), reached(0, 0)] {
            assert!(ochiai(failing, reached(3, 20)).abs() < 1e-9);
            assert!(ochiai(failing, reached(0, 0)).abs() < 1e-9);
        }
        assert!(ochiai(reached(20, 20), reached(1, 20)) > ochiai(reached(20, 20), reached(2, 20)));
        assert!(ochiai(reached(20, 20), reached(0, 20)) > ochiai(reached(19, 20), reached(0, 20)));
    }

    #[test]
    fn a_line_is_named_with_the_last_part_of_its_function() {
        for (function, name) in [
            ("demo::map::insert", "insert"),
            ("demo::Map<K,V>::insert", "insert"),
            ("<demo::Map<K, fn(u8) -> u8> as core::ops::Index<u8>>::index", "index"),
            ("demo::insert::{{closure}}", "insert"),
            ("demo::sort::<alloc::vec::Vec<u8>>", "sort"),
            ("insert", "insert"),
            ("", ""),
            (">::", ">"),
        ] {
            assert_eq!(short(function), name, "{function}");
        }
        let line = SuspiciousLine {
            file: "src/map.rs".to_owned(),
            line: 41,
            function: "demo::map::insert".to_owned(),
            failing: reached(20, 20),
            passing: reached(0, 20),
            source: None,
        };
        assert_eq!(
            line.in_words(),
            "src/map.rs:41 in insert: reached by 20 of 20 failing runs, by 0 of 20 that pass nearby"
        );
        let nameless = SuspiciousLine { function: String::new(), ..line };
        assert!(nameless.in_words().starts_with("src/map.rs:41: reached"));
    }

    #[test]
    fn a_digest_changes_with_the_lines_around_a_line_and_with_no_other() {
        let text = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let of = |text: &str, line| source_digest(text, line).unwrap();
        let digest = of(text, 4);
        assert_eq!(digest.len(), 16);
        assert_eq!(of("0\n2\n3\n4\n5\n6\n8\n", 4), digest);
        assert_eq!(of("0\n2\r\n3\r\n4\r\n5\r\n6\r\n", 4), digest);
        for changed in ["1\n2x\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6x\n", "1\n2\n3\n4\n5\n"] {
            assert_ne!(of(changed, 4), digest, "{changed}");
        }
        assert_ne!(of(text, 5), digest);
        assert!(source_digest(text, 8).is_some() && source_digest(text, 1).is_some());
        assert_eq!(source_digest(text, 9), None);
        assert_eq!(source_digest(text, 0), None);
        assert_eq!(source_digest("", 1), None);
    }
}

//! Compares two transcripts. What differs between two runs of one command does not count.

use std::sync::LazyLock;

use regex::Regex;

/// What differs between two runs, and what is compared in its place.
static DIFFERING: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        // The first failure, and what it took to make it small.
        (r"\d+ choices? \(\d+ bytes?\) became", "N choices (N bytes) became"),
        (r"of \d+ bytes? became", "of N bytes became"),
        (r"in [\d,]+ calls?( and [\d.]+ s)?", "in N calls"),
        (r"found in case \d+", "found in case N"),
        (r"^original: \d+ bytes?, \d+ choices?", "original: N bytes, N choices"),
        (r"\d+ calls in [\d.]+ s$", "N calls in N s"),
        (r"^first seen: .*", "first seen: T"),
        (r"\(\d+ of \d+ tries\)", "(N of N tries)"),
        (
            r"by \d+ of \d+ failing runs, by \d+ of \d+ that pass",
            "by N of N failing runs, by N of N that pass",
        ),
        // Seeds and threads.
        (r"seed \d+", "seed N"),
        (r"DWINDLE_SEED=\d+", "DWINDLE_SEED=N"),
        (r"thread '(.+)' \(\d+\)", "thread '$1' (N)"),
        // How much a run did in its time.
        (r"^\d\d:\d\d  .*$", "(progress)"),
        (r"--max-time \d+", "--max-time N"),
        (r"\d+ executions? in \d+ s", "N executions in N s"),
        (r"new coverage in the next minute: .*", "new coverage in the next minute: P"),
        (r"run in [\d.]+ s", "run in N s"),
        (r"finished in [\d.]+s", "finished in Ns"),
        // The table of bugs: hits, and the size of the first failure.
        (r"^([0-9a-f]{16} .*?) +\d+ +\d+ -> ", "$1 N N -> "),
        (r" +", " "),
    ]
    .map(|(what, instead)| (Regex::new(what).expect("a regular expression"), instead))
    .into()
});

/// The lines of a transcript without what differs between two runs.
fn settled(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| {
            DIFFERING
                .iter()
                .fold(line.to_owned(), |line, (what, instead)| {
                    what.replace_all(&line, *instead).into_owned()
                })
                .trim_end()
                .to_owned()
        })
        .collect();
    lines.dedup_by(|line, before| line == before && line == "(progress)");
    // Tests run at the same time, so they end in any order.
    let is_test = |line: &String| line.starts_with("test ") && line.contains(" ... ");
    for tests in lines.chunk_by_mut(|one, other| is_test(one) && is_test(other)) {
        tests.sort();
    }
    lines
}

/// Whether the lines match a pattern in which `...` stands for any number of lines.
fn matches(pattern: &[String], lines: &[String]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]))
        }
        Some((first, rest)) => {
            lines.split_first().is_some_and(|(line, lines)| first == line && matches(rest, lines))
        }
    }
}

/// The first difference between a transcript and what was printed now; `None` if they are equal.
pub fn difference(transcript: &str, printed: &str) -> Option<String> {
    let (pattern, lines) = (settled(transcript), settled(printed));
    if matches(&pattern, &lines) {
        return None;
    }
    let at = (0..=pattern.len())
        .rev()
        .find(|at| (0..=lines.len()).any(|end| matches(&pattern[..*at], &lines[..end])))
        .unwrap_or(0);
    let expected = pattern.get(at).map_or("its end", String::as_str);
    Some(format!("line {} does not come: {expected}\nprinted was:\n{printed}", at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_runs_does_not_count() {
        for (one, other) in [
            (
                "  132 choices (247 bytes) became 6 choices (6 bytes) in 293 calls and 0.01 s: \
                 minimized",
                "  1 choice (1 byte) became 6 choices (6 bytes) in 9,293 calls and 10.51 s: \
                 minimized",
            ),
            ("00:05  18 executions  1 bug\n00:10  20 executions", "00:05  99 executions  2 bugs"),
            (
                "56921d9ccdfd90cb  panic     7      4 -> 4    minimized    src/url.rs:128:9",
                "56921d9ccdfd90cb  panic   143   1004 -> 4    minimized    src/url.rs:128:9",
            ),
            ("test a ... ok\ntest b ... FAILED", "test b ... FAILED\ntest a ... ok"),
            ("first\n...\nlast", "first\nsecond\nthird\nlast"),
            ("$ run t --max-time 20", "$ run t --max-time 3"),
        ] {
            assert_eq!(difference(one, other), None);
        }
    }

    #[test]
    fn what_a_run_says_counts() {
        for (one, other, words) in [
            ("    [AddEdge(0, 1)]", "    [AddEdge(0, 2)]", "AddEdge(0, 1)"),
            ("became 6 choices", "became 7 choices", "6 choices"),
            ("1 -> 4    minimized", "1 -> 4    pending", "minimized"),
            ("first\nsecond", "first", "second"),
            ("first", "first\nsecond", "its end"),
            ("first\n...\nlast", "first\nsecond", "last"),
        ] {
            let difference = difference(one, other).unwrap();
            assert!(difference.contains(words), "{difference}");
        }
    }
}

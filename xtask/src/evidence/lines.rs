//! Whether suspicious lines lead to the function that the fix of a known bug changed.

mod fixes;

use std::fs;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use self::fixes::{FIXES, Fix};
use crate::tools;

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    println!(
        "`cargo dwindle min` on one failing input of each bug. A rank counts the functions of the \
         named lines, the first one is 1. A frame counts the functions on the stack of the \
         failure, innermost first.\n"
    );
    println!(
        "| target | buggy release | fixed function | frame | rank | named | first line |\n| --- | \
         --- | --- | --- | --- | --- | --- |"
    );
    let mut found = [0_usize; 3];
    for fix in FIXES {
        let explained = explain(fix)?;
        let rank = explained.rank(fix);
        let (number, words) = match rank {
            Some(1..=3) => (0, "first three"),
            Some(_) => (1, "first ten"),
            None => (2, "not named"),
        };
        found[number] += 1;
        println!(
            "| `{}` | {} | `{}` | {} | {} | {words} | {} |",
            fix.target,
            fix.release,
            fix.functions.join("`, `"),
            number_or_none(explained.frame(fix)),
            number_or_none(rank),
            explained.lines.first().map_or_else(|| "none".to_owned(), Line::words)
        );
    }
    let [first, other, not] = found;
    println!(
        "\nOf {} bugs, the fixed function is among the first three for {first}, among the first \
         ten for {other} more, and not named for {not}.",
        FIXES.len()
    );
    Ok(())
}

fn number_or_none(number: Option<usize>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}

/// A named line.
struct Line {
    file: String,
    number: u64,
    function: String,
}

impl Line {
    fn words(&self) -> String {
        format!("`{}:{}` in `{}`", self.file, self.number, plain(&self.function))
    }
}

/// What the report says.
struct Explained {
    lines: Vec<Line>,
    /// The functions on the stack and their places.
    frames: Vec<String>,
}

impl Explained {
    /// The rank of the fixed function among those of the named lines.
    fn rank(&self, fix: &Fix) -> Option<usize> {
        let mut functions: Vec<(&str, &str)> = Vec::new();
        for line in &self.lines {
            let function = (plain(&line.function), line.file.as_str());
            if !functions.contains(&function) {
                functions.push(function);
            }
        }
        let is_it = |(function, file): &(&str, &str)| is_fixed(fix, function, file);
        Some(functions.iter().position(is_it)? + 1)
    }

    fn frame(&self, fix: &Fix) -> Option<usize> {
        let is_it = |frame: &String| {
            let (function, place) = frame.rsplit_once(" (").unwrap_or((frame, ""));
            is_fixed(fix, plain(function), place.split(':').next().unwrap_or(place))
        };
        Some(self.frames.iter().position(is_it)? + 1)
    }
}

fn is_fixed(fix: &Fix, function: &str, file: &str) -> bool {
    fix.functions.contains(&function) && file == fix.file
}

/// The name of a function without type parameters and without the path to it.
fn plain(function: &str) -> &str {
    // `<A as B>::name`, `a::name`, `name<T>`.
    let name = function.rsplit_once(">::").map_or(function, |(_, name)| name);
    let name = name.split('<').next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name)
}

/// Minimizes and explains the failing input of a bug.
fn explain(fix: &Fix) -> Result<Explained> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let file = scratch.path().join("input");
    fs::write(&file, bytes_of(fix.input)?).context("cannot write the input")?;
    let output = tools::cargo()
        .args(["dwindle", "min", fix.target, "--json", "--fuzz-dir", fix.fuzz_dir])
        .arg(&file)
        .env("DWINDLE_STORE", scratch.path().join("store"))
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    let words = String::from_utf8_lossy(&output.stdout);
    let mut events = words.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let minimized = events.rfind(|event| event["event"] == "minimized");
    let report = minimized.with_context(|| format!("{} does not fail:\n{words}", fix.target))?;
    let report = &report["report"];
    let place = report["location"].as_str().unwrap_or_default();
    ensure!(place.starts_with(fix.place), "{} fails at {place}: another bug", fix.target);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let lines = report["explanation"]["lines"].as_array().into_iter().flatten().map(|line| Line {
        file: text(&line["file"]),
        number: line["line"].as_u64().unwrap_or_default(),
        function: text(&line["function"]),
    });
    Ok(Explained {
        lines: lines.collect(),
        frames: report["frames"].as_array().into_iter().flatten().map(text).collect(),
    })
}

/// The bytes of a text of hex digits.
fn bytes_of(digits: &str) -> Result<Vec<u8>> {
    let pairs = (0..digits.len()).step_by(2);
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2).unwrap_or_default(), 16);
    pairs.map(|at| byte(at).context("an input is not written in hex digits")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_counts_functions_and_not_lines() {
        let line = |file: &str, function: &str| Line {
            file: file.to_owned(),
            number: 3,
            function: function.to_owned(),
        };
        let fix = Fix { functions: &["insert"], file: "map-1.0.0/src/lib.rs", ..FIXES[0] };
        let lines = vec![
            line("map-1.0.0/src/lib.rs", "get<u8>"),
            line("map-1.0.0/src/lib.rs", "get<u8>"),
            line("other-1.0.0/src/lib.rs", "insert"),
            line("map-1.0.0/src/lib.rs", "<map::Map<u8> as map::Put>::insert"),
        ];
        let frames = vec!["check (a.rs:1)".to_owned(), "m::insert (map-1.0.0/src/lib.rs:9)".into()];
        let explained = Explained { lines, frames };
        assert_eq!((explained.rank(&fix), explained.frame(&fix)), (Some(3), Some(2)));
        let nothing = Explained { lines: Vec::new(), frames: Vec::new() };
        assert_eq!((nothing.rank(&fix), nothing.frame(&fix)), (None, None));
    }

    #[test]
    fn every_input_is_written_in_hex_digits() {
        for fix in FIXES {
            assert!(!bytes_of(fix.input).unwrap().is_empty(), "{}", fix.target);
        }
        assert!(bytes_of("0x").is_err() && bytes_of("123").is_err());
    }
}

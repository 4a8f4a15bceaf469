//! Which lines the corpus reaches, and the smallest input that reaches each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the inputs of a target reach.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// The inputs that were run, smallest first.
    pub(crate) inputs: Vec<Tried>,
    /// The inputs of the corpus that were left out, because they are larger.
    pub(crate) left_out: usize,
    pub(crate) files: Vec<FileReach>,
}

/// An input that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tried {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

/// What is reached of one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FileReach {
    /// The file as people name it.
    pub(crate) name: String,
    /// The lines with code, and the number of the smallest input that reaches each.
    pub(crate) lines: BTreeMap<u32, Option<usize>>,
}

/// Lines that one input is the smallest for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    /// The number of the input. `None` for lines that no input reaches.
    pub(crate) input: Option<usize>,
    /// `12-18, 25`.
    pub(crate) lines: String,
    pub(crate) count: usize,
}

impl FileReach {
    /// How many lines are reached.
    pub(crate) fn reached(&self) -> usize {
        self.lines.values().filter(|input| input.is_some()).count()
    }

    /// Records that an input reaches lines. Inputs come smallest first, so the first one stays.
    pub(crate) fn add(&mut self, input: usize, lines: &[(u32, u64)]) {
        for (line, count) in lines {
            let smallest = self.lines.entry(*line).or_default();
            if *count > 0 {
                smallest.get_or_insert(input);
            }
        }
    }

    /// The lines by input, smallest first. The last row has the lines that no input reaches.
    pub(crate) fn rows(&self) -> Vec<Rows> {
        let mut by_input: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for (line, input) in &self.lines {
            by_input.entry(input.unwrap_or(usize::MAX)).or_default().push(*line);
        }
        let has_code = |line: &u32| self.lines.contains_key(line);
        let rows = by_input.into_iter().map(|(input, lines)| Rows {
            input: Some(input).filter(|input| *input != usize::MAX),
            count: lines.len(),
            lines: ranges(&lines, has_code),
        });
        rows.collect()
    }
}

/// Lines as ranges. A range goes on over lines without code.
fn ranges(lines: &[u32], has_code: impl Fn(&u32) -> bool) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match ranges.last_mut() {
            Some((_, last)) if (*last + 1..*line).all(|between| !has_code(&between)) => {
                *last = *line;
            }
            _ => ranges.push((*line, *line)),
        }
    }
    let words = ranges.iter().map(|(first, last)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Reads the output of `llvm-cov export --format=lcov`: for each file its lines with code, and how
/// often each ran.
pub(crate) fn read_lcov(text: &str) -> Vec<(&Path, Vec<(u32, u64)>)> {
    let mut files: Vec<(&Path, Vec<(u32, u64)>)> = Vec::new();
    for line in text.lines() {
        if let Some(file) = line.strip_prefix("SF:") {
            files.push((Path::new(file), Vec::new()));
        } else if let Some((number, count)) =
            line.strip_prefix("DA:").and_then(|line| line.split_once(','))
            && let (Ok(number), Ok(count)) = (number.parse(), count.parse())
            && let Some((_, lines)) = files.last_mut()
        {
            lines.push((number, count));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_its_smallest_input() {
        let text = "SF:/p/a.rs\nFN:1,f\nDA:1,1\nDA:2,1\nDA:5,0\nDA:6,0\nend_of_record\n\
                    SF:/p/b.rs\nDA:1,0\nDA:x,1\nend_of_record\n";
        let files = read_lcov(text);
        assert_eq!(files[0], (Path::new("/p/a.rs"), vec![(1, 1), (2, 1), (5, 0), (6, 0)]));
        assert_eq!(files[1].1, [(1, 0)]);
        let mut file = FileReach::default();
        file.add(0, &files[0].1);
        file.add(1, &[(1, 5), (2, 0), (5, 1), (6, 0)]);
        assert_eq!(file.reached(), 3);
        let row = |input, lines: &str, count| Rows { input, lines: lines.to_owned(), count };
        assert_eq!(file.rows(), [row(Some(0), "1-2", 2), row(Some(1), "5", 1), row(None, "6", 1)]);
    }

    #[test]
    fn a_range_goes_on_over_lines_without_code_only() {
        assert_eq!(ranges(&[1, 2, 5, 9], |line| *line == 7), "1-5, 9");
        assert_eq!(ranges(&[], |_| true), "");
    }
}

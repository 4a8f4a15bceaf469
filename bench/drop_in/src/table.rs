//! What all files say together.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use drop_in_values::Target;

use crate::tmin::{End, Start};

/// Dwindle must be this many times faster than `cargo fuzz tmin`, or it misses its goal.
const FASTER: f64 = 20.0;

/// One crash file, minimized in both ways.
pub struct Row {
    pub start: Start,
    pub ours: End,
    /// Dwindle without a shrink: what its other work takes.
    pub no_shrink: End,
    pub stock: End,
}

impl Row {
    fn value(&self, input: &[u8]) -> (usize, String) {
        self.start
            .target
            .value(input)
            .map_or((0, String::new()), |case| (case.size(), case.to_string()))
    }

    fn ratio(&self) -> f64 {
        self.ratio_to(&self.ours)
    }

    fn ratio_to(&self, end: &End) -> f64 {
        self.stock.time.as_secs_f64() / end.time.as_secs_f64()
    }

    /// In which way dwindle is not better.
    fn misses(&self) -> String {
        let ((size, value), (stock_size, stock_value)) =
            (self.value(&self.ours.input), self.value(&self.stock.input));
        let mut misses = Vec::new();
        if self.ours.input.len() > self.stock.input.len() {
            misses.push("bytes");
        }
        if size > stock_size {
            misses.push("size");
        }
        if value.len() > stock_value.len() {
            misses.push("length of the value");
        }
        if self.ratio_to(&self.no_shrink) < FASTER {
            misses.push("time, whatever the shrink does");
        } else if self.ratio() < FASTER {
            misses.push("time");
        }
        misses.join(", ")
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |end: &End| {
            let (size, value) = self.value(&end.input);
            format!(
                "{} | {size} | {} | {:.2}",
                end.input.len(),
                value.len(),
                end.time.as_secs_f64()
            )
        };
        let Start { target, seed, input, .. } = &self.start;
        let size = self.value(input).0;
        let (ours, stock, ratio, misses) =
            (end(&self.ours), end(&self.stock), self.ratio(), self.misses());
        let no_shrink = self.no_shrink.time.as_secs_f64();
        write!(
            f,
            "| {} | {seed} | {} / {size} | {ours} | {no_shrink:.2} | {stock} | {ratio:.0} | \
             {misses} |",
            target.name(),
            input.len()
        )
    }
}

/// A row for each file, what each target came to, and how often a goal was missed.
pub fn table(rows: &[Row]) -> String {
    let mut table = String::from(
        "Bytes, size of the value, characters of the value as it is printed, seconds.\n\n\
         | target | seed | start: bytes / size | dwindle: bytes | size | chars | s | without a \
         shrink: s | tmin: bytes | size | chars | s | times faster | misses |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for row in rows {
        let _ = writeln!(table, "{row}");
    }
    table.push('\n');
    for target in Target::ALL {
        let of_target = || rows.iter().filter(|row| row.start.target == target);
        let values: BTreeSet<String> =
            of_target().map(|row| row.value(&row.ours.input).1).collect();
        let stock: BTreeSet<String> =
            of_target().map(|row| row.value(&row.stock.input).1).collect();
        if let (Some(shortest), false) =
            (stock.iter().min_by_key(|value| value.len()), values.is_empty())
        {
            let _ = writeln!(
                table,
                "- {}: dwindle ends at {}; the shortest of tmin is {shortest}",
                target.name(),
                values.into_iter().collect::<Vec<_>>().join(" or ")
            );
        }
    }
    let missed = rows.iter().filter(|row| !row.misses().is_empty()).count();
    let in_vain = rows.iter().filter(|row| row.ratio_to(&row.no_shrink) < FASTER).count();
    let mut ratios: Vec<f64> = rows.iter().map(Row::ratio).collect();
    ratios.sort_by(f64::total_cmp);
    if let (Some(least), Some(most)) = (ratios.first(), ratios.last()) {
        let median = ratios[ratios.len() / 2];
        let _ = writeln!(
            table,
            "\n{} files, a goal missed on {missed}, on {in_vain} of them whatever the shrink does; \
             times faster: {least:.0} at least, {median:.0} in the middle, {most:.0} at most.",
            rows.len()
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::time::Duration;

    #[test]
    fn what_is_larger_or_slow_is_a_miss() {
        let of = |numbers: u8| [&[1][..], &[1, 9, 9, 9, 9].repeat(usize::from(numbers))].concat();
        let start = Start {
            target: Target::Nestedlists,
            seed: "1".to_owned(),
            path: PathBuf::new(),
            input: of(14),
        };
        let end = |numbers, milliseconds| End {
            input: of(numbers),
            time: Duration::from_millis(milliseconds),
        };
        let good = Row { start, ours: end(11, 100), no_shrink: end(14, 60), stock: end(11, 2000) };
        assert!(
            good.misses().is_empty()
                && good.to_string().contains("| nestedlists | 1 | 71 / 15 | 56 | 12 |"),
            "{good}"
        );
        let bad = Row { ours: end(12, 1000), ..good };
        assert_eq!(bad.misses(), "bytes, size, length of the value, time");
        let slow = Row { ours: end(11, 150), no_shrink: end(14, 101), ..bad };
        assert_eq!(slow.misses(), "time, whatever the shrink does");
    }
}

//! A table for people.

use std::io::{self, Write};

/// Prints a title and rows. The first row names the columns. Numbers stand at the right.
pub(crate) fn print<const COLUMNS: usize>(
    title: &str,
    rows: &[[String; COLUMNS]],
) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{title}\n")?;
    stdout.write_all(lines(rows).as_bytes())
}

fn lines<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let widths: [usize; COLUMNS] = std::array::from_fn(|column| {
        rows.iter().map(|row| console::measure_text_width(&row[column])).max().unwrap_or(0)
    });
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let is_number = rows
                .iter()
                .skip(1)
                .all(|row| row[column].bytes().all(|byte| byte.is_ascii_digit()));
            let alignment =
                if is_number { console::Alignment::Right } else { console::Alignment::Left };
            line.push_str(&console::pad_str(cell, widths[column], alignment, None));
            line.push_str("  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_left_and_numbers_right() {
        let rows =
            [["target", "bugs"], ["a", "7"], ["long_name", "12"]].map(|row| row.map(str::to_owned));
        assert_eq!(lines(&rows), "target     bugs\na             7\nlong_name    12\n");
    }
}

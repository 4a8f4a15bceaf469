//! The tables of made properties.

use std::collections::BTreeMap;

use super::Row;

/// Prints the shares by family, beside those of another version if there are some.
pub fn print(rows: &[Row], others: Option<&[Row]>, seed: u64, misses: usize) {
    println!(
        "{} properties made from seed {seed}, {} starts each.",
        rows.len(),
        super::made::STARTS
    );
    let proven = rows.iter().filter(|row| row.is_proven).count();
    println!("The best known of {proven} is proven: all simpler cases were tried.\n");
    let header = "| properties | best % | below half | calls | behind | choices over the best |";
    println!(
        "| family {header}{}",
        if others.is_some() { " before: best % | calls |" } else { "" }
    );
    println!(
        "| --- | --- | --- | --- | --- | --- | --- |{}",
        if others.is_some() { " --- | --- |" } else { "" }
    );
    line("all", rows, others, |_| true);
    for key in keys(rows, |row| &row.family) {
        line(key, rows, others, |row| row.family == key);
    }
    println!("| | | | | | | |");
    for key in keys(rows, |row| &row.condition) {
        line(key, rows, others, |row| row.condition == key);
    }
    let mut worst: Vec<&Row> = rows.iter().filter(|row| share(row) < 1.0).collect();
    worst.sort_by(|a, b| share(a).total_cmp(&share(b)));
    for row in worst.into_iter().take(misses) {
        println!("\n{}: {:.0} %, {}", row.number, 100.0 * share(row), row.shown);
        println!(
            "    best {} {}",
            shorten(&row.best_value),
            if row.is_proven { "(proven)" } else { "" }
        );
        let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
        for ended in row.ends.iter().filter(|ended| !ended.is_best) {
            *ends.entry(&ended.value).or_default() += 1;
        }
        for (value, count) in ends.iter().take(4) {
            println!("    {count} x {}", shorten(value));
        }
    }
}

fn shorten(value: &str) -> String {
    const MAX: usize = 160;
    if value.chars().count() <= MAX {
        return value.to_owned();
    }
    format!("{}..", value.chars().take(MAX).collect::<String>())
}

fn keys<'a>(rows: &'a [Row], key: impl Fn(&'a Row) -> &'a String) -> Vec<&'a str> {
    let mut keys: Vec<&str> = Vec::new();
    for row in rows {
        if !keys.contains(&key(row).as_str()) {
            keys.push(key(row));
        }
    }
    keys
}

/// The share of shrinks of one property that end at the best known.
fn share(row: &Row) -> f64 {
    row.ends.iter().filter(|ended| ended.is_best).count() as f64 / row.ends.len() as f64
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    if count == 0.0 { 0.0 } else { sum / count }
}

fn line(name: &str, rows: &[Row], others: Option<&[Row]>, is_in: impl Fn(&Row) -> bool) {
    let rows: Vec<&Row> = rows.iter().filter(|row| is_in(row)).collect();
    let ends = || rows.iter().flat_map(|row| &row.ends);
    let over = rows.iter().flat_map(|row| {
        let least = row.ends.iter().map(|ended| ended.choices).min().unwrap_or(0);
        row.ends
            .iter()
            .filter(|ended| !ended.is_best)
            .map(move |ended| (ended.choices - least) as f64)
    });
    print!(
        "| {name} | {} | {:.1} | {} | {:.1} | {:.1} | {:.1} |",
        rows.len(),
        100.0 * mean(rows.iter().map(|row| share(row))),
        rows.iter().filter(|row| share(row) < 0.5).count(),
        mean(ends().map(|ended| ended.calls as f64)),
        mean(ends().map(|ended| ended.calls_behind as f64)),
        mean(over),
    );
    if let Some(others) = others {
        let others: Vec<&Row> = others.iter().filter(|row| is_in(row)).collect();
        print!(
            " {:.1} | {:.1} |",
            100.0 * mean(others.iter().map(|row| share(row))),
            mean(others.iter().flat_map(|row| &row.ends).map(|ended| ended.calls as f64)),
        );
    }
    println!();
}

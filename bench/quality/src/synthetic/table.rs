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
    let has_hypothesis = rows.iter().any(|row| !row.hypothesis.is_empty());
    if has_hypothesis {
        print_hypothesis(rows);
    }
    let header = "| properties | best % | below half | calls | behind | choices over the best |";
    println!(
        "| family {header}{}{}",
        if others.is_some() { " before: best % | calls |" } else { "" },
        if has_hypothesis { " hypothesis: ran | best % | calls | dwindle is behind |" } else { "" }
    );
    println!(
        "| --- | --- | --- | --- | --- | --- | --- |{}{}",
        if others.is_some() { " --- | --- |" } else { "" },
        if has_hypothesis { " --- | --- | --- | --- |" } else { "" }
    );
    line("all", rows, others, has_hypothesis, |_| true);
    for key in keys(rows, |row| &row.family) {
        line(key, rows, others, has_hypothesis, |row| row.family == key);
    }
    println!("| | | | | | | |");
    for key in keys(rows, |row| &row.condition) {
        line(key, rows, others, has_hypothesis, |row| row.condition == key);
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
        for ended in &row.hypothesis {
            let best = if ended.is_best { "best, " } else { "" };
            println!("    hypothesis: {best}{}", shorten(&ended.value));
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

fn line(
    name: &str,
    rows: &[Row],
    others: Option<&[Row]>,
    has_hypothesis: bool,
    is_in: impl Fn(&Row) -> bool,
) {
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
    if has_hypothesis {
        beside_hypothesis(&rows);
    }
    println!();
}

fn print_hypothesis(rows: &[Row]) {
    let ran: Vec<&Row> = rows.iter().filter(|row| !row.hypothesis.is_empty()).collect();
    println!(
        "Hypothesis found failures of {} properties, {} in all. In its order it can rank the best \
         known of {} of them.",
        ran.len(),
        ran.iter().map(|row| row.hypothesis.len()).sum::<usize>(),
        ran.iter().filter(|row| row.is_drawn_by_hypothesis).count()
    );
    println!(
        "`dwindle is behind` gives its best % and its calls on the same properties, where they are \
         worse than those of Hypothesis.\n"
    );
}

/// Compares both on the properties that Hypothesis ran.
fn beside_hypothesis(rows: &[&Row]) {
    let ran: Vec<&Row> = rows.iter().copied().filter(|row| !row.hypothesis.is_empty()).collect();
    if ran.is_empty() {
        print!(" 0 | - | - | |");
        return;
    }
    let theirs = 100.0
        * mean(ran.iter().map(|row| {
            mean(row.hypothesis.iter().map(|ended| f64::from(u8::from(ended.is_best))))
        }));
    let ours = 100.0 * mean(ran.iter().map(|row| share(row)));
    let calls =
        mean(ran.iter().map(|row| mean(row.hypothesis.iter().map(|ended| ended.calls as f64))));
    let our_calls =
        mean(ran.iter().map(|row| mean(row.ends.iter().map(|ended| ended.calls as f64))));
    let mut behind = Vec::new();
    if ours < theirs {
        behind.push(format!("best {ours:.1}"));
    }
    if our_calls > calls {
        behind.push(format!("calls {our_calls:.1}"));
    }
    print!(" {} | {theirs:.1} | {calls:.1} | {} |", ran.len(), behind.join(", "));
}

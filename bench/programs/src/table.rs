//! All reductions, and what they say together.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::reduce::Reducer;
use crate::start::Subject;

/// What one reducer made of one start.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    pub start: String,
    /// Bytes of the module, and of the module as text.
    pub start_bytes: usize,
    pub start_printed: usize,
    pub start_bug: String,
    pub reducer: Reducer,
    pub printed: usize,
    pub runs: u64,
    /// Seconds of the processor besides the oracle, and of the oracle.
    pub seconds: f64,
    pub oracle_seconds: f64,
    pub is_finished: bool,
    pub is_valid: bool,
    pub bug: String,
    /// The sizes as text on the way, each with the runs up to it.
    pub course: Vec<(u64, usize)>,
    /// The result as text.
    pub text: String,
}

/// A start counts as large from this many bytes of its module on.
const LARGE: usize = 100_000;
/// Seconds of the processor that a large start may take besides the oracle.
const LARGE_SECONDS: f64 = 60.0;

impl Row {
    /// The smallest size as text within this number of runs.
    fn after(&self, runs: u64) -> usize {
        let sizes = self.course.iter().take_while(|(at, _)| *at <= runs).map(|(_, size)| *size);
        sizes.min().unwrap_or(self.start_printed)
    }

    /// Whether the start is one of this subject.
    pub fn is_of(&self, subject: Subject) -> bool {
        self.start.split_once('-').is_some_and(|(name, _)| name == subject.name())
    }
}

/// Prints the tables. `floors` has the size of the smallest failing module that is known of each
/// generator.
pub fn print(rows: &[Row], floors: &BTreeMap<&'static str, usize>) {
    println!(
        "Bytes are those of the module as text, in the mean. `finished`: the reducer ended within \
         its time.\n"
    );
    println!(
        "| subject | reducer | starts | start | result | median | most | above the floor | runs | \
         seconds besides the oracle | most | of the oracle | finished | valid | the start's bug |"
    );
    println!("|{}", " --- |".repeat(15));
    for subject in Subject::ALL {
        for reducer in Reducer::ALL {
            let rows: Vec<&Row> = of(rows, subject, reducer);
            if rows.is_empty() {
                continue;
            }
            let floor = floors.get(subject.name()).copied().unwrap_or(0);
            let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
            let mut sizes: Vec<usize> = rows.iter().map(|row| row.printed).collect();
            sizes.sort_unstable();
            let printed = mean(&rows, |row| row.printed as f64);
            println!(
                "| {} | {} | {} | {:.0} | {printed:.0} | {} | {} | {:.0} | {:.0} | {:.2} | {:.2} \
                 | {:.2} | {} | {} | {} |",
                subject.name(),
                reducer.name(),
                rows.len(),
                mean(&rows, |row| row.start_printed as f64),
                sizes[sizes.len() / 2],
                sizes[sizes.len() - 1],
                printed - floor as f64,
                mean(&rows, |row| row.runs as f64),
                mean(&rows, |row| row.seconds),
                rows.iter().map(|row| row.seconds).fold(0.0, f64::max),
                mean(&rows, |row| row.oracle_seconds),
                count(&|row| row.is_finished),
                count(&|row| row.is_valid),
                count(&|row| row.bug == row.start_bug),
            );
        }
    }
    for (subject, floor) in floors {
        println!("\nThe smallest failing module known of {subject} has {floor} bytes.");
    }
    bugs(rows);
    figures(rows, floors);
}

fn of(rows: &[Row], subject: Subject, reducer: Reducer) -> Vec<&Row> {
    rows.iter().filter(|row| row.is_of(subject) && row.reducer == reducer).collect()
}

fn mean(rows: &[&Row], value: impl Fn(&Row) -> f64) -> f64 {
    rows.iter().map(|row| value(row)).sum::<f64>() / rows.len() as f64
}

/// How many results show which bug, by the version that mends it.
fn bugs(rows: &[Row]) {
    let names: BTreeSet<&str> =
        rows.iter().flat_map(|row| [row.bug.as_str(), row.start_bug.as_str()]).collect();
    println!("\nBugs by the version of wasmi that mends them:\n");
    println!("| subject | reducer | {} |", names.iter().copied().collect::<Vec<_>>().join(" | "));
    println!("| --- |{}", " --- |".repeat(names.len() + 1));
    let line = |subject: Subject, who: &str, bugs: Vec<&str>| {
        let cells: Vec<String> = names
            .iter()
            .map(|name| bugs.iter().filter(|bug| *bug == name).count().to_string())
            .collect();
        println!("| {} | {who} | {} |", subject.name(), cells.join(" | "));
    };
    for subject in Subject::ALL {
        let starts: BTreeMap<&str, &str> = rows
            .iter()
            .filter(|row| row.is_of(subject))
            .map(|row| (row.start.as_str(), row.start_bug.as_str()))
            .collect();
        line(subject, "(starts)", starts.into_values().collect());
        for reducer in Reducer::ALL {
            let rows = of(rows, subject, reducer);
            if !rows.is_empty() {
                let bugs = rows.iter().map(|row| row.bug.as_str()).collect();
                line(subject, reducer.name(), bugs);
            }
        }
    }
}

/// dwindle beside each other reducer on the starts that both were given.
fn figures(rows: &[Row], floors: &BTreeMap<&'static str, usize>) {
    println!();
    for subject in Subject::ALL {
        let floor = floors.get(subject.name()).copied().unwrap_or(0) as f64;
        let ours = of(rows, subject, Reducer::Dwindle);
        for reducer in Reducer::ALL {
            if reducer == Reducer::Dwindle {
                continue;
            }
            let theirs = of(rows, subject, reducer);
            let starts: BTreeSet<&str> = theirs.iter().map(|row| row.start.as_str()).collect();
            let ours: Vec<&Row> =
                ours.iter().copied().filter(|row| starts.contains(row.start.as_str())).collect();
            if ours.is_empty() || theirs.is_empty() {
                continue;
            }
            let above = |rows: &[&Row]| mean(rows, |row| row.printed as f64) - floor;
            let early = theirs.iter().filter_map(|row| {
                let ours = ours.iter().find(|ours| ours.start == row.start)?;
                Some(ours.after(row.runs / 3) as f64)
            });
            println!(
                "- {}, {} starts: dwindle ends {:.0} bytes above the floor, {} {:.0}; in {:.2} of \
                 its runs. In a third of its runs, dwindle is {:.0} bytes above the floor.",
                subject.name(),
                theirs.len(),
                above(&ours),
                reducer.name(),
                above(&theirs),
                mean(&ours, |row| row.runs as f64) / mean(&theirs, |row| row.runs as f64),
                early.sum::<f64>() / theirs.len() as f64 - floor,
            );
        }
        let is_large = |row: &&&Row| row.start_bytes >= LARGE;
        let slow = |row: &&&Row| row.seconds > LARGE_SECONDS || !row.is_finished;
        println!(
            "- {}: {} starts of at least {LARGE} bytes, of which {} took dwindle more than \
             {LARGE_SECONDS} seconds besides the oracle",
            subject.name(),
            ours.iter().filter(is_large).count(),
            ours.iter().filter(is_large).filter(slow).count()
        );
    }
}

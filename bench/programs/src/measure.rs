//! Runs all reducers on all starts, each in a process, so that one that dies costs only its row.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};

use crate::floor;
use crate::oracle::Bugs;
use crate::reduce::Reducer;
use crate::start::{Start, Subject};
use crate::table::{self, Row};
use crate::versions;

/// What to measure.
pub struct Plan {
    pub reducers: Vec<Reducer>,
    /// How many starts of each subject the slow reducers get.
    pub slow_starts: usize,
    /// How many starts of each subject the others get.
    pub starts: usize,
    pub seconds: u64,
    pub floor_seconds: u64,
    pub jobs: usize,
}

/// Measures and prints.
///
/// # Errors
/// If a tool cannot be installed.
pub fn measure(plan: &Plan) -> Result<Vec<Row>> {
    for reducer in &plan.reducers {
        reducer.install().with_context(|| format!("{} is not there", reducer.name()))?;
    }
    versions::build()?;
    let mut tasks = Vec::new();
    for subject in Subject::ALL {
        let starts = subject.starts();
        for &reducer in &plan.reducers {
            let count = if reducer.is_slow() { plan.slow_starts } else { plan.starts };
            let count = count.min(starts.len());
            // Spread over the list, so that few starts are of all sizes too.
            tasks.extend((0..count).map(|at| (reducer, starts[at * starts.len() / count])));
        }
    }
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs {
            scope.spawn(|| {
                while let Some(&(reducer, start)) = tasks.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    match row(reducer, start, plan.seconds) {
                        Ok(row) => {
                            eprintln!("{start} {} {} {}", reducer.name(), row.printed, row.runs);
                            if let Ok(mut rows) = rows.lock() {
                                rows.push(row);
                            }
                        }
                        Err(error) => eprintln!("{start}, {}: {error:#}", reducer.name()),
                    }
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap_or_default();
    rows.sort_by(|a: &Row, b: &Row| (&a.start, a.reducer).cmp(&(&b.start, b.reducer)));
    let mut floors = BTreeMap::new();
    for subject in Subject::ALL {
        let made = rows.iter().filter(|row| row.reducer.keeps_to_generator() && row.is_of(subject));
        let best = made.map(|row| row.printed).min();
        let searched = floor::search(subject, plan.floor_seconds);
        if let Some(least) = best.into_iter().chain(searched).min() {
            floors.insert(subject.name(), least);
        }
    }
    table::print(&rows, &floors);
    Ok(rows)
}

fn row(reducer: Reducer, start: Start, seconds: u64) -> Result<Row> {
    let output = Command::new(std::env::current_exe()?)
        .args(["reduce", reducer.name(), &start.to_string(), &seconds.to_string(), "--json"])
        .output()
        .context("starting the reducer")?;
    ensure!(
        output.status.success(),
        "ended with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let mut row: Row = serde_json::from_slice(&output.stdout).context("reading the row")?;
    let module = start.module().context("the start makes no module")?;
    let bugs = Bugs::new(start.subject.right())?;
    bugs.of(&module)?.clone_into(&mut row.start_bug);
    bugs.of(&wat::parse_str(&row.text)?)?.clone_into(&mut row.bug);
    Ok(row)
}

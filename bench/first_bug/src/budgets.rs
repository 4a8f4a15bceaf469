//! The watcher of a run that goes on after its first bug.
//!
//! dwindle goes on by itself. A twin ends at each crash, so it is started again on its corpus, with
//! the next seed. The time of the starts counts.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, thread};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::processes;
use crate::run::Order;
use crate::watch::{command, last_lines, log};

/// How often the processor time is looked at.
const PAUSE: Duration = Duration::from_millis(10);

/// What a run has when a budget is used up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stage {
    /// The places of the failures so far.
    pub places: BTreeSet<String>,
    /// The name of the folder that holds a copy of the corpus.
    pub corpus: String,
}

/// Carries out an order up to the last budget. Budgets are in ascending order.
pub fn watch(order: &Order, budgets: &[f64]) -> Result<Vec<Stage>> {
    processes::adopt_orphans().context("cannot adopt orphans")?;
    let places = Arc::new(Mutex::new(BTreeSet::new()));
    let events = order.folder.join("events");
    if order.arm.is_dwindle() {
        let listener = UnixListener::bind(&events).context("cannot listen to events")?;
        let places = Arc::clone(&places);
        thread::spawn(move || listen(&listener, &places));
    }
    let mut starts = 0;
    let mut fuzzer = start(order, &events, starts)?;
    let mut stages = Vec::new();
    for (index, budget) in budgets.iter().enumerate() {
        while processes::processor_time().as_secs_f64() < *budget {
            if let Some(status) = fuzzer.try_wait().context("the fuzzer is lost")? {
                let place = place(order, status)?;
                places.lock().expect("the listener does not panic").insert(place);
                starts += 1;
                fuzzer = start(order, &events, starts)?;
            }
            thread::sleep(PAUSE);
        }
        let corpus = format!("corpus-{index}");
        copy(&order.folder.join("corpus"), &order.folder.join(&corpus))?;
        let places = places.lock().expect("the listener does not panic").clone();
        stages.push(Stage { places, corpus });
    }
    processes::end_all();
    Ok(stages)
}

fn start(order: &Order, events: &Path, starts: u64) -> Result<Child> {
    let mut command = command(order)?;
    if order.arm.is_dwindle() {
        command.env("DWINDLE_EVENTS", events);
    } else if starts > 0 {
        // The last seed on the command line is the one that counts.
        command.arg(format!("-seed={}", 1_000 * (starts + 1)));
    }
    command.spawn().context("cannot start the fuzzer")
}

/// Reads the places of bugs from dwindle's events.
fn listen(listener: &UnixListener, places: &Mutex<BTreeSet<String>>) {
    for stream in listener.incoming().flatten() {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let event: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
            if event["event"] == "bug" {
                let place = event["location"].as_str().or(event["kind"].as_str());
                let place = place.unwrap_or_default().to_owned();
                places.lock().expect("the watcher does not panic").insert(place);
            }
        }
    }
}

/// The place of the failure with which a twin ended: that of the panic, or else how it ended.
fn place(order: &Order, status: ExitStatus) -> Result<String> {
    let log = log(&order.folder);
    if order.arm.is_dwindle() || status.success() {
        bail!("the fuzzer ended with {status}:\n{}", last_lines(&log));
    }
    let panic = log.lines().rev().find_map(|line| line.split_once(" panicked at "));
    Ok(panic
        .map_or_else(|| status.to_string(), |(_, place)| place.trim_end_matches(':').to_owned()))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir(to).context("cannot copy the corpus")?;
    for file in fs::read_dir(from).context("cannot read the corpus")?.flatten() {
        // libFuzzer may have replaced the file by a smaller one.
        let _ = fs::copy(file.path(), to.join(file.file_name()));
    }
    Ok(())
}

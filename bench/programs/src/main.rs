//! dwindle as a reducer of generated WebAssembly programs, beside specialised reducers.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --package programs`: reduces every start
//! with every reducer and prints tables. `find` looks for starts anew.

#![expect(clippy::duplicate_mod, reason = "the engine is compiled for two versions of wasmi")]

mod outcome;
mod old;
mod new;
mod oracle;
mod counted;
mod smith;
mod language;
mod start;
mod reduce;
mod versions;
mod floor;
mod table;
mod measure;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use wasmparser::{Validator, WasmFeatures};

use measure::{Plan, measure};
use oracle::{Bugs, Oracle, Right};
use reduce::Reducer;
use start::{Start, Subject};
use table::Row;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The reducers to run.
    #[arg(long, value_delimiter = ',', default_values_t = Reducer::ALL)]
    reducers: Vec<Reducer>,
    /// Starts of each subject.
    #[arg(long, default_value_t = 1000)]
    starts: usize,
    /// Starts of each subject for libFuzzer and the reducers of text.
    #[arg(long, default_value_t = 6)]
    slow_starts: usize,
    /// How long one reduction may take.
    #[arg(long, default_value_t = 300)]
    seconds: u64,
    /// How long to search for a smaller failing module of each subject.
    #[arg(long, default_value_t = 120)]
    floor_seconds: u64,
    /// How many reductions to run at once.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Writes all results to this file.
    #[arg(long)]
    json: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Looks for failing programs and prints their seeds.
    Find {
        subject: Subject,
        #[arg(default_value_t = 60)]
        seconds: u64,
    },
    /// Builds the versions that the workspace cannot hold.
    Build,
    /// Succeeds if the versions disagree about the module that this text is.
    Oracle { right: Right, case: PathBuf },
    /// Reduces one start and prints what came of it.
    Reduce {
        reducer: Reducer,
        start: Start,
        #[arg(default_value_t = 300)]
        seconds: u64,
        #[arg(long)]
        json: bool,
    },
    /// Prints the module of a start.
    Show { start: Start },
}

fn main() -> Result<ExitCode> {
    if let Some(code) = reduce::fuzz()? {
        return Ok(ExitCode::from(code));
    }
    let arguments = Arguments::parse();
    match arguments.command {
        None => {
            let rows = measure(&Plan {
                reducers: arguments.reducers,
                slow_starts: arguments.slow_starts,
                starts: arguments.starts,
                seconds: arguments.seconds,
                floor_seconds: arguments.floor_seconds,
                jobs: arguments.jobs,
            })?;
            if let Some(file) = arguments.json {
                fs::write(file, serde_json::to_string(&rows)?).context("writing the results")?;
            }
        }
        Some(Command::Find { subject, seconds }) => find(subject, Duration::from_secs(seconds))?,
        Some(Command::Oracle { right, case }) => return reduce::oracle(right, &case),
        Some(Command::Build) => versions::build()?,
        Some(Command::Reduce { reducer, start, seconds, json }) => {
            let row = row(reducer, start, Duration::from_secs(seconds))?;
            if json {
                println!("{}", serde_json::to_string(&row)?);
            } else {
                println!("{}", row.text);
                println!("{:?}", Row { text: String::new(), ..row });
            }
        }
        Some(Command::Show { start }) => {
            let module = start.module().context("the start makes no module")?;
            println!("{}", wasmprinter::print_bytes(&module)?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the seeds of programs that fail, their sizes and their bugs.
fn find(subject: Subject, limit: Duration) -> Result<()> {
    versions::build()?;
    let (oracle, bugs) = (Oracle::new(subject.right())?, Bugs::new(subject.right())?);
    let began = Instant::now();
    for seed in (0..).take_while(|_| began.elapsed() < limit) {
        if let Some(module) = (Start { subject, seed }).module()
            && oracle.difference(&module).is_some()
        {
            println!("{seed} {} {}", module.len(), bugs.of(&module)?);
        }
    }
    Ok(())
}

/// One reduction. The bugs are still unknown.
fn row(reducer: Reducer, start: Start, limit: Duration) -> Result<Row> {
    let module = start.module().context("the start makes no module")?;
    let oracle = Oracle::new(start.subject.right())?;
    ensure!(
        oracle.difference(&module).is_some(),
        "the start does not fail any more; `find` looks for others"
    );
    let end = reducer.reduce(start, limit)?;
    ensure!(oracle.difference(&end.module).is_some(), "the result does not fail");
    let text = wasmprinter::print_bytes(&end.module)?;
    let mut validator = Validator::new_with_features(WasmFeatures::all());
    Ok(Row {
        start: start.to_string(),
        start_bytes: module.len(),
        start_printed: wasmprinter::print_bytes(&module)?.len(),
        start_bug: String::new(),
        reducer,
        printed: text.len(),
        runs: end.runs,
        seconds: end.time.as_secs_f64(),
        oracle_seconds: end.oracle_time.as_secs_f64(),
        is_finished: end.is_finished,
        is_valid: validator.validate_all(&end.module).is_ok(),
        bug: String::new(),
        course: end.course.iter().map(printed).collect::<Result<_>>()?,
        text,
    })
}

/// The size as text of a module on the way, with the runs up to it.
fn printed((runs, module): &(u64, Vec<u8>)) -> Result<(u64, usize)> {
    Ok((*runs, wasmprinter::print_bytes(module)?.len()))
}

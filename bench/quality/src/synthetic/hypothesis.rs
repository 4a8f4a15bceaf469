//! The same properties in Hypothesis.

use std::io::{BufRead, BufReader, Write};
use std::panic::resume_unwind;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::Row;
use super::condition::Condition;
use super::made::{Made, Running};
use super::plan::Plan;
use super::value::Value;
use crate::peers;

/// Where a shrink of Hypothesis ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ended {
    /// The calls behind the first failure.
    pub calls: u64,
    /// Whether it is dwindle's best known, or Hypothesis' order knows none simpler.
    pub is_best: bool,
    /// The value.
    pub value: String,
}

#[derive(Serialize)]
struct Question<'a> {
    plan: &'a Plan,
    condition: &'a Condition,
    best: &'a Value,
    starts: u64,
}

#[derive(Deserialize)]
struct Answer {
    /// Whether dwindle's best known fails in Python, too.
    best_fails: bool,
    /// Whether the strategy draws it, so that it has a place in Hypothesis' order.
    best_is_drawn: bool,
    ends: Vec<End>,
}

#[derive(Deserialize)]
struct End {
    value: Value,
    calls: u64,
    is_least: bool,
}

/// Adds what Hypothesis makes of as many failures of each row's property, on all processors.
///
/// # Errors
/// If its program fails, or if Rust and Python do not agree on which values fail.
pub fn measure(rows: &mut [Row], seed: u64, starts: u64) -> Result<()> {
    let rows = Mutex::new(rows.iter_mut());
    let left = || rows.lock().unwrap_or_else(PoisonError::into_inner);
    // Not in the loop itself: its condition would hold the lock.
    let next = || left().next();
    let run = || {
        let mut process = Process::start()?;
        while let Some(row) = next() {
            measure_one(&mut process, row, seed, starts)
                .with_context(|| format!("property {}: {}", row.number, row.shown))?;
        }
        process.end()
    };
    let work = || {
        let result = run();
        if result.is_err() {
            // The other workers end after their property.
            left().by_ref().for_each(drop);
        }
        result
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

fn measure_one(process: &mut Process, row: &mut Row, seed: u64, starts: u64) -> Result<()> {
    let (made, _) = Made::new(seed, row.number);
    if matches!(made.plan, Plan::Machine) {
        return Ok(());
    }
    let (_, best) = Running::new(&made).decode(&row.best).context("the best fails from bytes")?;
    let (plan, condition) = (&made.plan, &made.condition);
    let answer = process.ask(&Question { plan, condition, best: &best, starts })?;
    ensure!(answer.best_fails, "{best} fails in Rust, but not in Python");
    row.is_drawn_by_hypothesis = answer.best_is_drawn;
    for end in answer.ends {
        let value = end.value.to_string();
        ensure!(condition.holds(&end.value), "{value} fails in Python, but not in Rust");
        let is_best = end.is_least || value == row.best_value;
        row.hypothesis.push(Ended { calls: end.calls, is_best, value });
    }
    Ok(())
}

/// A process of Python that answers one question after another.
struct Process {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Process {
    fn start() -> Result<Process> {
        let mut child = peers::hypothesis("synthetic_peer.py")
            // It warns of long descriptions of recursive strategies.
            .env("PYTHONWARNINGS", "ignore")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start Python")?;
        let questions = child.stdin.take().context("the pipe to the peer is there once")?;
        let answers = child.stdout.take().context("the pipe from the peer is there once")?;
        Ok(Process { child, questions, answers: BufReader::new(answers) })
    }

    fn ask(&mut self, question: &Question<'_>) -> Result<Answer> {
        writeln!(self.questions, "{}", serde_json::to_string(question)?)?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("hypothesis printed {line:?}"))
    }

    fn end(self) -> Result<()> {
        let Process { mut child, questions, .. } = self;
        drop(questions);
        ensure!(child.wait()?.success(), "hypothesis failed at its end");
        Ok(())
    }
}

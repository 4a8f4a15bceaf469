//! Shows the draws of one file and how it ends.

use std::path::{Path, PathBuf};

use dwindle_corpus::events::{Event, FileRun};
use dwindle_corpus::{BugKind, Report, read_input};
use dwindle_engine::internals::Trace;

use crate::execution::{Executor, Line, Run, Runs};
use crate::exit::{BUGS_SEEN, ENVIRONMENT, NOTHING_FAILED, WRONG_USE, refuse};
use crate::isolation::{Isolated, Prints};
use crate::minimize::reliability;
use crate::target::Target;
use crate::{display, environment, events};

/// Shows the draws of the one file, and returns the exit code.
pub(super) fn show(target: &'static Target, files: &[PathBuf]) -> i32 {
    let [file] = files else { return refuse(WRONG_USE, "show takes one file") };
    let input = match read_input(file) {
        Ok(input) => input,
        Err(error) => return refuse(WRONG_USE, &error.to_string()),
    };
    // The output of the target belongs to the result. The target runs in a worker, so that its
    // death does not hide the rest.
    let mut executor = match Isolated::printing(target, environment::choices_max(), Prints::Kept) {
        Ok(executor) => executor,
        Err(error) => {
            return refuse(
                ENVIRONMENT,
                &format!("cannot start a process that runs the target: {error}"),
            );
        }
    };
    let mut trace = Trace::default();
    let kind = kept_as(file);
    executor.allow_for(kind.map_or(Runs::Any, Runs::Again));
    let (mut run, mut transcript) = executor.run_with_transcript(&input, &mut trace);
    // The input may overflow only the smaller stacks.
    if kind == Some(BugKind::StackOverflow)
        && !matches!(run, Run::Failed(_))
        && reliability::at_the_edge(&mut executor, &input, |_| true, &mut trace).is_some()
    {
        (run, transcript) = executor.run_with_transcript(&input, &mut trace);
    }
    let mut name = None;
    for line in &transcript.lines {
        match line {
            Line::Draw(draw) => {
                let (name, value) = (name.take(), display::text(draw));
                let of = name.as_ref().map(|name| format!("{name} = ")).unwrap_or_default();
                let text = format!("draw  {of}{value}");
                events::say(Event::Draw { name, value }, &text);
            }
            Line::Note(note) => {
                events::say(Event::Note, &format!("note  {}", display::text(note)));
            }
            Line::Name(next) => name = Some(next.clone()),
            Line::AsItStands | Line::Completed(..) => {}
        }
    }
    let (after, choices) = match trace.raw_input() {
        Some(input) => (format!("on {} bytes", input.len()), None),
        None => (format!("after {} choices", trace.len()), Some(trace.len())),
    };
    let text = match &run {
        Run::Misused(misuse) => misuse.leave(),
        Run::Failed(failed) => {
            let message = display::text(&failed.message).replace('\n', "\n    ");
            format!(
                "fails {after}: {} at {}\n    {message}\nbug {}",
                failed.kind, failed.location, failed.id
            )
        }
        run => format!("does not fail: the target {} {after}", run.in_words()),
    };
    let failed = matches!(run, Run::Failed(_));
    let outcome = FileRun {
        file: file.to_string_lossy().into_owned(),
        failed,
        rejected: matches!(run, Run::Rejected),
        choices: choices.map(|choices| choices as u64),
    };
    events::say(Event::Outcome(outcome), &text);
    if failed { BUGS_SEEN } else { NOTHING_FAILED }
}

/// The kind of the bug whose folder holds this file, if a store holds it. A hang then gets as much
/// time here as when it was minimized.
fn kept_as(file: &Path) -> Option<BugKind> {
    let report = read_input(&file.with_file_name("report.json")).ok()?;
    Some(serde_json::from_slice::<Report>(&report).ok()?.kind)
}

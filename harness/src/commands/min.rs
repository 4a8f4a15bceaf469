//! Minimizes the files that a user names, and stores the results.

use std::path::{Path, PathBuf};

use dwindle_corpus::events::{Event, FileRun, MinimizedBug};
use dwindle_corpus::{
    BugKind, BugStore, Content, ContentId, Report, StoreError, Writer, list_inputs, printable_path,
    read_input,
};
use dwindle_engine::internals::Trace;

use crate::execution::{Executor, Run, Runs};
use crate::exit::{ENVIRONMENT, INTERRUPTED, NOTHING_FAILED, WRONG_USE, refuse};
use crate::explain::explain_minimized;
use crate::isolation::Isolated;
use crate::limits::Limits;
use crate::minimize::around::minimize_and_search;
use crate::minimize::{Found, Only, reliability};
use crate::session::claim::{claim, claim_other};
use crate::session::entry::Entry;
use crate::session::unfinished::Unfinished;
use crate::session::{report, signals, steps, unfinished};
use crate::system::process;
use crate::target::Target;
use crate::{environment, events};

pub(super) fn min(target: &'static Target, files: &[PathBuf]) -> i32 {
    // Must happen before there is a second thread.
    let mut executor = match Isolated::new(target, environment::choices_max()) {
        Ok(executor) => executor,
        Err(error) => {
            return refuse(
                ENVIRONMENT,
                &format!("cannot start a process that runs the target: {error}"),
            );
        }
    };
    signals::on_interrupt(INTERRUPTED, || {
        events::error(&interrupted(&unfinished::keep_all()));
        process::leave(INTERRUPTED);
    });
    let limits = match Limits::from_environment() {
        Ok(limits) => limits,
        Err(message) => return refuse(WRONG_USE, &message),
    };
    let mut code = NOTHING_FAILED;
    for path in files {
        let (files, is_folder) = match list_inputs(path) {
            Ok(files) if files.is_empty() => {
                return refuse(
                    WRONG_USE,
                    &format!("{} is a folder without inputs", printable_path(path)),
                );
            }
            Ok(files) => (files, path.is_dir()),
            Err(error) => return refuse(WRONG_USE, &error.to_string()),
        };
        for file in files {
            let original = match read_input(&file) {
                Ok(original) => original,
                // The user named the folder, not this file.
                Err(error) if is_folder => {
                    events::error(&format!("{error}; dwindle skips it"));
                    continue;
                }
                Err(error) => return refuse(WRONG_USE, &error.to_string()),
            };
            match min_file(&mut executor, target, &file, &original, limits) {
                Ok(failed) => code = code.max(i32::from(failed)),
                Err(error) => return refuse(ENVIRONMENT, &error.to_string()),
            }
        }
    }
    code
}

/// The message about minimizations that the user interrupted.
fn interrupted(kept: &[Result<(Entry, PathBuf), StoreError>]) -> String {
    let mut words = vec!["interrupted; the given files are not changed".to_owned()];
    words.extend(kept.iter().map(|kept| match kept {
        Ok((entry, path)) => format!(
            "the smallest input of bug {entry} so far is {}; the next run continues from it",
            report::shown(path).display()
        ),
        Err(error) => format!("cannot keep the smallest input so far: {error}"),
    }));
    words.join("; ")
}

/// Minimizes one file into the store. Returns `false` if the file does not fail.
fn min_file(
    executor: &mut Isolated,
    target: &Target,
    file: &Path,
    original: &[u8],
    limits: Limits,
) -> Result<bool, StoreError> {
    let mut trace = Trace::default();
    executor.allow_for(Runs::Any);
    executor.narrow_stack(false);
    let first = executor.run_input(original, &mut trace);
    let failed = match &first {
        Run::Failed(failed) => Some(failed.clone()),
        Run::Misused(misuse) => misuse.leave(),
        // The failure may happen in only some runs.
        _ => reliability::chance(executor, original, |_| true, &mut trace),
    };
    let Some(failed) = failed else {
        let text = format!(
            "{} does not fail: the target {}; nothing was written",
            printable_path(file),
            first.in_words()
        );
        let outcome = FileRun {
            file: file.to_string_lossy().into_owned(),
            failed: false,
            rejected: matches!(first, Run::Rejected),
            choices: None,
        };
        events::say(Event::Outcome(outcome), &text);
        return Ok(false);
    };
    if failed.kind == BugKind::Timeout {
        // This run shows how much time the candidates need.
        executor.run_again(
            original,
            failed.kind,
            &|again| again.id == failed.id,
            &mut Trace::default(),
        );
    }
    // The bug is claimed before it is minimized, so that a kill meanwhile loses nothing.
    let store = crate::session::store::open(target, None)?;
    let pending = report::pending(&target.name(), &failed, original, "min");
    let id = claim(&store, &failed, original, &pending)?;
    store.record(
        id,
        &Writer::this_process(),
        &[Content { id: ContentId::of(original), choices: None, variant: None }],
    )?;
    let unfinished = Unfinished::begin(&store, &id.into(), &pending);
    let mut note = |best: &Trace, calls| unfinished.shrunk_to(best, calls, trace.len());
    let only = Only::default();
    let found = Found { input: original, trace: &trace, failed: &failed, only };
    let mut minimized = minimize_and_search(executor, found, limits, &mut note);
    explain_minimized(executor, only, &mut minimized);
    let pending = Report { bug_id: id, ..pending };
    let report = report::minimized(&pending, &minimized, executor.manifest_dir());
    let repro = report::repro(&target.name(), id, &report, &minimized.input);
    store.finish(id, &minimized.input, &report, Some(&repro))?;
    let steps = unfinished.into_steps().finish(executor, original, &minimized, false);
    steps::keep(&store, &id.into(), &minimized, &steps);
    executor.allow_for(Runs::Any);
    for other in &minimized.others {
        claim_other(executor, &store, &pending, other)?;
    }
    // An earlier stored input may be smaller, and then it stays.
    announce(&store, target, file, &store.bug(id).read_report()?);
    Ok(true)
}

fn announce(store: &BugStore, target: &Target, file: &Path, report: &Report) {
    let bug = store.bug(report.bug_id);
    let reproduce = report::reproduce(&target.name(), report.kind, &bug.input());
    let text = format!("{}\n{}", printable_path(file), report::text(report, bug.dir(), &reproduce));
    let file = Some(file.to_string_lossy().into_owned());
    let event = MinimizedBug { file, ..MinimizedBug::new(report.clone(), bug.dir(), reproduce) };
    events::say(Event::Minimized(Box::new(event)), &text);
}

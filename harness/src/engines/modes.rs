//! What the target binary does besides fuzzing: minimize files, show one, check the store.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dwindle_corpus::{BugKind, BugStore, Content, ContentId, Report, StoreError, Writer, list_inputs, printable_path, read_input};
use dwindle_engine::{Said, Trace};
use serde_json::json;

use crate::failure::executor::Run;
use crate::forked;
use crate::isolation::formatted::Formatter;
use crate::isolation::{self, Isolated, Prints};
use crate::minimize::beside::{claim, claim_other};
use crate::minimize::reliability;
use crate::minimize::site::{Line, Runs, Site};
use crate::minimize::unfinished::{self, Unfinished};
use crate::minimize::{Found, Limits, minimize};
use crate::process;
use crate::session::config::{self, Mode};
use crate::session::entry::Entry;
use crate::session::events;
use crate::session::report;
use crate::session::showing;
use crate::session::signals;
use crate::target::Target;

/// Exit codes of the modes, those of `cargo dwindle`.
pub(crate) const NOTHING_FAILED: i32 = 0;
pub(crate) const BUGS_SEEN: i32 = 1;
pub(crate) const WRONG_USE: i32 = 2;
pub(crate) const ENVIRONMENT: i32 = 3;
pub(crate) const INTERRUPTED: i32 = 130;

/// Runs a mode other than fuzzing to the end of the process.
pub(crate) fn run(target: &'static Target, mode: Mode, arguments: &[String]) -> ! {
    let files: Vec<PathBuf> = arguments.iter().filter(|argument| !argument.starts_with('-')).map(PathBuf::from).collect();
    isolation::only_ask();
    forked::adopt_orphans();
    let code = match mode {
        Mode::Minimizer => crate::minimize::beside::run(target),
        Mode::Random => crate::engines::random::run(target, arguments),
        Mode::Min => min(target, &files),
        Mode::Triage => crate::engines::triage::triage(target, &files),
        Mode::Check => crate::engines::check::check(target),
        Mode::Rate => rate(target, &files),
        Mode::Show => show(target, &files),
        Mode::Watch => crate::engines::watch::run(target, &files, arguments),
        Mode::Fuzz => {
            events::error("this build has no fuzzing engine; build it with the feature `libfuzzer`, or use DWINDLE_MODE=random");
            WRONG_USE
        }
    };
    crate::offspring::end_all_but(&[]);
    process::leave(code)
}

fn min(target: &'static Target, files: &[PathBuf]) -> i32 {
    // Before there is a second thread.
    let mut site = match Isolated::new(target, config::choices_max()) {
        Ok(site) => site,
        Err(error) => return refuse(ENVIRONMENT, &format!("no process could be started to run the target in: {error}")),
    };
    signals::on_interrupt(INTERRUPTED, || {
        events::error(&interrupted(&unfinished::keep_all()));
        process::leave(INTERRUPTED);
    });
    let limits = match config::limits() {
        Ok(limits) => limits,
        Err(message) => return refuse(WRONG_USE, &message),
    };
    let mut code = NOTHING_FAILED;
    for path in files {
        let (files, is_folder) = match list_inputs(path) {
            Ok(files) if files.is_empty() => return refuse(WRONG_USE, &format!("{} is a folder without inputs", printable_path(path))),
            Ok(files) => (files, path.is_dir()),
            Err(error) => return refuse(WRONG_USE, &error.to_string()),
        };
        for file in files {
            let original = match read_input(&file) {
                Ok(original) => original,
                // Nobody asked for this one by its name.
                Err(error) if is_folder => {
                    events::error(&format!("{error}; it is left out"));
                    continue;
                }
                Err(error) => return refuse(WRONG_USE, &error.to_string()),
            };
            match min_file(&mut site, target, &file, &original, limits) {
                Ok(failed) => code = code.max(i32::from(failed)),
                Err(error) => return refuse(ENVIRONMENT, &error.to_string()),
            }
        }
    }
    code
}

/// What became of a minimization that the user cut short.
fn interrupted(kept: &[Result<(Entry, PathBuf), StoreError>]) -> String {
    let mut words = vec!["interrupted; no file that was given is changed".to_owned()];
    words.extend(kept.iter().map(|kept| match kept {
        Ok((entry, path)) => format!("the smallest input of bug {entry} so far is {}, and the next run goes on from there", report::shown(path).display()),
        Err(error) => format!("the smallest input so far could not be kept: {error}"),
    }));
    words.join("; ")
}

/// Minimizes one file into the store; `false` if it does not fail.
fn min_file(site: &mut Isolated, target: &Target, file: &Path, original: &[u8], limits: Limits) -> Result<bool, StoreError> {
    let mut trace = Trace::default();
    site.allow_for(Runs::Any);
    site.narrow_stack(false);
    let first = site.run_input(original, &mut trace);
    let failed = match &first {
        Run::Failed(failed) => Some(failed.clone()),
        Run::Misused(misuse) => misuse.leave(),
        // It may come and go.
        _ => reliability::chance(site, original, |_| true, &mut trace),
    };
    let Some(failed) = failed else {
        let text = format!("{} does not fail: the target {}; nothing was written", printable_path(file), ended(&first));
        events::say("outcome", json!({ "file": file.to_string_lossy(), "failed": false, "rejected": matches!(first, Run::Rejected) }), &text);
        return Ok(false);
    };
    // Claimed before it is minimized, so that a kill on the way loses nothing.
    let store = crate::session::store::open(target, None)?;
    let pending = report::pending(&target.name(), &failed, original, "min");
    let id = claim(&store, &failed, original, &pending)?;
    store.record(id, &Writer::this_process(), &[Content { id: ContentId::of(original), choices: None, variant: None }])?;
    let unfinished = Unfinished::begin(&store, &id.into(), &pending);
    let mut note = |best: &Trace, calls| unfinished.shrunk_to(best, calls, trace.len());
    let minimized = minimize(site, Found { input: original, trace: &trace, failed: &failed, variant: None }, limits, &mut note);
    let pending = Report { bug_id: id, ..pending };
    let report = report::minimized(&pending, &minimized, site.manifest_dir());
    let repro = report::repro(&target.name(), id, &report, &minimized.input);
    store.finish(id, &minimized.input, &report, Some(&repro))?;
    site.allow_for(Runs::Any);
    for other in &minimized.others {
        claim_other(site, &store, &pending, other)?;
    }
    // What was stored before may be smaller, and then it stays.
    announce(&store, target, file, &store.bug(id).read_report()?);
    Ok(true)
}

fn announce(store: &BugStore, target: &Target, file: &Path, report: &Report) {
    let bug = store.bug(report.bug_id);
    let reproduce = report::reproduce(&target.name(), report.kind, &bug.input());
    let text = format!("{}\n{}", printable_path(file), report::text(report, bug.dir(), &reproduce));
    events::say("minimized", json!({ "file": file.to_string_lossy(), "report": report, "directory": bug.dir(), "reproduce": reproduce }), &text);
}

fn show(target: &'static Target, files: &[PathBuf]) -> i32 {
    let [file] = files else { return refuse(WRONG_USE, "show takes one file") };
    let input = match read_input(file) {
        Ok(input) => input,
        Err(error) => return refuse(WRONG_USE, &error.to_string()),
    };
    // What the target prints belongs to what it shows; what kills it shall not keep the rest from being shown.
    let mut site = match Isolated::printing(target, config::choices_max(), Prints::Kept) {
        Ok(site) => site,
        Err(error) => return refuse(ENVIRONMENT, &format!("no process could be started to run the target in: {error}")),
    };
    let mut trace = Trace::default();
    let kind = kept_as(file);
    site.allow_for(kind.map_or(Runs::Any, Runs::Again));
    let (mut run, mut told) = site.run_told(&input, &mut trace);
    // It may overflow the stack of some processes only.
    if kind == Some(BugKind::StackOverflow) && !matches!(run, Run::Failed(_)) && reliability::at_the_edge(&mut site, &input, |_| true, &mut trace).is_some() {
        (run, told) = site.run_told(&input, &mut trace);
    }
    let mut name = None;
    for line in &told.0 {
        match line {
            Line::Draw(draw) => {
                let name = name.take().map(|name| format!("{name} = ")).unwrap_or_default();
                events::say("draw", json!({}), &format!("draw  {name}{}", showing::text(draw)));
            }
            Line::Note(note) => events::say("note", json!({}), &format!("note  {}", showing::text(note))),
            Line::Name(next) => name = Some(next),
            Line::AsItStands => {}
        }
    }
    let (after, choices) = match trace.raw_input() {
        Some(input) => (format!("on {} bytes", input.len()), None),
        None => (format!("after {} choices", trace.len()), Some(trace.len())),
    };
    let text = match &run {
        Run::Misused(misuse) => misuse.leave(),
        Run::Failed(failed) => {
            let message = showing::text(&failed.message).replace('\n', "\n    ");
            format!("fails {after}: {} at {}\n    {message}\nbug {}", failed.kind, failed.location, failed.id)
        }
        run => format!("does not fail: the target {} {after}", ended(run)),
    };
    let failed = matches!(run, Run::Failed(_));
    events::say("outcome", json!({ "file": file.to_string_lossy(), "failed": failed, "rejected": matches!(run, Run::Rejected), "choices": choices }), &text);
    if failed { BUGS_SEEN } else { NOTHING_FAILED }
}

/// As what kind of bug a file is kept, if it lies in a store: a run that hangs is given as much time here as when it was minimized.
fn kept_as(file: &Path) -> Option<BugKind> {
    let report = read_input(&file.with_file_name("report.json")).ok()?;
    Some(serde_json::from_slice::<Report>(&report).ok()?.kind)
}

/// How long a window is in which something is counted, and how many of them there are: the median says what is usual on a machine that has other work too.
const WINDOW: Duration = Duration::from_millis(200);
const WINDOWS: usize = 11;

/// Runs one file again and again as the minimizer runs candidates.
fn rate(target: &'static Target, files: &[PathBuf]) -> i32 {
    let [file] = files else { return refuse(WRONG_USE, "DWINDLE_MODE=rate takes one file") };
    let input = match read_input(file) {
        Ok(input) => input,
        Err(error) => return refuse(ENVIRONMENT, &error.to_string()),
    };
    let mut site = match Isolated::new(target, config::choices_max()) {
        Ok(site) => site,
        Err(error) => return refuse(ENVIRONMENT, &format!("no process could be started to run the target in: {error}")),
    };
    let mut trace = Trace::default();
    let run = site.run_input(&input, &mut trace);
    let values = trace.values();
    if let Run::Failed(failed) = &run {
        site.allow_for(Runs::Candidates(failed.kind));
    }
    let (mut candidates, mut round_trips) = ([0.0; WINDOWS], [0.0; WINDOWS]);
    let mut busy = [0.0; WINDOWS];
    // In turns, so that both meet the same machine.
    for window in 0..WINDOWS {
        let (before, mut count) = (site.time_elsewhere(), 0_u32);
        candidates[window] = rate_of(|| {
            count += 1;
            drop(site.run_choices(&values, values.len(), &mut trace));
        });
        busy[window] = site.time_elsewhere().saturating_sub(before).as_secs_f64() * 1e6 / f64::from(count);
        round_trips[window] = rate_of(|| site.round_trip());
    }
    let (candidates, round_trips, busy) = (median(candidates), median(round_trips), median(busy));
    let text = format!(
        "the target {}: {candidates:.0} candidates a second, {busy:.1} microseconds of its processor for each; {round_trips:.0} round trips a second that run nothing",
        ended(&run)
    );
    events::say("rate", json!({ "candidates": candidates, "processor_microseconds": busy, "round_trips": round_trips }), &text);
    NOTHING_FAILED
}

/// How often in a second, in one window.
fn rate_of(mut act: impl FnMut()) -> f64 {
    let (started, mut count) = (Instant::now(), 0_u32);
    while started.elapsed() < WINDOW {
        act();
        count += 1;
    }
    f64::from(count) / started.elapsed().as_secs_f64()
}

fn median(mut rates: [f64; WINDOWS]) -> f64 {
    rates.sort_unstable_by(f64::total_cmp);
    rates[WINDOWS / 2]
}

pub(crate) fn ended(run: &Run) -> &'static str {
    match run {
        Run::Overrun => "was stopped at the limit of choices",
        Run::Rejected => "rejects it",
        Run::Passed => "passes",
        Run::Failed(_) => "fails",
        Run::Misused(_) => "uses dwindle wrongly",
    }
}

/// Prints what a run says, on stderr, as it says it: of each value the beginning, with control characters as escapes.
pub(crate) fn print(formatter: &mut Formatter, said: Said<'_>) {
    match said {
        Said::Draw(value) => eprintln!("draw  {}", showing::text(&formatter.text(value))),
        Said::Note(note) => eprintln!("note  {}", showing::text(note)),
        Said::Name(_) | Said::Line => {}
        Said::Completed(_, value) => eprintln!("asked {}", showing::text(&formatter.text(value))),
    }
}

/// Says what went wrong; gives the exit code back.
pub(crate) fn refuse(code: i32, message: &str) -> i32 {
    events::error(message);
    code
}

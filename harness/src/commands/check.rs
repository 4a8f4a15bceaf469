//! Checks the store: replays every bug and reports its state. The store is not changed.

use std::fmt;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};

use dwindle_corpus::{Bug, BugKind, BugStore, Report, Status, StoreError, read_input};
use dwindle_engine::Trace;
use dwindle_engine::codec::{BYTE_FORMAT, encode};
use serde_json::{Value, json};

use crate::execution::{Executor, Run, Runs};
use crate::exit::{BUGS_SEEN, ENVIRONMENT, INTERRUPTED, NOTHING_FAILED, refuse};
use crate::failure::failed::{Failed, SIGNATURE_VERSION};
use crate::isolation::{Isolated, sanitizer};
use crate::minimize::reliability;
use crate::session::report::{counted, reproduce, shown};
use crate::session::{signals, store};
use crate::system::process;
use crate::target::Target;
use crate::{display, environment, events};

/// Runs of an input: for a bug that failed reliably, and for a flaky bug.
const RUNS: u32 = 3;
const RUNS_OF_FLAKY: u32 = 20;

/// The state of a bug.
#[derive(Debug)]
enum Verdict {
    Fixed,
    Failing,
    /// It failed in some runs.
    Flaky,
    /// The same input fails, but as another bug.
    Changed(Failed),
    /// Nothing fails, but the input no longer means the same as when it failed.
    Stale(String),
    /// Nothing fails, but that does not prove a fix.
    Unseen(&'static str),
}

/// The results of the runs of one input.
#[derive(Debug, Default)]
struct Tally {
    runs: u32,
    /// Runs that failed as the bug.
    failures: u32,
    /// The last run that failed in another way.
    other: Option<Failed>,
    /// How the last passing run ended.
    quiet: Option<Run>,
}

/// One input of a bug, after its runs.
struct Replayed {
    file: PathBuf,
    tally: Tally,
    verdict: Verdict,
}

/// Number of bugs for each verdict.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    fixed: u64,
    failing: u64,
    flaky: u64,
    changed: u64,
    stale: u64,
    unseen: u64,
}

/// Replays every bug of the target and reports its state. The exit code is [`BUGS_SEEN`] if any bug
/// fails, in any way.
pub(crate) fn check(target: &'static Target) -> i32 {
    // Must happen before there is a second thread.
    let mut executor = match Isolated::new(target, environment::choices_max()) {
        Ok(executor) => executor,
        Err(error) => {
            return refuse(
                ENVIRONMENT,
                &format!("no process could be started to run the target in: {error}"),
            );
        }
    };
    signals::on_interrupt(INTERRUPTED, || {
        events::error("interrupted; the bugs that are not named were not checked");
        process::leave(INTERRUPTED);
    });
    let checked = match store::open_existing(target) {
        Ok(store) => check_store(&mut executor, &store, target),
        Err(error) if error.is_missing() => Ok((Counts::default(), 0)),
        Err(error) => Err(error),
    };
    let (counts, damaged) = match checked {
        Ok(checked) => checked,
        Err(error) => return refuse(ENVIRONMENT, &error.to_string()),
    };
    let Counts { fixed, failing, flaky, changed, stale, unseen } = counts;
    let numbers = json!({ "target": target.name(), "fixed": fixed, "failing": failing, "flaky": flaky, "changed": changed, "stale": stale, "unseen": unseen });
    events::say("end", numbers, &format!("{}: {counts}", target.name()));
    if failing + flaky + changed > 0 {
        BUGS_SEEN
    } else if damaged > 0 {
        ENVIRONMENT
    } else {
        NOTHING_FAILED
    }
}

fn check_store(
    executor: &mut Isolated,
    store: &BugStore,
    target: &Target,
) -> Result<(Counts, usize), StoreError> {
    let damaged = store.damaged();
    for damage in &damaged {
        events::error(&damage.to_string());
    }
    let mut counts = Counts::default();
    for id in store.ids()? {
        let bug = store.bug(id);
        let report = bug.read_report()?;
        let replayed = check_bug(executor, store, &bug, &report)?;
        counts += &replayed.verdict;
        tell(store, target, &bug, &report, &replayed);
    }
    Ok((counts, damaged.len()))
}

/// Replays the inputs of a bug, up to the first one that shows it. If no input does, the first
/// input that fails in another way counts. If no input fails, the bug's `input` counts.
///
/// The original inputs come after the minimized input, then those of the variants. While one of
/// them fails, the bug still exists.
fn check_bug(
    executor: &mut Isolated,
    store: &BugStore,
    bug: &Bug,
    report: &Report,
) -> Result<Replayed, StoreError> {
    let mut files = vec![bug.input()];
    files.extend(bug.originals()?);
    for key in store.variants(bug.id())? {
        let variant = store.variant(bug.id(), &key);
        files.push(variant.input());
        files.extend(variant.originals()?);
    }
    let mut kept: Option<Replayed> = None;
    for file in files {
        let input = read_input(&file)?;
        let mut trace = Trace::default();
        let tally = replay(executor, report, &input, &mut trace);
        let verdict = if let Some(verdict) = tally.verdict() {
            verdict
        } else if file == bug.input() {
            quiet(executor, report, &input, &trace, &tally)
        } else {
            Verdict::Fixed
        };
        let replayed = Replayed { file, tally, verdict };
        let is_changed = |replayed: &Replayed| matches!(replayed.verdict, Verdict::Changed(_));
        if matches!(replayed.verdict, Verdict::Failing | Verdict::Flaky) {
            return Ok(replayed);
        }
        if kept.as_ref().is_none_or(|kept| is_changed(&replayed) && !is_changed(kept)) {
            kept = Some(replayed);
        }
    }
    Ok(kept.expect("a bug has an input"))
}

/// Runs an input several times. Each run has its own process, so that it sees no state of earlier
/// runs. For a flaky bug only every second run does, because the bug may need that state.
fn replay(executor: &mut Isolated, report: &Report, input: &[u8], trace: &mut Trace) -> Tally {
    let flaky = report.status == Status::Flaky;
    let slow = matches!(report.kind, BugKind::Timeout | BugKind::Oom);
    let mut tally = Tally::default();
    executor.narrow_stack(false);
    for run in 0..if flaky && !slow { RUNS_OF_FLAKY } else { RUNS } {
        if !flaky || run % 2 == 0 {
            executor.start_afresh();
        }
        executor.allow_for(Runs::Again(report.kind));
        tally.runs += 1;
        match executor.run_input(input, trace) {
            Run::Misused(misuse) => misuse.leave(),
            Run::Failed(failed) if failed.is_of(report) => tally.failures += 1,
            Run::Failed(failed) => tally.other = Some(failed),
            run => tally.quiet = Some(run),
        }
        // One run is enough if it takes seconds.
        if slow && tally.quiet.is_none() {
            break;
        }
    }
    let is_quiet = tally.failures == 0 && tally.other.is_none();
    if is_quiet
        && report.kind == BugKind::StackOverflow
        && reliability::at_the_edge(executor, input, |failed| failed.is_of(report), trace).is_some()
    {
        tally.failures = tally.runs;
    }
    tally
}

impl Tally {
    /// `None` if no run failed.
    fn verdict(&self) -> Option<Verdict> {
        match (self.failures, &self.other) {
            (0, None) => None,
            (0, Some(other)) => Some(Verdict::Changed(other.clone())),
            (failures, _) if failures == self.runs => Some(Verdict::Failing),
            _ => Some(Verdict::Flaky),
        }
    }
}

/// The verdict for a bug whose input no longer fails.
fn quiet(
    executor: &mut Isolated,
    report: &Report,
    input: &[u8],
    trace: &Trace,
    tally: &Tally,
) -> Verdict {
    match report.kind {
        BugKind::Asan | BugKind::Leak if !sanitizer::is_there() => {
            return Verdict::Unseen(
                "a sanitizer saw it, and this build is without: use --sanitizer address",
            );
        }
        _ if report.status == Status::Flaky => {
            return Verdict::Unseen(
                "it was flaky when it was kept, and did not show itself in any run now",
            );
        }
        _ => {}
    }
    match changed_reading(report, input, trace, tally)
        .or_else(|| changed_draws(executor, report, input))
    {
        Some(reason) => Verdict::Stale(reason),
        None => Verdict::Fixed,
    }
}

/// How the choices read from the input differ from the original choices, as far as the report has
/// them.
fn changed_reading(report: &Report, input: &[u8], trace: &Trace, tally: &Tally) -> Option<String> {
    if report.byte_format != BYTE_FORMAT {
        return Some(format!(
            "it was written in byte format {}, and this is format {BYTE_FORMAT}",
            report.byte_format
        ));
    }
    if matches!(tally.quiet, Some(Run::Overrun)) {
        return Some("the target is stopped at the limit of choices".to_owned());
    }
    // Only minimized inputs are canonical. A fuzzer rarely writes the bytes that the choices encode
    // to.
    let before = report.minimized_choices.filter(|_| report.status == Status::Minimized)? as usize;
    let now = trace.len();
    if now < before {
        return Some(format!(
            "the target draws {} from it, and drew {before}",
            counted(now as u64, "choice")
        ));
    }
    // Draws after these were not reached when the input failed.
    (encode(&trace.choices[..before]) != input)
        .then(|| "the generator reads its bytes as other choices".to_owned())
}

/// How the drawn values differ from those of the report.
fn changed_draws(executor: &mut Isolated, report: &Report, input: &[u8]) -> Option<String> {
    if report.value.is_empty() {
        return None;
    }
    let mut draws = || {
        executor.start_afresh();
        executor.run_with_transcript(input, &mut Trace::default()).1.draws()
    };
    let (now, again) = (draws(), draws());
    // Both in the form of `report.json`, which cuts long values.
    let stored = |value: Vec<String>| Report { value, ..report.clone() }.for_json().value;
    let (now, again) = (stored(now), stored(again));
    if now.len() < report.value.len() {
        return Some(format!(
            "the target draws {} from it, and drew {}",
            counted(now.len() as u64, "value"),
            report.value.len()
        ));
    }
    // A hash map prints in another order each time, so such a difference means nothing.
    let differ = report
        .value
        .iter()
        .zip(now.iter().zip(&again))
        .find(|(before, (now, again))| now == again && before != now);
    differ.map(|(before, (now, _))| {
        format!("the target draws {} from it, and drew {}", shortened(now), shortened(before))
    })
}

/// The part of a value that fits on a line.
fn shortened(value: &str) -> String {
    let mut text: String =
        value.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.len() < value.len() {
        text.push_str("..");
    }
    text
}

fn tell(store: &BugStore, target: &Target, bug: &Bug, report: &Report, replayed: &Replayed) {
    let Replayed { file, tally, verdict } = replayed;
    let directory = shown(bug.dir());
    let words = match verdict {
        Verdict::Fixed => format!(
            "its folder may be removed, or kept as a regression test: {}",
            directory.display()
        ),
        Verdict::Failing => format!(
            "{}reproduce: {}",
            message(&report.message),
            reproduce(&target.name(), report.kind, file)
        ),
        Verdict::Flaky => {
            format!(
                "{}failed in {} of {} runs\nreproduce: {}",
                message(&report.message),
                tally.failures,
                tally.runs,
                reproduce(&target.name(), report.kind, file)
            )
        }
        Verdict::Changed(now) => changed_words(store, target, bug, report, file, now),
        Verdict::Stale(reason) => {
            format!(
                "nothing fails, but {reason}: it no longer tests what it was kept for\nlook for \
                 the bug anew, or remove {}",
                directory.display()
            )
        }
        Verdict::Unseen(reason) => (*reason).to_owned(),
    };
    let place = report.location.as_deref().unwrap_or("an unknown place");
    let text = format!(
        "{:<13}  {}  {} at {place}\n    {}",
        verdict.words(),
        bug.id(),
        report.kind,
        words.replace('\n', "\n    ")
    );
    let now = match verdict {
        Verdict::Changed(now) => {
            json!({ "bug_id": now.id, "kind": now.kind, "location": now.location, "message": now.message, "known": is_known(store, now) })
        }
        _ => Value::Null,
    };
    let reason = match verdict {
        Verdict::Stale(reason) => Some(reason.as_str()),
        Verdict::Unseen(reason) => Some(*reason),
        _ => None,
    };
    let event = json!({
        "target": target.name(),
        "bug_id": bug.id(),
        "verdict": verdict.name(),
        "kind": report.kind,
        "location": report.location,
        "message": report.message,
        "directory": bug.dir(),
        "file": file,
        "runs": tally.runs,
        "failures": tally.failures,
        "now": now,
        "reason": reason,
    });
    events::say("checked", event, &text);
}

fn changed_words(
    store: &BugStore,
    target: &Target,
    bug: &Bug,
    report: &Report,
    file: &Path,
    now: &Failed,
) -> String {
    // After a fix, an original input may show the next bug behind it.
    let file_words = if file == bug.input() {
        String::new()
    } else {
        format!("its minimized input no longer fails; {} ", shown(file).display())
    };
    let rules = if report.signature_version == SIGNATURE_VERSION {
        ""
    } else {
        "it may be the same: ids are made by other rules than when it was kept\n"
    };
    let known = if is_known(store, now) {
        "that one is in the store".to_owned()
    } else {
        format!(
            "that one is not in the store; to keep it: cargo dwindle min {} {}",
            target.name(),
            shown(file).display()
        )
    };
    format!(
        "{file_words}fails as bug {} now: {} at {}\n{}{rules}{known}",
        now.id,
        now.kind,
        now.location,
        message(&now.message)
    )
}

fn is_known(store: &BugStore, failed: &Failed) -> bool {
    store.bug(failed.id).report().is_file()
}

/// The first lines of a message, each with its line end.
fn message(text: &str) -> String {
    display::text(text).lines().take(5).flat_map(|line| [line, "\n"]).collect()
}

impl Verdict {
    /// The name for programs.
    fn name(&self) -> &'static str {
        match self {
            Verdict::Fixed => "fixed",
            Verdict::Failing => "failing",
            Verdict::Flaky => "flaky",
            Verdict::Changed(_) => "changed",
            Verdict::Stale(_) => "stale",
            Verdict::Unseen(_) => "unseen",
        }
    }

    /// The words for people.
    fn words(&self) -> &'static str {
        match self {
            Verdict::Failing => "still failing",
            Verdict::Unseen(_) => "not seen",
            _ => self.name(),
        }
    }
}

impl AddAssign<&Verdict> for Counts {
    fn add_assign(&mut self, verdict: &Verdict) {
        *match verdict {
            Verdict::Fixed => &mut self.fixed,
            Verdict::Failing => &mut self.failing,
            Verdict::Flaky => &mut self.flaky,
            Verdict::Changed(_) => &mut self.changed,
            Verdict::Stale(_) => &mut self.stale,
            Verdict::Unseen(_) => &mut self.unseen,
        } += 1;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { fixed, failing, flaky, changed, stale, unseen } = *self;
        write!(
            f,
            "{} checked",
            counted(fixed + failing + flaky + changed + stale + unseen, "bug")
        )?;
        for (number, words) in [
            (failing, "still failing"),
            (flaky, "flaky"),
            (changed, "changed into another bug"),
            (stale, "stale"),
            (unseen, "not seen"),
            (fixed, "fixed"),
        ] {
            if number > 0 {
                write!(f, ", {number} {words}")?;
            }
        }
        Ok(())
    }
}

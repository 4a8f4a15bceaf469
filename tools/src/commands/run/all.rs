//! `cargo dwindle run --all`: fuzzes all targets of the fuzz crate in turns, in a time that they
//! share.
//!
//! First all known bugs and corpora run once. Then the targets take turns. Each turn is a run, and
//! goes to the target from which most is expected: see [`Turns`]. So every target gets a turn
//! first. A target that cannot be built or cannot run is left out, and the others go on.

use super::{command, open, refuse_options_of_afl};
use crate::args::{Engine, Run};
use crate::child::Company;
use crate::commands::check::{check_one, has_bugs};
use crate::exit::{Exit, wrong_use};
use crate::jobs;
use crate::project::Project;
use crate::reports::Findings;
use crate::screen::{error_line, table};
use crate::session::Session;
use crate::turns::{Turn, Turns};
use anyhow::Result;
use dwindle_corpus::events::{Event, EventLine, Totals};
use dwindle_corpus::printable_line;
use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The shortest and the longest turn. Only the last turn may be shorter. A run needs about five
/// seconds before it knows how often it covered new edges.
const TURN_MIN: Duration = Duration::from_secs(6);
const TURN_MAX: Duration = Duration::from_mins(5);
/// How many turns each target would get, if all got as many.
const TURNS_EACH: u32 = 4;

/// One target.
struct Contender {
    name: String,
    /// `None` if it cannot be built, or if it cannot run.
    session: Option<Session>,
    turns: Turns,
    /// How long it fuzzed in this run.
    time: Duration,
    executions: u64,
    /// How often it covered new edges in this run.
    covered: u64,
    new_bugs: u64,
}

/// The figures of one run of a target.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    executions: u64,
    /// How often new edges were covered.
    covered: u64,
    new_bugs: u64,
}

pub(super) fn run(options: &Run, findings: &mut Findings) -> Result<Exit> {
    if options.engine == Engine::Afl {
        return Err(wrong_use("--all works with libFuzzer and the random engine"));
    }
    refuse_options_of_afl(options)?;
    let project = Project::find(options.build.fuzz_dir.as_deref())?;
    if project.targets.is_empty() {
        return Err(wrong_use(format!(
            "no targets in {}; `cargo dwindle add NAME` makes one",
            project.dir.display()
        )));
    }
    let mut all = All {
        options,
        jobs: jobs::jobs(options)?,
        root: project.store(options.shrinking.store.as_deref())?,
        contenders: Vec::new(),
        exit: Exit::Clean,
        findings,
    };
    for target in &project.targets {
        all.build(target)?;
    }
    let began = Instant::now();
    let time = Duration::from_secs(options.max_time.unwrap_or(u64::MAX));
    if all.replay()? != Exit::Interrupted {
        all.take_turns(|| time.saturating_sub(began.elapsed()), turn_length(time, all.ready()))?;
    }
    all.print(began.elapsed())?;
    Ok(all.exit)
}

/// How long a turn takes, if `targets` targets share `time`.
fn turn_length(time: Duration, targets: usize) -> Duration {
    let turns = u32::try_from(targets).unwrap_or(u32::MAX).saturating_mul(TURNS_EACH).max(1);
    (time / turns).clamp(TURN_MIN, TURN_MAX)
}

struct All<'a> {
    options: &'a Run,
    jobs: u32,
    /// The folder of the store.
    root: PathBuf,
    contenders: Vec<Contender>,
    exit: Exit,
    findings: &'a mut Findings,
}

impl All<'_> {
    /// Builds a target. A target that cannot be built is left out.
    fn build(&mut self, target: &str) -> Result<()> {
        let built = open(self.options, target).and_then(|session| {
            let turns = Turns::read(&self.root, target, session.executable())?;
            Ok((session, turns))
        });
        let (session, turns) = match built {
            Ok((session, turns)) => (Some(session), turns),
            Err(error) if Exit::of(&error) == Exit::Interrupted => return Err(error),
            Err(error) => {
                leave_out(target, &format!("{error:#}"));
                self.note_exit(Exit::Environment);
                (None, Turns::default())
            }
        };
        self.contenders.push(Contender {
            name: target.to_owned(),
            session,
            turns,
            time: Duration::ZERO,
            executions: 0,
            covered: 0,
            new_bugs: 0,
        });
        Ok(())
    }

    /// The number of targets that can run.
    fn ready(&self) -> usize {
        self.contenders.iter().filter(|contender| contender.session.is_some()).count()
    }

    /// Runs all known bugs, and then all corpora.
    fn replay(&mut self) -> Result<Exit> {
        for at in 0..self.contenders.len() {
            let Contender { name, session: Some(session), .. } = &mut self.contenders[at] else {
                continue;
            };
            if has_bugs(&self.root, name)? {
                let result = check_one(session, name, &self.root);
                if self.note_result(at, result) == Exit::Interrupted {
                    return Ok(Exit::Interrupted);
                }
            }
        }
        for at in 0..self.contenders.len() {
            let Contender { name, session: Some(session), .. } = &self.contenders[at] else {
                continue;
            };
            if self.options.engine == Engine::Libfuzzer && has_files(&session.project.corpus(name))
            {
                let (exit, _) = self.run(at, "the corpus", "-runs=0", None)?;
                if exit == Exit::Interrupted {
                    return Ok(exit);
                }
            }
        }
        Ok(self.exit)
    }

    /// Fuzzes in turns until the time is up.
    fn take_turns(&mut self, left: impl Fn() -> Duration, length: Duration) -> Result<()> {
        loop {
            // The engines count whole seconds.
            let length = length.min(left()).as_secs_f64().round() as u64;
            let Some(at) = self.next(Duration::from_secs(length)).filter(|_| length > 0) else {
                return Ok(());
            };
            let began = Instant::now();
            let time = format!("-max_total_time={length}");
            let (exit, figures) =
                self.run(at, &format!("{length} s"), &time, Some(Duration::from_secs(length)))?;
            let contender = &mut self.contenders[at];
            contender.time += began.elapsed();
            contender.covered += figures.covered;
            contender.turns.add(Turn {
                seconds: began.elapsed().as_secs_f64(),
                brought: figures.covered + figures.new_bugs,
            });
            contender.turns.write(&self.root, &contender.name)?;
            if exit == Exit::Interrupted || self.options.stop_on_first && figures.new_bugs > 0 {
                return Ok(());
            }
        }
    }

    /// The target from which most is expected, the first of equal ones.
    fn next(&self, length: Duration) -> Option<usize> {
        let ready = self.contenders.iter().enumerate().rev();
        let ready = ready.filter(|(_, contender)| contender.session.is_some());
        ready
            .max_by(|(_, one), (_, other)| {
                one.turns.expected(length).total_cmp(&other.turns.expected(length))
            })
            .map(|(at, _)| at)
    }

    /// Runs a target once. A target that cannot run is left out from now on.
    fn run(
        &mut self,
        at: usize,
        what: &str,
        argument: &str,
        time_max: Option<Duration>,
    ) -> Result<(Exit, Figures)> {
        let Contender { name, session: Some(session), .. } = &mut self.contenders[at] else {
            return Ok((Exit::Clean, Figures::default()));
        };
        session.screen.is_brief = true;
        session.screen.turn(name, what);
        let argument = OsString::from(argument);
        let arguments: Vec<_> = self.options.engine_args.iter().chain([&argument]).collect();
        let command = command(session, self.options, name, self.jobs, &arguments)?;
        let figures = RefCell::new(Figures::default());
        let result = session.drive(
            command,
            self.options.engine == Engine::Libfuzzer,
            Company {
                time_max,
                on_event: &|event| take(&mut figures.borrow_mut(), event),
                ..Company::NONE
            },
        );
        let figures = figures.into_inner();
        let contender = &mut self.contenders[at];
        contender.executions += figures.executions;
        contender.new_bugs += figures.new_bugs;
        Ok((self.note_result(at, result), figures))
    }

    /// Learns how a run of a target ended.
    fn note_result(&mut self, at: usize, result: Result<Exit>) -> Exit {
        if let Some(session) = &mut self.contenders[at].session {
            self.findings.append(&mut session.findings);
        }
        let exit = result.unwrap_or_else(|error| {
            leave_out(&self.contenders[at].name, &format!("{error:#}"));
            Exit::of(&error)
        });
        if matches!(exit, Exit::Environment | Exit::WrongUse) {
            self.contenders[at].session = None;
        }
        self.note_exit(exit);
        exit
    }

    /// Keeps the most important exit so far: interrupted, then bugs, then other errors.
    fn note_exit(&mut self, exit: Exit) {
        let rank = |exit| match exit {
            Exit::Clean => 0,
            Exit::WrongUse | Exit::Environment => 1,
            Exit::Bugs => 2,
            Exit::Interrupted => 3,
        };
        if rank(exit) > rank(self.exit) {
            self.exit = exit;
        }
    }

    fn print(&self, time: Duration) -> io::Result<()> {
        if self.options.build.json {
            return Ok(());
        }
        let head = ["target", "seconds", "executions", "new coverage", "new bugs", ""];
        let mut rows = vec![head.map(str::to_owned)];
        rows.extend(self.contenders.iter().map(|contender| {
            [
                printable_line(&contender.name).into_owned(),
                format!("{:.0}", contender.time.as_secs_f64()),
                contender.executions.to_string(),
                contender.covered.to_string(),
                contender.new_bugs.to_string(),
                if contender.session.is_some() { "" } else { "left out" }.to_owned(),
            ]
        }));
        table::print(&format!("\nall targets in {:.0} s", time.as_secs_f64()), &rows)
    }
}

fn leave_out(target: &str, why: &str) {
    eprintln!("{}", error_line(&format!("target `{target}` is left out: {why}")));
}

/// Reads the figures of a run from its events.
fn take(figures: &mut Figures, event: &EventLine) {
    let (executions, new_bugs, new_coverage) = match event.event() {
        Some(Event::Heartbeat(beat)) => (beat.executions, beat.new_bugs, beat.new_coverage),
        Some(Event::End(totals)) => match &**totals {
            Totals::Run(end) => (end.executions, end.new_bugs, end.new_coverage),
            _ => return,
        },
        _ => return,
    };
    let covered = new_coverage.map_or(figures.covered, |coverage| coverage.times);
    *figures = Figures { executions, covered, new_bugs };
}

fn has_files(folder: &Path) -> bool {
    fs::read_dir(folder)
        .is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|e| e.path().is_file())))
}

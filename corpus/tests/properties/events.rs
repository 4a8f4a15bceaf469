//! Each event is one line that any program reads back, whatever texts a target puts into it.

use dwindle::prelude::*;
use dwindle_corpus::events::{
    BugRow, BugSeen, BugState, CheckedBug, EndOfRun, Event, EventLine, FileOutcome, FileRun,
    Heartbeat, MinimizedBug, NewCoverage, Progress, RunStart, Totals, TriagedFile,
};
use dwindle_corpus::{BugId, BugKind, Rate, Report};

/// The parts that differ between events of one kind.
#[derive(Clone, Debug, Generate)]
struct Parts {
    kind: Kind,
    one: String,
    other: Option<String>,
    list: Vec<String>,
    id: u64,
    ids: Vec<Vec<u64>>,
    number: u64,
    #[generate(with = g::floats(0.0..=1e15))]
    seconds: f64,
    is_so: bool,
}

#[derive(Clone, Debug, Generate)]
enum Kind {
    Note,
    Exit,
    Start,
    Heartbeat,
    Progress,
    Bug,
    Minimized,
    Failed,
    Quiet,
    Same,
    Draw,
    Outcome,
    Checked,
    End,
}

impl Parts {
    fn bug(&self) -> BugSeen {
        BugSeen {
            bug_id: BugId::from_bits(self.id),
            kind: BugKind::Panic,
            message: self.one.clone(),
            location: self.other.clone(),
            known: self.is_so.then_some(true),
        }
    }

    fn report(&self) -> Report {
        Report {
            message: self.one.clone(),
            value: self.list.clone(),
            seconds: self.seconds,
            hits: self.number,
            first_seen: self.number,
            ..Report::pending(&self.one, BugId::from_bits(self.id), BugKind::Abort)
        }
    }

    fn file(&self, outcome: FileOutcome) -> Event {
        Event::File(TriagedFile { file: self.one.clone(), outcome })
    }

    fn end(&self) -> EndOfRun {
        let rows = self.list.iter().map(|_| BugRow {
            report: self.report(),
            hits: self.number,
            contents: None,
            variants: Some(self.number),
            directory: self.other.clone(),
        });
        let ids = self.ids.iter().map(|ids| ids.iter().copied().map(BugId::from_bits).collect());
        EndOfRun {
            executions: self.number,
            seconds: self.seconds,
            interrupted: self.is_so,
            bugs: rows.collect(),
            likely_one_fault: ids.collect(),
            ..EndOfRun::default()
        }
    }

    fn event(&self) -> Event {
        let (one, number) = (self.one.clone(), self.number);
        match self.kind {
            Kind::Note => Event::Note,
            Kind::Exit => Event::Exit { code: number as u8 },
            Kind::Start => Event::Start(RunStart {
                target: one,
                known: number,
                engine: self.other.clone(),
                store: self.other.clone(),
                known_contents: self.is_so.then_some(number),
                switches_on: self.list.clone(),
                switches_off: Vec::new(),
            }),
            Kind::Heartbeat => Event::Heartbeat(Heartbeat {
                executions: number,
                seconds: self.seconds,
                minimizing: self.is_so.then(|| BugId::from_bits(self.id)),
                new_coverage: self.is_so.then_some(NewCoverage {
                    times: number,
                    expected: self.seconds,
                    chance: 0.5,
                }),
                ..Heartbeat::default()
            }),
            Kind::Progress => Event::Progress(Progress {
                phase: one,
                done: number,
                total: number,
                seconds: self.seconds,
                bugs: number,
            }),
            Kind::Bug => Event::Bug(self.bug()),
            Kind::Minimized => Event::Minimized(Box::new(MinimizedBug {
                report: self.report(),
                variant: self.other.clone(),
                directory: one.clone(),
                reproduce: one,
                file: self.other.clone(),
            })),
            Kind::Failed => self.file(FileOutcome::Failed {
                bug_id: BugId::from_bits(self.id),
                variant: self.other.clone(),
                known: self.is_so,
                rate: self.is_so.then_some(Rate { failed: 1, of: number as u32 }),
            }),
            Kind::Quiet => self.file(FileOutcome::Quiet { reason: one }),
            Kind::Same => self.file(FileOutcome::Same { same_as: one }),
            Kind::Draw => Event::Draw { name: self.other.clone(), value: one },
            Kind::Outcome => Event::Outcome(FileRun {
                file: one,
                failed: self.is_so,
                rejected: self.is_so,
                choices: self.is_so.then_some(number),
            }),
            Kind::Checked => Event::Checked(CheckedBug {
                target: one.clone(),
                bug_id: BugId::from_bits(self.id),
                verdict: if self.is_so { BugState::Changed } else { BugState::Fixed },
                kind: BugKind::Leak,
                location: self.other.clone(),
                message: one.clone(),
                directory: one.clone(),
                file: one,
                runs: number,
                failures: number,
                now: self.is_so.then(|| self.bug()),
                reason: self.other.clone(),
            }),
            Kind::End => Event::End(Box::new(Totals::Run(self.end()))),
        }
    }
}

#[dwindle::test(store = None)]
fn a_line_is_read_back_as_the_event_that_was_written(parts: Parts, text: String) {
    let line = EventLine::new(parts.event(), &text);
    let written = line.to_string();
    assert!(!written.chars().any(char::is_control), "{written:?}");
    let read = EventLine::read(written.as_bytes()).expect("it is a line of an event");
    assert_eq!(read.event(), Some(&parts.event()));
    assert_eq!(read.text(), text);
    assert_eq!(read, line);
}

#[dwindle::test(store = None)]
fn a_reader_takes_what_a_newer_writer_sends(parts: Parts, field: String, value: Vec<String>) {
    let mut newer = serde_json::to_value(parts.event()).expect("an event is JSON");
    newer[format!("new {field}")] = value.into();
    let line = EventLine::read(newer.to_string().as_bytes()).expect("it is a line of an event");
    assert_eq!(line.event(), Some(&parts.event()));
    assert_eq!(line, EventLine::read(line.to_string().as_bytes()).expect("so is this one"));
}

#[dwindle::test(store = None)]
fn any_bytes_are_an_event_or_none(parts: Parts, cut: usize, noise: Vec<u8>) {
    let written = EventLine::new(parts.event(), "").to_string().into_bytes();
    let mut bytes = written[..cut % (written.len() + 1)].to_vec();
    bytes.extend(noise);
    if let Some(line) = EventLine::read(&bytes) {
        assert_eq!(EventLine::read(line.to_string().as_bytes()), Some(line));
    }
}

//! Runs the target binary: starts it, reads its messages, passes on signals and explains its exit.

use crate::events::Socket;
use crate::exit::Exit;
use crate::group::Group;
use crate::signals::Interrupts;
use anyhow::Result;
use dwindle_corpus::events::EventLine;
use dwindle_corpus::printable_line;
use rustix::process::Signal;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// How many lines of the target's stderr are kept to explain its death.
const TAIL_MAX_LINES: usize = 30;

/// A longer line of the target's output is split into several.
const LINE_MAX_BYTES: u64 = 64 << 10;

/// How long an input may run in a command that runs each input once, unless the user says
/// otherwise.
pub(crate) const INPUT_TIMEOUT_SECONDS: u32 = 60;

/// How often the loop checks for signals.
const TICK: Duration = Duration::from_millis(50);

/// How long after its time limit a run is killed. The binary normally ends sooner by itself and
/// reports the pending bugs.
const OVERRUN_MAX: Duration = Duration::from_millis(9_500);

/// How long to read on after the child's end. A process that left the child's group may still hold
/// a pipe.
const DRAIN_MAX: Duration = Duration::from_secs(2);

/// What happens while the target binary runs: events, output lines, and the user's request to stop.
#[derive(Debug)]
pub(crate) enum Message {
    Event(Box<EventLine>),
    /// A line of stderr, without its end.
    Stderr(String),
    /// A line of stdout, without its end.
    Stdout(String),
    /// The user has asked to stop. The target gets the signal next.
    Stopping,
}

/// How a target binary ended.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) status: ExitStatus,
    /// The user asked to stop, or this program's own output was closed.
    pub(crate) interrupted: bool,
    /// It did not end within its time and was killed.
    pub(crate) overran: bool,
    /// The last lines of stderr.
    pub(crate) tail: VecDeque<String>,
    /// The last line of stderr that a panic begins with.
    pub(crate) panicked: Option<String>,
}

impl Ending {
    /// The exit code that stands for this status. `None` for a status that dwindle does not use.
    /// `libfuzzer`: the binary has libFuzzer's `main`.
    pub(crate) fn exit(&self, libfuzzer: bool) -> Option<Exit> {
        if self.interrupted {
            return Some(Exit::Interrupted);
        }
        if self.overran {
            return Some(Exit::Environment);
        }
        match (self.status.code()?, libfuzzer) {
            (0, _) => Some(Exit::Clean),
            // libFuzzer exits with 1 when it cannot start, with 77 after a crash, with 72 when
            // interrupted.
            (1, false) | (77, true) => Some(Exit::Bugs),
            (2, _) => Some(Exit::WrongUse),
            (3, _) => Some(Exit::Environment),
            (130, _) | (72, true) => Some(Exit::Interrupted),
            _ => None,
        }
    }

    /// Why the process ended, in one line: the panic, the sanitizer's summary, or [`Ending::how`].
    pub(crate) fn reason(&self) -> String {
        let summary = || self.tail.iter().rev().find(|line| line.contains("SUMMARY: "));
        self.panicked.as_ref().or_else(summary).map_or_else(
            || format!("the process {}", self.how()),
            |line| printable_line(line.trim().trim_end_matches(':')).into_owned(),
        )
    }

    /// The last lines of stderr, for an error.
    pub(crate) fn last_words(&self) -> String {
        self.tail.iter().map(|line| printable_line(line).into_owned() + "\n").collect()
    }

    /// The death in words, see [`how_it_ended`].
    pub(crate) fn how(&self) -> String {
        how_it_ended(self.status)
    }
}

/// The end of a process in words: `exited with code 70`, `was killed by signal 11`.
pub(crate) fn how_it_ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

/// What this program does while the target binary runs.
pub(crate) struct Company<'a> {
    /// Writes to the binary's standard input, in a thread.
    pub(crate) feed: Option<Feed>,
    /// Called with each event.
    pub(crate) on_event: &'a dyn Fn(&EventLine),
    /// Called when the user asks to stop, before the binary gets the signal.
    pub(crate) before_stop: &'a dyn Fn(),
    /// The time limit for fuzzing. The binary ends by itself, and is killed if it does not.
    pub(crate) time_max: Option<Duration>,
}

/// Writes to the stdin of the binary.
pub(crate) type Feed = Box<dyn FnOnce(ChildStdin) + Send>;

impl Company<'_> {
    pub(crate) const NONE: Company<'static> =
        Company { feed: None, on_event: &|_| {}, before_stop: &|| {}, time_max: None };
}

/// Runs the target binary to its end and passes on its messages as they arrive. After the end it
/// passes on the messages that are left, for at most `DRAIN_MAX`.
///
/// The first SIGINT, SIGTERM or SIGHUP is passed on to the binary. The next one kills the binary
/// and all processes it started. If `on_message` fails because our stdout is closed, the binary
/// gets SIGTERM.
pub(crate) fn watch(
    command: &mut Command,
    interrupts: &mut Interrupts,
    company: Company<'_>,
    mut on_message: impl FnMut(Message) -> std::io::Result<()>,
) -> Result<Ending> {
    let (sender, messages) = mpsc::channel::<Option<Message>>();

    let to_messages = sender.clone();
    // A failed send means that `watch` has returned, so the event is not needed.
    let socket =
        Socket::listen(move |event| drop(to_messages.send(Some(Message::Event(Box::new(event))))))?;
    command
        .env("DWINDLE_EVENTS", socket.path())
        .stdin(if company.feed.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());

    let mut group = Group::start(command)?;
    let deadline = company.time_max.and_then(|time| Instant::now().checked_add(time + OVERRUN_MAX));
    let mut overran = false;
    forward(&mut group, company.feed, sender);

    let mut last = LastLines::default();
    let mut stops = 0;
    let mut take = |message: Message, last: &mut LastLines| {
        if let Message::Event(event) = &message {
            (company.on_event)(event);
        }
        last.keep(&message);
        on_message(message).is_ok()
    };
    loop {
        if let Some(signal) = interrupts.next() {
            stops += 1;
            if stops == 1 {
                take(Message::Stopping, &mut last);
                (company.before_stop)();
                group.signal(signal);
            } else {
                group.signal_all(Signal::KILL);
            }
        }
        if !overran && deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            overran = true;
            group.signal_all(Signal::KILL);
        }
        match messages.recv_timeout(TICK) {
            Ok(Some(message)) => {
                if !take(message, &mut last) && stops == 0 {
                    stops = 1;
                    group.signal(Signal::TERM);
                }
            }
            Ok(None) | Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    let status = group.finish()?;

    socket.close();
    for message in rest(&messages) {
        take(message, &mut last);
    }
    let LastLines { tail, panicked } = last;
    Ok(Ending { status, interrupted: stops > 0, overran, tail, panicked })
}

/// The messages that come after the end of the binary, until all senders are gone, or until
/// `DRAIN_MAX` is over.
fn rest(messages: &Receiver<Option<Message>>) -> impl Iterator<Item = Message> {
    let deadline = Instant::now() + DRAIN_MAX;
    let next =
        move || messages.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok();
    std::iter::from_fn(next).flatten()
}

/// What is kept of stderr.
#[derive(Default)]
struct LastLines {
    tail: VecDeque<String>,
    panicked: Option<String>,
}

impl LastLines {
    fn keep(&mut self, message: &Message) {
        let Message::Stderr(line) = message else { return };
        if self.tail.len() == TAIL_MAX_LINES {
            self.tail.pop_front();
        }
        self.tail.push_back(line.clone());
        if line.contains(" panicked at ") {
            self.panicked = Some(line.clone());
        }
    }
}

/// Connects the streams of the binary. Sends `None` when the binary ends.
fn forward(group: &mut Group, feed: Option<Feed>, sender: Sender<Option<Message>>) {
    if let (Some(pipe), Some(feed)) = (group.child().stdin.take(), feed) {
        thread::spawn(move || feed(pipe));
    }
    if let Some(pipe) = group.child().stderr.take() {
        forward_lines(pipe, sender.clone(), Message::Stderr);
    }
    if let Some(pipe) = group.child().stdout.take() {
        forward_lines(pipe, sender.clone(), Message::Stdout);
    }
    let end = group.end();
    thread::spawn(move || {
        end.wait();
        drop(sender.send(None));
    });
}

fn forward_lines(
    pipe: impl Read + Send + 'static,
    sender: Sender<Option<Message>>,
    wrap: fn(String) -> Message,
) {
    thread::spawn(move || {
        let mut reader = BufReader::new(pipe);
        let mut line = Vec::new();
        // A target may print without end and without a line end, so a long line comes in pieces.
        while let Ok(1..) = reader.by_ref().take(LINE_MAX_BYTES).read_until(b'\n', &mut line) {
            let text = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
            line.clear();
            if sender.send(Some(wrap(text))).is_err() {
                return;
            }
        }
    });
}

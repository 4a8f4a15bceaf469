//! The target binary that answers requests, as a child that may die and is then started again.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};
use dwindle_corpus::events::{EventLine, Request};
use dwindle_corpus::printable_line;
use rustix::process::Signal;

use crate::child::how_it_ended;
use crate::events::Socket;
use crate::group::Group;

/// How many lines of the child's stderr are kept to explain its death.
const TAIL_MAX_LINES: usize = 5;
/// A longer line of stderr is split.
const LINE_MAX_BYTES: u64 = 4 << 10;

/// What the child says or does.
#[derive(Debug)]
pub(crate) enum Heard {
    /// It sent an event.
    Event(Box<EventLine>),
    /// It ended. The words say how, and what it last wrote.
    Ended(String),
}

/// A running child.
struct Running {
    group: Group,
    tail: Arc<Mutex<VecDeque<String>>>,
    _socket: Socket,
}

/// The target binary in the mode `explore`.
pub(crate) struct Asked {
    command: Box<dyn Fn() -> Command>,
    running: Option<Running>,
    /// Each child has a number, so that messages of an ended one are not taken for those of the
    /// next.
    child: u64,
    sender: Sender<(u64, Option<EventLine>)>,
    messages: Receiver<(u64, Option<EventLine>)>,
}

impl Asked {
    /// A child that `command` starts at the first request.
    pub(crate) fn new(command: impl Fn() -> Command + 'static) -> Asked {
        let (sender, messages) = mpsc::channel();
        Asked { command: Box::new(command), running: None, child: 0, sender, messages }
    }

    /// Sends a request. Starts the child if it does not run.
    pub(crate) fn ask(&mut self, request: &Request) -> Result<()> {
        if self.running.is_none() {
            self.start()?;
        }
        let line = serde_json::to_string(request).context("cannot write a request")? + "\n";
        let stdin = self.running.as_mut().and_then(|running| running.group.child().stdin.as_mut());
        // If the child has just ended, its end comes as a message.
        let _ = stdin.map(|stdin| stdin.write_all(line.as_bytes()));
        Ok(())
    }

    /// Ends the child at once. The next request starts another one.
    pub(crate) fn stop(&mut self) {
        self.child += 1;
        if let Some(running) = self.running.take() {
            running.group.signal_all(Signal::KILL);
            // Only the system could keep a killed process alive.
            let _ = running.group.finish();
        }
    }

    /// The next message. Does not wait.
    pub(crate) fn hear(&mut self) -> Option<Heard> {
        loop {
            let (child, event) = self.messages.try_recv().ok()?;
            match event {
                _ if child != self.child => {}
                Some(event) => return Some(Heard::Event(Box::new(event))),
                None => return Some(Heard::Ended(self.end())),
            }
        }
    }

    fn start(&mut self) -> Result<()> {
        self.child += 1;
        let child = self.child;
        let sender = self.sender.clone();
        let socket = Socket::listen(move |event| drop(sender.send((child, Some(event)))))?;
        let mut command = (self.command)();
        command
            .env("DWINDLE_EVENTS", socket.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut group = Group::start(&mut command)?;
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(stderr) = group.child().stderr.take() {
            let tail = Arc::clone(&tail);
            thread::spawn(move || keep_tail(stderr, &tail));
        }
        let (end, sender) = (group.end(), self.sender.clone());
        thread::spawn(move || {
            end.wait();
            drop(sender.send((child, None)));
        });
        self.running = Some(Running { group, tail, _socket: socket });
        Ok(())
    }

    /// How the child ended.
    fn end(&mut self) -> String {
        let Some(running) = self.running.take() else { return String::new() };
        let how = running.group.finish().map_or_else(|error| format!("{error:#}"), how_it_ended);
        let tail = running.tail.lock().unwrap_or_else(PoisonError::into_inner);
        match tail.iter().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => format!("{how}: {}", printable_line(line.trim())),
            None => how,
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.stop();
    }
}

fn keep_tail(stderr: impl Read, tail: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    while let Ok(1..) = reader.by_ref().take(LINE_MAX_BYTES).read_until(b'\n', &mut line) {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        if tail.len() == TAIL_MAX_LINES {
            tail.pop_front();
        }
        tail.push_back(String::from_utf8_lossy(&line).into_owned());
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use dwindle_corpus::BugId;
    use dwindle_corpus::events::Wanted;

    use super::*;

    fn request() -> Request {
        Request { number: 1, bug_id: BugId::of("x"), cause: None, wanted: Wanted::Parts }
    }

    fn shell(script: &'static str) -> Asked {
        Asked::new(move || {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        })
    }

    fn next(asked: &mut Asked) -> Heard {
        loop {
            match asked.hear() {
                Some(heard) => return heard,
                None => thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    #[test]
    fn a_child_that_dies_says_how_and_the_next_request_starts_another() {
        let mut asked = shell("read line; echo last words >&2; exec 2>&-; kill -9 $$");
        for _ in 0..2 {
            asked.ask(&request()).unwrap();
            let Heard::Ended(how) = next(&mut asked) else { panic!("an event") };
            assert!(how.starts_with("was killed by signal 9"), "{how}");
        }
    }

    #[test]
    fn a_stopped_child_says_nothing_more() {
        let mut asked = shell("read line; sleep 600");
        asked.ask(&request()).unwrap();
        asked.stop();
        assert!(asked.hear().is_none());
        asked.ask(&request()).unwrap();
        assert!(asked.running.is_some());
    }
}

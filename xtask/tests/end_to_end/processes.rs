//! Processes of a test: found, waited for, told to end.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::stage::{MARKER, Outcome, Stage};

/// Longer than what is waited for takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(3);

/// A command with `--json` that was started, and whose events are read one by one.
pub(crate) struct Running {
    child: Child,
    events: BufReader<std::process::ChildStdout>,
    stderr: thread::JoinHandle<String>,
    heard: String,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Running {
        let mut child = command.spawn().unwrap();
        let events = BufReader::new(child.stdout.take().unwrap());
        let mut pipe = child.stderr.take().unwrap();
        let stderr = thread::spawn(move || std::io::read_to_string(&mut pipe).unwrap());
        Running { child, events, stderr, heard: String::new() }
    }

    /// Reads events up to one that is as wanted.
    #[track_caller]
    pub(crate) fn await_event(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            assert!(
                self.events.read_line(&mut line).unwrap() > 0,
                "the event did not come: {}",
                self.heard
            );
            self.heard.push_str(&line);
            let event: Value = serde_json::from_str(&line).expect(&line);
            if wanted(&event) {
                return event;
            }
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end.
    pub(crate) fn end(mut self) -> Outcome {
        let mut stdout = self.heard;
        stdout.push_str(&std::io::read_to_string(&mut self.events).unwrap());
        let code = self.child.wait().unwrap().code();
        Outcome { code, stdout, stderr: self.stderr.join().unwrap() }
    }
}

/// One process of a test.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    /// The value of `DWINDLE_MODE`, or `printed` for a run of the printed command. `None` is a
    /// process without a mode.
    pub(crate) mode: Option<String>,
    pub(crate) program: String,
    /// The name that dwindle gives the process in process lists, without `dwindle-`. `snap` is a
    /// snapshot, which is a sleeping copy of the fuzzer. `forksrv` and `screen` are fork servers,
    /// which fork workers.
    pub(crate) role: Option<String>,
}

impl Process {
    pub(crate) fn is(&self, role: &str) -> bool {
        self.role.as_deref() == Some(role)
    }
}

impl Stage {
    /// The running processes of this test, no matter which process started them.
    pub(crate) fn processes(&self) -> Vec<Process> {
        let marker = format!("{MARKER}={}", self.marker());
        let pids = fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse::<u32>().ok());
        pids.filter_map(|pid| {
            let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
            let variables: Vec<String> = environment
                .split(|byte| *byte == 0)
                .map(|text| String::from_utf8_lossy(text).into_owned())
                .collect();
            if !variables.contains(&marker) {
                return None;
            }
            let mode = variables
                .iter()
                .find_map(|variable| variable.strip_prefix("DWINDLE_MODE="))
                .map(str::to_owned);
            // A process that runs one input as the printed command does, for a minimizer.
            let runs_as_printed =
                variables.iter().any(|variable| variable.starts_with("DWINDLE_RECORD="));
            let mode = mode.or_else(|| runs_as_printed.then(|| "printed".to_owned()));
            let program = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // Behind the name, which may hold anything, stand the state and the parent.
            let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
            let role = fs::read_to_string(format!("/proc/{pid}/comm"))
                .ok()?
                .trim_end()
                .strip_prefix("dwindle-")
                .map(str::to_owned);
            Some(Process {
                pid,
                parent,
                mode,
                program: program.file_name()?.to_string_lossy().into_owned(),
                role,
            })
        })
        .collect()
    }

    /// The processes of a target in a mode, or in none; without copies that sleep.
    pub(crate) fn processes_of(&self, target: &str, mode: Option<&str>) -> Vec<u32> {
        let all = self.processes().into_iter();
        all.filter(|process| {
            process.program == target && process.mode.as_deref() == mode && !process.is("snap")
        })
        .map(|process| process.pid)
        .collect()
    }

    /// Every process of this test ends, by itself and soon.
    #[track_caller]
    pub(crate) fn leaves_no_process(&self) {
        wait_until("every process has ended", || self.processes().is_empty());
    }
}

/// Waits for what no event tells.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// SIGKILL.
pub(crate) fn kill(pid: u32) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // An error means that it has ended by itself.
        let _ = kill_process(pid, Signal::KILL);
    }
}

//! The watcher of a run: the process from which all processes of the run descend.
//!
//! It ends the run at the first bug or at the limit, and says what the run used up to there.
//! [`crate::budgets`] has the watcher of a run that goes on.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal};

use crate::arm::Engine;
use crate::processes;
use crate::run::{Cost, Order};

/// How long a fuzzer may take to say its figures and to end, once it has found something or is
/// asked to end.
const PATIENCE: Duration = Duration::from_secs(15);
/// How often the limit and the store are looked at.
const PAUSE: Duration = Duration::from_millis(20);
/// Most wall time, as a multiple of the limit. More of it means that the fuzzer waits.
const WALL_MAX: u32 = 100;
/// Codes with which libFuzzer ends after a failure: a timeout, too much memory, and all else.
const FAILED: [i32; 3] = [70, 71, 77];
/// The code with which libFuzzer ends after Ctrl-C.
const INTERRUPTED: i32 = 72;

/// What a run does.
enum News {
    /// dwindle reports a bug.
    Bug(Cost),
    /// The fuzzer ended.
    Ended(ExitStatus, Instant),
}

/// Carries out an order up to the first bug.
pub fn watch(order: &Order, limit: Duration) -> Result<Cost> {
    processes::adopt_orphans().context("cannot adopt orphans")?;
    let (sender, news) = mpsc::channel();
    let started = Instant::now();
    let mut command = command(order)?;
    let socket = order.folder.join("events");
    let mut listening = None;
    if order.arm.is_dwindle() && order.arm.engine == Engine::Libfuzzer {
        let listener = UnixListener::bind(&socket).context("cannot listen to events")?;
        command.env("DWINDLE_EVENTS", &socket);
        let sender = sender.clone();
        listening = Some(thread::spawn(move || listen(&listener, started, &sender)));
    }
    let fuzzer = command.spawn().context("cannot start the fuzzer")?;
    let process = Pid::from_child(&fuzzer);
    thread::spawn(move || wait(fuzzer, &sender));
    let found = first_bug(order, limit, started, &news);
    // Ended like this, the fuzzer says how many executions it made.
    let mut is_running = !matches!(found, Ok(Found { has_ended: true, .. }));
    if is_running {
        let is_asked = matches!(found, Ok(Found { is_ending: false, .. }));
        if is_asked {
            let _ = rustix::process::kill_process(process, Signal::INT);
        }
        let deadline = Instant::now() + PATIENCE;
        while is_running {
            let left = deadline.saturating_duration_since(Instant::now());
            match news.recv_timeout(left) {
                Ok(News::Bug(_)) => {}
                Ok(News::Ended(..)) | Err(_) => is_running = false,
            }
        }
    }
    processes::end_all();
    let mut cost = found?.cost;
    let reported = listening.and_then(|listening| {
        // Without any process of dwindle, the listener would wait forever.
        let _ = UnixStream::connect(&socket);
        listening.join().expect("the listener does not panic")
    });
    cost.executions = match reported {
        Some(executions) => executions,
        None => executions(order)?,
    };
    Ok(cost)
}

/// How a run ended, or is about to end.
struct Found {
    cost: Cost,
    has_ended: bool,
    /// Whether the fuzzer ends by itself.
    is_ending: bool,
}

/// Waits for the first bug or the limit.
fn first_bug(
    order: &Order,
    limit: Duration,
    started: Instant,
    news: &Receiver<News>,
) -> Result<Found> {
    let is_afl = order.arm.engine == Engine::Afl;
    loop {
        match news.recv_timeout(PAUSE) {
            Ok(News::Bug(cost)) => return Ok(Found { cost, has_ended: false, is_ending: true }),
            Ok(News::Ended(status, at)) => {
                // The fuzzer's own children may outlive it for a moment.
                processes::end_all();
                let cost = cost(failed(order, status)?, at - started);
                return Ok(Found { cost, has_ended: true, is_ending: true });
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => bail!("the fuzzer is lost"),
        }
        if is_afl && order.arm.is_dwindle() && has_bug(&order.folder.join("store")) {
            let cost = cost(true, started.elapsed());
            return Ok(Found { cost, has_ended: false, is_ending: false });
        }
        if started.elapsed() > limit * WALL_MAX + PATIENCE {
            bail!("the fuzzer waits for something:\n{}", last_lines(&log(&order.folder)));
        }
        if processes::processor_time() >= limit {
            let cost = cost(false, started.elapsed());
            return Ok(Found { cost, has_ended: false, is_ending: false });
        }
    }
}

fn cost(is_found: bool, wall: Duration) -> Cost {
    Cost {
        is_found,
        executions: 0,
        processor_seconds: processes::processor_time().as_secs_f64(),
        wall_seconds: wall.as_secs_f64(),
    }
}

/// The fuzzer's command. What it prints goes into a new log.
///
/// The standard library prints no backtrace: reading the debug information for it would take a
/// twin more time than most of its runs up to the bug.
pub fn command(order: &Order) -> Result<Command> {
    let log = File::create(order.folder.join("log")).context("cannot write the log")?;
    let mut command = Command::new(&order.program);
    command
        .args(&order.arguments)
        .env_remove("RUST_BACKTRACE")
        .envs(order.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&order.folder)
        .stdin(Stdio::null())
        .stdout(log.try_clone().context("cannot write the log")?)
        .stderr(log);
    Ok(command)
}

/// Reads the events of the first process that connects, which is dwindle's supervisor. Gives the
/// number of executions that the fuzzer made, without those of the minimizer.
fn listen(listener: &UnixListener, started: Instant, sender: &Sender<News>) -> Option<u64> {
    let (stream, _) = listener.accept().ok()?;
    let mut executions = None;
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let event: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        if event["event"] == "bug" {
            // The channel's reader may have stopped at the limit.
            let _ = sender.send(News::Bug(cost(true, started.elapsed())));
        } else if event["event"] == "end" {
            executions = event["executions"].as_u64();
        }
    }
    executions
}

fn wait(mut fuzzer: Child, sender: &Sender<News>) {
    if let Ok(status) = fuzzer.wait() {
        let _ = sender.send(News::Ended(status, Instant::now()));
    }
}

/// Whether the fuzzer ended because something failed. An error if it ended for another reason.
fn failed(order: &Order, status: ExitStatus) -> Result<bool> {
    let is_failure = match order.arm.engine {
        Engine::Libfuzzer => match status.code() {
            Some(code) => FAILED.contains(&code),
            // The failure killed the process before libFuzzer could report it.
            None => true,
        },
        Engine::Afl => fs::read_dir(order.folder.join("out/default/crashes"))
            .is_ok_and(|files| files.flatten().any(|file| file.file_name() != "README.txt")),
    };
    if !is_failure && status.code() != Some(INTERRUPTED) {
        bail!("the fuzzer ended with {status}:\n{}", last_lines(&log(&order.folder)));
    }
    Ok(is_failure)
}

/// Whether a bug is in the store: a folder with an original input in the folder of the target.
fn has_bug(store: &Path) -> bool {
    let entries = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
    entries(store)
        .flat_map(|target| entries(&target.path()))
        .flat_map(|bug| entries(&bug.path()))
        .any(|file| file.file_name().as_encoded_bytes().starts_with(b"original"))
}

/// What the fuzzer printed.
pub fn log(folder: &Path) -> String {
    let log = fs::read(folder.join("log")).unwrap_or_default();
    String::from_utf8_lossy(&log).into_owned()
}

fn executions(order: &Order) -> Result<u64> {
    let random_cases = order.arm.random_cases_of_afl();
    let (text, label) = match order.arm.engine {
        Engine::Libfuzzer => (log(&order.folder), "stat::number_of_executed_units:"),
        Engine::Afl => match fs::read_to_string(order.folder.join("out/default/fuzzer_stats")) {
            Ok(text) => (text, "execs_done"),
            // A random case has failed before AFL++ ran its first input.
            Err(_) if random_cases > 0 => return Ok(random_cases),
            Err(_) => (String::new(), "execs_done"),
        },
    };
    text.lines()
        .rev()
        .find_map(|line| line.strip_prefix(label))
        .and_then(|rest| rest.trim_matches([' ', ':']).parse().ok())
        .map(|executions: u64| executions + random_cases)
        .with_context(|| {
            let log = last_lines(&log(&order.folder));
            format!("the fuzzer does not say how many executions it made:\n{log}")
        })
}

/// The end of a log.
pub fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

//! The instances of afl-fuzz: starts them side by side and ends them together.

use crate::afl::library;
use crate::afl::machine::AS_IS;
use crate::group::Group;
use anyhow::{Context, Result};
use dwindle_corpus::list_inputs;
use rustix::process::Signal;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The name of the first instance.
pub(crate) const MAIN: &str = "main";
/// The power schedules of the other instances, in turn. A bug that one schedule finds late, another
/// may find early.
const SCHEDULES: [&str; 6] = ["coe", "fast", "exploit", "lin", "quad", "rare"];
/// How long an instance may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same after the time limit, when afl-fuzz is already ending by itself.
const PATIENCE_AT_THE_END: Duration = Duration::from_millis(2_500);
/// The most starts of one instance if all its seeds fail. On each start fewer bugs of the seeds are
/// new.
const STARTS_MAX: u32 = 5;
/// The message of afl-fuzz if all seeds fail.
const SEEDS_FAIL: &str = "input seed that does not crash";

/// The settings of a campaign.
#[derive(Debug)]
pub(crate) struct Order {
    /// The command of afl-fuzz.
    pub(crate) program: Command,
    /// The library that mutates choices.
    pub(crate) mutator: Option<PathBuf>,
    /// The target and its environment.
    pub(crate) target: Command,
    /// The folder that holds the folders of the instances.
    pub(crate) folder: PathBuf,
    /// `None` continues an earlier campaign.
    pub(crate) seeds: Option<Seeds>,
    pub(crate) jobs: u32,
    pub(crate) max_time: Option<u64>,
    /// The user's arguments for every instance.
    pub(crate) arguments: Vec<OsString>,
    /// Whether AFL++ accepts the machine's settings as they are.
    pub(crate) as_is: bool,
}

/// A folder of inputs that AFL++ accepts: none of them is empty.
#[derive(Debug)]
pub(crate) struct Seeds(TempDir);

impl Seeds {
    /// Copies the inputs in the folders. Without any, writes the simplest input: one zero byte.
    pub(crate) fn gather(corpus: &[PathBuf]) -> Result<Seeds> {
        let folder = tempfile::Builder::new()
            .prefix("dwindle-seeds-")
            .tempdir()
            .context("cannot make a temporary folder")?;
        let mut count = 0;
        for path in corpus {
            for file in list_inputs(path)? {
                if fs::metadata(&file).is_ok_and(|metadata| metadata.len() > 0) {
                    count += 1;
                    fs::copy(&file, folder.path().join(format!("{count:06}")))
                        .with_context(|| format!("cannot copy {}", file.display()))?;
                }
            }
        }
        if count == 0 {
            fs::write(folder.path().join("simplest"), [0])
                .context("cannot write the first seed")?;
        }
        Ok(Seeds(folder))
    }
}

/// A campaign before, during and after its run.
#[derive(Debug)]
pub(crate) struct Campaign {
    order: Order,
    instances: Vec<Instance>,
    failures: Vec<String>,
    /// Set once the instances are started.
    started: Option<Instant>,
    is_ending: bool,
}

#[derive(Debug)]
struct Instance {
    number: u32,
    starts: u32,
    group: Group,
    log: PathBuf,
}

impl Campaign {
    pub(crate) fn new(order: Order) -> Campaign {
        Campaign {
            order,
            instances: Vec::new(),
            failures: Vec::new(),
            started: None,
            is_ending: false,
        }
    }

    /// Starts all instances. [`failures`](Self::failures) includes those that cannot be started.
    pub(crate) fn start(&mut self) {
        for number in 0..self.order.jobs {
            match self.order.start(number, 1) {
                Ok(instance) => self.instances.push(instance),
                Err(error) => self.failures.push(format!(
                    "the instance `{}` of afl-fuzz could not be started: {error:#}",
                    name(number)
                )),
            }
        }
        self.started = Some(Instant::now());
    }

    /// Whether all instances have ended.
    pub(crate) fn is_over(&mut self) -> bool {
        if self.is_out_of_time() {
            self.is_ending = true;
            // Dropping an instance kills it.
            self.instances.clear();
        }
        let mut at = 0;
        while at < self.instances.len() {
            let status = match self.instances[at].group.child().try_wait() {
                Ok(None) => {
                    at += 1;
                    continue;
                }
                status => status,
            };
            let instance = self.instances.swap_remove(at);
            if self.is_ending
                || status.is_ok_and(|status| status.is_some_and(|status| status.success()))
            {
                continue;
            }
            let words = last_words(&instance.log);
            if words.contains(SEEDS_FAIL)
                && instance.starts < STARTS_MAX
                && let Ok(again) = self.order.start(instance.number, instance.starts + 1)
            {
                self.instances.push(again);
                continue;
            }
            self.failures.push(format!(
                "the instance `{}` of afl-fuzz ended: {words}; its output is in {}",
                name(instance.number),
                instance.log.display()
            ));
        }
        self.started.is_some() && self.instances.is_empty()
    }

    fn is_out_of_time(&self) -> bool {
        let limit =
            self.order.max_time.map(|seconds| Duration::from_secs(seconds) + PATIENCE_AT_THE_END);
        self.started.zip(limit).is_some_and(|(started, limit)| started.elapsed() >= limit)
    }

    /// Asks all instances to end, and kills those that still run after [`PATIENCE`].
    pub(crate) fn end(&mut self) {
        self.started.get_or_insert_with(Instant::now);
        self.is_ending = true;
        for instance in &self.instances {
            instance.group.signal(Signal::INT);
        }
        let deadline = Instant::now() + PATIENCE;
        while !self.is_over() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(20));
        }
        // Dropping an instance kills it.
        self.instances.clear();
    }

    /// Takes the messages about instances that could not start or ended by themselves.
    pub(crate) fn failures(&mut self) -> Vec<String> {
        std::mem::take(&mut self.failures)
    }
}

impl Order {
    fn start(&self, number: u32, starts: u32) -> Result<Instance> {
        let mut command = Command::new(self.program.get_program());
        command.args(self.program.get_args());
        match (&self.seeds, number) {
            (Some(seeds), _) => command.arg("-i").arg(seeds.0.path()),
            (None, _) => command.args(["-i", "-"]),
        };
        command.arg("-o").arg(&self.folder);
        match number {
            0 => command.args(["-M", MAIN]),
            number => command.args([
                "-S",
                &name(number),
                "-p",
                SCHEDULES[(number as usize - 1) % SCHEDULES.len()],
            ]),
        };
        if let Some(seconds) = self.max_time {
            command.args(["-V", &seconds.to_string()]);
        }
        command
            .args(&self.arguments)
            .arg("--")
            .arg(self.target.get_program())
            .args(self.target.get_args());
        for (name, value) in self.target.get_envs() {
            match value {
                // afl-fuzz requires abort_on_error and symbolize=0: it reads the signal, not the
                // report. Leak detection is off, because it takes longer than running the input.
                Some(options) if name == "ASAN_OPTIONS" => {
                    let mut options = options.to_owned();
                    options.push(":abort_on_error=1:symbolize=0:detect_leaks=0");
                    command.env(name, options)
                }
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.envs(self.mutator.iter().map(|library| (library::VARIABLE, library)));
        // The user's own settings win.
        let defaults = [
            ("AFL_NO_UI", "1"),
            ("AFL_FUZZER_STATS_UPDATE_INTERVAL", "5"),
            ("AFL_TRY_AFFINITY", "1"),
        ];
        for (name, value) in defaults
            .into_iter()
            .chain(AS_IS.map(|name| (name, "1")).into_iter().filter(|_| self.as_is))
        {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        let log = self.folder.join(format!(".{}.log", name(number)));
        let file = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let copy = file.try_clone().with_context(|| format!("cannot write {}", log.display()))?;
        command.env_remove("DWINDLE_EVENTS").stdin(Stdio::null()).stdout(file).stderr(copy);
        Ok(Instance { number, starts, group: Group::start(&mut command)?, log })
    }
}

fn name(number: u32) -> String {
    if number == 0 { MAIN.to_owned() } else { format!("s{number}") }
}

/// The reason that afl-fuzz gives for its end.
fn last_words(log: &Path) -> String {
    let said = fs::read(log).unwrap_or_default();
    let said = console::strip_ansi_codes(&String::from_utf8_lossy(&said)).replace('\u{f}', "");
    let reason = said.lines().find_map(|line| {
        line.split_once("PROGRAM ABORT :").or_else(|| line.split_once("SYSTEM ERROR :"))
    });
    reason.map_or_else(|| "it gave no reason".to_owned(), |(_, reason)| reason.trim().to_owned())
}

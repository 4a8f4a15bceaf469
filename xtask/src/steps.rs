//! Steps one after the other, each with its title, its time, and the command that repeats it alone.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::tools;

/// How many lines of failed tests are said again at the end, for each command.
const LINES_MAX: usize = 120;
/// The most bytes of such a line.
const LINE_MAX: usize = 3_000;
/// How long the output of a command that has ended is waited for. A process that a failed test left
/// behind may hold it open for ever.
const OUTPUT_TIME: Duration = Duration::from_secs(10);

/// One thing CI does.
#[derive(Debug)]
pub struct Step {
    /// What it shows, in few words.
    pub title: &'static str,
    /// What must succeed, in order.
    pub commands: Vec<Command>,
    /// What must be there; called before the commands.
    pub needs: Vec<fn() -> Result<()>>,
    /// Whether no later step runs after a failure.
    pub is_gate: bool,
}

impl Step {
    /// A step that needs nothing but Rust.
    pub fn new(title: &'static str, commands: impl IntoIterator<Item = Command>) -> Step {
        let commands = commands.into_iter().collect();
        Step { title, commands, needs: Vec::new(), is_gate: false }
    }

    /// The same, which first sees to it that something is there.
    #[must_use]
    pub fn needs(mut self, what: fn() -> Result<()>) -> Step {
        self.needs.push(what);
        self
    }

    /// The same, but no later step runs after a failure.
    #[must_use]
    pub fn gate(mut self) -> Step {
        self.is_gate = true;
        self
    }

    /// Runs all commands, also after one that failed, and gives all failures.
    fn failures(&mut self) -> Vec<String> {
        for need in &self.needs {
            if let Err(error) = need() {
                return vec![format!("{error:#}")];
            }
        }
        self.commands.iter_mut().filter_map(|command| run_alone(command).err()).collect()
    }
}

/// # Errors
/// How the command ended, and how to repeat it.
fn run_alone(command: &mut Command) -> Result<(), String> {
    let words = shown(command);
    // What an incremental build would keep fills gigabytes.
    command.env("CARGO_INCREMENTAL", "0");
    match status_and_failed_tests(command) {
        Ok((status, _)) if status.success() => Ok(()),
        Ok((status, failed_tests)) => Err(format!("{status}; alone:\n    {words}{failed_tests}")),
        Err(error) => Err(format!("cannot run {words}: {error}")),
    }
}

/// Runs the command, and passes on what it prints. Returns also what failed tests have printed.
fn status_and_failed_tests(command: &mut Command) -> io::Result<(ExitStatus, String)> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let failed_tests = Arc::new(Mutex::new(Vec::new()));
    let (ended, has_ended) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        let failed_tests = Arc::clone(&failed_tests);
        std::thread::spawn(move || ended.send(pass_on(output, &mut io::stdout(), &failed_tests)));
    }
    let status = child.wait()?;
    if let Ok(passed_on) = has_ended.recv_timeout(OUTPUT_TIME) {
        passed_on?;
    }
    let failed_tests = failed_tests.lock().unwrap_or_else(PoisonError::into_inner).concat();
    Ok((status, failed_tests))
}

/// Copies the output line by line. Adds the lines between `failures:` and `test result:` to
/// `failed_tests`, as the test harness of Rust prints them: other output follows, and no one finds
/// them above it.
fn pass_on(
    output: impl Read,
    to: &mut impl Write,
    failed_tests: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let mut is_inside = false;
    for line in BufReader::new(output).split(b'\n') {
        let line = line?;
        to.write_all(&line)?;
        to.write_all(b"\n")?;
        is_inside |= line == b"failures:";
        is_inside &= !line.starts_with(b"test result:");
        let mut failed_tests = failed_tests.lock().unwrap_or_else(PoisonError::into_inner);
        if is_inside && failed_tests.len() < LINES_MAX {
            let shown = &line[..line.len().min(LINE_MAX)];
            failed_tests.push(format!("\n    {}", String::from_utf8_lossy(shown)));
        }
    }
    Ok(())
}

/// Runs all steps, up to the first gate that fails. So one run shows all failures.
///
/// # Errors
/// What failed, and the commands that repeat it.
pub fn run(name: &str, steps: Vec<Step>) -> Result<()> {
    let (started, processor) = (Instant::now(), processor_time_of_children());
    let count = steps.len();
    let mut failed = Vec::new();
    for (index, mut step) in steps.into_iter().enumerate() {
        eprintln!("\n=== {} of {count}: {}", index + 1, step.title);
        let (began, before) = (Instant::now(), processor_time_of_children());
        let failures = step.failures();
        eprintln!(
            "=== {}: {} in {} ({} of processor time)",
            step.title,
            if failures.is_empty() { "passed" } else { "FAILED" },
            minutes(began.elapsed()),
            minutes(processor_time_of_children().saturating_sub(before)),
        );
        let is_end = step.is_gate && !failures.is_empty();
        failed.extend(
            failures
                .into_iter()
                .map(|failure| format!("step {} of {count}, {}: {failure}", index + 1, step.title)),
        );
        if is_end {
            break;
        }
    }
    if !failed.is_empty() {
        bail!("{name} failed at {}", failed.join("\nand at "));
    }
    eprintln!(
        "\n{name}: all {count} steps passed in {} ({} of processor time)",
        minutes(started.elapsed()),
        minutes(processor_time_of_children().saturating_sub(processor)),
    );
    Ok(())
}

/// The processor time of all child processes that have ended.
pub fn processor_time_of_children() -> Duration {
    // SAFETY: all bytes zero are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the structure lives during the call.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let time = |value: libc::timeval| {
        Duration::from_secs(value.tv_sec as u64) + Duration::from_micros(value.tv_usec as u64)
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// The command as one would type it in the repository's folder.
pub fn shown(command: &Command) -> String {
    let root = tools::root();
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!("{}={}", name.to_string_lossy(), quoted(&value.to_string_lossy())));
        }
    }
    let program = Path::new(command.get_program());
    words.push(program.file_name().unwrap_or(command.get_program()).to_string_lossy().into_owned());
    for argument in command.get_args() {
        let path = Path::new(argument);
        words.push(quoted(&path.strip_prefix(&root).unwrap_or(path).to_string_lossy()));
    }
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_=./+,:".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {} s", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn all_steps_run_and_all_failures_are_named_with_their_commands() {
        let folder = tempfile::tempdir().unwrap();
        let reached = folder.path().join("reached");
        let error = run(
            "demo",
            vec![
                Step::new("the first", [sh("true")]),
                Step::new("the second", [sh("exit 7"), sh("exit 8")]),
                Step::new("the third", [sh(&format!("touch {}", reached.display()))]),
            ],
        )
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "demo failed at step 2 of 3, the second: exit status: 7; alone:\n    sh -c 'exit 7'\n\
             and at step 2 of 3, the second: exit status: 8; alone:\n    sh -c 'exit 8'"
        );
        assert!(reached.exists());
    }

    #[test]
    fn what_failed_tests_print_is_said_again_at_the_end() {
        let printed = "running 2 tests\ntest a ... ok\n\nfailures:\n\n---- b stdout ----\nno\n\n\
                       failures:\n    b\n\ntest result: FAILED. 1 failed\nmore\n";
        let mut passed_on = Vec::new();
        let failed_tests = Mutex::new(Vec::new());
        pass_on(printed.as_bytes(), &mut passed_on, &failed_tests).unwrap();
        assert_eq!(passed_on, printed.as_bytes());
        let failed_tests = failed_tests.into_inner().unwrap().concat();
        assert_eq!(
            failed_tests.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>(),
            ["failures:", "---- b stdout ----", "no", "failures:", "b"]
        );
        let script = "printf 'failures:\\nb panicked\\ntest result: none\\n'; exit 101";
        let error = run("demo", vec![Step::new("the only", [sh(script)])]).unwrap_err().to_string();
        assert!(error.ends_with("\n    failures:\n    b panicked"), "{error}");
    }

    #[test]
    fn a_process_that_a_command_leaves_behind_does_not_hold_the_steps_up() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let script = format!("sleep 600 & echo $! > {}; exit 3", pid.display());
        let error = run("demo", vec![Step::new("the only", [sh(&script)])]).unwrap_err();
        assert!(error.to_string().contains("exit status: 3"), "{error}");
        // The process still runs, and holds the output open.
        let left = std::fs::read_to_string(pid).unwrap();
        assert!(sh(&format!("kill {left}")).status().unwrap().success());
    }

    #[test]
    fn a_gate_that_fails_ends_the_steps() {
        let folder = tempfile::tempdir().unwrap();
        let reached = folder.path().join("reached");
        let last = Step::new("the last", [sh(&format!("touch {}", reached.display()))]);
        run("demo", vec![Step::new("the first", [sh("false")]).gate(), last]).unwrap_err();
        assert!(!reached.exists());
    }

    #[test]
    fn a_missing_tool_fails_its_step() {
        let error = run(
            "demo",
            vec![Step::new("the only", [sh("true")]).needs(|| bail!("no compiler here"))],
        )
        .unwrap_err();
        assert_eq!(format!("{error:#}"), "demo failed at step 1 of 1, the only: no compiler here");
    }

    #[test]
    fn a_command_is_shown_as_a_user_types_it() {
        let mut command = Command::new("/usr/lib/cargo");
        command
            .arg("doc")
            .arg(tools::root().join("fuzz/Cargo.toml"))
            .env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(shown(&command), "RUSTDOCFLAGS='-D warnings' cargo doc fuzz/Cargo.toml");
    }
}

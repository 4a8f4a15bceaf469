//! A run ends soon after its time, whatever goes on in it; what was made smaller until then is
//! kept.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::interrupting::numbers;
use crate::processes::{Running, wait_until};
use crate::stage::{Outcome, Stage, names_in, outcome};

/// How long a run may last beyond its time.
pub(crate) const OVERRUN_MAX: Duration = Duration::from_secs(10);
/// How long a minimizer is let work before it is interrupted: it has found a smaller input by then,
/// and needs five seconds for the smallest.
const A_WHILE: Duration = Duration::from_secs(2);
const SLOW: (&str, &str) = ("FIXTURE_SLEEP_MS", "200");

#[test]
fn a_run_that_is_interrupted_keeps_the_smallest_input_so_far() {
    for (signal, engine) in [(Signal::INT, "libfuzzer"), (Signal::TERM, "random")] {
        let stage = Stage::fixture();
        stage.eight_numbers_and_more();
        let mut run = Running::start(
            stage
                .run("slow", &["--json", "--engine", engine, "--budget", "600s"], &["-seed=1"])
                .env(SLOW.0, SLOW.1),
        );
        run.await_event(|event| event["event"] == "bug");
        wait_until("the minimizer runs", || {
            !stage.processes_of("slow", Some("minimizer")).is_empty()
        });
        std::thread::sleep(A_WHILE);
        run.signal(signal);
        let ended = run.end();
        assert_eq!(ended.code, Some(130), "{ended:#?}");
        stage.kept_a_smaller_input();
        stage.finishes_what_is_pending();
    }
}

#[test]
fn minimizing_a_file_that_is_interrupted_keeps_the_smallest_input_so_far() {
    for signal in [Signal::INT, Signal::TERM] {
        let stage = Stage::fixture();
        let crash = stage.file("crash", &numbers(60));
        let run = Running::start(
            stage
                .dwindle("min", "slow")
                .arg(&crash)
                .args(["--json", "--budget", "600s"])
                .env(SLOW.0, SLOW.1),
        );
        wait_until("the bug is claimed", || {
            !names_in(&stage.path("store/slow")).iter().all(|name| name.starts_with('.'))
        });
        std::thread::sleep(A_WHILE);
        run.signal(signal);
        let ended = run.end();
        assert_eq!(ended.code, Some(130), "{signal:?}: {ended:#?}");
        ended.says("the smallest input of bug");
        assert_eq!(fs::read(&crash).unwrap(), numbers(60));
        stage.kept_a_smaller_input();
        stage.finishes_what_is_pending();
    }
}

#[test]
fn a_triage_that_is_interrupted_keeps_the_smallest_input_so_far() {
    let stage = Stage::fixture();
    let crash = stage.file("crash", &numbers(60));
    let run = Running::start(
        stage
            .dwindle("triage", "slow")
            .arg(&crash)
            .args(["--json", "--budget", "600s"])
            .env(SLOW.0, SLOW.1),
    );
    wait_until("the bug is claimed", || {
        !names_in(&stage.path("store/slow")).iter().all(|name| name.starts_with('.'))
    });
    std::thread::sleep(A_WHILE);
    run.signal(Signal::INT);
    assert_eq!(run.end().code, Some(130));
    stage.kept_a_smaller_input();
    let again = outcome(stage.dwindle("triage", "slow").arg(&crash));
    assert_eq!(again.code, Some(1), "{again:#?}");
    let bug = stage.only_bug("slow");
    assert_eq!((bug.status(), bug.draws().as_str()), ("minimized", "[0, 0, 0, 0, 0, 0, 0, 0]"));
    assert_eq!((bug.original(), bug.report["original_choices"].as_u64()), (numbers(60), Some(121)));
}

#[test]
fn interrupting_minimize_crash_keeps_the_smallest_input_so_far() {
    for signal in [Signal::INT, Signal::TERM] {
        let stage = Stage::fixture();
        let crash = stage.file("crash", &numbers(60));
        let small = stage.path("small");
        let exact = format!("-exact_artifact_path={}", small.display());
        let mut binary = stage.binary("slow");
        binary
            .args(["-minimize_crash=1", "-runs=255", &exact])
            .arg(&crash)
            .env(SLOW.0, SLOW.1)
            .env("DWINDLE_BUDGET_SECONDS", "600");
        let run = Running::start(&mut binary);
        wait_until("a worker runs", || stage.processes_of("slow", None).len() > 2);
        std::thread::sleep(A_WHILE);
        run.signal(signal);
        let ended = run.end();
        assert_eq!(ended.code, Some(72), "{signal:?}: {ended:#?}");
        ended.says("the smallest input so far is");
        let kept = fs::read(&small).unwrap();
        assert!((16..120).contains(&kept.len()), "{kept:?}");
        stage.leaves_no_process();
    }
}

#[test]
fn interrupting_minimize_crash_at_once_keeps_the_input_itself() {
    let stage = Stage::fixture();
    let crash = stage.file("crash", &numbers(60));
    let small = stage.path("small");
    let mut binary = stage.binary("slow");
    let run = Running::start(
        binary
            .args(["-minimize_crash=1", &format!("-exact_artifact_path={}", small.display())])
            .arg(&crash)
            .env(SLOW.0, "60000"),
    );
    wait_until("a worker runs", || stage.processes_of("slow", None).len() > 2);
    run.signal(Signal::INT);
    assert_eq!(run.end().code, Some(72));
    assert_eq!(fs::read(&small).unwrap(), numbers(60));
    stage.leaves_no_process();
}

#[test]
fn a_run_ends_on_time_during_a_long_execution() {
    for engine in ["libfuzzer", "random"] {
        let stage = Stage::fixture();
        stage.eight_numbers_and_more();
        let (ended, took) = stage.timed_run("slow", engine, 2, &[(SLOW.0, "60000")]);
        assert!(took < Duration::from_secs(2) + OVERRUN_MAX, "{took:?}: {ended:#?}");
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        stage.leaves_no_process();
    }
}

#[test]
fn a_run_ends_on_time_with_a_bug_that_is_not_minimized() {
    for engine in ["libfuzzer", "random"] {
        let stage = Stage::fixture();
        stage.eight_numbers_and_more();
        let (ended, took) = stage.timed_run(
            "slow",
            engine,
            4,
            &[(SLOW.0, "300"), ("DWINDLE_BUDGET_SECONDS", "600")],
        );
        assert!(took < Duration::from_secs(4) + OVERRUN_MAX, "{took:?}: {ended:#?}");
        assert!(matches!(ended.code, Some(1 | 77)), "{ended:#?}");
        ended.says("1 bug left for the next run to minimize");
        stage.leaves_no_process();
        stage.kept_a_smaller_input();
        stage.finishes_what_is_pending();
    }
}

#[test]
fn a_run_of_a_target_that_forks_ends_on_time_and_leaves_no_process() {
    for environment in [&[][..], &[("FIXTURE_CHILD", "returns")]] {
        let stage = Stage::fixture();
        let (ended, took) = stage.timed_run("forks", "libfuzzer", 3, environment);
        assert!(took < Duration::from_secs(3) + OVERRUN_MAX, "{took:?}: {ended:#?}");
        assert_eq!(ended.code, Some(77), "{ended:#?}");
        stage.leaves_no_process();
    }
}

#[test]
fn a_starved_minimizer_has_a_normal_priority_once_nothing_fuzzes() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("distinct");
    stage.file(
        "corpus/seed",
        &(0..200).flat_map(|number| [1, number % 150, 7 + number % 5]).collect::<Vec<u8>>(),
    );
    let load = Load::start();
    let run = Running::start(binary.arg(stage.path("corpus")).arg("-max_total_time=1"));
    let mut seen = BTreeSet::new();
    wait_until("a minimizer of either priority has run", || {
        seen.extend(
            stage.processes_of("distinct", Some("minimizer")).into_iter().filter_map(nice_of),
        );
        seen.len() == 2 || !names_in(&stage.path("artifacts")).is_empty()
    });
    drop(load);
    let ended = run.end();
    assert_eq!(ended.code, Some(77), "{ended:#?}");
    let [normal, low] = seen.iter().copied().collect::<Vec<_>>()[..] else {
        panic!("only these priorities: {seen:?}")
    };
    assert_eq!(low - normal, 10);
    assert_eq!(stage.only_bug("distinct").status(), "minimized");
    stage.leaves_no_process();
}

#[test]
fn the_search_for_causes_gives_way_more_than_the_minimizer_of_a_bug() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("one_in_ten");
    let run = Running::start(binary.env("FIXTURE_PANICS", "1").arg("-max_total_time=20"));
    let own = nice_of(std::process::id()).unwrap();
    let mut seen = BTreeSet::new();
    let all = [("minimizer", 10), ("minimizer", 16), ("explainer", 16)];
    wait_until("each kind of process has run", || {
        for mode in ["minimizer", "explainer"] {
            let processes = stage.processes_of("one_in_ten", Some(mode)).into_iter();
            seen.extend(processes.filter_map(nice_of).map(|nice| (mode, nice - own)));
        }
        all.iter().all(|kind| seen.contains(kind))
    });
    // A process begins with the priority of the one that started it. The explainer of the bug's
    // claims may end before it is seen.
    assert!(seen.iter().all(|(_, nicer)| [0, 10, 16].contains(nicer)), "{seen:?}");
    run.signal(Signal::INT);
    assert_eq!(run.end().code, Some(72), "libFuzzer's code of an interrupted run");
    stage.leaves_no_process();
}

/// The nice value of a process.
fn nice_of(process: u32) -> Option<i64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which may hold anything, the state is the third field, and the nice value
    // the nineteenth.
    stat.rsplit_once(") ")?.1.split(' ').nth(16)?.parse().ok()
}

/// Six processes for each core that compute until this is dropped.
struct Load(Vec<Child>);

impl Load {
    fn start() -> Load {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        Load(
            (0..6 * cores)
                .map(|_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap())
                .collect(),
        )
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Stage {
    /// A run with a limit on its time, and how long it took: the binary alone, since cargo may wait
    /// for other builds.
    fn timed_run(
        &self,
        target: &str,
        engine: &str,
        seconds: u64,
        environment: &[(&str, &str)],
    ) -> (Outcome, Duration) {
        let mut binary = self.binary(target);
        if engine == "random" {
            binary.env("DWINDLE_MODE", "random");
        } else {
            binary.arg(self.path("corpus"));
        }
        binary
            .args([&format!("-max_total_time={seconds}"), "-seed=1"])
            .envs(environment.iter().copied());
        let began = Instant::now();
        let ended = outcome(&mut binary);
        (ended, began.elapsed())
    }

    /// The bug of `slow` waits with an input that is smaller than the one it was found with, and
    /// fails.
    #[track_caller]
    fn kept_a_smaller_input(&self) {
        let bug = self.only_bug("slow");
        let input = fs::read(bug.input()).unwrap();
        assert!(bug.status() == "pending" && input.len() < bug.original().len(), "{bug:#?}");
        assert!(
            bug.report["minimized_choices"].as_u64() < bug.report["original_choices"].as_u64(),
            "{bug:#?}"
        );
        let shown = outcome(self.dwindle("show", "slow").arg(bug.input()));
        assert_eq!(shown.code, Some(1), "{shown:#?}");
    }
}

//! Failures that end the process: each is minimized in processes that may die of it.

use std::collections::BTreeSet;
use std::fs;

use rustix::process::Signal;

use crate::processes::{Process, Running, kill, wait_until};
use crate::stage::{Stage, names_in, outcome};

/// A way to fail as the target `deadly` counts them, the kind of bug, what is drawn in the end, and
/// words of the message.
const WAYS: [(u8, &str, &str, &str); 10] = [
    (1, "panic", "Panic", "a panic"),
    (2, "panic", "PanicInDrop", "the first of two panics"),
    (3, "panic", "CaughtPanic", "a panic that is caught"),
    (4, "panic", "PanicInThread", "a panic in another thread"),
    (5, "abort", "Abort", "SIGABRT"),
    (6, "segv", "NullWrite", "SIGSEGV"),
    (9, "stack-overflow", "StackOverflow", "the stack overflowed"),
    (10, "timeout", "EndlessLoop", "did not end in time"),
    (11, "oom", "EndlessAllocation", "too much memory"),
    (12, "exit", "Exit", "exit code 3"),
];

/// Three steps, the one in the middle of which fails.
fn input(way: u8) -> [u8; 7] {
    [1, 200, way + 1, 77, 1, 3, 0]
}

#[test]
fn every_kind_of_death_is_minimized_as_that_kind() {
    let stage = Stage::fixture();
    for (way, kind, name, words) in WAYS {
        let file = stage.file("crash", &input(way));
        let ended = outcome(stage.dwindle("min", "deadly").arg(&file));
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        ended.says(&format!("[({name}, 10)]"));
        ended.says(words);
        ended.says(": minimized");
        ended.says(&format!(": {kind} at fuzz_targets/deadly.rs:"));
    }
    let bugs = stage.bugs("deadly");
    assert_eq!(bugs.len(), WAYS.len(), "{bugs:#?}");
    assert!(
        bugs.iter().all(|bug| bug.status() == "minimized" && bug.original().len() == 7),
        "{bugs:#?}"
    );
}

#[test]
fn every_error_of_address_sanitizer_is_minimized_as_that_error() {
    let stage = Stage::fixture();
    for (way, name, words) in [
        (7, "HeapOverflow", "heap-buffer-overflow"),
        (8, "UseAfterFree", "heap-use-after-free"),
        (9, "StackOverflow", "the stack overflowed"),
        (13, "Leak", "memory was not freed"),
        (14, "UseAfterReturn", "stack-use-after-return"),
    ] {
        let file = stage.file("crash", &input(way));
        let ended = outcome(stage.fuzz("tmin", "deadly").arg(&file));
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        ended.says(&format!("[({name}, 10)]"));
        ended.says(words);
    }
}

#[test]
fn a_candidate_that_never_ends_does_not_stop_the_minimizer() {
    let stage = Stage::fixture();
    // Smaller inputs loop for ever; the minimizer goes on without them.
    let file = stage.file("crash", &[11, 9, 6, 10, 0]);
    let ended = outcome(stage.dwindle("min", "deadly").arg(&file));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says("[(Abort, 10)]");
    // Others met on the way wait for their own turn.
    let bugs = stage.bugs("deadly");
    assert!(
        bugs.iter().any(|bug| bug.message().contains("SIGABRT") && bug.status() == "minimized"),
        "{bugs:#?}"
    );
    assert!(bugs.iter().all(|bug| bug.report["kind"] != "timeout"), "{bugs:#?}");
}

#[test]
fn a_run_survives_deaths_of_the_fuzzer_and_keeps_each_bug_once() {
    let stage = Stage::fixture();
    // Read at every start: a run that stumbled over them again and again would never begin.
    let deadly: Vec<_> =
        WAYS.iter().filter(|(_, kind, ..)| !["timeout", "oom"].contains(kind)).collect();
    for (way, ..) in &deadly {
        stage.file(&format!("corpus/{way}"), &input(*way));
    }
    let ended = outcome(&mut stage.run("deadly", &["--max-time", "30"], &["-timeout=1"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let bugs = stage.bugs("deadly");
    for (_, kind, name, words) in &deadly {
        let matching: Vec<_> = bugs
            .iter()
            .filter(|bug| bug.report["kind"] == **kind && bug.draws() == format!("[({name}, 10)]"))
            .collect();
        assert_eq!(matching.len(), 1, "{kind} {name}: {bugs:#?}");
        assert!(
            matching[0].message().contains(*words) && matching[0].status() == "minimized",
            "{bugs:#?}"
        );
    }
    // What else it found took too long or too much; allocating without an end is the one or the
    // other, as fast as the machine is.
    let others: Vec<_> = bugs
        .iter()
        .filter(|bug| !["timeout", "oom"].contains(&bug.report["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(others.len(), deadly.len(), "{others:#?}");
    assert!(
        fs::read_dir(stage.path("corpus")).unwrap().count() > 8,
        "nothing was learnt after the first death"
    );
    stage.leaves_no_process();
}

#[test]
fn a_run_survives_deaths_of_the_fuzzer_under_address_sanitizer() {
    let stage = Stage::fixture();
    let ways = [
        ("asan", "HeapOverflow"),
        ("asan", "UseAfterFree"),
        ("stack-overflow", "StackOverflow"),
        ("segv", "NullWrite"),
        ("exit", "Exit"),
        ("leak", "Leak"),
    ];
    for way in [7, 8, 9, 6, 12, 13] {
        stage.file(&format!("corpus/{way}"), &input(way));
    }
    let ended = outcome(&mut stage.fuzz_run("deadly", &["-runs=100", "-timeout=2"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says("exit status: 77");
    let bugs = stage.bugs("deadly");
    for (kind, name) in ways {
        let matching: Vec<_> = bugs
            .iter()
            .filter(|bug| bug.report["kind"] == kind && bug.draws() == format!("[({name}, 10)]"))
            .collect();
        assert_eq!(matching.len(), 1, "{kind} {name}: {bugs:#?}");
    }
    stage.leaves_no_process();
}

#[test]
fn a_leak_in_the_corpus_does_not_end_the_run() {
    let stage = Stage::fixture();
    stage.file("corpus/leak", &input(13));
    let ended =
        outcome(stage.fuzz_run("deadly", &["-runs=300", "-seed=1"]).env("DEADLY_WAY", "Leak"));
    ended.says("exit status: 77");
    // The first copy of the fuzzer was made behind the first input, and has the leak too.
    let executions = number_before(&ended.stderr, " executions in").expect(&ended.stderr);
    assert!(executions >= 300, "{ended:#?}");
    assert_eq!(stage.only_bug("deadly").report["kind"], "leak");
    stage.leaves_no_process();
}

#[test]
fn a_fuzzer_that_dies_continues_with_its_corpus() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("twenty");
    let ended = outcome(binary.args(["-runs=60000", "-seed=1"]).arg(stage.path("corpus")));
    assert_eq!(ended.code, Some(77), "{ended:#?}");
    let deaths: u64 = number_before(&ended.stderr, " deaths").expect(&ended.stderr);
    let starts = ended.stderr.matches("INFO: Seed:").count() as u64;
    assert!(deaths > 20 && starts * 2 < deaths, "{starts} starts for {deaths} deaths: {ended:#?}");
    let executions = number_before(&ended.stderr, " executions in").expect(&ended.stderr);
    assert!((60_000..62_000).contains(&executions), "{ended:#?}");
    let places: Vec<String> =
        stage.bugs("twenty").iter().map(|bug| bug.report["location"].to_string()).collect();
    assert!(
        places.len() > 10 && places.iter().collect::<BTreeSet<_>>().len() == places.len(),
        "{places:#?}"
    );
    stage.leaves_no_process();
}

#[test]
fn the_fuzzer_continues_when_the_prescreen_is_killed() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("rarely_dies");
    // One input in three kills, so the prescreen pays on a busy machine too.
    binary.env("FIXTURE_DIES", "3").args(["-runs=10000", "-seed=1"]);
    let run = Running::start(binary.arg(stage.path("corpus")));
    // The one that forks what tries inputs, once it has.
    let screen = || {
        let all = stage.processes();
        let is_used =
            |one: &&Process| one.is("screen") && all.iter().any(|other| other.parent == one.pid);
        all.iter().find(is_used).map(|process| process.pid)
    };
    let mut used = None;
    wait_until("inputs are tried first, or the run has ended", || {
        used = screen();
        used.is_some() || stage.processes().is_empty()
    });
    used.into_iter().for_each(kill);
    let ended = run.end();
    assert_eq!(ended.code, Some(77), "{ended:#?}");
    assert!(used.is_some() && screen().is_none(), "{ended:#?}");
    ended.says(" executions ran first in a separate process");
    let executions = number_before(&ended.stderr, " executions in").expect(&ended.stderr);
    assert!(executions >= 10_000, "{ended:#?}");
    assert_eq!(stage.only_bug("rarely_dies").report["kind"], "abort");
    stage.leaves_no_process();
}

/// The number that stands before these words.
fn number_before(text: &str, words: &str) -> Option<u64> {
    text[..text.find(words)?].rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[test]
fn a_run_without_a_corpus_folder_keeps_new_inputs_until_its_end() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("deadly");
    let ended = outcome(
        binary.args(["-max_total_time=10", "-timeout=1"]).env("TMPDIR", stage.path("artifacts")),
    );
    assert_eq!(ended.code, Some(77), "{ended:#?}");
    ended.says("no corpus folder is given");
    ended.says("files found in");
    ended.says("s of them lost to");
    let left: Vec<String> = names_in(&stage.path("artifacts"))
        .into_iter()
        .filter(|name| name.starts_with("dwindle-corpus"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn hangs_after_long_work_are_told_apart() {
    let stage = Stage::fixture();
    stage.file("corpus/one", &[1]);
    stage.file("corpus/two", &[2]);
    let mut run = Running::start(&mut stage.run(
        "late_hangs",
        &["--json", "--max-time", "150"],
        &["-timeout=2"],
    ));
    for _ in 0..2 {
        run.await_event(|event| event["event"] == "bug");
    }
    run.await_event(|event| event["event"] == "heartbeat" && event["hits"].as_u64() >= Some(4));
    run.signal(Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{ended:#?}");
    let bugs = stage.bugs("late_hangs");
    let mut places: Vec<_> =
        bugs.iter().filter_map(|bug| bug.report["location"].as_str()).collect();
    places.sort_unstable();
    let in_target = |line| format!("fuzz_targets/late_hangs.rs:{line}");
    assert_eq!(places, [in_target(18), in_target(23)], "{bugs:#?}");
}

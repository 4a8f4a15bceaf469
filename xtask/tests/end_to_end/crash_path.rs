//! Deaths in places where a handler must neither wait for a lock nor trust what it finds: each is
//! kept as what it is, and minimized.

use crate::stage::{Stage, outcome};

/// A way to fail as the target `crash_path` counts them, the kind of bug, what is drawn in the end,
/// and words of the message.
const WAYS: [(u8, &str, &str, &str); 16] = [
    (1, "segv", "InMalloc", "SIGSEGV"),
    (2, "segv", "InUnwinder", "SIGSEGV"),
    (3, "segv", "UnderLoaderLock", "SIGSEGV"),
    (4, "segv", "WildCall", "SIGSEGV"),
    (5, "segv", "SmashedStack", "SIGSEGV"),
    (6, "stack-overflow", "OverflowInThread", "the stack overflowed"),
    (7, "stack-overflow", "OverflowInCThread", "the stack overflowed"),
    (8, "stack-overflow", "OverflowInOldThread", "the stack overflowed"),
    (9, "segv", "FaultInThread", "SIGSEGV"),
    (10, "exit", "ExitZero", "exit code 0"),
    (11, "exit", "ExitOne", "exit code 1"),
    (12, "exit", "ExitMinusOne", "exit code -1"),
    (13, "exit", "ExitTooLarge", "exit code 256"),
    (14, "segv", "NoHandlersMemory", "SIGSEGV"),
    (15, "segv", "NoHandlersStack", "SIGSEGV"),
    (16, "panic", "DeadChild", "after the children"),
];

/// Three steps, the one in the middle of which fails.
fn input(way: u8) -> [u8; 7] {
    [1, 200, way + 1, 77, 1, 3, 0]
}

#[test]
fn each_place_of_death_keeps_its_kind() {
    for (way, kind, name, words) in WAYS {
        let stage = Stage::fixture();
        let file = stage.file("crash", &input(way));
        let ended =
            outcome(stage.dwindle("min", "crash_path").env("CRASH_PATH_WAY", name).arg(&file));
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        ended.says(&format!("[({name}, 10)]"));
        ended.says(words);
        ended.says(": minimized");
        ended.says(&format!(": {kind} at "));
    }
}

#[test]
fn each_place_of_death_keeps_its_kind_under_address_sanitizer() {
    const SHOWN: [&str; 5] =
        ["InUnwinder", "OverflowInThread", "OverflowInCThread", "FaultInThread", "ExitMinusOne"];
    for (way, _, name, words) in WAYS.into_iter().filter(|(_, _, name, _)| SHOWN.contains(name)) {
        let stage = Stage::fixture();
        let file = stage.file("crash", &input(way));
        let ended =
            outcome(stage.fuzz("tmin", "crash_path").env("CRASH_PATH_WAY", name).arg(&file));
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        ended.says(&format!("[({name}, 10)]"));
        ended.says(words);
    }
}

#[test]
fn a_fuzzer_that_dies_inside_the_allocator_continues() {
    let stage = Stage::fixture();
    stage.file("corpus/fails", &input(1));
    let mut binary = stage.binary("crash_path");
    let ended = outcome(
        binary
            .args(["-runs=2000", "-seed=1", "-timeout=5"])
            .env("CRASH_PATH_WAY", "InMalloc")
            .arg(stage.path("corpus")),
    );
    assert_eq!(ended.code, Some(77), "{ended:#?}");
    let bugs = stage.bugs("crash_path");
    assert_eq!(bugs.len(), 1, "{bugs:#?}");
    assert!(
        bugs[0].report["kind"] == "segv"
            && bugs[0].status() == "minimized"
            && bugs[0].draws() == "[(InMalloc, 10)]",
        "{bugs:#?}"
    );
    stage.leaves_no_process();
}

//! What a target does becomes what people read, what programs read, and an exit code.

use crate::fixture::Fixture;
use dwindle_corpus::events::{Event, EventLine, MinimizedBug};
use dwindle_corpus::{BugId, BugKind, Report};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use std::fs;
use std::path::Path;

const HEARTBEAT: &str = concat!(
    r#"send {"event":"heartbeat","executions":10,"seconds":0.5,"bugs":0,"hits":0,"#,
    r#""minimizing":null}"#
);

const END: &str = concat!(
    r#"send {"event":"end","command":"run","text":"the table","executions":10,"#,
    r#""seconds":0.5,"bugs":[],"interrupted":false}"#
);

#[test]
fn a_target_that_libfuzzer_sees_die_is_a_bug_and_says_its_last_words() {
    let fixture = Fixture::new(&format!(
        "{HEARTBEAT}\nstderr ERROR: libFuzzer: deadly signal\nartifact crash-1\nexit 77"
    ));
    let last_words = contains("deadly signal")
        .and(contains("target `alpha` died; the input: fuzz/artifacts/alpha/crash-1"));
    fixture.dwindle(&["run", "alpha"]).assert().code(1).stderr(last_words);
}

#[test]
fn every_exit_code_of_a_target_has_one_of_ours() {
    let fixture = Fixture::new("");
    for (engine, theirs, ours) in [
        ("libfuzzer", 0, 0),
        ("libfuzzer", 77, 1),
        ("libfuzzer", 72, 130),
        ("random", 0, 0),
        ("random", 1, 1),
        ("random", 130, 130),
    ] {
        fs::write(fixture.path("script"), format!("{HEARTBEAT}\n{END}\nexit {theirs}")).unwrap();
        fixture.dwindle(&["run", "alpha", "--engine", engine]).assert().code(ours);
    }
    for code in [2, 3] {
        fs::write(
            fixture.path("script"),
            format!(
                "send {{\"event\":\"error\",\"text\":\"dwindle: the disk is full\"}}\nexit {code}"
            ),
        )
        .unwrap();
        fixture
            .dwindle(&["run", "alpha"])
            .assert()
            .code(code)
            .stderr(contains("error: the disk is full").and(contains("exited").not()));
    }
}

#[test]
fn a_death_without_an_artifact_is_the_environments_and_shows_the_last_words() {
    let noise: Vec<_> = (0..40).map(|line| format!("stderr line {line} of 40")).collect();
    let fixture = Fixture::new(&format!("{HEARTBEAT}\n{}\ndie", noise.join("\n")));
    fixture.dwindle(&["run", "alpha"]).assert().code(3).stderr(
        contains("line 39 of 40")
            .and(contains("line 10 of 40"))
            .and(contains("line 9 of 40").not())
            .and(contains("was killed by signal 9")),
    );
}

#[test]
fn a_death_with_an_artifact_is_a_bug() {
    let fixture = Fixture::new(&format!("{HEARTBEAT}\nartifact crash-1\nexit 70"));
    fixture
        .dwindle(&["run", "alpha"])
        .assert()
        .code(1)
        .stderr(contains("exited with code 70; the input: fuzz/artifacts/alpha/crash-1"));
    fs::create_dir(fixture.path("elsewhere")).unwrap();
    let prefix = "-artifact_prefix=elsewhere/";
    fixture
        .dwindle(&["run", "alpha", "--", prefix])
        .assert()
        .code(1)
        .stderr(contains("exited with code 70; the input: elsewhere/crash-1"));
}

#[test]
fn a_target_that_libfuzzer_cannot_start_is_no_bug() {
    let fixture = Fixture::new(&format!("{HEARTBEAT}\nstderr ERROR: unknown flag\nexit 1"));
    fixture
        .dwindle(&["run", "alpha"])
        .assert()
        .code(3)
        .stderr(contains("ERROR: unknown flag").and(contains("exited with code 1")));
}

#[test]
fn a_target_without_dwindle_is_recognised() {
    let fixture = Fixture::new("stderr its words\nexit 0");
    fixture
        .dwindle(&["run", "alpha"])
        .assert()
        .code(0)
        .stderr(contains("its words").and(contains("ran without dwindle")));
    fixture
        .dwindle(&["run", "alpha", "--", "-help=1"])
        .assert()
        .code(0)
        .stderr(contains("its words").and(contains("without dwindle").not()));
    fixture
        .dwindle(&["show", "alpha", "script"])
        .assert()
        .code(3)
        .stderr(contains("knows nothing of dwindle"));
}

#[test]
fn results_stand_on_stdout_and_all_else_on_stderr() {
    let report = Report::pending("alpha", BugId::of("oh"), BugKind::Panic);
    let minimized = MinimizedBug::new(report, Path::new("/s"), String::new());
    let minimized = EventLine::new(Event::Minimized(Box::new(minimized)), "minimized\nto this\n");
    let fixture = Fixture::new(&format!(
        r#"send {{"event":"start","target":"alpha","engine":"libfuzzer","store":"/s","known":2,"text":"not ours to print"}}
stdout noise
stderr #8192	pulse  cov: 48 ft: 93 corp: 22/160b lim: 80 exec/s: 4096 rss: 40Mb
send {{"event":"bug","bug_id":"0123456789abcdef","kind":"panic","message":"oh","location":"a.rs:1:2","text":"dwindle: new bug 0123456789abcdef: oh at a.rs:1:2"}}
send {minimized}
send {{"event":"from the future","text":"unknown"}}
send {{"event":"end","command":"run","text":"the table","bugs":[],"executions":10,"seconds":1.0,"interrupted":false}}
exit 77"#,
    ));
    fixture
        .dwindle(&["run", "alpha"])
        .assert()
        .code(1)
        .stdout("new bug 0123456789abcdef: oh at a.rs:1:2\n\nminimized\nto this\n\nthe table\n")
        .stderr(
            contains("fuzz/corpus/alpha, 0 inputs")
                .and(contains("fuzz/crashes/alpha"))
                .and(contains("2 bugs known"))
                .and(contains("noise").not()),
        );
    fixture
        .dwindle(&["run", "alpha", "--verbose"])
        .assert()
        .code(1)
        .stdout(contains("noise"))
        .stderr(contains("cov: 48"));
}

#[test]
fn json_is_lines_of_json_and_nothing_else_on_stdout() {
    let fixture = Fixture::new(&format!(
        "stdout noise\nstderr #2\tNEW    cov: 48 ft: 93 corp: 22/160b\nsend \
         {{\"event\":\"note\",\"text\":\"a\\nb\",\"later\":[1]}}\n{HEARTBEAT}\nraw \
         {{\"event\":\"en\nexit 77"
    ));
    let assert = fixture.dwindle(&["run", "alpha", "--json", "--verbose"]).assert().code(1);
    let stdout = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let events: Vec<Value> =
        stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let names: Vec<_> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["schema", "built", "note", "heartbeat", "exit"]);
    assert_eq!(events[2]["later"][0], 1);
    assert_eq!(events[4]["code"], 1);
}

#[test]
fn a_json_reader_learns_of_errors_too() {
    let fixture = Fixture::new("");
    for (arguments, code) in [(["run", "alpa", "--json"], 2), (["show", "alpha", "--json"], 2)] {
        let assert = fixture.dwindle(&arguments).arg("gone").assert().code(code);
        let stdout = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        let events: Vec<Value> =
            stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(
            events.iter().map(|event| event["event"].as_str().unwrap()).collect::<Vec<_>>(),
            ["schema", "error", "exit"]
        );
        assert_eq!(events[2]["code"], code);
    }
}

#[test]
fn the_options_reach_the_target() {
    let fixture = Fixture::new(&format!("{HEARTBEAT}\nexit 0"));
    let options = [
        "run",
        "alpha",
        "--max-time",
        "9",
        "--stop-on-first",
        "--budget",
        "50000,2.5s",
        "--store",
        "bugs",
        "--",
        "-runs=7",
    ];
    fixture.dwindle(&options).assert().code(0);
    let here = fixture.path("").canonicalize().unwrap();
    let expected = format!(
        "-artifact_prefix={0}/fuzz/artifacts/alpha/ -max_total_time=9 -runs=7 \
         {0}/fuzz/corpus/alpha",
        here.display()
    );
    assert_eq!(fixture.await_file("args"), expected);
    let environment = fixture.await_file("env");
    for line in [
        "DWINDLE_STOP=first",
        "DWINDLE_BUDGET_CALLS=50000",
        "DWINDLE_BUDGET_SECONDS=2.5",
        &format!("DWINDLE_STORE={}/bugs", here.display()),
    ] {
        assert!(environment.lines().any(|known| known == line), "{line} not in {environment}");
    }
    assert!(!environment.contains("DWINDLE_MODE"));

    fixture.dwindle(&["run", "alpha", "--engine", "random"]).assert().code(0);
    assert!(fixture.await_file("env").contains("DWINDLE_MODE=random"));
    assert_eq!(
        fixture.await_file("args"),
        format!("-artifact_prefix={}/fuzz/artifacts/alpha/", here.display())
    );

    fs::write(fixture.path("-dashed"), "x").unwrap();
    fixture.dwindle(&["min", "alpha", "script", "--", "-dashed"]).assert().code(0);
    assert!(fixture.await_file("env").contains("DWINDLE_MODE=min"));
    assert_eq!(fixture.await_file("args"), "script ./-dashed");
}

#[test]
fn show_prints_the_draws_and_what_the_target_prints() {
    let fixture = Fixture::new(
        "send {\"event\":\"draw\",\"value\":\"[1, 2]\",\"text\":\"[1, 2]\"}\n\
         send {\"event\":\"note\",\"text\":\"a note\"}\nsend {\"event\":\"outcome\",\"file\":\"a\",\"failed\":true,\"text\":\"failed\"}\nexit 1",
    );
    let shown = fixture.dwindle(&["show", "alpha", "script"]).assert().code(1);
    // What the target itself prints may come in between.
    let printed = String::from_utf8_lossy(&shown.get_output().stdout);
    let said: Vec<&str> =
        printed.lines().filter(|line| ["[1, 2]", "a note", "failed"].contains(line)).collect();
    assert_eq!(said, ["[1, 2]", "a note", "failed"], "{printed}");
    assert!(fixture.await_file("env").contains("DWINDLE_MODE=show"));
}

//! `--jobs`: what the target binary is asked for, and how many processes memory carries.

use crate::fixture::Fixture;
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;

const SCRIPT: &str = "send {\"event\":\"end\",\"command\":\"run\",\"text\":\"the end\"}\nexit 0";

#[test]
fn several_processes_are_asked_for_in_the_way_of_each_engine() {
    let fixture = Fixture::new(SCRIPT);
    for (engine, jobs, wanted) in [
        ("libfuzzer", "2", "-fork=2"),
        ("random", "2", "-fork=2"),
        ("libfuzzer", "1", ""),
        ("random", "1", ""),
    ] {
        let small = ["--", "-rss_limit_mb=1"];
        let run = ["run", "alpha", "--engine", engine, "--jobs", jobs];
        fixture.dwindle(&[&run[..], &small].concat()).assert().code(0);
        let arguments = fs::read_to_string(fixture.path("args")).unwrap();
        let asked: Vec<_> =
            arguments.split(' ').filter(|argument| argument.starts_with("-fork=")).collect();
        assert_eq!(asked.join(" "), wanted, "{arguments}");
    }
}

#[test]
fn no_jobs_at_all_means_all_cores() {
    let fixture = Fixture::new(SCRIPT);
    let cores = std::thread::available_parallelism().unwrap().get();
    fixture
        .dwindle(&["run", "alpha", "--jobs", "0", "--", "-rss_limit_mb=1"])
        .assert()
        .code(0)
        .stderr(contains("warning").not());
    let arguments = fs::read_to_string(fixture.path("args")).unwrap();
    assert_eq!(arguments.contains(&format!("-fork={cores}")), cores > 1, "{arguments}");
}

#[test]
fn more_processes_than_memory_carries_are_reduced_and_the_command_says_so() {
    let fixture = Fixture::new(SCRIPT);
    let run = ["run", "alpha", "--jobs", "8", "--json", "--", "-rss_limit_mb=1000000000"];
    fixture
        .dwindle(&run)
        .assert()
        .code(0)
        .stdout(contains("\"event\":\"warning\"").and(contains("1 process runs instead")))
        .stderr(
            contains("8 processes may take 1000000000 MiB each")
                .and(contains("1 process runs instead")),
        );
    let arguments = fs::read_to_string(fixture.path("args")).unwrap();
    assert!(!arguments.contains("-fork="), "{arguments}");
}

#[test]
fn a_number_of_jobs_must_be_a_number_up_to_1024() {
    let fixture = Fixture::new(SCRIPT);
    for wrong in ["-1", "1025", "many"] {
        fixture.dwindle(&["run", "alpha", &format!("--jobs={wrong}")]).assert().code(2);
    }
    assert!(!fixture.path("build-args").exists());
}

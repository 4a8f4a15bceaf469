//! Tests of properties in processes of their own, with what the environment says.

use std::process::{Command, Output};

use dwindle::prelude::*;

#[dwindle::test]
#[ignore = "run by the tests below"]
fn fails_in_a_process(tc: &mut TestCase) {
    let n = tc.draw(any::<u32>());
    println!("case {n}");
    assert!(n < 1_000_000 || std::env::var_os("FIXED").is_some());
}

#[dwindle::test(max_cases = 10, seed = 1)]
#[ignore = "run by the tests below"]
fn passes_in_a_process(n: u32) {
    println!("case {n}");
}

fn run(name: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this test has a file"));
    command
        .args(["--exact", &format!("processes::{name}"), "--ignored", "--nocapture"])
        .env("DWINDLE_STORE", "");
    for name in ["DWINDLE_CASES", "DWINDLE_SEED"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).output().expect("it starts")
}

fn cases(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter(|line| line.starts_with("case "))
        .map(str::to_owned)
        .collect()
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_failing_property_fails_its_process_and_a_passing_one_does_not() {
    let failed = run("fails_in_a_process", &[]);
    assert_eq!(failed.status.code(), Some(101));
    assert!(
        words(&failed).contains("property `fails_in_a_process` failed:\n    let n = 1000000;\n"),
        "{}",
        words(&failed)
    );
    assert!(!words(&failed).contains("kept in"));
    assert_eq!(run("passes_in_a_process", &[]).status.code(), Some(0));
}

#[test]
fn seeds_differ_from_run_to_run_unless_one_is_given() {
    let seed = |variables: &[(&str, &str)]| {
        let output = run("fails_in_a_process", variables);
        let seed = words(&output)
            .split_once("DWINDLE_SEED=")
            .map(|(_, behind)| behind.split(' ').next().unwrap_or_default().to_owned());
        // The search around the result ends by processor time, so its last cases differ.
        let mut cases = cases(&output);
        assert!(cases.len() > 500, "{} cases", cases.len());
        cases.truncate(500);
        (seed.expect("the message names it"), cases)
    };
    let (first, cases) = seed(&[]);
    assert_ne!(first, seed(&[]).0);
    assert!(seed(&[("DWINDLE_SEED", &first)]) == (first, cases), "the cases differ");
}

#[test]
fn the_environment_wins_over_the_attribute() {
    let plain = run("passes_in_a_process", &[]);
    assert_eq!(cases(&plain), cases(&run("passes_in_a_process", &[("DWINDLE_SEED", "1")])));
    assert_ne!(cases(&plain), cases(&run("passes_in_a_process", &[("DWINDLE_SEED", "2")])));
    assert!(
        cases(&run("passes_in_a_process", &[("DWINDLE_CASES", "300")])).len() > 290
            && cases(&plain).len() < 30
    );
    let refused = run("passes_in_a_process", &[("DWINDLE_CASES", "many")]);
    assert_eq!(refused.status.code(), Some(101));
    assert!(
        words(&refused).contains(
            "DWINDLE_CASES=many is not a number in range; write DWINDLE_CASES=1000, or unset it"
        ),
        "{}",
        words(&refused)
    );
}

#[test]
fn a_bug_that_is_fixed_leaves_a_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = ("DWINDLE_STORE", folder.path().to_str().expect("a plain path"));
    let failed = run("fails_in_a_process", &[store]);
    assert!(words(&failed).contains("kept in"), "{}", words(&failed));
    let known = run("fails_in_a_process", &[store]);
    assert!(words(&known).contains("known, and replayed from the store"), "{}", words(&known));
    let fixed = run("fails_in_a_process", &[store, ("FIXED", "1")]);
    assert_eq!(fixed.status.code(), Some(0));
    let words = words(&fixed);
    let line = words
        .lines()
        .find(|line| line.starts_with("dwindle: the bug "))
        .unwrap_or_else(|| panic!("no line: {words}"));
    assert!(
        line.contains(
            "tests/property/processes.rs:12:5 does not fail any more; to forget it, remove "
        ),
        "{line}"
    );
    assert_eq!(
        cases(&fixed).len(),
        1 + 1000 + 2 * 10,
        "the stored input, the cases, and those that are looked at twice again"
    );
}

//! What `check` and `run` write for other programs.

use crate::checking::{CHECKED, END, keep};
use crate::fixture::Fixture;
use dwindle_corpus::Status;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use serde_json::Value;
use std::fs;

const FILES: [&str; 4] = ["--sarif", "out.sarif", "--junit", "out.xml"];

/// A fuzz crate whose check finds one bug, with a place in the crate.
fn checked() -> Fixture {
    let script = CHECKED.replace("\"location\":null", "\"location\":\"src/bin/alpha.rs:1:4\"");
    let script = script.replace("\"message\":\"\"", "\"message\":\"a\\n::error::b\\u001b\"");
    assert_ne!(script, CHECKED);
    let fixture = Fixture::new(&format!("{script}\n{END}\nexit 1"));
    keep(&fixture, "fuzz/crashes", "alpha", "one", Status::Minimized);
    fixture
}

#[test]
fn a_check_writes_its_bugs_as_sarif_and_junit() {
    let fixture = checked();
    fixture.dwindle(&[&["check"][..], &FILES].concat()).assert().code(1);
    let sarif: Value =
        serde_json::from_slice(&fs::read(fixture.path("out.sarif")).unwrap()).unwrap();
    let bug = &sarif["runs"][0]["results"][0];
    assert_eq!(bug["properties"]["bugId"], "0123456789abcdef");
    assert_eq!(bug["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
    let junit = fs::read_to_string(fixture.path("out.xml")).unwrap();
    assert!(junit.contains("failures=\"1\""), "{junit}");
    assert!(junit.contains("cargo dwindle show alpha "), "{junit}");
    assert!(!junit.contains('\u{1b}'), "{junit}");
}

#[test]
fn annotations_are_lines_on_stdout_or_beside_json_on_stderr() {
    let fixture = checked();
    let line = "\n::error title=bug 0123456789abcdef%3A panic at src/bin/alpha.rs%3A1%3A4,file=";
    let message = "::a%0A::error::b";
    let annotated = ["check", "--annotations", "github"];
    fixture.dwindle(&annotated).assert().code(1).stdout(contains(line).and(contains(message)));
    fixture
        .dwindle(&["check", "--annotations", "auto"])
        .assert()
        .code(1)
        .stdout(contains(line).not());
    let mut on_github = fixture.dwindle(&["check", "--annotations", "auto"]);
    on_github.env("GITHUB_ACTIONS", "true").assert().code(1).stdout(contains(line));
    fixture
        .dwindle(&["check", "--annotations", "github", "--json"])
        .assert()
        .code(1)
        .stdout(contains("::error title").not())
        .stderr(starts_with(line.trim_start()).or(contains(line)));
}

#[test]
fn a_run_writes_the_bugs_that_it_hit() {
    let bug = concat!(
        r#"send {"event":"bug","bug_id":"0123456789abcdef","kind":"abort","message":"no","#,
        r#""location":null,"text":"new bug"}"#
    );
    let fixture =
        Fixture::new(&format!("{bug}\nsend {{\"event\":\"end\",\"command\":\"run\"}}\nexit 77"));
    fixture.dwindle(&[&["run", "alpha"][..], &FILES].concat()).assert().code(1);
    let sarif = fs::read_to_string(fixture.path("out.sarif")).unwrap();
    let input = "fuzz/crashes/alpha/0123456789abcdef/input";
    assert!(sarif.contains("\"ruleId\": \"abort\"") && sarif.contains(input), "{sarif}");
}

#[test]
fn without_bugs_the_files_say_so() {
    let fixture = Fixture::new("send {\"event\":\"end\",\"command\":\"run\"}\nexit 0");
    fixture.dwindle(&[&["run", "alpha"][..], &FILES].concat()).assert().code(0);
    let junit = fs::read_to_string(fixture.path("out.xml")).unwrap();
    assert!(junit.contains("tests=\"1\"") && junit.contains("failures=\"0\""), "{junit}");
    let sarif = fs::read_to_string(fixture.path("out.sarif")).unwrap();
    assert!(sarif.contains("\"results\": []"), "{sarif}");
}

#[test]
fn a_command_that_fails_writes_its_error() {
    let fixture = checked();
    let mut check = fixture.dwindle(&[&["check"][..], &FILES].concat());
    check.env("BUILD_FAILS", "1").assert().code(3);
    let junit = fs::read_to_string(fixture.path("out.xml")).unwrap();
    assert!(junit.contains("errors=\"1\"") && junit.contains("does not build"), "{junit}");
}

#[test]
fn files_that_cannot_be_written_are_named_before_the_build() {
    let fixture = checked();
    for (file, words) in
        [("nowhere/out.xml", "nowhere does not exist"), ("fuzz", "fuzz is a folder")]
    {
        fixture.dwindle(&["check", "--junit", file]).assert().code(2).stderr(contains(words));
        fixture
            .dwindle(&["run", "alpha", "--sarif", file])
            .assert()
            .code(2)
            .stderr(contains(words));
    }
    assert!(!fixture.path("build-args").exists());
}

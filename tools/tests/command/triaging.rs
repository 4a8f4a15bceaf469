//! `triage`: what reaches the target, what is shown of it, and what is refused before anything is
//! built.

use crate::fixture::Fixture;
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;

const FILE: &str = r#"send {"event":"file","file":"a","outcome":"quiet","reason":"passes"}"#;

const PROGRESS: &str = concat!(
    r#"send {"event":"progress","phase":"running","done":10,"total":100,"#,
    r#""seconds":1.0,"bugs":1}"#
);

const END: &str = r#"send {"event":"end","command":"triage","text":"the table","files":1,"interrupted":false,"bugs":[]}"#;

#[test]
fn paths_are_looked_at_before_the_build() {
    let fixture = Fixture::new("");
    fs::write(fixture.path("good"), "x").unwrap();
    fs::create_dir(fixture.path("empty")).unwrap();
    fs::create_dir_all(fixture.path("nested/deeper")).unwrap();
    std::os::unix::fs::symlink("nowhere", fixture.path("dangling")).unwrap();
    for gone in ["gone", "dangling"] {
        fixture
            .dwindle(&["triage", "alpha", "good", gone])
            .assert()
            .code(2)
            .stderr(contains(format!("{gone} is not there; name files, or folders of files")));
    }
    for empty in ["empty", "nested"] {
        fixture
            .dwindle(&["triage", "alpha", empty, "good"])
            .assert()
            .code(2)
            .stderr(contains(format!("{empty} is a folder without inputs")));
    }
    fixture.dwindle(&["triage", "alpha"]).assert().code(2).stderr(contains("<PATH>"));
    fixture
        .dwindle(&["triage", "alpa", "good"])
        .assert()
        .code(2)
        .stderr(contains("did you mean `alpha`?"));
    for wrong in [["--jobs", "0"], ["--jobs", "many"], ["--budget", "5m"], ["--seed", "1"]] {
        fixture.dwindle(&["triage", "alpha", "good", wrong[0], wrong[1]]).assert().code(2);
    }
    assert!(!fixture.path("build-args").exists());
}

#[test]
fn the_options_reach_the_target_and_nothing_is_set_that_was_not_asked_for() {
    let fixture = Fixture::new(&format!("{END}\nexit 0"));
    // Too large to be an input: one of many, so it is the target that names it.
    fs::File::create(fixture.path("huge")).unwrap().set_len(1 << 30).unwrap();
    fs::write(fixture.path("-dashed"), "x").unwrap();
    fixture.dwindle(&["triage", "alpha", "huge", "script", "--", "-dashed"]).assert().code(0);
    assert_eq!(fixture.await_file("args"), "huge script ./-dashed");
    let environment = fixture.await_file("env");
    assert!(environment.contains("DWINDLE_MODE=triage"), "{environment}");
    for name in ["DWINDLE_JOBS", "DWINDLE_AGAIN", "DWINDLE_DRY_RUN", "DWINDLE_BUDGET"] {
        assert!(!environment.contains(name), "{name} in {environment}");
    }
    let options = [
        "triage",
        "alpha",
        "script",
        "--jobs",
        "3",
        "--again",
        "--dry-run",
        "--budget",
        "700,2.5s",
        "--store",
        "bugs",
    ];
    fixture.dwindle(&options).assert().code(0);
    let environment = fixture.await_file("env");
    let store = format!(
        "DWINDLE_STORE={}",
        fixture.path("").canonicalize().unwrap().join("bugs").display()
    );
    for line in [
        "DWINDLE_JOBS=3",
        "DWINDLE_AGAIN=1",
        "DWINDLE_DRY_RUN=1",
        "DWINDLE_BUDGET_CALLS=700",
        "DWINDLE_BUDGET_SECONDS=2.5",
        &store,
    ] {
        assert!(environment.lines().any(|known| known == line), "{line} not in {environment}");
    }
}

#[test]
fn people_see_the_table_and_programs_every_file() {
    let fixture = Fixture::new(&format!("{FILE}\n{PROGRESS}\n{END}\nexit 1"));
    fixture
        .dwindle(&["triage", "alpha", "script"])
        .assert()
        .code(1)
        .stdout("the table\n")
        .stderr(contains("fuzz/crashes/alpha"));
    let lines = contains(r#""outcome":"quiet""#)
        .and(contains(r#""phase":"running""#))
        .and(contains(r#""text":"the table""#))
        .and(contains(r#""code":1"#));
    fixture.dwindle(&["triage", "alpha", "script", "--json"]).assert().code(1).stdout(lines);
}

#[test]
fn every_exit_code_of_the_target_is_passed_on() {
    for code in [0, 1, 130] {
        Fixture::new(&format!("{END}\nexit {code}"))
            .dwindle(&["triage", "alpha", "script"])
            .assert()
            .code(code);
    }
    for code in [2, 3] {
        let fixture = Fixture::new(&format!(
            "send {{\"event\":\"error\",\"text\":\"dwindle: the disk is full\"}}\nexit {code}"
        ));
        fixture
            .dwindle(&["triage", "alpha", "script"])
            .assert()
            .code(code)
            .stderr(contains("error: the disk is full"));
    }
}

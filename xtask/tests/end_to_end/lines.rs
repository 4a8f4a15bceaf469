//! The lines that failing runs reach, and that passing runs near them do not.

use std::fs;
use std::path::Path;

use serde_json::Value;
use xtask::tools;

use crate::bugs::Bug;
use crate::stage::{Stage, outcome};

/// The numbers of the lines of the fixture's target that have these words.
fn lines_with(words: &str) -> Vec<usize> {
    let file = tools::root().join("xtask/tests/fixture/fuzz_targets/helper.rs");
    let source = fs::read_to_string(file).unwrap();
    let lines = source.lines().enumerate().filter(|(_, line)| line.contains(words));
    lines.map(|(at, _)| at + 1).collect()
}

/// A run that finds the bugs of the target `helper` and explains them.
fn helper(engine: &str) -> (Stage, Vec<Value>) {
    let stage = Stage::fixture();
    let options = ["--json", "--engine", engine];
    let ended = outcome(&mut stage.run("helper", &options, &["-seed=5", "-runs=40000"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let explained = ended.events("explained");
    (stage, explained)
}

fn bug_of_kind(stage: &Stage, kind: &str) -> Bug {
    let bugs = stage.bugs("helper").into_iter();
    let mut of_kind = bugs.filter(|bug| bug.report["kind"] == kind);
    of_kind.next().unwrap_or_else(|| panic!("no bug is of the kind {kind}"))
}

#[test]
fn the_line_in_a_helper_function_is_named_first_for_a_panic_and_for_a_death() {
    for engine in ["random", "libfuzzer"] {
        let (stage, explained) = helper(engine);
        for (kind, fault) in [("panic", "text.retain"), ("abort", "text.repeat(3)")] {
            let bug = bug_of_kind(&stage, kind);
            let explanation = &bug.report["explanation"];
            let lines = explanation["lines"].as_array().unwrap();
            assert!(!lines.is_empty() && lines.len() <= 10, "{explanation:#}");
            let first = &lines[0];
            assert_eq!(
                (&first["function"], &first["file"]),
                (&"width".into(), &"fuzz_targets/helper.rs".into()),
                "{explanation:#}"
            );
            let line = first["line"].as_u64().unwrap() as usize;
            // The branch begins at its condition or at its first statement.
            let near = lines_with(fault);
            assert!(near.iter().any(|at| at.abs_diff(line) <= 2), "{line} {near:?}");
            assert_eq!(first["failing"]["reached"], first["failing"]["of"], "{first}");
            assert!(first["passing"]["of"].as_u64() > Some(0), "{first}");
            assert_eq!((&first["passing"]["reached"], &first["score"]), (&0.into(), &1.0.into()));
            assert!(explanation["runs"].as_u64().unwrap() <= 2000, "{explanation}");
            let words = format!("fuzz_targets/helper.rs:{line} in width: reached by ");
            let says = |event: &&Value| event["text"].as_str().unwrap().contains(&words);
            assert_eq!(explained.iter().filter(says).count(), 1, "{explained:#?}");
            let report = fs::read_to_string(bug.dir.join("report.txt")).unwrap();
            assert!(report.contains(&words), "{report}");
        }
    }
}

/// The page about the store of this test.
fn page(stage: &Stage, target: &str) -> String {
    let ended = outcome(stage.dwindle("report", target).args(["--out", "page"]));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    fs::read_to_string(stage.path("page/index.html")).unwrap()
}

/// Changes the text of a bug's `report.json`.
fn change(dir: &Path, from: &str, to: &str) {
    let file = dir.join("report.json");
    let report = fs::read_to_string(&file).unwrap();
    assert!(report.contains(from), "{from} is not in {report}");
    fs::write(&file, report.replace(from, to)).unwrap();
}

#[test]
fn the_page_shows_the_source_only_while_it_is_the_one_that_ran() {
    let (stage, _) = helper("random");
    let bug = bug_of_kind(&stage, "panic");
    let html = page(&stage, "helper");
    assert!(html.contains("Suspicious lines") && html.contains("text.retain"), "{html}");

    let lines = bug.report["explanation"]["lines"].as_array().unwrap();
    let digest = lines[0]["source"].as_str().unwrap();
    change(&bug.dir, digest, "0123456789abcdef");
    let html = page(&stage, "helper");
    assert!(html.contains("The source has changed since the target was built."), "{html}");
    assert!(!html.contains("text.retain"), "{html}");

    change(&bug.dir, "\"fuzz_targets/helper.rs\"", "\"src/<b>gone</b>.rs\"");
    let html = page(&stage, "helper");
    assert!(html.contains("The source file is not in this repository."), "{html}");
    assert!(
        html.contains("src/&lt;b&gt;gone&lt;/b&gt;.rs:") && !html.contains("<b>gone"),
        "{html}"
    );
}

#[test]
fn a_flaky_bug_has_no_suspicious_lines_and_the_page_says_so() {
    let stage = Stage::fixture();
    let found = outcome(&mut stage.run("flaky", &["--engine", "random"], &["-runs=1000"]));
    assert_eq!(found.code, Some(1), "{found:#?}");
    assert!(stage.only_bug("flaky").report["explanation"].is_null());
    let html = page(&stage, "flaky");
    assert!(html.contains("and no line is suspicious"), "{html}");
    assert!(!html.contains("Suspicious lines"), "{html}");
}

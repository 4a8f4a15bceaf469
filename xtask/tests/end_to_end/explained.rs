//! What is said of the failures around a minimized input.

use std::fs;

use crate::stage::{Outcome, Stage, names_in, outcome};

/// What the runs of these tests say of the bug "the number 42".
const ALSO_FAILS: &str = "also fails: [42, ..] where .. is any further elements anywhere";

fn two_bugs(stage: &Stage, engine: &str, explain: &str) -> Outcome {
    outcome(
        stage
            .run("two_bugs", &["--json", "--engine", engine], &["-seed=5", "-runs=20000"])
            .env("DWINDLE_EXPLAIN", explain),
    )
}

#[test]
fn a_run_explains_the_bugs_that_it_minimized() {
    for engine in ["libfuzzer", "random"] {
        let stage = Stage::fixture();
        let ended = two_bugs(&stage, engine, "");
        let explained = ended.events("explained");
        assert_eq!(explained.len(), 2, "{ended:#?}");
        let texts: Vec<&str> =
            explained.iter().map(|event| event["text"].as_str().unwrap()).collect();
        for also in [ALSO_FAILS, "also fails: [0, 0, A] where A is any value"] {
            let is_said = |text: &&&str| text.contains(also) && text.contains("\n  passes: [");
            assert_eq!(texts.iter().filter(is_said).count(), 1, "{also}: {texts:#?}");
        }
        for bug in stage.bugs("two_bugs") {
            let explanation = &bug.report["explanation"];
            assert!(explanation["runs"].as_u64().unwrap() <= 2000, "{explanation}");
            let report = fs::read_to_string(bug.dir.join("report.txt")).unwrap();
            assert!(report.contains("\naround it:\n"), "{report}");
        }
    }
}

#[test]
fn dwindle_explain_off_explains_nothing() {
    let stage = Stage::fixture();
    let ended = two_bugs(&stage, "random", "off");
    assert_eq!(ended.events("minimized").len(), 2, "{ended:#?}");
    assert!(ended.events("explained").is_empty(), "{ended:#?}");
    assert!(stage.bugs("two_bugs").iter().all(|bug| bug.report["explanation"].is_null()));
}

#[test]
fn min_explains_a_file_and_prints_it_with_the_report() {
    let stage = Stage::fixture();
    let file = stage.file("crash-1", &[1, 42, 1, 42, 0]);
    let ended = outcome(stage.dwindle("min", "two_bugs").arg(&file));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says(ALSO_FAILS);
    ended.says("passes: [");
}

/// The keys of the variants by cause of the only bug.
fn causes(stage: &Stage) -> Vec<String> {
    let names = names_in(&stage.only_bug("causes").dir);
    names.into_iter().filter(|name| name.starts_with("variant-cause-")).collect()
}

#[test]
fn a_run_finds_several_causes_of_one_assertion() {
    for engine in ["libfuzzer", "random"] {
        let stage = Stage::fixture();
        let options = ["--json", "--engine", engine, "--max-time", "20"];
        let ended = outcome(&mut stage.run("causes", &options, &["-seed=5"]));
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        assert!(causes(&stage).len() >= 2, "{engine}: {ended:#?}");
    }
}

#[test]
fn next_finds_causes_until_there_are_none() {
    let stage = Stage::fixture();
    let file = stage.file("crash-1", &[1, 200, 0, 0, 0]);
    let ended = outcome(stage.dwindle("min", "causes").arg(&file));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let ended = outcome(&mut stage.dwindle("next", "causes"));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    // The target has four faults. The bug's own input shows one of them.
    assert_eq!(causes(&stage).len(), 3, "{ended:#?}");
    ended.says("further runs fails in another way");
    let id = stage.only_bug("causes").id().to_owned();
    let again = outcome(stage.dwindle("next", "causes").arg(&id));
    assert_eq!(again.code, Some(0), "{again:#?}");
    let unknown = outcome(stage.dwindle("next", "causes").arg("0123456789abcdef"));
    assert_eq!(unknown.code, Some(2), "{unknown:#?}");
}

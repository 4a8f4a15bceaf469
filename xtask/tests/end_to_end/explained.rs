//! What is said of the failures around a minimized input.

use std::fs;

use crate::stage::{Outcome, Stage, outcome};

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

/// How many variants by cause the only bug has, without further forms.
fn causes(stage: &Stage) -> usize {
    let variants = stage.only_bug("causes").variants().into_iter();
    let is_new = |bug: &crate::bugs::Bug| bug.report["explanation"]["same_as"].is_null();
    variants.filter(|bug| bug.is_by_cause() && is_new(bug)).count()
}

#[test]
fn a_run_finds_several_causes_of_one_assertion() {
    for engine in ["libfuzzer", "random"] {
        let stage = Stage::fixture();
        let options = ["--json", "--engine", engine, "--max-time", "20"];
        let ended = outcome(&mut stage.run("causes", &options, &["-seed=5"]));
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        assert!(causes(&stage) >= 2, "{engine}: {ended:#?}");
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
    assert!((2..=5).contains(&causes(&stage)), "{ended:#?}");
    assert!(
        ended.stderr.contains("further runs fails in another way")
            || ended.stderr.contains("failures are no new causes")
            || ended.stdout.contains("further runs fails in another way")
            || ended.stdout.contains("failures are no new causes"),
        "{ended:#?}"
    );
    let id = stage.only_bug("causes").id().to_owned();
    let again = outcome(stage.dwindle("next", "causes").arg(&id));
    assert_eq!(again.code, Some(0), "{again:#?}");
    let unknown = outcome(stage.dwindle("next", "causes").arg("0123456789abcdef"));
    assert_eq!(unknown.code, Some(2), "{unknown:#?}");
}

//! A run goes on after its first bug, and later runs know what earlier ones found.

use std::fs;

use sha1::{Digest, Sha1};

use crate::bugs::Bug;
use crate::stage::{Stage, outcome};

#[test]
fn each_bug_is_kept_once_and_known_from_then_on() {
    let stage = Stage::fixture();
    let first = outcome(&mut stage.run("two_bugs", &["--json"], &["-seed=1", "-runs=200000"]));
    assert_eq!(first.code, Some(1), "{first:#?}");
    assert_eq!(first.events("start")[0]["known"], 0);
    assert_eq!(first.events("bug").len(), 2);
    assert_eq!(first.events("minimized").len(), 2);

    let bugs = stage.bugs("two_bugs");
    let draws: Vec<String> =
        bugs.iter().map(|bug| format!("{}: {}", bug.message(), bug.draws())).collect();
    assert_eq!(draws, ["more than two numbers: [0, 0, 0]", "the number 42: [42]"], "{first:#?}");

    // Artifacts are what users of libFuzzer look for: named by their content, which is the
    // minimized input.
    let mut expected: Vec<_> = bugs
        .iter()
        .map(|bug| fs::read(bug.input()).unwrap())
        .map(|input| (format!("crash-{}", sha1_hex(&input)), input))
        .collect();
    expected.sort();
    let artifacts: Vec<_> = stage
        .artifacts()
        .iter()
        .map(|path| {
            (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())
        })
        .collect();
    assert_eq!(artifacts, expected);

    let seen = hits(&stage);
    // The minimizer of the one may have met the other.
    let by_the_fuzzer = first.events("end")[0]["hits"].as_u64().unwrap();
    assert!((by_the_fuzzer..=by_the_fuzzer + 1).contains(&seen), "{by_the_fuzzer} of {seen} hits");
    assert!(seen > 100, "only {seen} hits");
    assert!(first.events("end")[0]["executions"].as_u64().unwrap() >= 200_000);

    let before: Vec<_> =
        bugs.iter().map(|bug| (fs::read(bug.input()).unwrap(), bug.report.to_string())).collect();
    let second = outcome(&mut stage.run("two_bugs", &["--json"], &["-seed=2", "-runs=200000"]));
    assert_eq!(second.code, Some(1), "{second:#?}");
    assert_eq!(second.events("start")[0]["known"], 2);
    assert_eq!(second.events("bug").len(), 0);
    assert_eq!(second.events("minimized").len(), 0);
    let after: Vec<_> = stage
        .bugs("two_bugs")
        .iter()
        .map(|bug| (fs::read(bug.input()).unwrap(), bug.report.to_string()))
        .collect();
    assert_eq!(after, before);
    assert_eq!(hits(&stage), seen + second.events("end")[0]["hits"].as_u64().unwrap());
}

fn hits(stage: &Stage) -> u64 {
    stage.bugs("two_bugs").iter().map(Bug::hits).sum()
}

fn sha1_hex(bytes: &[u8]) -> String {
    Sha1::digest(bytes).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}

#[test]
fn a_bug_with_two_call_paths_is_kept_once_with_a_variant() {
    for engine in ["libfuzzer", "random"] {
        let stage = Stage::fixture();
        // Ways are told apart once the bug is minimized, which on a busy machine may take all of a
        // run.
        let is_told = (1..=5).any(|seed| {
            let ended = outcome(&mut stage.run(
                "two_ways",
                &["--max-time", "8", "--engine", engine],
                &[&format!("-seed={seed}")],
            ));
            assert_eq!(ended.code, Some(1), "{ended:#?}");
            ended.stdout.contains("has a new call path")
        });
        assert!(is_told, "{engine} tells of no other way in five runs");
        let bug = stage.only_bug("two_ways");
        // The other call path is also another cause. That is the same variant.
        let variants = bug.variants();
        assert_eq!(variants.len(), 1, "{variants:#?}");
        let mut found: Vec<_> =
            [&bug, &variants[0]].map(|bug| (bug.draws(), bug.status().to_owned())).into();
        found.sort();
        assert_eq!(
            found,
            [
                ("[Left(100)]".to_owned(), "minimized".to_owned()),
                ("[Right(150)]".to_owned(), "minimized".to_owned())
            ]
        );
    }
}

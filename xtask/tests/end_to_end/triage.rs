//! `cargo dwindle triage`: many crash files, few bugs; interrupted, killed, at once, again, and on
//! files that are none.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};
use xtask::crashes;

use crate::processes::{Running, wait_until};
use crate::stage::{Outcome, Stage, files_in, names_in, outcome};

const TARGET: &str = crashes::TARGET;

/// What each bug is minimized to, by the words of its failure.
const MINIMA: [(&str, &str); 5] = [
    ("100 is too much", "[Call(0, 100)]"),
    ("the process was killed by SIGABRT: it aborted", "[Call(1, 100)]"),
    ("the process was killed by SIGSEGV, an invalid memory access", "[Call(2, 100)]"),
    ("the stack overflowed", "[Call(3, 100)]"),
    ("there is nothing at 200", "[Read(200)]"),
];

/// What has to be the same however the files were triaged: of each bug what it is, what is left of
/// its input, and how often it was seen.
pub(crate) fn result(stage: &Stage, store: &str) -> Vec<(String, String, Vec<u8>, u64)> {
    let bugs = stage.bugs_of(store, TARGET).into_iter();
    bugs.map(|bug| {
        (
            bug.id().to_owned(),
            format!("{} {}", bug.status(), bug.draws()),
            fs::read(bug.input()).unwrap(),
            bug.hits(),
        )
    })
    .collect()
}

/// All files below a folder, and what they hold.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for path in files_in(folder) {
        if path.is_dir() {
            files.extend(tree(&path));
        } else {
            files.insert(path.display().to_string(), fs::read(&path).unwrap());
        }
    }
    files
}

/// Whether the contents of any bug are recorded in a store that others write to.
fn has_records(store: &Path) -> bool {
    files_in(&store.join(TARGET))
        .iter()
        .any(|bug| names_in(&bug.join("contents")).iter().any(|name| !name.starts_with('.')))
}

fn end(ended: &Outcome) -> Value {
    ended.events("end").remove(0)
}

#[test]
fn crash_files_of_five_bugs_become_five_bugs_and_triaging_them_again_changes_nothing() {
    let stage = Stage::fixture();
    let files = stage.path("files");
    crashes::write(&files, 60, 1).unwrap();
    let before = tree(&files);
    // The same content under another name, and one that does not fail.
    fs::copy(files.join("artifacts/crash-000000"), files.join("artifacts/copy")).unwrap();
    let harmless = stage.file("harmless", &[1, 5, 5, 0]);
    let triage =
        || outcome(stage.dwindle("triage", TARGET).arg("--json").args([&files, &harmless]));

    let first = triage();
    assert_eq!(first.code, Some(1), "{first:#?}");
    let said = end(&first);
    for (field, number) in [
        ("files", 62),
        ("contents", 61),
        ("known", 0),
        ("run", 61),
        ("failed", 60),
        ("flaky", 0),
        ("quiet", 1),
        ("unread", 0),
    ] {
        assert_eq!(said[field], number, "{field} in {said:#}");
    }
    let rows = said["bugs"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| &row["hits"]).collect::<Vec<_>>(), [12; 5], "{said:#}");
    let table = said["text"].as_str().unwrap();
    assert!(
        table.contains("61 distinct contents")
            && table.contains("1 file did not fail:")
            && table.contains("harmless  the target passes"),
        "{table}"
    );
    let quiet: Vec<Value> =
        first.events("file").into_iter().filter(|event| event["outcome"] == "quiet").collect();
    assert_eq!(
        quiet.iter().map(|event| event["file"].as_str().unwrap()).collect::<Vec<_>>(),
        [harmless.to_str().unwrap()]
    );

    let bugs = stage.bugs(TARGET);
    assert_eq!(
        bugs.iter().map(|bug| (bug.message(), bug.draws())).collect::<Vec<_>>(),
        MINIMA.map(|(message, draws)| (message, draws.to_owned()))
    );
    for bug in &bugs {
        assert_eq!(
            (bug.status(), bug.hits(), bug.report["sightings"].as_u64()),
            ("minimized", 12, Some(12)),
            "{bug:#?}"
        );
        assert!(before.values().any(|content| *content == bug.original()), "{bug:#?}");
    }
    let kept = tree(&stage.path("store"));
    let again = triage();
    assert_eq!(again.code, Some(1), "{again:#?}");
    assert_eq!((&end(&again)["known"], &end(&again)["run"]), (&json!(60), &json!(1)));
    assert!(tree(&stage.path("store")) == kept, "the store was changed");
    let again = outcome(
        stage.dwindle("triage", TARGET).args(["--json", "--again", "--jobs", "1"]).arg(&files),
    );
    assert_eq!((again.code, &end(&again)["run"]), (Some(1), &json!(60)), "{again:#?}");
    assert!(tree(&stage.path("store")) == kept, "the store was changed");
    assert!(before.iter().all(|(path, content)| fs::read(path).unwrap() == *content));
    stage.leaves_no_process();
}

#[test]
fn a_dry_run_groups_and_writes_nothing() {
    let stage = Stage::fixture();
    crashes::write(&stage.path("files"), 25, 1).unwrap();
    let dry = |stage: &Stage| {
        outcome(
            stage.dwindle("triage", TARGET).args(["--json", "--dry-run"]).arg(stage.path("files")),
        )
    };
    let ended = dry(&stage);
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let rows = end(&ended)["bugs"].as_array().unwrap().clone();
    assert_eq!(rows.iter().map(|row| &row["contents"]).collect::<Vec<_>>(), [5; 5], "{rows:#?}");
    assert!(!stage.path("store").exists());

    // Of what the store knows too.
    assert_eq!(
        outcome(stage.dwindle("triage", TARGET).arg(stage.path("files/artifacts"))).code,
        Some(1)
    );
    let kept = tree(&stage.path("store"));
    let ended = dry(&stage);
    assert_eq!((ended.code, &end(&ended)["known"]), (Some(1), &json!(13)), "{ended:#?}");
    assert!(
        end(&ended)["bugs"].as_array().unwrap().iter().all(|row| row["contents"] == 5),
        "{ended:#?}"
    );
    assert!(tree(&stage.path("store")) == kept, "the store was changed");
}

#[test]
fn paths_that_are_not_inputs_are_listed_and_all_others_are_triaged() {
    let stage = Stage::fixture();
    let files = stage.path("files");
    crashes::write(&files, 10, 1).unwrap();
    let artifacts = files.join("artifacts");
    fs::write(artifacts.join("README.txt"), "not an input").unwrap();
    fs::write(artifacts.join("empty"), "").unwrap();
    fs::write(artifacts.join(OsStr::from_bytes(b"crash-\xff")), [2, 250]).unwrap();
    File::create(artifacts.join("huge")).unwrap().set_len(2 << 30).unwrap();
    std::os::unix::fs::symlink(&files, artifacts.join("circle")).unwrap();
    std::os::unix::fs::symlink("nowhere", artifacts.join("dangling")).unwrap();
    let huge = stage.path("huge");
    File::create(&huge).unwrap().set_len(1 << 31).unwrap();

    // Named on the command line, a file that is too large is one of many all the same.
    let ended = outcome(stage.dwindle("triage", TARGET).args(["--json"]).args([&files, &huge]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let said = end(&ended);
    for (field, number) in [("files", 14), ("failed", 11), ("quiet", 1), ("unread", 2)] {
        assert_eq!(said[field], number, "{field} in {said:#}");
    }
    let text = said["text"].as_str().unwrap();
    assert!(
        text.contains("2 files could not be read:") && text.contains("huge has 2147483648 bytes"),
        "{text}"
    );
    assert!(text.contains("empty  the target passes"), "{text}");
    assert_eq!(stage.bugs(TARGET).len(), 5);
}

#[test]
fn a_triage_without_files_is_wrong_use() {
    let stage = Stage::fixture();
    fs::create_dir(stage.path("only-words")).unwrap();
    stage.file("only-words/README.txt", b"no input");
    crashes::write(&stage.path("files"), 5, 1).unwrap();
    for (path, words) in [
        ("gone", "gone does not exist"),
        ("corpus", "is a folder without inputs"),
        ("only-words", "is a folder without inputs"),
    ] {
        let ended =
            outcome(stage.dwindle("triage", TARGET).args([stage.path("files"), stage.path(path)]));
        assert_eq!(ended.code, Some(2), "{ended:#?}");
        ended.says(words);
        let alone = outcome(
            stage
                .binary(TARGET)
                .args([stage.path("files"), stage.path(path)])
                .env("DWINDLE_MODE", "triage"),
        );
        assert_eq!(alone.code, Some(2), "{alone:#?}");
        alone.says(words);
    }
    assert!(!stage.path("store").exists());
}

#[test]
fn files_that_do_not_fail_make_no_store() {
    let stage = Stage::fixture();
    let ended = outcome(
        stage
            .dwindle("triage", TARGET)
            .args([stage.file("one", &[1, 5, 5, 0]), stage.file("two", b"")]),
    );
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    ended.says("nothing failed");
    assert!(!stage.path("store").exists());
}

#[test]
fn concurrent_killed_and_merged_triages_have_the_result_of_one_triage() {
    let stage = Stage::fixture();
    let all = stage.path("all");
    crashes::write(&all, 600, 2).unwrap();
    let alone =
        outcome(stage.dwindle("triage", TARGET).arg(&all).arg("--store").arg(stage.path("alone")));
    assert_eq!(alone.code, Some(1), "{alone:#?}");
    let expected = result(&stage, "alone");
    assert_eq!(
        expected.iter().map(|(.., hits)| *hits).collect::<Vec<_>>(),
        [120; 5],
        "{expected:#?}"
    );

    let triage = || {
        Running::start(stage.dwindle("triage", TARGET).args(["--json", "--jobs", "1"]).arg(&all))
    };
    let (killed, other) = (triage(), triage());
    // Either of the two may record a failure first. The other one then has nothing new to report.
    wait_until("what failed is recorded", || has_records(&stage.path("store")));
    killed.signal(Signal::KILL);
    assert_eq!(killed.end().code, None);
    let again = triage().end();
    assert_eq!(again.code, Some(1), "{again:#?}");
    assert!(end(&again)["known"].as_u64().unwrap() > 0, "{again:#?}");
    assert_eq!(other.end().code, Some(1));
    assert_eq!(result(&stage, "store"), expected);

    // A part of the files, triaged elsewhere, and taken in twice.
    let third = stage.path("third");
    let part =
        outcome(stage.dwindle("triage", TARGET).arg(all.join("afl")).arg("--store").arg(&third));
    assert_eq!(part.code, Some(1), "{part:#?}");
    for _ in 0..2 {
        let merged = outcome(&mut stage.dwindle("merge", third.to_str().unwrap()));
        assert_eq!(merged.code, Some(0), "{merged:#?}");
        assert_eq!(result(&stage, "store"), expected);
    }
    // And the other way round.
    let merged = outcome(
        stage.dwindle("merge", stage.path("store").to_str().unwrap()).arg("--store").arg(&third),
    );
    assert_eq!(merged.code, Some(0), "{merged:#?}");
    assert_eq!(result(&stage, "third"), expected);
    stage.leaves_no_process();
}

#[test]
fn an_interrupted_triage_continues_where_it_stopped() {
    for signal in [Signal::INT, Signal::TERM] {
        let stage = Stage::fixture();
        crashes::write(&stage.path("files"), 300, 3).unwrap();
        let triage = || {
            Running::start(
                stage
                    .dwindle("triage", TARGET)
                    .args(["--json", "--jobs", "1"])
                    .arg(stage.path("files")),
            )
        };
        let mut run = triage();
        run.await_event(|event| {
            event["event"] == "progress"
                && event["phase"] == "running"
                && event["done"].as_u64() > Some(20)
        });
        run.signal(signal);
        let ended = run.end();
        assert_eq!(ended.code, Some(130), "{signal:?}: {ended:#?}");
        let said = end(&ended);
        assert_eq!(said["interrupted"], true);
        assert!(
            said["text"].as_str().unwrap().contains("interrupted, start it again to continue"),
            "{said:#}"
        );
        let run = said["run"].as_u64().unwrap();
        assert!((20..300).contains(&run), "{said:#}");
        stage.leaves_no_process();

        let ended = triage().end();
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        assert_eq!(
            (end(&ended)["known"].as_u64(), end(&ended)["run"].as_u64()),
            (Some(run), Some(300 - run)),
            "nothing that was run is lost or run again"
        );
        let counted: Vec<u64> = stage
            .bugs(TARGET)
            .iter()
            .map(|bug| if bug.status() == "minimized" { bug.hits() } else { 0 })
            .collect();
        assert_eq!(counted, [60; 5]);
    }
}

#[test]
fn the_next_triage_minimizes_the_pending_bugs_of_a_killed_triage() {
    let stage = Stage::fixture();
    let numbers: Vec<u8> = (0..60).flat_map(|number| [1, 100 + number]).collect();
    fs::create_dir(stage.path("files")).unwrap();
    stage.file("files/crash", &numbers);
    let mut slow = stage.dwindle("triage", "slow");
    slow.args(["--json", "--budget", "600s"])
        .arg(stage.path("files"))
        .env("FIXTURE_SLEEP_MS", "100");
    let mut run = Running::start(&mut slow);
    run.await_event(|event| event["event"] == "progress" && event["phase"] == "minimizing");
    run.signal(Signal::KILL);
    assert_eq!(run.end().code, None);
    stage.leaves_no_process();
    let pending = stage.only_bug("slow");
    assert_eq!((pending.status(), pending.hits()), ("pending", 1));

    // Even if there is nothing of it among the files.
    let ended = outcome(stage.dwindle("triage", "slow").arg(stage.file("harmless", &[1, 5])));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let bug = stage.only_bug("slow");
    assert_eq!(
        (bug.status(), bug.draws().as_str(), bug.hits()),
        ("minimized", "[0, 0, 0, 0, 0, 0, 0, 0]", 1)
    );
    assert_eq!(bug.original(), numbers);
}

#[test]
fn a_stored_input_stays_unless_a_smaller_one_is_found() {
    let stage = Stage::fixture();
    let first = outcome(
        stage.dwindle("min", TARGET).arg(stage.file("one", &[2, 220])).args(["--budget", "1"]),
    );
    assert_eq!(first.code, Some(1), "{first:#?}");
    let before = stage.only_bug(TARGET);
    let larger =
        outcome(stage.dwindle("triage", TARGET).arg(stage.file("two", &[1, 0, 0, 2, 230])));
    assert_eq!(larger.code, Some(1), "{larger:#?}");
    let after = stage.only_bug(TARGET);
    assert_eq!((after.draws().as_str(), after.hits()), ("[Read(200)]", 2), "{before:#?}");
    let kept = fs::read(after.input()).unwrap();
    let poorer = outcome(
        stage
            .dwindle("triage", TARGET)
            .arg(stage.file("three", &[1, 0, 0, 2, 231]))
            .args(["--budget", "1"]),
    );
    assert_eq!(poorer.code, Some(1), "{poorer:#?}");
    assert_eq!(
        (fs::read(stage.only_bug(TARGET).input()).unwrap(), stage.only_bug(TARGET).hits()),
        (kept, 3)
    );
}

#[test]
fn a_flaky_file_is_listed_with_its_rate() {
    let stage = Stage::fixture();
    let ended = outcome(
        stage
            .dwindle("triage", "every_third")
            .args([stage.file("one", &[1, 7, 1, 200, 1, 9, 0]), stage.file("two", &[1, 3, 0])]),
    );
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says("1 file failed only sometimes (flaky):");
    ended.says("in 10 of 30 runs");
    ended.says("1 file did not fail:");
    let bug = stage.only_bug("every_third");
    assert_eq!((bug.status(), bug.draws().as_str(), bug.hits()), ("flaky", "[100]", 1));
}

#[test]
fn state_left_by_earlier_runs_does_not_change_the_result() {
    let stage = Stage::fixture();
    let files: Vec<_> =
        (0..6).map(|n| stage.file(&format!("crash-{n}"), &[1, 100 + n, 1, 200, 0])).collect();
    let ended =
        outcome(stage.dwindle("triage", "first_only").args(["--json", "--jobs", "1"]).args(&files));
    assert_eq!(
        (&end(&ended)["failed"], &end(&ended)["flaky"]),
        (&json!(6), &json!(0)),
        "{ended:#?}"
    );
    let bug = stage.only_bug("first_only");
    assert_eq!((bug.status(), bug.draws().as_str(), bug.hits()), ("minimized", "[100]", 6));
}

#[test]
fn call_paths_with_equal_minimized_inputs_are_joined_and_keep_their_samples() {
    let stage = Stage::fixture();
    let (left, right) = ([1, 120, 0], [2, 180, 0]);
    let triage = || {
        outcome(
            stage
                .dwindle("triage", "two_ways")
                .arg("--json")
                .args([stage.file("left", &left), stage.file("right", &right)]),
        )
    };
    let ended = triage();
    assert_eq!((ended.code, &end(&ended)["joined"]), (Some(1), &json!(1)), "{ended:#?}");
    let bug = stage.only_bug("two_ways");
    assert_eq!((bug.draws().as_str(), bug.hits(), bug.variants().len()), ("[Left(100)]", 2, 0));
    let originals: Vec<_> = names_in(&bug.dir)
        .into_iter()
        .filter(|name| name.starts_with("original-"))
        .map(|name| fs::read(bug.dir.join(name)).unwrap())
        .collect();
    assert!(
        originals.len() == 2
            && originals.contains(&left.to_vec())
            && originals.contains(&right.to_vec()),
        "{originals:?}"
    );
    let kept = tree(&stage.path("store"));
    assert_eq!(triage().code, Some(1));
    assert!(tree(&stage.path("store")) == kept, "the store was changed");
}

#[test]
fn files_on_which_the_target_hangs_are_one_bug() {
    let stage = Stage::fixture();
    // The eleventh way never ends.
    let files = [stage.file("one", &[1, 200, 11, 77, 0]), stage.file("two", &[11, 200, 0])];
    let ended = outcome(stage.dwindle("triage", "deadly").args(&files));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let bug = stage.only_bug("deadly");
    assert_eq!(
        (bug.report["kind"].as_str(), bug.draws().as_str(), bug.hits()),
        (Some("timeout"), "[(EndlessLoop, 10)]", 2)
    );
}

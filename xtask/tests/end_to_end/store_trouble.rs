//! A store that cannot be written, and one that holds what cannot be read.

use std::fs;
use std::path::PathBuf;

use rustix::process::Signal;

use crate::processes::{Running, wait_until};
use crate::stage::{Stage, outcome};

#[test]
fn every_command_names_a_store_that_cannot_be_written() {
    let stage = Stage::fixture();
    let file = stage.file("file", b"no folder");
    let store = file.join("store");
    let crash = stage.file("crash", &[1, 42]);
    let commands = [
        stage.run("two_bugs", &[], &["-runs=10"]),
        stage.run("two_bugs", &["--engine", "random"], &["-runs=10"]),
        {
            let mut min = stage.dwindle("min", "two_bugs");
            min.arg(&crash);
            min
        },
    ];
    for mut command in commands {
        let ended = outcome(command.env("DWINDLE_STORE", &store));
        assert_eq!(ended.code, Some(3), "{ended:#?}");
        ended.says(store.to_str().unwrap());
        assert!(!ended.stderr.contains("panicked"), "{ended:#?}");
    }
    assert_eq!(fs::read(&file).unwrap(), b"no folder");
    assert_eq!(fs::read(&crash).unwrap(), [1, 42]);
}

#[test]
fn a_file_is_not_a_store() {
    let stage = Stage::fixture();
    let file = stage.file("file", b"no folder");
    for subcommand in ["list", "check"] {
        let ended = outcome(stage.dwindle_for_all(subcommand).arg("--store").arg(&file));
        assert_eq!(ended.code, Some(3), "{ended:#?}");
        assert_eq!(
            ended.stderr.matches("is a file, but a store is a folder").count(),
            1,
            "{ended:#?}"
        );
    }
}

#[test]
fn a_run_names_damaged_files_and_continues() {
    let stage = Stage::fixture();
    let made = outcome(
        stage
            .dwindle("min", "two_bugs")
            .args([stage.file("one", &[1, 42]), stage.file("two", &[1, 0, 1, 0, 1, 0])]),
    );
    assert_eq!(made.code, Some(1), "{made:#?}");
    let [three_numbers, number_42] = &stage.bugs("two_bugs")[..] else { panic!("not two bugs") };
    let (whole, damaged) = (three_numbers.id().to_owned(), number_42);
    let report = damaged.dir.join("report.json");
    fs::write(&report, b"{\"format\": 1, torn").unwrap();
    let stray = stage.path("store/two_bugs/stray");
    fs::write(&stray, b"stray").unwrap();

    for options in [&["--json"][..], &["--json", "--engine", "random"]] {
        let ended = outcome(&mut stage.run("two_bugs", options, &["-seed=1", "-runs=20000"]));
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        let start = &ended.events("start")[0];
        assert_eq!(start["known"], 1);
        let said = format!("{}\n{}", start["text"].as_str().unwrap(), ended.stderr);
        for path in [&report, &stray] {
            assert!(
                said.contains(path.to_str().unwrap()),
                "{} is not named in {said}",
                path.display()
            );
        }
        assert_eq!(fs::read(&report).unwrap(), b"{\"format\": 1, torn");
        assert_eq!(fs::read(&stray).unwrap(), b"stray");
        let end = &ended.events("end")[0];
        assert!(end["executions"].as_u64().unwrap() >= 20_000);
        assert!(
            end["bugs"]
                .as_array()
                .unwrap()
                .iter()
                .any(|bug| bug["report"]["bug_id"] == whole.as_str()),
            "{ended:#?}"
        );
    }
}

#[test]
fn text_output_names_damaged_files() {
    let stage = Stage::fixture();
    fs::create_dir_all(stage.path("store/two_bugs")).unwrap();
    let stray = stage.path("store/two_bugs/stray");
    fs::write(&stray, b"stray").unwrap();
    let ended =
        outcome(&mut stage.run("two_bugs", &["--stop-on-first"], &["-seed=1", "-runs=1000000"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says("stray");
    assert_eq!(fs::read(&stray).unwrap(), b"stray");
}

#[test]
fn a_bug_whose_folder_is_removed_during_a_run_is_claimed_again() {
    let stage = Stage::fixture();
    for mut command in
        [stage.run("two_bugs", &["--json"], &["-seed=1"]), stage.campaign("two_bugs", &["--json"])]
    {
        let mut run = Running::start(&mut command);
        let minimized = run.await_event(|event| event["event"] == "minimized");
        let folder = PathBuf::from(minimized["directory"].as_str().unwrap());
        // A process that counts may write to the folder, and the removal then fails.
        wait_until("it is gone", || fs::remove_dir_all(&folder).is_ok());
        wait_until("it is there again", || folder.join("report.json").is_file());
        run.signal(Signal::INT);
        let ended = run.end();
        assert_eq!(ended.code, Some(130), "{ended:#?}");
        stage.leaves_no_process();
        fs::remove_dir_all(stage.path("store")).unwrap();
    }
}

//! Campaigns of AFL++, with a real afl-fuzz.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use rustix::process::Signal;

use crate::bugs::Bug;
use crate::processes::{Running, kill, wait_until};
use crate::stage::{Stage, files_in, outcome};

impl Stage {
    /// What the instances of the campaign keep in folders of this name.
    fn kept_by_afl(&self, folder: &str) -> Vec<PathBuf> {
        let instances = files_in(&self.path("out")).into_iter().filter(|path| path.is_dir());
        let kept = instances.flat_map(|instance| files_in(&instance.join(folder)));
        kept.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("id")).collect()
    }
}

fn ids(bugs: &[Bug]) -> BTreeSet<String> {
    bugs.iter().map(|bug| bug.id().to_owned()).collect()
}

#[test]
fn a_campaign_keeps_each_panic_once_and_minimizes_it_while_it_runs() {
    let stage = Stage::fixture();
    let ended =
        outcome(&mut stage.campaign("two_bugs", &["--jobs", "2", "--max-time", "20", "--json"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let bugs = stage.bugs("two_bugs");
    let mut found: Vec<_> = bugs.iter().map(|bug| (bug.draws(), bug.status().to_owned())).collect();
    found.sort();
    assert_eq!(
        found,
        [
            ("[0, 0, 0]".to_owned(), "minimized".to_owned()),
            ("[42]".to_owned(), "minimized".to_owned())
        ]
    );
    assert_eq!((ended.events("bug").len(), ended.events("minimized").len()), (2, 2), "{ended:#?}");

    let end = &ended.events("end")[0];
    let [executions, hits] = ["executions", "hits"].map(|field| end[field].as_u64().unwrap());
    assert!(executions > 1000 && hits > 100, "{end}");
    // They are those that libFuzzer finds.
    let other = Stage::fixture();
    outcome(&mut other.run("two_bugs", &[], &["-seed=1", "-runs=100000"]));
    assert_eq!(ids(&bugs), ids(&other.bugs("two_bugs")));

    // A panic is one crash of one instance, and nothing that fails is for the corpus.
    let crashes = stage.kept_by_afl("crashes");
    let shown: Vec<_> = crashes
        .iter()
        .map(|file| outcome(stage.dwindle("show", "two_bugs").arg(file)).stdout)
        .collect();
    let kept: BTreeSet<&str> = shown
        .iter()
        .map(|shown| shown.lines().find_map(|line| line.strip_prefix("bug ")).expect(shown))
        .collect();
    assert_eq!((kept.len(), crashes.len()), (2, 2), "{crashes:?}");
    let queue = stage.kept_by_afl("queue");
    assert!(queue.len() > 2, "{queue:?}");
    for file in queue {
        let shown = outcome(stage.dwindle("show", "two_bugs").arg(&file));
        assert_eq!(shown.code, Some(0), "{}: {shown:#?}", file.display());
    }
    stage.leaves_no_process();
}

#[test]
fn a_score_leads_a_campaign_where_coverage_shows_nothing() {
    let stage = Stage::fixture();
    // Some hundred thousand executions; without the score it would take as many as there are ways.
    let ended = outcome(&mut stage.campaign("maze", &["--max-time", "150", "--stop-on-first"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert_eq!(stage.only_bug("maze").message(), "the end of the maze");
    stage.leaves_no_process();
}

#[test]
fn campaigns_mutate_choices() {
    let found = |stage: &Stage| {
        let names = stage.kept_by_afl("queue").into_iter().map(|path| path.display().to_string());
        names.filter(|name| name.contains("op:libdwindle_m")).count()
    };
    let stage = Stage::fixture();
    let run = Running::start(&mut stage.campaign("twenty", &["--json"]));
    wait_until("afl-fuzz asks the library for mutants and names it", || found(&stage) > 0);
    run.signal(Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{ended:#?}");
    stage.leaves_no_process();
    let found_without = |target: &str, without: &str| {
        let stage = Stage::fixture();
        let mut command = stage.campaign(target, &["--max-time", "15"]);
        let ended = outcome(command.env("DWINDLE_WITHOUT", without));
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        stage.leaves_no_process();
        found(&stage)
    };
    assert_eq!(found_without("twenty", "choice-mutations"), 0);
    assert_eq!(found_without("drop_in_value", ""), 0, "a drop-in target has no choices");
}

#[test]
fn rejected_inputs_are_not_kept() {
    let stage = Stage::fixture();
    fs::write(stage.path("corpus/one"), [1]).unwrap();
    let ended = outcome(&mut stage.campaign("rejects_all", &["--max-time", "6", "--json"]));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(ended.events("end")[0]["executions"].as_u64().unwrap() > 1000, "{ended:#?}");
    let queue = stage.kept_by_afl("queue");
    assert_eq!(queue.len(), 1, "the seed alone: {queue:?}");
}

#[test]
fn inputs_that_kill_the_target_are_minimized() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.campaign("twenty", &["--max-time", "20", "--json"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let bugs = stage.bugs("twenty");
    let deaths: Vec<_> = bugs
        .iter()
        .filter(|bug| bug.report["kind"] == "abort" || bug.report["kind"] == "segv")
        .collect();
    assert!(!deaths.is_empty() && deaths.len() < bugs.len(), "{bugs:#?}");
    assert!(deaths.iter().any(|bug| bug.status() == "minimized"), "{deaths:#?}");
    assert_eq!(ids(&bugs).len(), bugs.len());
    stage.leaves_no_process();
}

#[test]
fn a_campaign_continues_when_all_seeds_fail() {
    let stage = Stage::fixture();
    fs::write(stage.path("corpus/fails"), [1, 42, 0]).unwrap();
    let ended = outcome(&mut stage.campaign("two_bugs", &["--max-time", "8", "--json"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert!(ended.events("end")[0]["executions"].as_u64().unwrap() > 100, "{ended:#?}");
}

#[test]
fn ctrl_c_ends_all_instances_and_prints_the_table() {
    let stage = Stage::fixture();
    let mut run = Running::start(&mut stage.campaign("two_bugs", &["--jobs", "2", "--json"]));
    run.await_event(|event| event["event"] == "minimized");
    run.signal(Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{ended:#?}");
    assert_eq!(ended.events("end")[0]["interrupted"], true);
    stage.leaves_no_process();
    // What the instances knew is in the store, and the campaign goes on where it was.
    assert!(stage.bugs("two_bugs").iter().map(Bug::hits).sum::<u64>() > 0);
    let again = outcome(&mut stage.campaign("two_bugs", &["--jobs", "2", "--max-time", "6"]));
    assert_eq!(again.code, Some(1), "{again:#?}");
    again.says("continues the campaign");
}

#[test]
fn a_campaign_whose_command_is_killed_leaves_no_process() {
    let stage = Stage::fixture();
    let mut command = stage.campaign("two_bugs", &["--jobs", "2", "--json"]);
    let mut run = Running::start(&mut command);
    run.await_event(|event| event["event"] == "bug");
    for process in stage.processes().iter().filter(|process| process.program == "cargo-dwindle") {
        kill(process.pid);
    }
    run.end();
    stage.leaves_no_process();
    for bug in stage.bugs("two_bugs") {
        assert!(bug.input().is_file(), "{bug:?}");
    }
}

#[test]
fn a_killed_afl_fuzz_leaves_no_process_of_a_target_that_hangs() {
    let stage = Stage::fixture();
    fs::create_dir_all(stage.path("corpus")).unwrap();
    fs::write(stage.path("corpus").join("hangs"), [1]).unwrap();
    let options = ["--jobs", "1", "--json", "--", "-t", "600000"];
    let run = Running::start(&mut stage.campaign("late_hangs", &options));
    wait_until("the target hangs", || {
        let of_the_target = stage.processes().into_iter();
        of_the_target.filter(|process| process.program == "late_hangs").any(|process| {
            // Before it hangs, the target works for 0.8 s.
            processor_time(process.pid).is_some_and(|ticks| ticks > 100)
        })
    });
    for process in stage.processes().iter().filter(|process| process.program == "afl-fuzz") {
        kill(process.pid);
    }
    run.end();
    stage.leaves_no_process();
}

/// The processor time of a process in user mode, in hundredths of a second.
fn processor_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(11)?.parse().ok()
}

#[test]
fn a_campaign_that_the_user_started_is_watched() {
    let stage = Stage::fixture();
    let crashes = stage.path("out/fuzzer1/crashes");
    for folder in ["queue", "crashes", "hangs"] {
        fs::create_dir_all(stage.path("out/fuzzer1").join(folder)).unwrap();
    }
    fs::write(stage.path("out/fuzzer1/fuzzer_stats"), "execs_done        : 7000\n").unwrap();
    fs::write(crashes.join("README.txt"), "Command line used to find this crash:").unwrap();
    fs::write(crashes.join("id:000000,sig:06"), [1, 42, 1, 7, 0]).unwrap();
    let mut watch =
        Running::start(stage.dwindle("watch", "two_bugs").arg(stage.path("out")).arg("--json"));
    watch.await_event(|event| {
        event["event"] == "minimized" && event["report"]["value"][0] == "[42]"
    });
    // As a synced folder gets its files: under another name first.
    fs::write(crashes.join(".id:000001,sig:06.part"), [1, 5, 1, 7, 1, 9, 0]).unwrap();
    fs::rename(crashes.join(".id:000001,sig:06.part"), crashes.join("id:000001,sig:06")).unwrap();
    watch.await_event(|event| {
        event["event"] == "minimized" && event["report"]["value"][0] == "[0, 0, 0]"
    });
    fs::write(crashes.join("id:000002,sig:06"), [1, 7, 0]).unwrap();
    let passing = watch.await_event(|event| event["event"] == "outcome");
    assert!(passing["file"].as_str().unwrap().ends_with("id:000002,sig:06"), "{passing}");
    watch.signal(Signal::INT);
    let ended = watch.end();
    assert_eq!(ended.code, Some(130), "{ended:#?}");
    assert_eq!(stage.bugs("two_bugs").len(), 2);
    stage.leaves_no_process();
}

#[test]
fn a_target_for_afl_started_by_hand_fails_as_any_target_does() {
    let stage = Stage::fixture();
    outcome(&mut stage.campaign("two_bugs", &["--max-time", "1"]));
    let binary = binary_for_afl("two_bugs");
    let failing = stage.file("failing", &[1, 42, 0]);
    let by_name = outcome(
        std::process::Command::new(&binary)
            .arg(&failing)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped()),
    );
    assert_eq!(by_name.code, None, "{by_name:?}");
    by_name.says("draw  [42]");
    by_name.says("the number 42");
    let mut command = std::process::Command::new(&binary);
    command
        .stdin(fs::File::open(&failing).unwrap())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let by_stdin = outcome(&mut command);
    assert_eq!(by_stdin.code, None, "{by_stdin:?}");
    by_stdin.says("the number 42");
}

/// The executable that a campaign has built.
fn binary_for_afl(target: &str) -> PathBuf {
    let mut folders = fs::read_dir(xtask::tools::fuzz_target_dir().join("dwindle-afl"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("release"));
    folders.find_map(|folder| Some(folder.join(target)).filter(|path| path.is_file())).unwrap()
}

#[test]
fn afl_fuzz_counts_no_edges_of_dwindle() {
    let stage = Stage::fixture();
    outcome(&mut stage.campaign("two_bugs", &["--max-time", "1"]));
    let edges = |dwindle: &str| -> u32 {
        let output = std::process::Command::new(binary_for_afl("two_bugs"))
            .env("AFL_DUMP_MAP_SIZE", "1")
            .env("DWINDLE", dwindle)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        said.trim().parse().unwrap_or_else(|_| panic!("{output:?}"))
    };
    let (counted, all) = (edges("on"), edges("off"));
    assert!(0 < counted && counted * 2 < all, "{counted} of {all}");
}

#[test]
fn errors_of_watch_and_run_say_what_to_do() {
    let stage = Stage::fixture();
    let missing = outcome(stage.dwindle("watch", "two_bugs").arg(stage.path("nowhere")));
    assert_eq!(missing.code, Some(2), "{missing:?}");
    missing.says("does not exist; name the folder that afl-fuzz was given with -o");
    let strange = outcome(stage.dwindle("watch", "two_bugs").arg(stage.path("corpus")));
    assert_eq!(strange.code, Some(2), "{strange:?}");
    strange.says("is not an output folder of AFL++");

    let not_built =
        outcome(stage.campaign("two_bugs", &[]).env("XDG_DATA_HOME", stage.path("nothing")));
    assert_eq!(not_built.code, Some(3), "{not_built:?}");
    not_built.says("cargo afl config --build");
    let bad_option =
        outcome(stage.campaign("two_bugs", &["--max-time", "5"]).args(["--", "-p", "nonsense"]));
    assert_eq!(bad_option.code, Some(3), "{bad_option:?}");
    bad_option.says("the instance `main` of afl-fuzz ended");
    stage.leaves_no_process();
}

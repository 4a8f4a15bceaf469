//! `cargo dwindle explore` in a terminal.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::processes::{kill, wait_until};
use crate::repro::copy_fixture;
use crate::stage::{Outcome, Stage, outcome};
use crate::terminal::Terminal;

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const ESC: &str = "\x1b";
const CTRL_C: &str = "\x03";

/// A store with the bug of an input.
fn with_bug(target: &str, input: &[u8], set: &[(&str, &str)]) -> Stage {
    let stage = Stage::fixture();
    let file = stage.file("crash", input);
    let ended = outcome(stage.dwindle("min", target).arg(&file).envs(set.iter().copied()));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    stage
}

fn explore(stage: &Stage, target: &str) -> Terminal {
    Terminal::start(&stage.dwindle("explore", target), 24, 100)
}

fn quit(mut terminal: Terminal, code: u32) {
    terminal.press("q");
    assert_eq!(terminal.end().0, code);
}

#[test]
fn the_value_is_a_tree_with_claims_and_keys_show_examples_and_a_passing_input() {
    let stage = with_bug("two_bugs", &[1, 42, 1, 42, 0], &[]);
    let mut terminal = explore(&stage, "two_bugs");
    terminal.await_words("the number 42");
    terminal.await_words("any further elements anywhere (");
    let rows = terminal.rows();
    assert!(rows[0].contains("panic at fuzz_targets/two_bugs.rs"), "{rows:#?}");
    assert!(rows[1].starts_with("- [ ") && rows[1].contains("any further"), "{rows:#?}");
    assert!(rows[2].starts_with("    42"), "{rows:#?}");
    terminal.press("m");
    terminal.await_words("examples of the class");
    terminal.await_screen("five examples", |text| text.matches("\nfails    [").count() == 5);
    terminal.press("p");
    terminal.await_words("\npasses   [");
    // The first row folds, and shows all of the value.
    terminal.press(&format!("{UP}h"));
    terminal.await_words("+ [42]");
    // A result as a tree.
    terminal.press("\t\r");
    terminal.await_words("(Esc goes back)");
    terminal.press(ESC);
    terminal.await_words("+ [42]");
    terminal.press("w");
    terminal.await_words("y/n");
    terminal.press("n");
    terminal.await_words("nothing was written");
    quit(terminal, 0);
    stage.leaves_no_process();
}

#[test]
fn a_part_is_fixed_and_freed() {
    let stage = with_bug("two_bugs", &[1, 42, 1, 42, 0], &[]);
    let mut terminal = explore(&stage, "two_bugs");
    terminal.await_words("any further elements anywhere (");
    // Without the claim nothing may vary.
    terminal.press("x");
    terminal.await_words("[fixed]");
    terminal.await_words("no part may vary: free one first");
    terminal.press(&format!("c{DOWN}x"));
    terminal.await_words("nothing is claimed of this part");
    // Any other number passes.
    terminal.press("f");
    terminal.await_words("[freed]");
    terminal.await_screen("passing examples", |text| text.matches("\npasses   [").count() >= 3);
    quit(terminal, 0);
}

#[test]
fn n_finds_another_cause_and_brackets_turn_between_causes() {
    let stage = with_bug("causes", &[1, 200, 0, 0, 0], &[]);
    let mut terminal = explore(&stage, "causes");
    terminal.await_words("any value");
    terminal.press("n");
    terminal.await_words("cause 2/2");
    terminal.press("[");
    terminal.await_words("cause 1/2");
    terminal.press("n");
    terminal.await_screen("a third cause or none", |text| {
        text.contains("/3") || text.contains("fails in another way")
    });
    quit(terminal, 1);
}

#[test]
fn a_small_terminal_and_another_size_are_enough() {
    let stage = with_bug("two_bugs", &[1, 42, 1, 42, 0], &[]);
    let mut terminal = Terminal::start(&stage.dwindle("explore", "two_bugs"), 10, 40);
    terminal.await_words("any further");
    terminal.press("m");
    terminal.await_words("5 examples");
    terminal.press("\t");
    terminal.await_words("\nfails    [");
    terminal.await_words("q quit");
    terminal.press("?");
    terminal.await_words("look for another cause");
    terminal.press("?");
    terminal.resize(30, 120);
    terminal.await_words("n next  m more");
    terminal.await_screen("both panes", |text| text.contains("42") && text.contains("\nfails"));
    terminal.resize(3, 10);
    terminal.press("\t\t");
    terminal.resize(24, 80);
    terminal.await_words("n next  m more");
    quit(terminal, 0);
}

#[test]
fn ctrl_c_and_sigterm_restore_the_terminal() {
    let stage = with_bug("two_bugs", &[1, 42, 1, 42, 0], &[]);
    let mut terminal = explore(&stage, "two_bugs");
    terminal.await_words("the number 42");
    terminal.press(CTRL_C);
    assert_eq!(terminal.end().0, 130);
    let terminal = explore(&stage, "two_bugs");
    terminal.await_words("any further elements anywhere (");
    let processes = stage.processes();
    let tool = processes.iter().find(|process| process.program == "cargo-dwindle").unwrap();
    let sent = Command::new("kill").args(["-TERM", &tool.pid.to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(terminal.end().0, 130);
    stage.leaves_no_process();
}

#[test]
fn a_closed_terminal_ends_the_command() {
    let stage = with_bug("two_bugs", &[1, 42, 1, 42, 0], &[]);
    let explore = stage.dwindle("explore", "two_bugs");
    let words = std::iter::once(explore.get_program()).chain(explore.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    // `script` is the terminal, and can be killed.
    let mut terminal = Command::new("script");
    terminal.args(["--quiet", "--command", &words.join(" "), "/dev/null"]);
    terminal.current_dir(explore.get_current_dir().unwrap()).env("TERM", "xterm-256color");
    terminal.envs(explore.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut terminal = terminal.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let is_open = |stage: &Stage| !stage.processes_of("two_bugs", Some("explore")).is_empty();
    wait_until("the target answers", || is_open(&stage));
    terminal.kill().unwrap();
    terminal.wait().unwrap();
    stage.leaves_no_process();
}

#[test]
fn a_target_that_is_killed_is_said_and_starts_again() {
    let stage = with_bug("two_bugs", &[1, 42, 1, 42, 0], &[]);
    let mut terminal = explore(&stage, "two_bugs");
    terminal.await_words("any further elements anywhere (");
    let processes = stage.processes();
    let tool = processes.iter().find(|process| process.program == "cargo-dwindle").unwrap();
    let child = processes.iter().find(|process| process.parent == tool.pid).unwrap();
    assert_eq!(child.mode.as_deref(), Some("explore"));
    kill(child.pid);
    terminal.await_words("was killed by signal 9");
    terminal.press("m");
    terminal.await_words("5 examples");
    quit(terminal, 0);
}

#[test]
fn a_slow_target_leaves_the_screen_alive_and_is_stopped_by_escape() {
    let input: Vec<u8> = [[1, 0]; 8].concat();
    let stage = with_bug("slow", &input, &[]);
    let mut command = stage.dwindle("explore", "slow");
    command.env("FIXTURE_SLEEP_MS", "1000");
    let mut terminal = Terminal::start(&command, 24, 100);
    terminal.await_words("finding the parts");
    terminal.press("h");
    terminal.await_words("+ [0, 0, 0, 0, 0, 0, 0, 0]");
    terminal.press(ESC);
    terminal.await_words("stopped finding the parts");
    terminal.press("m");
    terminal.await_words("drawing examples");
    terminal.await_words("\nfails    [");
    terminal.press(ESC);
    terminal.await_words("stopped drawing examples");
    quit(terminal, 0);
    stage.leaves_no_process();
}

#[test]
fn a_target_that_dies_is_survived() {
    // One step: a write to address zero.
    let set = [("DEADLY_WAY", "NullWrite")];
    let stage = with_bug("deadly", &[7, 10, 0], &set);
    let mut command = stage.dwindle("explore", "deadly");
    command.envs(set);
    let mut terminal = Terminal::start(&command, 24, 100);
    terminal.await_words("NullWrite");
    terminal.await_words("any value from 10");
    terminal.press("m");
    terminal.await_screen("examples that die", |text| text.matches("\nfails    [").count() == 5);
    quit(terminal, 0);
}

#[test]
fn a_long_or_wild_value_is_cut_and_escaped() {
    for (way, shown) in [("debug-huge", "xxxxx"), ("debug-noise", "1b")] {
        let stage = with_bug("odd", &[1, 10, 0], &[("ODD_WAY", way)]);
        let mut command = stage.dwindle("explore", "odd");
        command.env("ODD_WAY", way);
        let mut terminal = Terminal::start(&command, 24, 100);
        terminal.await_words(shown);
        terminal.press("m");
        terminal.await_words("\nfails    ");
        // Raw, the noise would clear the screen.
        assert!(terminal.rows()[0].starts_with("odd "), "{}", terminal.text());
        quit(terminal, 0);
    }
}

#[test]
fn a_flaky_bug_has_no_claims_and_says_so() {
    let stage = with_bug("every_third", &[1, 100, 0], &[]);
    assert_eq!(stage.only_bug("every_third").status(), "flaky");
    let terminal = explore(&stage, "every_third");
    terminal.await_words("it does not fail in every run");
    quit(terminal, 0);
}

#[test]
fn several_bugs_are_listed_and_a_damaged_one_says_what_is_wrong() {
    let stage = with_bug("two_bugs", &[1, 42, 1, 42, 0], &[]);
    let file = stage.file("crash-2", &[1, 0, 1, 0, 1, 0, 0]);
    outcome(stage.dwindle("min", "two_bugs").arg(&file));
    let damaged = stage.bugs("two_bugs").remove(0);
    fs::write(damaged.dir.join("report.json"), "{").unwrap();
    let mut terminal = explore(&stage, "two_bugs");
    terminal.await_words("two_bugs: 2 bugs");
    // The damaged one is the last of the list.
    terminal.press(&format!("{DOWN}\r"));
    terminal.await_words("damaged: ");
    terminal.await_words("is not a report");
    terminal.press(&format!("{UP}\r"));
    terminal.await_words("the number 42");
    terminal.press("b");
    terminal.await_words("two_bugs: 2 bugs");
    quit(terminal, 0);
    let mut command = stage.dwindle("explore", "two_bugs");
    let (code, text) = Terminal::start(command.arg(damaged.id()), 24, 100).end();
    assert!(code == 3 && text.contains("is damaged"), "{code} {text}");
}

#[test]
fn wrong_use_is_said_before_the_screen_opens() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.dwindle("explore", "two_bugs"));
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    ended.says("explore needs a terminal");
    ended.says("cargo dwindle show");
    ended.says("cargo dwindle next");
    let in_terminal = |stage: &Stage, arguments: &[&str], target: &str| {
        let mut command = stage.dwindle("explore", target);
        Terminal::start(command.args(arguments), 24, 200).end()
    };
    let (code, text) = in_terminal(&stage, &[], "two_bugs");
    assert!(code == 2 && text.contains("has no bugs of `two_bugs`"), "{code} {text}");
    let (code, text) = in_terminal(&stage, &["--json"], "two_bugs");
    assert!(code == 2 && text.contains("explore has no --json"), "{code} {text}");
    let stage = with_bug("two_bugs", &[1, 42, 1, 42, 0], &[]);
    for unknown in ["0123456789abcdef", "no-id"] {
        let (code, text) = in_terminal(&stage, &[unknown], "two_bugs");
        assert!(code == 2 && text.contains(unknown), "{code} {text}");
        assert!(text.contains(stage.only_bug("two_bugs").id()), "{text}");
    }
    fs::rename(stage.path("store/two_bugs"), stage.path("store/broken")).unwrap();
    let (code, text) = in_terminal(&stage, &["--features", "broken"], "broken");
    assert!(code == 3 && text.contains("`broken` does not build"), "{code} {text}");
}

#[test]
fn a_request_that_cannot_be_answered_is_refused_and_the_next_one_is_answered() {
    let stage = with_bug("two_bugs", &[1, 42, 1, 42, 0], &[]);
    let id = stage.only_bug("two_bugs").id().to_owned();
    let request = |number: u32, id: &str, rest: &str| {
        format!(r#"{{"number":{number},"bug_id":"{id}",{rest}}}"#)
    };
    let lines = [
        "no request".to_owned(),
        request(1, "0123456789abcdef", r#""request":"parts""#),
        request(2, &id, r#""cause":"cause-gone","request":"parts""#),
        request(3, &id, r#""request":"examples","count":1,"seed":0,"freed":[{"span":999}]"#),
        request(4, &id, r#""request":"passing""#),
    ];
    let mut command = stage.binary("two_bugs");
    let mut child = command.env("DWINDLE_MODE", "explore").stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
    let ended = Outcome::of(&child.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    ended.says("a line is not a request");
    for gone in ["0123456789abcdef/report.json", "variant-cause-gone/report.json"] {
        ended.says(gone);
    }
    ended.says("the input has no such part");
    ended.says("the nearest passing input");
}

#[test]
fn w_writes_the_test_of_the_bug_once() {
    let stage = with_bug("two_bugs", &[1, 42, 1, 42, 0], &[]);
    let fuzz = stage.path("fuzz");
    copy_fixture(&fuzz);
    let command = stage.dwindle_in(&fuzz, "explore", "two_bugs");
    let mut terminal = Terminal::start(&command, 24, 160);
    terminal.await_words("the number 42");
    terminal.press("wy");
    terminal.await_words("wrote ");
    terminal.press("wy");
    terminal.await_words("is there already");
    quit(terminal, 0);
    // `repro` shows that this text fails as the bug does.
    let bug = stage.only_bug("two_bugs");
    let written = fuzz.join(format!("tests/two_bugs_{}.rs", bug.id()));
    assert_eq!(fs::read(written).unwrap(), fs::read(bug.dir.join("repro.rs")).unwrap());
}

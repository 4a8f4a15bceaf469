//! Values, messages and names that would fill a screen or drive a terminal.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use xtask::odd::{FAILING, TARGET};

use crate::bugs::Bug;
use crate::stage::{Outcome, Stage, outcome};

/// More than everything that is said of one bug.
const SCREENS_BYTES: usize = 60_000;
/// What `report.json` may have where all values are long.
const JSON_BYTES: usize = 600_000;

#[test]
fn a_debug_of_twenty_megabytes_is_shown_in_part_and_kept_whole() {
    let (_stage, ended, bug) = minimized("debug-huge");
    is_fit_to_print(&ended.stdout);
    is_fit_to_print(&ended.stderr);
    ended.says("[10]xxxxxxxx");
    ended.says(" more bytes)");
    for file in ["report.txt", "repro.rs"] {
        let text = read(&bug, file);
        assert!(
            text.contains("[10]xxxxxxxx") && text.contains(" .. (20967428 more bytes)"),
            "{file}: {}",
            &text[..1000]
        );
        is_fit_to_print(&text);
    }
    assert!(read(&bug, "report.txt").contains("the full text is in full.txt"));
    let json = read(&bug, "report.json");
    assert!(json.len() < JSON_BYTES && json.contains(" more bytes)"), "{} bytes", json.len());
    let whole = read(&bug, "full.txt");
    let is_whole = whole.contains(&"x".repeat(20 << 20)) && whole.contains("x\n\naround it:");
    assert!(is_whole && whole.contains("\n\nframes:"), "{} bytes", whole.len());
}

#[test]
fn a_message_of_twenty_megabytes_is_shown_in_part_and_kept_whole() {
    let (_stage, ended, bug) = minimized("message-huge");
    is_fit_to_print(&ended.stdout);
    ended.says("    mmmmmmmm");
    assert!(read(&bug, "report.json").len() < JSON_BYTES);
    assert!(read(&bug, "full.txt").len() > 20 << 20);
}

#[test]
fn control_characters_of_values_and_messages_are_escaped() {
    for (way, escaped) in [
        ("debug-noise", r"[10] \u{1b}[2J\u{7}\u{9b}1m\u{202e}\u{2028}"),
        ("noise", r"\u{1b}]0;title\u{7} \u{9b}31m red \u{202e}desrever"),
    ] {
        let (stage, ended, bug) = minimized(way);
        ended.says(escaped);
        for text in [
            &ended.stdout,
            &ended.stderr,
            &read(&bug, "report.txt"),
            &read(&bug, "repro.rs"),
            &read(&bug, "report.json"),
        ] {
            is_fit_to_print(text);
        }
        // What the target prints is shown too.
        let shown = outcome(stage.dwindle("show", TARGET).arg(bug.input()).env("ODD_WAY", way));
        assert_eq!(shown.code, Some(1), "{shown:#?}");
        shown.says(escaped);
        is_fit_to_print(&shown.stdout);
        is_fit_to_print(&shown.stderr);
        let replayed = outcome(stage.binary(TARGET).arg(bug.input()).env("ODD_WAY", way));
        replayed.says(escaped);
        if way == "debug-noise" {
            is_fit_to_print(&replayed.stderr);
        }
        let json = outcome(
            stage.dwindle("show", TARGET).arg(bug.input()).arg("--json").env("ODD_WAY", way),
        );
        is_fit_to_print(&json.stdout);
        assert_eq!(json.events("outcome").len(), 1, "{json:#?}");
    }
}

#[test]
fn control_characters_of_file_names_are_escaped() {
    let stage = Stage::fixture();
    let folder = stage.path("crashes\x1b[1m");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join(OsStr::from_bytes(b"two\nlines \x1b[2J\xc2\x9b\xff")), FAILING).unwrap();
    fs::write(folder.join("harmless\x07"), [0]).unwrap();
    for subcommand in ["min", "triage"] {
        let ended = outcome(stage.dwindle(subcommand, TARGET).arg(&folder));
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        is_fit_to_print(&ended.stdout);
        is_fit_to_print(&ended.stderr);
        ended.says(r"harmless\u{7}");
    }
    let named = outcome(stage.dwindle("min", TARGET).arg(&folder));
    named.says(r"two\nlines \u{1b}[2J\u{9b}");
    let gone = outcome(stage.dwindle("min", TARGET).arg(stage.path("gone\x1b[2J")));
    assert_eq!(gone.code, Some(2), "{gone:#?}");
    gone.says(r"gone\u{1b}[2J");
    is_fit_to_print(&gone.stderr);
}

/// Minimizes a failing file in one of the ways of the target.
fn minimized(way: &str) -> (Stage, Outcome, Bug) {
    let stage = Stage::fixture();
    let ended = outcome(
        stage.dwindle("min", TARGET).arg(stage.file("crash", &FAILING)).env("ODD_WAY", way),
    );
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let bug = stage.only_bug(TARGET);
    assert_eq!(bug.status(), "minimized", "{bug:#?}");
    (stage, ended, bug)
}

fn read(bug: &Bug, file: &str) -> String {
    fs::read_to_string(bug.dir.join(file)).unwrap()
}

#[track_caller]
fn is_fit_to_print(text: &str) {
    let is_plain = |c: char| {
        c == '\n'
            || !(c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}'))
    };
    assert!(
        text.len() < SCREENS_BYTES && text.chars().all(is_plain),
        "{} bytes: {:?}",
        text.len(),
        text.chars().take(3000).collect::<String>()
    );
}

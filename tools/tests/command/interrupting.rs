//! Each request to end makes the command end in order. After that, none of its processes runs.

use crate::fixture::{Fixture, runs, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};

const HEARTBEAT: &str =
    r#"send {"event":"heartbeat","executions":10,"seconds":0.5,"bugs":0,"hits":0}"#;

fn start(fixture: &Fixture, arguments: &[&str]) -> Child {
    fixture.plain(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn an_interrupt_is_passed_on_once_and_the_orderly_end_is_waited_for() {
    for (sent, number) in [(Signal::INT, "2 0"), (Signal::TERM, "15 0"), (Signal::HUP, "15 0")] {
        let fixture = Fixture::new(&format!(
            "{HEARTBEAT}\nsleeper\nawait-signal\nsend {{\"event\":\"end\",\"command\":\"run\",\"text\":\"in \
             order\",\"interrupted\":true}}\nexit 72"
        ));
        let child = start(&fixture, &["run", "alpha"]);
        let sleeper = fixture.await_file("sleeper");
        signal(&child, sent);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "in order\n");
        assert_eq!(fixture.await_file("signal"), number);
        assert!(!runs(&fixture.await_file("pid")));
        wait_until("the target's own children have ended", || !runs(&sleeper));
    }
}

#[test]
fn a_second_interrupt_kills_what_does_not_end() {
    let fixture = Fixture::new(&format!("{HEARTBEAT}\nsleeper\nignore-signals"));
    let child = start(&fixture, &["run", "alpha", "--json"]);
    let sleeper = fixture.await_file("sleeper");
    signal(&child, Signal::INT);
    fixture.await_file("ignored");
    signal(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(output.stdout.ends_with(b"{\"code\":130,\"event\":\"exit\"}\n"));
    assert!(!runs(&fixture.await_file("pid")));
    wait_until("the target's own children have ended", || !runs(&sleeper));
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_command_takes_its_target_along() {
    let fixture = Fixture::new(&format!("{HEARTBEAT}\nignore-signals"));
    let mut child = start(&fixture, &["run", "alpha"]);
    let target = fixture.await_file("pid");
    assert!(runs(&target));
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    wait_until("the target has ended", || !runs(&target));
}

#[test]
fn a_reader_that_goes_away_ends_the_run() {
    let fixture =
        Fixture::new(&format!("await-signal\n{HEARTBEAT}\n{HEARTBEAT}\nawait-signal\nexit 72"));
    let mut child = start(&fixture, &["run", "alpha", "--json"]);
    let target = fixture.await_file("pid");
    drop(child.stdout.take());
    // The target writes only now, when its output has no reader.
    kill_process(Pid::from_raw(target.parse().unwrap()).unwrap(), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(fixture.await_file("signal"), "15 0");
}

#[test]
fn an_interrupt_ends_a_build() {
    let fixture = Fixture::new("");
    let child = fixture
        .plain(&["run", "alpha"])
        .env("BUILD_HANGS", "1")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let cargo = fixture.await_file("pid");
    signal(&child, Signal::TERM);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(!runs(&cargo));
}

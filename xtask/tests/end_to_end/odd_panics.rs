//! Panics that do not simply come out of the target.

use std::fs;

use crate::stage::{Stage, outcome};

#[test]
fn a_panic_in_another_thread_is_a_failure() {
    a_number_of_seven_is_the_minimum("other_thread", "seven or more in another thread");
}

#[test]
fn a_panic_that_the_target_catches_is_a_failure() {
    a_number_of_seven_is_the_minimum("caught", "seven or more, caught");
}

fn a_number_of_seven_is_the_minimum(target: &str, message: &str) {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.run(target, &["--stop-on-first"], &["-seed=1", "-runs=100000"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let bug = stage.only_bug(target);
    assert_eq!((bug.draws().as_str(), bug.message(), bug.status()), ("7", message, "minimized"));
}

#[test]
fn a_failure_that_does_not_repeat_is_called_flaky_and_keeps_its_input() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.run("flaky", &[], &["-seed=1", "-runs=2000"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says("flaky");
    let bug = stage.only_bug("flaky");
    assert_eq!(bug.status(), "flaky");
    assert_eq!(fs::read(bug.input()).unwrap(), bug.original());
}

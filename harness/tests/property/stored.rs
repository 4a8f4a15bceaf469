//! The store under `cargo test`.

use std::cell::Cell;
use std::path::Path;

use dwindle::Settings;
use dwindle::prelude::*;

use crate::support::{listing, message, property, settings};

thread_local! {
    static LIMIT: Cell<u32> = const { Cell::new(70_000) };
    static MOVED: Cell<bool> = const { Cell::new(false) };
    static RUNS: Cell<u32> = const { Cell::new(0) };
}

fn limited(tc: &mut TestCase) {
    RUNS.set(RUNS.get() + 1);
    let n = tc.draw_named("n", any::<u32>());
    assert!(n < LIMIT.get());
}

fn kept_in(folder: &Path) -> Settings {
    settings(0).store(Some(folder.to_owned()))
}

#[test]
fn a_stored_failure_is_replayed_first_until_it_is_fixed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let first = message(property("limited"), kept_in(folder.path()), limited).expect("it fails");
    assert_eq!(listing(&first), ["let n = 70000;"]);
    assert!(first.contains(&format!("  kept in {}/limited/", folder.path().display())), "{first}");
    RUNS.set(0);
    let second =
        message(property("limited"), kept_in(folder.path()), limited).expect("it fails again");
    assert_eq!(listing(&second), ["let n = 70000;"]);
    assert!(
        second.contains("  known, and replayed from the store") && RUNS.get() <= 4,
        "{} runs: {second}",
        RUNS.get()
    );
    LIMIT.set(u32::MAX);
    RUNS.set(0);
    let fixed = message(property("limited"), kept_in(folder.path()).max_cases(100), |tc| {
        RUNS.set(RUNS.get() + 1);
        tc.draw(any::<u32>());
    });
    assert!(fixed.is_none() && RUNS.get() > 100, "{} runs: {fixed:?}", RUNS.get());
}

#[test]
fn a_store_that_cannot_be_written_hides_no_failure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a file");
    std::fs::write(&file, "").expect("the folder takes files");
    let text = message(property("limited"), kept_in(&file), limited).expect("it fails");
    assert!(
        text.contains("let n = 70000;") && text.contains("  cannot keep the failure in the store "),
        "{text}"
    );
}

#[test]
fn a_bug_whose_place_has_moved_is_not_kept_again() {
    fn moves(tc: &mut TestCase) {
        let n = tc.draw(any::<u32>());
        if MOVED.get() {
            assert!(n < 70_000, "below");
        } else {
            assert!(n < 70_000, "above");
        }
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kept = || {
        std::fs::read_dir(folder.path().join("moves"))
            .expect("the store is there")
            .flatten()
            .filter(|entry| entry.path().join("input").exists())
            .count()
    };
    let first = message(property("moves"), kept_in(folder.path()), moves).expect("it fails");
    assert_eq!(kept(), 1);
    MOVED.set(true);
    let second = message(property("moves"), kept_in(folder.path()), moves).expect("it fails again");
    assert!(
        second.contains("  known, and replayed from the store")
            && second.contains("let draw_1 = 70000;"),
        "{second}"
    );
    let place = |message: &str| {
        message.lines().find(|line| line.starts_with("  kept in ")).map(str::to_owned)
    };
    assert_eq!((kept(), place(&second)), (1, place(&first)));
}

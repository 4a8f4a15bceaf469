//! Failures of properties that draw functions.

use dwindle::generators::Fun;
use dwindle::prelude::*;
use dwindle::{Settings, check};

#[test]
fn a_failure_shows_all_questions_to_its_functions() {
    for seed in 0..10 {
        let failure = check(Settings::default().seed(seed).store(None), |tc| {
            let before = tc.draw(g::integers(1..=3u8));
            let f: Fun<Vec<u8>, bool> = tc.draw(any());
            tc.draw(any::<u8>());
            assert_eq!(f(vec![3, before, 4, 2]), f(vec![1, 6, before, 8]));
        })
        .expect_err("it fails for some function");
        assert_eq!(
            failure.draws,
            ["1", "{ [3, 1, 4, 2] => true, _ => false }", "0"],
            "seed {seed}"
        );
    }
}

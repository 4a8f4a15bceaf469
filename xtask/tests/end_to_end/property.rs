//! One property under fuzzers and under `cargo test`.

use std::fs;

use crate::repro::{cargo_test, copy_fixture};
use crate::stage::{Stage, outcome};

#[test]
fn the_test_of_a_property_replays_the_bug_that_a_fuzzer_found() {
    for engine in ["libfuzzer", "random"] {
        let stage = Stage::fixture();
        let ended = outcome(&mut stage.run(
            "property",
            &["--engine", engine, "--stop-on-first"],
            &["-seed=1", "-runs=100000"],
        ));
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        let bug = stage.only_bug("property");
        assert_eq!((bug.draws(), bug.message()), ("[1001]".to_owned(), "the sum is too large"));
        let named = "let numbers = [1001];";
        ended.says(named);
        assert!(fs::read_to_string(bug.dir.join("report.txt")).unwrap().contains(named));
        outcome(stage.dwindle("show", "property").arg(bug.input())).says("draw  numbers = [1001]");

        let fuzz = stage.path("fuzz");
        copy_fixture(&fuzz);
        fs::create_dir(fuzz.join("tests")).unwrap();
        fs::write(
            fuzz.join("tests/property.rs"),
            "//! The property of the target.\n#[path = \"../fuzz_targets/property.rs\"]\nmod \
             target;\n",
        )
        .unwrap();
        let store = bug.dir.parent().and_then(|target| target.parent()).unwrap();
        let failed = outcome(cargo_test(&stage, "property").env("DWINDLE_STORE", store));
        assert_eq!(failed.code, Some(101), "{failed:#?}");
        for words in [
            "let numbers = [1001];",
            "the sum is too large",
            "known, and replayed from the store",
            "target::sums ... FAILED",
        ] {
            failed.says(words);
        }
    }
}

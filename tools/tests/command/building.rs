//! Builds that fail end with exit code 3, the compiler's words, and one line on what to do.

use crate::fixture::Fixture;
use predicates::prelude::*;
use predicates::str::{contains, ends_with};

#[test]
fn a_failed_build_shows_the_errors_of_the_compiler() {
    let fixture = Fixture::new("");
    fixture.dwindle(&["run", "alpha"]).env("BUILD_FAILS", "1").assert().code(3).stdout("").stderr(
        contains("the words of the compiler")
            .and(ends_with("error: target `alpha` does not build; see the errors above\n")),
    );
}

#[test]
fn a_missing_cpp_compiler_is_named() {
    let fixture = Fixture::new("");
    fixture
        .dwindle(&["run", "alpha"])
        .env("BUILD_FAILS", "1")
        .env("CXX", "/nowhere/g++")
        .assert()
        .code(3)
        .stderr(contains("install g++ or clang"));
}

#[test]
fn a_sanitizer_without_nightly_says_how_to_get_it() {
    let fixture = Fixture::new("");
    fixture
        .dwindle(&["run", "alpha", "--sanitizer", "address"])
        .assert()
        .code(3)
        .stderr(contains("rustup toolchain install nightly"));
    fixture
        .dwindle(&["run", "alpha", "--toolchain", "1.2.3"])
        .assert()
        .code(3)
        .stderr(contains("cannot use toolchain `1.2.3`"));
}

#[test]
fn the_users_flags_and_features_reach_the_build() {
    let fixture = Fixture::new("send {\"event\":\"end\",\"command\":\"run\"}\nexit 0");
    let options = ["run", "alpha", "--features", "one,two", "--no-default-features"];
    fixture.dwindle(&options).env("RUSTFLAGS", "-Ctarget-cpu=native  --cfg mine").assert().code(0);
    let arguments = fixture.await_file("build-args");
    assert!(arguments.contains("--features one,two --no-default-features"), "{arguments}");
    assert!(arguments.contains("/fuzz/target/dwindle "), "{arguments}");
    let flags = fixture.await_file("build-flags");
    assert!(flags.starts_with("-Cpasses=sancov-module\u{1f}"), "{flags}");
    assert!(flags.ends_with("\u{1f}-Ctarget-cpu=native\u{1f}--cfg\u{1f}mine"), "{flags}");
}

#[test]
fn build_prints_where_each_binary_is_and_runs_nothing() {
    let fixture = Fixture::new("");
    let binary = format!("{}/target\n", fixture.path("").display());
    fixture.dwindle(&["build"]).assert().code(0).stdout(binary.repeat(2));
    fixture.dwindle(&["build", "beta"]).assert().code(0).stdout(binary.clone());
    assert!(!fixture.path("args").exists());
    assert!(fixture.await_file("build-args").contains("--profile release --message-format"));

    let json = fixture.dwindle(&["build", "beta", "--json"]).assert().code(0);
    let stdout = String::from_utf8(json.get_output().stdout.clone()).unwrap();
    let built: serde_json::Value = serde_json::from_str(stdout.lines().nth(1).unwrap()).unwrap();
    assert_eq!((&built["event"], &built["target"]), (&"built".into(), &"beta".into()));
    assert_eq!(built["executable"], binary.trim_end());
}

#[test]
fn a_target_that_does_not_build_does_not_stop_the_others() {
    let fixture = Fixture::new("");
    let binary = format!("{}/target\n", fixture.path("").display());
    let failed = "error: target `alpha` does not build";
    let mut all = fixture.dwindle(&["build"]);
    all.env("BUILD_OF_ONE_FAILS", "alpha").assert().code(3).stdout(binary).stderr(contains(failed));
    let mut one = fixture.dwindle(&["build", "alpha"]);
    one.env("BUILD_OF_ONE_FAILS", "alpha").assert().code(3).stdout("").stderr(contains(failed));
    fixture
        .dwindle(&["build", "beta", "alpa"])
        .assert()
        .code(2)
        .stdout("")
        .stderr(contains("did you mean `alpha`?"));
}

#[test]
fn a_build_may_be_quick_or_for_another_platform() {
    let fixture = Fixture::new("");
    fixture.dwindle(&["build", "alpha", "--dev"]).assert().code(0);
    let arguments = fixture.await_file("build-args");
    assert!(arguments.contains("--profile dev "), "{arguments}");
    assert!(arguments.contains("profile.dev.debug="), "{arguments}");

    fixture
        .dwindle(&["build", "alpha", "--target", "no-such-platform"])
        .assert()
        .code(2)
        .stderr(contains("rustc knows no platform `no-such-platform`"));
    // Rust has a standard library for this one that hardly any machine has.
    let rare = "sparcv9-sun-solaris";
    fixture
        .dwindle(&["build", "alpha", "--target", rare])
        .assert()
        .code(3)
        .stderr(contains(format!("`rustup target add {rare}`")));
}

#[test]
fn a_sanitizer_that_an_engine_cannot_use_is_wrong_use() {
    let fixture = Fixture::new("");
    for sanitizer in ["leak", "memory", "thread"] {
        fixture
            .dwindle(&["build", "alpha", "--engine", "afl", "-s", sanitizer])
            .assert()
            .code(2)
            .stderr(contains("use libFuzzer for the others"));
    }
    assert!(!fixture.path("build-args").exists());
}

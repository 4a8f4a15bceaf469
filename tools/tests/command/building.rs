//! Builds that fail end with exit code 3, the compiler's words, and one line on what to do.

use crate::fixture::Fixture;
use predicates::prelude::*;
use predicates::str::{contains, ends_with};

#[test]
fn a_target_that_does_not_build_leaves_the_word_to_the_compiler() {
    let fixture = Fixture::new("");
    fixture.dwindle(&["run", "alpha"]).env("BUILD_FAILS", "1").assert().code(3).stdout("").stderr(
        contains("the words of the compiler")
            .and(ends_with("error: target `alpha` does not build; the reason stands above\n")),
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
        .stderr(contains("no toolchain `1.2.3`"));
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

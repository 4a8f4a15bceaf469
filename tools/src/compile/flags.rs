//! The compiler's flags.

use super::Purpose;
use crate::args::Sanitizer;
use std::ffi::OsString;

/// The default flags of cargo-fuzz 0.13 in its order, and dwindle's own flags.
const FUZZING_FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    // Added by dwindle. The code checks `__sancov_should_track` before each call that traces a
    // comparison, so that workers can disable tracing.
    "-Cllvm-args=-sanitizer-coverage-gated-trace-callbacks",
    "--cfg",
    "fuzzing",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
    "-Cdebug-assertions=on",
    "-Ccodegen-units=1",
    // dwindle identifies a bug by its return addresses and shows its frames.
    "-Coverflow-checks=on",
    "-Cforce-frame-pointers=yes",
];

/// The flags that count how often each line runs. The counters lie in the profile's file, so that
/// a process that dies leaves what it has counted.
const COVERAGE_FLAGS: &[&str] = &[
    "-Cinstrument-coverage",
    "-Cllvm-args=-runtime-counter-relocation",
    "--cfg",
    "fuzzing",
    "-Cdebug-assertions=on",
    "-Coverflow-checks=on",
];

/// The flags of a build, in the format of `CARGO_ENCODED_RUSTFLAGS`. The user's own flags come
/// last, so that they win.
pub(super) fn encoded(purpose: Purpose, sanitizer: Sanitizer, triple: &str) -> OsString {
    let mut flags: Vec<String> = match purpose {
        Purpose::Coverage => COVERAGE_FLAGS,
        Purpose::Fuzzing(_) => FUZZING_FLAGS,
    }
    .iter()
    .map(|flag| (*flag).to_owned())
    .collect();
    if triple.contains("linux") && purpose != Purpose::Coverage {
        flags.push("-Cllvm-args=-sanitizer-coverage-stack-depth".to_owned());
    }
    if let Some(name) = sanitizer.name() {
        flags.push(format!("-Zsanitizer={name}"));
    }
    if sanitizer == Sanitizer::Memory {
        flags.push("-Zsanitizer-memory-track-origins".to_owned());
    }
    let users = std::env::var("CARGO_ENCODED_RUSTFLAGS")
        .or_else(|_| {
            std::env::var("RUSTFLAGS")
                .map(|plain| plain.split_whitespace().collect::<Vec<_>>().join("\u{1f}"))
        })
        .unwrap_or_default();
    if !users.is_empty() {
        flags.push(users);
    }
    flags.join("\u{1f}").into()
}

/// The flags in addition to cargo-afl's, for `RUSTFLAGS`. The user's own flags come last, so that
/// they win.
pub(super) fn of_afl(sanitizer: Sanitizer) -> OsString {
    // dwindle needs the frames of a bug, and the table tells it which edges are its own.
    let mut flags =
        "-Cforce-frame-pointers=yes -Cllvm-args=-sanitizer-coverage-pc-table".to_owned();
    if let Some(name) = sanitizer.name() {
        flags.extend([" -Zsanitizer=", name]);
    }
    if let Ok(users) = std::env::var("RUSTFLAGS") {
        flags.push(' ');
        flags.push_str(&users);
    }
    flags.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Engine;

    fn separated(purpose: Purpose, sanitizer: Sanitizer) -> Vec<String> {
        let flags = encoded(purpose, sanitizer, "x86_64-unknown-linux-gnu");
        flags.into_string().unwrap().split('\u{1f}').map(str::to_owned).collect()
    }

    #[test]
    fn a_sanitizer_adds_only_its_flags() {
        for purpose in [Purpose::Fuzzing(Engine::Libfuzzer), Purpose::Coverage] {
            let plain = separated(purpose, Sanitizer::None);
            assert!(plain.iter().all(|flag| !flag.is_empty() && !flag.contains(' ')));
            for (sanitizer, added) in [
                (Sanitizer::Address, &["-Zsanitizer=address"][..]),
                (Sanitizer::Leak, &["-Zsanitizer=leak"]),
                (Sanitizer::Thread, &["-Zsanitizer=thread"]),
                (Sanitizer::Memory, &["-Zsanitizer=memory", "-Zsanitizer-memory-track-origins"]),
            ] {
                let mut sanitized = separated(purpose, sanitizer);
                sanitized.retain(|flag| !added.contains(&flag.as_str()));
                assert_eq!(sanitized, plain);
            }
        }
    }

    #[test]
    fn only_builds_for_fuzzing_call_libfuzzer_for_edges() {
        let is_for_libfuzzer = |flag: &String| flag.contains("sancov");
        let coverage = separated(Purpose::Coverage, Sanitizer::None);
        assert!(!coverage.iter().any(is_for_libfuzzer), "{coverage:?}");
        let fuzzing = separated(Purpose::Fuzzing(Engine::Random), Sanitizer::None);
        assert!(fuzzing.iter().any(is_for_libfuzzer), "{fuzzing:?}");
    }
}

//! `-processes=`: several fuzzers that live as long as the run. `cargo dwindle run --jobs` passes
//! it.
//!
//! Each fuzzer has a supervisor. All read and write one corpus folder: libFuzzer reads the folder
//! again from time to time (`-reload=1`). With `-fork=`, a process of libFuzzer
//! lives for some seconds only. Each new process reads its part of the corpus again, and libFuzzer
//! merges the results.

use super::arguments::Given;
use super::corpus::TemporaryCorpus;
use super::dictionary::Dictionary;
use crate::exit::ENVIRONMENT;
use crate::exit::libfuzzer::{FAILED, INTERRUPTED};
use crate::fuzzers::several::{self, RunOfSeveral, Share};
use crate::limits::Deadline;
use crate::session::Session;
use crate::system::{children, offspring};
use crate::target::Target;
use crate::{events, isolation};

/// The flags that this process keeps for itself.
const OURS: [&str; 4] = ["processes", "max_total_time", "runs", "seed"];

/// Keeps the session of the fuzzers, and returns the exit code.
pub(super) fn run(target: &'static Target, given: &Given, arguments: &[String]) -> i32 {
    isolation::assert_may_fuzz();
    isolation::only_ask();
    let prefix = given.artifact_prefix.clone().unwrap_or_else(|| "./".to_owned());
    let mut session = match Session::open(target, "libfuzzer", Some(prefix)) {
        Ok(session) => session,
        Err(message) => {
            events::error(&message);
            return ENVIRONMENT;
        }
    };
    session.end_by(Deadline::after(given.max_total_time));
    children::adopt_orphans();
    // All fuzzers share these files.
    let dictionary = Dictionary::of_run(target, given);
    let corpus = given.inputs.is_empty().then(TemporaryCorpus::new).flatten();
    let mut shared: Vec<String> =
        arguments.iter().filter(|argument| !is_ours(argument)).cloned().collect();
    shared.extend(dictionary.iter().map(Dictionary::argument));
    shared.extend(corpus.iter().map(TemporaryCorpus::argument));
    let run = RunOfSeveral {
        jobs: given.processes.unwrap_or(1),
        runs: given.runs,
        seed: given.seed.unwrap_or(0).into(),
        failed_code: FAILED,
        interrupted_code: INTERRUPTED,
        shows_figures: true,
    };
    let code = several::run(session, run, &|share: &Share| {
        let runs = share.runs.map(|runs| format!("-runs={runs}"));
        // libFuzzer chooses a seed at random if it gets none, or 0.
        let seed = given.seed.map(|_| format!("-seed={}", share.seed as u32));
        shared.iter().cloned().chain(runs).chain(seed).collect()
    });
    offspring::end_all_but(&[]);
    code
}

fn is_ours(argument: &str) -> bool {
    let flag = argument.trim_start_matches('-');
    argument.starts_with('-') && flag.split_once('=').is_some_and(|(name, _)| OURS.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fuzzer_gets_the_arguments_that_are_not_for_the_whole_run() {
        for ours in ["-processes=2", "--runs=5", "-seed=1", "-max_total_time=3"] {
            assert!(is_ours(ours), "{ours}");
        }
        for other in ["-dict=x", "corpus", "runs=5", "-rss_limit_mb=1", "-reload=1"] {
            assert!(!is_ours(other), "{other}");
        }
    }
}

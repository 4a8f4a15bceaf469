//! `-fork=` and `-jobs=`: several fuzzers that live as long as the run.
//!
//! Each fuzzer has a supervisor. All read and write one corpus folder: libFuzzer reads the folder
//! again from time to time (`-reload=1`). libFuzzer's own processes for `-fork=` live for some
//! seconds each and learn their part of the corpus again, so two make about as many executions as
//! one.

use super::arguments::Given;
use super::corpus::TemporaryCorpus;
use super::dictionary::DictionaryFile;
use crate::exit::ENVIRONMENT;
use crate::exit::libfuzzer::{FAILED, INTERRUPTED};
use crate::fuzzers::several::{self, RunOfSeveral, Share};
use crate::limits::Deadline;
use crate::session::Session;
use crate::system::{children, offspring};
use crate::target::Target;
use crate::{events, isolation};

/// The flags that this process keeps for itself.
const OURS: [&str; 6] = ["fork", "jobs", "workers", "max_total_time", "runs", "seed"];

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
    let work = Work::of(given);
    session.end_by(Deadline::after(work.seconds));
    children::adopt_orphans();
    // All fuzzers share these files.
    let dictionary = DictionaryFile::of_run(target, given);
    let corpus = given.inputs.is_empty().then(TemporaryCorpus::new).flatten();
    let mut shared: Vec<String> =
        arguments.iter().filter(|argument| !is_ours(argument)).cloned().collect();
    shared.extend(dictionary.iter().map(DictionaryFile::argument));
    shared.extend(corpus.iter().map(TemporaryCorpus::argument));
    let run = RunOfSeveral {
        jobs: work.fuzzers,
        runs: work.runs,
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

/// What the fuzzers do together.
#[derive(Debug, PartialEq, Eq)]
struct Work {
    /// How many fuzz at once.
    fuzzers: u64,
    seconds: Option<u64>,
    runs: Option<u64>,
}

impl Work {
    /// libFuzzer gives the time and the number of executions to each of its jobs. Only
    /// `-workers=` of them run at once.
    fn of(given: &Given) -> Work {
        let Some(jobs) = given.jobs.filter(|_| given.fork.is_none()) else {
            let fuzzers = given.fork.unwrap_or(1);
            return Work { fuzzers, seconds: given.max_total_time, runs: given.runs };
        };
        // libFuzzer's default.
        let half_of_cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() / 2);
        let fuzzers = given.workers.unwrap_or((half_of_cores as u64).max(1)).min(jobs);
        Work {
            fuzzers,
            seconds: given.max_total_time.map(|each| each.saturating_mul(jobs.div_ceil(fuzzers))),
            runs: given.runs.map(|each| each.saturating_mul(jobs)),
        }
    }
}

fn is_ours(argument: &str) -> bool {
    let flag = argument.trim_start_matches('-');
    argument.starts_with('-') && flag.split_once('=').is_some_and(|(name, _)| OURS.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(arguments: &[&str]) -> Work {
        let arguments = [&["target"], arguments].concat();
        Work::of(&Given::of(&arguments.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()))
    }

    #[test]
    fn jobs_that_run_one_after_the_other_get_the_full_time_each() {
        assert_eq!(
            work(&["-jobs=5", "-workers=2", "-max_total_time=60", "-runs=10"]),
            Work { fuzzers: 2, seconds: Some(180), runs: Some(50) }
        );
        assert_eq!(
            work(&["-fork=4", "-max_total_time=60", "-runs=10"]),
            Work { fuzzers: 4, seconds: Some(60), runs: Some(10) }
        );
        assert_eq!(
            work(&["-jobs=1", "-workers=8"]),
            Work { fuzzers: 1, seconds: None, runs: None }
        );
    }

    #[test]
    fn a_fuzzer_gets_the_arguments_that_are_not_for_the_whole_run() {
        for ours in ["-fork=2", "-jobs=2", "-workers=2", "--runs=5", "-seed=1", "-max_total_time=3"]
        {
            assert!(is_ours(ours), "{ours}");
        }
        for other in ["-dict=x", "corpus", "runs=5", "-rss_limit_mb=1", "-reload=1"] {
            assert!(!is_ours(other), "{other}");
        }
    }
}

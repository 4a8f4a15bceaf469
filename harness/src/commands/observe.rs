//! Runs cases one after the other and writes an observation of each: a line of JSON in the format
//! of Hypothesis' observability.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use dwindle_corpus::events::{Event, Progress, Rejected};
use dwindle_corpus::{CaseStatus, Observation, list_corpus, read_input};
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::codec::encode;
use serde_json::{Map, Value, json};

use crate::execution::{Executor, Run, Runs, Transcript, arguments, listing};
use crate::exit::{ENVIRONMENT, NOTHING_FAILED, WRONG_USE, refuse};
use crate::flags::flag;
use crate::isolation::Isolated;
use crate::target::Target;
use crate::{environment, events};

/// How many cases run, unless `-cases=` says so.
const CASES: u64 = 1_000;
/// The flag for the file to write.
const OUT: &str = "-out=";
/// Cases between two events of progress.
const PROGRESS: usize = 50;

/// Observes the inputs at the given paths, evenly chosen, or random cases without a path. The flags
/// are `-out=FILE`, `-cases=N` and `-seed=N`. Failures do not change the exit code.
pub(super) fn observe(target: &'static Target, paths: &[PathBuf], arguments: &[String]) -> i32 {
    let Some(out) = arguments.iter().find_map(|argument| argument.strip_prefix(OUT)) else {
        return refuse(WRONG_USE, "DWINDLE_MODE=observe needs the file to write: -out=FILE");
    };
    let flags = flag(arguments, "-cases=").and_then(|cases| {
        Ok((cases.unwrap_or(CASES) as usize, flag(arguments, "-seed=")?.unwrap_or(0)))
    });
    let (cases, seed) = match flags {
        Ok(flags) => flags,
        Err(message) => return refuse(WRONG_USE, &message),
    };
    let inputs = match inputs(paths, cases) {
        Ok(inputs) => inputs,
        Err(message) => return refuse(WRONG_USE, &message),
    };
    // Must happen before there is a second thread.
    let mut executor = match Isolated::new(target, environment::choices_max()) {
        Ok(executor) => executor,
        Err(error) => {
            let text = format!("cannot start a process that runs the target: {error}");
            return refuse(ENVIRONMENT, &text);
        }
    };
    executor.allow_for(Runs::Fuzzing);
    let source =
        if paths.is_empty() { Source::Random { seed, cases } } else { Source::Files(&inputs) };
    let written = File::create(out).and_then(|mut file| {
        let mut observer =
            Observer { executor: &mut executor, target, began: now(), rejected: None };
        observer.all(&source, &mut file)
    });
    match written {
        Ok(()) => NOTHING_FAILED,
        Err(error) => refuse(ENVIRONMENT, &format!("cannot write {out}: {error}")),
    }
}

/// At most `cases` of the inputs at the paths, at even distances.
fn inputs(paths: &[PathBuf], cases: usize) -> Result<Vec<PathBuf>, String> {
    let mut inputs = Vec::new();
    for path in paths {
        inputs.extend(list_corpus(path).map_err(|error| error.to_string())?);
    }
    let step = inputs.len().div_ceil(cases.max(1)).max(1);
    Ok(inputs.into_iter().step_by(step).collect())
}

enum Source<'a> {
    Files(&'a [PathBuf]),
    Random { seed: u64, cases: usize },
}

struct Observer<'a> {
    executor: &'a mut Isolated,
    target: &'static Target,
    began: f64,
    /// The counts of rejected runs before the present one.
    rejected: Option<Rejected>,
}

impl Observer<'_> {
    fn all(&mut self, source: &Source<'_>, out: &mut File) -> io::Result<()> {
        let count = match source {
            Source::Files(files) => files.len(),
            Source::Random { cases, .. } => *cases,
        };
        let began = Instant::now();
        for number in 0..count {
            if number % PROGRESS == 0 {
                tell(number, count, began);
            }
            let observation = match source {
                Source::Files(files) => self.file(&files[number]),
                Source::Random { seed, .. } => Some(self.random(*seed, number as u64)),
            };
            if let Some(observation) = observation {
                writeln!(out, "{}", observation.to_line())?;
            }
        }
        tell(count, count, began);
        Ok(())
    }

    /// `None` if the file is gone.
    fn file(&mut self, path: &Path) -> Option<Observation> {
        let input = read_input(path).ok()?;
        let mut observation = self.case(&input, "from the corpus");
        let path = Value::from(path.to_string_lossy());
        observation.metadata.insert("file".to_owned(), path);
        Some(observation)
    }

    fn random(&mut self, seed: u64, case: u64) -> Observation {
        let mut trace = Trace::default();
        drop(self.executor.run_random(seed, case, 1, &mut trace));
        let input = encode(&trace.choices);
        self.case(&input, "at random")
    }

    fn case(&mut self, input: &[u8], how_generated: &str) -> Observation {
        self.rejected = Some(self.executor.rejected());
        let mut trace = Trace::default();
        let began = Instant::now();
        let (run, transcript) = self.executor.run_with_transcript(input, &mut trace);
        let seconds = began.elapsed().as_secs_f64();
        let (status, status_reason) = self.ending(&run);
        let mut features = Map::new();
        if trace.raw_input().is_none() {
            features.insert("choices".to_owned(), trace.len().into());
        }
        features.insert("bytes".to_owned(), input.len().into());
        Observation {
            kind: "test_case".to_owned(),
            run_start: self.began,
            property: self.target.name(),
            status,
            status_reason,
            representation: listing(&transcript).join("\n"),
            arguments: arguments(&transcript),
            how_generated: how_generated.to_owned(),
            features,
            coverage: None,
            timing: Map::from_iter([("execute:test".to_owned(), seconds.into())]),
            metadata: self.metadata(&run, status, &transcript),
        }
    }

    fn ending(&self, run: &Run) -> (CaseStatus, String) {
        match run {
            Run::Passed => (CaseStatus::Passed, String::new()),
            Run::Failed(failed) => (
                CaseStatus::Failed,
                format!("{} at {}: {}", failed.kind, failed.location, failed.message),
            ),
            Run::Misused(misuse) => (CaseStatus::Failed, misuse.0.clone()),
            Run::Overrun | Run::Rejected => {
                let before = self.rejected.unwrap_or_default();
                (CaseStatus::GaveUp, reason(before, self.executor.rejected()).to_owned())
            }
        }
    }

    /// The fields of Hypothesis, as far as they have a meaning here.
    fn metadata(
        &self,
        run: &Run,
        status: CaseStatus,
        transcript: &Transcript,
    ) -> Map<String, Value> {
        let failed = if let Run::Failed(failed) = run { Some(failed) } else { None };
        let data_status = match (status, run) {
            (CaseStatus::Passed, _) => 2,
            (CaseStatus::Failed, _) => 3,
            (CaseStatus::GaveUp, Run::Overrun) => 0,
            (CaseStatus::GaveUp, _) => 1,
        };
        let fields = json!({
            "traceback": failed.map(|failed| &failed.message),
            "reproduction_decorator": null,
            "notes": transcript.notes(),
            "predicates": {},
            "backend": {},
            "sys.argv": [],
            "os.getpid()": std::process::id(),
            "imported_at": self.began,
            "data_status": data_status,
            "phase": "generate",
            "interesting_origin": null,
            "status_reason_location": failed.map(|failed| &failed.location),
            "choice_nodes": null,
            "choice_spans": null,
            "bug_id": failed.map(|failed| failed.id),
        });
        let Value::Object(fields) = fields else { return Map::new() };
        fields
    }
}

/// Which count has grown, in words.
fn reason(before: Rejected, now: Rejected) -> &'static str {
    let grown = [
        (before.by_target, now.by_target, "rejected by the target"),
        (before.by_filter, now.by_filter, "a filter kept no value"),
        (before.not_distinct, now.not_distinct, "no further distinct element"),
        (before.too_deep, now.too_deep, "values nested without an end"),
        (before.too_long, now.too_long, "more choices than the limit"),
    ];
    let grown = grown.into_iter().find(|(before, now, _)| now > before);
    grown.map_or("rejected", |(_, _, words)| words)
}

fn tell(done: usize, total: usize, began: Instant) {
    let progress = Progress {
        phase: "observing".to_owned(),
        done: done as u64,
        total: total as u64,
        seconds: began.elapsed().as_secs_f64(),
        bugs: 0,
    };
    events::say(Event::Progress(progress), "");
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use dwindle_engine::TestCase;
    use dwindle_engine::generators as g;

    use super::*;

    fn picky(tc: &mut TestCase) {
        let number = tc.draw(g::integers(0..=9u8));
        tc.assume(number < 5);
        assert_ne!(number, 3, "three");
    }

    fn observed(paths: &[PathBuf], flags: &[&str]) -> Vec<Observation> {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out.jsonl");
        let target = Box::leak(Box::new(Target::new(Some("picky"), "/", picky, || {})));
        let mut arguments = vec![format!("-out={}", out.display())];
        arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
        assert_eq!(observe(target, paths, &arguments), NOTHING_FAILED);
        let text = std::fs::read_to_string(out).unwrap();
        text.lines().map(|line| Observation::read(line.as_bytes()).expect(line)).collect()
    }

    #[test]
    fn each_case_is_an_observation_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        for number in [1_u8, 3, 7] {
            std::fs::write(folder.path().join(number.to_string()), [number]).unwrap();
        }
        let cases = observed(&[folder.path().to_owned()], &[]);
        let ends: Vec<_> = cases.iter().map(|case| (case.status, &*case.status_reason)).collect();
        assert_eq!(ends[0], (CaseStatus::Passed, ""));
        assert!(ends[1].0 == CaseStatus::Failed && ends[1].1.contains("three"), "{ends:?}");
        assert_eq!(ends[2], (CaseStatus::GaveUp, "rejected by the target"));
        assert_eq!(cases[0].arguments["draw_1"], 1);
        assert_eq!(cases[0].representation, "let draw_1 = 1;");
        assert!(cases[2].metadata["file"].as_str().unwrap().ends_with("/7"));
    }

    #[test]
    fn random_cases_are_as_many_as_asked_for() {
        let cases = observed(&[], &["-cases=40", "-seed=1"]);
        assert_eq!(cases.len(), 40);
        assert!(cases.iter().all(|case| case.how_generated == "at random"));
        assert!(cases.iter().any(|case| case.status == CaseStatus::Passed));
    }
}

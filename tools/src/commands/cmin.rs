//! `cargo dwindle cmin`: minimizes a corpus.
//!
//! libFuzzer's merge runs the inputs, in the process that `-merge=1` starts. This command starts
//! that process itself: again after each input that ends it. So it knows these inputs, and the
//! files keep their names. Then it chooses inputs that together reach what all reach.

mod control;
mod cover;
mod replacement;

use crate::args::{Cmin, Engine};
use crate::child::{Ending, INPUT_TIMEOUT_SECONDS, Message};
use crate::exit::{Exit, Stop, wrong_use};
use crate::folders::require_file;
use crate::project::Project;
use crate::screen::{from_here, json};
use crate::session::Session;
use anyhow::{Context, Result, anyhow};
use cover::{CoveredInput, cover};
use dwindle_corpus::events::{Event, EventLine, FailedInput, Progress, SmallerCorpus};
use dwindle_corpus::{ContentId, is_folder_of_afl, list_corpus, read_input};
use replacement::{Workplace, link};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// An input of the corpus.
struct Input {
    path: PathBuf,
    bytes: u64,
}

/// An input that ended the process which ran it.
struct Failed {
    path: PathBuf,
    reason: String,
    /// How libFuzzer names such files: `crash`, `timeout` or `oom`.
    kind: &'static str,
}

pub(crate) fn cmin(options: &Cmin) -> Result<Exit> {
    let project = Project::find(options.build.fuzz_dir.as_deref())?;
    project.require(&options.target)?;
    let own = project.corpus(&options.target);
    let folder = options.corpus.as_ref().unwrap_or(&own);
    if !folder.is_dir() && (folder.exists() || options.corpus.is_some() || !is_left(folder)) {
        return Err(wrong_use(format!(
            "{} {}",
            folder.display(),
            if folder.exists() {
                "is a file, not a corpus folder".to_owned()
            } else {
                format!("does not exist; `cargo dwindle run {}` makes a corpus", options.target)
            }
        )));
    }
    let workplace = Workplace::take(folder)?;
    let result = replace(options, &project, &workplace);
    workplace.leave();
    result
}

/// Whether a killed command has left the corpus at another place.
fn is_left(folder: &Path) -> bool {
    let mut name = OsString::from(".");
    name.push(folder.file_name().unwrap_or_default());
    name.push(".cmin");
    folder.with_file_name(name).join("old").is_dir()
}

fn replace(options: &Cmin, project: &Project, workplace: &Workplace) -> Result<Exit> {
    let corpus = &workplace.corpus;
    if is_folder_of_afl(corpus) {
        return Err(wrong_use(format!(
            "{0} is an output folder of AFL++, and AFL++ needs all files in it; copy its inputs: \
             `cargo dwindle corpus import {1} {0}`",
            corpus.display(),
            options.target
        )));
    }
    let known = workplace.files()?;
    let inputs = inputs(corpus)?;
    if inputs.is_empty() {
        return Err(wrong_use(format!("{} holds no inputs", corpus.display())));
    }
    let mut session =
        Session::open(&options.target, Engine::Libfuzzer, &options.build, options.build.verbose)?;
    let (reached, failed) = run_all(options, &mut session, workplace, &inputs)?;
    session.screen.end();
    let (chosen, features) = cover(&reached);
    if chosen.is_empty() && failed.is_empty() {
        return Err(anyhow!(
            "no input of {} covers anything; the target may reject all, or may not be \
             instrumented; the corpus was not changed",
            corpus.display()
        ));
    }
    let failed = keep_failed(failed, &project.artifacts(&options.target))?;
    let places: HashMap<&Path, usize> = inputs
        .iter()
        .enumerate()
        .filter_map(|(at, input)| Some((input.path.strip_prefix(corpus).ok()?, at)))
        .collect();
    let stays =
        |file: &Path| places.get(file).is_none_or(|place| chosen.binary_search(place).is_ok());
    let kept: Vec<&Path> = known.keys().map(PathBuf::as_path).filter(|file| stays(file)).collect();
    workplace.replace(&known, &kept)?;
    let smaller = SmallerCorpus {
        folder: corpus.to_string_lossy().into_owned(),
        inputs_before: inputs.len() as u64,
        inputs: chosen.len() as u64,
        bytes_before: inputs.iter().map(|input| input.bytes).sum(),
        bytes: chosen.iter().map(|at| inputs[*at].bytes).sum(),
        features: features as u64,
        failed,
    };
    let exit = if smaller.failed.is_empty() { Exit::Clean } else { Exit::Bugs };
    if options.build.json {
        json::write(Event::SmallerCorpus(smaller))?;
    } else {
        tell(&smaller, corpus, options)?;
    }
    Ok(exit)
}

/// The inputs of a corpus, the smallest first, as libFuzzer runs them.
fn inputs(corpus: &Path) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for path in list_corpus(corpus)? {
        // An input that cannot be read must not be taken for one that covers nothing.
        require_file(&path)?;
        let bytes =
            fs::metadata(&path).with_context(|| format!("cannot read {}", path.display()))?.len();
        inputs.push(Input { path, bytes });
    }
    inputs.sort_by(|one, other| (one.bytes, &one.path).cmp(&(other.bytes, &other.path)));
    Ok(inputs)
}

/// Runs each input once. Returns what each reached, which is nothing for those that failed.
fn run_all(
    options: &Cmin,
    session: &mut Session,
    workplace: &Workplace,
    inputs: &[Input],
) -> Result<(Vec<CoveredInput>, Vec<Failed>)> {
    let control = workplace.file("control");
    let mut reached: Vec<_> = inputs
        .iter()
        .map(|input| CoveredInput { bytes: input.bytes, features: Vec::new() })
        .collect();
    let mut failed = Vec::new();
    let mut done = 0;
    let began = Instant::now();
    while done < inputs.len() {
        let before = done;
        control::write(&control, inputs[done..].iter().map(|input| input.path.as_path()))?;
        let mut command = session.command(None, None)?;
        merge(&mut command, options, workplace, inputs);
        let bugs = failed.len() as u64;
        let ending = session.watch(&mut command, |screen, line| {
            let Some(executions) = executions(line) else { return Ok(()) };
            let done = (before as u64 + executions).min(inputs.len() as u64);
            let progress = Progress {
                phase: "running".to_owned(),
                done,
                total: inputs.len() as u64,
                seconds: began.elapsed().as_secs_f64(),
                bugs,
            };
            let event = EventLine::new(Event::Progress(progress), "");
            screen.take(Message::Event(Box::new(event)))
        })?;
        if ending.interrupted {
            return Err(Stop::Interrupted.into());
        }
        let outcome = control::read(&control, inputs.len() - done)?;
        for features in outcome.passed {
            reached[done].features = features;
            done += 1;
        }
        if outcome.has_failed {
            failed.push(Failed::new(&inputs[done].path, &ending));
            done += 1;
        }
        if done == before {
            return Err(anyhow!(
                "target `{}` {} before it ran an input; the corpus was not changed\n{}",
                options.target,
                ending.how(),
                ending.last_words()
            ));
        }
    }
    Ok((reached, failed))
}

/// Adds the arguments for the process that runs the inputs of the control file.
fn merge(command: &mut Command, options: &Cmin, workplace: &Workplace, inputs: &[Input]) {
    let with_path = |flag: &str, path: &Path| {
        let mut argument = OsString::from(flag);
        argument.push(path);
        argument
    };
    let largest = inputs.last().map_or(1, |input| input.bytes.max(1));
    command
        .env("DWINDLE", "on")
        // 2: writes all features of each input, also those that an earlier input has.
        .arg("-merge_inner=2")
        .arg(with_path("-merge_control_file=", &workplace.file("control")))
        .arg(with_path("-artifact_prefix=", &workplace.file("failed-")))
        // Otherwise libFuzzer would run only the beginning of an input of more than 1 MiB.
        .arg(format!("-max_len={largest}"))
        .arg(format!("-timeout={INPUT_TIMEOUT_SECONDS}"))
        .args(&options.engine_args);
}

/// The number of executions in a line of libFuzzer.
fn executions(line: &str) -> Option<u64> {
    line.strip_prefix('#')?.split_ascii_whitespace().next()?.parse().ok()
}

impl Failed {
    fn new(path: &Path, ending: &Ending) -> Self {
        // The exit codes of libFuzzer.
        let kind = match ending.status.code() {
            Some(70) => "timeout",
            Some(71) => "oom",
            _ => "crash",
        };
        Self { path: path.to_owned(), reason: ending.reason(), kind }
    }
}

/// Copies failing inputs to a folder, under the names of libFuzzer's artifacts.
fn keep_failed(failed: Vec<Failed>, artifacts: &Path) -> Result<Vec<FailedInput>> {
    let keep = |failed: Failed| {
        let content = ContentId::of(&read_input(&failed.path)?);
        let kept = artifacts.join(format!("{}-{content}", failed.kind));
        if !kept.exists() {
            let unfinished = artifacts.join(format!(".{content}.part"));
            let _ = fs::remove_file(&unfinished);
            link(&failed.path.canonicalize()?, &unfinished)
                .and_then(|()| fs::rename(&unfinished, &kept))
                .with_context(|| {
                    format!("cannot keep {}; the corpus was not changed", kept.display())
                })?;
        }
        Ok(FailedInput {
            file: failed.path.to_string_lossy().into_owned(),
            kept: kept.to_string_lossy().into_owned(),
            reason: failed.reason,
        })
    };
    failed.into_iter().map(keep).collect()
}

fn tell(smaller: &SmallerCorpus, corpus: &Path, options: &Cmin) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for FailedInput { file, kept, reason } in &smaller.failed {
        writeln!(
            stdout,
            "failed  {}: {reason}\n        now {}",
            from_here(Path::new(file)),
            from_here(Path::new(kept))
        )?;
    }
    let SmallerCorpus { inputs_before, inputs, bytes_before, bytes, features, .. } = smaller;
    writeln!(
        stdout,
        "{}: {inputs} of {inputs_before} inputs stay, {bytes} of {bytes_before} bytes, with the \
         same {features} features",
        from_here(corpus)
    )?;
    if let Some(first) = smaller.failed.first() {
        let folder = Path::new(&first.kept).parent().unwrap_or(Path::new("."));
        let (target, folder) = (&options.target, from_here(folder));
        writeln!(stdout, "find the bugs: cargo dwindle triage {target} {folder}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_of_figures_have_executions() {
        assert_eq!(executions("#1024\tpulse  cov: 48 ft: 93 exec/s: 0 rss: 40Mb"), Some(1024));
        for line in ["", "#", "#x 7", "7 #7", "MERGE-INNER: 3 total files"] {
            assert_eq!(executions(line), None, "{line}");
        }
    }
}

//! `cargo dwindle run`: fuzzes a target.

mod all;

use crate::args::{Engine, Run};
use crate::child::Company;
use crate::exit::{Exit, wrong_use};
use crate::folders::{as_argument, corpus_folders, require_folder};
use crate::jobs;
use crate::reports::{self, Findings};
use crate::screen::Plan;
use crate::session::Session;
use anyhow::{Context, Result};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::process::Command;
use std::time::Duration;

pub(crate) fn run(options: &Run) -> Result<Exit> {
    reports::check(&options.reports)?;
    let mut findings = Findings::default();
    let result = if options.all {
        all::run(options, &mut findings)
    } else if options.engine == Engine::Afl {
        crate::afl::run(options, &mut findings)
    } else {
        run_one(options, &mut findings)
    };
    reports::write(&options.reports, options.build.json, &findings, result)
}

fn run_one(options: &Run, findings: &mut Findings) -> Result<Exit> {
    refuse_options_of_afl(options)?;
    if options.engine != Engine::Libfuzzer && !options.corpus.is_empty() {
        return Err(wrong_use("the random engine has no corpus: remove the folders"));
    }
    options.corpus.iter().try_for_each(|folder| require_folder(folder))?;
    let jobs = jobs::jobs(options)?;
    let mut session = open(options, options.target())?;
    let time = options.max_time.map(|seconds| OsString::from(format!("-max_total_time={seconds}")));
    let arguments: Vec<_> = time.iter().chain(&options.engine_args).collect();
    let command = command(&session, options, options.target(), jobs, &arguments)?;
    let result = session.drive(
        command,
        options.engine == Engine::Libfuzzer,
        Company { time_max: options.max_time.map(Duration::from_secs), ..Company::NONE },
    );
    findings.append(&mut session.findings);
    result
}

fn refuse_options_of_afl(options: &Run) -> Result<()> {
    if options.out.is_some() || options.as_is {
        return Err(wrong_use("--out and --as-is work only with --engine afl"));
    }
    Ok(())
}

/// Builds a target.
fn open(options: &Run, target: &str) -> Result<Session> {
    let echo = options.build.verbose
        || options.engine_args.iter().any(|argument| asks_for_engine_output(argument));
    Session::open(target, options.engine, &options.build, echo)
}

/// Shows what is about to run, and returns the command, with these arguments for the engine.
fn command(
    session: &Session,
    options: &Run,
    target: &str,
    jobs: u32,
    arguments: &[&OsString],
) -> Result<Command> {
    let is_libfuzzer = options.engine == Engine::Libfuzzer;
    let artifacts = session.project.artifacts(target);
    fs::create_dir_all(&artifacts)
        .with_context(|| format!("cannot make {}", artifacts.display()))?;
    let corpus = if is_libfuzzer {
        corpus_folders(options, session.project.corpus(target))?
    } else {
        Vec::new()
    };

    let store = session.store(&options.shrinking)?.join(target);
    let engine = if is_libfuzzer { "libfuzzer" } else { "random" };
    session.screen.begin(&Plan { target, engine: Some(engine), corpus: &corpus, store: &store })?;

    let mut command =
        session.command((!is_libfuzzer).then_some("random"), Some(&options.shrinking))?;
    if options.stop_on_first {
        command.env("DWINDLE_STOP", "first");
    }
    // libFuzzer joins the prefix and the file name directly, so the prefix ends with a slash.
    let mut prefix = OsString::from("-artifact_prefix=");
    prefix.push(artifacts.join(""));
    command.arg(prefix);
    if jobs > 1 {
        command.arg(format!("-fork={jobs}"));
    }
    command.args(arguments).args(corpus.iter().map(|folder| as_argument(folder)));
    Ok(command)
}

/// Whether the user wants to see the engine's own output: its help, or the result of a merge.
fn asks_for_engine_output(argument: &OsStr) -> bool {
    argument.to_str().is_some_and(|argument| {
        ["-help=", "-merge=", "-set_cover_merge=", "-print_"]
            .iter()
            .any(|option| argument.starts_with(option))
    })
}

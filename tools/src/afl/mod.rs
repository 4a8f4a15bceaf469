//! AFL++: starts a campaign and passes its crashes and hangs to the target binary, which runs and
//! minimizes them.

mod campaign;
mod feed;
mod library;
mod machine;
mod mutator;

use crate::args::{Engine, Run, Shrinking, Watch};
use crate::child::Company;
use crate::compile::{self, Toolchain};
use crate::exit::{Exit, wrong_use};
use crate::folders::{as_argument, corpus_folders, require_folder};
use crate::reports::Findings;
use crate::screen::{Plan, error_line};
use crate::session::Session;
use anyhow::{Context, Result};
use campaign::{Campaign, Order};
use dwindle_corpus::events::{Event, EventLine};
use dwindle_corpus::is_folder_of_afl;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Fuzzes a target with AFL++.
pub(crate) fn run(options: &Run, findings: &mut Findings) -> Result<Exit> {
    options.corpus.iter().try_for_each(|folder| require_folder(folder))?;
    machine::check(options.as_is)?;
    let program = compile::afl::find(&options.build)?;
    let mut session =
        Session::open(options.target(), Engine::Afl, &options.build, options.build.verbose)?;
    let folder = options.out.clone().unwrap_or_else(|| session.project.campaign(options.target()));
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let corpus = corpus_folders(options, session.project.corpus(options.target()))?;
    let store = session.store(&options.shrinking)?;
    session.screen.begin(&Plan {
        target: options.target(),
        engine: Some("afl"),
        corpus: &corpus,
        store: &store.join(options.target()),
    })?;
    let is_resumed = folder.join(campaign::MAIN).join("fuzzer_setup").is_file();
    if is_resumed {
        session.screen.aside(&format!(
            "         continues the campaign in {}; remove this folder to start a new campaign",
            crate::screen::from_here(&folder)
        ));
    }

    let target = session.command(None, Some(&options.shrinking))?;
    let seeds = if is_resumed { None } else { Some(campaign::Seeds::gather(&corpus)?) };
    let toolchain = Toolchain::choose(&options.build)?;
    let mutator = library::library(&toolchain, &session.project, &options.engine_args)?;
    let order = Order {
        program,
        mutator,
        target,
        folder: folder.clone(),
        seeds,
        jobs: crate::jobs::jobs(options)?,
        max_time: options.max_time,
        arguments: options.engine_args.clone(),
        as_is: options.as_is,
    };
    let campaign = Arc::new(Mutex::new(Campaign::new(order)));
    let with = |act: &dyn Fn(&mut Campaign)| {
        act(&mut campaign.lock().unwrap_or_else(PoisonError::into_inner));
    };
    let shared = Arc::clone(&campaign);
    let beside = Beside {
        is_over: Box::new(move || shared.lock().unwrap_or_else(PoisonError::into_inner).is_over()),
        on_watching: &|| with(&Campaign::start),
        before_stop: &|| with(&Campaign::end),
        max_time: options.max_time,
    };
    let exit =
        watch_folder(&mut session, &folder, &options.shrinking, options.stop_on_first, beside);
    findings.append(&mut session.findings);
    with(&Campaign::end);
    let failures = campaign.lock().unwrap_or_else(PoisonError::into_inner).failures();
    let exit = exit?;
    for failure in &failures {
        eprintln!("{}", error_line(failure));
    }
    Ok(if failures.is_empty() || exit != Exit::Clean { exit } else { Exit::Environment })
}

/// Watches a campaign that the user started separately.
pub(crate) fn watch(options: &Watch) -> Result<Exit> {
    let folder = &options.folder;
    if !folder.is_dir() {
        let what = if folder.exists() { "is not a folder" } else { "does not exist" };
        return Err(wrong_use(format!(
            "{} {what}; name the folder that afl-fuzz was given with -o",
            folder.display()
        )));
    }
    if !is_folder_of_afl(folder) {
        return Err(wrong_use(format!(
            "{} is not an output folder of AFL++: it holds no queue and no fuzzer_stats, and its \
             subfolders hold none",
            folder.display()
        )));
    }
    // Any engine will do: in this mode the binary only runs files.
    let mut session =
        Session::open(&options.target, Engine::Libfuzzer, &options.build, options.build.verbose)?;
    let store = session.store(&options.shrinking)?.join(&options.target);
    session.screen.begin(&Plan {
        target: &options.target,
        engine: None,
        corpus: &[],
        store: &store,
    })?;
    session.screen.aside("         watching until Ctrl-C");
    watch_folder(
        &mut session,
        folder,
        &options.shrinking,
        false,
        Beside {
            is_over: Box::new(|| false),
            on_watching: &|| {},
            before_stop: &|| {},
            max_time: None,
        },
    )
}

/// The campaign that runs beside the target binary.
struct Beside<'a> {
    is_over: Box<dyn FnMut() -> bool + Send>,
    /// Called once the target binary is ready. From then on it reports every bug.
    on_watching: &'a dyn Fn(),
    /// Called before the target binary is asked to end because the user wants to stop.
    before_stop: &'a dyn Fn(),
    /// The time limit of the whole run, in seconds.
    max_time: Option<u64>,
}

fn watch_folder(
    session: &mut Session,
    folder: &Path,
    shrinking: &Shrinking,
    stop_on_first: bool,
    beside: Beside<'_>,
) -> Result<Exit> {
    let mut command = session.command(Some("watch"), Some(shrinking))?;
    if stop_on_first {
        command.env("DWINDLE_STOP", "first");
    }
    command.arg(as_argument(folder));
    let Beside { is_over, on_watching, before_stop, max_time } = beside;
    if let Some(seconds) = max_time {
        command.arg(format!("-max_total_time={seconds}"));
    }
    let folder = folder.to_owned();
    let feed = Box::new(move |pipe| feed::feed(&folder, pipe, is_over));
    let on_event = |line: &EventLine| {
        if matches!(line.event(), Some(Event::Watching { .. })) {
            on_watching();
        }
    };
    session.drive(
        command,
        false,
        Company {
            feed: Some(feed),
            on_event: &on_event,
            before_stop,
            time_max: max_time.map(Duration::from_secs),
        },
    )
}

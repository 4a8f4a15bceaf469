//! `cargo dwindle triage`: reduces thousands of crash files to the few bugs behind them.

use crate::args::{Engine, Triage};
use crate::child::Company;
use crate::exit::{Exit, wrong_use};
use crate::folders::as_argument;
use crate::screen::Plan;
use crate::session::Session;
use anyhow::Result;
use dwindle_corpus::survey_inputs;

pub(crate) fn triage(options: &Triage) -> Result<Exit> {
    for path in &options.files {
        // The target binary lists unreadable files with the others. A missing file is a mistake of
        // the user.
        if !path.exists() {
            return Err(wrong_use(format!(
                "{} does not exist; name files, or folders of files",
                path.display()
            )));
        }
        if path.is_dir() {
            let survey = survey_inputs(path)?;
            if survey.inputs.is_empty() && survey.unread.is_empty() {
                return Err(wrong_use(format!("{} is a folder without inputs", path.display())));
            }
        }
    }
    let mut session =
        Session::open(&options.target, Engine::Libfuzzer, &options.build, options.build.verbose)?;
    let store = session.store(&options.shrinking)?.join(&options.target);
    session.screen.begin(&Plan {
        target: &options.target,
        engine: None,
        corpus: &[],
        store: &store,
    })?;
    let mut command = session.command(Some("triage"), Some(&options.shrinking))?;
    if let Some(jobs) = options.jobs {
        command.env("DWINDLE_JOBS", jobs.to_string());
    }
    for (name, is_asked_for) in
        [("DWINDLE_AGAIN", options.again), ("DWINDLE_DRY_RUN", options.dry_run)]
    {
        if is_asked_for {
            command.env(name, "1");
        }
    }
    command.args(options.files.iter().map(|file| as_argument(file)));
    session.drive(command, false, Company::NONE)
}

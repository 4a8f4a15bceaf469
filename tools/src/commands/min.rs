//! `cargo dwindle min`: minimizes crash files.

use crate::args::{Engine, Min};
use crate::child::Company;
use crate::exit::{Exit, wrong_use};
use crate::folders::{as_argument, require_file};
use crate::screen::Plan;
use crate::session::Session;
use anyhow::Result;
use dwindle_corpus::list_inputs;
use std::path::Path;

pub(crate) fn min(options: &Min) -> Result<Exit> {
    for path in &options.files {
        require_inputs(path)?;
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
    let mut command = session.command(Some("min"), Some(&options.shrinking))?;
    command.args(options.files.iter().map(|file| as_argument(file)));
    session.drive(command, false, Company::NONE)
}

/// Returns an error of exit code 2 unless `path` is a file, or a folder with inputs.
///
/// Files in a folder are not checked here. The target binary reports an unusable one when it
/// reaches it.
fn require_inputs(path: &Path) -> Result<()> {
    if !path.is_dir() {
        return require_file(path);
    }
    if list_inputs(path)?.is_empty() {
        return Err(wrong_use(format!("{} is a folder without inputs", path.display())));
    }
    Ok(())
}

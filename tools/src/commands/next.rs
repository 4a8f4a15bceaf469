//! `cargo dwindle next`: looks for failures of known bugs that have another cause.

use crate::args::{Engine, Next};
use crate::child::Company;
use crate::exit::Exit;
use crate::screen::Plan;
use crate::session::Session;
use anyhow::Result;

pub(crate) fn next(options: &Next) -> Result<Exit> {
    let mut session =
        Session::open(&options.target, Engine::Libfuzzer, &options.build, options.build.verbose)?;
    let store = session.store(&options.shrinking)?.join(&options.target);
    session.screen.begin(&Plan {
        target: &options.target,
        engine: None,
        corpus: &[],
        store: &store,
    })?;
    let mut command = session.command(Some("next"), Some(&options.shrinking))?;
    command.args(&options.bugs);
    session.drive(command, false, Company::NONE)
}

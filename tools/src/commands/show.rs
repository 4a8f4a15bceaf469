//! `cargo dwindle show`: shows what a target makes of a file.

use crate::args::{Engine, Show};
use crate::child::Company;
use crate::exit::Exit;
use crate::folders::{as_argument, require_file};
use crate::session::Session;
use anyhow::Result;

pub(crate) fn show(options: &Show) -> Result<Exit> {
    require_file(&options.file)?;
    // Also shows the target's own output, because the user asked about this one run.
    let mut session = Session::open(&options.target, Engine::Libfuzzer, &options.build, true)?;
    let mut command = session.command(Some("show"), None)?;
    command.arg(as_argument(&options.file));
    session.drive(command, false, Company::NONE)
}

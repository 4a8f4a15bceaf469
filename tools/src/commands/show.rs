//! `cargo dwindle show`: what a file means to a target.

use crate::args::{Engine, Show};
use crate::child::Company;
use crate::exit::Exit;
use crate::folders::{as_argument, require_file};
use crate::session::Session;
use anyhow::Result;

pub(crate) fn show(options: &Show) -> Result<Exit> {
    require_file(&options.file)?;
    // What the target itself prints belongs to the picture.
    let session = Session::open(&options.target, Engine::Libfuzzer, &options.build, true)?;
    let mut command = session.command(Some("show"), None)?;
    command.arg(as_argument(&options.file));
    session.drive(command, false, Company::NONE)
}

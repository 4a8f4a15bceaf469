//! Runs cases of a target and keeps an observation of each.

use crate::args::{Engine, ReportPage};
use crate::child::Company;
use crate::exit::{Exit, Stop};
use crate::folders::as_argument;
use crate::observations::Cases;
use crate::project::Project;
use crate::session::Session;
use anyhow::{Context, Result, anyhow};
use dwindle_corpus::list_corpus;
use std::fs::{self, File};
use std::io::Write;

/// Builds the target, runs the inputs of its corpus, or random cases if it has none, and adds their
/// observations to `all`.
pub(super) fn observe(
    options: &ReportPage,
    project: &Project,
    target: &str,
    all: &mut File,
) -> Result<Cases> {
    let mut session =
        Session::open(target, Engine::Libfuzzer, &options.build, options.build.verbose)?;
    let corpus = project.corpus(target);
    let has_inputs = list_corpus(&corpus).is_ok_and(|inputs| !inputs.is_empty());
    let out = tempfile::NamedTempFile::new().context("cannot make a temporary file")?;
    let mut command = session.command(Some("observe"), None)?;
    let mut flag = std::ffi::OsString::from("-out=");
    flag.push(out.path());
    command.arg(flag).arg(format!("-cases={}", options.cases));
    if has_inputs && !options.random {
        command.arg(as_argument(&corpus));
    }
    match session.drive(command, false, Company::NONE)? {
        Exit::Clean => {}
        Exit::Interrupted => return Err(Stop::Interrupted.into()),
        _ => return Err(anyhow!("the cases of target `{target}` cannot be observed")),
    }
    let text = fs::read(out.path()).context("cannot read the observations")?;
    all.write_all(&text).context("cannot write the observations")?;
    Ok(Cases::read(&text))
}

//! `cargo dwindle explore`: shows a bug and its claims in a terminal, and answers questions.

use crate::args::{Engine, Explore};
use crate::exit::{Exit, wrong_use};
use crate::explore::bugs::{self, Listed};
use crate::explore::{self, Explored};
use crate::project::Project;
use crate::session::Session;
use crate::signals;
use anyhow::Result;

pub(crate) fn explore(options: &Explore) -> Result<Exit> {
    let Explore { target, bug, shrinking, build } = options;
    if build.json {
        return Err(wrong_use("explore has no --json; `cargo dwindle next --json` has"));
    }
    explore::require_terminal()?;
    // The user learns of a wrong name before a long build.
    let project = Project::find(build.fuzz_dir.as_deref())?;
    project.require(target)?;
    let (store, listed) = bugs::all(&project.store(shrinking.store.as_deref())?, target)?;
    let bug = match (bug, &listed[..]) {
        (Some(name), _) => Some(bugs::named(&listed, name)?),
        (None, [Listed { id, report: Ok(_) }]) => Some(*id),
        (None, _) => None,
    };
    let mut session = Session::open(target, Engine::Libfuzzer, build, build.verbose)?;
    let command = session.commands("explore", shrinking)?;
    let fuzz_dir = project.dir;
    signals::leave_with_the_terminal()?;
    let explored = Explored { target: target.clone(), fuzz_dir, store, listed, bug };
    explore::explore(explored, command, || session.is_interrupted())
}

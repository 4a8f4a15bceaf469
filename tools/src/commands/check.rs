//! `cargo dwindle check`: shows which stored bugs still fail.

use crate::args::{Check, Engine};
use crate::child::Company;
use crate::exit::Exit;
use crate::project::Project;
use crate::reports::{self, Findings};
use crate::screen::json;
use crate::screen::{Plan, from_here};
use crate::session::Session;
use anyhow::Result;
use dwindle_corpus::events::Event;
use dwindle_corpus::{BugStore, printable_line};
use std::path::Path;

pub(crate) fn check(options: &Check) -> Result<Exit> {
    reports::check(&options.reports)?;
    let mut findings = Findings::default();
    let result = check_all(options, &mut findings);
    reports::write(&options.reports, options.build.json, &findings, result)
}

fn check_all(options: &Check, findings: &mut Findings) -> Result<Exit> {
    let project = Project::find(options.build.fuzz_dir.as_deref())?;
    let store = project.store(options.store.as_deref())?;
    let targets = if let Some(target) = &options.target {
        project.require(target)?;
        vec![target.clone()]
    } else {
        tell_of_strangers(&project, &store, options.build.json)?;
        project.targets.clone()
    };
    let mut exit = Exit::Clean;
    let mut is_anything_checked = false;
    for target in targets {
        // Skips the build for a target without bugs.
        if !has_bugs(&store, &target)? {
            continue;
        }
        is_anything_checked = true;
        let mut session =
            Session::open(&target, Engine::Libfuzzer, &options.build, options.build.verbose)?;
        let result = check_one(&mut session, &target, &store);
        findings.append(&mut session.findings);
        match result? {
            Exit::Interrupted => return Ok(Exit::Interrupted),
            Exit::Bugs => exit = Exit::Bugs,
            other if exit != Exit::Bugs && other != Exit::Clean => exit = other,
            _ => {}
        }
    }
    if !is_anything_checked && !options.build.json {
        println!("nothing to check: no bugs in {}", from_here(&store));
    }
    Ok(exit)
}

/// Checks the bugs of a target that is built.
pub(super) fn check_one(session: &mut Session, target: &str, store: &Path) -> Result<Exit> {
    session.screen.begin(&Plan {
        target,
        engine: None,
        corpus: &[],
        store: &store.join(target),
    })?;
    let mut command = session.command(Some("check"), None)?;
    command.env("DWINDLE_STORE", store);
    session.drive(command, false, Company::NONE)
}

/// Whether the store holds anything of the target, readable or damaged.
pub(super) fn has_bugs(root: &Path, target: &str) -> Result<bool> {
    match BugStore::open_existing(root, target) {
        Ok(store) => Ok(!store.ids()?.is_empty() || !store.damaged().is_empty()),
        Err(error) if error.is_missing() => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Warns about bugs of targets that no longer exist. These bugs are not checked, and must not look
/// fixed.
fn tell_of_strangers(project: &Project, store: &Path, is_json: bool) -> Result<()> {
    for target in BugStore::targets(store)? {
        if !project.targets.contains(&target) && has_bugs(store, &target)? {
            let words = format!(
                "{} holds bugs of `{target}`, but the fuzz crate has no such target; these bugs \
                 are not checked",
                from_here(&store.join(&target)),
                target = printable_line(&target)
            );
            eprintln!("warning: {words}");
            if is_json {
                json::write_words(Event::Warning, &words)?;
            }
        }
    }
    Ok(())
}

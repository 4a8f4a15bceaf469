//! `cargo dwindle build`: builds targets and prints where their binaries are.

use crate::args::BuildTargets;
use crate::compile::{self, Purpose};
use crate::exit::{Exit, wrong_use};
use crate::project::Project;
use crate::screen::{error_line, json};
use crate::signals::Interrupts;
use anyhow::Result;
use dwindle_corpus::events::{BuiltTarget, Event};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;

pub(crate) fn build(options: &BuildTargets) -> Result<Exit> {
    let project = Project::find(options.build.fuzz_dir.as_deref())?;
    options.targets.iter().try_for_each(|target| project.require(target))?;
    let targets = if options.targets.is_empty() { &project.targets } else { &options.targets };
    if targets.is_empty() {
        return Err(wrong_use(format!(
            "no targets in {}; `cargo dwindle add NAME` makes one",
            project.dir.display()
        )));
    }
    let store = project.store(None)?;
    let mut interrupts = Interrupts::catch()?;
    let mut exit = Exit::Clean;
    for target in targets {
        let purpose = Purpose::Fuzzing(options.engine);
        let built = compile::build(&project, target, purpose, &options.build, &mut interrupts);
        let executable = match built {
            Ok(executable) => executable,
            // With one target there is nothing to go on with.
            Err(error) if targets.len() == 1 || Exit::of(&error) != Exit::Environment => {
                return Err(error);
            }
            Err(error) => {
                eprintln!("{}", error_line(&format!("{error:#}")));
                exit = Exit::Environment;
                continue;
            }
        };
        if options.build.json {
            json::write(Event::Built(BuiltTarget {
                target: target.clone(),
                store: store.join(target).to_string_lossy().into_owned(),
                engine: None,
                corpus: Vec::new(),
                executable: Some(executable.to_string_lossy().into_owned()),
            }))?;
        } else {
            // Unchanged, because a script takes it as a path.
            let mut stdout = io::stdout().lock();
            stdout.write_all(executable.as_os_str().as_bytes())?;
            writeln!(stdout)?;
        }
    }
    Ok(exit)
}

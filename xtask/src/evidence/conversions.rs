//! Real cargo-fuzz projects, converted with `cargo dwindle init` and run: what works, and what a
//! user must do by hand.

mod attempt;
mod projects;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use self::attempt::{Attempt, Target, Tool};
use self::projects::{copy, fuzz_crates, fuzz_folders, revision, sub_folders};
use super::WrongUse;
use crate::tools;

/// How long each target runs, and how many targets of a fuzz crate.
const SECONDS: u64 = 30;
const TARGETS: usize = 2;

const USAGE: &str =
    "cargo xtask evidence conversions --folder DIR [--seconds SECONDS] [--targets N]";

/// The options of the measurement.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    folder: PathBuf,
    seconds: u64,
    targets: usize,
}

/// Converts, builds and runs the projects of a folder, and prints a table with a row for each fuzz
/// crate. A project that cannot be converted has a row that says why.
///
/// # Errors
/// [`WrongUse`] if the folder does not exist or holds no cargo-fuzz project.
pub(crate) fn measure(options: &[&str]) -> Result<()> {
    let options = parse(options)?;
    let projects = sub_folders(&options.folder)?;
    if projects.iter().all(|project| fuzz_folders(project).is_empty()) {
        return Err(WrongUse::error(format!(
            "{} holds no cargo-fuzz project: none of its {} sub-folders has a folder `fuzz` with a \
             Cargo.toml",
            options.folder.display(),
            projects.len()
        )));
    }
    tools::require_cpp_compiler()?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let tool = Tool {
        executable: tools::build_cargo_dwindle()?,
        harness: tools::root().join("harness"),
        target_dir: scratch.path().join("target"),
    };
    println!(
        "Converted with `cargo dwindle init --yes`, then each of the first {} targets of a fuzz \
         crate built and run for {} s with `cargo dwindle run`. By hand: what `init` asks for, \
         and what stands in the way of a target.\n",
        options.targets, options.seconds
    );
    println!(
        "| project | revision | targets | converted | built | executions | bugs kept | minimized | \
         by hand |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for project in &projects {
        project_rows(project, scratch.path(), &tool, &options)?;
    }
    Ok(())
}

/// Prints the rows of one project. Works on a copy, which is removed afterwards.
fn project_rows(project: &Path, scratch: &Path, tool: &Tool, options: &Options) -> Result<()> {
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    let revision = revision(project);
    let parent = scratch.join("copies");
    let copied = parent.join(&*name);
    copy(project, &copied)?;
    let folders = fuzz_folders(&copied);
    if folders.is_empty() {
        let nothing = Attempt::refused("no folder `fuzz` with a Cargo.toml");
        println!("{}", row(&name, &revision, &nothing));
    }
    for folder in folders {
        let relative = |path: &Path| without(&path.display().to_string(), &parent);
        eprintln!("{}", relative(&folder));
        match tool.convert(&folder)? {
            Err(refused) => {
                let row = row(&relative(&folder), &revision, &refused);
                println!("{}", without(&row, &parent));
            }
            Ok(remarks) => {
                for fuzz_crate in fuzz_crates(&folder) {
                    let attempt =
                        tool.run(&fuzz_crate, &remarks, options.targets, options.seconds)?;
                    let row = row(&relative(&fuzz_crate), &revision, &attempt);
                    println!("{}", without(&row, &parent));
                }
            }
        }
    }
    std::fs::remove_dir_all(&copied).context("cannot remove the copy of a project")
}

/// The text without the temporary folder that holds the copies.
fn without(text: &str, parent: &Path) -> String {
    text.replace(&format!("{}/", parent.display()), "")
}

fn row(name: &str, revision: &str, attempt: &Attempt) -> String {
    let built: Vec<&Target> = attempt.targets.iter().filter(|target| target.is_built).collect();
    let sum = |of: fn(&Target) -> u64| built.iter().map(|target| of(target)).sum::<u64>();
    let by_hand = attempt.by_hand.join("; ");
    let cells = [
        name.to_owned(),
        revision.to_owned(),
        format!("{} of {}", attempt.targets.len(), attempt.targets_all),
        attempt.refusal.clone().unwrap_or_else(|| "yes".to_owned()),
        built.len().to_string(),
        sum(|target| target.executions).to_string(),
        sum(|target| target.bugs).to_string(),
        sum(|target| target.minimized).to_string(),
        by_hand,
    ];
    let cells = cells.map(|cell| cell.replace('|', "\\|"));
    format!("| {} |", cells.join(" | "))
}

fn parse(mut options: &[&str]) -> Result<Options> {
    let wrong = |what: String| WrongUse::error(format!("{what}\nusage: {USAGE}"));
    let (mut folder, mut seconds, mut targets) = (None, SECONDS, TARGETS);
    while let [name, rest @ ..] = options {
        let [value, rest @ ..] = rest else {
            return Err(wrong(format!("`{name}` is no option with a value")));
        };
        let number = || {
            let number = value.parse().ok().filter(|number| *number > 0);
            number.ok_or_else(|| wrong(format!("{name} {value}: expected a number from 1")))
        };
        match *name {
            "--folder" => folder = Some(PathBuf::from(value)),
            "--seconds" => seconds = number()?,
            "--targets" => targets = usize::try_from(number()?)?,
            _ => return Err(wrong(format!("there is no option `{name}`"))),
        }
        options = rest;
    }
    let folder = folder.ok_or_else(|| wrong("--folder DIR is missing".to_owned()))?;
    Ok(Options { folder, seconds, targets })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn refusal(options: &[&str]) -> String {
        let error = measure(options).unwrap_err();
        assert!(error.is::<WrongUse>(), "{error:?}");
        error.to_string()
    }

    #[test]
    fn options_are_read() {
        let options = parse(&["--seconds", "7", "--folder", "a/b", "--targets", "1"]).unwrap();
        assert_eq!(options, Options { folder: "a/b".into(), seconds: 7, targets: 1 });
        let options = parse(&["--folder", "a"]).unwrap();
        assert_eq!((options.seconds, options.targets), (SECONDS, TARGETS));
    }

    #[test]
    fn wrong_options_are_refused() {
        for (options, said) in [
            (&[][..], "--folder DIR is missing"),
            (&["--folder"], "`--folder` is no option with a value"),
            (&["--folder", "a", "--second", "1"], "there is no option `--second`"),
            (&["--folder", "a", "--seconds", "0"], "--seconds 0: expected a number from 1"),
            (&["--folder", "a", "--targets", "x"], "--targets x: expected a number from 1"),
        ] {
            let refused = refusal(options);
            assert!(refused.starts_with(said) && refused.contains("usage: "), "{refused}");
        }
    }

    #[test]
    fn a_folder_without_a_cargo_fuzz_project_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let missing = format!("{path}/nothing");
        assert!(refusal(&["--folder", &missing]).contains("nothing does not exist"));
        assert!(refusal(&["--folder", path]).contains("none of its 0 sub-folders"));
        fs::create_dir_all(folder.path().join("one/fuzz")).unwrap();
        assert!(refusal(&["--folder", path]).contains("none of its 1 sub-folders"));
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(refusal(&["--folder", file.to_str().unwrap()]).contains("is no folder"));
    }

    #[test]
    fn a_row_says_why_a_project_was_not_converted() {
        let row = row("a/fuzz", "1234567", &Attempt::refused("neither a | nor b"));
        assert_eq!(row, "| a/fuzz | 1234567 | 0 of 0 | neither a \\| nor b | 0 | 0 | 0 | 0 |  |");
    }

    #[test]
    fn a_row_names_no_temporary_folder() {
        let said = "`a` does not build in /t/copies/one/fuzz";
        assert_eq!(without(said, Path::new("/t/copies")), "`a` does not build in one/fuzz");
    }

    #[test]
    fn a_row_adds_up_the_targets_that_were_built() {
        let target = Target { is_built: true, executions: 5, bugs: 2, minimized: 1 };
        let attempt = Attempt {
            targets: vec![target, Target::default(), target],
            targets_all: 4,
            by_hand: vec!["a".to_owned(), "b".to_owned()],
            ..Attempt::default()
        };
        assert_eq!(row("a", "", &attempt), "| a |  | 3 of 4 | yes | 2 | 10 | 4 | 2 | a; b |");
    }
}

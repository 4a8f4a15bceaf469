//! The commands in README and in the book are commands that exist, with options that exist.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use clap::error::ErrorKind;

use super::CommandLine;

/// README and the pages of the book.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let pages = fs::read_dir(root.join("docs")).expect("the folder of the book");
    let pages = pages.map(|entry| entry.expect("an entry").path());
    let pages = pages.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    [root.join("README.md")].into_iter().chain(pages).collect()
}

/// The commands of a document: in code blocks, and between backticks.
fn commands(document: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut is_code = false;
    for line in document.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            commands.extend(line.split("cargo dwindle ").skip(1).map(str::to_owned));
        } else {
            let code = line.split('`').skip(1).step_by(2);
            commands.extend(
                code.filter_map(|code| code.strip_prefix("cargo dwindle ")).map(str::to_owned),
            );
        }
    }
    commands
}

/// The words of a command, up to what the shell reads in another way.
fn words(command: &str) -> Vec<&str> {
    let end = [" #", " ||", " |", ";", " >", " &&", ")", " \\", "  ", "`", "\""]
        .into_iter()
        .filter_map(|end| command.find(end))
        .min()
        .unwrap_or(command.len());
    command[..end].split_whitespace().collect()
}

/// Why a command is wrong. A command without its arguments is only named.
fn trouble(words: &[&str]) -> Option<String> {
    let error = CommandLine::try_parse_from(["cargo-dwindle"].iter().chain(words)).err()?;
    let is_named =
        matches!(error.kind(), ErrorKind::MissingRequiredArgument | ErrorKind::MissingSubcommand)
            || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            || words.first().is_some_and(|word| *word == "COMMAND");
    (!is_named).then(|| error.to_string())
}

#[test]
fn each_command_in_the_documents_parses() {
    let mut count = 0;
    for path in documents() {
        let document = fs::read_to_string(&path).expect("a document");
        for command in commands(&document) {
            count += 1;
            if let Some(trouble) = trouble(&words(&command)) {
                panic!("{}: cargo dwindle {command}\n{trouble}", path.display());
            }
        }
    }
    assert!(count > 50, "{count} commands");
}

#[test]
fn a_wrong_option_in_a_document_is_noticed() {
    let document =
        "`cargo dwindle run t --jobs 4`\n```sh\ncargo dwindle run t --jbos 4 # four\n```\n";
    let commands = commands(document);
    let troubles: Vec<bool> =
        commands.iter().map(|command| trouble(&words(command)).is_some()).collect();
    assert_eq!(troubles, [false, true]);
    assert_eq!(words("check --junit x.xml; echo done"), ["check", "--junit", "x.xml"]);
}

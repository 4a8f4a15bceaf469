//! What a user reads after a mistake with a macro of dwindle, and what is right in its place.
//!
//! Each file in `wrong` begins with a title and a text. The file beside it is what the compiler
//! says, and the file of the same name in `right` compiles. `docs/errors.md` shows all of them:
//! `TRYBUILD=overwrite cargo test -p xtask --test mistakes` writes the messages and the page.

#[expect(dead_code, reason = "only the form of this code matters")]
mod right;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use xtask::tools;

const PAGE: &str = "../docs/errors.md";

const HEAD: &str = "\
# Errors of the compiler

This page lists typical mistakes with the macros of dwindle: the code, what the compiler says, and
what is right. A test keeps the messages equal to those of the compiler. The paths are those of
that test.
";

/// The beginnings of the names of the files, with the title of their part of the page.
const PARTS: [(&str, &str); 4] = [
    ("derive", "`#[derive(Generate)]`"),
    ("property", "`#[dwindle::test]`"),
    ("machine", "`#[dwindle::state_machine]`"),
    ("target", "`fuzz_target!`"),
];

/// The mistakes of one part.
fn mistakes(part: &str) -> Vec<PathBuf> {
    let folder = fs::read_dir("tests/mistakes/wrong").expect("the folder of the mistakes");
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| {
        file.extension().is_some_and(|ending| ending == "rs")
            && file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(part))
    });
    files.sort();
    files
}

fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The code of a file without what every file has.
fn code(text: &str) -> &str {
    let code = text.trim_start_matches("#![no_main]").trim_start();
    let code = code.trim_start_matches("use dwindle::prelude::*;").trim();
    code.trim_end_matches("fn main() {}").trim_end()
}

/// The part of the page for one mistake.
fn entry(wrong: &Path) -> String {
    let source = text(wrong);
    let (about, rest): (Vec<&str>, Vec<&str>) =
        source.lines().partition(|line| line.starts_with("//!"));
    let about: Vec<&str> = about.iter().map(|line| line[3..].trim()).collect();
    let (title, about) = about.split_first().expect("a title");
    let right = wrong.parent().and_then(Path::parent).expect("the folder of the tests");
    let right = text(&right.join("right").join(wrong.file_name().expect("a name")));
    format!(
        "\n### {title}\n\n```rust\n{}\n```\n\n```text\n{}\n```\n\n{}\n\n```rust\n{}\n```\n",
        code(rest.join("\n").trim()),
        text(&wrong.with_extension("stderr")).trim_end(),
        about.join("\n").trim(),
        code(&right)
    )
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for (part, title) in PARTS {
        let _ = write!(page, "\n## {title}\n");
        page.extend(mistakes(part).iter().map(|file| entry(file)));
    }
    page
}

#[test]
fn each_mistake_has_its_message_and_the_page_shows_it() {
    // The messages are compared when the cases are dropped.
    trybuild::TestCases::new().compile_fail("tests/mistakes/wrong/*.rs");
    if std::env::var_os("TRYBUILD").is_some_and(|value| value == "overwrite") {
        fs::write(PAGE, page()).expect("the page can be written");
    }
    let is_same = text(Path::new(PAGE)) == page();
    assert!(is_same, "run TRYBUILD=overwrite cargo test -p xtask --test mistakes");
}

#[test]
fn every_file_is_in_a_part_of_the_page() {
    let in_parts: usize = PARTS.iter().map(|(part, _)| mistakes(part).len()).sum();
    assert_eq!(mistakes("").len(), in_parts);
}

#[test]
fn a_message_stands_at_the_code_of_the_user_and_has_no_other_beside_it() {
    for file in mistakes("") {
        let message = text(&file.with_extension("stderr"));
        for sign in ["warning", "this error originates in", "#[dwindle::test].", ".into()"] {
            assert!(!message.contains(sign), "{}: {sign}", file.display());
        }
        // Each error names a place in the file of the mistake.
        let errors = message.lines().filter(|line| line.starts_with("error")).count();
        let place = file.file_name().expect("a name").to_string_lossy().into_owned();
        let mut previous = "";
        let placed = message
            .lines()
            .filter(|line| {
                let is_place = previous.starts_with("error") && line.contains(&place);
                previous = line;
                is_place
            })
            .count();
        assert_eq!(placed, errors, "{}", file.display());
    }
}

/// `--cfg dwindle_portable` makes this system count as another one.
#[test]
fn fuzzing_on_another_system_is_one_error_of_one_sentence() {
    let mut command = tools::cargo();
    command.args(["rustc", "--locked", "--package", "dwindle-corpus", "--features", "fuzzing"]);
    command.args(["--lib", "--message-format=short", "--", "--cfg", "dwindle_portable"]);
    let output = command.output().expect("cargo starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = said.lines().filter(|line| line.contains("error: ")).collect();
    assert!(
        errors.len() == 2
            && errors[0].ends_with(
                "dwindle fuzzes only on Linux: on other systems, depend on it with \
                 `default-features = false`, which runs properties under `cargo test`"
            )
            && errors[1].contains("could not compile `dwindle-corpus`"),
        "{said}"
    );
}

//! `cargo dwindle add`: creates a new target.

use crate::args::Add;
use crate::change::{Change, apply, with_line_ends_of};
use crate::commands::init::has_dwindle;
use crate::exit::{Exit, wrong_use};
use crate::manifests::is_edition_2015;
use crate::project::Project;
use crate::screen::from_here;
use crate::templates::{self, TARGETS};
use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

/// Names that cargo uses for its own folders.
const CARGOS: &[&str] = &["build", "deps", "examples", "incremental"];

const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "_",
];

pub(crate) fn add(options: &Add) -> Result<Exit> {
    let name = options.name.as_str();
    require_name(name)?;
    let project = Project::find(options.fuzz_dir.as_deref())?;
    let alike = |known: &&String| known.replace('-', "_") == name.replace('-', "_");
    if let Some(known) = project.targets.iter().find(alike) {
        return Err(wrong_use(format!(
            "a target `{known}` exists in {}; choose another name",
            project.dir.display()
        )));
    }
    let manifest = project
        .dir
        .join("Cargo.toml")
        .canonicalize()
        .with_context(|| format!("cannot read {}", project.dir.display()))?;
    let before = fs::read_to_string(&manifest)
        .with_context(|| format!("cannot read {}", manifest.display()))?;
    if !has_dwindle(&before) {
        return Err(wrong_use(format!(
            "{} does not depend on dwindle; `cargo dwindle init` converts it",
            from_here(&manifest)
        )));
    }
    let after = with_line_ends_of(&before, &with_target(&before, name)?);
    let mut text =
        if options.arbitrary { templates::bytes(name) } else { templates::drawing(name, None) };
    if before.parse().is_ok_and(|manifest| is_edition_2015(&manifest, &project.dir)) {
        text = templates::for_edition_2015(&text);
    }
    let path = project.dir.join(TARGETS).join(format!("{name}.rs"));
    create(&path, &text)?;
    if let Err(error) = apply(&[Change { path: manifest.clone(), before, after }]) {
        // Without its [[bin]] the file would only block the next try.
        let _ = fs::remove_file(&path);
        return Err(error);
    }
    println!(
        "made {}, and added its [[bin]] to {}\nnext: cargo dwindle run {name}",
        from_here(&path),
        from_here(&manifest)
    );
    Ok(Exit::Clean)
}

fn require_name(name: &str) -> Result<()> {
    let has_plain_letters = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !has_plain_letters || !begins_well {
        return Err(wrong_use(format!(
            "`{name}` cannot be the name of a target: use letters, digits, _ and -, and begin \
             with a letter or _"
        )));
    }
    if KEYWORDS.contains(&name) || CARGOS.contains(&name) {
        return Err(wrong_use(format!(
            "`{name}` cannot be the name of a target: Rust or cargo reserves it; use another, for \
             example `fuzz_{name}`"
        )));
    }
    Ok(())
}

/// Adds one more `[[bin]]` to the manifest, after the others.
fn with_target(manifest: &str, name: &str) -> Result<String> {
    let mut document: DocumentMut = manifest.parse().context("Cargo.toml is not valid")?;
    let mut target = Table::new();
    target.insert("name", value(name));
    target.insert("path", value(format!("{TARGETS}/{name}.rs")));
    for kind in ["test", "doc", "bench"] {
        target.insert(kind, value(false));
    }
    target.decor_mut().set_prefix("\n");
    let targets = document.entry("bin").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let targets = targets.as_array_of_tables_mut().ok_or_else(|| {
        wrong_use(
            "`bin` in Cargo.toml is not a list of [[bin]]; write it as [[bin]], then run \
                   the command again",
        )
    })?;
    // Puts the new table after the last [[bin]], wherever that is.
    if let Some(position) = targets.iter().last().and_then(Table::position) {
        target.set_position(Some(position));
    }
    targets.push(target);
    Ok(document.to_string())
}

/// Writes a new file. An error of exit code 2 if the file exists.
fn create(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut file = match File::create_new(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(wrong_use(format!(
                "{} exists already; choose another name, or move it away",
                from_here(path)
            )));
        }
        Err(error) => return Err(error).with_context(|| format!("cannot make {}", path.display())),
    };
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_names_follow_the_rules_of_crate_names() {
        for good in ["parse", "parse_2", "parse-bytes", "_x", "Parse"] {
            assert!(require_name(good).is_ok(), "{good}");
        }
        for bad in ["", "2parse", "-x", "a b", "a/b", "..", "a.rs", "fn", "_", "deps", "größe"] {
            assert!(require_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_new_target_comes_after_the_others_and_nothing_else_changes() {
        let manifest = "# first\n[package]\nname = \"x\" # here\n\n[[bin]]\nname = \"a\"\n\n# last \
                        words\n[profile.release]\ndebug = 1\n";
        let expected = "# first\n[package]\nname = \"x\" # here\n\n[[bin]]\nname = \"a\"\n\n\
                        [[bin]]\nname = \"b\"\npath = \"fuzz_targets/b.rs\"\ntest = false\ndoc = \
                        false\nbench = false\n\n# last words\n[profile.release]\ndebug = 1\n";
        assert_eq!(with_target(manifest, "b").unwrap(), expected);
        assert!(with_target("[package]\nname = \"x\"\n", "b").unwrap().ends_with(
            "\n[[bin]]\nname = \"b\"\npath = \"fuzz_targets/b.rs\"\ntest = false\n\
             doc = false\nbench = false\n"
        ));
    }
}

//! The code blocks of the documents: transcripts have markers, Rust compiles, YAML parses.

use std::fs;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use xtask::tools;
use xtask::transcripts::{self, Kind, difference};
use yaml_rust2::{Yaml, YamlLoader};

use crate::pages::{documents, text};

/// The code blocks of a document: what stands behind the opening fence, and the text.
fn code_blocks(document: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut is_inside = false;
    for event in Parser::new(document) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                is_inside = true;
                blocks.push((info.into_string(), String::new()));
            }
            Event::Text(words) if is_inside => {
                if let Some((_, text)) = blocks.last_mut() {
                    text.push_str(&words);
                }
            }
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => is_inside = false,
            _ => {}
        }
    }
    blocks
}

#[test]
fn every_transcript_has_a_marker_so_that_a_test_runs_it() {
    for path in documents() {
        let document = text(&path);
        let marked = transcripts::blocks(&document).expect("the markers are right");
        let marked = |block: &str| {
            marked.iter().any(|of| matches!(of.kind, Kind::Transcript { .. }) && of.text == block)
        };
        for (info, block) in code_blocks(&document) {
            let is_transcript =
                info == "console" || block.lines().any(|line| line.starts_with("$ "));
            assert!(
                !is_transcript || marked(&block),
                "{}: put `<!-- transcript: FOLDER -->` before\n{block}",
                path.display()
            );
        }
    }
}

/// Reports that stand in a page as text are those of other transcripts.
#[test]
fn quoted_lines_of_a_run_are_like_those_of_a_transcript() {
    let readme = text(&tools::root().join("README.md"));
    let of_readme = code_blocks(&readme);
    let lines: Vec<&str> = of_readme.iter().flat_map(|(_, text)| text.lines()).collect();
    for path in documents() {
        for (info, block) in code_blocks(&text(&path)) {
            let is_report = block.contains(" became ") || block.contains("new coverage in ");
            if info != "text" || !is_report {
                continue;
            }
            for quoted in block.lines() {
                assert!(
                    lines.iter().any(|line| difference(quoted.trim(), line.trim()).is_none()),
                    "{}: no transcript of README has the line {quoted}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn the_rust_code_of_each_document_is_compiled() {
    let compiled = text(&tools::root().join("harness/src/documents.rs"));
    for path in documents() {
        // The compiler's errors are the point of this page; `xtask/tests/mistakes` compiles it.
        if path.ends_with("docs/errors.md") {
            continue;
        }
        let document = text(&path);
        let is_rust = |(info, _): &(String, String)| info.starts_with("rust");
        let name = path.strip_prefix(tools::root()).unwrap().display().to_string();
        let is_compiled = compiled.contains(&format!("\"../../{name}\""));
        assert!(
            !code_blocks(&document).iter().any(is_rust) || is_compiled,
            "add {name} to harness/src/documents.rs"
        );
    }
}

#[test]
fn rust_code_that_is_not_compiled_is_a_file_of_a_scene_or_of_another_tool() {
    for path in documents().iter().filter(|path| !path.ends_with("docs/errors.md")) {
        let document = text(path);
        let marked = transcripts::blocks(&document).expect("the markers are right");
        for (info, block) in code_blocks(&document) {
            let is_file =
                marked.iter().any(|of| matches!(of.kind, Kind::File { .. }) && of.text == block);
            let is_short = block.lines().count() <= 3 && block.starts_with("//! ");
            assert!(
                !info.contains("ignore") || is_file || is_short || block.starts_with("proptest!"),
                "{}: neither doctests nor a scene compile\n{block}",
                path.display()
            );
        }
    }
}

/// All texts below `run:` and `script:` of a job.
fn scripts(yaml: &Yaml, found: &mut Vec<String>) {
    match yaml {
        Yaml::Hash(entries) => {
            for (key, value) in entries {
                match (key.as_str(), value) {
                    (Some("run"), Yaml::String(script)) => found.push(script.clone()),
                    (Some("script" | "before_script"), Yaml::Array(lines)) => {
                        found.extend(
                            lines.iter().filter_map(|line| line.as_str().map(str::to_owned)),
                        );
                    }
                    _ => scripts(value, found),
                }
            }
        }
        Yaml::Array(entries) => entries.iter().for_each(|entry| scripts(entry, found)),
        _ => {}
    }
}

#[test]
fn the_jobs_of_the_ci_recipes_parse_and_run_what_they_promise() {
    let page = text(&tools::root().join("docs/ci.md"));
    let recipes: Vec<_> =
        code_blocks(&page).into_iter().filter(|(info, _)| info == "yaml").collect();
    assert_eq!(recipes.len(), 2);
    for (_, recipe) in recipes {
        let documents = YamlLoader::load_from_str(&recipe).expect("it is YAML");
        let mut commands = Vec::new();
        for document in &documents {
            scripts(document, &mut commands);
        }
        for promised in ["cargo install --locked --path ../dwindle/tools", "cargo dwindle check "] {
            assert!(
                commands
                    .iter()
                    .flat_map(|command| command.lines())
                    .any(|line| line.starts_with(promised)),
                "{promised} is not in {commands:?}"
            );
        }
    }
}

#[test]
fn the_page_on_tuning_lists_every_switch() {
    let source = text(&tools::root().join("harness/src/switches.rs"));
    let page = text(&tools::root().join("docs/tuning.md"));
    let names: Vec<&str> = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("(Switch::")?.split('"').nth(1))
        .collect();
    let count = source.split_once("const ALL: [(Switch, &str, bool); ").unwrap().1;
    let count = count.split_once(']').unwrap().0.parse();
    assert_eq!(Ok(names.len()), count, "{names:?}");
    for name in names {
        assert!(page.contains(&format!("| `{name}` |")), "docs/tuning.md lacks {name}");
    }
}

#[test]
fn the_store_page_lists_every_variable_of_users() {
    let source = text(&tools::root().join("harness/src/environment.rs"));
    let page = text(&tools::root().join("docs/store.md"));
    for name in ["STORE", "STOP", "BUDGET_CALLS", "BUDGET_SECONDS", "CHOICES_MAX", "SEED", "CASES"]
    {
        assert!(source.contains(&format!("\"DWINDLE_{name}\"")), "no variable DWINDLE_{name}");
        assert!(page.contains(&format!("`DWINDLE_{name}")), "docs/store.md lacks DWINDLE_{name}");
    }
}

#[test]
fn the_book_has_its_configuration() {
    let book = fs::read_to_string(tools::root().join("docs/book.toml")).expect("docs/book.toml");
    assert!(book.contains("src = \".\""), "{book}");
}

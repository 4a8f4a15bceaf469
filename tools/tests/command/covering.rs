//! `cmin` and `coverage`: what cannot be done is said before anything is built.

use crate::fixture::Fixture;
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;

#[test]
fn cmin_needs_a_corpus_with_inputs() {
    let fixture = Fixture::new("");
    let refuses = |arguments: &[&str], words: &str| {
        fixture.dwindle(arguments).assert().code(2).stdout("").stderr(contains(words));
        assert!(!fixture.path("build-args").exists());
    };
    refuses(&["cmin", "alpa"], "did you mean `alpha`?");
    refuses(&["cmin", "alpha"], "does not exist; `cargo dwindle run alpha` makes a corpus");
    refuses(&["cmin", "alpha", "nowhere"], "nowhere does not exist");
    refuses(&["cmin", "alpha", "script"], "script is a file, not a corpus folder");

    let corpus = fixture.path("fuzz/corpus/alpha");
    fs::create_dir_all(&corpus).unwrap();
    fs::write(corpus.join(".keep"), "").unwrap();
    refuses(&["cmin", "alpha"], "holds no inputs");
    fs::create_dir_all(fixture.path("out/main/queue")).unwrap();
    fs::write(fixture.path("out/main/fuzzer_stats"), "").unwrap();
    refuses(&["cmin", "alpha", "out"], "cargo dwindle corpus import alpha ");
    // Nothing of the command is left beside the folders.
    assert_eq!(fs::read_dir(fixture.path("fuzz/corpus")).unwrap().count(), 1);
    assert!(!fixture.path(".out.cmin").exists());
}

#[test]
fn cmin_changes_nothing_if_the_target_cannot_run() {
    let fixture = Fixture::new("stderr the last words\nexit 3");
    let corpus = fixture.path("fuzz/corpus/alpha");
    fs::create_dir_all(&corpus).unwrap();
    fs::write(corpus.join("a"), "a").unwrap();
    fixture.dwindle(&["cmin", "alpha"]).assert().code(3).stderr(
        contains("exited with code 3 before it ran an input; the corpus was not changed")
            .and(contains("the last words")),
    );
    let names: Vec<_> =
        fs::read_dir(fixture.path("fuzz/corpus")).unwrap().map(|at| at.unwrap().path()).collect();
    assert_eq!(names, std::slice::from_ref(&corpus));
    assert_eq!(fs::read(corpus.join("a")).unwrap(), b"a");
}

#[test]
fn coverage_needs_inputs_and_a_folder_for_its_pages() {
    let fixture = Fixture::new("");
    let refuses = |arguments: &[&str], words: &str| {
        fixture.dwindle(arguments).assert().code(2).stdout("").stderr(contains(words));
        assert!(!fixture.path("build-args").exists());
    };
    refuses(&["coverage", "alpa"], "did you mean `alpha`?");
    refuses(&["coverage", "alpha"], "makes a corpus, and --input runs one file");
    refuses(&["coverage", "alpha", "nowhere"], "nowhere does not exist");
    refuses(&["coverage", "alpha", "--input", "nowhere"], "cannot read nowhere");
    refuses(&["coverage", "alpha", "--input", "fuzz"], "fuzz is a folder");
    fs::create_dir(fixture.path("empty")).unwrap();
    refuses(&["coverage", "alpha", "empty"], "no inputs in empty");
    refuses(
        &["coverage", "alpha", "--input", "script", "--html", "script"],
        "script is a file; name a folder for the pages",
    );
}

#[test]
fn coverage_says_how_to_install_the_tools_of_llvm() {
    let fixture = Fixture::new("");
    let root = fixture.path("");
    // A compiler of an LLVM that no machine has.
    fixture.executable(
        "rustc",
        &format!(
            "case \"$*\" in\n-vV) echo 'LLVM version: 999.1.0';;\n*) echo {};;\nesac",
            root.display()
        ),
    );
    fixture.dwindle(&["coverage", "alpha", "--input", "script"]).assert().code(3).stderr(contains(
        "llvm-profdata of LLVM 999 is missing: `rustup component add llvm-tools`",
    ));
    assert!(!fixture.path("build-args").exists());
}

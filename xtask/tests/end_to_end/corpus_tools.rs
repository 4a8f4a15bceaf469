//! `cargo dwindle cmin` and `cargo dwindle coverage`, on a corpus with inputs that end the process.

use std::fs;

use rustix::process::Signal;
use serde_json::Value;
use xtask::tools;

use crate::processes::{Running, wait_until};
use crate::project::{demo, one_at_a_time};
use crate::stage::{Outcome, Stage, files_in, names_in, outcome};

/// Reaches one line more for each letter of `abc`. Then it panics, ends in other ways, or hangs.
const LIBRARY: &str = "\
//! A demo.

/// Reads letters.
pub fn take(letters: &[u8]) {
    let Some((b'a', rest)) = letters.split_first() else { return };
    let Some((b'b', rest)) = rest.split_first() else { return };
    match rest.first() {
        Some(b'c') => println!(\"all\"),
        Some(b'p') => panic!(\"the letter p\"),
        Some(b'k') => {
            let mut shell = std::process::Command::new(\"sh\");
            let _ = shell.args([\"-c\", \"kill -KILL $PPID\"]).status();
        }
        Some(b'h') => loop {
            std::thread::yield_now();
        },
        _ => {}
    }
}

/// Is never called.
pub fn other() -> u32 {
    7
}
";

const TARGET: &str = "\
#![no_main]

dwindle::arbitrary::fuzz_target!(|letters: &[u8]| {
    demo::take(letters);
});
";

const CORPUS: [(&str, &str); 8] = [
    ("seeds/all", "abc"),
    ("a", "a"),
    ("ab", "ab"),
    // Takes the same branches as `z`, however the compiler arranges them.
    ("longer", "z-----"),
    ("z", "z"),
    ("panics", "abp"),
    ("killed", "abk"),
    (".keep", ""),
];

/// The crate `demo` with a corpus.
fn prepared() -> Stage {
    let stage = demo();
    stage.file("demo/src/lib.rs", LIBRARY.as_bytes());
    stage.file("demo/fuzz/fuzz_targets/take.rs", TARGET.as_bytes());
    fs::create_dir_all(stage.path("demo/fuzz/corpus/take/seeds")).unwrap();
    for (name, content) in CORPUS {
        stage.file(&format!("demo/fuzz/corpus/take/{name}"), content.as_bytes());
    }
    stage
}

fn corpus(stage: &Stage) -> Vec<String> {
    let folder = stage.path("demo/fuzz/corpus/take");
    let mut names = names_in(&folder);
    names.extend(names_in(&folder.join("seeds")).into_iter().map(|name| format!("seeds/{name}")));
    names.retain(|name| name != "seeds");
    for name in &names {
        let (_, content) = CORPUS.iter().find(|(known, _)| known == name).unwrap();
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), *content, "{name}");
    }
    names
}

#[test]
fn a_corpus_becomes_smaller_and_loses_nothing() {
    let _turn = one_at_a_time();
    let stage = prepared();
    // The last of its size, so it runs behind the two that end their process.
    let hangs = stage.file("demo/fuzz/corpus/take/waits", b"abh");
    let mut all = names_in(&stage.path("demo/fuzz/corpus/take"));

    // A kill while the inputs run, of the command and all its processes.
    let run = Running::start(&mut stage.dwindle_in_demo(&["cmin", "take"]));
    let control = stage.path("demo/fuzz/corpus/.take.cmin/control");
    // Two inputs have ended their process before, so the third process hangs.
    wait_until("an input hangs", || {
        fs::read_to_string(&control).is_ok_and(|text| {
            text.starts_with("3\n")
                && text.lines().last().is_some_and(|line| line.starts_with("STARTED "))
        })
    });
    run.signal(Signal::KILL);
    stage.leaves_no_process();
    run.end();
    assert_eq!(names_in(&stage.path("demo/fuzz/corpus/take")), all);

    fs::remove_file(hangs).unwrap();
    all.retain(|name| name != "waits");
    let ended = outcome(&mut stage.dwindle_in_demo(&["cmin", "take", "--json"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let smaller = &ended.events("smaller-corpus")[0];
    assert_eq!(
        (&smaller["inputs_before"], &smaller["inputs"]),
        (&7.into(), &4.into()),
        "{smaller}"
    );
    assert_eq!(corpus(&stage), [".keep", "a", "ab", "z", "seeds/all"]);
    assert_eq!(names_in(&stage.path("demo/fuzz/corpus")), ["take"]);
    let failed: Vec<(&str, &str)> = smaller["failed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|failed| (failed["file"].as_str().unwrap(), failed["reason"].as_str().unwrap()))
        .collect();
    assert!(failed[0].0.ends_with("/killed") && failed[0].1.contains("signal 9"), "{failed:?}");
    assert!(failed[1].0.ends_with("/panics") && failed[1].1.contains("panicked at"), "{failed:?}");
    let kept = files_in(&stage.path("demo/fuzz/artifacts/take"));
    let mut kept: Vec<_> = kept.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    kept.sort();
    assert_eq!(kept, ["abk", "abp"]);

    // None of the rest can be left out.
    let again = outcome(&mut stage.dwindle_in_demo(&["cmin", "take"]));
    assert_eq!(again.code, Some(0), "{again:#?}");
    again.says("4 of 4 inputs stay, 7 of 7 bytes, with the same ");
    assert_eq!(corpus(&stage), [".keep", "a", "ab", "z", "seeds/all"]);
}

#[test]
fn coverage_counts_what_failing_inputs_reach_too() {
    tools::require_llvm_tools().unwrap();
    let _turn = one_at_a_time();
    let stage = prepared();
    // Not optimized, so that it builds sooner.
    let by_corpus =
        outcome(&mut stage.dwindle_in_demo(&["coverage", "take", "--dev", "--html", "report"]));
    assert_eq!(by_corpus.code, Some(1), "{by_corpus:#?}");
    by_corpus.says("coverage by 7 inputs, 2 failed");
    by_corpus.says("failed  fuzz/corpus/take/panics: thread ");
    by_corpus.says("failed  fuzz/corpus/take/killed: the process was killed by signal 9");
    assert!(stage.path("demo/report/index.html").is_file(), "{by_corpus:#?}");

    let reached = |arguments: &[&str], code| {
        let json = ["coverage", "take", "--dev", "--json"];
        let ended = outcome(&mut stage.dwindle_in_demo(&[&json, arguments].concat()));
        assert_eq!(ended.code, Some(code), "{ended:#?}");
        only_file(&ended)
    };
    let all = reached(&[], 1);
    let all_lines = all["lines"]["reached"].as_u64().unwrap();
    // The function that is never called, and the loop.
    assert!(all_lines < all["lines"]["count"].as_u64().unwrap(), "{all}");
    let lines = |input: &str, code| {
        let input = format!("fuzz/corpus/take/{input}");
        reached(&["--input", &input], code)["lines"]["reached"].as_u64().unwrap()
    };
    let [z, a, killed] = [("z", 0), ("a", 0), ("killed", 1)].map(|(name, code)| lines(name, code));
    assert!(z <= a && a < killed && killed < all_lines, "{z} {a} {killed} {all_lines}");

    let arguments = ["report", "take", "--dev", "--coverage", "--out", "page"];
    let ended = outcome(&mut stage.dwindle_in_demo(&arguments));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let page = fs::read_to_string(stage.path("demo/page/index.html")).unwrap();
    for text in ["demo/src/lib.rs", "fuzz/corpus/take/a (1 byte)", "seeds/all", "not reached"] {
        assert!(page.contains(text), "{text} is not in {page}");
    }
    // A larger input with the same lines as a smaller one is the smallest of none.
    assert!(!page.contains("take/longer"), "{page}");
}

/// The figures of the library, which is the only file under test.
fn only_file(ended: &Outcome) -> Value {
    let coverage = ended.events("coverage").remove(0);
    let files = coverage["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{coverage}");
    assert!(files[0]["file"].as_str().unwrap().ends_with("demo/src/lib.rs"), "{coverage}");
    files[0].clone()
}

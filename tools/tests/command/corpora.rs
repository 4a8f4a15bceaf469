//! `corpus import|export|stats`: inputs move between engines as plain files.

use crate::fixture::Fixture;
use predicates::str::contains;
use std::fs;

fn contents(fixture: &Fixture, folder: &str) -> Vec<Vec<u8>> {
    let mut contents: Vec<_> = fs::read_dir(fixture.path(folder))
        .unwrap()
        .map(|entry| fs::read(entry.unwrap().path()).unwrap())
        .collect();
    contents.sort();
    contents
}

#[test]
fn import_copies_each_input_of_afl_once_and_export_copies_it_out() {
    let fixture = Fixture::new("");
    for (file, content) in [
        ("out/main/fuzzer_stats", "execs_done : 3\n"),
        ("out/main/queue/id:000000,orig:a", "a"),
        ("out/main/queue/id:000001,src:000000", "b"),
        ("out/main/queue/.state/deterministic_done/id:000000", "no input"),
        ("out/main/crashes/id:000000,sig:06", "fails"),
        ("out/s1/fuzzer_stats", "execs_done : 4\n"),
        ("out/s1/queue/id:000000,sync:main", "b"),
        ("more/empty", ""),
        ("more/c", "c"),
    ] {
        let path = fixture.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    fixture
        .dwindle(&["corpus", "import", "beta", "out", "more"])
        .assert()
        .code(0)
        .stdout(contains("3 inputs new, 1 known"))
        .stdout(contains("1 empty"));
    fixture
        .dwindle(&["corpus", "import", "beta", "out"])
        .assert()
        .code(0)
        .stdout(contains("0 inputs new, 3 known"));
    fixture
        .dwindle(&["corpus", "stats", "beta"])
        .assert()
        .code(0)
        .stdout(contains("3 inputs, 3 distinct, 3 bytes (median 1, largest 1)"));
    fixture
        .dwindle(&["corpus", "export", "beta", "seeds"])
        .assert()
        .code(0)
        .stdout(contains("3 inputs new"));
    assert_eq!(contents(&fixture, "seeds"), [b"a", b"b", b"c"]);
    let exported =
        fixture.dwindle(&["corpus", "export", "beta", "seeds", "--json"]).assert().code(0);
    exported.stdout(contains("\"event\":\"exported\"")).stdout(contains("\"known\":3"));
}

#[test]
fn inputs_that_cannot_be_moved_are_reported() {
    let fixture = Fixture::new("");
    fixture
        .dwindle(&["corpus", "import", "beta", "nowhere"])
        .assert()
        .code(2)
        .stderr(contains("does not exist"));
    fs::create_dir(fixture.path("hollow")).unwrap();
    fixture
        .dwindle(&["corpus", "import", "beta", "hollow"])
        .assert()
        .code(2)
        .stderr(contains("is a folder without inputs"));
    fixture
        .dwindle(&["corpus", "export", "beta", "seeds"])
        .assert()
        .code(2)
        .stderr(contains("holds no inputs"));
    fixture
        .dwindle(&["corpus", "stats", "beta"])
        .assert()
        .code(0)
        .stdout(contains("no corpus of `beta` yet"));
    fixture
        .dwindle(&["corpus", "stats", "gamma"])
        .assert()
        .code(2)
        .stderr(contains("no target named `gamma`"));
}

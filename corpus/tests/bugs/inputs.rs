//! Reading inputs, and finding them where fuzzers leave them.

use std::fs;
use std::path::{Path, PathBuf};

use dwindle_corpus::{BugStore, INPUT_MAX_BYTES, list_inputs, read_input, survey_inputs};

use rustix::fs::{Mode, OFlags, mkdirat, openat};

use crate::sample::{ORIGINAL, id, pending};

fn write_all(root: &Path, names: &[&str]) {
    for name in names {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, name).unwrap();
    }
}

fn listed(root: &Path) -> Vec<String> {
    let relative = |path: PathBuf| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
    list_inputs(root).unwrap().into_iter().map(relative).collect()
}

#[test]
fn empty_and_large_inputs_are_read_whole() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("input");
    for size in [0, 1, 4095, 4096, 4097, 1 << 20] {
        let bytes: Vec<u8> = (0..size).map(|n: u32| n as u8).collect();
        fs::write(&path, &bytes).unwrap();
        assert_eq!(&*read_input(&path).unwrap(), bytes);
    }
}

#[test]
fn a_file_without_a_size_is_read_to_its_end() {
    assert!(read_input(Path::new("/proc/self/stat")).unwrap().len() > 10);
}

#[test]
fn a_path_that_is_not_an_input_is_an_error_with_a_reason() {
    let root = tempfile::tempdir().unwrap();
    let folder = read_input(root.path()).unwrap_err();
    assert!(folder.to_string().ends_with("is a folder; name one of the files in it"), "{folder}");
    let nothing = root.path().join("nothing");
    let missing = read_input(&nothing).unwrap_err();
    assert!(missing.is_missing() && missing.path() == nothing, "{missing}");
    assert!(list_inputs(&nothing).unwrap_err().is_missing());
}

#[test]
fn a_file_is_listed_as_itself() {
    let root = tempfile::tempdir().unwrap();
    write_all(root.path(), &["README.txt"]);
    let path = root.path().join("README.txt");
    assert_eq!(list_inputs(&path).unwrap(), [path]);
}

#[test]
fn folders_of_libfuzzer_are_listed_whole_and_in_order() {
    let root = tempfile::tempdir().unwrap();
    write_all(
        root.path(),
        &[
            "timeout-2",
            "crash-b",
            "crash-a",
            "leak-1",
            "oom-1",
            "minimized-from-b",
            "nested/deep/e5f6",
            ".gitignore",
            ".git/config",
        ],
    );
    let expected = [
        "crash-a",
        "crash-b",
        "leak-1",
        "minimized-from-b",
        "nested/deep/e5f6",
        "oom-1",
        "timeout-2",
    ];
    assert_eq!(listed(root.path()), expected);
}

#[test]
fn failing_inputs_of_all_instances_of_afl_are_listed() {
    let root = tempfile::tempdir().unwrap();
    write_all(
        root.path(),
        &[
            "main/fuzzer_stats",
            "main/fuzzer_setup",
            "main/cmdline",
            "main/plot_data",
            "main/fastresume.bin",
            "main/.cur_input",
            "main/queue/id:000000,time:0,orig:seed",
            "main/queue/.state/deterministic_done/id:000000",
            "main/crashes/README.txt",
            "main/crashes/id:000001,sig:06,src:000000,op:havoc,rep:2",
            "main/crashes/RECORD:000001,cnt:000000",
            "main/crashes.2026-01-02-03:04:05/id:000000,sig:11",
            "main/hangs/id:000000,src:000000",
            "second/queue/id:000000,orig:seed",
            "second/crashes/id:000000,sig:06,src:000003",
        ],
    );
    let expected = [
        "main/crashes/id:000001,sig:06,src:000000,op:havoc,rep:2",
        "main/crashes.2026-01-02-03:04:05/id:000000,sig:11",
        "main/hangs/id:000000,src:000000",
        "second/crashes/id:000000,sig:06,src:000003",
    ];
    assert_eq!(listed(root.path()), expected);
    assert_eq!(listed(&root.path().join("second")), ["crashes/id:000000,sig:06,src:000003"]);
    // Asked for by name, a folder of an instance is a folder like any other.
    assert_eq!(listed(&root.path().join("main/queue")), ["id:000000,time:0,orig:seed"]);
    assert_eq!(listed(&root.path().join("main/hangs")), ["id:000000,src:000000"]);
    assert!(!listed(&root.path().join("main/crashes")).contains(&"README.txt".to_owned()));
}

#[test]
fn only_the_inputs_of_a_bug_store_are_listed() {
    let root = tempfile::tempdir().unwrap();
    let store = BugStore::open(root.path(), "parse").unwrap();
    store.claim(id(), ORIGINAL, &pending()).unwrap();
    store.claim_variant(id(), "k", ORIGINAL, &pending()).unwrap();
    let expected = [format!("parse/{}/input", id()), format!("parse/{}/variant-k/input", id())];
    assert_eq!(listed(root.path()), expected);
}

#[test]
fn links_to_files_are_followed_and_links_to_folders_are_not() {
    let root = tempfile::tempdir().unwrap();
    write_all(root.path(), &["real"]);
    std::os::unix::fs::symlink("real", root.path().join("alias")).unwrap();
    std::os::unix::fs::symlink(".", root.path().join("circle")).unwrap();
    std::os::unix::fs::symlink("gone", root.path().join("dangling")).unwrap();
    assert_eq!(listed(root.path()), ["alias", "real"]);
}

#[test]
fn an_unreadable_folder_does_not_hide_other_folders() {
    let root = tempfile::tempdir().unwrap();
    write_all(root.path(), &["a/one", "z/two"]);
    // Permissions do not bind root, who runs tests in many places; the greatest length of a path
    // binds everyone.
    let name = "d".repeat(200);
    let mut folder = std::os::fd::OwnedFd::from(fs::File::open(root.path()).unwrap());
    for _ in 0..21 {
        mkdirat(&folder, &name, Mode::RWXU).unwrap();
        folder = openat(&folder, &name, OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    let survey = survey_inputs(root.path()).unwrap();
    assert_eq!(survey.inputs, [root.path().join("a/one"), root.path().join("z/two")]);
    assert_eq!(survey.unread.len(), 1);
    assert!(survey.unread[0].to_string().starts_with("cannot read "), "{}", survey.unread[0]);
    assert!(list_inputs(root.path()).is_err());
}

#[test]
fn a_file_that_is_too_large_is_refused_before_it_is_read() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("input");
    let file = fs::File::create(&path).unwrap();
    file.set_len(INPUT_MAX_BYTES).unwrap();
    assert_eq!(read_input(&path).unwrap().len() as u64, INPUT_MAX_BYTES);
    for size in [INPUT_MAX_BYTES + 1, 1 << 30, 1 << 40] {
        file.set_len(size).unwrap();
        let refused = read_input(&path).unwrap_err().to_string();
        assert!(
            refused.contains(&format!(
                "has {size} bytes, but an input has at most 67108864; name another file"
            )),
            "{refused}"
        );
    }
    let endless = read_input(Path::new("/dev/zero")).unwrap_err().to_string();
    assert!(endless.contains("at most 67108864"), "{endless}");
}

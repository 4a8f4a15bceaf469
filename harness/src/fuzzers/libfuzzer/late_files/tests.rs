use std::fs;

use super::*;

fn name(number: u32) -> Name {
    format!("{number:040x}").into_bytes().try_into().unwrap()
}

/// The numbers of the files in a folder, sorted.
fn files(folder: &Path) -> Vec<u32> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut numbers: Vec<u32> =
        names.map(|name| u32::from_str_radix(name.to_str().unwrap(), 16).unwrap()).collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn a_file_is_written_once_unless_it_is_removed_before() {
    let (ring, folder) = (Ring::new().unwrap(), tempfile::tempdir().unwrap());
    assert!(ring.is_empty());
    for (number, content) in [(1, &b"a"[..]), (2, b""), (3, b"12345678")] {
        assert!(ring.add(&name(number), content));
    }
    assert!(!ring.is_empty());
    assert!(ring.remove(&name(2)), "the file waits");
    assert!(!ring.remove(&name(2)), "it does not wait any more");
    assert!(!ring.remove(&name(4)), "there is no such file");
    assert!(files(folder.path()).is_empty());

    ring.write_all(folder.path()).unwrap();
    assert_eq!(files(folder.path()), [1, 3]);
    let content = |number| fs::read(folder.path().join(format!("{number:040x}"))).unwrap();
    assert_eq!((content(1), content(3)), (b"a".to_vec(), b"12345678".to_vec()));
    assert!(ring.is_empty() && !ring.remove(&name(1)));
    fs::remove_file(folder.path().join(format!("{:040x}", 1))).unwrap();
    ring.write_all(folder.path()).unwrap();
    assert_eq!(files(folder.path()), [3], "a file is not written again");
}

#[test]
fn files_go_around_the_ring_and_a_full_ring_takes_none() {
    let (ring, folder) = (Ring::new().unwrap(), tempfile::tempdir().unwrap());
    let content = |number: u32| vec![number as u8; ROOM / 5 + number as usize];
    for round in 0..5 {
        let numbers = round * 3 + 1..round * 3 + 4;
        for number in numbers.clone() {
            assert!(ring.add(&name(number), &content(number)), "{number}");
        }
        assert!(!ring.add(&name(99), &vec![0; ROOM / 2]), "the ring is full");
        ring.write_all(folder.path()).unwrap();
        for number in numbers {
            let path = folder.path().join(format!("{number:040x}"));
            assert!(fs::read(path).unwrap() == content(number), "{number}");
        }
    }
    assert_eq!(files(folder.path()), (1..16).collect::<Vec<_>>());
    assert!(!ring.add(&name(99), &vec![0; ROOM]), "a file larger than the ring");
}

#[test]
fn damaged_memory_is_passed_over() {
    let (ring, folder) = (Ring::new().unwrap(), tempfile::tempdir().unwrap());
    assert!(ring.add(b"../../../../../../../../../../../../pass", b"a name that is no hash"));
    ring.write_all(folder.path()).unwrap();
    assert!(ring.add(&name(1), b"a length that is too large"));
    let file = ring.numbers().read.load(Ordering::Relaxed);
    // SAFETY: the file was just added.
    unsafe { (*ring.front(file)).length = u32::MAX };
    ring.write_all(folder.path()).unwrap();
    ring.numbers().used.store(7, Ordering::Relaxed);
    ring.write_all(folder.path()).unwrap();
    assert!(files(folder.path()).is_empty());
    assert!(ring.is_empty());
}

#[test]
fn an_error_is_given_and_the_other_files_are_written() {
    let (ring, folder) = (Ring::new().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(folder.path().join(format!("{:040x}", 1))).unwrap();
    assert!(ring.add(&name(1), b"a folder has this name") && ring.add(&name(2), b"fine"));
    ring.write_all(folder.path()).unwrap_err();
    assert_eq!(files(folder.path()), [1, 2]);
}

#[cfg(all(target_env = "gnu", not(target_feature = "crt-static"), not(miri)))]
#[test]
fn the_c_library_s_streams_lead_into_the_ring() {
    use std::ffi::CString;

    let (ring, folder) = (Ring::new().unwrap(), tempfile::tempdir().unwrap());
    interposed::begin(ring, folder.path());
    let path = |name: &str| CString::new(format!("{}/{name}", folder.path().display())).unwrap();
    let write = |name: &str, content: &[u8]| {
        // SAFETY: the strings end with a zero, and the content has this length.
        unsafe {
            let file = libc::fopen(path(name).as_ptr(), c"wb".as_ptr());
            assert!(!file.is_null());
            let written = libc::fwrite(content.as_ptr().cast(), 1, content.len(), file);
            assert_eq!((written, libc::fclose(file)), (content.len(), 0));
        }
    };
    // SAFETY: the string ends with a zero.
    let remove = |name: &str| unsafe { libc::unlink(path(name).as_ptr()) };
    let hash = |number: u32| format!("{number:040x}");

    let large = vec![7; 100_000];
    write(&hash(1), &large);
    write(&hash(2), b"removed");
    assert_eq!((files(folder.path()), remove(&hash(2))), (vec![], 0));
    ring.write_all(folder.path()).unwrap();
    assert_eq!(files(folder.path()), [1]);
    assert!(fs::read(folder.path().join(hash(1))).unwrap() == large);
    assert_eq!((remove(&hash(1)), remove(&hash(1))), (0, -1));

    write("1234", b"no name of an input is written at once");
    assert_eq!(files(folder.path()), [0x1234]);
    write(&hash(3), &vec![1; ROOM]);
    assert_eq!(files(folder.path()), [3, 0x1234], "an input without room, too");
    assert_eq!((remove("1234"), remove(&hash(3))), (0, 0));
}

//! Crash files by the thousand: inputs of the target `five_bugs` of the tests' fuzz crate, which
//! fail as its five bugs in turn.
//!
//! A file looks like one that a fuzzer leaves. It holds some harmless operations, the operation
//! that fails, and bytes that the target does not read. This module writes the byte format by hand.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use fastrand::Rng;

/// The target that these are crash files of.
pub const TARGET: &str = "five_bugs";

/// The bugs, by the kinds that reports give them.
pub const KINDS: [&str; 5] = ["panic", "panic", "abort", "segv", "stack-overflow"];

/// What is drawn before each operation: 0 would end the list, anything else is one more than the
/// number of its variant.
mod op {
    pub(super) const ADD: u8 = 1;
    pub(super) const READ: u8 = 2;
    pub(super) const CALL: u8 = 3;
}

/// Makes `count` contents, all different. The bugs take turns. One seed always gives the same
/// result.
pub fn contents(count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut rng = Rng::with_seed(seed);
    let mut known = HashSet::new();
    let mut contents = Vec::new();
    while contents.len() < count {
        let content = content(&mut rng, contents.len() % KINDS.len());
        if known.insert(content.clone()) {
            contents.push(content);
        }
    }
    contents
}

/// Writes `count` crash files into a folder, with the names that libFuzzer and AFL++ give theirs.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path, count: usize, seed: u64) -> io::Result<()> {
    let (libfuzzer, afl) = (folder.join("artifacts"), folder.join("afl/main/crashes"));
    for folder in [&libfuzzer, &afl, &folder.join("afl/main/queue")] {
        fs::create_dir_all(folder)?;
    }
    fs::write(afl.join("README.txt"), "Command line used to find this crash")?;
    for (number, content) in contents(count, seed).into_iter().enumerate() {
        let file = if number % 2 == 0 {
            libfuzzer.join(format!("crash-{number:06}"))
        } else {
            afl.join(format!("id:{number:06},sig:06,src:000000,op:havoc,rep:2"))
        };
        fs::write(file, content)?;
    }
    Ok(())
}

fn content(rng: &mut Rng, bug: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..rng.usize(0..40) {
        harmless(rng, &mut bytes);
    }
    match bug {
        0 => bytes.extend([op::READ, rng.u8(200..)]),
        bug => bytes.extend([op::CALL, bug as u8 - 1, rng.u8(100..)]),
    }
    let unread = rng.usize(0..100);
    bytes.extend(std::iter::repeat_with(|| rng.u8(..)).take(unread));
    bytes
}

fn harmless(rng: &mut Rng, bytes: &mut Vec<u8>) {
    match rng.u8(0..3) {
        0 => bytes.extend([op::ADD, rng.u8(..), rng.u8(..)]),
        1 => bytes.extend([op::READ, rng.u8(0..200)]),
        _ => bytes.extend([op::CALL, rng.u8(..), rng.u8(0..100)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_always_makes_the_same_distinct_contents() {
        let made = contents(1_000, 7);
        assert_eq!(made, contents(1_000, 7));
        assert_ne!(made, contents(1_000, 8));
        assert_eq!(made.iter().collect::<HashSet<_>>().len(), 1_000);
    }
}

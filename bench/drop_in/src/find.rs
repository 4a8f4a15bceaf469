//! Crash files of stock libFuzzer: small ones as a first run finds them, and large ones.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use anyhow::{Context, Result};
use drop_in_values::Target;

use crate::fuzzers::{Fuzzers, command};

/// Seeds of runs from an empty corpus, with the default flags.
const PLAIN: [u64; 3] = [1, 2, 3];
/// The same without libFuzzer's length control.
const LONG: [u64; 2] = [11, 12];
/// From a corpus of long random files.
const LARGE: [u64; 2] = [21, 22];
/// How many those are, and how long.
const FILES: u64 = 300;
const FILE_BYTES: u64 = 3000;
const SECONDS: u64 = 150;

/// Runs each target once with each seed, and keeps what it finds in `crashes`.
pub fn find(fuzzers: &Fuzzers, targets: &[Target], crashes: &Path) -> Result<()> {
    for target in targets {
        for seed in PLAIN.into_iter().chain(LONG).chain(LARGE) {
            let scratch = tempfile::tempdir().context("making a temporary folder")?;
            let corpus = scratch.path().join("corpus");
            fs::create_dir(&corpus).context("making a corpus")?;
            if LARGE.contains(&seed) {
                for file in 0..FILES {
                    fs::write(corpus.join(file.to_string()), noise(seed << 32 | file))
                        .context("filling the corpus")?;
                }
            }
            let mut run = command(&fuzzers.stock(*target), scratch.path());
            run.arg(format!("-seed={seed}")).arg(format!("-max_total_time={SECONDS}")).arg(&corpus);
            if !PLAIN.contains(&seed) {
                run.arg("-len_control=0");
            }
            run.output().context("starting the fuzzer")?;
            let mut files = fs::read_dir(scratch.path())?.flatten().map(|entry| entry.path());
            match files.find(|path| {
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("crash-"))
            }) {
                Some(crash) => {
                    let to = crashes.join(target.name());
                    fs::create_dir_all(&to)?;
                    let bytes = fs::copy(crash, to.join(seed.to_string()))
                        .context("keeping the crash file")?;
                    eprintln!("{}, seed {seed}: {bytes} bytes", target.name());
                }
                None => eprintln!("{}, seed {seed}: nothing found in {SECONDS} s", target.name()),
            }
        }
    }
    Ok(())
}

/// Random bytes, mostly small ones: a file of any others ends most lists at once.
fn noise(seed: u64) -> Vec<u8> {
    let byte = |at: u64| {
        let mut hasher = DefaultHasher::new();
        (seed, at).hash(&mut hasher);
        let hash = hasher.finish();
        if hash >> 62 == 0 { hash as u8 } else { hash as u8 & 3 }
    };
    (0..FILE_BYTES).map(byte).collect()
}

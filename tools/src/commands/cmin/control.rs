//! The control file of libFuzzer's merge: what to run, and what each input reached.
//!
//! ```text
//! 2              the number of inputs
//! 0              how many of them are in the corpus to merge into
//! corpus/a       one path on each line
//! corpus/b
//! STARTED 0 12   input 0 runs; it has 12 bytes
//! FT 0 4 9       its features; without this line, input 0 ended the process
//! COV 0 1 2      its edges, not used here
//! ```

use anyhow::{Context, Result, bail};
use dwindle_corpus::printable_path;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Writes the file for a process that runs these inputs.
///
/// An error if a path has a line break, which the format cannot hold.
pub(super) fn write<'a>(
    file: &Path,
    inputs: impl ExactSizeIterator<Item = &'a Path>,
) -> Result<()> {
    let mut text = BufWriter::new(
        File::create(file).with_context(|| format!("cannot write {}", file.display()))?,
    );
    let mut put = |bytes: &[u8]| {
        text.write_all(bytes)
            .and_then(|()| text.write_all(b"\n"))
            .with_context(|| format!("cannot write {}", file.display()))
    };
    put(inputs.len().to_string().as_bytes())?;
    put(b"0")?;
    for input in inputs {
        let path = input.as_os_str().as_bytes();
        if path.contains(&b'\n') {
            bail!(
                "the name of {} has a line break, which libFuzzer cannot read; rename it",
                printable_path(input)
            );
        }
        put(path)?;
    }
    text.flush().with_context(|| format!("cannot write {}", file.display()))
}

/// What a process has done with the inputs of its control file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// The features of the inputs that passed, in the order of the file.
    pub(super) passed: Vec<Vec<u32>>,
    /// Whether the process ended while it ran the next input.
    pub(super) has_failed: bool,
}

/// Reads what the process has written behind the paths of `inputs` inputs. A last line without its
/// end counts as not written.
pub(super) fn read(file: &Path, inputs: usize) -> Result<Outcome> {
    let open = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut outcome = Outcome::default();
    let mut reader = BufReader::new(open);
    let mut line = Vec::new();
    for number in 0.. {
        line.clear();
        reader
            .read_until(b'\n', &mut line)
            .with_context(|| format!("cannot read {}", file.display()))?;
        if line.pop() != Some(b'\n') {
            break;
        }
        if number < inputs + 2 {
            continue;
        }
        let line = String::from_utf8_lossy(&line);
        let mut words = line.split_ascii_whitespace();
        let kind = words.next().unwrap_or_default();
        let at: Option<usize> = words.next().and_then(|at| at.parse().ok());
        match (kind, at) {
            ("STARTED", Some(at)) if at == outcome.passed.len() => outcome.has_failed = true,
            ("FT", Some(at)) if at == outcome.passed.len() && outcome.has_failed => {
                let features = words.map(str::parse).collect::<Result<Vec<u32>, _>>();
                outcome.passed.push(features.with_context(|| strange(file))?);
                outcome.has_failed = false;
            }
            ("COV", Some(_)) => {}
            _ => bail!(strange(file)),
        }
    }
    Ok(outcome)
}

fn strange(file: &Path) -> String {
    format!("libFuzzer wrote an unknown line to {}; the corpus was not changed", file.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    fn after(written: &str) -> Result<Outcome> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("control");
        let inputs = [PathBuf::from("c/a"), PathBuf::from("c/b"), PathBuf::from("c/STARTED 0 1")];
        write(&file, inputs.iter().map(PathBuf::as_path)).unwrap();
        let mut text = fs::read_to_string(&file).unwrap();
        assert_eq!(text, "3\n0\nc/a\nc/b\nc/STARTED 0 1\n");
        text.push_str(written);
        fs::write(&file, text).unwrap();
        read(&file, inputs.len())
    }

    #[test]
    fn an_input_without_features_behind_its_start_has_ended_the_process() {
        let none = Outcome::default();
        assert_eq!(after("").unwrap(), none);
        let one = Outcome { passed: vec![vec![4, 9]], has_failed: false };
        assert_eq!(after("STARTED 0 12\nFT 0 4 9\nCOV 0 1 2\n").unwrap(), one);
        let failed = Outcome { has_failed: true, ..one };
        assert_eq!(after("STARTED 0 12\nFT 0 4 9\nCOV 0\nSTARTED 1 3\n").unwrap(), failed);
        let nothing_reached = Outcome { passed: vec![vec![]], has_failed: false };
        assert_eq!(after("STARTED 0 0\nFT 0\nCOV 0\n").unwrap(), nothing_reached);
    }

    #[test]
    fn half_a_line_counts_as_not_written() {
        let failed = Outcome { passed: vec![], has_failed: true };
        assert_eq!(after("STARTED 0 12\nFT 0 4 9").unwrap(), failed);
        assert_eq!(after("STARTED 0 1").unwrap(), Outcome::default());
    }

    #[test]
    fn what_libfuzzer_never_writes_is_an_error() {
        for strange in [
            "FT 0 1\n",
            "STARTED 1 2\n",
            "STARTED 0 1\nFT 0 many\n",
            "STARTED 0 1\nFT 1 2\n",
            "\n",
            "NEWS 0\n",
        ] {
            let error = after(strange).unwrap_err().to_string();
            assert!(error.contains("the corpus was not changed"), "{strange}: {error}");
        }
    }

    #[test]
    fn a_path_with_a_line_break_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let input = PathBuf::from("a\nb");
        let error = write(&folder.path().join("control"), [input.as_path()].into_iter());
        assert!(error.unwrap_err().to_string().contains("rename it"));
    }
}

//! Writes the regression test of a cause into the fuzz crate.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use dwindle_corpus::BugId;

use super::bugs::Cause;

/// A test that can be written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Test {
    pub(crate) path: PathBuf,
    text: String,
    /// The name for `cargo test --test`.
    pub(crate) name: String,
}

/// What became of a test.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Written {
    New,
    /// The same text was there.
    Same,
    /// Another text is there, and stays.
    Other,
}

impl Test {
    /// The test of a cause, for the folder `tests` of the fuzz crate.
    ///
    /// An error if the store has no test of it.
    pub(crate) fn of(cause: &Cause, id: BugId, target: &str, fuzz_dir: &Path) -> Result<Test> {
        let text = match fs::read_to_string(&cause.repro) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                anyhow::bail!("the store has no test of it: it does not fail reliably")
            }
            Err(error) => {
                return Err(error).context(format!("cannot read {}", cause.repro.display()));
            }
        };
        let key = cause.key.as_ref().map(|key| format!("_{}", key.replace('-', "_")));
        let of_bug = format!("{target}_{id}");
        let name = format!("{of_bug}{}", key.unwrap_or_default());
        // The command in its comment has the name of the bug's own test.
        let text = text.replace(&format!("--test {of_bug}\n"), &format!("--test {name}\n"));
        Ok(Test { path: fuzz_dir.join("tests").join(format!("{name}.rs")), text, name })
    }

    /// Writes the test, unless there is another file.
    pub(crate) fn write(&self) -> Result<Written> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let failed = || format!("cannot write {}", self.path.display());
        fs::create_dir_all(folder).with_context(failed)?;
        // A temporary file is private otherwise.
        let shared = fs::Permissions::from_mode(0o666);
        let mut file = tempfile::Builder::new()
            .permissions(shared)
            .tempfile_in(folder)
            .with_context(failed)?;
        file.write_all(self.text.as_bytes()).with_context(failed)?;
        file.as_file().sync_all().with_context(failed)?;
        match file.persist_noclobber(&self.path) {
            Ok(_) => Ok(Written::New),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                let is_same = fs::read(&self.path).is_ok_and(|text| text == self.text.as_bytes());
                Ok(if is_same { Written::Same } else { Written::Other })
            }
            Err(error) => Err(error.error).with_context(failed),
        }
    }
}

#[cfg(test)]
mod tests {
    use dwindle_corpus::{BugKind, Report};

    use super::*;

    #[test]
    fn a_test_is_written_once_and_another_file_stays() {
        let dir = tempfile::tempdir().unwrap();
        let id = BugId::of("x");
        let repro = dir.path().join("repro.rs");
        let report = Report::pending("t", id, BugKind::Panic);
        let cause = Cause { key: Some("cause-0a".to_owned()), report, repro };
        let error = Test::of(&cause, id, "t", dir.path()).unwrap_err();
        assert!(error.to_string().contains("has no test"), "{error}");
        fs::write(&cause.repro, format!("//! cargo test --test t_{id}\n")).unwrap();
        let test = Test::of(&cause, id, "t", dir.path()).unwrap();
        assert_eq!(test.path, dir.path().join(format!("tests/t_{id}_cause_0a.rs")));
        assert_eq!(test.write().unwrap(), Written::New);
        let written = fs::read_to_string(&test.path).unwrap();
        assert_eq!(written, format!("//! cargo test --test {}\n", test.name));
        assert_eq!(test.write().unwrap(), Written::Same);
        fs::write(&test.path, "mine").unwrap();
        assert_eq!(test.write().unwrap(), Written::Other);
        assert_eq!(fs::read_to_string(&test.path).unwrap(), "mine");
        assert_eq!(fs::read_dir(dir.path().join("tests")).unwrap().count(), 1);
    }
}

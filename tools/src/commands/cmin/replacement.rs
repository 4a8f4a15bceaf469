//! Replaces a corpus folder by a smaller one in one step. At each moment, the corpus' path names
//! the old corpus or the new one, and each file that is not replaced is kept.
//!
//! ```text
//! corpus/parse/            the corpus
//! corpus/.parse.cmin/      exists while the command runs, or after it was killed
//!     lock                 locked by the process that works here
//!     known                the files that the old corpus had
//!     next/                the new corpus; after the exchange, the old one
//!     old/                 the old corpus, on file systems that cannot exchange two folders
//! ```

use crate::exit::wrong_use;
use anyhow::{Context, Result};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Files of a corpus, as paths below it, each with its size and the time of its last change.
type Files = BTreeMap<PathBuf, (u64, i64, i64)>;

/// The folder beside a corpus in which the new corpus is prepared. Only one process has it.
#[derive(Debug)]
pub(super) struct Workplace {
    /// The corpus itself, if the user named a link to it.
    pub(super) corpus: PathBuf,
    folder: PathBuf,
    _lock: File,
}

impl Workplace {
    /// Takes the folder, and finishes what a killed process left in it.
    ///
    /// An error of exit code 2 if another process has it.
    pub(super) fn take(corpus: &Path) -> Result<Self> {
        let corpus = real(corpus)?;
        let (Some(parent), Some(name)) = (corpus.parent(), corpus.file_name()) else {
            return Err(wrong_use(format!("{} cannot be replaced", corpus.display())));
        };
        let mut hidden = OsStr::new(".").to_owned();
        hidden.push(name);
        hidden.push(".cmin");
        let folder = parent.join(hidden);
        let lock = lock(&folder, &corpus)?;
        let workplace = Self { corpus, folder, _lock: lock };
        workplace.recover()?;
        Ok(workplace)
    }

    /// A file in the folder.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The files of the corpus.
    pub(super) fn files(&self) -> Result<Files> {
        let mut files = Files::new();
        walk(&self.corpus, Path::new(""), &mut files)
            .with_context(|| format!("cannot list {}", self.corpus.display()))?;
        Ok(files)
    }

    /// Replaces the corpus by one with the files `kept`, which are some of the files `known`.
    /// Files that are not in `known` stay too.
    pub(super) fn replace(&self, known: &Files, kept: &[&Path]) -> Result<()> {
        let unchanged =
            || format!("cannot prepare {}; no input was removed", self.folder.display());
        self.prepare(known, kept).with_context(unchanged)?;
        let (next, old) = (self.file("next"), self.file("old"));
        match renameat_with(CWD, &next, CWD, &self.corpus, RenameFlags::EXCHANGE) {
            Ok(()) => {}
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                fs::rename(&self.corpus, &old).with_context(unchanged)?;
                // After a kill between the two, `recover` puts the old corpus back.
                fs::rename(&next, &self.corpus).with_context(|| {
                    format!("cannot make the new corpus; the old one is in {}", old.display())
                })?;
            }
            Err(error) => return Err(error).with_context(unchanged),
        }
        self.recover()
    }

    /// Removes the folder. The corpus stays as it is.
    pub(super) fn leave(self) {
        // What is left here is finished the next time.
        let _ = fs::remove_dir_all(&self.folder);
    }

    fn prepare(&self, known: &Files, kept: &[&Path]) -> io::Result<()> {
        let next = self.file("next");
        fs::create_dir(&next)?;
        for file in kept {
            link(&self.corpus.join(file), &next.join(file))?;
        }
        fs::set_permissions(&next, fs::metadata(&self.corpus)?.permissions())?;
        let mut text = Vec::new();
        for (path, (bytes, seconds, nanoseconds)) in known {
            write!(text, "{bytes} {seconds} {nanoseconds} ")?;
            text.extend_from_slice(path.as_os_str().as_bytes());
            text.push(0);
        }
        let unfinished = self.file("known.part");
        let mut file = File::create(&unfinished)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(unfinished, self.file("known"))?;
        File::open(&next)?.sync_all()?;
        File::open(&self.folder)?.sync_all()
    }

    /// Finishes or undoes a replacement, whichever step was the last. Then the folder holds only
    /// its lock.
    fn recover(&self) -> Result<()> {
        let recover = || -> io::Result<()> {
            let (next, old, known) = (self.file("next"), self.file("old"), self.file("known"));
            if old.is_dir() && fs::symlink_metadata(&self.corpus).is_err() {
                fs::rename(&old, &self.corpus)?;
            }
            if let Ok(known) = fs::read(&known) {
                let known = parse(&known);
                // Either is the old corpus, or one that was prepared. Both hold no other files than
                // the known ones, except for those that appeared later.
                for folder in [&next, &old] {
                    self.bring_back(folder, &known)?;
                }
            }
            for folder in [next, old] {
                if folder.is_dir() {
                    fs::remove_dir_all(folder)?;
                }
            }
            // The last one, because `next` may be an old corpus as long as it exists.
            fs::remove_file(&known).or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            })
        };
        recover().with_context(|| {
            format!("cannot empty {}; it may hold files of the corpus", self.folder.display())
        })
    }

    /// Moves the files of `folder` that are not known to the corpus.
    fn bring_back(&self, folder: &Path, known: &Files) -> io::Result<()> {
        let mut files = Files::new();
        if folder.is_dir() {
            walk(folder, Path::new(""), &mut files)?;
        }
        for (file, stamp) in &files {
            if known.get(file) == Some(stamp) {
                continue;
            }
            let mut to = self.corpus.join(file);
            let mut number = 1;
            while fs::symlink_metadata(&to).is_ok() {
                number += 1;
                to = self.corpus.join(file);
                to.as_mut_os_string().push(format!("-{number}"));
            }
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::rename(folder.join(file), to)?;
        }
        Ok(())
    }
}

/// The absolute path without links. The last part need not exist.
fn real(corpus: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(corpus)
        .with_context(|| format!("{} is not a path", corpus.display()))?;
    let real = absolute.canonicalize().or_else(|error| {
        let (Some(parent), Some(name)) = (absolute.parent(), absolute.file_name()) else {
            return Err(error);
        };
        Ok(parent.canonicalize()?.join(name))
    });
    real.map_err(|_| wrong_use(format!("{} does not exist", corpus.display())))
}

/// Makes the folder and locks it for this process.
fn lock(folder: &Path, corpus: &Path) -> Result<File> {
    let cannot = || format!("cannot make {}, which lies beside the corpus", folder.display());
    loop {
        fs::create_dir_all(folder).with_context(cannot)?;
        let path = folder.join("lock");
        let file = match File::create(&path) {
            // Another process has removed the folder in between.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            file => file.with_context(cannot)?,
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(wrong_use(format!(
                    "another `cargo dwindle cmin` works on {}; wait for its end",
                    corpus.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
        }
        let locked = file.metadata().with_context(cannot)?.ino();
        // Another process may have removed the file that is locked now.
        if fs::metadata(&path).is_ok_and(|present| present.ino() == locked) {
            return Ok(file);
        }
    }
}

fn walk(root: &Path, below: &Path, files: &mut Files) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            walk(root, &path, files)?;
        } else {
            let metadata = entry.metadata()?;
            files.insert(path, (metadata.len(), metadata.mtime(), metadata.mtime_nsec()));
        }
    }
    Ok(())
}

fn parse(text: &[u8]) -> Files {
    let mut files = Files::new();
    for entry in text.split(|byte| *byte == 0) {
        let mut words = entry.splitn(4, |byte| *byte == b' ');
        let mut number = || std::str::from_utf8(words.next()?).ok()?.parse::<i64>().ok();
        let (Some(bytes), Some(seconds), Some(nanoseconds)) = (number(), number(), number()) else {
            continue;
        };
        if let Some(path) = words.next() {
            files.insert(OsStr::from_bytes(path).into(), (bytes as u64, seconds, nanoseconds));
        }
    }
    files
}

/// Gives a file a second name, or copies it where the file system has only one name for each file.
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    if fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    fs::copy(from, to)?;
    // The time tells a copy from a file that appeared later.
    File::options().write(true).open(to)?.set_modified(fs::metadata(from)?.modified()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Corpus(tempfile::TempDir);

    impl Corpus {
        fn new(files: &[&str]) -> Self {
            let corpus = Self(tempfile::tempdir().unwrap());
            fs::create_dir(corpus.path("c")).unwrap();
            for file in files {
                corpus.add("c", file);
            }
            corpus
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn add(&self, folder: &str, file: &str) {
            let path = self.path(folder).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }

        fn take(&self) -> Workplace {
            Workplace::take(&self.path("c")).unwrap()
        }

        /// The files of the corpus. Each must have its name as its content.
        fn files(&self) -> Vec<String> {
            let mut files = Files::new();
            walk(&self.path("c"), Path::new(""), &mut files).unwrap();
            for file in files.keys() {
                let content = fs::read_to_string(self.path("c").join(file)).unwrap();
                assert_eq!(content, file.display().to_string());
            }
            files.keys().map(|file| file.display().to_string()).collect()
        }
    }

    #[test]
    fn the_kept_files_replace_all_and_nothing_else_stays() {
        let corpus = Corpus::new(&["a", "b", "sub/c", "sub/d"]);
        let workplace = corpus.take();
        let known = workplace.files().unwrap();
        workplace.replace(&known, &[Path::new("b"), Path::new("sub/c")]).unwrap();
        workplace.leave();
        assert_eq!(corpus.files(), ["b", "sub/c"]);
        assert_eq!(fs::read_dir(corpus.0.path()).unwrap().count(), 1);
    }

    #[test]
    fn files_that_appear_or_change_meanwhile_stay() {
        let corpus = Corpus::new(&["a", "b", "c"]);
        let workplace = corpus.take();
        let mut known = workplace.files().unwrap();
        corpus.add("c", "late");
        corpus.add("c", "sub/later");
        // As if it had been changed after the files were listed.
        known.get_mut(Path::new("c")).unwrap().1 -= 1;
        workplace.replace(&known, &[Path::new("a")]).unwrap();
        assert_eq!(corpus.files(), ["a", "c", "late", "sub/later"]);
    }

    #[test]
    fn a_kill_at_any_step_leaves_the_old_corpus_or_the_new_one() {
        let old = ["a", "b"];
        // Before anything is complete.
        let corpus = Corpus::new(&old);
        corpus.add(".c.cmin", "next/a");
        corpus.take();
        assert_eq!(corpus.files(), old);

        // When the new one is complete, before it has replaced the old one.
        let corpus = Corpus::new(&old);
        let workplace = corpus.take();
        let known = workplace.files().unwrap();
        workplace.prepare(&known, &[Path::new("a")]).unwrap();
        drop(workplace);
        corpus.add("c", "late");
        corpus.take();
        assert_eq!(corpus.files(), ["a", "b", "late"]);

        // After the exchange.
        let corpus = Corpus::new(&old);
        let workplace = corpus.take();
        workplace.prepare(&known_of(&workplace), &[Path::new("a")]).unwrap();
        corpus.add("c", "late");
        let next = workplace.file("next");
        renameat_with(CWD, &next, CWD, &workplace.corpus, RenameFlags::EXCHANGE).unwrap();
        drop(workplace);
        corpus.take();
        assert_eq!(corpus.files(), ["a", "late"]);

        // Between two renames, and after them.
        for (renames, expected) in [(1, &["a", "b", "late"][..]), (2, &["a", "late"])] {
            let corpus = Corpus::new(&old);
            let workplace = corpus.take();
            workplace.prepare(&known_of(&workplace), &[Path::new("a")]).unwrap();
            corpus.add("c", "late");
            fs::rename(&workplace.corpus, workplace.file("old")).unwrap();
            if renames == 2 {
                fs::rename(workplace.file("next"), &workplace.corpus).unwrap();
            }
            drop(workplace);
            corpus.take();
            assert_eq!(corpus.files(), expected);
        }
    }

    fn known_of(workplace: &Workplace) -> Files {
        workplace.files().unwrap()
    }

    #[test]
    fn only_one_process_works_on_a_corpus() {
        let corpus = Corpus::new(&["a"]);
        let first = corpus.take();
        let error = Workplace::take(&corpus.path("c")).unwrap_err().to_string();
        assert!(error.contains("another `cargo dwindle cmin` works on"), "{error}");
        first.leave();
        corpus.take().leave();
        assert_eq!(corpus.files(), ["a"]);
    }

    #[test]
    fn a_link_stays_a_link() {
        let corpus = Corpus::new(&["a", "b"]);
        let link = corpus.path("link");
        std::os::unix::fs::symlink("c", &link).unwrap();
        let workplace = Workplace::take(&link).unwrap();
        workplace.replace(&known_of(&workplace), &[Path::new("b")]).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(corpus.files(), ["b"]);
    }

    #[test]
    fn a_failed_preparation_changes_nothing() {
        let corpus = Corpus::new(&["a"]);
        let workplace = corpus.take();
        let known = workplace.files().unwrap();
        let error = workplace.replace(&known, &[Path::new("gone")]).unwrap_err();
        assert!(format!("{error:#}").contains("no input was removed"), "{error:#}");
        assert_eq!(corpus.files(), ["a"]);
    }
}

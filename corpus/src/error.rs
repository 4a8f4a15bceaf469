//! The error of all operations on stores and input files.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::{INPUT_MAX_BYTES, printable_path};

/// What went wrong with which file, and what the user can do about it.
#[derive(Debug)]
pub struct StoreError {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Io { doing: &'static str, source: io::Error },
    NotWritable(io::Error),
    Missing(&'static str),
    Corrupt(String),
    Newer(u32),
    BadName(&'static str),
    TooLarge(u64),
}

impl StoreError {
    /// The file or folder that the error is about.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file or folder exists but is damaged. The store leaves it as it is.
    pub fn is_corrupt(&self) -> bool {
        matches!(self.kind, Kind::Corrupt(_))
    }

    /// Whether the store cannot create its folder or write anything in it.
    pub fn is_not_writable(&self) -> bool {
        matches!(self.kind, Kind::NotWritable(_))
    }

    /// Whether the disk or the quota is full.
    pub fn is_disk_full(&self) -> bool {
        self.of_the_system().is_some_and(|source| {
            matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
        })
    }

    /// Whether the requested file or folder does not exist.
    pub fn is_missing(&self) -> bool {
        match &self.kind {
            Kind::Missing(_) => true,
            Kind::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// Whether a newer version of dwindle wrote the file.
    pub fn is_newer(&self) -> bool {
        matches!(self.kind, Kind::Newer(_))
    }

    /// The error of the operating system, if there is one.
    pub(crate) fn of_the_system(&self) -> Option<&io::Error> {
        match &self.kind {
            Kind::Io { source, .. } | Kind::NotWritable(source) => Some(source),
            _ => None,
        }
    }

    pub(crate) fn io(doing: &'static str, path: &Path, source: io::Error) -> StoreError {
        StoreError { path: path.to_owned(), kind: Kind::Io { doing, source } }
    }

    pub(crate) fn not_writable(path: &Path, source: io::Error) -> StoreError {
        StoreError { path: path.to_owned(), kind: Kind::NotWritable(source) }
    }

    /// `what` follows the path in the message. It says what is missing and what to do: "is not
    /// there; ..".
    pub(crate) fn missing(path: &Path, what: &'static str) -> StoreError {
        StoreError { path: path.to_owned(), kind: Kind::Missing(what) }
    }

    /// A damaged file of a bug.
    pub(crate) fn damaged_bug(path: &Path, reason: impl std::fmt::Display) -> StoreError {
        StoreError::corrupt(
            path,
            format!(
                "{reason}; restore it, or move the bug's folder away and fuzz again to find \
                     the bug"
            ),
        )
    }

    /// `reason` follows the path in the message. It says what is wrong and what to do.
    pub(crate) fn corrupt(path: &Path, reason: impl Into<String>) -> StoreError {
        StoreError { path: path.to_owned(), kind: Kind::Corrupt(reason.into()) }
    }

    pub(crate) fn newer(path: &Path, format: u32) -> StoreError {
        StoreError { path: path.to_owned(), kind: Kind::Newer(format) }
    }

    pub(crate) fn bad_name(path: &Path, rule: &'static str) -> StoreError {
        StoreError { path: path.to_owned(), kind: Kind::BadName(rule) }
    }

    pub(crate) fn too_large(path: &Path, bytes: u64) -> StoreError {
        StoreError { path: path.to_owned(), kind: Kind::TooLarge(bytes) }
    }

    /// The message without the path.
    pub(crate) fn reason(&self) -> String {
        match &self.kind {
            Kind::Io { doing, source } => format!("cannot {doing}: {source}"),
            Kind::NotWritable(source) => {
                format!(
                    "cannot be written: {source}; make it writable or name another folder in \
                     DWINDLE_STORE"
                )
            }
            Kind::Missing(what) => (*what).to_owned(),
            Kind::Corrupt(reason) => reason.clone(),
            Kind::Newer(format) => {
                format!("has format {format} of a newer dwindle; update dwindle to read it")
            }
            Kind::BadName(rule) => (*rule).to_owned(),
            Kind::TooLarge(bytes) => {
                format!(
                    "has {bytes} bytes, but an input has at most {INPUT_MAX_BYTES}; name another \
                     file, or cut it: head -c {INPUT_MAX_BYTES}"
                )
            }
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = printable_path(&self.path);
        match &self.kind {
            Kind::Io { doing, source } => {
                write!(f, "cannot {doing} {path}: {source}")?;
                if self.is_disk_full() {
                    f.write_str(
                        "; free disk space, then run the command \
                                                      again",
                    )
                } else {
                    Ok(())
                }
            }
            Kind::NotWritable(_) => write!(f, "the bug store {path} {}", self.reason()),
            _ => write!(f, "{path} {}", self.reason()),
        }
    }
}

/// `source` stays empty, because the message already includes the source's text.
impl std::error::Error for StoreError {}

//! The names in a folder, without temporary ones.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use crate::StoreError;
use crate::disk::is_temporary;

/// The names in a folder, sorted. Names that are not UTF-8 are left out: the store writes only
/// UTF-8 names.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>, StoreError> {
    Ok(entries_in(folder)?.into_iter().filter_map(|name| name.into_string().ok()).collect())
}

/// All names in a folder except temporary ones, sorted. Empty if the folder does not exist.
pub(crate) fn entries_in(folder: &Path) -> Result<Vec<OsString>, StoreError> {
    let fail = |error| StoreError::io("read", folder, error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(fail)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(fail)?.file_name();
        if !is_temporary(&name) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

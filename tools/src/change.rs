//! Changes to existing files. They are shown as a diff, then made all together, as far as a file
//! system allows.

use anyhow::{Context, Result, bail};
use console::style;
use similar::TextDiff;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The new text of one file.
#[derive(Debug)]
pub(crate) struct Change {
    /// Absolute and without links, so that the file itself is replaced and a link stays.
    pub(crate) path: PathBuf,
    pub(crate) before: String,
    pub(crate) after: String,
}

impl Change {
    /// The change as a unified diff. The file name is relative to `root`.
    pub(crate) fn diff(&self, root: &Path) -> String {
        let name = self.path.strip_prefix(root).unwrap_or(&self.path).display();
        let diff = TextDiff::from_lines(&self.before, &self.after);
        diff.unified_diff()
            .context_radius(2)
            .header(&format!("a/{name}"), &format!("b/{name}"))
            .to_string()
    }

    /// Writes the new text to a temporary file in the same folder, with the permissions of the old
    /// file.
    fn stage(&self) -> Result<NamedTempFile> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let stage = || {
            let mut file = NamedTempFile::new_in(folder)?;
            file.write_all(self.after.as_bytes())?;
            file.as_file().set_permissions(fs::metadata(&self.path)?.permissions())?;
            file.as_file().sync_all()?;
            Ok::<_, io::Error>(file)
        };
        stage()
            .with_context(|| format!("cannot write in {}; nothing was changed", folder.display()))
    }
}

/// Returns `after` with Windows line ends if all line ends of `before` are Windows line ends.
/// Otherwise returns it unchanged.
pub(crate) fn with_line_ends_of(before: &str, after: &str) -> String {
    let is_of_windows =
        before.contains('\n') && before.matches('\n').count() == before.matches("\r\n").count();
    if is_of_windows { after.replace("\r\n", "\n").replace('\n', "\r\n") } else { after.to_owned() }
}

/// Makes all changes. Each new text is on the disk before the first file is replaced.
///
/// An error says which files were changed, if any.
pub(crate) fn apply(changes: &[Change]) -> Result<()> {
    let staged: Vec<_> = changes.iter().map(Change::stage).collect::<Result<_>>()?;
    for change in changes {
        if fs::read(&change.path).ok().as_deref() != Some(change.before.as_bytes()) {
            bail!(
                "another program changed {} in the meantime; nothing was changed; run the command \
                 again",
                change.path.display()
            );
        }
    }
    replace(changes.iter().zip(staged), |file, path| Ok(file.persist(path).map(drop)?))
}

/// Replaces each file by its new text. `put` replaces one file.
fn replace<'a>(
    staged: impl Iterator<Item = (&'a Change, NamedTempFile)>,
    put: impl Fn(NamedTempFile, &Path) -> io::Result<()>,
) -> Result<()> {
    let mut done = Vec::new();
    for (change, file) in staged {
        let name = change.path.display().to_string();
        put(file, &change.path).with_context(|| match done.as_slice() {
            [] => format!("cannot replace {name}; nothing was changed"),
            done => format!(
                "cannot replace {name}; already changed: {}; run the command again to change the \
                 rest",
                done.join(", ")
            ),
        })?;
        done.push(name);
    }
    Ok(())
}

/// Colours a diff if stdout is a terminal.
pub(crate) fn coloured(diff: &str) -> String {
    let line = |line: &str| match line.chars().next() {
        Some('+') if !line.starts_with("+++") => style(line).green().to_string(),
        Some('-') if !line.starts_with("---") => style(line).red().to_string(),
        _ => line.to_owned(),
    };
    diff.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn change(path: PathBuf, before: &str, after: &str) -> Change {
        Change { path, before: before.to_owned(), after: after.to_owned() }
    }

    #[test]
    fn all_files_are_replaced_and_keep_their_permissions() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        fs::write(&one, "1\n").unwrap();
        fs::write(&two, "2\n").unwrap();
        fs::set_permissions(&two, fs::Permissions::from_mode(0o640)).unwrap();
        apply(&[change(one.clone(), "1\n", "eins\n"), change(two.clone(), "2\n", "zwei\n")])
            .unwrap();
        assert_eq!(
            (fs::read_to_string(&one).unwrap(), fs::read_to_string(&two).unwrap()),
            ("eins\n".to_owned(), "zwei\n".to_owned())
        );
        assert_eq!(fs::metadata(&two).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn nothing_is_changed_if_a_file_changed_since_it_was_read() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        fs::write(&one, "1").unwrap();
        fs::write(&two, "somebody else's").unwrap();
        let error = apply(&[change(one.clone(), "1", "eins"), change(two.clone(), "2", "zwei")])
            .unwrap_err();
        assert!(format!("{error:#}").contains("another program changed"), "{error:#}");
        assert_eq!(fs::read_to_string(&one).unwrap(), "1");
    }

    #[test]
    fn nothing_is_changed_if_a_file_cannot_be_written() {
        let dir = tempfile::tempdir().unwrap();
        let one = dir.path().join("one");
        fs::write(&one, "1").unwrap();
        let error = apply(&[
            change(one.clone(), "1", "eins"),
            change(dir.path().join("no/folder"), "2", "zwei"),
        ])
        .unwrap_err();
        assert!(format!("{error:#}").contains("nothing was changed"), "{error:#}");
        assert_eq!(fs::read_to_string(&one).unwrap(), "1");
    }

    #[test]
    fn a_failed_replacement_lists_the_files_already_changed() {
        let dir = tempfile::tempdir().unwrap();
        let changes =
            ["one", "two", "three"].map(|name| change(dir.path().join(name), "before", name));
        for change in &changes {
            fs::write(&change.path, "before").unwrap();
        }
        let staged = changes.iter().map(|change| (change, change.stage().unwrap()));
        let disk_fails = |file: NamedTempFile, path: &Path| {
            if path.ends_with("two") {
                Err(io::ErrorKind::StorageFull.into())
            } else {
                Ok(file.persist(path).map(drop)?)
            }
        };
        let error = format!("{:#}", replace(staged, disk_fails).unwrap_err());
        let (one, two) = (
            dir.path().join("one").display().to_string(),
            dir.path().join("two").display().to_string(),
        );
        assert!(
            error.starts_with(&format!(
                "cannot replace {two}; already changed: {one}; run the command again"
            )),
            "{error}"
        );
        let texts: Vec<_> =
            changes.iter().map(|change| fs::read_to_string(&change.path).unwrap()).collect();
        assert_eq!(texts, ["one", "before", "before"]);
    }

    #[test]
    fn a_diff_names_the_file_and_shows_what_changes() {
        let change = change(PathBuf::from("/p/fuzz/Cargo.toml"), "a\nb\nc\n", "a\nB\nc\n");
        assert_eq!(
            change.diff(Path::new("/p")),
            "--- a/fuzz/Cargo.toml\n+++ b/fuzz/Cargo.toml\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
        );
    }
}

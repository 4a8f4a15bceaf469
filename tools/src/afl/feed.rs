//! Finds the crashes and hangs in a campaign's folder and sends their paths to the target binary.

use dwindle_corpus::{is_failure_of_afl, list_inputs};
use notify::{RecursiveMode, Watcher};
use std::collections::HashSet;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// How often the feed checks whether the campaign is over.
const LOOK: Duration = Duration::from_millis(200);
/// How often the folder is read even without a notification. Systems do not report files that
/// another machine wrote.
const READ: Duration = Duration::from_secs(10);

/// Writes the path of each crash and hang to `pipe`, ended by a zero byte.
///
/// Each path is written once, as soon as its file appears. Returns when the campaign is over or the
/// pipe is closed.
pub(crate) fn feed(folder: &Path, mut pipe: ChildStdin, mut is_over: impl FnMut() -> bool) {
    let (told, _watcher) = watch(folder);
    let mut known = HashSet::new();
    let mut last_read: Option<Instant> = None;
    loop {
        let is_over = is_over();
        let is_told = told.recv_timeout(LOOK).is_ok();
        while told.try_recv().is_ok() {}
        if is_over || is_told || last_read.is_none_or(|read| read.elapsed() >= READ) {
            last_read = Some(Instant::now());
            if name_new(folder, &mut known, &mut pipe).is_err() {
                return;
            }
        }
        if is_over {
            return;
        }
    }
}

/// Watches `folder` for changes. The watcher is `None` if the system cannot watch it; [`feed`] then
/// reads the folder every [`READ`].
fn watch(folder: &Path) -> (Receiver<()>, Option<notify::RecommendedWatcher>) {
    let (sender, told) = mpsc::channel();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| event.kind.is_create() || event.kind.is_modify()) {
            // Sending fails after `feed` has returned, and that is fine.
            let _ = sender.send(());
        }
    });
    let watcher = watcher
        .and_then(|mut watcher| watcher.watch(folder, RecursiveMode::Recursive).map(|()| watcher))
        .ok();
    (told, watcher)
}

fn name_new(
    folder: &Path,
    known: &mut HashSet<PathBuf>,
    pipe: &mut ChildStdin,
) -> std::io::Result<()> {
    // A folder that cannot be read now is read again the next time.
    for path in list_inputs(folder).unwrap_or_default() {
        // Checks the names too: before an instance has laid out its folder, `list_inputs` lists all
        // files in it.
        if is_failure_of_afl(&path) && !known.contains(&path) {
            pipe.write_all(path.as_os_str().as_bytes())?;
            pipe.write_all(&[0])?;
            known.insert(path);
        }
    }
    pipe.flush()
}

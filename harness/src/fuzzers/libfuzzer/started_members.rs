//! Members that libFuzzer starts itself, for `-fork=` and `-jobs=`. The process that keeps their
//! session is not their parent. Some of them only merge corpora.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::environment;
use crate::fuzzers::member::{Member, Members, executions, since_1970};
use crate::system::children;

/// The subfolder for processes that merge.
const MERGING: &str = "merging";
/// The file extension of a member that has ended. The system may give its process id to another
/// process.
const ENDED: &str = "ended";
/// How long before the end of the run a member ends. libFuzzer needs this time to merge what the
/// member has found.
const BEFORE_THE_END: Duration = Duration::from_secs(1);

/// The members of a run that libFuzzer starts itself.
pub(super) struct StartedMembers {
    pub(super) members: Members,
    /// Executions of the members that have ended.
    before: u64,
}

impl StartedMembers {
    /// Makes their folder.
    pub(super) fn new() -> std::io::Result<StartedMembers> {
        let members = Members::new()?;
        fs::create_dir_all(members.folder.join(MERGING))?;
        Ok(StartedMembers { members, before: 0 })
    }

    /// How many executions all members have made.
    pub(super) fn executions(&mut self) -> u64 {
        let mut running = 0;
        for (path, member) in self.files() {
            let executions = executions(&path);
            if member.is_some_and(children::is_running) {
                running += executions;
            } else {
                self.before += executions;
                let _ = fs::remove_file(&path);
            }
        }
        self.before + running
    }

    /// The process ids of the running members.
    pub(super) fn processes(&self) -> Vec<libc::pid_t> {
        self.files()
            .into_iter()
            .filter_map(|(_, member)| member)
            .filter(|member| children::is_running(*member))
            .collect()
    }

    /// Takes the inputs of the corpus that killed a process while it merged them. Returns each
    /// input once. libFuzzer leaves these inputs out of the merged corpus, so no fuzzer gets them.
    pub(super) fn failed_to_merge(&self) -> Vec<Vec<u8>> {
        let files = fs::read_dir(self.members.folder.join(MERGING))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        let left = files.filter(|path| {
            path.file_name()
                .and_then(|name| name.to_str()?.parse().ok())
                .is_some_and(|id| !children::is_running(id))
        });
        left.filter_map(|path| fs::read(&path).ok().filter(|_| fs::remove_file(&path).is_ok()))
            .collect()
    }

    /// The files, and the process of each. The process is `None` after the member has published its
    /// final count.
    fn files(&self) -> Vec<(PathBuf, Option<libc::pid_t>)> {
        let paths = fs::read_dir(&self.members.folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        paths
            .filter(|path| path.is_file())
            .map(|path| (path.file_name().and_then(|name| name.to_str()?.parse().ok()), path))
            .map(|(member, path)| (path, member))
            .collect()
    }
}

impl Member {
    /// How long this member may still fuzz.
    pub(super) fn ends_after(&self) -> Option<Duration> {
        self.ends_at.map(|end| end.saturating_sub(since_1970() + BEFORE_THE_END))
    }

    /// Publishes the final number of executions.
    pub(super) fn leave(self, executions: u64) {
        self.publish(executions);
        // The parent of a quiet member reads the file before the system gives the process id to
        // another process.
        if !environment::is_quiet_member() {
            let last = self.file.with_extension(format!("{}.{ENDED}", since_1970().as_nanos()));
            let _ = fs::rename(&self.file, last);
        }
    }
}

/// A process that runs the corpus to merge it. Its file holds the input that the target runs on.
pub(super) struct Merging(PathBuf);

impl Merging {
    /// `None` if this process belongs to no run of several fuzzers.
    pub(super) fn of_this_process() -> Option<Merging> {
        let member = Member::of_this_process()?;
        Some(Merging(member.file.parent()?.join(MERGING).join(member.file.file_name()?)))
    }

    /// Writes the input to the file, before the target runs on it.
    pub(super) fn begin(&self, input: &[u8]) {
        let _ = fs::write(&self.0, input);
    }

    /// Removes the file, after the target has returned.
    pub(super) fn end(&self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::process;

    #[test]
    fn a_member_is_known_to_its_session_and_its_executions_count_once() {
        let mut members = StartedMembers::new().unwrap();
        let mut member =
            Member::read(&members.members.variable(Some(Duration::from_mins(1)))).unwrap();
        assert!(member.publish_when_due(7));
        assert!(
            member.ends_after().is_some_and(
                |after| after > Duration::from_secs(50) && after < Duration::from_mins(1)
            )
        );
        assert_eq!((members.executions(), members.processes()), (7, vec![process::id()]));
        member.leave(12);
        assert_eq!(
            (members.executions(), members.executions(), members.processes()),
            (12, 12, vec![])
        );
        let another = Member::read(&members.members.variable(None)).unwrap();
        assert_eq!(another.ends_after(), None);
        another.leave(1);
        assert_eq!(members.executions(), 13);
        let folder = members.members.folder.clone();
        members.members.remove();
        assert!(!folder.exists());
    }
}

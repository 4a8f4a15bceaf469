//! One of several fuzzers, and the process that keeps their session: the files through which they
//! communicate.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::environment;
use crate::system::{children, process};

/// How often a member publishes its number of executions.
const COUNT: Duration = Duration::from_millis(50);
/// The subfolder for processes that merge.
#[cfg(feature = "libfuzzer")]
const MERGING: &str = "merging";
/// The file extension of a member that has ended. The system may give its process id to another
/// process.
#[cfg(feature = "libfuzzer")]
const ENDED: &str = "ended";
/// The subfolder for the last errors of members.
const ERRORS: &str = "errors";
/// How long before the end of the run a member ends. libFuzzer needs this time to merge what the
/// member has found.
#[cfg(feature = "libfuzzer")]
const BEFORE_THE_END: Duration = Duration::from_secs(1);

/// A folder with one file for each member. The file's name is the member's process id, and its
/// content is the number of executions.
pub(super) struct Members {
    folder: PathBuf,
    /// Executions of the members that have ended.
    #[cfg(feature = "libfuzzer")]
    before: u64,
}

impl Members {
    /// Makes the folder.
    pub(super) fn new() -> std::io::Result<Members> {
        let folder = std::env::temp_dir().join(format!("dwindle-members-{}", process::id()));
        #[cfg(feature = "libfuzzer")]
        fs::create_dir_all(folder.join(MERGING))?;
        fs::create_dir_all(folder.join(ERRORS))?;
        Ok(Members {
            folder,
            #[cfg(feature = "libfuzzer")]
            before: 0,
        })
    }

    /// The value of [`MEMBER`](environment::MEMBER) for the members of this process.
    ///
    /// It holds the process id of the session, the end of the run in milliseconds since 1970, and
    /// the folder. The end is 0 if the run has no time limit.
    pub(super) fn variable(&self, time_max: Option<Duration>) -> String {
        let end = time_max.map_or(0, |time| (since_1970() + time).as_millis());
        format!("{}:{end}:{}", process::id(), self.folder.display())
    }

    /// The file for the last error of a member with this number.
    pub(super) fn error_file(&self, number: u64) -> PathBuf {
        self.folder.join(ERRORS).join(number.to_string())
    }

    /// How many executions a member has published. 0 while it writes the number.
    pub(super) fn executions_of(&self, member: libc::pid_t) -> u64 {
        executions(&self.folder.join(member.to_string()))
    }

    /// Forgets a member that has ended. The system may give its process id to another process.
    pub(super) fn forget(&self, member: libc::pid_t) {
        let _ = fs::remove_file(self.folder.join(member.to_string()));
    }

    /// How many executions all members have made.
    #[cfg(feature = "libfuzzer")]
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
    #[cfg(feature = "libfuzzer")]
    pub(super) fn processes(&self) -> Vec<libc::pid_t> {
        self.files()
            .into_iter()
            .filter_map(|(_, member)| member)
            .filter(|member| children::is_running(*member))
            .collect()
    }

    /// Inputs of the corpus that killed a process while it merged them. No fuzzer ever gets these
    /// inputs.
    #[cfg(feature = "libfuzzer")]
    pub(super) fn failed_to_merge(&self) -> Vec<Vec<u8>> {
        let files = fs::read_dir(self.folder.join(MERGING))
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
    #[cfg(feature = "libfuzzer")]
    fn files(&self) -> Vec<(PathBuf, Option<libc::pid_t>)> {
        let paths =
            fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.path());
        paths
            .filter(|path| path.is_file())
            .map(|path| (path.file_name().and_then(|name| name.to_str()?.parse().ok()), path))
            .map(|(member, path)| (path, member))
            .collect()
    }
}

impl Members {
    /// Removes the folder.
    pub(super) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn executions(path: &Path) -> u64 {
    fs::read_to_string(path).ok().and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

/// A process that runs the corpus to merge it. Its file holds the input that the target runs on.
#[cfg(feature = "libfuzzer")]
pub(super) struct Merging(PathBuf);

#[cfg(feature = "libfuzzer")]
impl Merging {
    /// `None` if this process belongs to no run of several fuzzers.
    pub(super) fn of_this_process() -> Option<Merging> {
        Member::read(&std::env::var(environment::MEMBER).ok()?).and_then(|member| {
            Some(Merging(member.file.parent()?.join(MERGING).join(member.file.file_name()?)))
        })
    }

    /// The target is about to run on this input.
    pub(super) fn begin(&self, input: &[u8]) {
        let _ = fs::write(&self.0, input);
    }

    /// The target has returned.
    pub(super) fn end(&self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// This process as a member.
pub(super) struct Member {
    session: libc::pid_t,
    #[cfg(feature = "libfuzzer")]
    ends_at: Option<Duration>,
    file: PathBuf,
    last_count: Option<Instant>,
}

impl Member {
    /// `None` if this process is not a member.
    pub(super) fn of_this_process() -> Option<Member> {
        Member::read(&std::env::var(environment::MEMBER).ok()?)
    }

    fn read(text: &str) -> Option<Member> {
        let mut fields = text.splitn(3, ':');
        let session = fields.next()?.parse().ok()?;
        #[cfg(feature = "libfuzzer")]
        let ends_at: u64 = fields.next()?.parse().ok()?;
        #[cfg(not(feature = "libfuzzer"))]
        fields.next()?;
        let folder = PathBuf::from(fields.next()?);
        Some(Member {
            session,
            #[cfg(feature = "libfuzzer")]
            ends_at: (ends_at > 0).then(|| Duration::from_millis(ends_at)),
            file: folder.join(process::id().to_string()),
            last_count: None,
        })
    }

    /// How long this member may still fuzz.
    #[cfg(feature = "libfuzzer")]
    pub(super) fn ends_after(&self) -> Option<Duration> {
        self.ends_at.map(|end| end.saturating_sub(since_1970() + BEFORE_THE_END))
    }

    /// Publishes the number of executions from time to time. Returns `false` if the process that
    /// keeps the session has ended.
    pub(super) fn look(&mut self, executions: u64) -> bool {
        if self.last_count.is_none_or(|last| last.elapsed() >= COUNT) {
            self.last_count = Some(Instant::now());
            self.publish(executions);
        }
        children::is_running(self.session)
    }

    /// Publishes the number of executions.
    pub(super) fn publish(&self, executions: u64) {
        let _ = fs::write(&self.file, executions.to_string());
    }

    /// Publishes the final number of executions.
    #[cfg(feature = "libfuzzer")]
    pub(super) fn leave(self, executions: u64) {
        if environment::is_quiet_member() {
            // The parent reads the file before the system gives the process id to another process.
            self.publish(executions);
            return;
        }
        let last = self.file.with_extension(format!("{}.{ENDED}", since_1970().as_nanos()));
        if fs::write(&self.file, executions.to_string()).is_ok() {
            let _ = fs::rename(&self.file, last);
        }
    }
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(all(test, feature = "libfuzzer"))]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_known_to_its_session_and_its_executions_count_once() {
        let mut members = Members::new().unwrap();
        let mut member = Member::read(&members.variable(Some(Duration::from_mins(1)))).unwrap();
        assert!(member.look(7));
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
        let another = Member::read(&members.variable(None)).unwrap();
        assert_eq!(another.ends_after(), None);
        another.leave(1);
        assert_eq!(members.executions(), 13);
        let folder = members.folder.clone();
        members.remove();
        assert!(!folder.exists());
    }
}

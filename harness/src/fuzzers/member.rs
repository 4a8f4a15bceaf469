//! The files through which several fuzzers report to the process that keeps their session.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::environment;
use crate::system::{children, process};

/// How often a member publishes its number of executions.
const PUBLISH_EVERY: Duration = Duration::from_millis(50);
/// The subfolder for the last errors of members.
const ERRORS: &str = "errors";

/// A folder with one file for each member. The file's name is the member's process id, and its
/// content is the number of executions.
pub(super) struct Members {
    pub(super) folder: PathBuf,
}

impl Members {
    /// Makes the folder.
    pub(super) fn new() -> std::io::Result<Members> {
        let folder = std::env::temp_dir().join(format!("dwindle-members-{}", process::id()));
        fs::create_dir_all(folder.join(ERRORS))?;
        Ok(Members { folder })
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

    /// Removes the folder.
    pub(super) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

pub(super) fn executions(path: &Path) -> u64 {
    fs::read_to_string(path).ok().and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

/// This process as a member.
pub(super) struct Member {
    session: libc::pid_t,
    /// When the run ends, since 1970. `None` if the run has no time limit.
    #[cfg_attr(
        not(feature = "libfuzzer"),
        expect(dead_code, reason = "the random engine gets its time as an argument")
    )]
    pub(super) ends_at: Option<Duration>,
    pub(super) file: PathBuf,
    last_count: Option<Instant>,
}

impl Member {
    /// `None` if this process is not a member.
    pub(super) fn of_this_process() -> Option<Member> {
        Member::read(&std::env::var(environment::MEMBER).ok()?)
    }

    pub(super) fn read(text: &str) -> Option<Member> {
        let mut fields = text.splitn(3, ':');
        let session = fields.next()?.parse().ok()?;
        let ends_at: u64 = fields.next()?.parse().ok()?;
        let folder = PathBuf::from(fields.next()?);
        Some(Member {
            session,
            ends_at: (ends_at > 0).then(|| Duration::from_millis(ends_at)),
            file: folder.join(process::id().to_string()),
            last_count: None,
        })
    }

    /// Publishes the number of executions if the last time is long enough ago. Returns whether the
    /// process that keeps the session still runs.
    pub(super) fn publish_when_due(&mut self, executions: u64) -> bool {
        if self.last_count.is_none_or(|last| last.elapsed() >= PUBLISH_EVERY) {
            self.last_count = Some(Instant::now());
            self.publish(executions);
        }
        children::is_running(self.session)
    }

    /// Publishes the number of executions.
    pub(super) fn publish(&self, executions: u64) {
        let _ = fs::write(&self.file, executions.to_string());
    }
}

pub(super) fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

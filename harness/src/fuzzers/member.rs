//! The files through which several fuzzers report to the process that keeps their session.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::environment;
use crate::system::{children, process};

/// How often a member publishes its number of executions.
const PUBLISH_EVERY: Duration = Duration::from_millis(50);
/// The subfolder for the last errors of members.
const ERRORS: &str = "errors";

/// A folder with one file for each member. The file's name is the member's process id, and its
/// content is the number of executions.
pub(super) struct Members {
    folder: PathBuf,
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
    /// It holds the process id of the session, and the folder.
    pub(super) fn variable(&self) -> String {
        format!("{}:{}", process::id(), self.folder.display())
    }

    /// The file for the last error of a member with this number.
    pub(super) fn error_file(&self, number: u64) -> PathBuf {
        self.folder.join(ERRORS).join(number.to_string())
    }

    /// How many executions a member has published. 0 while it writes the number.
    pub(super) fn executions_of(&self, member: libc::pid_t) -> u64 {
        let published = fs::read_to_string(self.folder.join(member.to_string()));
        published.ok().and_then(|count| count.trim().parse().ok()).unwrap_or(0)
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

/// This process as a member.
pub(super) struct Member {
    session: libc::pid_t,
    file: PathBuf,
    last_count: Option<Instant>,
}

impl Member {
    /// `None` if this process is not a member.
    pub(super) fn of_this_process() -> Option<Member> {
        Member::read(&std::env::var(environment::MEMBER).ok()?)
    }

    fn read(text: &str) -> Option<Member> {
        let (session, folder) = text.split_once(':')?;
        let file = Path::new(folder).join(process::id().to_string());
        Some(Member { session: session.parse().ok()?, file, last_count: None })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_known_to_its_session_until_it_is_forgotten() {
        let members = Members::new().unwrap();
        let mut member = Member::read(&members.variable()).unwrap();
        assert_eq!(members.executions_of(process::id()), 0);
        assert!(member.publish_when_due(7));
        assert_eq!(members.executions_of(process::id()), 7);
        member.publish(12);
        assert_eq!(members.executions_of(process::id()), 12);
        members.forget(process::id());
        assert_eq!(members.executions_of(process::id()), 0);
        let folder = members.folder.clone();
        members.remove();
        assert!(!folder.exists());
    }
}

//! The session daemon: this process keeps the session, outlives the children and ends with
//! afl-fuzz.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use super::FOLDER_OF_INSTANCE;
use super::reports::Reports;
use super::runtime::Map;
use crate::exit::{ENVIRONMENT, NOTHING_FAILED};
use crate::fuzzers::awaited_cases::AwaitedCases;
use crate::session::tally::Tally;
use crate::session::{Hit, Session};
use crate::system::fork;
use crate::system::{children, process};
use crate::target::Target;
use crate::{environment, events, isolation};

/// How often the daemon looks at its session when nothing happens.
const LOOK: Duration = Duration::from_millis(50);
/// The file in which the daemon writes what a run under libFuzzer writes to stderr. afl-fuzz does
/// not show the output of its target.
const LOG: &str = "dwindle.log";

/// Forks the daemon and waits until it has opened the store. Call this before the process has a
/// second thread.
pub(super) fn start(target: &'static Target, reports: Reports) -> Result<(), String> {
    isolation::assert_may_fuzz();
    let parent = process::id();
    match fork::fork() {
        Ok(0) => keep(target, reports, parent),
        Ok(daemon) if reports.wait_for_daemon(daemon) => Ok(()),
        Ok(_) => Err("cannot open the bug store; see the error above, or in dwindle.log beside \
                      the queue"
            .to_owned()),
        Err(error) => Err(format!("cannot start the session daemon: {error}")),
    }
}

fn keep(target: &'static Target, reports: Reports, parent: libc::pid_t) -> ! {
    // The edges of this process do not count as coverage of the target.
    Map::new().hide();
    let ended = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        // If no handler can be installed, the signal ends the process. The store already holds the
        // claimed bugs.
        let _ = flag::register(signal, Arc::clone(&ended));
    }
    process::ask_to_end_with_parent(SIGTERM);
    // afl-fuzz kills the fork server's whole process group at once. The daemon leaves the group
    // because it still has to write its results.
    process::leave_group();
    leave_afl();
    let random_cases = AwaitedCases::new(target);
    let mut daemon = match Session::open(target, "afl", None) {
        Ok(session) => SessionDaemon {
            session,
            reports,
            tally: Tally::default(),
            found_at_random: Vec::new(),
            manifest_dir: target.manifest_dir(),
        },
        Err(message) => {
            events::error(&message);
            reports.ready(None);
            process::leave(ENVIRONMENT)
        }
    };
    let begun = random_cases.map_or(Ok(()), |cases| daemon.run_random_cases(cases));
    reports.ready(Some(process::id()));
    let kept = begun.and_then(|()| {
        daemon.serve(|| ended.load(Ordering::Acquire) || process::parent() != parent)
    });
    reports.close();
    if let Err(message) =
        kept.and_then(|()| daemon.session.end(true).map(drop).map_err(|error| error.to_string()))
    {
        events::error(&message);
        process::leave(ENVIRONMENT)
    }
    process::leave(NOTHING_FAILED)
}

/// Closes the files and removes the variables that AFL++ gave to its target.
///
/// The daemon and its children must not keep the pipes open: afl-fuzz learns from the pipes that
/// the fork server has ended.
fn leave_afl() {
    let folder = std::env::var_os(FOLDER_OF_INSTANCE);
    process::close_all_but_standard();
    if let Some(mut log) = folder.and_then(|folder| {
        File::options().create(true).append(true).open(Path::new(&folder).join(LOG)).ok()
    }) {
        let _ = writeln!(log, "dwindle: the fork server {} has begun", process::parent());
        process::redirect_stderr(log.as_raw_fd());
    }
    let names: Vec<_> = std::env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| environment::is_of_afl(&name.to_string_lossy()))
        .collect();
    for name in names {
        // SAFETY: this process has one thread.
        unsafe { std::env::remove_var(name) };
    }
}

struct SessionDaemon {
    session: Session,
    reports: Reports,
    tally: Tally,
    /// The bugs that only random cases have found, by their index.
    found_at_random: Vec<usize>,
    manifest_dir: &'static Path,
}

impl SessionDaemon {
    fn run_random_cases(&mut self, cases: AwaitedCases) -> Result<(), String> {
        let hits = self.reports.hits();
        cases.run(|failed, input| {
            let index = if let Some(index) = self.tally.place(failed.id) {
                index
            } else {
                let (index, hit) = self.tally.take(&mut self.session, input, failed)?;
                self.found_at_random.extend((hit == Hit::New).then_some(index));
                index
            };
            hits.saw(index);
            Ok(())
        })
    }

    fn serve(&mut self, is_over: impl Fn() -> bool) -> Result<(), String> {
        while !is_over() {
            if let Some((failed, input)) = self.reports.wait(LOOK, self.manifest_dir) {
                let (index, hit) = self.tally.take(&mut self.session, &input, failed)?;
                // AFL++ keeps a crash of each bug that it finds itself.
                let found = self.found_at_random.iter().position(|found| *found == index);
                let hit = found.map_or(hit, |place| {
                    self.found_at_random.swap_remove(place);
                    Hit::New
                });
                self.reports.take(index, hit);
            }
            if let Some(misuse) = self.reports.misuse() {
                // The daemon kills the fork server, and afl-fuzz ends with it. After wrong use,
                // further results say nothing about the target.
                children::kill(process::parent());
                return Err(misuse.to_string());
            }
            self.count()?;
            self.session.poll().map_err(|error| error.to_string())?;
        }
        self.count()
    }

    fn count(&mut self) -> Result<(), String> {
        let reports = self.reports;
        self.tally.count(&mut self.session, reports.hits())
    }
}

//! How a run ends, and what the supervisor leaves behind: no process and no temporary file.

use std::time::Duration;

use dwindle_corpus::StoreError;

use super::Supervisor;
use crate::exit::libfuzzer::{FAILED, INTERRUPTED};
use crate::fuzzers::libfuzzer::late_files::LateFiles;
use crate::fuzzers::libfuzzer::refuse;
use crate::isolation::Isolated;
use crate::system::{children, offspring, process};
use crate::{events, exit};

impl Supervisor<'_> {
    pub(super) fn end_fuzzer(&mut self) {
        if let Some(fuzzer) = self.fuzzer.take() {
            children::kill(fuzzer);
            children::wait_for(fuzzer);
        }
        self.late_files.as_mut().map(LateFiles::write_all);
        self.snapshot_pace.take(true);
        if let Some(screen) = &self.prescreen {
            screen.end();
        }
        self.end_what_is_left();
    }

    /// Ends all processes that the target has left running, and the processes that those started.
    /// The supervisor has adopted all of them.
    fn end_what_is_left(&self) {
        let fork_server = self.executor.as_ref().map(Isolated::fork_server);
        let wanted: Vec<libc::pid_t> = self.session.helpers().chain(fork_server).collect();
        offspring::end_all_but(&wanted);
    }

    /// Ends the executor and all remaining processes at the end of the run.
    ///
    /// The supervisor adopts the processes that the target started in the executor only when the
    /// executor ends.
    fn leave_nothing(&mut self) {
        self.executor = None;
        self.end_what_is_left();
    }

    /// Removes the files that only this run uses.
    pub(super) fn remove_files(&mut self) {
        self.corpus.take();
        self.dictionary.take();
        if let Some(member) = self.member.take() {
            member.publish(self.link.executions());
        }
    }

    pub(super) fn interrupt(&mut self) -> ! {
        self.end_fuzzer();
        self.take_report();
        self.count();
        let ended = self.session.end(true);
        self.leave_nothing();
        self.remove_files();
        if let Err(error) = ended {
            events::error(&error.to_string());
        }
        process::leave(INTERRUPTED)
    }

    /// Waits until the minimizers are done, prints the table and leaves. The exit code is
    /// libFuzzer's code for a failure if anything failed, else `code`.
    pub(super) fn finish(&mut self, code: i32) -> ! {
        self.end_fuzzer();
        self.session.fuzzing_is_over();
        self.count();
        self.remark_on_executions();
        loop {
            if self.signals.is_interrupted() {
                self.interrupt();
            }
            let polled = self.session.poll();
            self.or_refuse(polled);
            if !self.session.is_busy() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let ended = self.session.end(false);
        self.leave_nothing();
        self.remove_files();
        match ended {
            Ok(true) => process::leave(FAILED),
            Ok(false) => process::leave(code),
            Err(error) => refuse(exit::ENVIRONMENT, &error.to_string()),
        }
    }

    /// Tells the user how many executions were skipped, tried elsewhere first, or repeated.
    fn remark_on_executions(&mut self) {
        let (skipped, repeated) = (self.link.skips(), self.link.repeated());
        if skipped > 0 {
            self.session.remark(format!(
                "{skipped} executions were skipped: their inputs had killed the process before"
            ));
        }
        let (survived, killed) = (self.link.survived().0, self.link.killed().0);
        if survived + killed > 0 {
            self.session.remark(format!(
                "{} executions ran first in a separate process, because many inputs kill: \
                 {killed} did",
                survived + killed
            ));
        }
        if repeated > 0 {
            self.session.remark(format!(
                "{repeated} executions were repeated: after a death the fuzzer continues from a \
                 point before it"
            ));
        }
    }

    pub(super) fn or_refuse(&mut self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            self.give_up(&error.to_string());
        }
    }

    pub(super) fn give_up(&mut self, why: &str) -> ! {
        self.end_fuzzer();
        self.leave_nothing();
        self.remove_files();
        refuse(exit::ENVIRONMENT, why)
    }
}

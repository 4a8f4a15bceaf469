//! Runs files as the printed command does. It shows the draws of each file, and then the process
//! fails as any target does.
//!
//! libFuzzer calls this module for each file. Other builds have their own loop.

use std::panic::{set_hook, take_hook};
#[cfg(not(feature = "libfuzzer"))]
use std::path::Path;
#[cfg(not(feature = "libfuzzer"))]
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(not(feature = "libfuzzer"))]
use dwindle_corpus::{printable_line, read_input};
use dwindle_engine::TestCase;
use dwindle_engine::internals::{Halt, Outcome, execute};

use crate::environment;
use crate::execution::InProcess;
use crate::execution::Line;
#[cfg(not(feature = "libfuzzer"))]
use crate::exit::libfuzzer::FAILED;
#[cfg(not(feature = "libfuzzer"))]
use crate::exit::{NOTHING_FAILED, WRONG_USE, refuse};
use crate::failure::panics::{Panic, Scope};
use crate::failure::{names, printing};
use crate::isolation::death;
use crate::isolation::formatted::Formatter;
use crate::isolation::printed::Recorder;
use crate::system::forked;
#[cfg(not(feature = "libfuzzer"))]
use crate::system::process;
use crate::target::Target;

/// Runs files in a build without libFuzzer. Returns the exit code of the process.
#[cfg(not(feature = "libfuzzer"))]
pub(crate) fn run_all(target: &'static Target, paths: &[String]) -> i32 {
    target.initialize();
    let mut files = Files::new(target);
    process::at_exit(on_exit_of_the_target);
    for path in paths {
        let input = match read_input(Path::new(path)) {
            Ok(input) => input,
            Err(error) => return refuse(WRONG_USE, &error.to_string()),
        };
        eprintln!("running {}", printable_line(path));
        RUNS.store(true, Ordering::Release);
        let halted = files.run(&input);
        RUNS.store(false, Ordering::Release);
        match halted {
            Some(Halt::Rejected) => eprintln!("rejected"),
            Some(Halt::Overrun) => eprintln!("stopped at the limit of choices"),
            None => {}
        }
    }
    NOTHING_FAILED
}

/// Whether a file is running.
#[cfg(not(feature = "libfuzzer"))]
static RUNS: AtomicBool = AtomicBool::new(false);

/// A target that ends its process counts as failed, with any exit code.
#[cfg(not(feature = "libfuzzer"))]
extern "C" fn on_exit_of_the_target(code: libc::c_int, _argument: *mut libc::c_void) {
    if RUNS.load(Ordering::Acquire) {
        eprintln!("the target ended its process with exit code {code}");
        process::leave(FAILED);
    }
}

/// Runs the target on files.
pub(crate) struct Files {
    executor: InProcess<fn(&mut TestCase)>,
    target: &'static Target,
    /// Set in a process that was started to record how an input ends.
    recorder: Option<Recorder>,
    has_begun: bool,
}

impl Files {
    /// From now on a panic ends this process. This includes a panic that the target catches, or one
    /// in another thread.
    pub(crate) fn new(target: &'static Target) -> Files {
        let recorder = Recorder::inherited();
        printing::escape_messages();
        let before = take_hook();
        // The executor installs a hook that keeps panics. Panics are shown only if no recorder
        // exists.
        let executor = InProcess::new(
            target.property(),
            Scope::Process,
            target.manifest_dir(),
            environment::choices_max(),
        );
        let keeps = recorder.map(|_| take_hook());
        set_hook(Box::new(move |info| {
            keeps.as_ref().unwrap_or(&before)(info);
            std::process::abort();
        }));
        Files { executor, target, recorder, has_begun: false }
    }

    /// Runs one input. Returns why dwindle stopped the run, if it did.
    pub(crate) fn run(&mut self, input: &[u8]) -> Option<Halt> {
        if !self.has_begun {
            // The recorder's handlers go behind those of libFuzzer, which are in place by now.
            if let Some(recorder) = self.recorder {
                recorder.begin(&mut self.executor.driver);
            }
            self.has_begun = true;
        }
        let tc = &mut self.executor.driver;
        let mut formatter = Formatter::default();
        let is_recorded = self.recorder.is_some();
        // A recorded run does not read its values: a child formats them. So the values cannot
        // change the run.
        tc.listen(Some(Box::new(move |event| {
            if !is_recorded {
                Line::of(event, &mut formatter).print();
            }
        })));
        tc.start_bytes(input, environment::choices_max());
        Scope::Process.watch(self.recorder.is_some());
        let ended = match self.recorder {
            Some(_) => death::watched(|| execute(tc, self.target.property())),
            None => execute(tc, self.target.property()),
        };
        Scope::Process.watch(false);
        if forked::is_forked_by_target() {
            forked::end(matches!(ended, Outcome::Failed(_)));
        }
        match ended {
            Outcome::Passed => None,
            Outcome::Overrun | Outcome::Rejected => ended.halt(),
            Outcome::Failed(payload) => {
                // The target has replaced the hook, but the panic still counts as a failure.
                if let Some(recorder) = self.recorder {
                    let panic = Panic::unseen(&*payload);
                    recorder.name(names::id_of_panic(
                        &panic.place,
                        self.executor.driver.current_bug_key(),
                        self.target.manifest_dir(),
                    ));
                }
                std::process::abort()
            }
        }
    }
}

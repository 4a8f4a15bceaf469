//! `-minimize_crash=1`, which `cargo fuzz tmin` passes.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use dwindle_corpus::{printable_path, read_input};
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::codec::encode;

use crate::execution::{Executor, Run, Runs};
use crate::exit::libfuzzer::{INTERRUPTED, NOT_DONE};
use crate::exit::refuse;
use crate::isolation::{self, Isolated};
use crate::limits::Limits;
use crate::minimize::around::minimize_and_search;
use crate::minimize::{Found, Only, reliability};
use crate::session::{report, sha1_hex, signals};
use crate::system::process;
use crate::target::Target;
use crate::{environment, events};

/// Minimizes one file and writes the result next to the artifacts. Ignores libFuzzer's limit on
/// runs, and does not touch the store.
pub(crate) fn tmin(
    target: &'static Target,
    file: &Path,
    artifact_prefix: &str,
    exact_path: Option<&str>,
) -> i32 {
    let limits = match Limits::from_environment() {
        Ok(limits) => limits,
        Err(message) => return refuse(NOT_DONE, &message),
    };
    let original = match read_input(file) {
        Ok(original) => original,
        Err(error) => return refuse(NOT_DONE, &error.to_string()),
    };
    isolation::only_ask();
    // This forks, so it comes before the process has a second thread.
    let mut executor = match Isolated::new(target, environment::choices_max()) {
        Ok(executor) => executor,
        Err(error) => {
            return refuse(
                NOT_DONE,
                &format!("cannot start a process that runs the target: {error}"),
            );
        }
    };
    // This comes before the first run, which may take long.
    let path = exact_path.map_or_else(
        || format!("{artifact_prefix}minimized-from-{}", sha1_hex(&original)),
        str::to_owned,
    );
    let best = Arc::new(Mutex::new(original.to_vec()));
    write_on_interrupt(Arc::clone(&best), path.clone());
    let mut trace = Trace::default();
    executor.allow_for(Runs::Any);
    if let Run::Misused(misuse) = executor.run_input(&original, &mut trace) {
        misuse.leave();
    }
    let Some(failed) = reliability::chance(&mut executor, &original, |_| true, &mut trace) else {
        return refuse(
            NOT_DONE,
            &format!(
                "the input {} does not fail; there is nothing to minimize",
                printable_path(file)
            ),
        );
    };
    let mut minimized = minimize_and_search(
        &mut executor,
        Found { input: &original, trace: &trace, failed: &failed, only: Only::default() },
        limits,
        &mut |trace, _| {
            *best.lock().unwrap_or_else(PoisonError::into_inner) = encode(&trace.choices);
        },
    );
    if let Err(error) = std::fs::write(&path, &minimized.input) {
        return refuse(NOT_DONE, &format!("cannot write {path}: {error}"));
    }
    // The report does not show the frames, and naming them takes longer than most shrinks.
    minimized.failed.addresses.clear();
    let pending = report::pending(&target.name(), &minimized.failed, &original, "libfuzzer");
    let report = report::minimized(&pending, &minimized, executor.manifest_dir());
    let folder = Path::new(&path).parent().unwrap_or(Path::new("."));
    let reproduce = report::reproduce(&target.name(), report.kind, Path::new(&path));
    eprintln!("{}", report::text(&report, folder, &reproduce));
    0
}

/// Writes the smallest input so far if the user interrupts the minimization.
fn write_on_interrupt(best: Arc<Mutex<Vec<u8>>>, path: String) {
    signals::on_interrupt(INTERRUPTED, move || {
        let written = std::fs::write(&path, &*best.lock().unwrap_or_else(PoisonError::into_inner));
        events::error(&format!(
            "interrupted; the smallest input so far is {}",
            if written.is_ok() { &path } else { "not written" }
        ));
        process::leave(INTERRUPTED);
    });
}

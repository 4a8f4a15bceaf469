//! Memory that the fuzzer and its supervisor share: the input in flight, the failures and their
//! counts.

mod fuzzer_end;
mod supervisor_end;

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU16, AtomicU32, AtomicU64};

use crate::execution::Rejections;
use crate::failure::failed::Failed;
use crate::failure::misuse::Misuse;
use crate::isolation::bell::Bell;
use crate::isolation::shared::{Header, Shared};
use crate::session::tally::{BUGS_MAX, HitCounters};

/// Maximum number of constants. With more, each single one helps little.
pub(super) const CONSTANTS_MAX: usize = 256;
/// Maximum number of words.
pub(super) const WORDS_MAX: usize = 2048;

/// The numbers that the fuzzer and the supervisor exchange.
#[repr(C)]
pub(super) struct Numbers {
    /// The length of the input in flight, plus one. 0 while the target does not run.
    in_flight: AtomicU64,
    /// How many executions this run has made.
    executions: AtomicU64,
    /// How many of them repeat executions of a fuzzer that died. A snapshot repeats the executions
    /// that were made since it was made.
    repeated: AtomicU64,
    /// How many edges this fuzzer has covered.
    covered: AtomicU64,
    /// How many inputs were not run because they are known crashing inputs.
    skipped: AtomicU64,
    /// The constants that the target compares with, and their number. 0 until they are known.
    constants: [AtomicU16; CONSTANTS_MAX],
    constants_known: AtomicU32,
    /// The words that it compares with, as numbers, and how many there are. 0 until they are known.
    words: [[AtomicU64; 2]; WORDS_MAX],
    words_known: AtomicU32,
    /// How many random cases were planned.
    random_cases: AtomicU32,
    /// Whether a random case runs in place of libFuzzer's input.
    runs_random_case: AtomicBool,
    /// Whether the fuzzer is in the target's own mutator.
    mutates: AtomicBool,
    /// Whether equal bytes became different choices in two runs.
    unsteady: AtomicBool,
    /// The process id of the waiting snapshot; 0 without a snapshot.
    snapshot: AtomicI32,
    /// The number of executions when the waiting snapshot was made.
    snapshot_at: AtomicU64,
    /// The process id of the snapshot before that one. The fuzzer ends it.
    retired: AtomicI32,
    /// The cost of the last snapshot in nanoseconds, and the cost of all snapshots.
    cost_of_snapshot: AtomicU64,
    cost_of_snapshots: AtomicU64,
    /// The fuzzer makes a new snapshot after this number of executions.
    snapshot_after: AtomicU64,
    /// The process id of the snapshot that continues now.
    turn: Bell,
    /// Whether the last input killed the fuzzer.
    has_crashed: AtomicBool,
    /// How many failures this fuzzer has reported.
    reported: AtomicU32,
    /// How many of these reports the supervisor has taken.
    taken: Bell,
    /// The index of the last reported bug among the run's bugs.
    index: AtomicU32,
    /// Whether the last report is the death of a worker, whether the worker left a record, and its
    /// status from `waitpid`. The fuzzer runs inputs in a worker first.
    reported_death: AtomicBool,
    has_record: AtomicBool,
    status: AtomicI32,
    /// Whether the fuzzer runs inputs in a worker first.
    prescreens: AtomicBool,
    /// How many inputs a worker survived, and how long that took in nanoseconds.
    survived: AtomicU64,
    surviving: AtomicU64,
    /// How many inputs killed a worker, and how long that took in nanoseconds.
    killed: AtomicU64,
    killing: AtomicU64,
    /// How often the fuzzer has rung for its supervisor. It rings for each report, and when it
    /// ends: for the record of its death, or for its exit code.
    pub(super) bell: Bell,
    /// The exit code with which the fuzzer ended by itself, plus one. 0 while it has not ended.
    ended: AtomicU64,
    hits: HitCounters,
    /// The inputs that were rejected.
    rejections: Rejections,
    /// The reported ids, the index of the bug of each, and the number of ids. A target cannot
    /// damage them here.
    ids: [AtomicU64; BUGS_MAX],
    bugs: [AtomicU32; BUGS_MAX],
    ids_known: AtomicU32,
    /// Whether the waiting report says that the target uses dwindle wrongly.
    reported_misuse: AtomicBool,
}

// SAFETY: all fields are atomic numbers, and together they take about 70 KiB.
unsafe impl Header for Numbers {}

/// A report of the fuzzer.
pub(super) enum FuzzerReport {
    Failure(Failed),
    /// The target uses dwindle wrongly.
    Misuse(Misuse),
    /// The death of a worker; see [`Prescreened::Died`](crate::isolation::Prescreened::Died).
    Death {
        has_record: bool,
        status: libc::c_int,
    },
}

/// One end of the link. The fuzzer inherits its end through fork.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub(super) shared: &'static Shared<Numbers>,
}

impl Link {
    pub(super) fn new() -> io::Result<Link> {
        let link = Link { shared: Shared::new()? };
        link.want_snapshots(u64::MAX);
        Ok(link)
    }

    pub(super) fn numbers(self) -> &'static Numbers {
        self.shared.header()
    }
}

//! A test hook: the n-th operation on the disk fails, or kills the process.
//!
//! `DWINDLE_FAULT_WRITE=n` in the environment is for end-to-end tests of whole binaries. It makes
//! the n-th write of file contents fail half-way, as on a full disk. The count starts at 1 and
//! covers all stores of the process. A forked child continues the count of its parent. Without this
//! variable every operation succeeds.
//!
//! This crate's tests plan all other faults with [`FaultPlan`], which they pass to
//! [`BugStore::open_with_faults`](crate::BugStore::open_with_faults).

use std::env;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::system;

/// Which operation on the disk fails, and how. Clones share one count.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct FaultPlan(Option<Arc<Plan>>);

#[derive(Debug)]
struct Plan {
    at: u64,
    how: How,
    steps: AtomicU64,
}

#[derive(Clone, Copy, Debug)]
enum How {
    Fail,
    Stop,
    Kill,
}

impl FaultPlan {
    /// Nothing fails except what the environment asks for.
    pub fn none() -> FaultPlan {
        FaultPlan(None)
    }

    /// Nothing fails; operations are counted.
    pub fn counting() -> FaultPlan {
        FaultPlan::new(0, How::Fail)
    }

    /// Operation `n`, counted from 1, fails as on a full disk. All others work.
    pub fn fail_at(n: u64) -> FaultPlan {
        FaultPlan::new(n, How::Fail)
    }

    /// All operations from `n` on fail, including cleaning up, as if the process had ended there.
    pub fn stop_at(n: u64) -> FaultPlan {
        FaultPlan::new(n, How::Stop)
    }

    /// The process kills itself at operation `n`. If that is a write, half of it is done.
    pub fn kill_at(n: u64) -> FaultPlan {
        FaultPlan::new(n, How::Kill)
    }

    /// The number of operations so far.
    pub fn steps(&self) -> u64 {
        self.0.as_ref().map_or(0, |plan| plan.steps.load(Ordering::SeqCst))
    }

    fn new(at: u64, how: How) -> FaultPlan {
        FaultPlan(Some(Arc::new(Plan { at, how, steps: AtomicU64::new(0) })))
    }

    /// The fault of the next operation that is not a write.
    pub(crate) fn next_step(&self) -> Fault {
        let Some(plan) = &self.0 else {
            return Fault::None;
        };
        let step = plan.steps.fetch_add(1, Ordering::SeqCst) + 1;
        match plan.how {
            How::Fail if step == plan.at => Fault::Fail,
            How::Stop if step >= plan.at => Fault::Fail,
            How::Kill if step == plan.at => Fault::Kill,
            _ => Fault::None,
        }
    }

    /// The fault of the next write of file contents.
    pub(crate) fn next_write(&self) -> Fault {
        if is_failing_write_of_environment() { Fault::Fail } else { self.next_step() }
    }
}

/// The fault to apply now.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    Fail,
    Kill,
}

impl Fault {
    pub(crate) fn strike(self) -> io::Result<()> {
        match self {
            Fault::None => Ok(()),
            Fault::Fail => Err(system::disk_full()),
            Fault::Kill => {
                system::kill_this_process()?;
                unreachable!("no process outlives this")
            }
        }
    }
}

fn is_failing_write_of_environment() -> bool {
    static AT: OnceLock<Option<u64>> = OnceLock::new();
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let at = *AT.get_or_init(|| env::var("DWINDLE_FAULT_WRITE").ok()?.parse().ok());
    at.is_some_and(|at| WRITES.fetch_add(1, Ordering::SeqCst) + 1 == at)
}

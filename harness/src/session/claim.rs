//! Claims the bug of a failure in the store.

use dwindle_corpus::{BugId, BugStore, Report, StoreError, Writer};
use dwindle_engine::internals::Trace;

use crate::execution::{Executor, Run};
use crate::failure::failed::Failed;
use crate::isolation::Isolated;
use crate::session::{damage, report};

/// Runs an input that failed in another way during a minimization, and claims its bug if it fails
/// again. The bug is then minimized later. An input that damages memory is skipped.
pub(crate) fn claim_other(
    executor: &mut Isolated,
    store: &BugStore,
    like: &Report,
    input: &[u8],
) -> Result<(), StoreError> {
    if let Run::Failed(failed) = executor.run_input(input, &mut Trace::default())
        && !damage::is_damaging(executor, input, &failed)
    {
        claim_for_its_turn(store, like, &failed, input)?;
    }
    Ok(())
}

pub(crate) fn claim_for_its_turn(
    store: &BugStore,
    like: &Report,
    failed: &Failed,
    input: &[u8],
) -> Result<(), StoreError> {
    let id =
        claim(store, failed, input, &report::pending(&like.target, failed, input, &like.engine))?;
    store.count(id, &Writer::this_process(), 1)
}

/// Claims the bug of a failure, unless the store already has that bug. Returns the bug's id in the
/// store.
pub(crate) fn claim(
    store: &BugStore,
    failed: &Failed,
    input: &[u8],
    pending: &Report,
) -> Result<BugId, StoreError> {
    let id = store.known_as(failed.id, failed.old_id)?;
    store.claim(id, input, pending)?;
    store.add_alias(id, failed.id)?;
    Ok(id)
}

//! Recognizes failures that damaged memory causes, in builds without a sanitizer.
//!
//! Once a target has damaged memory, its process fails at places that do not show the cause. It may
//! fail on the input that did the damage, or later on innocent inputs. Some failures are new to the
//! run and may come from damage. Such a failure runs again in new processes before it gets its own
//! id:
//!
//! - Once damage is suspected, an input that passes there is innocent. Its failure belongs to one
//!   bug that stands for all damage, and its process is replaced.
//! - Some inputs damage memory themselves. Such an input fails in another way when freed memory is
//!   not reused. Or it uses a pointer to no valid address, or its stack cannot be unwound to the
//!   bottom. The first of these bugs has its own id. Later ones are as likely the same fault, so
//!   they belong to the bug that stands for all damage.
//! - Once damage is suspected, a failure gets its own id only if its input fails alike each time.
//!   It must do so alone, and as the command that a report prints.
//!
//! In a build with a sanitizer no input runs again: the sanitizer reports the place where memory is
//! misused.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use dwindle_corpus::{BugId, BugKind};
use dwindle_engine::internals::Trace;

use crate::execution::{Executor, Freed, Run, Runs};
use crate::failure::failed::{Failed, SignOfDamage};
use crate::failure::panics::Place;
use crate::isolation::{Isolated, sanitizer};

/// What a run knows about damage to the memory of its target.
#[derive(Debug, Default)]
pub(crate) struct MemoryDamage {
    /// Whether damage is suspected: a failure had a sign of it, or was outside of the target. Or an
    /// input damages memory, or passed alone after an invalid access. From then on, damage may be
    /// the cause of any failure that does not repeat alone.
    is_suspected: bool,
    /// Whether the damage already has a bug with its own id.
    has_bug: bool,
    /// Failures that were classified as damage.
    settled: BTreeSet<BugId>,
}

/// The classification of a failure. Some failures get it without another run of their input.
#[derive(Debug)]
pub(crate) enum Settled {
    /// A bug, under this id.
    Bug(Failed),
    /// The input itself damages memory, or it fails only sometimes while damage is suspected. The
    /// failure is counted as this one.
    Damage(Failed),
    /// An earlier input did the damage. The failure is counted as this one, and its process must
    /// not be used any more.
    Innocent(Failed),
}

/// The bug that stands for all damage of a target.
pub(crate) fn catch_all() -> BugId {
    BugId::of("memory damage")
}

/// Maximum runs, and maximum time, of an input that does not fail at once. Threads and chance may
/// decide how a run ends.
const CHANCES: u32 = 8;
const CHANCES_TIME: Duration = Duration::from_secs(1);
/// Runs that must agree before a failure counts as steady, or freed memory counts as its cause.
const AGREEING: u32 = 3;
/// Number of new processes in which the printed command must fail in the same way.
const PROCESSES: usize = 2;

impl MemoryDamage {
    /// The state before the first run. `in_store`: the store has a bug by which damage is known.
    pub(crate) fn new(in_store: bool) -> MemoryDamage {
        MemoryDamage { is_suspected: false, has_bug: in_store, settled: BTreeSet::new() }
    }

    /// Classifies a failure of a process that had run other inputs before. `has_seen` returns
    /// whether the run knows the bug already. The input runs again in `executor` if necessary.
    pub(crate) fn settle<'a>(
        &mut self,
        executor: impl FnOnce() -> Option<&'a mut Isolated>,
        input: &[u8],
        failed: Failed,
        mut has_seen: impl FnMut(&Failed) -> bool,
    ) -> Settled {
        let may_be_damage = matches!(
            failed.kind,
            BugKind::Panic
                | BugKind::Abort
                | BugKind::Segv
                | BugKind::Exit
                | BugKind::StackOverflow
        );
        if sanitizer::is_there() || !may_be_damage || has_seen(&failed) {
            return Settled::Bug(failed);
        }
        if self.settled.contains(&failed.id) {
            return Settled::Damage(of_damage(&failed));
        }
        let Some(executor) = executor() else { return Settled::Bug(failed) };
        // An invalid access that does not repeat alone has its cause elsewhere.
        let is_suspect = self.is_suspected
            || failed.sign_of_damage != SignOfDamage::None
            || failed.kind == BugKind::Segv;
        self.is_suspected |= failed.sign_of_damage != SignOfDamage::None;
        let failed = match alone(executor, input, if is_suspect { CHANCES } else { 1 }) {
            Some(again) if is_suspect || again.id == failed.id => again,
            // The target's state, or chance, is the most likely cause.
            _ if !is_suspect => return Settled::Bug(failed),
            _ => {
                self.is_suspected = true;
                return Settled::Innocent(of_damage(&failed));
            }
        };
        if has_seen(&failed) {
            return Settled::Bug(failed);
        }
        let is_damaging = is_damaging(executor, input, &failed);
        if !is_damaging && !is_suspect {
            return Settled::Bug(failed);
        }
        self.is_suspected |= is_damaging;
        // Damage that an allocator detects is one bug without further evidence.
        let has_own_id =
            !is_damaging || !self.has_bug || failed.sign_of_damage == SignOfDamage::Heap;
        // A failure that repeats only sometimes is more likely damage than a separate bug.
        if has_own_id && is_steady(executor, input, &failed) {
            self.has_bug |= is_damaging;
            return Settled::Bug(failed);
        }
        self.settled.insert(failed.id);
        Settled::Damage(of_damage(&failed))
    }

    /// The failure of a process that ended outside of the target.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn outside(&mut self) -> Failed {
        self.is_suspected = true;
        standing_for(BugKind::Segv, "the fuzzer died outside of the target")
    }
}

/// Runs an input alone in new processes, up to `chances` times, and returns its first failure.
fn alone(executor: &mut Isolated, input: &[u8], chances: u32) -> Option<Failed> {
    let began = Instant::now();
    (0..chances)
        .take_while(|_| began.elapsed() < CHANCES_TIME)
        .find_map(|_| fresh(executor, input, Runs::Alone))
}

/// Whether an input damages memory itself. Either only damage causes this kind of failure, or the
/// failure depends on the contents of freed memory. `failed` is its failure when it runs alone.
pub(crate) fn is_damaging(executor: &mut Isolated, input: &[u8], failed: &Failed) -> bool {
    if sanitizer::is_there() {
        return false;
    }
    let began = Instant::now();
    let mut depends_on = |freed| {
        (0..AGREEING).all(|_| {
            began.elapsed() < CHANCES_TIME
                && fails_otherwise(&run_fresh(executor, input, Runs::AloneWith(freed)), failed)
                && fresh(executor, input, Runs::Alone).is_some_and(|again| again.id == failed.id)
        })
    };
    failed.sign_of_damage != SignOfDamage::None
        || depends_on(Freed::Kept)
        || depends_on(Freed::Filled)
}

/// Whether an input fails alike each time, also as the command that a report prints.
fn is_steady(executor: &mut Isolated, input: &[u8], failed: &Failed) -> bool {
    (0..AGREEING)
        .all(|_| fresh(executor, input, Runs::Alone).is_some_and(|again| again.id == failed.id))
        && executor.fails_as_printed(input, failed, PROCESSES).unwrap_or(true)
}

/// Whether a run ended with another outcome. A run that used too much time or memory gives no
/// answer.
fn fails_otherwise(run: &Run, failed: &Failed) -> bool {
    match run {
        Run::Failed(again) => {
            again.id != failed.id && !matches!(again.kind, BugKind::Oom | BugKind::Timeout)
        }
        Run::Passed | Run::Overrun => true,
        Run::Rejected | Run::Misused(_) => false,
    }
}

fn fresh(executor: &mut Isolated, input: &[u8], runs: Runs) -> Option<Failed> {
    run_fresh(executor, input, runs).failure()
}

/// Runs an input in a process that has run no other input.
fn run_fresh(executor: &mut Isolated, input: &[u8], runs: Runs) -> Run {
    executor.start_afresh();
    executor.allow_for(runs);
    let run = executor.run_input(input, &mut Trace::default());
    executor.allow_for(Runs::Alone);
    run
}

fn of_damage(failed: &Failed) -> Failed {
    standing_for(
        failed.kind,
        &format!("{} at {}", failed.message.lines().next().unwrap_or_default(), failed.location),
    )
}

fn standing_for(kind: BugKind, seen: &str) -> Failed {
    Failed {
        id: catch_all(),
        old_id: None,
        kind,
        location: "an unknown place".to_owned(),
        place: Place::default(),
        message: format!(
            "this input or an earlier one damaged memory, or the target keeps state, so the place \
             of the failure may not be its cause\nseen: {seen}\na build with AddressSanitizer \
             shows what damages memory"
        ),
        sign_of_damage: SignOfDamage::None,
        addresses: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use dwindle_engine::{TestCase, generators as g};

    use super::*;

    /// Fails in the way that the drawn byte selects.
    fn property(tc: &mut TestCase) {
        match tc.draw(g::integers(0..=255u8)) {
            1 => panic!("whatever memory holds"),
            // SAFETY: unsound on purpose: the test needs an invalid write.
            2 => unsafe { std::ptr::null_mut::<u32>().write_volatile(1) },
            // SAFETY: unsound on purpose, as above.
            3 => unsafe {
                std::ptr::with_exposed_provenance_mut::<u32>(0x1234_5678_9ABC_0000)
                    .write_volatile(1);
            },
            4 => {
                // SAFETY: unsound on purpose, as above.
                unsafe {
                    let block = libc::malloc(100);
                    libc::free(block);
                    libc::free(std::hint::black_box(block));
                }
            }
            5 => {
                // SAFETY: unsound on purpose, as above.
                let byte = unsafe {
                    let block = libc::malloc(4000).cast::<u8>();
                    // A second block behind the first one, so that the allocator cannot return it
                    // to the system.
                    std::hint::black_box(libc::malloc(16));
                    block.add(500).write_volatile(7);
                    libc::free(block.cast());
                    std::hint::black_box(block).add(500).read_volatile()
                };
                assert_ne!(byte, 7, "as freed memory has it");
            }
            6 => {
                // SAFETY: unsound on purpose, as above.
                let byte = unsafe {
                    let gone = block_behind_others(7);
                    libc::free(gone.sub(50).cast());
                    blocks(8, gone);
                    std::hint::black_box(gone).read_volatile()
                };
                assert_eq!(byte, 7, "as another block has it");
            }
            7 => {
                // SAFETY: unsound on purpose, as above.
                let byte = unsafe {
                    let gone = block_behind_others(7);
                    libc::free(gone.sub(50).cast());
                    let Some(other) = blocks(8, gone) else { return };
                    libc::free(std::hint::black_box(gone).sub(50).cast());
                    blocks(9, gone);
                    other.read_volatile()
                };
                assert_eq!(byte, 8, "two have one block");
            }
            _ => {}
        }
    }

    /// A block that the allocator returns unchanged when it is freed and requested again. The
    /// allocator keeps a few free blocks of each size for each thread. It may join others with
    /// their neighbours. The blocks before this one take what it keeps, so that it keeps this one.
    fn block_behind_others(byte: u8) -> *mut u8 {
        for _ in 0..64 {
            std::hint::black_box(block(0));
        }
        block(byte)
    }

    /// A block with a byte in its middle. Few blocks have this size.
    fn block(byte: u8) -> *mut u8 {
        // SAFETY: the block has 1,009 bytes, and the byte at 50 is inside it.
        unsafe {
            let middle = libc::malloc(1009).cast::<u8>().add(50);
            middle.write_volatile(byte);
            middle
        }
    }

    /// Allocates blocks until one of them is `gone`. The allocator may return many others before it
    /// reuses a block that was freed just now.
    fn blocks(byte: u8, gone: *mut u8) -> Option<*mut u8> {
        (0..10_000).map(|_| block(byte)).find(|block| *block == gone)
    }

    fn failure(executor: &mut Isolated, byte: u8) -> Failed {
        match run_fresh(executor, &[byte], Runs::Alone) {
            Run::Failed(failed) => failed,
            run => panic!("byte {byte} has to fail: {run:?}"),
        }
    }

    #[test]
    #[cfg(target_env = "gnu")]
    fn damage_is_distinguished_from_other_failures() {
        let mut executor = Isolated::running(property);
        for (byte, sign, damages) in [
            (1, SignOfDamage::None, false),
            (2, SignOfDamage::None, false),
            (3, SignOfDamage::Pointer, true),
            (4, SignOfDamage::Heap, true),
            (5, SignOfDamage::None, true),
            (6, SignOfDamage::None, true),
            (7, SignOfDamage::None, true),
        ] {
            let failed = failure(&mut executor, byte);
            assert_eq!(
                (failed.sign_of_damage, is_damaging(&mut executor, &[byte], &failed)),
                (sign, damages),
                "{byte}: {failed:?}"
            );
        }
        assert_eq!(failure(&mut executor, 4).id, crate::failure::deaths::heap_damage(""));
    }

    #[test]
    #[cfg(target_env = "gnu")]
    fn the_first_damage_has_its_own_id_and_later_damage_shares_one_id() {
        let (mut executor, mut damage) = (Isolated::running(property), MemoryDamage::new(false));
        let mut settle = |failed: Failed, byte| {
            damage.settle(|| Some(&mut executor), &[byte], failed, |_| false)
        };
        let failures: Vec<Failed> =
            (1..=5).map(|byte| failure(&mut Isolated::running(property), byte)).collect();
        let [panic, null, pointer, heap, freed] = &failures[..] else { unreachable!() };
        assert!(matches!(settle(panic.clone(), 1), Settled::Bug(failed) if failed.id == panic.id));
        assert!(matches!(settle(freed.clone(), 5), Settled::Bug(failed) if failed.id == freed.id));
        let all = catch_all();
        assert!(matches!(settle(pointer.clone(), 3), Settled::Damage(failed) if failed.id == all));
        assert!(matches!(settle(heap.clone(), 4), Settled::Bug(failed) if failed.id == heap.id));
        // The input does not fail alone.
        assert!(matches!(settle(panic.clone(), 0), Settled::Innocent(failed) if failed.id == all));
        // The input fails alone, but in another way than before.
        assert!(matches!(settle(panic.clone(), 2), Settled::Bug(failed) if failed.id == null.id));
    }

    #[test]
    fn without_a_sign_of_damage_a_panic_keeps_its_id() {
        let (mut executor, mut damage) = (Isolated::running(property), MemoryDamage::new(false));
        let panic = failure(&mut executor, 1);
        let settled = damage.settle(|| Some(&mut executor), &[0], panic.clone(), |_| false);
        assert!(matches!(settled, Settled::Bug(failed) if failed.id == panic.id));
    }
}

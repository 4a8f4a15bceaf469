//! The life of a worker: it serves requests one after another, until one of them ends it.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use dwindle_engine::TestCase;
use dwindle_engine::internals::Explorer;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::shrink::Candidate;

use super::bell::Waiter;
use super::drawn::Drawn;
use super::fork_server::Requests;
use super::formatted::Formatter;
use super::freed::Allocator;
use super::shared::{Area, Shared};
use super::stack::Stack;
use super::transcript;
use super::wire::Reader;
use super::{covered, death, leaks, sanitizer};
use crate::execution::Line;
use crate::execution::{Freed, InProcess, Run};
use crate::failure::panics;

/// The kinds of requests. The first byte of a request is its kind.
pub(super) mod op {
    /// An input follows. The worker runs it and records its choices.
    pub(crate) const INPUT: u8 = 0;
    /// An input follows. The worker also writes a transcript.
    pub(crate) const TRANSCRIBED: u8 = 1;
    /// The maximum number of choices, whether there is a seed, the seed and the values follow.
    pub(crate) const CHOICES: u8 = 2;
    /// Nothing follows, and the worker runs nothing.
    pub(crate) const NOTHING: u8 = 3;
    /// Nothing follows. The worker exits, and the answer is that it died.
    pub(crate) const LEAVE: u8 = 4;
    /// The seed of a run, the first case and the number of cases follow. The worker stops at the
    /// first case that fails.
    pub(crate) const RANDOM: u8 = 5;
    /// An input follows. The worker runs it without recording choices.
    pub(crate) const UNRECORDED: u8 = 6;
}

/// How many cases of a random run are new. After them the explorer also changes the cases with the
/// best scores.
const WARM_UP: u64 = 1000;

/// The values that a worker keeps from request to request.
#[derive(Default)]
struct Kept {
    values: Vec<Value>,
    /// The explorer of the current random run. A worker that dies loses its best cases, so the next
    /// worker begins with new ones.
    explorer: Option<Explorer>,
}

/// The requests to this worker, and its number. Empty in processes that are not workers.
static ME: OnceLock<(&'static Requests, u32)> = OnceLock::new();

/// The last action of a worker. The next worker may begin before the system has removed this
/// process.
fn last_word() {
    if let Some((header, number)) = ME.get() {
        header.hand_over(*number);
    }
}

/// Waits for the turn of this worker. Then serves requests for as long as the process lives.
pub(super) fn work(
    shared: &'static Shared<Requests>,
    executor: &mut InProcess<fn(&mut TestCase)>,
    number: u32,
) -> ! {
    let header = shared.header();
    let (mut kept, mut input) = (Kept::default(), Vec::new());
    let mut allocator = Allocator::default();
    let mut waiter = Waiter::default();
    let _ = ME.set((header, number));
    let mut stack = Stack::wide();
    death::record_in(shared, &header.records, last_word);
    // SAFETY: this is the only `Drawn` in the process. Other workers write only after this one's
    // death or before its turn.
    executor.driver.follow(unsafe { Drawn::new(shared) });
    wait_for_turn(header, number);
    header.worker.store(crate::system::process::id(), Ordering::Release);
    loop {
        let answered = header.answer.get();
        let request = header.request.get();
        if request == answered {
            waiter.wait(&header.request, request, None);
            continue;
        }
        if let Some(stack) = &mut stack {
            stack.make(header.room());
        }
        sanitizer::watch_returned_frames(!header.frames_unwatched.load(Ordering::Acquire));
        shared.read_into(Area::Request, &mut input);
        allocator.treat(Freed::from_number(header.freed.load(Ordering::Acquire)));
        let mut take = || {
            shared.clear(Area::Transcript);
            shared.clear(Area::Drawn);
            if header.edges_wanted.load(Ordering::Acquire) {
                covered::begin(shared);
            }
            let run = take(shared, executor, &mut Reader::new(&input), &mut kept);
            covered::end();
            run.unwrap_or(Run::Overrun)
        };
        let run = if header.leaks_fail.load(Ordering::Acquire) {
            // A caught panic may leave memory behind. So a failed run is not checked for leaks.
            let (run, leak) =
                leaks::watched(take, |run| !matches!(run, Run::Failed(_) | Run::Misused(_)));
            if let Some(addresses) = leak {
                death::die_of_leak(&addresses);
            }
            run
        } else {
            take()
        };
        // SAFETY: the client reads the area only after the answer is there.
        let mut writer = unsafe { shared.write(Area::Answer) };
        writer.run(&run);
        writer.publish();
        header.died.store(false, Ordering::Release);
        header.answer.set(request);
    }
}

fn wait_for_turn(header: &Requests, number: u32) {
    loop {
        let turn = header.turn.get();
        if turn == number {
            break;
        }
        header.turn.wait(turn, None);
    }
}

fn take(
    shared: &'static Shared<Requests>,
    executor: &mut InProcess<fn(&mut TestCase)>,
    reader: &mut Reader<'_>,
    kept: &mut Kept,
) -> Option<Run> {
    let op = reader.byte()?;
    let frames_wanted =
        op == op::TRANSCRIBED || shared.header().frames_wanted.load(Ordering::Acquire);
    if op == op::NOTHING {
        return Some(Run::Passed);
    }
    if op == op::LEAVE {
        crate::system::process::leave(0);
    }
    if op == op::RANDOM {
        let (seed, first, count) = (reader.number()?, reader.number()?, reader.number()?);
        if kept.explorer.as_ref().is_none_or(|explorer| explorer.seed() != seed) {
            kept.explorer = Some(Explorer::new(seed, WARM_UP));
        }
        let explorer = kept.explorer.as_mut()?;
        let mut run = Run::Passed;
        for case in first..first + count {
            shared.header().cases.store(case - first + 1, Ordering::Release);
            run = death::watched(|| executor.run_random(explorer, case));
            shared.header().rejections.count(&run, &executor.driver);
            if let Run::Failed(_) | Run::Misused(_) = run {
                break;
            }
        }
        return Some(run);
    }
    if op == op::CHOICES {
        let choices_max = reader.number()? as usize;
        let is_seeded = reader.byte()? != 0;
        let seed = Some(reader.number()?).filter(|_| is_seeded);
        let values = &mut kept.values;
        values.clear();
        reader.values(values)?;
        let candidate = Candidate { values, seed };
        let mut run = || death::watched(|| executor.run_replay(candidate, choices_max));
        return Some(if frames_wanted { panics::with_frames(run) } else { run() });
    }
    let input = reader.string()?;
    if op == op::TRANSCRIBED {
        // SAFETY: the area belongs to the worker until the answer, and only this listener writes to
        // it.
        let mut writer = unsafe { shared.write(Area::Transcript) };
        let mut formatter = Formatter::default();
        executor.driver.listen(Some(Box::new(move |event| {
            transcript::write(&mut writer, &Line::of(event, &mut formatter));
            if writer.written().is_some() {
                writer.publish();
            }
        })));
    }
    let mut run = || {
        death::watched(|| {
            if op == op::UNRECORDED {
                executor.run_bytes(input)
            } else {
                executor.run_recorded(input)
            }
        })
    };
    let run = if frames_wanted { panics::with_frames(run) } else { run() };
    executor.driver.listen(None);
    shared.header().rejections.count(&run, &executor.driver);
    Some(run)
}

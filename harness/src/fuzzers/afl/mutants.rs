//! Mutations of choices, beside AFL++'s own mutations of bytes.
//!
//! afl-fuzz loads a small library, `tools/src/afl/mutator.rs` in the repository, that asks this
//! process for all mutants of one input at once. The process is a fork of the fork server. It runs
//! the input in a worker, with a record, and keeps its parts. The operators of the engine
//! (`engine/src/mutation`) make the mutants.
//!
//! The engine chooses an operator or AFL++'s mutations, at least half of the time the latter. So
//! for each input there are at most as many mutants as AFL++ has made of the input before.
//!
//! Relies on AFL++: before it starts the target, it loads the library that
//! `AFL_CUSTOM_MUTATOR_LIBRARY` names. The test is `campaigns_mutate_choices` in
//! `xtask/tests/end_to_end/afl.rs`. The switch is `choice-mutations`.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, IntoRawFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dwindle_engine::internals::Trace;
use dwindle_engine::internals::mutation::{Lent, Mutator, Operator, Parent, bytewise};

use super::runtime::Map;
use crate::environment;
use crate::execution::{Executor, Run, Runs};
use crate::exit;
use crate::fuzzers::random::clock_seed;
use crate::isolation::Isolated;
use crate::switches::{self, Switch};
use crate::system::{fork, process};
use crate::target::Target;

/// The version of what goes through the socket. The library has the same.
const VERSION: u32 = 0xD317_0001;
/// How often the engine chooses what makes a mutant of an input, at least and at most.
const CHOSEN: (u32, u32) = (64, 1024);
/// The mutants of one input have about this many bytes together at most.
const SIZE_MAX: usize = 1 << 20;
/// A mutant may have this many bytes, or twice as many as the input.
const MUTANT_MAX: usize = 4096;
/// The parts of inputs take at most about this many bytes of memory.
const PARENTS_MAX: usize = 8 << 20;
/// How long an input may run. afl-fuzz waits for its mutants.
const TIME_MAX: Duration = Duration::from_millis(400);
/// This many inputs run twice. A target whose choices then differ gets no mutants.
const COMPARED: u32 = 8;

/// Starts the process that makes mutants. It ends with this process, the fork server. Does nothing
/// if afl-fuzz has not loaded the library.
pub(super) fn start(target: &'static Target) {
    let Some(socket) = environment::mutants() else { return };
    // SAFETY: the library has opened the socket for this process, and nothing else here uses it.
    // afl-fuzz keeps a copy for a fork server that it starts later.
    let socket = unsafe { UnixStream::from_raw_fd(socket) };
    if target.is_drop_in() || !Switch::ChoiceMutations.is_on() {
        return;
    }
    let parent = process::id();
    // Without this process, AFL++ makes all mutants.
    if let Ok(0) = fork::fork() {
        // The edges of this process do not count as coverage of the target.
        Map::new().hide();
        process::die_with(parent);
        let socket = process::keep_one_file(socket.into_raw_fd());
        // SAFETY: it is a copy of the socket, and the only one.
        let socket = unsafe { UnixStream::from_raw_fd(socket) };
        // An error says that afl-fuzz has ended.
        let _ = Mutants::new(target).serve(socket);
        process::leave(exit::NOTHING_FAILED)
    }
}

/// What the library says and asks.
struct Request {
    number: u32,
    /// How many inputs AFL++ has run itself since the last request.
    executions: u32,
    /// How many of those it has put in its queue.
    finds: u32,
    /// How many mutants of the last answer it has run.
    used: u32,
    /// The places of those that it has put in its queue.
    kept: Vec<u32>,
    input: Vec<u8>,
}

impl Request {
    fn read(from: &mut impl Read) -> io::Result<Request> {
        let [number, executions, finds, used, kept, length] = numbers(from)?;
        let kept = (0..kept).map(|_| numbers(from).map(|[place]| place));
        let kept = kept.collect::<io::Result<_>>()?;
        let mut input = vec![0; length as usize];
        from.read_exact(&mut input)?;
        Ok(Request { number, executions, finds, used, kept, input })
    }
}

fn numbers<const COUNT: usize>(from: &mut impl Read) -> io::Result<[u32; COUNT]> {
    let mut numbers = [0; COUNT];
    for number in &mut numbers {
        let mut bytes = [0; 4];
        from.read_exact(&mut bytes)?;
        *number = u32::from_ne_bytes(bytes);
    }
    Ok(numbers)
}

/// A message to the library.
fn message(request: u32, mutants: &[Vec<u8>]) -> Vec<u8> {
    let length: usize = mutants.iter().map(|mutant| 4 + mutant.len()).sum();
    let mut message = Vec::with_capacity(12 + length);
    for number in [8 + length as u32, VERSION, request] {
        message.extend_from_slice(&number.to_ne_bytes());
    }
    for mutant in mutants {
        message.extend_from_slice(&(mutant.len() as u32).to_ne_bytes());
        message.extend_from_slice(mutant);
    }
    message
}

struct Mutants {
    mutator: Mutator,
    /// Another one for each mutant.
    seed: u64,
    /// The operators of the last answer's mutants.
    operators: Vec<Operator>,
    /// The parts of inputs. `None` for an input that has none.
    parents: HashMap<Vec<u8>, Option<Arc<Parent>>>,
    parents_size: usize,
    records: Records,
}

impl Mutants {
    fn new(target: &'static Target) -> Mutants {
        Mutants {
            mutator: Mutator::without(&switches::operators_off()),
            seed: clock_seed(),
            operators: Vec::new(),
            parents: HashMap::new(),
            parents_size: 0,
            records: Records { target, worker: None, compared: 0, are_unsteady: false },
        }
    }

    /// Answers requests until afl-fuzz has ended.
    fn serve(mut self, mut socket: UnixStream) -> io::Result<()> {
        let mut requests = io::BufReader::new(socket.try_clone()?);
        socket.write_all(&message(0, &[]))?;
        loop {
            let request = Request::read(&mut requests)?;
            self.learn(&request);
            let mutants = self.mutants(&request);
            socket.write_all(&message(request.number, &mutants))?;
        }
    }

    fn learn(&mut self, request: &Request) {
        for execution in 0..request.executions {
            self.mutator.learn(None, execution < request.finds);
        }
        for (place, operator) in (0..request.used).zip(self.operators.drain(..)) {
            self.mutator.learn(Some(operator), request.kept.contains(&place));
        }
    }

    fn mutants(&mut self, request: &Request) -> Vec<Vec<u8>> {
        let Some(parent) = self.parent(&request.input) else { return Vec::new() };
        let max = MUTANT_MAX.max(2 * request.input.len());
        let mut mutants = Vec::new();
        let mut size = 0;
        for _ in 0..request.executions.saturating_mul(2).clamp(CHOSEN.0, CHOSEN.1) {
            self.seed = self.seed.wrapping_add(1);
            let Some(operator) = self.mutator.choose(self.seed) else { continue };
            // AFL++ tries constants by itself.
            let lent = Lent { bytewise: &mut bytewise(!self.seed), constants: &mut () };
            if let Some(mutant) = self.mutator.mutate(operator, &parent, lent, max) {
                size += mutant.len();
                self.operators.push(operator);
                mutants.push(mutant);
            }
            if size > SIZE_MAX {
                break;
            }
        }
        mutants
    }

    fn parent(&mut self, input: &[u8]) -> Option<Arc<Parent>> {
        if let Some(known) = self.parents.get(input) {
            return known.clone();
        }
        let parent = self.records.record(input).map(Arc::new);
        if let Some(parent) = &parent {
            self.mutator.add(parent);
        }
        self.parents_size += input.len() + parent.as_ref().map_or(0, |parent| parent.size());
        if self.parents_size > PARENTS_MAX {
            // Inputs that are still in use come back.
            self.parents.clear();
            self.parents_size = 0;
        }
        self.parents.insert(input.to_vec(), parent.clone());
        parent
    }
}

/// Runs inputs with a record.
struct Records {
    target: &'static Target,
    /// Started for the first input.
    worker: Option<Isolated>,
    compared: u32,
    /// Whether equal bytes became different choices.
    are_unsteady: bool,
}

impl Records {
    /// The parts of an input that passes. `None` if it has none, or if this target's choices cannot
    /// be mutated.
    fn record(&mut self, input: &[u8]) -> Option<Parent> {
        if self.are_unsteady {
            return None;
        }
        let trace = self.run(input)?;
        if self.compared < COMPARED {
            self.compared += 1;
            let again = self.run(input)?;
            self.are_unsteady = again.values() != trace.values();
            if self.are_unsteady {
                return None;
            }
        }
        Parent::of(&trace)
    }

    fn run(&mut self, input: &[u8]) -> Option<Trace> {
        if self.worker.is_none() {
            let mut worker = Isolated::new(self.target, environment::choices_max()).ok()?;
            worker.allow_for(Runs::Fuzzing);
            self.worker = Some(worker);
        }
        let worker = self.worker.as_mut()?;
        worker.give_up_at(Some(Instant::now() + TIME_MAX));
        let mut trace = Trace::default();
        let run = worker.run_input(input, &mut trace);
        matches!(run, Run::Passed).then_some(trace)
    }
}

//! The custom mutator that afl-fuzz loads. It gives afl-fuzz inputs that differ in whole choices.
//!
//! Only the target knows which bytes are a choice. So this library asks a process of the target,
//! `harness/src/fuzzers/afl/mutants.rs`, for all mutants of one input at once, through a socket.
//! The target inherits one end of the socket, and reads its number from `DWINDLE_MUTANTS`.
//!
//! ```text
//! greeting:  8, VERSION, 0
//! request:   number, executions, finds, used, kept, length; the places of the kept mutants; input
//! answer:    length of the rest, VERSION, number of the request; mutants, each: length, bytes
//! ```
//!
//! All numbers are `u32` in the machine's order. `executions` and `finds` are those of afl-fuzz
//! itself since the last request. `used` is how many mutants of the last answer afl-fuzz has run,
//! and `kept` how many of them it put in its queue.
//!
//! rustc compiles this file alone, see `library.rs`. So it uses only the standard library. If
//! anything goes wrong, there are no mutants, and afl-fuzz makes its own.

use std::ffi::{c_char, c_int, c_void};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// The version of what goes through the socket. `harness/src/fuzzers/afl/mutants.rs` has the same.
const VERSION: u32 = 0xD317_0001;
/// How long afl-fuzz waits for an answer. The target runs the input once or twice for it.
const PATIENCE: Duration = Duration::from_secs(1);
/// After this many requests without an answer, there are no more requests.
const UNANSWERED_MAX: u32 = 3;

unsafe extern "C" {
    /// A copy of a file descriptor that a program started from here inherits.
    safe fn dup(file: c_int) -> c_int;
}

/// What this library knows.
#[derive(Debug)]
struct Mutator {
    /// `None` if there are no mutants.
    socket: Option<UnixStream>,
    /// What came through the socket and is not a whole message yet.
    received: Vec<u8>,
    is_greeted: bool,
    requests: u32,
    unanswered: u32,
    mutants: Vec<Vec<u8>>,
    /// The mutant that afl-fuzz has taken last, with room after it.
    given: Vec<u8>,
    /// How many of the mutants afl-fuzz has taken.
    used: usize,
    /// The places of the mutants that afl-fuzz has put in its queue.
    kept: Vec<u32>,
    /// Whether the last execution, or the next one, is that of the last mutant taken.
    runs_mutant: Runs,
    executions: u32,
    finds: u32,
}

/// Whether a mutant of this library runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runs {
    /// It will.
    Next,
    /// It has, and afl-fuzz has not run another input yet.
    Done,
    /// No.
    No,
}

impl Mutator {
    fn new(socket: Option<UnixStream>) -> Mutator {
        Mutator {
            socket,
            received: Vec::new(),
            is_greeted: false,
            requests: 0,
            unanswered: 0,
            mutants: Vec::new(),
            given: Vec::new(),
            used: 0,
            kept: Vec::new(),
            runs_mutant: Runs::No,
            executions: 0,
            finds: 0,
        }
    }

    /// Gets the mutants of an input, and returns how many there are.
    fn ask(&mut self, input: &[u8]) -> usize {
        let is_answered = self.request(input).is_some();
        if !is_answered {
            self.mutants.clear();
        }
        (self.used, self.kept, self.executions, self.finds) = (0, Vec::new(), 0, 0);
        self.mutants.len()
    }

    fn request(&mut self, input: &[u8]) -> Option<()> {
        if !self.is_greeted {
            self.receive(Duration::from_micros(1))?;
            self.is_greeted = self.message().is_some();
            if !self.is_greeted {
                return None;
            }
        }
        self.requests += 1;
        let mut request = Vec::with_capacity(24 + 4 * self.kept.len() + input.len());
        let (kept, length) = (self.kept.len() as u32, u32::try_from(input.len()).ok()?);
        let numbers = [self.requests, self.executions, self.finds, self.used as u32, kept, length];
        for number in numbers.iter().chain(&self.kept) {
            request.extend_from_slice(&number.to_ne_bytes());
        }
        request.extend_from_slice(input);
        if self.socket.as_mut()?.write_all(&request).is_err() {
            self.socket = None;
        }
        let until = Instant::now() + PATIENCE;
        loop {
            while let Some((number, mutants)) = self.message() {
                if number == self.requests {
                    (self.mutants, self.unanswered) = (mutants, 0);
                    return Some(());
                }
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                self.unanswered += 1;
                if self.unanswered == UNANSWERED_MAX {
                    self.socket = None;
                }
                return None;
            }
            self.receive(left)?;
        }
    }

    /// Takes the next whole message out of what was received: the number of its request, and its
    /// mutants. A message of another version ends the conversation.
    fn message(&mut self) -> Option<(u32, Vec<Vec<u8>>)> {
        let mut rest = self.received.as_slice();
        let message = prefixed(&mut rest)?;
        let parsed = parsed(message);
        let left = rest.len();
        self.received.drain(..self.received.len() - left);
        if parsed.is_none() {
            self.socket = None;
        }
        parsed
    }

    /// Waits for bytes.
    fn receive(&mut self, patience: Duration) -> Option<()> {
        let socket = self.socket.as_mut()?;
        let mut bytes = [0; 1 << 13];
        socket.set_read_timeout(Some(patience)).ok()?;
        match socket.read(&mut bytes) {
            Ok(0) => self.socket = None,
            Ok(count) => self.received.extend_from_slice(&bytes[..count]),
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
                ) => {}
            Err(_) => self.socket = None,
        }
        self.socket.as_ref().map(drop)
    }

    /// The next mutant, and its length. afl-fuzz has found fields in the input that hold a length.
    /// It writes them into the mutant, at their places in the input, of `length` bytes. So there is
    /// room for all of them.
    fn next_mutant(&mut self, length: usize) -> (&mut [u8], usize) {
        self.given.clear();
        if let Some(mutant) = self.mutants.get(self.used) {
            self.given.extend_from_slice(mutant);
            self.used += 1;
            self.runs_mutant = Runs::Next;
        }
        let count = self.given.len();
        self.given.resize(count.max(length) + 1, 0);
        (&mut self.given, count)
    }

    fn has_run(&mut self) {
        self.runs_mutant = match self.runs_mutant {
            Runs::Next => Runs::Done,
            Runs::Done | Runs::No => {
                self.executions = self.executions.saturating_add(1);
                Runs::No
            }
        };
    }

    fn has_kept(&mut self) {
        if self.runs_mutant == Runs::Done {
            self.kept.push(self.used as u32 - 1);
            self.runs_mutant = Runs::No;
        } else {
            self.finds = self.finds.saturating_add(1);
        }
    }
}

/// The number of a request and the mutants for it. `None` if the message has another form.
fn parsed(mut message: &[u8]) -> Option<(u32, Vec<Vec<u8>>)> {
    if number(&mut message)? != VERSION {
        return None;
    }
    let request = number(&mut message)?;
    let mut mutants = Vec::new();
    while !message.is_empty() {
        mutants.push(prefixed(&mut message)?.to_vec());
    }
    Some((request, mutants))
}

/// Takes bytes with their length before them. `None` if some are missing.
fn prefixed<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let mut rest = *bytes;
    let length = number(&mut rest)? as usize;
    let (taken, rest) = rest.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_ne_bytes(*number))
}

// The functions that afl-fuzz calls. It calls them from one thread.

/// Makes the socket, before afl-fuzz starts the target.
#[unsafe(no_mangle)]
extern "C" fn afl_custom_init(_afl: *mut c_void, _seed: u32) -> *mut Mutator {
    let socket = UnixStream::pair().ok().and_then(|(ours, theirs)| {
        let inherited = dup(theirs.as_raw_fd());
        if inherited < 0 {
            return None;
        }
        ours.set_write_timeout(Some(PATIENCE)).ok()?;
        // SAFETY: afl-fuzz has one thread here.
        unsafe { std::env::set_var("DWINDLE_MUTANTS", inherited.to_string()) };
        Some(ours)
    });
    Box::into_raw(Box::new(Mutator::new(socket)))
}

/// How many mutants there are of an input.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_fuzz_count(
    mutator: *mut Mutator,
    input: *const u8,
    length: usize,
) -> u32 {
    // SAFETY: afl-fuzz passes on the result of `afl_custom_init`, and an input of this length.
    let (mutator, input) = unsafe { (&mut *mutator, std::slice::from_raw_parts(input, length)) };
    mutator.ask(input) as u32
}

/// Gives the next mutant. afl-fuzz runs it before it asks for another one.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_fuzz(
    mutator: *mut Mutator,
    _input: *const u8,
    length: usize,
    mutant: *mut *mut u8,
    _other: *const u8,
    _other_length: usize,
    max: usize,
) -> usize {
    // SAFETY: afl-fuzz passes on the result of `afl_custom_init`, and a place for an address.
    unsafe {
        let (next, count) = (*mutator).next_mutant(length);
        *mutant = next.as_mut_ptr();
        count.min(max)
    }
}

/// afl-fuzz has run an input.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_post_run(mutator: *mut Mutator) {
    // SAFETY: afl-fuzz passes on the result of `afl_custom_init`.
    unsafe { (*mutator).has_run() }
}

/// afl-fuzz has put the input that it ran last in its queue. Returns that the file is unchanged.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_queue_new_entry(
    mutator: *mut Mutator,
    _file: *const c_char,
    _parent: *const c_char,
) -> u8 {
    // SAFETY: afl-fuzz passes on the result of `afl_custom_init`.
    unsafe { (*mutator).has_kept() }
    0
}

/// Says by its name that `afl_custom_fuzz` needs no second input.
#[unsafe(no_mangle)]
extern "C" fn afl_custom_splice_optout(_mutator: *mut Mutator) {}

/// Ends the mutator.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_deinit(mutator: *mut Mutator) {
    // SAFETY: afl-fuzz passes on the result of `afl_custom_init`, for the last time.
    drop(unsafe { Box::from_raw(mutator) });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mutator, and the target's end of its socket.
    fn pair() -> (Mutator, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Mutator::new(Some(ours)), theirs)
    }

    fn message(version: u32, request: u32, mutants: &[&[u8]]) -> Vec<u8> {
        let mut rest = [version.to_ne_bytes(), request.to_ne_bytes()].concat();
        for mutant in mutants {
            rest.extend((mutant.len() as u32).to_ne_bytes());
            rest.extend(*mutant);
        }
        [&(rest.len() as u32).to_ne_bytes()[..], &rest].concat()
    }

    #[test]
    fn no_target_means_no_mutants() {
        let (mut mutator, _target) = pair();
        assert_eq!(mutator.ask(b"input"), 0);
        assert_eq!(Mutator::new(None).ask(b"input"), 0);
        let (mut alone, target) = pair();
        drop(target);
        assert_eq!(alone.ask(b"input"), 0);
    }

    #[test]
    fn the_target_answers_with_mutants() {
        let (mut mutator, mut target) = pair();
        target.write_all(&message(VERSION, 0, &[])).unwrap();
        // An answer to an earlier request came too late, and this one comes in two pieces.
        target.write_all(&message(VERSION, 7, &[b"late"])).unwrap();
        let answer = message(VERSION, 1, &[b"one", b"", b"three"]);
        target.write_all(&answer[..15]).unwrap();
        let rest = answer[15..].to_vec();
        let mut other = target.try_clone().unwrap();
        let writer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            other.write_all(&rest).unwrap();
        });
        assert_eq!(mutator.ask(b"input"), 3);
        writer.join().unwrap();
        let mut next = || {
            let (mutant, count) = mutator.next_mutant(4);
            (mutant[..count].to_vec(), mutant.len())
        };
        let taken: Vec<(Vec<u8>, usize)> = (0..4).map(|_| next()).collect();
        let words = [(&b"one"[..], 5), (b"", 5), (b"three", 6), (b"", 5)];
        assert_eq!(taken, words.map(|(mutant, room)| (mutant.to_vec(), room)));
        let mut request = [0; 29];
        target.read_exact(&mut request).unwrap();
        assert_eq!(request[..4], 1u32.to_ne_bytes());
        assert_eq!(request[20..24], 5u32.to_ne_bytes());
        assert_eq!(request[24..], *b"input");
    }

    #[test]
    fn another_version_has_no_mutants() {
        let (mut mutator, mut target) = pair();
        target.write_all(&message(VERSION + 1, 0, &[])).unwrap();
        assert_eq!(mutator.ask(b"input"), 0);
        assert!(mutator.socket.is_none(), "a second request is not worth its time");
    }

    #[test]
    fn a_target_that_does_not_answer_is_not_asked_again() {
        let (mut mutator, mut target) = pair();
        target.write_all(&message(VERSION, 0, &[])).unwrap();
        for _ in 0..UNANSWERED_MAX {
            assert!(mutator.socket.is_some());
            assert_eq!(mutator.ask(b"input"), 0);
        }
        assert!(mutator.socket.is_none());
    }

    #[test]
    fn what_afl_fuzz_keeps_belongs_to_the_input_that_it_ran_last() {
        let (mut mutator, _target) = pair();
        mutator.mutants = vec![b"one".to_vec(), b"two".to_vec(), b"three".to_vec()];
        // The first one is not kept, the second one is. Calibration runs it again.
        mutator.next_mutant(1);
        mutator.has_run();
        mutator.next_mutant(1);
        mutator.has_run();
        mutator.has_kept();
        mutator.has_run();
        mutator.has_run();
        mutator.next_mutant(1);
        mutator.has_run();
        // An input of afl-fuzz itself.
        mutator.has_run();
        mutator.has_kept();
        assert_eq!((mutator.used, &mutator.kept[..]), (3, &[1][..]));
        assert_eq!((mutator.executions, mutator.finds), (3, 1));
    }
}

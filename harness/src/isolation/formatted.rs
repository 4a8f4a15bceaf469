//! Formats a value that a target drew, in a separate process.
//!
//! `Debug` of a target may panic, overflow the stack, run forever, or change the value that it
//! shows. A run whose values are shown must end like the same run without them. So a forked child
//! writes the text. The process that runs the target continues unchanged.

use std::fmt::{self, Debug, Write as _};
use std::fs::File;
use std::io::{self, Read, Write as _};
use std::os::fd::{AsRawFd, FromRawFd};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::time::{Duration, Instant};

use super::death;
use crate::execution::Texts;
use crate::exit::formatter;
use crate::system::fork;
use crate::system::{children, process};

/// The time limit for one value.
const TIME_MAX: Duration = Duration::from_secs(2);
/// The maximum number of bytes that the parent reads of one value.
const BYTES_MAX: usize = 32 << 20;
/// The maximum number of values shown of one run. Each value costs a fork: 0.2 ms, or 1 ms with a
/// sanitizer.
const VALUES_MAX: usize = 4096;

/// Formats the values of one run.
#[derive(Debug, Default)]
pub(crate) struct Formatter {
    values: usize,
}

impl Texts for Formatter {
    fn value(&mut self, value: &dyn Debug) -> String {
        self.text(value)
    }

    fn note(&mut self, note: &str) -> String {
        note.to_owned()
    }
}

impl Formatter {
    /// The `Debug` text of a value. If `Debug` fails, the text begins with the reason in angle
    /// brackets. The reason comes first, because the end of a long text is cut off where it is
    /// shown.
    pub(crate) fn text(&mut self, value: &dyn Debug) -> String {
        self.values += 1;
        if self.values > VALUES_MAX {
            return format!("<not shown: the run draws more than {VALUES_MAX} values>");
        }
        match text_of(value) {
            Ok((text, None)) => text,
            Ok((text, Some(reason))) => format!("<{reason}> {text}"),
            Err(error) => format!("<not shown: {error}>"),
        }
    }
}

/// The text that the child wrote, and the reason if it is incomplete.
fn text_of(value: &dyn Debug) -> io::Result<(String, Option<String>)> {
    let (mut reads, writes) = pipe()?;
    // The target may wait for its own children. Without an exit signal, such a wait ignores this
    // child.
    let copy = fork::fork_with(0)?;
    if copy == 0 {
        drop(reads);
        write_and_end(value, writes);
    }
    drop(writes);
    let mut bytes = Vec::new();
    let ending = read_all(&mut reads, &mut bytes);
    if ending.is_some() {
        children::kill(copy);
    }
    let mut status = 0;
    // SAFETY: the pointer is to a local variable.
    while unsafe { libc::waitpid(copy, &raw mut status, libc::__WALL) } == -1
        && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
    {}
    let reason = match (ending, status) {
        (Some(reason), _) => Some(reason),
        (None, status) if libc::WIFEXITED(status) => match libc::WEXITSTATUS(status) {
            formatter::WHOLE => None,
            formatter::PANICKED => Some("its Debug panics".to_owned()),
            formatter::REFUSED => Some("its Debug returns an error".to_owned()),
            _ => Some("its Debug ends the process".to_owned()),
        },
        (None, status) => {
            Some(format!("its Debug ends the process by signal {}", libc::WTERMSIG(status)))
        }
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    Ok((text, reason))
}

fn pipe() -> io::Result<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: the pointer is to a local variable with room for two descriptors. `pipe2` returns new
    // descriptors, which nothing else owns.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((
            above_standard(File::from_raw_fd(ends[0]))?,
            above_standard(File::from_raw_fd(ends[1]))?,
        ))
    }
}

/// The same file with a descriptor above standard error. A target may have closed a standard
/// stream, and the pipe may then have its number. The child redirects its own output to
/// `/dev/null`, which would close such a pipe.
fn above_standard(file: File) -> io::Result<File> {
    if file.as_raw_fd() > libc::STDERR_FILENO {
        return Ok(file);
    }
    // SAFETY: the file is open. The code checks the descriptor before it becomes a file.
    unsafe {
        let above = libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, libc::STDERR_FILENO + 1);
        if above < 0 { Err(io::Error::last_os_error()) } else { Ok(File::from_raw_fd(above)) }
    }
}

/// Reads to the end of the file. Returns the reason if it stops earlier.
fn read_all(file: &mut File, bytes: &mut Vec<u8>) -> Option<String> {
    let began = Instant::now();
    let mut block = vec![0; 64 << 10];
    loop {
        let left = TIME_MAX.saturating_sub(began.elapsed());
        let mut waits = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: the pointer is to one `pollfd`.
        let ready = unsafe { libc::poll(&raw mut waits, 1, left.as_millis() as libc::c_int) };
        if ready == 0 && left.is_zero() {
            return Some(format!("its Debug takes longer than {} s", TIME_MAX.as_secs()));
        }
        if ready <= 0 {
            continue;
        }
        match file.read(&mut block) {
            Ok(0) => return None,
            Ok(length) => bytes.extend_from_slice(&block[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Some(error.to_string()),
        }
        if bytes.len() > BYTES_MAX {
            return Some(format!("its text has more than {} MiB", BYTES_MAX >> 20));
        }
    }
}

/// The whole life of the child: it writes the text and exits.
fn write_and_end(value: &dyn Debug, file: File) -> ! {
    leave_the_run_alone();
    set_hook(Box::new(|_| {}));
    let mut buffered = Buffered { file, bytes: Vec::with_capacity(BLOCK), sent: 0 };
    let written = catch_unwind(AssertUnwindSafe(|| write!(buffered, "{value:?}")));
    let is_sent = buffered.send();
    process::leave(match written {
        Ok(Ok(())) if is_sent => formatter::WHOLE,
        Ok(_) => formatter::REFUSED,
        Err(_) => formatter::PANICKED,
    })
}

/// Separates this process from the run. Its end leaves no record and no report, and its output is
/// discarded.
fn leave_the_run_alone() {
    death::stop_watching();
    // SAFETY: the system calls affect only this process, which has only this thread.
    unsafe {
        for signal in [
            libc::SIGSEGV,
            libc::SIGBUS,
            libc::SIGILL,
            libc::SIGFPE,
            libc::SIGTRAP,
            libc::SIGABRT,
            libc::SIGSYS,
            libc::SIGTERM,
            libc::SIGINT,
        ] {
            libc::signal(signal, libc::SIG_DFL);
        }
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        libc::dup2(nowhere, libc::STDOUT_FILENO);
        libc::dup2(nowhere, libc::STDERR_FILENO);
        libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// The size of a block that is sent at once, in bytes.
const BLOCK: usize = 16 << 10;
/// Up to this number, bytes are sent as they are written. So the beginning arrives however the
/// process ends.
const UNBUFFERED: usize = 4 << 10;

/// Sends text in blocks.
struct Buffered {
    file: File,
    bytes: Vec<u8>,
    sent: usize,
}

impl Buffered {
    fn send(&mut self) -> bool {
        let sent = self.file.write_all(&self.bytes).is_ok();
        self.sent += self.bytes.len();
        self.bytes.clear();
        sent
    }
}

impl fmt::Write for Buffered {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes.extend_from_slice(text.as_bytes());
        let waits = self.sent >= UNBUFFERED && self.bytes.len() < BLOCK;
        if waits || self.send() { Ok(()) } else { Err(fmt::Error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Odd(fn(&mut fmt::Formatter<'_>) -> fmt::Result);

    impl Debug for Odd {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Odd { ")?;
            (self.0)(f)
        }
    }

    #[test]
    fn a_process_survives_every_debug_implementation() {
        let text = |odd: Odd| Formatter::default().text(&odd);
        assert_eq!(Formatter::default().text(&vec![1; 3]), "[1, 1, 1]");
        assert_eq!(text(Odd(|_| panic!("in Debug"))), "<its Debug panics> Odd { ");
        assert_eq!(text(Odd(|_| Err(fmt::Error))), "<its Debug returns an error> Odd { ");
        assert_eq!(
            text(Odd(|_| std::process::abort())),
            "<its Debug ends the process by signal 6> Odd { "
        );
        assert_eq!(text(Odd(|_| std::process::exit(0))), "<its Debug ends the process> Odd { ");
    }

    #[test]
    fn an_endless_text_is_cut_off() {
        let text = Formatter::default().text(&Odd(|f| {
            loop {
                f.write_str("and so on, ")?;
            }
        }));
        assert!(
            text.starts_with("<its text has more than 32 MiB> Odd { and so on"),
            "{}",
            text.len()
        );
    }
}

//! The messages of a run: text for people on standard error, or events for the program that started
//! it. [`dwindle_corpus::events`] has the schema.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, OnceLock, PoisonError};

use dwindle_corpus::events::{Event, EventLine, VERSION};
use dwindle_corpus::printable;

use crate::environment;

static SOCKET: OnceLock<Option<Mutex<UnixStream>>> = OnceLock::new();

fn socket() -> Option<&'static Mutex<UnixStream>> {
    SOCKET
        .get_or_init(|| {
            let path = std::env::var_os(environment::EVENTS)?;
            let mut socket = UnixStream::connect(path).ok()?;
            send(&mut socket, &EventLine::new(Event::Schema { version: VERSION }, ""));
            Some(Mutex::new(socket))
        })
        .as_ref()
}

/// Whether a program listens to the events.
pub(crate) fn has_listener() -> bool {
    socket().is_some()
}

/// Sends `event` to the listening program. Without one, prints `text` for people, with control
/// characters escaped. A run continues after its listener has ended.
pub(crate) fn say(event: Event, text: &str) {
    let text = printable(text);
    match socket() {
        Some(socket) => send(
            &mut socket.lock().unwrap_or_else(PoisonError::into_inner),
            &EventLine::new(event, &text),
        ),
        None if text.is_empty() || environment::is_member() => {}
        None => {
            let _ = writeln!(std::io::stderr().lock(), "{text}");
        }
    }
}

/// Sends one line. The reader may be gone.
fn send(socket: &mut UnixStream, line: &EventLine) {
    let _ = socket.write_all(format!("{line}\n").as_bytes());
}

/// Reports an error in the environment, and what to do about it.
pub(crate) fn error(text: &str) {
    // The process that started this one reads the file, and repeats the last error.
    if let Some(file) = std::env::var_os(environment::ERRORS) {
        let _ = std::fs::write(file, text);
    }
    say(Event::Error, &format!("dwindle: {text}"));
}

/// Reports something that is wrong while the work goes on.
pub(crate) fn warning(text: &str) {
    say(Event::Warning, &format!("dwindle: {text}"));
}

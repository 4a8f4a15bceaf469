//! The messages of a run: text for people on standard error, or events for the program that started
//! it. Each event is one line with a JSON object.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, OnceLock, PoisonError};

use dwindle_corpus::{printable, printable_json};
use serde_json::{Value, json};

use crate::environment;

static SOCKET: OnceLock<Option<Mutex<UnixStream>>> = OnceLock::new();

fn socket() -> Option<&'static Mutex<UnixStream>> {
    SOCKET
        .get_or_init(|| {
            let path = std::env::var_os(environment::EVENTS)?;
            UnixStream::connect(path).ok().map(Mutex::new)
        })
        .as_ref()
}

/// Whether a program listens to the events.
pub(crate) fn has_listener() -> bool {
    socket().is_some()
}

/// Sends `event` to the listening program. Without one, prints `text` for people, with control
/// characters escaped. A run continues after its listener has ended.
pub(crate) fn say(name: &str, mut event: Value, text: &str) {
    let text = printable(text);
    match socket() {
        Some(socket) => {
            event["event"] = json!(name);
            event["text"] = json!(text);
            let mut line = printable_json(event.to_string());
            line.push('\n');
            let mut socket = socket.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = socket.write_all(line.as_bytes());
        }
        None if text.is_empty() => {}
        None => {
            let _ = writeln!(std::io::stderr().lock(), "{text}");
        }
    }
}

/// Reports an error in the environment, and what to do about it.
pub(crate) fn error(text: &str) {
    say("error", json!({}), &format!("dwindle: {text}"));
}

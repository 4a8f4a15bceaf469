//! What a run says: text for people on standard error, or one JSON object a line for the program that started it.

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

/// Whether a program listens.
pub(crate) fn has_listener() -> bool {
    socket().is_some()
}

/// Says something: `event` to a program that listens, else `text` to people, with control characters as escapes. A run goes on when its listener has ended.
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

/// Says what went wrong in the environment, and what to do.
pub(crate) fn error(text: &str) {
    say("error", json!({}), &format!("dwindle: {text}"));
}

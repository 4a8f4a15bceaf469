//! The session of this process, in a place where the signal thread can find it.

use std::sync::{Mutex, PoisonError};

use crate::events;
use crate::session::{Session, signals};
use crate::system::process;

static SESSION: Mutex<Option<Session>> = Mutex::new(None);

/// Makes `session` the session of this process. At the first SIGINT or SIGTERM the session ends,
/// and the process leaves with `code`.
pub(crate) fn set(session: Session, code: i32) {
    *SESSION.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
    signals::on_interrupt(code, move || {
        with(|session| {
            if let Err(error) = session.end(true) {
                events::error(&error.to_string());
            }
            // The lock on the session is held here, so that no other thread ends the run a second
            // time.
            process::leave(code)
        });
    });
}

/// Calls `act` with the session.
pub(crate) fn with<T>(act: impl FnOnce(&mut Session) -> T) -> T {
    let mut session = SESSION.lock().unwrap_or_else(PoisonError::into_inner);
    act(session.as_mut().expect("the session is set before anything else"))
}

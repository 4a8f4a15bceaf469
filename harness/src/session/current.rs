//! The session of this process, where the thread that hears signals finds it.

use std::sync::{Mutex, PoisonError};

use crate::events;
use crate::session::{Session, signals};
use crate::system::process;

static SESSION: Mutex<Option<Session>> = Mutex::new(None);

/// Makes it the session of this process. At the first SIGINT or SIGTERM it ends, and the process leaves with `code`.
pub(crate) fn set(session: Session, code: i32) {
    *SESSION.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
    signals::on_interrupt(code, move || {
        with(|session| {
            if let Err(error) = session.end(true) {
                events::error(&error.to_string());
            }
            // With the session still in hand: nobody may end the run a second time.
            process::leave(code)
        });
    });
}

/// Does something with the session.
pub(crate) fn with<T>(act: impl FnOnce(&mut Session) -> T) -> T {
    let mut session = SESSION.lock().unwrap_or_else(PoisonError::into_inner);
    act(session.as_mut().expect("the session is set before anything else"))
}

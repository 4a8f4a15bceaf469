//! The socket for events. The target binary and the processes it starts send one JSON object a
//! line, as [`dwindle_corpus::events`] says.

use anyhow::{Context, Result};
use dwindle_corpus::events::EventLine;
use std::io::{BufRead, BufReader};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use tempfile::TempDir;

/// A longer path does not fit into a Unix socket's address (108 bytes on Linux, 104 elsewhere).
const SOCKET_PATH_MAX_BYTES: usize = 100;

/// The listening end. Dropping it removes the socket's file.
#[derive(Debug)]
pub(crate) struct Socket {
    path: PathBuf,
    closing: Arc<AtomicBool>,
    _dir: TempDir,
}

impl Socket {
    /// Listens for connections and calls `on_event` from other threads.
    ///
    /// The events of one process arrive in order. After [`close`](Self::close), `on_event` is
    /// dropped when the last connection has ended.
    pub(crate) fn listen(on_event: impl Fn(EventLine) + Clone + Send + 'static) -> Result<Self> {
        let mut dir = tempfile::Builder::new()
            .prefix("dwindle-")
            .tempdir()
            .context("cannot make a temporary folder")?;
        if dir.path().as_os_str().len() > SOCKET_PATH_MAX_BYTES - "/events".len() {
            dir = tempfile::Builder::new()
                .prefix("dwindle-")
                .tempdir_in("/tmp")
                .context("cannot make a folder in /tmp")?;
        }
        let path = dir.path().join("events");
        let listener = UnixListener::bind(&path)
            .with_context(|| format!("cannot listen on {}", path.display()))?;
        let closing = Arc::new(AtomicBool::new(false));
        let last_call = Arc::clone(&closing);
        thread::spawn(move || accept(&listener, &last_call, &on_event));
        Ok(Self { path, closing, _dir: dir })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Accepts no further connections. Existing ones are read to their end.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        // Wakes the accepting thread. If this fails, the thread has already ended.
        let _ = UnixStream::connect(&self.path);
    }
}

fn accept(
    listener: &UnixListener,
    closing: &AtomicBool,
    on_event: &(impl Fn(EventLine) + Clone + Send + 'static),
) {
    while let Ok((stream, _)) = listener.accept() {
        let on_event = on_event.clone();
        thread::spawn(move || read(stream, &on_event));
        if closing.load(Ordering::SeqCst) && listener.set_nonblocking(true).is_err() {
            return;
        }
    }
}

fn read(stream: UnixStream, on_event: &impl Fn(EventLine)) {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    // A reset connection ends like a closed one: all complete lines have been passed on.
    while let Ok(1..) = reader.read_until(b'\n', &mut line) {
        if let Some(event) = EventLine::read(&line) {
            on_event(event);
        }
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle_corpus::events::{Event, Heartbeat};
    use std::io::Write;
    use std::sync::mpsc;

    #[test]
    fn a_line_torn_by_a_kill_is_dropped_and_the_lines_before_it_are_not() {
        let (sender, receiver) = mpsc::channel();
        let socket = Socket::listen(move |event| sender.send(event).unwrap()).unwrap();
        let mut stream = UnixStream::connect(socket.path()).unwrap();
        stream
            .write_all(
                b"{\"event\":\"heartbeat\",\"executions\":7}\nnoise\n[1]\n{\"no\":1}\n{\"event\":\"bu",
            )
            .unwrap();
        drop(stream);
        socket.close();
        let events: Vec<_> = receiver.iter().collect();
        let [event] = &events[..] else { panic!("{events:?}") };
        let beat = Heartbeat { executions: 7, ..Heartbeat::default() };
        assert_eq!(event.event(), Some(&Event::Heartbeat(beat)));
    }

    #[test]
    fn closing_waits_for_every_connection_made_before() {
        let (sender, receiver) = mpsc::channel();
        let socket = Socket::listen(move |event| sender.send(event).unwrap()).unwrap();
        let mut streams: Vec<_> =
            (0..8).map(|_| UnixStream::connect(socket.path()).unwrap()).collect();
        socket.close();
        for stream in &mut streams {
            stream.write_all(b"{\"event\":\"note\"}\n").unwrap();
        }
        drop(streams);
        assert_eq!(receiver.iter().count(), 8);
    }
}

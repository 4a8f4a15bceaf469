//! A command in a terminal: a pseudoterminal with an emulation that knows what is on the screen.

use std::io::{Read, Write};
use std::num::NonZero;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::processes::{PATIENCE, wait_until};

/// A command that runs in a terminal.
pub(crate) struct Terminal {
    parser: Arc<Mutex<vt100::Parser>>,
    child: Box<dyn Child + Send + Sync>,
    master: Option<Box<dyn MasterPty + Send>>,
    keys: Option<Box<dyn Write + Send>>,
    reader: Option<JoinHandle<()>>,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Of a command that has ended, nothing is left to kill.
        let _ = self.child.kill();
    }
}

fn size(rows: u16, columns: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

impl Terminal {
    /// Starts a command in a terminal of this many rows and columns.
    pub(crate) fn start(command: &Command, rows: u16, columns: u16) -> Terminal {
        let pair = native_pty_system().openpty(size(rows, columns)).unwrap();
        let mut builder = CommandBuilder::new(command.get_program());
        builder.args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => builder.env(name, value),
                None => builder.env_remove(name),
            }
        }
        builder.env("TERM", "xterm-256color");
        builder.cwd(command.get_current_dir().unwrap());
        let child = pair.slave.spawn_command(builder).unwrap();
        let parser = Arc::new(Mutex::new(vt100::Parser::new(cells(rows), cells(columns), 0)));
        let (mut output, screen) = (pair.master.try_clone_reader().unwrap(), Arc::clone(&parser));
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            // When the last process of the terminal has ended, reading fails.
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                screen.lock().unwrap().process(&bytes[..count]);
            }
        });
        let keys = Some(pair.master.take_writer().unwrap());
        let (master, reader) = (Some(pair.master), Some(reader));
        Terminal { parser, child, master, keys, reader }
    }

    /// What is on the screen.
    pub(crate) fn text(&self) -> String {
        self.parser.lock().unwrap().screen().contents()
    }

    /// The rows of the screen.
    pub(crate) fn rows(&self) -> Vec<String> {
        let parser = self.parser.lock().unwrap();
        let (_, columns) = parser.screen().size();
        parser.screen().rows(0, columns.get()).collect()
    }

    /// Waits until the screen is as wanted.
    #[track_caller]
    pub(crate) fn await_screen(&self, what: &str, is_so: impl Fn(&str) -> bool) {
        let start = Instant::now();
        while !is_so(&self.text()) {
            let text = self.text();
            assert!(start.elapsed() < PATIENCE, "waited in vain: {what}, on the screen:\n{text}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the screen has these words.
    #[track_caller]
    pub(crate) fn await_words(&self, words: &str) {
        self.await_screen(words, |text| text.contains(words));
    }

    /// Types some keys.
    pub(crate) fn press(&mut self, keys: &str) {
        let input = self.keys.as_mut().unwrap();
        input.write_all(keys.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Gives the terminal another size.
    pub(crate) fn resize(&mut self, rows: u16, columns: u16) {
        self.parser.lock().unwrap().screen_mut().set_size(cells(rows), cells(columns));
        self.master.as_ref().unwrap().resize(size(rows, columns)).unwrap();
    }

    /// Waits for the end of the command. Returns its exit code and what the screen shows then.
    #[track_caller]
    pub(crate) fn end(mut self) -> (u32, String) {
        let mut status = None;
        wait_until("the command ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        drop((self.master.take(), self.keys.take()));
        self.reader.take().unwrap().join().unwrap();
        let parser = self.parser.lock().unwrap();
        let screen = parser.screen();
        assert!(!screen.alternate_screen(), "the terminal is not restored");
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        (status.unwrap().exit_code(), screen.contents())
    }
}

//! The record of a run's last moments. A signal handler writes it stage by stage, and the parent
//! reads it.
//!
//! The handler publishes each stage before it begins the next one. If the handler is killed in the
//! middle, the published stages remain. The first stage says why the process died. It needs only
//! registers and [notes](super::note).

use super::wire::{Reader, Writer};
use crate::failure::deaths::{Death, DeathCause};
use crate::failure::panics::Panic;

/// Why a record was written. The cause is the first byte of the record.
pub(super) mod cause {
    pub(crate) const SIGNAL: u8 = 0;
    pub(crate) const SANITIZER: u8 = 1;
    pub(crate) const EXIT: u8 = 2;
    pub(crate) const SAMPLE: u8 = 3;
    pub(crate) const LEAK: u8 = 4;
    pub(crate) const OVERFLOW: u8 = 5;
    /// A `SIGSEGV` or `SIGBUS` other than an access through a null pointer.
    pub(crate) const WILD: u8 = 6;
}

/// The kind of a stack in a record. A reader skips stacks of a kind that it does not know.
mod stack {
    /// The stack of the thread that died.
    pub(crate) const DIED: u8 = 0;
    /// The stack of the call that freed a block that was used afterwards.
    pub(crate) const FREED: u8 = 1;
}

/// Writes the first stage, except the bug key and the panic. Those two are copied from notes.
pub(super) fn write_cause(writer: &mut Writer<'_>, cause: u8, number: u64, error: &[u8]) {
    writer.byte(cause);
    writer.number(number);
    writer.string(error);
}

/// Writes a later stage: the stack of the thread that died.
pub(super) fn write_stack(writer: &mut Writer<'_>, addresses: &[usize]) {
    writer.byte(stack::DIED);
    writer.addresses(addresses);
}

/// Writes another later stage: the stack of the call that freed the block.
pub(super) fn write_freed(writer: &mut Writer<'_>, addresses: &[usize]) {
    writer.byte(stack::FREED);
    writer.addresses(addresses);
}

/// Writes a panic in at most `size` bytes. A long message is cut off.
pub(super) fn write_panic(writer: &mut Writer<'_>, size: usize, panic: &Panic) {
    writer.panic_place(&panic.place);
    writer.addresses(&panic.addresses);
    let room = size.saturating_sub(writer.written().unwrap_or(size) + size_of::<u64>());
    writer.string(&panic.message.as_bytes()[..panic.message.floor_char_boundary(room)]);
}

/// Reads a record from a copy of its published bytes. `None` if the bytes do not say why the
/// process died.
pub(super) fn read(bytes: &[u8]) -> Option<Death> {
    let mut reader = Reader::new(bytes);
    let cause = reader.byte()?;
    let number = reader.number()?;
    let (error, bug_key) = (reader.text()?, reader.text()?);
    let panic = reader.string()?;
    let panic = if panic.is_empty() { None } else { read_panic(&mut Reader::new(panic)) };
    let is_wild = cause == cause::WILD;
    let cause = match cause {
        cause::SIGNAL | cause::WILD => DeathCause::Signal(number as i32),
        cause::OVERFLOW => DeathCause::StackOverflow,
        cause::SANITIZER => DeathCause::Sanitizer,
        cause::EXIT => DeathCause::Exit(number as i32),
        cause::SAMPLE => DeathCause::Time,
        cause::LEAK => DeathCause::Leak,
        _ => return None,
    };
    let (mut stacks, mut freed) = (Vec::new(), Vec::new());
    while let Some(of) = reader.byte() {
        let Some(addresses) = reader.addresses() else { break };
        match of {
            stack::DIED => stacks.push(addresses),
            stack::FREED => freed = addresses,
            _ => {}
        }
    }
    Some(Death { cause, stacks, is_wild, freed, error, bug_key, panic })
}

fn read_panic(reader: &mut Reader<'_>) -> Option<Panic> {
    let place = reader.panic_place()?;
    let addresses = reader.addresses()?;
    Some(Panic { message: reader.text()?, place, addresses })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::panics::Place;

    fn panic(message: &str) -> Panic {
        Panic {
            message: message.to_owned(),
            place: Place { file: "src/lib.rs".into(), line: 3, column: 7 },
            addresses: vec![1, 2],
        }
    }

    fn first_stage(writer: &mut Writer<'_>) {
        let mut memory = [0; 256];
        let mut note = Writer::new(&mut memory);
        write_panic(&mut note, 256, &panic("before the end"));
        let length = note.written().unwrap();
        write_cause(writer, cause::SIGNAL, libc::SIGABRT as u64, b"");
        writer.string(b"the key");
        writer.string(&memory[..length]);
    }

    #[test]
    fn a_record_without_its_later_stages_is_a_record() {
        let mut memory = [0; 1024];
        let mut writer = Writer::new(&mut memory);
        first_stage(&mut writer);
        let first = writer.written().unwrap();
        write_stack(&mut writer, &[10, 20, 30]);
        let all = writer.written().unwrap();
        let death = Death {
            cause: DeathCause::Signal(libc::SIGABRT),
            stacks: vec![vec![10, 20, 30]],
            is_wild: false,
            freed: Vec::new(),
            error: String::new(),
            bug_key: "the key".to_owned(),
            panic: Some(panic("before the end")),
        };
        assert_eq!(read(&memory[..all]), Some(death.clone()));
        for cut in first..all {
            assert_eq!(read(&memory[..cut]), Some(Death { stacks: Vec::new(), ..death.clone() }));
        }
        for cut in 0..first {
            assert_eq!(read(&memory[..cut]), None);
        }
    }

    #[test]
    fn a_stack_of_an_unknown_kind_is_left_out() {
        let mut memory = [0; 1024];
        let mut writer = Writer::new(&mut memory);
        first_stage(&mut writer);
        writer.byte(200);
        writer.addresses(&[1]);
        write_stack(&mut writer, &[2]);
        let length = writer.written().unwrap();
        assert_eq!(read(&memory[..length]).unwrap().stacks, [[2]]);
    }

    #[test]
    fn a_long_message_is_cut_off_between_characters() {
        let mut memory = [0; 128];
        let mut writer = Writer::new(&mut memory);
        write_panic(&mut writer, 128, &panic(&"ä".repeat(1000)));
        let length = writer.written().unwrap();
        let read = read_panic(&mut Reader::new(&memory[..length])).unwrap();
        assert!(
            length > 120 && read.message.len() > 20 && read.message.chars().all(|c| c == 'ä'),
            "{read:?}"
        );
    }

    #[test]
    fn every_exit_code_is_recorded() {
        for code in [0, 1, -1, 256, i32::MIN] {
            let mut memory = [0; 64];
            let mut writer = Writer::new(&mut memory);
            write_cause(&mut writer, cause::EXIT, code as u64, b"");
            writer.string(b"");
            writer.string(b"");
            assert_eq!(read(&memory).unwrap().cause, DeathCause::Exit(code));
        }
    }
}

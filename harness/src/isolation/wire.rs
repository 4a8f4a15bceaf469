//! Encodes choices, traces and failures as bytes, for another process that runs the same program.
//!
//! A [`Writer`] allocates nothing, so that it can write in a signal handler.

mod writer;
mod reader;

pub(crate) use self::reader::Reader;
pub(crate) use self::writer::Writer;

/// Comes before an alphabet or shares that were not written before. [`ANY`] is the tag of the
/// alphabet of every character, and of equal shares.
const NEW: u8 = 0xFE;
const ANY: u8 = 0xFF;
/// Entries of a record other than choices. The entry of a choice begins with the tag of its value.
const OPENED: u8 = 0x10;
const CLOSED: u8 = 0x11;
const DISCARDED: u8 = 0x12;

/// How a run ended. A failure or a description of the misuse follows.
mod end {
    pub(super) const OVERRUN: u8 = 0;
    pub(super) const REJECTED: u8 = 1;
    pub(super) const PASSED: u8 = 2;
    pub(super) const FAILED: u8 = 3;
    pub(super) const MISUSED: u8 = 4;
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::{Arc, Mutex};

    use dwindle_corpus::BugId;
    use dwindle_engine::internals::Label;
    use dwindle_engine::internals::choice::{Choice, Length, Shares, Value};
    use dwindle_engine::internals::codec::encode;
    use dwindle_engine::internals::{Driver, Follower, Trace, execute};
    use dwindle_engine::{Generator, TestCase, generators as g};

    use super::*;
    use crate::execution::Run;
    use crate::failure::failed::Failed;
    use crate::failure::misuse::Misuse;
    use crate::failure::panics::{Panic, Place};

    /// All entries that a run publishes, and where each entry ends.
    struct Log {
        writer: Writer<'static>,
        ends: Arc<Mutex<Vec<usize>>>,
    }

    impl Log {
        fn ended(&self) {
            self.ends.lock().unwrap().push(self.writer.written().unwrap());
        }
    }

    impl Follower for Log {
        fn chose(&mut self, choice: &Choice) {
            self.writer.choice(choice);
            self.ended();
        }

        fn opened(&mut self, label: Label, start: u32) {
            self.writer.opened(label, start);
            self.ended();
        }

        fn closed(&mut self, discarded: bool) {
            self.writer.closed(discarded);
            self.ended();
        }
    }

    /// Executes a run. Returns its trace, the bytes that it published, and the ends of their
    /// entries.
    fn run(seed: u64) -> (Trace, &'static [u8], Vec<usize>) {
        const SIZE: usize = 1 << 20;
        let place = Box::leak(vec![0; SIZE].into_boxed_slice()).as_mut_ptr();
        let ends = Arc::default();
        let mut tc = Driver::new();
        // SAFETY: the memory was leaked, and nothing else writes to it.
        tc.follow(Log { writer: unsafe { Writer::at(place, SIZE) }, ends: Arc::clone(&ends) });
        tc.start_random(seed, 1000);
        execute(&mut tc, |tc| {
            tc.draw(g::vec((
                g::booleans(),
                g::integers(i128::MIN..=i128::MAX),
                g::integers(3u8..=9),
                g::floats::<f32>(..),
            )));
            tc.draw(g::vec(g::text()));
            tc.draw(g::vec((
                g::characters(),
                g::bytes(),
                g::weighted_booleans(0.3),
                g::one_of((g::just(1), g::just(2))),
                g::one_of((g::just(1), g::just(2))).weights([2, 3]),
            )));
            tc.draw(g::vec(g::integers(0..10u8)).map(|list| list.len()));
            tc.draw(g::just(9).shrink_with(|number| (0..*number).step_by(3)));
            let more = tc.draw(g::integers(0..4u8));
            // Some runs end inside a draw. They end without a panic, because other tests fork at
            // the same time.
            tc.draw(g::from_fn(move |tc| tc.assume(more > 0)));
            tc.draw(g::from_fn(TestCase::rest_of_input));
        });
        let mut trace = Trace::default();
        tc.swap_trace(&mut trace);
        drop(tc);
        let ends = Arc::into_inner(ends).unwrap().into_inner().unwrap();
        // SAFETY: the writer to this memory is dropped, and the memory was leaked.
        let shown = unsafe { std::slice::from_raw_parts(place, *ends.last().unwrap()) };
        (trace, shown, ends)
    }

    const SEEDS: u64 = if cfg!(miri) { 2 } else { 50 };

    #[test]
    fn a_trace_is_read_as_it_was_written() {
        for seed in 0..SEEDS {
            let (trace, shown, _) = run(seed);
            let mut again = Trace::default();
            Reader::new(shown).drawn(&mut again).unwrap();
            assert_eq!(again.choices, trace.choices);
            assert_eq!(again.spans, trace.spans);
            let mut memory = vec![0; 1 << 20];
            let mut writer = Writer::new(&mut memory);
            writer.values(&trace.values());
            let length = writer.written().unwrap();
            let (mut reader, mut values) = (Reader::new(&memory[..length]), Vec::new());
            reader.values(&mut values).unwrap();
            assert_eq!(values, trace.values());
            assert!(reader.bytes.is_empty());
        }
    }

    #[test]
    fn alternatives_are_read_by_a_thread_that_cannot_keep_their_shares() {
        let mut memory = vec![0; 1 << 10];
        let mut writer = Writer::new(&mut memory);
        let mut tc = Driver::new();
        tc.start_bytes_recorded(&[6, 7, 0], 10);
        tc.draw(g::one_of([0, 1, 2].map(g::just)).weights([2, 3, 4]));
        tc.draw(g::vec(g::one_of([0, 1].map(g::just)).weights([5, 2])));
        tc.trace().choices.iter().for_each(|choice| writer.choice(choice));
        let length = writer.written().unwrap();
        let read = std::thread::scope(|scope| {
            let reading = scope.spawn(|| {
                assert!((3..3000).any(|end| Shares::kept(&[1, end]).is_none()));
                let mut trace = Trace::default();
                Reader::new(&memory[..length]).drawn(&mut trace).unwrap();
                trace
            });
            reading.join().unwrap()
        });
        assert_eq!(read.values(), [5, 6, 0].map(Value::Integer));
        assert_eq!(encode(&read.choices), encode(&tc.trace().choices));
    }

    #[test]
    fn the_end_of_a_run_is_read_as_it_was_written() {
        let failed = Failed::of_panic(Panic::at(Place::default()), BugId::of("it"));
        let misuse = Misuse("an empty range".to_owned());
        for run in
            [Run::Overrun, Run::Rejected, Run::Passed, Run::Failed(failed), Run::Misused(misuse)]
        {
            let mut memory = [0; 128];
            let mut writer = Writer::new(&mut memory);
            writer.run(&run);
            let length = writer.written().unwrap();
            let shown = &memory[..length];
            let again = Reader::new(shown).run(Path::new("")).unwrap();
            let run = run.map(|failed| failed.id);
            assert_eq!(again.map(|failed| failed.id), run);
            #[cfg(feature = "libfuzzer")]
            assert_eq!(Reader::new(shown).run_in_short().unwrap().failure(), run.failure());
        }
    }

    #[test]
    fn a_run_that_ends_early_is_known_up_to_its_last_entry() {
        let (trace, shown, ends) = run(1);
        let step = if cfg!(miri) { 211 } else { 1 };
        for cut in (0..=shown.len().min(5000)).step_by(step) {
            let mut again = Trace::default();
            let is_read = Reader::new(&shown[..cut]).drawn(&mut again).is_some();
            assert_eq!(is_read, cut == 0 || ends.contains(&cut), "{cut}");
            assert!(
                trace.choices.starts_with(&again.choices) && again.spans.len() <= trace.spans.len()
            );
        }
    }

    #[test]
    fn bytes_that_do_not_fit_are_not_written() {
        let mut memory = [0; 16];
        let mut writer = Writer::new(&mut memory);
        writer.string(b"12345678");
        assert_eq!(writer.written(), Some(16));
        writer.byte(1);
        assert_eq!(writer.written(), None);
        writer.restart();
        assert_eq!(writer.written(), Some(0));
    }

    #[test]
    fn unwritten_bytes_do_not_panic() {
        // Writes an alphabet whose only range is empty, and later a span that begins behind the
        // last choice.
        let mut memory = [0; 64];
        let mut writer = Writer::new(&mut memory);
        writer.raw(&[5, 0, 0, 0, 0, 0, 0, 0, 0, 4]);
        writer.length(Length { min: 0, max: 1 });
        writer.byte(NEW);
        writer.number(1);
        writer.raw(&[2, 0, 0, 0, 1, 0, 0, 0]);
        let length = writer.written().unwrap();
        assert!(Reader::new(&memory[..length]).drawn(&mut Trace::default()).is_none());
        let mut writer = Writer::new(&mut memory);
        writer.opened(Label::ELEMENT, 1);
        assert!(Reader::new(&memory[..13]).drawn(&mut Trace::default()).is_none());
    }
}

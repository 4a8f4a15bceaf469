//! The reader of what a crashed process left in shared memory, whatever became of that.

use dwindle::__private::engine::internals::Trace;
use dwindle::__private::records;
use dwindle::prelude::*;

/// What happens to a record before it is read. Places count from the beginning, and wrap.
#[derive(Clone, Debug, Generate)]
pub enum Damage {
    /// Nothing was published from here on.
    Cut(u16),
    /// One byte is another one.
    Byte(u16, u8),
    /// A length or a number is another one.
    Number(u16, u64),
    /// Other bytes stand in the way.
    Insert(u16, Vec<u8>),
}

impl Damage {
    fn apply(&self, record: &mut Vec<u8>) {
        let (Self::Cut(at) | Self::Byte(at, _) | Self::Number(at, _) | Self::Insert(at, _)) = self;
        let at = usize::from(*at) % (record.len() + 1);
        match self {
            Damage::Cut(_) => record.truncate(at),
            Damage::Byte(_, byte) => {
                record.iter_mut().skip(at).take(1).for_each(|place| *place = *byte);
            }
            Damage::Number(_, number) => record
                .iter_mut()
                .skip(at)
                .zip(number.to_le_bytes())
                .for_each(|(place, byte)| *place = byte),
            Damage::Insert(_, bytes) => drop(record.splice(at..at, bytes.iter().copied())),
        }
    }
}

/// Draws a value of each kind that a record may hold.
fn property(tc: &mut TestCase) {
    tc.draw(g::vec((
        g::booleans(),
        g::integers(i128::MIN..=i128::MAX),
        g::integers(3u8..=9),
        g::floats::<f32>(..),
    )));
    tc.draw(g::vec((g::text(), g::text().alphabet("abc"), g::characters(), g::bytes())));
    tc.draw(g::just(9).shrink_with(|number| (0..*number).step_by(3)));
    tc.draw(g::from_fn(TestCase::rest_of_input));
}

/// Reads what a run on `input` publishes, and the same damaged; and both once more as the record of
/// a death.
///
/// # Panics
///
/// Where a whole record is not read, or what is read makes no sense in itself.
pub fn check(input: &[u8], damage: &[Damage]) {
    let mut record = records::entries(input, property);
    let whole = records::drawn(&record).expect("nothing is damaged");
    check_trace(&whole);
    for damage in damage {
        damage.apply(&mut record);
    }
    if let Some(trace) = records::drawn(&record) {
        check_trace(&trace);
        if let [Damage::Cut(_)] = damage {
            assert!(
                whole.choices.starts_with(&trace.choices),
                "what was published last is cut off, and nothing else"
            );
        }
    }
    records::death(&record);
    records::death(input);
}

/// Each span lies in the one around it.
fn check_trace(trace: &Trace) {
    for (index, span) in trace.spans.iter().enumerate() {
        assert!(span.start <= span.end && span.end as usize <= trace.choices.len(), "{span:?}");
        assert!(span.parent.is_none_or(|parent| (parent as usize) < index), "{span:?}");
    }
}

#[cfg(test)]
mod tests {
    use dwindle::__private::engine::internals::Driver;

    use super::*;

    #[test]
    fn damaged_records_are_read_without_a_panic() {
        let mut tc = Driver::new();
        for seed in 0..3000 {
            tc.start_random(seed, usize::MAX);
            let input = tc.draw(g::bytes());
            let damage = tc.draw(any::<Vec<Damage>>());
            check(&input, &damage);
        }
    }
}

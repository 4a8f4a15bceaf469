//! Going down from a value to simpler ones that a generator names.

use super::{Source, TestCase};
use crate::choice::{Constraint, PATH_END, PATH_MAX, Value};

impl TestCase {
    /// `top`, or what lies below it: one of the values that `simpler` names for it, or one of those named for that, and so on. One choice says which way it goes.
    ///
    /// A random source gives `top`. The simplest choice takes the first of the values each time, until none is named or [`PATH_MAX`] steps were taken; so named values
    /// had better be simpler indeed, the simplest first. Of those named for one value, the first 255 can be taken.
    pub fn path<T, I: IntoIterator<Item = T>>(&mut self, top: T, simpler: impl Fn(&T) -> I) -> T {
        self.spend();
        let replayed = match self.source {
            Source::Bytes => None,
            Source::Replay => Some(self.replay.next(&Constraint::Path)),
            Source::Random => Some(Value::Bytes([PATH_END].into())),
        };
        let mut steps = Vec::new();
        let mut value = top;
        for depth in 0..PATH_MAX {
            let mut named = simpler(&value).into_iter();
            let Some(first) = named.next() else { break };
            let step = match &replayed {
                Some(Value::Bytes(path)) => path.get(depth).copied().unwrap_or(0),
                _ => self.reader.byte(),
            };
            let taken = match step {
                0 => Some(first),
                PATH_END => None,
                _ => named.nth(usize::from(step) - 1),
            };
            if !self.decode_only {
                steps.push(if taken.is_some() { step } else { PATH_END });
            }
            match taken {
                Some(taken) => value = taken,
                None => break,
            }
        }
        if !self.decode_only {
            self.record(Value::Bytes(steps.into()), Constraint::Path, ());
        }
        value
    }
}

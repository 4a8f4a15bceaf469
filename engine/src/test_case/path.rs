//! Goes from a value down to simpler values that a generator names.

use super::{Source, TestCase};
use crate::choice::{Constraint, PATH_END, PATH_MAX, Value};

impl TestCase {
    /// Returns `top` or a simpler value below it.
    ///
    /// `simpler` names simpler values for `top`, then for the value that was taken, and so on. One
    /// choice holds the path: which value is taken at each step.
    ///
    /// A random source returns `top`. The simplest choice takes the first named value at each step,
    /// until `simpler` names none or after [`PATH_MAX`] steps. For this reason, `simpler` should
    /// name only simpler values, the simplest first. At each step, only the first 255 named values
    /// can be taken.
    pub(crate) fn path<T, I: IntoIterator<Item = T>>(
        &mut self,
        top: T,
        simpler: impl Fn(&T) -> I,
    ) -> T {
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

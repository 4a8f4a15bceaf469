//! Every value a decoder can make from a stated alphabet, in shortlex order of its choices, and
//! which of them fail.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// The choices of one candidate: for each draw, which of the offered values it takes.
pub struct Choices {
    taken: Vec<usize>,
    offered: Vec<usize>,
    limit: usize,
}

/// The candidate asks for more choices than the length being enumerated.
pub struct TooLong;

impl Choices {
    /// One of `0..offered`, simplest first.
    pub fn pick(&mut self, offered: usize) -> Result<usize, TooLong> {
        let at = self.offered.len();
        if at == self.limit {
            return Err(TooLong);
        }
        self.offered.push(offered);
        if at == self.taken.len() {
            self.taken.push(0);
        }
        Ok(self.taken[at])
    }

    /// How many choices there are still to make.
    pub fn left(&self) -> usize {
        self.limit - self.offered.len()
    }

    /// One of the values, simplest first.
    pub fn one_of<T: Clone>(&mut self, values: &[T]) -> Result<T, TooLong> {
        self.pick(values.len()).map(|at| values[at].clone())
    }

    /// A list: before each element a choice of 0 to stop, or else one of the element's
    /// alternatives.
    pub fn list<T>(
        &mut self,
        alternatives: usize,
        mut element: impl FnMut(&mut Self, usize) -> Result<T, TooLong>,
    ) -> Result<Vec<T>, TooLong> {
        let mut list = Vec::new();
        loop {
            match self.pick(alternatives + 1)? {
                0 => return Ok(list),
                alternative => list.push(element(self, alternative - 1)?),
            }
        }
    }

    /// Moves to the next candidate in lexicographic order; `false` after the last.
    fn advance(&mut self) -> bool {
        while let Some(offered) = self.offered.pop() {
            let at = self.offered.len();
            self.taken.truncate(at + 1);
            if self.taken[at] + 1 < offered {
                self.taken[at] += 1;
                self.offered.clear();
                return true;
            }
        }
        false
    }
}

/// For each bug, the shortlex smallest value that has it, from the smallest on, of all those of at
/// most `choices_max` choices.
///
/// A bug is the place that panics and the key that `check` has set by then.
pub fn minima<T: Debug>(
    choices_max: usize,
    decode: impl Fn(&mut Choices) -> Result<T, TooLong>,
    check: impl Fn(&T, &mut &'static str),
) -> Vec<String> {
    let mut bugs = BTreeSet::new();
    let mut minima = Vec::new();
    for limit in 1..=choices_max {
        let mut choices = Choices { taken: Vec::new(), offered: Vec::new(), limit };
        loop {
            if let Ok(value) = decode(&mut choices)
                && choices.offered.len() == limit
            {
                let mut key = "";
                let place = place_of_panic(|| check(&value, &mut key));
                if place.is_some_and(|place| bugs.insert((place, key))) {
                    minima.push(format!("{value:?}"));
                }
            }
            if !choices.advance() {
                break;
            }
        }
    }
    minima
}

thread_local!(static PLACE: RefCell<Option<String>> = const { RefCell::new(None) });

/// The file and line of the panic, if there is one.
fn place_of_panic(run: impl FnOnce()) -> Option<String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // A failing test of ours is still to be heard.
            if info.location().is_some_and(|location| location.file().contains("true_minima")) {
                loud(info);
            }
            PLACE.set(info.location().map(ToString::to_string));
        }));
    });
    panic::catch_unwind(AssertUnwindSafe(run)).err().and_then(|_| PLACE.take())
}

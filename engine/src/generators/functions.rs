//! Functions with generated results.
//!
//! The generator draws a function as a table before its first call. The table holds a default
//! result, then a collection of results. The calls decide which argument a result belongs to: the
//! first new argument takes the first result, and so on. An argument without an entry gets the
//! default result.
//!
//! This has three advantages. A function needs no access to the test case while the property runs.
//! Any hashable and printable argument works. A shorter collection is a simpler function, and an
//! empty one is a constant function.
//!
//! A report shows only the arguments of actual calls. The idea comes from Claessen 2012, "Shrinking
//! and Showing Functions". falsify (de Vries 2023, section 6.2.2) combines it with internal
//! shrinking.

use std::any::type_name;
use std::collections::HashMap;
use std::fmt::{self, Debug, Write};
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::any::Any;
use super::{Generate, Generator, any, vec};
use crate::sorted::sort_by_key;
use crate::test_case::{Late, TestCase};
use crate::trace::Label;

/// Generates functions that return values of `results`: one result for each of the first arguments,
/// and one result for all others.
///
/// An argument must be hashable and printable: integers, booleans, characters, texts, enums, and
/// options, tuples and vectors of them. A function of several arguments takes a tuple.
///
/// ```
/// use dwindle::prelude::*;
/// # use dwindle_engine as dwindle;
/// # let mut tc = dwindle::internals::Driver::new();
/// # tc.start_bytes(&[0, 1, 0xFF, 1, 0, 1, 0xFF], 10);
///
/// let is_wanted: g::Fun<u32, bool> = tc.draw(g::functions(g::booleans()));
/// let wanted: Vec<u32> = [7, 8, 9].into_iter().filter(|number| is_wanted(*number)).collect();
/// assert!(wanted.iter().all(|number| is_wanted(*number)));
/// // In a report: `{ 7 => true, 9 => true, _ => false }`.
/// # assert_eq!(format!("{is_wanted:?}"), "{ 7 => true, 9 => true, _ => false }");
/// ```
pub fn functions<A, G: Generator>(results: G) -> Functions<A, G>
where
    A: Eq + Hash + Debug + Send + 'static,
    G::Value: Clone + Debug + Send + 'static,
{
    Functions { results, argument: PhantomData }
}

/// See [`functions`].
pub struct Functions<A, G> {
    results: G,
    argument: PhantomData<fn(A)>,
}

impl<A, G: Clone> Clone for Functions<A, G> {
    fn clone(&self) -> Self {
        Functions { results: self.results.clone(), argument: PhantomData }
    }
}

impl<A, G: Debug> Debug for Functions<A, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Functions")
            .field("argument", &type_name::<A>())
            .field("results", &self.results)
            .finish()
    }
}

impl<A, G: Generator> Generator for Functions<A, G>
where
    A: Eq + Hash + Debug + Send + 'static,
    G::Value: Clone + Debug + Send + 'static,
{
    type Value = Fun<A, G::Value>;

    fn generate(&self, tc: &mut TestCase) -> Self::Value {
        let (otherwise, results) = tc.span(Label::FUNCTION, |tc| {
            (self.results.generate(tc), vec(&self.results).generate(tc))
        });
        let table = Arc::new(Mutex::new(Table {
            otherwise,
            results,
            asked: HashMap::new(),
            stands_for: None,
        }));
        if tc.is_heard() {
            tc.show_later(Arc::clone(&table) as Arc<dyn Late>);
        }
        Fun {
            table: Arc::clone(&table) as Arc<dyn Late>,
            call: Arc::new(move |argument| locked(&table).result(argument)),
        }
    }
}

impl<A, B> Generate for Fun<A, B>
where
    A: Eq + Hash + Debug + Send + 'static,
    B: Generate + Clone + Debug + Send + 'static,
{
    fn generate(tc: &mut TestCase) -> Self {
        Functions::<A, Any<B>> { results: any::<B>(), argument: PhantomData }.generate(tc)
    }
}

/// A generated function, made by [`functions`] or [`any`]. `f(argument)` calls it. `&*f` fits where
/// a function takes an `impl Fn(A) -> B`.
///
/// All clones are the same function: an argument gives the same result each time. `Debug` shows the
/// calls so far, `{ 3 => 1, _ => 0 }`. The report of a failure shows the calls of the whole run.
/// Both leave out arguments that got the default result. If several threads call it at once, the
/// order of their calls decides the results.
pub struct Fun<A, B> {
    table: Arc<dyn Late>,
    call: Arc<Called<A, B>>,
}

/// The type that a generated function dereferences to.
type Called<A, B> = dyn Fn(A) -> B + Send + Sync;

impl<A, B> Clone for Fun<A, B> {
    fn clone(&self) -> Self {
        Fun { table: Arc::clone(&self.table), call: Arc::clone(&self.call) }
    }
}

impl<A, B> Deref for Fun<A, B> {
    type Target = Called<A, B>;

    fn deref(&self) -> &Self::Target {
        &*self.call
    }
}

impl<A, B> Debug for Fun<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.table.described())
    }
}

/// The results of a function, and the arguments of its calls.
struct Table<A, B> {
    /// The result of all arguments without an entry in `asked`.
    otherwise: B,
    results: Vec<B>,
    /// The index of the result of each argument. Holds at most as many arguments as there are
    /// results.
    asked: HashMap<A, usize>,
    /// Replaces the description while it is incomplete.
    stands_for: Option<String>,
}

impl<A: Eq + Hash, B: Clone> Table<A, B> {
    fn result(&mut self, argument: A) -> B {
        let next = self.asked.len();
        let index = match self.asked.get(&argument) {
            Some(index) => *index,
            None if next < self.results.len() => *self.asked.entry(argument).or_insert(next),
            None => next,
        };
        self.results.get(index).unwrap_or(&self.otherwise).clone()
    }
}

impl<A, B> Late for Mutex<Table<A, B>>
where
    A: Debug + Send,
    B: Debug + Send,
{
    fn described(&self) -> String {
        let table = locked(self);
        if let Some(words) = &table.stands_for {
            return words.clone();
        }
        let mut asked: Vec<(&A, usize)> =
            table.asked.iter().map(|(argument, index)| (argument, *index)).collect();
        sort_by_key(&mut asked, |(_, index)| *index);
        let otherwise = format!("{:?}", table.otherwise);
        let mut description = String::from("{ ");
        for (argument, index) in asked {
            let result = format!("{:?}", table.results[index]);
            if result != otherwise {
                let _ = write!(description, "{argument:?} => {result}, ");
            }
        }
        description + "_ => " + &otherwise + " }"
    }

    fn stand_for(&self, words: Option<String>) {
        locked(self).stands_for = words;
    }
}

/// Ignores poisoning. While the table is locked, only code of the argument or the result can panic,
/// and the table stays unchanged.
fn locked<T>(table: &Mutex<T>) -> MutexGuard<'_, T> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

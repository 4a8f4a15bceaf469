//! The values that steps made, for later steps to use.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use super::given::{IntoPool, TakenFromPool};
use crate::test_case::TestCase;

/// Values that steps of a machine made, for later steps to use. They stand in the order they were
/// made. A pool is a field of the machine.
///
/// In the program of a failure, they are variables: `handle_1` is the first value of its pool.
///
/// `#[rule(into = pool)]` puts the return value of a rule into the pool. `#[from(pool)]` on an
/// argument draws a value, with one choice:
///
/// - `&T` and `&mut T` lend the value for the step. While a `&mut T` is lent, the value is not in
///   the pool.
/// - `T` takes the value out of the pool.
///
/// A rule with such arguments is enabled only while the pool has enough values. Two `&T` of one
/// rule may be the same value. All other arguments are different values.
///
/// The choice is the number in the name of the variable, minus 1. It counts from the first value
/// that ever went in, including values that are gone. So deleting a step leaves the values of later
/// steps unchanged. If the deleted step made a value, a shrink pass lowers the later numbers. Two
/// other schemes reached the smallest program less often: counting from the newest value, and
/// counting only present values.
///
/// The idea comes from the bundles of Hypothesis.
#[derive(Debug)]
pub struct Pool<T> {
    name: Cow<'static, str>,
    entries: Vec<Entry<T>>,
    /// How many values ever went into the pool.
    made: usize,
}

/// A value with its number.
#[derive(Debug)]
struct Entry<T> {
    number: usize,
    value: Rc<T>,
}

impl<T> Pool<T> {
    /// Creates an empty pool whose values are named `name_1`, `name_2` and so on.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Pool<T> {
        Pool { name: name.into(), entries: Vec::new(), made: 0 }
    }

    /// How many values the pool holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the pool holds no value.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The values, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.entries.iter().map(|entry| &*entry.value)
    }

    /// Puts a value into the pool, and shows its name in the report of a failure.
    pub fn put(&mut self, tc: &mut TestCase, value: T) {
        let number = self.reserve();
        if tc.is_heard() {
            tc.say_line(&format!("    // {:?} is new", self.variable(number, "")));
        }
        self.fill(number, value);
    }

    /// Draws one of the values. An empty pool rejects the test case; a precondition of the rule
    /// avoids this.
    pub fn draw(&self, tc: &mut TestCase) -> &T {
        let at = self.choose(tc, |_| true);
        if tc.is_heard() {
            tc.say_line(&format!("    // drew {:?}", self.variable(self.entries[at].number, "&")));
        }
        &self.entries[at].value
    }

    /// Takes one of the values out of the pool. The test case is rejected if the rule has borrowed
    /// all of them, or if there are none. A precondition of the rule avoids this.
    pub fn take(&mut self, tc: &mut TestCase) -> T {
        let taken = self.take_out(tc);
        if tc.is_heard() {
            tc.say_line(&format!("    // took {:?}", taken.variable(self)));
        }
        taken.value
    }

    // Methods for rules that the attribute generates.

    /// Returns the number of the next value that goes in.
    #[doc(hidden)]
    pub fn reserve(&mut self) -> usize {
        self.made += 1;
        self.made
    }

    /// Puts in the value for a reserved number.
    #[doc(hidden)]
    pub fn fill(&mut self, number: usize, value: T) {
        let at = self.entries.partition_point(|entry| entry.number < number);
        self.entries.insert(at, Entry { number, value: Rc::new(value) });
    }

    /// Puts in what a rule returned, for a reserved number.
    #[doc(hidden)]
    pub fn fill_as<V: IntoPool<T>>(&mut self, number: usize, value: V) {
        self.fill(number, value.put());
    }

    #[doc(hidden)]
    pub fn lend(&self, tc: &mut TestCase) -> Lent<T> {
        let entry = &self.entries[self.choose(tc, |_| true)];
        Lent { number: entry.number, value: Rc::clone(&entry.value) }
    }

    #[doc(hidden)]
    pub fn take_out(&mut self, tc: &mut TestCase) -> Taken<T> {
        let at = self.choose(tc, |entry| Rc::strong_count(&entry.value) == 1);
        let Entry { number, value } = self.entries.remove(at);
        Taken { number, value: Rc::into_inner(value).expect("a free value has one owner") }
    }

    #[doc(hidden)]
    pub fn give_back(&mut self, taken: Taken<T>) {
        self.fill(taken.number, taken.value);
    }

    #[doc(hidden)]
    pub fn variable(&self, number: usize, reference: &'static str) -> Variable {
        let name = if self.name.is_empty() { name_of_type::<T>() } else { self.name.to_string() };
        Variable { reference, name, number }
    }

    /// Draws the index of an entry for which `may_be` is true.
    fn choose(&self, tc: &mut TestCase, may_be: impl Fn(&Entry<T>) -> bool + Clone) -> usize {
        let live = self.entries.iter().filter(|entry| may_be(entry)).map(|entry| entry.number - 1);
        tc.assume(live.clone().next().is_some());
        let number = tc.living(self.made, live) + 1;
        self.entries.partition_point(|entry| entry.number < number)
    }
}

/// Creates an empty pool whose values are named after their type: `handle_1` for a `Handle`.
impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool::new("")
    }
}

/// A field from which a rule takes values.
#[diagnostic::on_unimplemented(
    message = "the field is a `{Self}`, not a pool",
    label = "not a `Pool`",
    note = "make the field a `Pool<T>`; `#[rule(into = field)]` puts values into it"
)]
pub trait IsPool {
    /// The type of the values in the pool.
    type Held;

    /// The field itself.
    fn pool(&self) -> &Pool<Self::Held>;
    /// The field itself.
    fn pool_mut(&mut self) -> &mut Pool<Self::Held>;
}

impl<T> IsPool for Pool<T> {
    type Held = T;

    fn pool(&self) -> &Pool<T> {
        self
    }

    fn pool_mut(&mut self) -> &mut Pool<T> {
        self
    }
}

/// A value that a step may read.
#[doc(hidden)]
#[derive(Debug)]
pub struct Lent<T> {
    number: usize,
    value: Rc<T>,
}

impl<T> Lent<T> {
    pub fn variable(&self, pool: &Pool<T>) -> Variable {
        pool.variable(self.number, "&")
    }

    pub fn value(&self) -> &T {
        &self.value
    }
}

/// A value that a step owns, permanently or until the step gives it back.
#[doc(hidden)]
#[derive(Debug)]
pub struct Taken<T> {
    number: usize,
    value: T,
}

impl<T> Taken<T> {
    pub fn variable(&self, pool: &Pool<T>) -> Variable {
        pool.variable(self.number, "")
    }

    pub fn lent_variable(&self, pool: &Pool<T>) -> Variable {
        pool.variable(self.number, "&mut ")
    }

    pub fn value(&mut self) -> &mut T {
        &mut self.value
    }

    pub fn into_value_as<V: TakenFromPool<T>>(self) -> V {
        V::taken(self.value)
    }
}

/// The name of a value in the program of a failure.
#[doc(hidden)]
pub struct Variable {
    reference: &'static str,
    name: String,
    number: usize,
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}_{}", self.reference, self.name, self.number)
    }
}

/// The last part of the name of a type, spelled like a variable.
fn name_of_type<T>() -> String {
    let name = std::any::type_name::<T>();
    let name = name.split('<').next().unwrap_or(name).rsplit("::").next().unwrap_or(name);
    let (mut variable, mut was_lower) = (String::new(), false);
    for c in name.chars().filter(|c| c.is_alphanumeric() || *c == '_') {
        if c.is_uppercase() && was_lower {
            variable.push('_');
        }
        was_lower = c.is_lowercase();
        variable.extend(c.to_lowercase());
    }
    if variable.starts_with(|c: char| c.is_alphabetic()) { variable } else { "value".to_owned() }
}

//! Values that steps made, for later steps to use.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use crate::test_case::TestCase;

/// Values that steps of a machine made, for later steps to use, in the order they came. A field of the machine.
///
/// In a failure's program they are variables: `handle_1` is the first one that went in.
///
/// `#[rule(into = pool)]` puts in what a rule gives back. `#[from(pool)]` on an argument draws a value, with one choice: `&T` and `&mut T` lend it for the step (a
/// `&mut T` is not in the pool meanwhile), `T` takes it out. A rule with such arguments is enabled only while the pool has values enough. Two `&T` of one rule
/// may be the same value; everything else is drawn apart.
///
/// The choice is the number in the variable's name, less 1: counted from the first value that ever went in, whether or not the others are still there. So a step
/// can be deleted without changing what later ones take, unless it made a value; then a shrink pass lowers the numbers behind it. Counted from the newest value,
/// or among those that are there, fewer shrinks ended at the smallest program.
///
/// The idea is that of Hypothesis' bundles.
#[derive(Debug)]
pub struct Pool<T> {
    name: Cow<'static, str>,
    entries: Vec<Entry<T>>,
    /// How many values ever went in.
    made: usize,
}

/// A value and which one it was.
#[derive(Debug)]
struct Entry<T> {
    number: usize,
    value: Rc<T>,
}

impl<T> Pool<T> {
    /// An empty pool, the values of which are called `name_1`, `name_2` and so on.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Pool<T> {
        Pool { name: name.into(), entries: Vec::new(), made: 0 }
    }

    /// How many values are in it.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no value is in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The values, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.entries.iter().map(|entry| &*entry.value)
    }

    /// Puts in a value, and shows its name in the report of a failure.
    pub fn put(&mut self, tc: &mut TestCase, value: T) {
        let number = self.reserve();
        if tc.is_heard() {
            tc.say_line(&format!("    // {:?} is new", self.variable(number, "")));
        }
        self.fill(number, value);
    }

    /// One of the values. The test case is rejected if there are none: let the rule need that there are.
    pub fn draw(&self, tc: &mut TestCase) -> &T {
        let at = self.choose(tc, |_| true);
        if tc.is_heard() {
            tc.say_line(&format!("    // drew {:?}", self.variable(self.entries[at].number, "&")));
        }
        &self.entries[at].value
    }

    /// Takes one of the values out. The test case is rejected if there are none that the rule was not lent: let the rule need that there are.
    pub fn take(&mut self, tc: &mut TestCase) -> T {
        let taken = self.take_out(tc);
        if tc.is_heard() {
            tc.say_line(&format!("    // took {:?}", taken.variable(self)));
        }
        taken.value
    }

    // What the attribute's rules use.

    /// The number of the value that will go in next.
    #[doc(hidden)]
    pub fn reserve(&mut self) -> usize {
        self.made += 1;
        self.made
    }

    /// Puts in the value of a number that was reserved.
    #[doc(hidden)]
    pub fn fill(&mut self, number: usize, value: T) {
        let at = self.entries.partition_point(|entry| entry.number < number);
        self.entries.insert(at, Entry { number, value: Rc::new(value) });
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

    /// Where one of the entries is that may be chosen.
    fn choose(&self, tc: &mut TestCase, may_be: impl Fn(&Entry<T>) -> bool + Clone) -> usize {
        let live = self.entries.iter().filter(|entry| may_be(entry)).map(|entry| entry.number - 1);
        tc.assume(live.clone().next().is_some());
        let number = tc.living(self.made, live) + 1;
        self.entries.partition_point(|entry| entry.number < number)
    }
}

/// An empty pool, the values of which are called like their type: `handle_1` for a `Handle`.
impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool::new("")
    }
}

/// A value that a step may look at.
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

/// A value that is a step's, for good or until it is given back.
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

    pub fn into_value(self) -> T {
        self.value
    }
}

/// What a value is called in a failure's program.
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

/// The last word of a type's name, as a variable is written.
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

//! The draws that macros write: those of arguments, fields and rules.
//!
//! The traits here have the messages that a user reads after a mistake. A macro gives each call the
//! place of the code that the user wrote. `docs/errors.md` shows the messages.

use std::fmt::{self, Debug};
use std::path::{Path, PathBuf};

use crate::generators::{Generate, Generator, any};
use crate::test_case::{Alternatives, TestCase};

/// A type that takes the values of a generator: the same type.
///
/// The compiler infers the type of the values from it, so `g::integers(0..9)` needs no suffix.
#[diagnostic::on_unimplemented(
    message = "the generator draws `{V}`, and the type here is `{Self}`",
    label = "draws `{V}`",
    note = "change the generator or the type; `.map(|value| ..)` converts what a generator draws"
)]
pub trait Takes<V> {
    /// The drawn value.
    fn take(value: V) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T> Takes<T> for T {
    #[inline]
    fn take(value: T) -> T {
        value
    }
}

/// A type that is borrowed from the values of a generator: `str` from `String`, `[T]` from
/// `Vec<T>`, and any type from itself.
#[diagnostic::on_unimplemented(
    message = "the generator draws `{V}`, which cannot be lent as `&{Self}`",
    label = "draws `{V}`",
    note = "`&T` is lent from a drawn `T`, `&str` from a `String`, `&[T]` from a `Vec<T>`"
)]
pub trait LentFrom<V> {
    /// Borrows from the drawn value.
    fn lend(value: &V) -> &Self;
}

#[diagnostic::do_not_recommend]
impl<T> LentFrom<T> for T {
    #[inline]
    fn lend(value: &T) -> &T {
        value
    }
}

macro_rules! lent {
    ($(($($bounds:tt)*) $type:ty: $owner:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($bounds)*> LentFrom<$owner> for $type {
            #[inline]
            fn lend(value: &$owner) -> &$type {
                value
            }
        }
    )*};
}

lent! {
    () str: String;
    () str: Box<str>;
    (T) [T]: Vec<T>;
    (T) [T]: Box<[T]>;
    (T, const N: usize) [T]: [T; N];
    () Path: PathBuf;
}

#[diagnostic::do_not_recommend]
impl LentFrom<&str> for str {
    #[inline]
    fn lend<'v>(value: &'v &str) -> &'v str {
        value
    }
}

#[diagnostic::do_not_recommend]
impl<T> LentFrom<&[T]> for [T] {
    #[inline]
    fn lend<'v>(value: &'v &[T]) -> &'v [T] {
        value
    }
}

/// The type that is drawn for a borrowed argument without a generator.
pub trait Borrowed {
    /// The drawn type.
    type Owned;
}

impl<T> Borrowed for T {
    type Owned = T;
}

impl Borrowed for str {
    type Owned = String;
}

impl<T> Borrowed for [T] {
    type Owned = Vec<T>;
}

impl Borrowed for Path {
    type Owned = PathBuf;
}

/// The generator that a field of type `T` names, with its methods.
///
/// The methods here need no bound, so a wrong generator gives one error, at the call of [`field`].
pub struct Field<T, G> {
    generator: G,
    generate: fn(&G, &mut TestCase) -> T,
    alternatives: fn(&G) -> Option<Alternatives>,
    generate_alternative: fn(&G, usize, &mut TestCase) -> T,
}

/// The generator that a field of type `T` names.
#[inline]
pub fn field<T: Takes<G::Value>, G: Generator>(generator: G) -> Field<T, G> {
    Field {
        generator,
        generate: |generator, tc| T::take(generator.generate(tc)),
        alternatives: G::alternatives,
        generate_alternative: |generator, index, tc| {
            T::take(generator.generate_alternative(index, tc))
        },
    }
}

impl<T, G> Field<T, G> {
    /// Draws the field.
    #[inline]
    pub fn generate(self, tc: &mut TestCase) -> T {
        (self.generate)(&self.generator, tc)
    }

    /// See [`Generator::alternatives`].
    #[inline]
    pub fn alternatives(self) -> Option<Alternatives> {
        (self.alternatives)(&self.generator)
    }

    /// See [`Generator::generate_alternative`].
    #[inline]
    pub fn generate_alternative(self, index: usize, tc: &mut TestCase) -> T {
        (self.generate_alternative)(&self.generator, index, tc)
    }
}

/// Draws an argument of a property.
#[inline]
#[track_caller]
pub fn argument<T, G>(tc: &mut TestCase, name: &'static str, generator: G) -> T
where
    T: Takes<G::Value>,
    G: Generator<Value: Debug>,
{
    T::take(tc.draw_named(name, generator))
}

/// Draws an argument of a property by its type.
#[inline]
#[track_caller]
pub fn argument_of_type<T: Generate + Debug>(tc: &mut TestCase, name: &'static str) -> T {
    tc.draw_named(name, any())
}

/// Draws the value from which an argument of a property is borrowed.
#[inline]
#[track_caller]
pub fn lender<G>(tc: &mut TestCase, name: &'static str, generator: G) -> G::Value
where
    G: Generator<Value: Debug>,
{
    tc.draw_named(name, generator)
}

/// Draws the value from which an argument is borrowed, by the type of the argument.
#[inline]
#[track_caller]
pub fn lender_of_type<T>(tc: &mut TestCase, name: &'static str) -> T::Owned
where
    T: Borrowed<Owned: Generate + Debug> + ?Sized,
{
    tc.draw_named(name, any())
}

/// Draws the value of a fuzz target.
#[inline]
#[track_caller]
pub fn unnamed_of_type<T: Generate + Debug>(tc: &mut TestCase) -> T {
    tc.draw(any())
}

/// Draws the value from which a fuzz target borrows.
#[inline]
#[track_caller]
pub fn unnamed_lender_of_type<T>(tc: &mut TestCase) -> T::Owned
where
    T: Borrowed<Owned: Generate + Debug> + ?Sized,
{
    tc.draw(any())
}

/// Borrows an argument from the value that was drawn for it.
#[inline]
pub fn lend<T: LentFrom<V> + ?Sized, V>(value: &V) -> &T {
    T::lend(value)
}

/// Draws an argument of a rule, which the line of the step shows.
pub fn rule_argument<T, G>(tc: &mut TestCase, generator: G) -> Drawn<T>
where
    T: Takes<G::Value> + Debug,
    G: Generator,
{
    Drawn { value: T::take(generator.generate(tc)), show: T::fmt }
}

/// Draws an argument of a rule by its type.
pub fn rule_argument_of_type<T: Generate + Debug>(tc: &mut TestCase) -> Drawn<T> {
    Drawn { value: T::generate(tc), show: T::fmt }
}

/// A drawn value that can be shown.
///
/// It is always `Debug`, so a type without `Debug` gives one error, at the call that draws it.
pub struct Drawn<T> {
    /// The value.
    pub value: T,
    show: fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
}

impl<T> Debug for Drawn<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.show)(&self.value, f)
    }
}

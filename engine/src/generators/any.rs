//! Types that have their own generator.

use std::marker::PhantomData;

use super::Generator;
use crate::test_case::Alternatives;
use crate::test_case::TestCase;

/// A type that has its own generator. `#[derive(Generate)]` writes it for structs and enums.
///
/// ```
/// use dwindle_engine::{Generate, TestCase, any};
///
/// #[derive(Debug, PartialEq, Generate)]
/// enum Expr {
///     Add(Box<Expr>, Box<Expr>),
///     Number(i32),
/// }
///
/// // Numbers come first: they end the recursion, so that an input of zeros is the simplest value.
/// let mut tc = TestCase::new();
/// tc.start_bytes(&[], 10);
/// assert_eq!(tc.draw(any::<Expr>()), Expr::Number(0));
/// ```
///
/// Attributes define how fields and variants are drawn, see [the derive](derive@crate::Generate):
///
/// ```
/// use std::thread::ThreadId;
///
/// use dwindle_engine::{Generate, TestCase, any, generators as g};
///
/// #[derive(Debug, PartialEq, Generate)]
/// #[generate(depth = 2)]
/// enum Rule {
///     #[generate(weight = 3)]
///     Named(#[generate(with = g::from_regex("[a-z]+"))] String),
///     Sized { #[generate(with = g::integers(1..=9))] least: u8 },
///     Not(Box<Rule>),
///     #[generate(skip)]
///     Of(ThreadId),
/// }
///
/// // Of five places the last is `Not`. The third `Not` would stand in two others and is not drawn.
/// let mut tc = TestCase::new();
/// tc.start_bytes(&[4, 4, 4, b'x', 0xFF], 100);
/// let named = Rule::Named("x".to_owned());
/// assert_eq!(tc.draw(any::<Rule>()), Rule::Not(Box::new(Rule::Not(Box::new(named)))));
/// ```
pub trait Generate: Sized {
    /// Draws one value. The same choices give the same value.
    fn generate(tc: &mut TestCase) -> Self;

    /// See [`Generator::alternatives`].
    #[inline]
    fn alternatives() -> Option<Alternatives> {
        None
    }

    /// See [`Generator::generate_alternative`].
    #[inline]
    fn generate_alternative(_index: usize, tc: &mut TestCase) -> Self {
        Self::generate(tc)
    }
}

/// Generates any value of type `T`.
#[inline]
pub fn any<T: Generate>() -> Any<T> {
    Any(PhantomData)
}

/// See [`any`].
pub struct Any<T>(PhantomData<fn() -> T>);

impl<T> Clone for Any<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Any<T> {}

impl<T> std::fmt::Debug for Any<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "any::<{}>()", std::any::type_name::<T>())
    }
}

impl<T: Generate> Generator for Any<T> {
    type Value = T;

    #[inline]
    fn generate(&self, tc: &mut TestCase) -> T {
        T::generate(tc)
    }

    #[inline]
    fn alternatives(&self) -> Option<Alternatives> {
        T::alternatives()
    }

    #[inline]
    fn generate_alternative(&self, index: usize, tc: &mut TestCase) -> T {
        T::generate_alternative(index, tc)
    }
}

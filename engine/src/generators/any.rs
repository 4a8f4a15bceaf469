//! Types that have their own generator.

use std::marker::PhantomData;

use super::Generator;
use crate::test_case::Alternatives;
use crate::test_case::TestCase;

/// A type that has its own generator. `#[derive(Generate)]` writes it for structs and enums.
///
/// ```
/// use dwindle::prelude::*;
/// # use dwindle_engine as dwindle;
/// # let mut tc = dwindle::internals::Driver::new();
/// # tc.start_bytes(&[], 10);
///
/// #[derive(Debug, PartialEq, Generate)]
/// enum Expr {
///     Add(Box<Expr>, Box<Expr>),
///     Number(i32),
/// }
///
/// // Numbers come first: they end the recursion. So `Number(0)` is the simplest value.
/// let expr = tc.draw(any::<Expr>());
/// # assert_eq!(expr, Expr::Number(0));
/// ```
///
/// Attributes define how fields and variants are drawn, see [the derive](derive@crate::Generate):
///
/// ```
/// use std::thread::ThreadId;
///
/// use dwindle::prelude::*;
/// # use dwindle_engine as dwindle;
/// # let mut tc = dwindle::internals::Driver::new();
/// # tc.start_bytes(&[4, 4, 4, b'x', 0xFF], 100);
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
/// // At most two `Not` stand around each other.
/// let rule = tc.draw(any::<Rule>());
/// # // Of five places the last is `Not`. The third would stand in two others and is not drawn.
/// # let named = Rule::Named("x".to_owned());
/// # assert_eq!(rule, Rule::Not(Box::new(Rule::Not(Box::new(named)))));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no generator",
    label = "`Generate` is not implemented",
    note = "write `#[derive(Generate)]` on the type, or name a generator with \
            `#[generate(with = ..)]` on the field or the argument"
)]
pub trait Generate: Sized {
    /// Draws one value. The same choices give the same value.
    fn generate(tc: &mut TestCase) -> Self;

    /// See [`Generator::alternatives`].
    #[doc(hidden)]
    #[inline]
    fn alternatives() -> Option<Alternatives> {
        None
    }

    /// See [`Generator::generate_alternative`].
    #[doc(hidden)]
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

//! What rules take from pools and put into them, as the attribute writes it.
//!
//! The traits have the messages that a user reads after a mistake, see `crate::generated`.

use std::borrow::{Borrow, BorrowMut};

/// A type that a rule takes out of a pool.
#[diagnostic::on_unimplemented(
    message = "the pool holds `{Held}`, and the type here is `{Self}`",
    label = "the pool holds `{Held}`",
    note = "name the type of the values in the pool, or a reference to it"
)]
pub trait TakenFromPool<Held> {
    /// The value from the pool.
    fn taken(value: Held) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T> TakenFromPool<T> for T {
    fn taken(value: T) -> T {
        value
    }
}

/// A type that a pool lends to a rule.
#[diagnostic::on_unimplemented(
    message = "the pool holds `{Held}`, and the type here is `&{Self}`",
    label = "the pool holds `{Held}`",
    note = "name the type of the values in the pool, or a reference to it"
)]
pub trait LentFromPool<Held> {
    /// Borrows from the value in the pool.
    fn lent(value: &Held) -> &Self;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized, Held: Borrow<T>> LentFromPool<Held> for T {
    fn lent(value: &Held) -> &T {
        value.borrow()
    }
}

/// A type that a pool lends to a rule for changes.
#[diagnostic::on_unimplemented(
    message = "the pool holds `{Held}`, and the type here is `&mut {Self}`",
    label = "the pool holds `{Held}`",
    note = "name the type of the values in the pool, or a reference to it"
)]
pub trait LentToChange<Held> {
    /// Borrows from the value in the pool.
    fn lent(value: &mut Held) -> &mut Self;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized, Held: BorrowMut<T>> LentToChange<Held> for T {
    fn lent(value: &mut Held) -> &mut T {
        value.borrow_mut()
    }
}

/// A type whose values a rule puts into a pool.
#[diagnostic::on_unimplemented(
    message = "the pool takes `{Held}`, and the rule returns `{Self}`",
    label = "the pool takes `{Held}`",
    note = "a rule with `into = pool` returns one value of the type in the pool"
)]
pub trait IntoPool<Held> {
    /// The value for the pool.
    fn put(self) -> Held;
}

#[diagnostic::do_not_recommend]
impl<T> IntoPool<T> for T {
    fn put(self) -> T {
        self
    }
}

/// The argument of a rule that reads a value of a pool.
pub fn lent<T: LentFromPool<Held> + ?Sized, Held>(value: &Held) -> &T {
    T::lent(value)
}

/// The argument of a rule that changes a value of a pool.
pub fn lent_to_change<T: LentToChange<Held> + ?Sized, Held>(value: &mut Held) -> &mut T {
    T::lent(value)
}

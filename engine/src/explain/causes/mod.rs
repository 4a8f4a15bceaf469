//! Causes: whether a failing input contains a known one, whether that is the reason, and the next
//! failure that no known cause explains.

pub(crate) mod balance;
pub(crate) mod needed;
pub(crate) mod known;
pub(crate) mod lifted;
pub(crate) mod strings_together;
pub(crate) mod contains;
pub(crate) mod cause;
pub(crate) mod outside;
pub(crate) mod next;
pub(crate) mod wanted;
pub(crate) mod contexts;

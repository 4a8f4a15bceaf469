//! One of several reasons for which a target fails at one place.

use super::contains::contains;
use super::wanted::Wanted;
use crate::explain::classes::claims::Claims;
use crate::shrink::place::alternative;
use crate::trace::Trace;

/// A minimized failure and what is claimed of it.
///
/// A test with one assertion always fails with the same origin, although the faults differ. A cause
/// describes the failures that come from one such fault.
#[derive(Clone, Debug)]
pub struct Cause {
    /// The minimized input.
    pub minimized: Trace,
    /// The claims about it.
    pub claims: Claims,
}

impl Cause {
    /// Whether the input of `failing` contains this cause. Then its failure is not a new cause.
    ///
    /// - Collections, and draws of the test case itself, may have further elements anywhere. The
    ///   elements of the cause stand between them in their order.
    /// - A recursive value may hold the value of the cause at any depth, and
    ///   [some parts](Claims::inside) of the cause, too.
    /// - Values are as claimed, and related as claimed. A value without a claim is equal, unless it
    ///   is [loose](Claims::loose), has a [pattern](Claims::patterns), or must only be
    ///   [equal](Claims::equal) to another one.
    ///
    /// This looks at the choices alone and runs nothing, so loose values may be anything;
    /// [`KnownCauses`](super::known::KnownCauses) also run the target. If there are too many ways
    /// to find the cause, the answer is `true`: an undecided failure is not called a new cause.
    pub fn explains(&self, failing: &Trace) -> bool {
        contains(&self.wanted(), failing)
    }

    /// The alternatives that the minimized input takes, in order, without immediate repetitions:
    /// for example the operations of a test of a map. Two causes of one form may be one fault that
    /// claims cannot describe, such as a sum.
    pub fn form(&self) -> Vec<i128> {
        let mut form: Vec<i128> = self.minimized.choices.iter().filter_map(alternative).collect();
        form.dedup();
        form
    }

    pub(crate) fn wanted(&self) -> Wanted<'_> {
        Wanted::of(&self.minimized, &self.claims)
    }
}

//! Values that contain values of the same kind.

use std::rc::Rc;

use super::{Boxed, Generator};
use crate::test_case::Alternatives;
use crate::test_case::{DEPTH_MAX, TestCase};
use crate::trace::Label;

/// Generates leaves, which are simpler, and branches, at most 32 levels deep.
///
/// `branch` receives a generator for the values below a branch and returns the generator of the
/// branch.
pub fn recursive<L, T, B, G>(leaf: L, branch: B) -> Recursive<T>
where
    L: Generator<Value = T> + 'static,
    B: Fn(Recursive<T>) -> G + 'static,
    G: Generator<Value = T> + 'static,
    T: 'static,
{
    Recursive { leaf: leaf.boxed(), branch: Rc::new(move |inner| branch(inner).boxed()) }
}

/// See [`recursive`].
pub struct Recursive<T: 'static> {
    leaf: Boxed<'static, T>,
    branch: Rc<Branch<T>>,
}

/// Creates the generator of a branch again at each level, because a generator that holds itself is
/// never freed.
type Branch<T> = dyn Fn(Recursive<T>) -> Boxed<'static, T>;

impl<T> Clone for Recursive<T> {
    fn clone(&self) -> Self {
        Recursive { leaf: self.leaf.clone(), branch: Rc::clone(&self.branch) }
    }
}

impl<T> std::fmt::Debug for Recursive<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recursive")
    }
}

impl<T> Recursive<T> {
    const ALTERNATIVES: Alternatives =
        Alternatives { leaves: 1, ..Alternatives::equal(2, Label::of("dwindle::recursive")) };
}

impl<T> Generator for Recursive<T> {
    type Value = T;

    fn generate(&self, tc: &mut TestCase) -> T {
        Self::ALTERNATIVES.draw(tc, |index, tc| self.generate_alternative(index, tc))
    }

    fn alternatives(&self) -> Option<Alternatives> {
        Some(Self::ALTERNATIVES)
    }

    fn generate_alternative(&self, index: usize, tc: &mut TestCase) -> T {
        if index == 0 {
            self.leaf.generate(tc)
        } else {
            tc.deeper_in(TestCase::RECURSIVE, |tc| (self.branch)(self.clone()).generate(tc))
        }
    }
}

const _: () = assert!(DEPTH_MAX < 128, "every level takes stack: a target's thread has 8 MiB");

//! Tuples and arrays of generators. They draw every part in order.

use super::Generator;
use crate::test_case::Alternatives;
use crate::test_case::TestCase;
use crate::trace::Label;

macro_rules! tuple {
    ($($part:ident $index:tt),*) => {
        impl<$($part: Generator),*> Generator for ($($part,)*) {
            type Value = ($($part::Value,)*);

            #[inline]
            fn generate(&self, tc: &mut TestCase) -> Self::Value {
                tc.span(Label::TUPLE, |tc| ($(self.$index.generate(tc),)*))
            }

            #[inline]
            fn alternatives(&self) -> Option<Alternatives> {
                self.0.alternatives().map(|first| Alternatives { label: Label::TUPLE, ..first })
            }

            #[inline]
            fn generate_alternative(&self, index: usize, tc: &mut TestCase) -> Self::Value {
                tuple!(@fused self tc index $($index)*)
            }
        }
    };
    (@fused $self:ident $tc:ident $chosen:ident 0 $($index:tt)*) => {
        ($self.0.generate_alternative($chosen, $tc), $($self.$index.generate($tc),)*)
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

impl<G: Generator, const N: usize> Generator for [G; N] {
    type Value = [G::Value; N];

    #[inline]
    fn generate(&self, tc: &mut TestCase) -> Self::Value {
        tc.span(Label::TUPLE, |tc| std::array::from_fn(|index| self[index].generate(tc)))
    }
}

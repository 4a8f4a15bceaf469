//! Properties of the shrinking challenge over values that `derive(Arbitrary)` makes of bytes: the
//! properties are those that the quality bench shrinks.

use arbitrary::{Arbitrary, Unstructured};
use quality_properties::{Case, Property, Verdict};

/// Five lists.
#[derive(Arbitrary, Clone, Debug)]
pub struct Five {
    lists: [Vec<i16>; 5],
}

/// Any number of lists.
#[derive(Arbitrary, Clone, Debug)]
pub struct Lists {
    lists: Vec<Vec<i32>>,
}

/// A term of the calculator.
#[derive(Arbitrary, Clone, Debug)]
pub enum Expr {
    /// A literal.
    Int(i32),
    /// A sum.
    Add(Box<Expr>, Box<Expr>),
    /// A quotient.
    Div(Box<Expr>, Box<Expr>),
}

impl From<Five> for Case {
    fn from(five: Five) -> Case {
        Case::Five(five.lists.into())
    }
}

impl From<Lists> for Case {
    fn from(lists: Lists) -> Case {
        Case::Lists(lists.lists)
    }
}

impl From<Expr> for Case {
    fn from(expr: Expr) -> Case {
        Case::Expr(expr.into())
    }
}

impl From<Expr> for quality_properties::Expr {
    fn from(expr: Expr) -> quality_properties::Expr {
        use quality_properties::Expr as To;
        let boxed = |expr: Box<Expr>| Box::new(To::from(*expr));
        match expr {
            Expr::Int(value) => To::Int(value),
            Expr::Add(left, right) => To::Add(boxed(left), boxed(right)),
            Expr::Div(left, right) => To::Div(boxed(left), boxed(right)),
        }
    }
}

/// One target of the bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Five lists with small sums have a small sum.
    Bound5,
    /// What divides by no literal zero divides by no zero.
    Calculator,
    /// At most ten elements in all lists.
    Nestedlists,
    /// At most four different elements in all lists.
    LargeUnionList,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 4] =
        [Target::Bound5, Target::Calculator, Target::Nestedlists, Target::LargeUnionList];

    /// Its name as a binary.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.property().name()
    }

    fn property(self) -> Property {
        match self {
            Target::Bound5 => Property::Bound5,
            Target::Calculator => Property::Calculator,
            Target::Nestedlists => Property::Nestedlists,
            Target::LargeUnionList => Property::LargeUnionList,
        }
    }

    /// Whether the value is one the target wants.
    ///
    /// # Panics
    /// If it makes the property fail.
    #[must_use]
    pub fn check(self, case: &Case) -> bool {
        let verdict = self.property().judge(case);
        assert!(verdict != Verdict::Fails, "{} fails", self.name());
        verdict == Verdict::Passes
    }

    /// The value that the target makes of an input, if it makes one.
    #[must_use]
    pub fn value(self, input: &[u8]) -> Option<Case> {
        fn of<'a, T: Arbitrary<'a> + Into<Case>>(input: &'a [u8]) -> Option<Case> {
            (input.len() >= T::size_hint(0).0)
                .then(|| T::arbitrary_take_rest(Unstructured::new(input)).ok().map(Into::into))
                .flatten()
        }
        match self {
            Target::Bound5 => of::<Five>(input),
            Target::Calculator => of::<Expr>(input),
            Target::Nestedlists | Target::LargeUnionList => of::<Lists>(input),
        }
    }

    /// Whether an input makes the target fail.
    #[must_use]
    pub fn fails(self, input: &[u8]) -> bool {
        self.value(input).is_some_and(|case| self.property().judge(&case) == Verdict::Fails)
    }
}

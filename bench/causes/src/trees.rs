//! Programs over trees. They showed that equal parts and sums make many causes, so they were there
//! before that was mended.

use dwindle_engine::TestCase;
use dwindle_engine::prelude::*;

use crate::program::{Faults, Program};

/// All of them.
pub const ALL: &[Program] = &[
    Program { name: "layout", faults: 8, agrees: layout },
    Program { name: "queries", faults: 8, agrees: queries },
    Program { name: "types", faults: 7, agrees: types },
];

#[derive(Clone, Debug, PartialEq, Generate)]
enum Part {
    Text(u8),
    Row(Vec<Part>),
    Column(Vec<Part>),
    Pad(u8, Box<Part>),
    Hidden(Box<Part>),
}

impl Part {
    fn children(&self) -> Vec<&Part> {
        match self {
            Part::Text(_) => Vec::new(),
            Part::Row(all) | Part::Column(all) => all.iter().collect(),
            Part::Pad(_, one) | Part::Hidden(one) => vec![one],
        }
    }

    fn width(&self) -> u32 {
        match self {
            Part::Text(width) => u32::from(*width),
            Part::Row(all) => all.iter().map(Part::width).sum(),
            Part::Column(all) => all.iter().map(Part::width).max().unwrap_or(0),
            Part::Pad(by, one) => one.width() + 2 * u32::from(*by),
            Part::Hidden(_) => 0,
        }
    }

    fn is_wrong(&self, faults: Faults) -> bool {
        let here = match self {
            Part::Text(width) => faults.hit(0, *width == 80),
            Part::Row(all) => {
                faults.hit(1, all.len() >= 2 && all.iter().all(|one| matches!(one, Part::Text(0))))
                    || faults.hit(2, all.iter().any(|one| matches!(one, Part::Row(_))))
            }
            Part::Column(all) => {
                faults.hit(3, all.len() > 1 && all.first() == all.last() && all[0].width() > 0)
            }
            Part::Pad(by, one) => {
                faults.hit(4, *by > 0 && matches!(**one, Part::Hidden(_)))
                    || faults.hit(5, matches!(&**one, Part::Pad(inner, _) if inner > by))
            }
            Part::Hidden(one) => faults.hit(6, one.width() > 300),
        };
        here || self.children().iter().any(|child| child.is_wrong(faults))
    }
}

fn layout(tc: &mut TestCase, faults: Faults) -> bool {
    let part: Part = tc.draw(any());
    let is_nothing = matches!(&part, Part::Hidden(one) if matches!(**one, Part::Hidden(_)));
    !(part.is_wrong(faults) || faults.hit(7, is_nothing))
}

#[derive(Clone, Debug, PartialEq, Generate)]
enum Test {
    True,
    Is(u8, i16),
    Not(Box<Test>),
    Both(Box<Test>, Box<Test>),
}

#[derive(Clone, Debug, PartialEq, Generate)]
enum Query {
    Table(u8),
    Filter(Test, Box<Query>),
    Join(u8, Box<Query>, Box<Query>),
    Limit(u16, Box<Query>),
    Sorted(u8, bool, Box<Query>),
}

impl Test {
    fn is_wrong(&self, faults: Faults) -> bool {
        match self {
            Test::True | Test::Is(..) => false,
            Test::Not(one) => {
                faults.hit(0, matches!(**one, Test::Both(..))) || one.is_wrong(faults)
            }
            Test::Both(one, other) => {
                faults.hit(1, one == other && **one != Test::True)
                    || one.is_wrong(faults)
                    || other.is_wrong(faults)
            }
        }
    }
}

impl Query {
    fn is_wrong(&self, faults: Faults) -> bool {
        match self {
            Query::Table(_) => false,
            Query::Filter(test, query) => {
                faults.hit(2, matches!((test, &**query), (Test::True, Query::Limit(..))))
                    || test.is_wrong(faults)
                    || query.is_wrong(faults)
            }
            Query::Join(key, left, right) => {
                faults.hit(
                    3,
                    matches!((&**left, &**right), (Query::Table(a), Query::Table(b)) if a == b),
                ) || faults.hit(4, *key == 0 && matches!(**right, Query::Sorted(..)))
                    || left.is_wrong(faults)
                    || right.is_wrong(faults)
            }
            Query::Limit(rows, query) => {
                faults.hit(5, *rows == 0)
                    || faults.hit(6, matches!(&**query, Query::Limit(inner, _) if inner < rows))
                    || query.is_wrong(faults)
            }
            Query::Sorted(_, is_falling, query) => {
                faults.hit(7, *is_falling && matches!(**query, Query::Sorted(_, false, _)))
                    || query.is_wrong(faults)
            }
        }
    }
}

fn queries(tc: &mut TestCase, faults: Faults) -> bool {
    !tc.draw(any::<Query>()).is_wrong(faults)
}

#[derive(Clone, Debug, PartialEq, Generate)]
enum Type {
    Unit,
    Number(u8),
    List(Box<Type>),
    Pair(Box<Type>, Box<Type>),
    Function(Vec<Type>, Box<Type>),
}

impl Type {
    fn is_wrong(&self, faults: Faults) -> bool {
        match self {
            Type::Unit => false,
            Type::Number(bits) => faults.hit(0, *bits > 64),
            Type::List(of) => faults.hit(1, **of == Type::Unit) || of.is_wrong(faults),
            Type::Pair(one, other) => {
                faults.hit(2, **one == Type::Unit && **other == Type::Unit)
                    || faults.hit(3, matches!(**one, Type::Function(..)))
                    || one.is_wrong(faults)
                    || other.is_wrong(faults)
            }
            Type::Function(from, to) => {
                faults.hit(4, from.len() == 4)
                    || faults.hit(5, from.contains(to))
                    || faults.hit(6, from.is_empty() && matches!(**to, Type::Function(..)))
                    || from.iter().any(|one| one.is_wrong(faults))
                    || to.is_wrong(faults)
            }
        }
    }
}

fn types(tc: &mut TestCase, faults: Faults) -> bool {
    !tc.draw(any::<Type>()).is_wrong(faults)
}

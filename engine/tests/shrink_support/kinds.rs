//! Properties over values of every kind.

use std::collections::BTreeSet;

use dwindle_engine::generators as g;
use dwindle_engine::internals::choice::Coin;
use dwindle_engine::{Generator, TestCase, any};

use super::properties::Case;

/// One property for each kind of value.
pub(crate) const KINDS: &[Case] = &[
    Case {
        name: "not ascii",
        property: not_ascii,
        minimum: &[r#""\u{80}""#],
        reference: "",
        calls_max: 100,
        is_hard: false,
    },
    Case {
        name: "two equal capitals",
        property: two_equal_capitals,
        minimum: &[r#""AA""#],
        reference: "",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "contains /",
        property: contains_slash,
        minimum: &[r#""0/0""#],
        reference: "",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "float above 0.3",
        property: float_above,
        minimum: &["1.0"],
        reference: "",
        calls_max: 20,
        is_hard: false,
    },
    Case {
        name: "float with fraction",
        property: float_with_fraction,
        minimum: &["10.5"],
        reference: "",
        calls_max: 150,
        is_hard: false,
    },
    Case {
        name: "float not finite",
        property: float_not_finite,
        minimum: &["inf"],
        reference: "",
        calls_max: 30,
        is_hard: false,
    },
    Case {
        name: "u128 large",
        property: u128_large,
        minimum: &["1267650600228229401496703205377"],
        reference: "",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "u128 apart",
        property: u128_apart,
        minimum: &["0", "1000"],
        reference: "",
        calls_max: 300,
        is_hard: false,
    },
    Case {
        name: "bytes",
        property: bytes_escape,
        minimum: &["[255, 1]"],
        reference: "",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "map of lists",
        property: map_of_lists,
        minimum: &["{2: [0, 0]}"],
        reference: "",
        calls_max: 300,
        is_hard: false,
    },
    Case {
        name: "set gap",
        property: set_gap,
        minimum: &["{0, 1, 2}"],
        reference: "",
        calls_max: 300,
        is_hard: false,
    },
    Case {
        name: "deep tree",
        property: deep_tree,
        minimum: &["Node([Node([Node([])])])"],
        reference: "",
        calls_max: 300,
        is_hard: false,
    },
    Case {
        name: "tree holds 7 twice",
        property: tree_holds,
        minimum: &["Node([Leaf(7), Leaf(7)])"],
        reference: "",
        calls_max: 400,
        is_hard: false,
    },
    Case {
        name: "option and result",
        property: option_and_result,
        minimum: &["[Some(Err(0)), None]"],
        reference: "",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "negative sum",
        property: negative_sum,
        minimum: &["[-1000]"],
        reference: "",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "sorted by key",
        property: sorted_by_key,
        minimum: &["[(0, 1), (0, 0)]"],
        reference: "",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "flagged loop",
        property: flagged_loop,
        minimum: &["true", "0", "true", "1", "false"],
        reference: "",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "bare loop",
        property: bare_loop,
        minimum: &["[0, 0, 1]"],
        reference: "",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "counted rounds before a list",
        property: counted_rounds,
        minimum: &["0", "[0, 0, 0, 0]"],
        reference: "",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "drawn depth",
        property: drawn_depth,
        minimum: &["And(Bool(false), Bool(true))"],
        reference: "",
        calls_max: 400,
        is_hard: false,
    },
    Case {
        name: "counted matrix",
        property: counted_matrix,
        minimum: &["1", "2", "0", "1"],
        reference: "",
        calls_max: 400,
        is_hard: false,
    },
];

fn not_ascii(tc: &mut TestCase) -> bool {
    tc.draw(g::text()).is_ascii()
}

fn two_equal_capitals(tc: &mut TestCase) -> bool {
    let chars: Vec<char> = tc.draw(g::text()).chars().collect();
    chars.windows(2).all(|pair| pair[0] != pair[1] || !pair[0].is_ascii_uppercase())
}

fn contains_slash(tc: &mut TestCase) -> bool {
    let text = tc.draw(g::text());
    text.split_once('/').is_none_or(|(before, after)| before.is_empty() || after.is_empty())
}

fn float_above(tc: &mut TestCase) -> bool {
    let value = tc.draw(g::floats::<f64>(..));
    value.is_nan() || value <= 0.3
}

fn float_with_fraction(tc: &mut TestCase) -> bool {
    let value = tc.draw(g::floats::<f64>(..));
    !(value.is_finite() && value > 10.0 && value.fract() != 0.0)
}

fn float_not_finite(tc: &mut TestCase) -> bool {
    tc.draw(g::floats::<f64>(..)).is_finite()
}

fn u128_large(tc: &mut TestCase) -> bool {
    tc.draw(g::integers(0u128..)) <= 1 << 100
}

fn u128_apart(tc: &mut TestCase) -> bool {
    let one = tc.draw(g::integers(0u128..));
    let other = tc.draw(g::integers(0u128..));
    one.abs_diff(other) < 1000
}

fn bytes_escape(tc: &mut TestCase) -> bool {
    tc.draw(g::bytes()).windows(2).all(|pair| pair[0] != 0xFF || pair[1] == 0)
}

fn map_of_lists(tc: &mut TestCase) -> bool {
    let map = tc.draw(g::btree_map(g::integers(0u8..), g::vec(g::integers(0u16..))));
    map.iter().all(|(key, list)| *key < 2 || list.len() != usize::from(*key))
}

fn set_gap(tc: &mut TestCase) -> bool {
    let set = tc.draw(g::btree_set(g::integers(0u16..)));
    set.len() < 3 || set.iter().max().zip(set.iter().min()).is_none_or(|(max, min)| max - min < 2)
}

#[derive(Clone, Debug)]
enum Tree {
    Leaf(i32),
    Node(Vec<Tree>),
}

impl Tree {
    fn depth(&self) -> usize {
        match self {
            Tree::Leaf(_) => 0,
            Tree::Node(trees) => 1 + trees.iter().map(Tree::depth).max().unwrap_or(0),
        }
    }

    fn count(&self, wanted: i32) -> usize {
        match self {
            Tree::Leaf(value) => usize::from(*value == wanted),
            Tree::Node(trees) => trees.iter().map(|tree| tree.count(wanted)).sum(),
        }
    }
}

fn trees() -> impl Generator<Value = Tree> {
    g::recursive(g::integers(0i32..=100).map(Tree::Leaf), |inner| {
        g::vec(inner).len(..=4).map(Tree::Node)
    })
}

fn deep_tree(tc: &mut TestCase) -> bool {
    tc.draw(trees()).depth() < 3
}

fn tree_holds(tc: &mut TestCase) -> bool {
    tc.draw(trees()).count(7) < 2
}

fn option_and_result(tc: &mut TestCase) -> bool {
    let list = tc.draw(g::vec(g::option(g::result(g::integers(0i32..), g::integers(0u8..)))));
    list.windows(2).all(|pair| !(matches!(pair[0], Some(Err(_))) && pair[1].is_none()))
}

fn negative_sum(tc: &mut TestCase) -> bool {
    tc.draw(g::vec(g::integers(i32::MIN..=0))).iter().map(|value| i64::from(*value)).sum::<i64>()
        > -1000
}

fn sorted_by_key(tc: &mut TestCase) -> bool {
    let list = tc.draw(g::vec((g::integers(0u8..), g::integers(0u8..))));
    list.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].1 <= pair[1].1)
}

/// A loop of the target's own, without a collection.
fn flagged_loop(tc: &mut TestCase) -> bool {
    let mut values = Vec::new();
    while values.len() < 50 && tc.draw(g::weighted_booleans(0.9)) {
        values.push(tc.draw(g::integers(0i32..)));
    }
    values.windows(2).all(|pair| pair[0] == pair[1])
}

/// The same by a generator that makes its choices without spans.
fn bare_loop(tc: &mut TestCase) -> bool {
    let numbers = tc.draw(g::from_fn(|tc| {
        let mut numbers = Vec::new();
        while numbers.len() < 50 && tc.coin(Coin::weighted(0.9)) {
            numbers.push(tc.integer(0, u32::MAX));
        }
        numbers
    }));
    numbers.len() < 3 || numbers.windows(2).all(|pair| pair[0] == pair[1])
}

/// A loop of the target's own whose rounds are counted by a number, and a list behind it.
fn counted_rounds(tc: &mut TestCase) -> bool {
    for _ in 0..tc.draw(g::integers(0..=9u8)) {
        tc.draw_silent(any::<u8>());
        tc.draw_silent(any::<String>());
    }
    tc.draw(any::<Vec<u8>>()).len() < 4
}

/// Rows and columns drawn first.
fn counted_matrix(tc: &mut TestCase) -> bool {
    let rows = tc.draw(g::integers(0usize..=8));
    let columns = tc.draw(g::integers(0usize..=8));
    let mut seen = BTreeSet::new();
    for _ in 0..rows * columns {
        seen.insert(tc.draw(g::integers(0u8..)));
    }
    seen.len() < 2
}

#[derive(Clone, Debug, PartialEq)]
enum Formula {
    Bool(bool),
    Number(i64),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
}

/// A formula whose depth is drawn before it, at each level anew.
fn formula(tc: &mut TestCase, depth: u8) -> Formula {
    if depth == 0 {
        return tc.draw(g::one_of((
            g::booleans().map(Formula::Bool),
            g::integers(..).map(Formula::Number),
        )));
    }
    let below = tc.draw(g::integers(0..depth));
    let side = || g::from_fn(move |tc| Box::new(formula(tc, below)));
    let (and, or) = (
        (side(), side()).map(|(one, other)| Formula::And(one, other)),
        (side(), side()).map(|(one, other)| Formula::Or(one, other)),
    );
    tc.draw(g::one_of((side().map(Formula::Not), and, or)))
}

/// No "and" has two different sides.
fn drawn_depth(tc: &mut TestCase) -> bool {
    fn is_fine(formula: &Formula) -> bool {
        match formula {
            Formula::Bool(_) | Formula::Number(_) => true,
            Formula::Not(inner) => is_fine(inner),
            Formula::And(one, other) => one == other && is_fine(one),
            Formula::Or(one, other) => is_fine(one) && is_fine(other),
        }
    }
    let depth = tc.draw_silent(g::integers(0u8..=20));
    let formula = tc.draw(g::from_fn(|tc| formula(tc, depth)));
    is_fine(&formula)
}

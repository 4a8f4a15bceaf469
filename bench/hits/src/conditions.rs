//! The twelve properties: what a value must be to hit. They were chosen before any tool was run on
//! them.

use std::collections::{BTreeMap, HashSet};

use dwindle::Generate;

/// How long lists and maps may become, in every tool.
pub const LENGTH_MAX: usize = 100;

/// How many characters texts may have, in every tool.
pub const TEXT_MAX: usize = 32;

/// What is to be hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// [`equal_values`].
    EqualValues,
    /// [`pushes_without_a_pop`].
    PushesWithoutAPop,
    /// [`sum_near_the_limit`].
    SumNearTheLimit,
    /// [`nearly_sorted`].
    NearlySorted,
    /// [`duplicates_far_apart`].
    DuplicatesFarApart,
    /// [`deep_tree`].
    DeepTree,
    /// [`palindrome`].
    Palindrome,
    /// [`quote_then_backslash`].
    QuoteThenBackslash,
    /// [`overflowing_division`].
    OverflowingDivision,
    /// [`equal_texts`].
    EqualTexts,
    /// [`flags_and_long_list`].
    FlagsAndLongList,
    /// [`key_that_is_a_value`].
    KeyThatIsAValue,
}

impl Property {
    /// All of them, as the table shows them.
    pub const ALL: [Property; 12] = [
        Property::EqualValues,
        Property::PushesWithoutAPop,
        Property::SumNearTheLimit,
        Property::NearlySorted,
        Property::DuplicatesFarApart,
        Property::DeepTree,
        Property::Palindrome,
        Property::QuoteThenBackslash,
        Property::OverflowingDivision,
        Property::EqualTexts,
        Property::FlagsAndLongList,
        Property::KeyThatIsAValue,
    ];

    /// Its name in the table.
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// What hits, in words.
    pub fn what(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Property::EqualValues => ("equal_values", "a list of at least 20 `i32`, all equal"),
            Property::PushesWithoutAPop => {
                ("pushes_without_a_pop", "40 pushes in a row among pushes and pops")
            }
            Property::SumNearTheLimit => (
                "sum_near_the_limit",
                "two `i32` whose sum is `i32::MAX`, give or take 1, neither being 0",
            ),
            Property::NearlySorted => (
                "nearly_sorted",
                "a list of at least 12 different `i32`, each greater than the one before but for \
                 one",
            ),
            Property::DuplicatesFarApart => (
                "duplicates_far_apart",
                "two equal `u64` above 1000 at least 25 places apart, 10 different ones in the \
                 list",
            ),
            Property::DeepTree => ("deep_tree", "a tree 12 levels deep"),
            Property::Palindrome => (
                "palindrome",
                "a text of at least 9 characters that reads the same backwards, not all of one",
            ),
            Property::QuoteThenBackslash => {
                ("quote_then_backslash", "a text with a quote and, right behind it, a backslash")
            }
            Property::OverflowingDivision => ("overflowing_division", "`i64::MIN` and -1"),
            Property::EqualTexts => ("equal_texts", "two equal texts of at least 4 characters"),
            Property::FlagsAndLongList => {
                ("flags_and_long_list", "one flag set, one not, and a list of at least 95 `u8`")
            }
            Property::KeyThatIsAValue => (
                "key_that_is_a_value",
                "a map of at least 5 `u32` in which a key is the value of another",
            ),
        }
    }
}

/// What happens to a stack.
#[derive(Clone, Debug, Generate)]
#[expect(dead_code, reason = "what is pushed is only drawn")]
pub enum Op {
    /// A value comes.
    Push(u8),
    /// The last one goes.
    Pop,
}

/// A binary tree.
#[derive(Clone, Debug, Generate)]
#[expect(dead_code, reason = "what a leaf holds is only drawn")]
pub enum Tree {
    /// An end.
    Leaf(i8),
    /// Two trees.
    Node(Box<Tree>, Box<Tree>),
}

/// At least 20, all equal.
pub fn equal_values(list: &[i32]) -> bool {
    list.len() >= 20 && list.iter().all(|value| *value == list[0])
}

/// 40 pushes in a row.
pub fn pushes_without_a_pop(ops: &[Op]) -> bool {
    ops.split(|op| matches!(op, Op::Pop)).any(|run| run.len() >= 40)
}

/// A sum that just fits, or just does not.
pub fn sum_near_the_limit(a: i32, b: i32) -> bool {
    a != 0 && b != 0 && (i64::from(a) + i64::from(b) - i64::from(i32::MAX)).abs() <= 1
}

/// One descent in a list of different values.
pub fn nearly_sorted(list: &[i32]) -> bool {
    list.len() >= 12
        && list.iter().collect::<HashSet<_>>().len() == list.len()
        && list.windows(2).filter(|pair| pair[0] > pair[1]).count() == 1
}

/// Two equal large values far apart, in a list of many different ones.
pub fn duplicates_far_apart(list: &[u64]) -> bool {
    let twice = |(at, value): (usize, &u64)| {
        *value > 1000 && list.iter().skip(at + 25).any(|other| other == value)
    };
    list.iter().enumerate().any(twice) && list.iter().collect::<HashSet<_>>().len() >= 10
}

/// 12 levels.
pub fn deep_tree(tree: &Tree) -> bool {
    fn depth(tree: &Tree) -> usize {
        match tree {
            Tree::Leaf(_) => 0,
            Tree::Node(left, right) => 1 + depth(left).max(depth(right)),
        }
    }
    depth(tree) >= 12
}

/// The same backwards, and not one character only.
pub fn palindrome(text: &str) -> bool {
    let characters: Vec<char> = text.chars().collect();
    characters.len() >= 9
        && characters.iter().eq(characters.iter().rev())
        && characters.iter().any(|c| *c != characters[0])
}

/// An escape where a string has just begun.
pub fn quote_then_backslash(text: &str) -> bool {
    text.contains("\"\\")
}

/// The one quotient of two numbers that does not fit.
pub fn overflowing_division(a: i64, b: i64) -> bool {
    a == i64::MIN && b == -1
}

/// As a password that is the name.
pub fn equal_texts(a: &str, b: &str) -> bool {
    a.chars().count() >= 4 && a == b
}

/// One way to set two flags, and much to do.
pub fn flags_and_long_list(a: bool, b: bool, list: &[u8]) -> bool {
    a && !b && list.len() >= 95
}

/// A step from one key to another.
pub fn key_that_is_a_value(map: &BTreeMap<u32, u32>) -> bool {
    map.len() >= 5 && map.iter().any(|(key, value)| key != value && map.contains_key(value))
}

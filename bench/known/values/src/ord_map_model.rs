//! im 14.3.0: a removal from a large `OrdMap` puts a value into a full node, which panics. Fixed in
//! 15.0.0, <https://github.com/bodil/im-rs/issues/124>.

use std::collections::BTreeMap;

use im::OrdMap;

/// One call on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[expect(missing_docs, reason = "the fields are said in the lines above")]
pub enum Op {
    /// Gives a key a value.
    Insert(u16, u8),
    /// Takes the value of a key.
    Remove(u16),
    /// Gives the keys from `start` on, every `step`th of them, the value 0.
    Fill { start: u16, step: u8, count: u8 },
    /// Takes the values of the same keys.
    Drain { start: u16, step: u8, count: u8 },
    /// Takes the least key.
    RemoveMin,
    /// Takes the greatest key.
    RemoveMax,
}

fn keys(start: u16, step: u8, count: u8) -> impl Iterator<Item = u16> {
    (0..u16::from(count)).map(move |index| start.wrapping_add(index.wrapping_mul(step.into())))
}

/// The map has the keys and values of a `BTreeMap`.
///
/// # Panics
///
/// If it has others; or inside `im`.
pub fn check(ops: &[Op]) {
    let mut map = OrdMap::new();
    let mut model = BTreeMap::new();
    for &op in ops {
        match op {
            Op::Insert(key, value) => assert_eq!(map.insert(key, value), model.insert(key, value)),
            Op::Remove(key) => assert_eq!(map.remove(&key), model.remove(&key)),
            Op::Fill { start, step, count } => {
                for key in keys(start, step, count) {
                    assert_eq!(map.insert(key, 0), model.insert(key, 0));
                }
            }
            Op::Drain { start, step, count } => {
                for key in keys(start, step, count) {
                    assert_eq!(map.remove(&key), model.remove(&key));
                }
            }
            Op::RemoveMin => {
                let (entry, rest) = map.without_min_with_key();
                map = rest;
                assert_eq!(entry, model.pop_first());
            }
            Op::RemoveMax => {
                let (entry, rest) = map.without_max_with_key();
                map = rest;
                assert_eq!(entry, model.pop_last());
            }
        }
    }
    assert!(map.iter().map(|(key, value)| (key, value)).eq(&model));
}

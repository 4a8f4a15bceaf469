//! `radix_trie` 0.1.4: removing a key that is not there breaks the trie. Fixed in 0.1.5,
//! <https://github.com/michaelsproul/rust_radix_trie/issues/50>.

use std::collections::BTreeMap;

use radix_trie::{Trie, TrieCommon};

/// One call on the trie.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Op {
    /// Gives a key a value.
    Insert(String, u8),
    /// Takes the value of a key.
    Remove(String),
    /// Looks at the values of all keys that begin with a text.
    Prefix(String),
}

/// The trie has the keys and values of a `BTreeMap`.
///
/// # Panics
///
/// If it has others; or inside `radix_trie`.
pub fn check(ops: &[Op]) {
    let mut trie = Trie::new();
    let mut model = BTreeMap::new();
    for op in ops {
        match op {
            Op::Insert(key, value) => {
                assert_eq!(trie.insert(key.clone(), *value), model.insert(key.clone(), *value));
            }
            Op::Remove(key) => assert_eq!(trie.remove(key), model.remove(key)),
            Op::Prefix(prefix) => {
                let trie = trie.get_raw_descendant(prefix);
                let expected = model.iter().filter(|(key, _)| key.starts_with(prefix.as_str()));
                let found = trie.iter().flat_map(TrieCommon::iter).collect::<BTreeMap<_, _>>();
                assert_eq!(found, expected.collect());
            }
        }
        assert!(trie.check_integrity());
        assert_eq!(trie.len(), model.len());
    }
}

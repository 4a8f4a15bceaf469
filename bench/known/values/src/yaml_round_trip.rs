//! yaml-rust 0.4.3: the emitter leaves out the quotes of texts that read as hexadecimal numbers.
//! Fixed in 0.4.4, <https://github.com/chyh1990/yaml-rust/pull/134>.
//!
//! A tree. Guarded by the constant `0x`.

use yaml_rust::yaml::Hash;
use yaml_rust::{Yaml, YamlEmitter, YamlLoader};

/// A document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Tree {
    /// No value.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Integer(i64),
    /// A text; characters outside ASCII are left out.
    Text(String),
    /// A list.
    List(Vec<Tree>),
    /// A map.
    Map(Vec<(String, Tree)>),
}

impl Tree {
    fn document(&self) -> Yaml {
        match self {
            Tree::Null => Yaml::Null,
            Tree::Bool(value) => Yaml::Boolean(*value),
            Tree::Integer(value) => Yaml::Integer(*value),
            Tree::Text(text) => Yaml::String(printable(text)),
            Tree::List(trees) => Yaml::Array(trees.iter().map(Tree::document).collect()),
            Tree::Map(entries) => Yaml::Hash(
                entries
                    .iter()
                    .map(|(key, tree)| (Yaml::String(printable(key)), tree.document()))
                    .collect::<Hash>(),
            ),
        }
    }
}

/// YAML has no control characters in plain texts.
fn printable(text: &str) -> String {
    text.chars().filter(|c| matches!(c, ' '..='~')).collect()
}

/// A document is read back from its text.
///
/// # Panics
///
/// If another document is read, or none.
pub fn check(tree: &Tree) {
    let document = tree.document();
    let mut text = String::new();
    YamlEmitter::new(&mut text).dump(&document).expect("a document can be written");
    let read = YamlLoader::load_from_str(&text).expect("what was written can be read");
    assert_eq!(read, [document]);
}

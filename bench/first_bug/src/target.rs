//! The targets, and where they are built.

/// A target and its twin.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub name: &'static str,
    pub home: Home,
    /// The crate under test.
    pub of: &'static str,
}

/// The packages that hold a target and its twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// `fuzz/` and `bench/twins`.
    Fuzz,
    /// `bench/known`.
    Known,
}

const fn fuzz(name: &'static str, of: &'static str) -> Target {
    Target { name, home: Home::Fuzz, of }
}

const fn known(name: &'static str, of: &'static str) -> Target {
    Target { name, home: Home::Known, of }
}

/// All of them, in the order of the table.
pub const TARGETS: [Target; 19] = [
    fuzz("graphmap_remove_node", "petgraph-0.5.1"),
    fuzz("roaring_remove", "roaring-0.11.4"),
    fuzz("decimal_expr", "rust_decimal-1.13.0"),
    fuzz("url_setters", "url-2.4.0"),
    known("snap_frames", "snap-1.0.0"),
    known("asn1_from_der", "simple_asn1-0.6.0"),
    known("bigint_signed_bytes", "num-bigint-0.2.1"),
    known("isbn_hyphenate", "isbn-0.2.0"),
    known("semver_req", "semver-parser-0.10"),
    known("wildmatch_model", "wildmatch-2.3.3"),
    known("dissimilar_diff", "dissimilar-1.0.2"),
    known("yaml_round_trip", "yaml-rust-0.4.3"),
    known("regex_find", "regex-automata-0.4.2"),
    known("circular_buffer_eq", "circular-buffer-0.1.5"),
    known("rangemap_model", "rangemap-0.1.8"),
    known("radix_trie_model", "radix_trie-0.1.4"),
    known("matrix_graph_model", "petgraph-0.5.1"),
    known("ord_map_model", "im-14.3.0"),
    known("bigint_multiply", "num-bigint-0.4.2"),
];

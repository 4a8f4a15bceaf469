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
    /// `bench/large`, for what runs cover.
    Large,
}

const fn fuzz(name: &'static str, of: &'static str) -> Target {
    Target { name, home: Home::Fuzz, of }
}

const fn known(name: &'static str, of: &'static str) -> Target {
    Target { name, home: Home::Known, of }
}

const fn large(name: &'static str, of: &'static str) -> Target {
    Target { name, home: Home::Large, of }
}

/// All of them, in the order of the table.
pub const TARGETS: [Target; 32] = [
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
    large("sql_parse", "sqlparser-0.64.0"),
    large("markdown_html", "pulldown-cmark-0.13.6"),
    large("toml_document", "toml_edit-0.25.20"),
    large("template_render", "minijinja-3.1.0"),
    large("script_run", "rhai-1.27.0"),
    large("xml_document", "roxmltree-0.21.2"),
    large("wasm_validate", "wasmparser-0.263.0"),
    large("font_face", "ttf-parser-0.25.1"),
    large("date_arithmetic", "jiff-1.0.2"),
    large("polygon_overlay", "geo-0.33.1"),
    large("rope_edits", "ropey-1.6.1"),
    large("rectangle_tree", "rstar-0.14.0"),
    large("graph_algorithms", "petgraph-0.8.3"),
];

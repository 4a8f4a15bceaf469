//! Known bugs of released crates, and the functions that their fixes changed.
//!
//! The functions come from the difference between the sources of the buggy release and the release
//! that fixed the bug. They were written down before suspicious lines were looked at. Only the
//! evaluation reads them.

/// A bug with its fix.
#[derive(Clone, Copy)]
pub(super) struct Fix {
    pub(super) fuzz_dir: &'static str,
    pub(super) target: &'static str,
    /// The buggy release.
    pub(super) release: &'static str,
    /// The functions that the fix changed, and their file.
    pub(super) functions: &'static [&'static str],
    pub(super) file: &'static str,
    /// How the place of the failure begins. Another place is another bug.
    pub(super) place: &'static str,
    /// A failing input, in hex digits.
    pub(super) input: &'static str,
}

const KNOWN: &str = "bench/known/ours";

pub(super) const FIXES: &[Fix] = &[
    Fix {
        fuzz_dir: KNOWN,
        target: "asn1_from_der",
        release: "simple_asn1 0.6.0",
        functions: &["from_der_"],
        file: "simple_asn1-0.6.0/src/lib.rs",
        place: "simple_asn1-0.6.0/src/lib.rs",
        input: "0117010d01300180013001300130013001300130013001300130013001300000",
    },
    Fix {
        fuzz_dir: KNOWN,
        target: "bigint_multiply",
        release: "num-bigint 0.4.2",
        functions: &["mac3", "mul3"],
        file: "num-bigint-0.4.2/src/biguint/multiplication.rs",
        place: "num-bigint-0.4.2/src/biguint/multiplication.rs:72",
        input: "01010000000000000000000101000000000000004010000101000000000000000000010100000000000000401000",
    },
    Fix {
        fuzz_dir: KNOWN,
        target: "bigint_signed_bytes",
        release: "num-bigint 0.2.1",
        functions: &["to_signed_bytes_be", "to_signed_bytes_le"],
        file: "num-bigint-0.2.1/src/bigint.rs",
        place: "values/src/bigint_signed_bytes.rs",
        input: "00018000000000",
    },
    Fix {
        fuzz_dir: KNOWN,
        target: "circular_buffer_eq",
        release: "circular-buffer 0.1.5",
        functions: &["eq"],
        file: "circular-buffer-0.1.5/src/lib.rs",
        place: "values/src/circular_buffer_eq.rs",
        input: "0100010001000100010001000100010001000100010001000100010001000100010001000100010001000100000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010001000100010000",
    },
    Fix {
        fuzz_dir: KNOWN,
        target: "dissimilar_diff",
        release: "dissimilar 1.0.2",
        functions: &["cleanup_char_boundary"],
        file: "dissimilar-1.0.2/src/lib.rs",
        place: "dissimilar-1.0.2/src/range.rs",
        input: "c280ffe1808030ff",
    },
    Fix {
        fuzz_dir: "fuzz",
        target: "graphmap_remove_node",
        release: "petgraph 0.5.1",
        functions: &["remove_node", "remove_single_edge"],
        file: "petgraph-0.5.1/src/graphmap.rs",
        place: "src/graphmap.rs",
        input: "020001040100",
    },
    Fix {
        fuzz_dir: KNOWN,
        target: "isbn_hyphenate",
        release: "isbn 0.2.0",
        functions: &["hyphenate"],
        file: "isbn-0.2.0/src/lib.rs",
        place: "isbn-0.2.0/src/lib.rs:136",
        input: "30303030303030315858ff",
    },
    Fix {
        fuzz_dir: KNOWN,
        target: "matrix_graph_model",
        release: "petgraph 0.5.1",
        functions: &["extend_flat_square_matrix"],
        file: "petgraph-0.5.1/src/matrix_graph.rs",
        place: "values/src/matrix_graph_model.rs",
        input: "010101010102000002000400",
    },
    Fix {
        fuzz_dir: KNOWN,
        target: "radix_trie_model",
        release: "radix_trie 0.1.4",
        functions: &["recursive_remove", "rec_remove"],
        file: "radix_trie-0.1.4/src/traversal.rs",
        place: "values/src/radix_trie_model.rs",
        input: "0130ff000231ff00",
    },
    Fix {
        fuzz_dir: KNOWN,
        target: "rangemap_model",
        release: "rangemap 0.1.8",
        functions: &["insert"],
        file: "rangemap-0.1.8/src/map.rs",
        place: "values/src/rangemap_model.rs",
        input: "01000100010101010101010000",
    },
    Fix {
        fuzz_dir: KNOWN,
        target: "snap_frames",
        release: "snap 1.0.0",
        functions: &["read"],
        file: "snap-1.0.0/src/read.rs",
        place: "snap-1.0.0/src/read.rs:191",
        input: "01020000000000000100",
    },
    Fix {
        fuzz_dir: KNOWN,
        target: "wildmatch_model",
        release: "wildmatch 2.3.3",
        functions: &["matches"],
        file: "wildmatch-2.3.3/src/lib.rs",
        place: "values/src/wildmatch_model.rs",
        input: "2aff2a30ff",
    },
    Fix {
        fuzz_dir: KNOWN,
        target: "yaml_round_trip",
        release: "yaml-rust 0.4.3",
        functions: &["need_quotes"],
        file: "yaml-rust-0.4.3/src/emitter.rs",
        place: "values/src/yaml_round_trip.rs",
        input: "03307830ff",
    },
];

//! The properties, the bugs that they meet, and their true minima.

use dwindle::TestCase;

use crate::crates::{
    circular_buffer, fixedbitset, itertools, num_bigint, rangemap, similar, strsim, textwrap,
};
use crate::simpler::Alphabet;

/// One property of one crate.
#[derive(Debug)]
pub struct Property {
    /// The crate and its version.
    pub of: &'static str,
    /// What must hold.
    pub name: &'static str,
    /// Where the bug was fixed.
    pub fix: &'static str,
    /// Panics where it does not hold.
    pub run: fn(&mut TestCase),
    /// For each place that panics, the simplest case, from the simplest on.
    pub minima: &'static [&'static str],
    /// What is tried to show that these are the simplest.
    pub tried: Tried,
}

/// What an enumeration tries: cases of at most `choices_max` choices over `alphabet`. It finds the
/// first `proven` minima. The others are the best known of long searches from eight seeds.
#[derive(Debug)]
pub struct Tried {
    /// What each choice may be.
    pub alphabet: Alphabet,
    /// How many choices the last proven minimum has.
    pub choices_max: usize,
    /// How many of the minima are proven.
    pub proven: usize,
}

const SMALL: Alphabet =
    Alphabet { numbers: &[0, 1, 2, 255], characters: "", length_max: 0, input: &[] };

const NUMBERS: &[u8] = &[0, 1, 2, 127, 128, 129, 255];
const SMALLEST: &[u8] = &[0, 1, 2, 3];
const WORDS: &[u8] = &[0, 1, 2, 3, b' ', b'0', b'1'];
const BYTES: &[u8] = &[0, 1, 2, 128, 255];

/// Three operations: "one more", the variant in four bytes, start, length, value.
const OPERATIONS: &[&[u8]] = &[
    &[1],
    &[0],
    &[0],
    &[0],
    &[0, 128],
    &[0, 1, 2],
    &[0, 1, 2],
    &[0, 1],
    &[1],
    &[0],
    &[0],
    &[0],
    &[0, 128],
    &[0, 1, 2],
    &[0, 1, 2],
    &[0, 1],
    &[1],
    &[0],
    &[0],
    &[0],
    &[0, 128],
    &[0, 1, 2],
    &[0, 1, 2],
];

/// Two lists of two operations: "one more", the variant in four bytes, the value. The first list
/// ends with "no more".
const PUSHES: &[&[u8]] = &[
    &[0, 1],
    &[0],
    &[0],
    &[0],
    &[0, 64, 128, 192],
    &[0],
    &[0, 1],
    &[0],
    &[0],
    &[0],
    &[0, 64, 128, 192],
    &[0],
    &[0, 1],
    &[0, 1],
    &[0],
    &[0],
    &[0],
    &[0, 64, 128, 192],
    &[0],
    &[0, 1],
];

/// All properties.
pub const ALL: &[Property] = &[
    Property {
        of: "circular-buffer 0.1.5",
        name: "equality",
        fix: "0.1.6",
        run: circular_buffer::equality,
        minima: &[
            "[PushBack(0), PushBack(0)]; [PushBack(0), PushFront(0)]",
            "[PushBack(0), PushFront(0), PushFront(0), PushFront(0)]; [PushBack(0), PushBack(0), \
             PushBack(0), PushFront(0)]",
        ],
        tried: Tried {
            alphabet: Alphabet { numbers: &[0, 1], ..SMALL },
            choices_max: 10,
            proven: 1,
        },
    },
    Property {
        of: "circular-buffer 0.1.5",
        name: "equality_drop_in",
        fix: "0.1.6",
        run: circular_buffer::equality_drop_in,
        minima: &["([PushBack(0), PushBack(0)], [PushFront(0), PushBack(0)])"],
        tried: Tried { alphabet: Alphabet { input: PUSHES, ..SMALL }, choices_max: 1, proven: 1 },
    },
    Property {
        of: "fixedbitset 0.5.7",
        name: "counts",
        fix: "0.5.8, #131",
        run: fixedbitset::counts,
        minima: &["([0], [])"],
        tried: Tried { alphabet: SMALL, choices_max: 7, proven: 1 },
    },
    Property {
        of: "itertools 0.14.0",
        name: "pad_using",
        fix: "0.15.0, #1082",
        run: itertools::pad_using,
        minima: &["([], 1); [false, true]"],
        tried: Tried { alphabet: SMALL, choices_max: 12, proven: 1 },
    },
    Property {
        of: "itertools 0.14.0",
        name: "pad_using_drop_in",
        fix: "0.15.0, #1082",
        run: itertools::pad_using_drop_in,
        minima: &["([], 1, [false, true])"],
        tried: Tried {
            alphabet: Alphabet { input: &[SMALLEST; 6], ..SMALL },
            choices_max: 1,
            proven: 1,
        },
    },
    Property {
        of: "num-bigint 0.2.1",
        name: "signed_bytes",
        fix: "0.2.2, #72",
        run: num_bigint::signed_bytes,
        minima: &["(false, [128])"],
        tried: Tried {
            alphabet: Alphabet { numbers: &[0, 1, 2, 127, 128, 129, 255], ..SMALL },
            choices_max: 7,
            proven: 1,
        },
    },
    Property {
        of: "num-bigint 0.2.1",
        name: "signed_bytes_drop_in",
        fix: "0.2.2, #72",
        run: num_bigint::signed_bytes_drop_in,
        minima: &["[0, 128]"],
        tried: Tried {
            alphabet: Alphabet { input: &[NUMBERS; 4], ..SMALL },
            choices_max: 1,
            proven: 1,
        },
    },
    Property {
        of: "rangemap 0.1.8",
        name: "model",
        fix: "0.1.9",
        run: rangemap::model,
        minima: &[
            "[Insert { start: 0, length: 1, value: false }, Insert { start: 1, length: 1, value: \
             true }, Insert { start: 1, length: 1, value: false }]",
        ],
        tried: Tried {
            alphabet: Alphabet { numbers: &[0, 1, 2], ..SMALL },
            choices_max: 13,
            proven: 1,
        },
    },
    Property {
        of: "rangemap 0.1.8",
        name: "model_drop_in",
        fix: "0.1.9",
        run: rangemap::model_drop_in,
        minima: &[
            "[Insert { start: 1, length: 1, value: true }, Insert { start: 0, length: 1, value: \
             false }, Insert { start: 1, length: 1, value: false }]",
        ],
        tried: Tried {
            alphabet: Alphabet { input: OPERATIONS, ..SMALL },
            choices_max: 1,
            proven: 1,
        },
    },
    Property {
        of: "similar 2.3.0",
        name: "lcs",
        fix: "2.4.0, #58",
        run: similar::lcs,
        minima: &["([], [0])"],
        tried: Tried { alphabet: SMALL, choices_max: 9, proven: 1 },
    },
    Property {
        of: "similar 2.3.0",
        name: "lcs_drop_in",
        fix: "2.4.0, #58",
        run: similar::lcs_drop_in,
        minima: &["([], [0])"],
        tried: Tried {
            alphabet: Alphabet { input: &[BYTES; 7], ..SMALL },
            choices_max: 1,
            proven: 1,
        },
    },
    Property {
        of: "similar 2.3.0",
        name: "lcs_panics",
        fix: "2.4.0, #59",
        run: similar::lcs_panics,
        minima: &["([0], [0, 0])", "([0, 0], [0])"],
        tried: Tried { alphabet: SMALL, choices_max: 9, proven: 2 },
    },
    Property {
        of: "similar 2.3.0",
        name: "lcs_panics_drop_in",
        fix: "2.4.0, #59",
        run: similar::lcs_panics_drop_in,
        minima: &["([0, 0], [0])", "([0], [0, 0])"],
        tried: Tried {
            alphabet: Alphabet { input: &[BYTES; 7], ..SMALL },
            choices_max: 1,
            proven: 2,
        },
    },
    Property {
        of: "strsim 0.5.2",
        name: "triangle",
        fix: "0.6.0",
        run: strsim::triangle,
        minima: &[r#"("ab", "ba", "bca")"#],
        tried: Tried {
            alphabet: Alphabet { characters: "abc", length_max: 3, ..SMALL },
            choices_max: 3,
            proven: 1,
        },
    },
    Property {
        of: "textwrap 0.12.0",
        name: "wrap",
        fix: "0.12.1, #193",
        run: textwrap::wrap,
        minima: &[r#"["aa", "a"]; 1"#],
        tried: Tried {
            alphabet: Alphabet { numbers: &[1, 2, 3], characters: "abc", length_max: 2, ..SMALL },
            choices_max: 8,
            proven: 1,
        },
    },
    Property {
        of: "textwrap 0.12.0",
        name: "wrap_drop_in",
        fix: "0.12.1, #193",
        run: textwrap::wrap_drop_in,
        minima: &[r#"(0, "00 0")"#],
        tried: Tried {
            alphabet: Alphabet { input: &[WORDS; 7], ..SMALL },
            choices_max: 1,
            proven: 1,
        },
    },
];

//! See `large_values::polygon_overlay`.
#![no_main]

use large_values::polygon_overlay::{Polygons, check};

libfuzzer_sys::fuzz_target!(|input: (Polygons, Polygons)| {
    let (left, right) = input;
    check(&left, &right);
});

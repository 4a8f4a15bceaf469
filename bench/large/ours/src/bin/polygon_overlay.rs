//! See `large_values::polygon_overlay`.
#![no_main]

use dwindle::prelude::*;
use large_values::polygon_overlay::{Polygons, check};

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let (left, right) = tc.draw(any::<(Polygons, Polygons)>());
    check(&left, &right);
});

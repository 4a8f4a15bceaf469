//! strsim 0.5.2: its Damerau-Levenshtein distance is that of optimal string alignment, which is not
//! a metric.

use dwindle::prelude::*;
use strsim::damerau_levenshtein;

/// The way over a third text is no shorter.
pub fn triangle(tc: &mut TestCase) {
    let text = || g::text().alphabet("abcd").len(..8);
    let (from, over, to) = tc.draw((text(), text(), text()));
    let way = damerau_levenshtein(&from, &over) + damerau_levenshtein(&over, &to);
    assert!(damerau_levenshtein(&from, &to) <= way);
}

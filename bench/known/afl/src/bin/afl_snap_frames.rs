//! See `known_values::snap_frames`.

use known_values::snap_frames::{Part, check};

fn main() {
    afl::fuzz!(|parts: Vec<Part>| {
        check(&parts);
    });
}

//! See `known_values::bigint_signed_bytes`.

use known_values::bigint_signed_bytes::check;

fn main() {
    afl::fuzz!(|input: (bool, Vec<u32>)| {
        let (is_negative, digits) = input;
        check(is_negative, &digits);
    });
}

//! See `known_values::asn1_from_der`.

use known_values::asn1_from_der::check;

fn main() {
    afl::fuzz!(|document: Vec<u8>| {
        check(&document);
    });
}

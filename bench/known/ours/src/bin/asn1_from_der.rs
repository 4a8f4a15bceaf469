//! See `known_values::asn1_from_der`.
#![no_main]

use known_values::asn1_from_der::check;

dwindle::fuzz_target!(|document: Vec<u8>| check(&document));

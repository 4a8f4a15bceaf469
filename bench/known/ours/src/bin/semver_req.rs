//! See `known_values::semver_req`.
#![no_main]

use known_values::semver_req::check;

dwindle::fuzz_target!(|requirement: String| check(&requirement));

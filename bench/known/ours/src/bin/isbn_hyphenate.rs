//! See `known_values::isbn_hyphenate`.
#![no_main]

use known_values::isbn_hyphenate::check;

dwindle::fuzz_target!(|text: String| check(&text));

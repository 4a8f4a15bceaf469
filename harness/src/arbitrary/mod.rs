//! For targets written for libfuzzer-sys: the same macro, the same bytes.
//!
//! In the place of `use libfuzzer_sys::fuzz_target;` stands `use dwindle::arbitrary::fuzz_target;`, and in Cargo.toml `dwindle` in the place of `libfuzzer-sys`.
//! The target goes on as it is, and so do its corpus and its crash files: `T: Arbitrary` is made of the very bytes that libfuzzer-sys would hand to it.
//!
//! ```no_run
//! #![no_main]
//! use dwindle::arbitrary::arbitrary::Arbitrary;
//! use dwindle::arbitrary::{Corpus, fuzz_target};
//! # mod demo { pub fn parse(text: &str, strict: bool) -> Option<()> { (strict || !text.is_empty()).then_some(()) } }
//!
//! fuzz_target!(|input: (bool, String)| -> Corpus {
//!     let (strict, text) = input;
//!     match demo::parse(&text, strict) {
//!         Some(()) => Corpus::Keep,
//!         None => Corpus::Reject,
//!     }
//! });
//! ```
//!
//! What changes: a failure no longer ends the run, each bug is kept once with the `Debug` of its value, and inputs are minimized on their bytes. Smaller is what
//! has fewer bytes; of as many bytes, what comes first when they are compared from the last byte to the first, since `Arbitrary` reads numbers with their least byte
//! first. A candidate counts if the target fails on it in the same way, so the passes know nothing of your types, though they know how `Unstructured` reads: lengths from the back, a flag in front of each element, variants
//! by the most significant byte. `-len_control` stays as libFuzzer has it.
//!
//! An input that fails with no byte at all is minimized to the empty file.
//!
//! [`fuzz_mutator!`], [`fuzz_crossover!`] and [`fuzzer_mutate`] are there too; of the engines only libFuzzer calls them. The feature `arbitrary-derive` is what it is in
//! libfuzzer-sys.

mod corpus;
mod entry;
mod macros;
mod mutators;

#[doc(no_inline)]
pub use ::arbitrary;
pub use corpus::Corpus;
#[doc(hidden)]
pub use entry::{Bytes, bytes, end, is_too_short, no_value};
pub use mutators::fuzzer_mutate;
#[cfg(feature = "libfuzzer")]
pub(crate) use mutators::mutate_by;

#[doc(inline)]
pub use crate::__dwindle_crossover as fuzz_crossover;
#[doc(inline)]
pub use crate::__dwindle_drop_in as fuzz_target;
#[doc(inline)]
pub use crate::__dwindle_mutator as fuzz_mutator;

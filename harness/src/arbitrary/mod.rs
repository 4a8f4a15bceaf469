//! For targets written for libfuzzer-sys: the same macro, the same bytes.
//!
//! Replace `use libfuzzer_sys::fuzz_target;` by `use dwindle::arbitrary::fuzz_target;`. In
//! Cargo.toml, replace `libfuzzer-sys` by `dwindle`. The target, its corpus and its crash files
//! stay unchanged: `T: Arbitrary` is made of the same bytes as with libfuzzer-sys.
//!
//! ```no_run
//! #![no_main]
//! use dwindle::arbitrary::arbitrary::Arbitrary;
//! use dwindle::arbitrary::{Corpus, fuzz_target};
//! # mod demo {
//! #     pub fn parse(text: &str, strict: bool) -> Option<()> {
//! #         (strict || !text.is_empty()).then_some(())
//! #     }
//! # }
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
//! Three things change. A failure no longer ends the run. Each bug is kept once, with the `Debug`
//! of its value. Inputs are minimized on their bytes.
//!
//! An input with fewer bytes is smaller. Inputs of equal length are compared from the last byte to
//! the first, because `Arbitrary` reads numbers with their least byte first. A candidate counts if
//! the target fails on it in the same way. So the passes know nothing of your types, but they know
//! how `Unstructured` reads. It reads lengths from the back, a flag in front of each element, and
//! variants by the most significant byte. `-len_control` keeps libFuzzer's default.
//!
//! An input that fails with no bytes at all is minimized to the empty file.
//!
//! [`fuzz_mutator!`], [`fuzz_crossover!`] and [`fuzzer_mutate`] exist too. Among the engines, only
//! libFuzzer calls them. The feature `arbitrary-derive` is the same as in libfuzzer-sys.

mod corpus;
pub(crate) mod entry;
mod macros;
mod mutators;

#[doc(no_inline)]
pub use ::arbitrary;
pub use corpus::Corpus;
pub use mutators::fuzzer_mutate;
#[cfg(feature = "libfuzzer")]
pub(crate) use mutators::mutate_by;

#[doc(inline)]
pub use crate::__dwindle_crossover as fuzz_crossover;
#[doc(inline)]
pub use crate::__dwindle_drop_in as fuzz_target;
#[doc(inline)]
pub use crate::__dwindle_mutator as fuzz_mutator;

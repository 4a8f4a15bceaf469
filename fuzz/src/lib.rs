//! What the fuzz targets check: the operations of a real crate beside a plain model of it.
//!
//! Each module holds the type a target draws and a `check` function that panics where the crate and
//! the model part. The targets in `fuzz_targets/` draw with dwindle; the twins in `bench/twins`
//! draw the same types with `arbitrary`, so that a bench compares the fuzzers and nothing else.

#[cfg(feature = "dwindle")]
pub mod byte_format;
#[cfg(feature = "dwindle")]
pub mod crash_record;
pub mod decimal;
pub mod graphmap;
pub mod roaring;
#[cfg(feature = "smallvec")]
pub mod smallvec;
pub mod url;

//! What the store asks the operating system. This is the boundary: with the feature `fuzzing` many
//! processes write one store, and Linux answers. Without it the standard library answers, on every
//! system.
//!
//! `--cfg dwindle_portable` makes Linux count as another system, to test that.

#[cfg(all(feature = "fuzzing", any(not(target_os = "linux"), dwindle_portable)))]
compile_error!(
    "dwindle fuzzes only on Linux: on other systems, depend on it with `default-features = false`, \
     which runs properties under `cargo test`"
);

#[cfg(all(feature = "fuzzing", target_os = "linux", not(dwindle_portable)))]
mod linux;
#[cfg(not(all(feature = "fuzzing", target_os = "linux", not(dwindle_portable))))]
mod portable;

#[cfg(all(feature = "fuzzing", target_os = "linux", not(dwindle_portable)))]
pub(crate) use linux::*;
#[cfg(not(all(feature = "fuzzing", target_os = "linux", not(dwindle_portable))))]
pub(crate) use portable::*;

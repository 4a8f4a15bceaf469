//! wasmparser 0.263: a validator of WebAssembly. Bytes.

use wasmparser::{Validator, WasmFeatures};

/// Validates a module or component, with all features.
///
/// # Panics
///
/// Inside `wasmparser`.
pub fn check(bytes: &[u8]) {
    let _ = Validator::new_with_features(WasmFeatures::all()).validate_all(bytes);
}

//! wasm-smith's modules, as a target takes them that was written for libFuzzer.

use arbitrary::{Result, Unstructured};
use wasm_smith::{Config, Module};

/// What wasmi knows, without limits on the size.
pub fn config() -> Config {
    Config {
        max_imports: 0,
        export_everything: true,
        allow_start_export: false,
        bulk_memory_enabled: true,
        canonicalize_nans: false,
        allow_floats: false,
        exceptions_enabled: false,
        gc_enabled: false,
        compact_imports_enabled: false,
        relaxed_simd_enabled: false,
        simd_enabled: false,
        threads_enabled: false,
        wide_arithmetic_enabled: true,
        generate_custom_sections: false,
        max_memory32_bytes: 1 << 18,
        max_memory64_bytes: 1 << 18,
        max_table_elements: 1000,
        min_funcs: 1,
        max_funcs: 400,
        max_instructions: 10_000,
        disallow_traps: true,
        ..Config::default()
    }
}

/// The module that these bytes stand for.
///
/// # Errors
/// Those of `Arbitrary`.
pub fn module(bytes: &[u8]) -> Result<Vec<u8>> {
    Ok(Module::new(config(), &mut Unstructured::new(bytes))?.to_bytes())
}

/// Random bytes. The first ones are mostly odd: `true` where wasm-smith asks whether to go on with
/// a list, so the lists at the front are long.
pub fn bytes(seed: u64, length: usize) -> Vec<u8> {
    const FRONT: usize = 4000;
    let mut rng = fastrand::Rng::with_seed(seed);
    let share = rng.u8(0..16);
    (0..length)
        .map(|at| {
            let byte = rng.u8(..);
            if at < FRONT && rng.u8(0..16) < share { byte | 1 } else { byte }
        })
        .collect()
}

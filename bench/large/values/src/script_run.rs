//! rhai 1.27: a script language. Text, and an interpreter.

use rhai::Engine;

/// Operations of a script.
const OPERATIONS: u64 = 2_000;
/// The length of the longest text and the largest list or map of a script.
const LENGTH: usize = 1_000;

/// Compiles a text as a script, and runs it.
///
/// # Panics
///
/// Inside `rhai`.
pub fn check(text: &str) {
    let mut engine = Engine::new();
    engine.set_max_operations(OPERATIONS).set_max_string_size(LENGTH);
    engine.set_max_array_size(LENGTH).set_max_map_size(LENGTH);
    engine.on_print(|_| {}).on_debug(|_, _, _| {});
    let _ = engine.run(text);
}

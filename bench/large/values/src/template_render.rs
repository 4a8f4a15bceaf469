//! minijinja 3.1: a template language. Text, and an interpreter.

use minijinja::{Environment, context};

/// Instructions of a template.
const FUEL: u64 = 2_000;

/// Compiles a text as a template, and renders it with three values.
///
/// # Panics
///
/// Inside `minijinja`.
pub fn check(text: &str) {
    let mut environment = Environment::new();
    environment.set_fuel(Some(FUEL));
    let values = context! { a => 3, b => "text", c => vec![1, 2, 3] };
    let _ = environment.render_str(text, values);
}

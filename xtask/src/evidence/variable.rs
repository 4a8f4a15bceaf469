//! Environment variables that change a measurement.

/// The value of a variable, or the default.
pub(crate) fn variable(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

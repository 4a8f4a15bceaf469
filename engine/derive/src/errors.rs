//! Several mistakes are reported together.

use syn::Error;

/// Adds an error to the errors so far.
pub(crate) fn and(errors: &mut Option<Error>, error: Error) {
    match errors {
        Some(errors) => errors.combine(error),
        None => *errors = Some(error),
    }
}

//! Common parts of rules and invariants: their attributes, and the forms that a method may not
//! have.

use syn::{Attribute, Error, ImplItemFn, Result};

/// Removes and returns the first attribute with this name. A second one stays, and the compiler
/// reports it as unknown.
pub(super) fn taken(attributes: &mut Vec<Attribute>, name: &str) -> Option<Attribute> {
    let at = attributes.iter().position(|attribute| attribute.path().is_ident(name))?;
    Some(attributes.remove(at))
}

/// The `#[cfg(..)]` attributes of a method.
pub(super) fn conditions(method: &ImplItemFn) -> Vec<Attribute> {
    method.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

/// Rejects methods that a run cannot call.
///
/// # Errors
/// If the method has type or constant parameters, or is `async` or `unsafe`.
pub(super) fn refuse_special(method: &ImplItemFn, what: &str) -> Result<()> {
    let signature = &method.sig;
    if let Some(parameter) = signature
        .generics
        .params
        .iter()
        .find(|parameter| !matches!(parameter, syn::GenericParam::Lifetime(_)))
    {
        return Err(Error::new_spanned(
            parameter,
            format!("{what} has no type parameters: a run would not know which type to take"),
        ));
    }
    if let Some(word) = &signature.asyncness {
        return Err(Error::new_spanned(
            word,
            format!("{what} is not `async`: a run waits for nothing; block on the future inside"),
        ));
    }
    if let syn::Safety::Unsafe(word) = &signature.safety {
        return Err(Error::new_spanned(
            word,
            format!("{what} is not `unsafe`: a run calls it whenever it is enabled"),
        ));
    }
    Ok(())
}

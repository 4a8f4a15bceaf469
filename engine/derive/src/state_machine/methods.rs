//! What rules and invariants have in common: their attributes, and what a method may not be.

use syn::{Attribute, Error, ImplItemFn, Result};

/// The first attribute of this name, taken away. A second one stays, and is an unknown attribute to the compiler.
pub(super) fn taken(attributes: &mut Vec<Attribute>, name: &str) -> Option<Attribute> {
    let at = attributes.iter().position(|attribute| attribute.path().is_ident(name))?;
    Some(attributes.remove(at))
}

/// The conditions under which a method is compiled at all.
pub(super) fn conditions(method: &ImplItemFn) -> Vec<Attribute> {
    method.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

/// Refuses what a run could not call.
///
/// # Errors
/// Then.
pub(super) fn refuse_special(method: &ImplItemFn, what: &str) -> Result<()> {
    let signature = &method.sig;
    if let Some(parameter) = signature.generics.params.iter().find(|parameter| !matches!(parameter, syn::GenericParam::Lifetime(_))) {
        return Err(Error::new_spanned(parameter, format!("{what} has no type parameters: a run would not know which type to take")));
    }
    if let Some(word) = &signature.asyncness {
        return Err(Error::new_spanned(word, format!("{what} is not `async`: a run waits for nothing; block on the future inside")));
    }
    if let Some(word) = &signature.unsafety {
        return Err(Error::new_spanned(word, format!("{what} is not `unsafe`: a run calls it whenever it is enabled")));
    }
    Ok(())
}

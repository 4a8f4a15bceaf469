//! The path under which the generated code finds the items of dwindle.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, LitStr, Path, Result};

/// The crate that exports an attribute. The items have the same paths in both.
#[derive(Clone, Copy)]
pub(crate) enum Home {
    Dwindle,
    Engine,
}

impl Home {
    /// The path `given` to `dwindle`. Without it, the name of the crate that exports the attribute.
    /// A crate that renames its dependency gives the path.
    pub(crate) fn path(self, given: Option<&Path>) -> TokenStream {
        match (given, self) {
            (Some(path), _) => quote!(#path),
            (None, Home::Dwindle) => quote!(::dwindle),
            (None, Home::Engine) => quote!(::dwindle_engine),
        }
    }
}

/// The path to `dwindle` for a type. `#[dwindle(crate = "..")]` sets it.
///
/// # Errors
/// If the attribute holds anything else.
pub(crate) fn location_of(input: &DeriveInput, home: Home) -> Result<TokenStream> {
    let mut given: Option<Path> = None;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("dwindle")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error("unknown attribute, only `crate = \"..\"` is known here"));
            }
            if given.is_some() {
                return Err(meta.error("`crate` is given twice"));
            }
            given = Some(meta.value()?.parse::<LitStr>()?.parse()?);
            Ok(())
        })?;
    }
    Ok(home.path(given.as_ref()))
}

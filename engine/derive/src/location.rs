//! The path under which the generated code finds the items of dwindle.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{DeriveInput, Error, LitStr, Path, Result};

/// The path to `dwindle`. `#[dwindle(crate = "..")]` sets it; otherwise the name comes from the
/// Cargo.toml of the deriving crate.
///
/// # Errors
/// If `dwindle` is not a dependency, or if the attribute holds anything else.
pub(crate) fn location_of(input: &DeriveInput) -> Result<TokenStream> {
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
    location(given.as_ref(), "#[dwindle(crate = \"some::path\")]")
}

/// The path `given` to `dwindle`. Without it, the name comes from the Cargo.toml of the crate:
/// `dwindle`, or `dwindle-engine`, whose items have the same paths.
///
/// # Errors
/// If neither is a dependency. The message then recommends `attribute`, which sets the path.
pub(crate) fn location(given: Option<&Path>, attribute: &str) -> Result<TokenStream> {
    match given {
        Some(path) => Ok(quote!(#path)),
        None => found("dwindle").or_else(|| found("dwindle-engine")).ok_or_else(|| {
            let message = format!(
                "neither `dwindle` nor `dwindle-engine` is a dependency here; name the crate \
                     with {attribute}"
            );
            Error::new(Span::call_site(), message)
        }),
    }
}

/// The path to `dwindle` itself, with the name from the Cargo.toml of the compiled crate.
///
/// # Errors
/// If `dwindle` is not a dependency.
pub(crate) fn of_dwindle() -> Result<TokenStream> {
    found("dwindle").ok_or_else(|| {
        let message = "`dwindle` is not a dependency here; name the crate that has it with \
                       #[dwindle::test(crate = some::path)]";
        Error::new(Span::call_site(), message)
    })
}

fn found(package: &str) -> Option<TokenStream> {
    match crate_name(package).ok()? {
        FoundCrate::Name(name) => {
            let name = Ident::new(&name, Span::call_site());
            Some(quote!(::#name))
        }
        FoundCrate::Itself => {
            // The tests, examples, binaries and documentation of a package see its library from
            // outside.
            let library = package.replace('-', "_");
            let documentation = std::env::var_os("UNSTABLE_RUSTDOC_TEST_PATH").is_some();
            if !documentation
                && std::env::var("CARGO_CRATE_NAME").is_ok_and(|compiled| compiled == library)
            {
                Some(quote!(crate))
            } else {
                let library = Ident::new(&library, Span::call_site());
                Some(quote!(::#library))
            }
        }
    }
}

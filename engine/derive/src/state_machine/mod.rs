//! `#[state_machine]` writes a state machine from an impl block.

mod methods;
mod block;
mod rule;
mod parts;
mod write;

use proc_macro2::TokenStream;
use syn::{Error, Expr, LitStr, Path, Result};

use crate::location::Home;

/// Returns the impl block without its marks, followed by the impl of `StateMachine`.
///
/// # Errors
/// If a mark, or the item that it stands on, has an unknown form. Reports all such mistakes at
/// once.
pub(crate) fn expand(
    arguments: TokenStream,
    block: TokenStream,
    home: Home,
) -> Result<TokenStream> {
    let settings = Settings::of(arguments)?;
    let location = home.path(settings.location.as_ref());
    let machine = block::machine_of(block)?;
    Ok(write::machine(&machine, &settings, &location))
}

/// The settings in the attribute on the block.
#[derive(Default)]
struct Settings {
    name: Option<LitStr>,
    steps_max: Option<Expr>,
    location: Option<Path>,
}

impl Settings {
    fn of(arguments: TokenStream) -> Result<Settings> {
        let mut settings = Settings::default();
        let parser = syn::meta::parser(|meta| {
            if meta.path.is_ident("name") {
                once(&meta, &mut settings.name, "`name` takes a text in quotes")
            } else if meta.path.is_ident("steps_max") {
                once(&meta, &mut settings.steps_max, "`steps_max` takes a number of steps")
            } else if meta.path.is_ident("crate") {
                once(&meta, &mut settings.location, "`crate` takes the path to `dwindle`")
            } else {
                Err(meta.error(
                    "`state_machine` knows `name = \"..\"`, `steps_max = ..` and `crate = \
                     some::path`",
                ))
            }
        });
        syn::parse::Parser::parse2(parser, arguments)?;
        Ok(settings)
    }
}

/// Reads the value of a setting, which must not be given twice. `message` is the error for a value
/// of the wrong form.
fn once<T: syn::parse::Parse>(
    meta: &syn::meta::ParseNestedMeta<'_>,
    setting: &mut Option<T>,
    message: &str,
) -> Result<()> {
    if setting.is_some() {
        return Err(meta.error("this is given twice"));
    }
    let value = meta.value()?;
    *setting = Some(value.parse().map_err(|error| Error::new(error.span(), message))?);
    Ok(())
}

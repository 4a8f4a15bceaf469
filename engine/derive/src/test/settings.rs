//! The settings in the parentheses of `#[dwindle::test(..)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, ExprLit, ExprPath, Ident, Lit, Path, Result, Token};

use crate::location;

/// The given settings, each at most once.
#[derive(Default)]
pub(super) struct Settings {
    location: Option<TokenStream>,
    base: Option<Expr>,
    /// The method calls on the base, each with its dot.
    calls: TokenStream,
    checks: Vec<Ident>,
}

const KNOWN: &str = "the settings are `max_cases`, `seed`, `max_choices`, `store`, `name`, \
                     `suppress_health_check`, `settings` and `crate`";

impl Parse for Settings {
    fn parse(input: ParseStream<'_>) -> Result<Settings> {
        let mut settings = Settings::default();
        let mut seen: Vec<Ident> = Vec::new();
        while !input.is_empty() {
            if !input.peek(Ident::peek_any) {
                return Err(input.error(format!("a setting is written `name = value`; {KNOWN}")));
            }
            let key = input.call(Ident::parse_any)?;
            if seen.contains(&key) {
                return Err(Error::new(key.span(), format!("`{key}` is given twice")));
            }
            if !input.peek(Token![=]) {
                return Err(Error::new(
                    key.span(),
                    format!("a setting is written `name = value`; {KNOWN}"),
                ));
            }
            input.parse::<Token![=]>()?;
            settings.read(&key, input)?;
            seen.push(key);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(settings)
    }
}

impl Settings {
    fn read(&mut self, key: &Ident, input: ParseStream<'_>) -> Result<()> {
        match key.to_string().as_str() {
            "max_cases" | "seed" | "max_choices" | "name" => {
                let value: Expr = input.parse()?;
                self.calls.extend(quote!(.#key(#value)));
            }
            "store" => {
                let folder = folder(input.parse()?)?;
                self.calls.extend(quote!(.store(#folder)));
            }
            "suppress_health_check" => {
                self.checks = checks(input)?;
            }
            "settings" => {
                self.base = Some(input.parse()?);
            }
            "crate" => {
                self.location = Some(crate_path(input)?.into_token_stream());
            }
            _ => return Err(Error::new(key.span(), format!("`{key}` is no setting; {KNOWN}"))),
        }
        Ok(())
    }

    /// The path to `dwindle`.
    pub(super) fn location(&self) -> Result<TokenStream> {
        match &self.location {
            Some(path) => Ok(path.clone()),
            None => location::of_dwindle(),
        }
    }
}

/// Writes the settings as an expression. The path to the crate must be known before.
impl ToTokens for Settings {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Ok(dwindle) = self.location() else { return };
        let base = self
            .base
            .as_ref()
            .map_or_else(|| quote!(#dwindle::Settings::default()), |base| quote!(#base));
        let (calls, checks) = (&self.calls, &self.checks);
        tokens.extend(
            quote!(#base #calls #(.suppress_health_check(#dwindle::HealthCheck::#checks))*),
        );
    }
}

fn folder(value: Expr) -> Result<TokenStream> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(folder), .. }) => {
            Ok(quote!(::core::option::Option::Some(::std::path::PathBuf::from(#folder))))
        }
        Expr::Path(ExprPath { path, .. }) if path.is_ident("None") => {
            Ok(quote!(::core::option::Option::None))
        }
        other => {
            Err(Error::new_spanned(other, "`store` is a folder in quotes, or None to keep nothing"))
        }
    }
}

/// Reads `TooSlow` or `[TooSlow, Flaky]`. A path may stand before each name.
fn checks(input: ParseStream<'_>) -> Result<Vec<Ident>> {
    let paths: Vec<Path> = if input.peek(syn::token::Bracket) {
        let list;
        syn::bracketed!(list in input);
        Punctuated::<Path, Token![,]>::parse_terminated(&list)?.into_iter().collect()
    } else {
        vec![input.parse()?]
    };
    Ok(paths
        .into_iter()
        .filter_map(|path| path.segments.last().map(|last| last.ident.clone()))
        .collect())
}

fn crate_path(input: ParseStream<'_>) -> Result<Path> {
    if input.peek(syn::LitStr) {
        input.parse::<syn::LitStr>()?.parse()
    } else {
        Path::parse_mod_style(input)
    }
}

//! The settings in the parentheses of `#[dwindle::test(..)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, ExprLit, ExprPath, ExprUnary, Ident, Lit, Path, Result, Token, UnOp};

use crate::errors::and;
use crate::location::Home;

/// The given settings, each at most once.
#[derive(Default)]
pub(super) struct Settings {
    location: Option<TokenStream>,
    base: Option<Expr>,
    /// The method calls on the base, each with its dot.
    calls: TokenStream,
    checks: Vec<Ident>,
    /// The key and the value of `executor`.
    executor: Option<(Ident, Expr)>,
    mistakes: Option<Error>,
}

const KNOWN: &str = "the settings are `max_cases`, `seed`, `max_choices`, `store`, `name`, \
                     `suppress_health_check`, `executor`, `settings` and `crate`";

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
        settings.mistakes.take().map_or(Ok(settings), Err)
    }
}

impl Settings {
    fn read(&mut self, key: &Ident, input: ParseStream<'_>) -> Result<()> {
        match key.to_string().as_str() {
            "max_cases" | "seed" | "max_choices" | "name" => {
                let value: Expr = input.parse()?;
                if let Some(expected) = wrong_literal(key, &value) {
                    let message = format!("`{key}` takes {expected}");
                    and(&mut self.mistakes, Error::new_spanned(&value, message));
                }
                self.calls.extend(quote!(.#key(#value)));
            }
            "executor" => {
                self.executor = Some((key.clone(), input.parse()?));
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
            _ => {
                and(
                    &mut self.mistakes,
                    Error::new(key.span(), format!("`{key}` is no setting; {KNOWN}")),
                );
                input.parse::<Expr>()?;
            }
        }
        Ok(())
    }

    /// The key and the value of `executor`, which runs the future of an `async fn`.
    pub(super) fn executor(&self) -> Option<&(Ident, Expr)> {
        self.executor.as_ref()
    }

    /// The path to `dwindle`.
    pub(super) fn location(&self) -> TokenStream {
        self.location.clone().unwrap_or_else(|| Home::Dwindle.path(None))
    }
}

/// Writes the settings as an expression.
impl ToTokens for Settings {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let dwindle = self.location();
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

/// What the setting takes, if the value is a literal of another kind.
fn wrong_literal(key: &Ident, value: &Expr) -> Option<&'static str> {
    let literal = match value {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) if key != "name" => {
            return matches!(&**expr, Expr::Lit(_)).then_some("a whole number from 0 on");
        }
        _ => None,
    };
    match literal? {
        Lit::Str(_) => (key != "name").then_some("a whole number, as in `max_cases = 500`"),
        Lit::Int(_) if key != "name" => None,
        _ if key == "name" => Some("a text in quotes"),
        _ => Some("a whole number, as in `max_cases = 500`"),
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

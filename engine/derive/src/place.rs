//! Places of generated code, so that the compiler reports a mistake at the tokens of the user.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// Writes the call `function::<types>(arguments)` with the place of `user`. The types and the
/// arguments keep their places. Without types, there are no `<>`.
///
/// `Spanned::span` gives only the first token on stable Rust. So the name of the function lies on
/// the first token of `user`, and the end of the call on the last.
pub(crate) fn call(
    user: &impl ToTokens,
    function: TokenStream,
    types: TokenStream,
    arguments: TokenStream,
) -> TokenStream {
    let (first, last) = ends(user.to_token_stream());
    let mut call = moved(function, first);
    if !types.is_empty() {
        let brackets = |tokens: TokenStream| moved(tokens, first);
        call.extend(brackets(quote!(::<)).into_iter().chain(types).chain(brackets(quote!(>))));
    }
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(last);
    call.extend([TokenTree::Group(arguments)]);
    call
}

/// The places of the first and of the last token.
fn ends(tokens: TokenStream) -> (Span, Span) {
    let mut tokens = tokens.into_iter();
    let first = tokens.next();
    let last = tokens.last().or_else(|| first.clone());
    let span = |token: Option<TokenTree>| token.map_or_else(Span::call_site, |token| token.span());
    (span(first), span(last))
}

/// Gives all tokens outside brackets the place `span`.
pub(crate) fn moved(tokens: TokenStream, span: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|mut token| {
        token.set_span(span);
        token
    });
    moved.collect()
}

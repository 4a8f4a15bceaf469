//! Mistakes in the argument of a `fuzz_target!`.

use proc_macro2::{TokenStream, TokenTree};
use syn::Error;

/// The mistake in an argument that the macro does not know.
pub(crate) fn mistake(tokens: TokenStream) -> Error {
    let is = |token: &TokenTree, sign| {
        let TokenTree::Punct(punct) = token else { return false };
        punct.as_char() == sign
    };
    let argument: Vec<TokenTree> = tokens.into_iter().take_while(|token| !is(token, '|')).collect();
    let first_comma = argument.iter().position(|token| is(token, ','));
    let message = if argument.iter().any(|token| token.to_string() == "TestCase") {
        "the test case is lent: write `|tc: &mut TestCase|`"
    } else if first_comma.is_some() {
        "a target takes one value: write a tuple, as in `|values: (u8, u16)|`, or draw the values \
         with `|tc: &mut TestCase|`"
    } else if argument.iter().any(|token| is(token, ':')) {
        "the argument of a target is a name with its type, as in `|ops: Vec<Op>|`: take other \
         patterns apart in the body"
    } else {
        "the type of the value is missing, as in `|data: Vec<u8>|`; a target on the bytes of the \
         fuzzer uses `dwindle::arbitrary::fuzz_target!`"
    };
    let argument: TokenStream = match first_comma {
        Some(comma) => argument.into_iter().skip(comma + 1).take(1).collect(),
        None => argument.into_iter().take(1).collect(),
    };
    Error::new_spanned(argument, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn each_mistake_has_its_message() {
        let mistakes = [
            (quote!(data | {}), "the type of the value is missing"),
            (quote!(tc: TestCase), "the test case is lent"),
            (quote!(a: u8, b: u8), "a target takes one value"),
            (quote!((a, b): (u8, u8)| {}), "the argument of a target is a name with its type"),
        ];
        for (tokens, beginning) in mistakes {
            assert!(mistake(tokens).to_string().starts_with(beginning));
        }
    }
}

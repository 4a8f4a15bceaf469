//! `#[derive(Generate)]`.

use proc_macro::TokenStream;

/// Under construction.
#[proc_macro_derive(Generate)]
pub fn derive_generate(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}

//! What stays of the user's code after a mistake in it.
//!
//! Without it, the compiler would report other errors, and imports that only that code used. After
//! an error the compiler still checks types, so this code must be correct.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Block, Data, DeriveInput, Expr, Field, FnArg, ImplItem, ItemFn, ItemImpl,
    MetaNameValue, Signature, Token, parse_quote, parse2,
};

/// The function without our attributes. Any other item stays as it is.
pub(crate) fn function(item: TokenStream) -> TokenStream {
    let Ok(mut function) = parse2::<ItemFn>(item.clone()) else { return item };
    let kept = |attribute: &Attribute| {
        ["doc", "cfg", "allow", "expect", "warn", "deny", "forbid"]
            .iter()
            .any(|name| attribute.path().is_ident(name))
    };
    function.attrs.retain(kept);
    let generators = generators_of(&mut function.sig);
    mention(&mut function.block, &generators);
    quote!(#[allow(unused)] #function)
}

/// The impl block without our attributes, and a machine without rules. Any other item stays as it
/// is. `location` is the path to the engine.
pub(crate) fn machine(item: TokenStream, location: &TokenStream) -> TokenStream {
    let Ok(mut block) = parse2::<ItemImpl>(item.clone()) else { return item };
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        let mut mentioned = taken(&mut method.attrs, &["rule", "invariant"]);
        mentioned.extend(generators_of(&mut method.sig));
        mention(&mut method.block, &mentioned);
        method.attrs.push(parse_quote!(#[allow(unused)]));
    }
    let ty = &block.self_ty;
    let (parameters, _, clause) = block.generics.split_for_impl();
    let machine = block.trait_.is_none().then(|| {
        quote! {
            #[automatically_derived]
            impl #parameters #location::state_machine::StateMachine for #ty #clause {
                const RULES: &'static [#location::state_machine::Rule<Self>] = &[];
            }
        }
    });
    quote!(#block #machine)
}

/// An impl of `Generate` that draws nothing. `location` is the path to the engine.
pub(crate) fn generate(input: &DeriveInput, location: &TokenStream) -> TokenStream {
    let mut input = input.clone();
    let fields: Vec<&mut Field> = match &mut input.data {
        Data::Struct(data) => data.fields.iter_mut().collect(),
        Data::Enum(data) => {
            data.variants.iter_mut().flat_map(|variant| variant.fields.iter_mut()).collect()
        }
        Data::Union(data) => data.fields.named.iter_mut().collect(),
    };
    let generators: Vec<Expr> =
        fields.into_iter().flat_map(|field| taken(&mut field.attrs, &["generate"])).collect();
    let mut block: Block = parse_quote!({ ::core::unreachable!() });
    mention(&mut block, &generators);
    let name = &input.ident;
    let (parameters, arguments, clause) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        #[allow(unused)]
        impl #parameters #location::Generate for #name #arguments #clause {
            fn generate(_: &mut #location::TestCase) -> Self #block
        }
    }
}

/// Removes our attributes from the arguments, and returns the generators in them.
fn generators_of(signature: &mut Signature) -> Vec<Expr> {
    let arguments = signature.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(input) => Some(&mut input.attrs),
        FnArg::Receiver(_) => None,
    });
    arguments.flat_map(|attributes| taken(attributes, &["generate", "from"])).collect()
}

/// Removes the attributes with these names, and returns the expressions in them.
fn taken(attributes: &mut Vec<Attribute>, names: &[&str]) -> Vec<Expr> {
    let mut expressions = Vec::new();
    attributes.retain(|attribute| {
        let is_ours = names.iter().any(|name| attribute.path().is_ident(name));
        let values = Punctuated::<MetaNameValue, Token![,]>::parse_terminated;
        if is_ours && let Ok(values) = attribute.parse_args_with(values) {
            let known =
                |value: &MetaNameValue| value.path.is_ident("with") || value.path.is_ident("when");
            expressions.extend(values.into_iter().filter(known).map(|value| value.value));
        } else if is_ours && let Ok(generator @ Expr::Call(_)) = attribute.parse_args() {
            expressions.push(generator);
        }
        !is_ours
    });
    expressions
}

/// Mentions the expressions in a block, in a place that never runs.
fn mention(block: &mut Block, expressions: &[Expr]) {
    if !expressions.is_empty() {
        let mentioned = expressions.iter().map(ToTokens::to_token_stream);
        block.stmts.insert(0, parse_quote!(let _ = || { #(let _ = &(#mentioned);)* };));
    }
}

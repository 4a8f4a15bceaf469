//! The generated code.
//!
//! It is kept small, one closure for all variants: an enum of sixty variants has to compile fast.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Member, Type};

use crate::bounds::bounded;
use crate::shape::{Parts, Shape, mentions};

/// The impl of `Generate`. `location` is the path to the engine.
pub(crate) fn expand(input: &DeriveInput, shape: &Shape, location: &TokenStream) -> TokenStream {
    let name = &input.ident;
    let qualified = format!("::{name}");
    let label = quote!(const { #location::Label::of(::core::concat!(::core::module_path!(), #qualified)) });
    let methods = match shape {
        Shape::Struct(parts) => of_struct(input, parts, location, &label),
        Shape::Enum { variants, leaves } => of_enum(variants, *leaves, location, &label),
    };
    let generics = bounded(&input.generics, shape.types(), location);
    let (parameters, _, clause) = generics.split_for_impl();
    let (_, arguments, _) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #parameters #location::Generate for #name #arguments #clause {
            #methods
        }
    }
}

fn of_struct(input: &DeriveInput, parts: &Parts, location: &TokenStream, label: &TokenStream) -> TokenStream {
    let constructor = constructor(parts);
    let Some(((member, first), rest)) = parts.fields.split_first() else {
        return quote! {
            #[inline]
            fn generate(_: &mut #location::TestCase) -> Self {
                #constructor {}
            }
        };
    };
    let drawn_first = draw(member, first, location);
    let drawn_rest = draw_all(rest, location);
    let generate = quote! {
        #[inline]
        fn generate(tc: &mut #location::TestCase) -> Self {
            tc.span(#label, |tc| tc.deeper(|tc| #constructor { #drawn_first #drawn_rest }))
        }
    };
    // A type that always contains itself has no values, but asking it for its alternatives must come to an end.
    if mentions(first, &input.ident) {
        return generate;
    }
    quote! {
        #generate

        #[inline]
        fn alternatives() -> ::core::option::Option<#location::Alternatives> {
            <#first as #location::Generate>::alternatives().map(|first| #location::Alternatives { label: #label, ..first })
        }

        #[inline]
        fn generate_alternative(index: usize, tc: &mut #location::TestCase) -> Self {
            tc.deeper(|tc| #constructor { #member: <#first as #location::Generate>::generate_alternative(index, tc), #drawn_rest })
        }
    }
}

fn of_enum(variants: &[Parts], leaves: usize, location: &TokenStream, label: &TokenStream) -> TokenStream {
    let count = variants.len();
    let alternatives = quote!(#location::Alternatives { count: #count, leaves: #leaves, label: #label });
    let shallow = match leaves {
        0 => quote!(if tc.too_deep() {
            tc.reject()
        }),
        1 if count > 1 => quote!(let index = if tc.too_deep() { 0 } else { index };),
        _ if leaves < count => quote!(let index = if index >= #leaves && tc.too_deep() { index % #leaves } else { index };),
        _ => TokenStream::new(),
    };
    let arms = variants.iter().enumerate().map(|(index, parts)| {
        let constructor = constructor(parts);
        let fields = draw_all(&parts.fields, location);
        // Indices are below the count, so the last arm may take all others.
        let pattern = if index + 1 == count { quote!(_) } else { quote!(#index) };
        quote!(#pattern => #constructor { #fields },)
    });
    let chosen = quote!(match index { #(#arms)* });
    let has_data = variants.iter().any(|parts| !parts.fields.is_empty());
    let (tc, chosen) = if has_data { (quote!(tc), quote!(tc.deeper(|tc| #chosen))) } else { (quote!(_), chosen) };
    quote! {
        #[inline]
        fn generate(tc: &mut #location::TestCase) -> Self {
            #alternatives.draw(tc, <Self as #location::Generate>::generate_alternative)
        }

        #[inline]
        fn alternatives() -> ::core::option::Option<#location::Alternatives> {
            ::core::option::Option::Some(#alternatives)
        }

        #[inline]
        fn generate_alternative(index: usize, #tc: &mut #location::TestCase) -> Self {
            #shallow
            #chosen
        }
    }
}

fn constructor(parts: &Parts) -> TokenStream {
    parts.variant.map_or_else(|| quote!(Self), |variant| quote!(Self::#variant))
}

fn draw_all(fields: &[(Member, &Type)], location: &TokenStream) -> TokenStream {
    fields.iter().map(|(member, ty)| draw(member, ty, location)).collect()
}

/// One field of a constructor in braces, which serves tuples too: `0: ..,`. A type without a generator is reported where the field names it.
fn draw(member: &Member, ty: &Type, location: &TokenStream) -> TokenStream {
    let drawn = quote_spanned!(ty.span()=> <#ty as #location::Generate>::generate(tc));
    quote!(#member: #drawn,)
}

//! Writes the generated code.
//!
//! The code is small, with one closure for all variants, because an enum of sixty variants must
//! compile fast.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Ident};

use crate::bounds::bounded;
use crate::place;
use crate::shape::{Part, Parts, Shape, Variants, mentions};

/// Writes the impl of `Generate`. `location` is the path to the engine.
pub(crate) fn expand(input: &DeriveInput, shape: &Shape, location: &TokenStream) -> TokenStream {
    let name = &input.ident;
    let qualified = format!("::{name}");
    let label = quote!(const {
        #location::__private::Label::of(::core::concat!(::core::module_path!(), #qualified))
    });
    let methods = match shape {
        Shape::Struct(parts) => of_struct(input, parts, location, &label),
        Shape::Enum(variants) => of_enum(name, variants, location, &label),
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

fn of_struct(
    input: &DeriveInput,
    parts: &Parts,
    location: &TokenStream,
    label: &TokenStream,
) -> TokenStream {
    let constructor = constructor(parts);
    let Some((first, rest)) = parts.fields.split_first() else {
        return quote! {
            #[inline]
            fn generate(_: &mut #location::TestCase) -> Self {
                #constructor {}
            }
        };
    };
    let drawn_first = draw(first, location);
    let drawn_rest = draw_all(rest, location);
    let name = input.ident.to_string();
    let generate = quote! {
        #[inline]
        fn generate(tc: &mut #location::TestCase) -> Self {
            tc.span(#label, |tc| {
                tc.deeper_in(#name, |tc| #constructor { #drawn_first #drawn_rest })
            })
        }
    };
    // A first field that mentions the type passes no alternatives on. A type that always contains
    // itself has no values, but the search for its alternatives must end.
    if mentions(first.ty, &input.ident) {
        return generate;
    }
    let Part { member, ty, .. } = first;
    let (alternatives, drawn) = if first.with.is_some() {
        let field = field(first, location);
        (quote!(#field.alternatives()), quote!(#field.generate_alternative(index, tc)))
    } else {
        (
            quote!(<#ty as #location::Generate>::alternatives()),
            quote!(<#ty as #location::Generate>::generate_alternative(index, tc)),
        )
    };
    quote! {
        #generate

        #[inline]
        fn alternatives() -> ::core::option::Option<#location::__private::Alternatives> {
            #alternatives.map(|first| #location::__private::Alternatives { label: #label, ..first })
        }

        #[inline]
        fn generate_alternative(index: usize, tc: &mut #location::TestCase) -> Self {
            tc.deeper_in(#name, |tc| #constructor { #member: #drawn, #drawn_rest })
        }
    }
}

fn of_enum(
    name: &Ident,
    variants: &Variants,
    location: &TokenStream,
    label: &TokenStream,
) -> TokenStream {
    let Variants { all, leaves, ends, depth } = variants;
    let (name, count) = (name.to_string(), all.len());
    let shares = match ends.last() {
        Some(places) if *places as usize > count => {
            quote!(#location::__private::Shares::of(&[#(#ends),*]))
        }
        _ => quote!(#location::__private::Shares::EQUAL),
    };
    let nested_max = depth.map_or_else(
        || quote!(::core::option::Option::None),
        |depth| quote!(::core::option::Option::Some((#label, #depth))),
    );
    let alternatives = quote!(#location::__private::Alternatives {
        count: #count,
        leaves: #leaves,
        label: #label,
        shares: #shares,
        nested_max: #nested_max,
    });
    let endless = (*leaves == 0).then(|| {
        quote!(if tc.too_deep() {
            tc.endless(#name)
        })
    });
    let chosen = match_on_index(all, location);
    let has_data = all.iter().any(|parts| !parts.fields.is_empty());
    let (tc, chosen) = if has_data {
        (quote!(tc), quote!(#endless tc.deeper_in(#name, |tc| #chosen)))
    } else {
        (quote!(_), chosen)
    };
    let chosen = if depth.is_some() { quote!(tc.nested(#label, |tc| #chosen)) } else { chosen };
    quote! {
        #[inline]
        fn generate(tc: &mut #location::TestCase) -> Self {
            #alternatives.draw(tc, <Self as #location::Generate>::generate_alternative)
        }

        #[inline]
        fn alternatives() -> ::core::option::Option<#location::__private::Alternatives> {
            ::core::option::Option::Some(#alternatives)
        }

        #[inline]
        fn generate_alternative(index: usize, #tc: &mut #location::TestCase) -> Self {
            #chosen
        }
    }
}

fn match_on_index(variants: &[Parts], location: &TokenStream) -> TokenStream {
    let arms = variants.iter().enumerate().map(|(at, parts)| {
        let constructor = constructor(parts);
        let fields = draw_all(&parts.fields, location);
        // Indices are below the count, so the last arm can match all others.
        let pattern = if at + 1 == variants.len() { quote!(_) } else { quote!(#at) };
        quote!(#pattern => #constructor { #fields },)
    });
    quote!(match index { #(#arms)* })
}

fn constructor(parts: &Parts) -> TokenStream {
    parts.variant.map_or_else(|| quote!(Self), |variant| quote!(Self::#variant))
}

fn draw_all(fields: &[Part], location: &TokenStream) -> TokenStream {
    fields.iter().map(|field| draw(field, location)).collect()
}

/// Writes one field of a constructor in braces, which tuples accept too: `0: ..,`. The compiler
/// reports a type without a generator at the field.
fn draw(part: &Part, location: &TokenStream) -> TokenStream {
    let Part { member, ty, with } = part;
    let drawn = if with.is_some() {
        let field = field(part, location);
        quote!(#field.generate(tc))
    } else {
        quote_spanned!(ty.span()=> <#ty as #location::Generate>::generate(tc))
    };
    quote!(#member: #drawn,)
}

/// Writes the generator that a field names. The compiler reports a wrong generator there.
fn field(part: &Part, location: &TokenStream) -> TokenStream {
    let Part { ty, with, .. } = part;
    let function = quote!(#location::__private::field);
    let field = place::call(with, function, TokenStream::new(), quote!(#with));
    quote!({
        let field: #location::__private::Field<#ty, _> = #field;
        field
    })
}

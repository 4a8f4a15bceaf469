//! The bounds that the type parameters of a generated impl need.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Generics, Type, TypePath, parse_quote};

use crate::walk::{Node, through_type};

/// Returns `generics` with a `Generate` bound for each type parameter in a field, and for each
/// associated type of a type parameter there. A type parameter of `PhantomData` gets no bound.
///
/// The types of the fields themselves get no bound, because the compiler could not resolve such a
/// bound for a recursive type.
pub(crate) fn bounded<'a>(
    generics: &Generics,
    types: impl Iterator<Item = &'a Type>,
    location: &TokenStream,
) -> Generics {
    let parameters: Vec<&Ident> =
        generics.type_params().map(|parameter| &parameter.ident).collect();
    let (mut found, mut seen): (Vec<TypePath>, HashSet<String>) = (Vec::new(), HashSet::new());
    for ty in types {
        through_type(ty, &mut |node| {
            let Node::Type(ty) = node else { return true };
            let is_projected = is_projected(ty, &parameters);
            if is_projected && seen.insert(ty.to_token_stream().to_string()) {
                found.push(ty.clone());
            }
            let last = ty.path.segments.last();
            !is_projected && last.is_none_or(|segment| segment.ident != "PhantomData")
        });
    }
    let mut generics = generics.clone();
    if !found.is_empty() {
        let clause = generics.make_where_clause();
        for ty in found {
            clause.predicates.push(parse_quote!(#ty: #location::Generate));
        }
    }
    generics
}

/// Whether a type is a type parameter, or an associated type of one.
fn is_projected(ty: &TypePath, parameters: &[&Ident]) -> bool {
    let is_parameter = |ident: &Ident| parameters.contains(&ident);
    match &ty.qself {
        // The form `<T as Trait>::Type`.
        Some(qself) => match &*qself.ty {
            Type::Path(inner) => inner.path.get_ident().is_some_and(is_parameter),
            _ => false,
        },
        // The forms `T` and `T::Type`.
        None => ty.path.segments.first().is_some_and(|segment| is_parameter(&segment.ident)),
    }
}

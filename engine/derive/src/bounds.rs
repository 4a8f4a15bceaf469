//! The bounds that the type parameters of a generated impl need.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Generics, Type, TypePath, parse_quote};

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
    let mut search = Search { parameters, found: Vec::new(), seen: HashSet::new() };
    for ty in types {
        search.visit_type(ty);
    }
    let mut generics = generics.clone();
    if !search.found.is_empty() {
        let clause = generics.make_where_clause();
        for ty in search.found {
            clause.predicates.push(parse_quote!(#ty: #location::Generate));
        }
    }
    generics
}

struct Search<'a> {
    parameters: Vec<&'a Ident>,
    found: Vec<&'a TypePath>,
    seen: HashSet<String>,
}

impl Search<'_> {
    fn is_parameter(&self, ident: &Ident) -> bool {
        self.parameters.contains(&ident)
    }
}

impl<'ast: 'a, 'a> Visit<'ast> for Search<'a> {
    fn visit_type_path(&mut self, ty: &'ast TypePath) {
        let first = ty.path.segments.first().map(|segment| &segment.ident);
        let projected = match &ty.qself {
            // The form `<T as Trait>::Type`.
            Some(qself) => match &*qself.ty {
                Type::Path(inner) => {
                    inner.path.get_ident().is_some_and(|ident| self.is_parameter(ident))
                }
                _ => false,
            },
            // The forms `T` and `T::Type`.
            None => first.is_some_and(|ident| self.is_parameter(ident)),
        };
        let phantom = ty.path.segments.last().is_some_and(|segment| segment.ident == "PhantomData");
        if projected {
            if self.seen.insert(ty.to_token_stream().to_string()) {
                self.found.push(ty);
            }
        } else if !phantom {
            visit::visit_type_path(self, ty);
        }
    }
}

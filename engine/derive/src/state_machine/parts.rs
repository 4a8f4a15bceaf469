//! The parts of a step, for each argument of its rule.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::rule::Argument;
use crate::place;

/// Takes a value that no other argument may share out of its pool. This happens before all draws.
pub(super) fn taken_first(
    name: &Ident,
    argument: &Argument,
    location: &TokenStream,
) -> Option<TokenStream> {
    match argument {
        Argument::LentToChange(pool, _) => {
            let pool = pool_to_change(pool, location);
            Some(quote!(let mut #name = #pool.take_out(__tc);))
        }
        Argument::Taken(pool, _) => {
            let pool = pool_to_change(pool, location);
            Some(quote!(let #name = #pool.take_out(__tc);))
        }
        Argument::TestCase | Argument::Drawn(..) | Argument::Lent(..) => None,
    }
}

/// Draws a value, or which value of a pool is lent.
pub(super) fn drawn(
    name: &Ident,
    argument: &Argument,
    location: &TokenStream,
) -> Option<TokenStream> {
    match argument {
        Argument::Drawn(ty, None) => {
            let function = quote!(#location::__private::rule_argument_of_type);
            let value = place::call(ty, function, quote!(#ty), quote!(__tc));
            Some(quote!(let #name = #value;))
        }
        Argument::Drawn(ty, Some(generator)) => {
            let function = quote!(#location::__private::rule_argument);
            let arguments = quote!(__tc, #generator);
            let value = place::call(generator, function, TokenStream::new(), arguments);
            Some(quote!(let #name: #location::__private::Drawn<#ty> = #value;))
        }
        Argument::Lent(pool, _) => {
            let pool = self::pool(pool, location);
            Some(quote!(let #name = #pool.lend(__tc);))
        }
        Argument::TestCase | Argument::LentToChange(..) | Argument::Taken(..) => None,
    }
}

/// What the line of the step shows of an argument.
pub(super) fn shown(name: &Ident, argument: &Argument, location: &TokenStream) -> TokenStream {
    match argument {
        Argument::TestCase => quote!(&::core::format_args!("tc")),
        Argument::Drawn(..) => quote!(&#name),
        Argument::Lent(pool, _) | Argument::Taken(pool, _) => {
            let pool = self::pool(pool, location);
            quote!(&#name.variable(#pool))
        }
        Argument::LentToChange(pool, _) => {
            let pool = self::pool(pool, location);
            quote!(&#name.lent_variable(#pool))
        }
    }
}

/// The value that the method takes for an argument.
pub(super) fn given(name: &Ident, argument: &Argument, location: &TokenStream) -> TokenStream {
    let lent = |ty, function: &str| {
        let (function, value) = (format_ident!("{function}"), quote!(#name.value()));
        place::call(ty, quote!(#location::__private::#function), quote!(#ty, _), value)
    };
    match argument {
        Argument::TestCase => quote!(__tc),
        Argument::Drawn(..) => quote!(#name.value),
        Argument::Lent(_, ty) => lent(ty, "lent"),
        Argument::LentToChange(_, ty) => lent(ty, "lent_to_change"),
        Argument::Taken(_, ty) => {
            let taken = place::call(ty, quote!(into_value_as), quote!(#ty), TokenStream::new());
            quote!(#name.#taken)
        }
    }
}

/// Gives a value that was lent for changes back to its pool.
pub(super) fn given_back(
    name: &Ident,
    argument: &Argument,
    location: &TokenStream,
) -> Option<TokenStream> {
    let Argument::LentToChange(pool, _) = argument else { return None };
    let pool = pool_to_change(pool, location);
    Some(quote!(#pool.give_back(#name);))
}

/// The pool that a field of the machine is. The compiler reports any other field at its name.
pub(super) fn pool(pool: &Ident, location: &TokenStream) -> TokenStream {
    let field = quote_spanned!(pool.span()=> &(*self).#pool);
    let function = quote!(#location::__private::IsPool::pool);
    place::call(pool, function, TokenStream::new(), field)
}

/// Generates the access to a pool of the machine, for changes.
pub(super) fn pool_to_change(pool: &Ident, location: &TokenStream) -> TokenStream {
    let field = quote_spanned!(pool.span()=> &mut (*self).#pool);
    let function = quote!(#location::__private::IsPool::pool_mut);
    place::call(pool, function, TokenStream::new(), field)
}

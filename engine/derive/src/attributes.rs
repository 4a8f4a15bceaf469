//! `#[generate(..)]`: how a type, a variant or a field is drawn.

use proc_macro2::TokenStream;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, LitInt, Result};

use crate::ranges;

/// The settings of a variant.
pub(crate) struct OfVariant {
    /// How often the variant is drawn, as its share of all weights.
    pub(crate) weight: usize,
    /// Whether the variant is never drawn.
    pub(crate) skip: bool,
}

/// The greatest sum of weights. A larger sum makes the choice of a variant longer than two bytes.
pub(crate) const WEIGHTS_MAX: usize = 1 << 16;

/// The maximum depth of values of a type, if the attribute sets one.
///
/// # Errors
/// For every setting that does not belong on a type.
pub(crate) fn of_type(attributes: &[Attribute]) -> Result<Option<(usize, TokenStream)>> {
    let mut depth = None;
    each(attributes, |meta, attribute| {
        if !meta.path.is_ident("depth") {
            return Err(meta.error(
                "on a type, only `depth = 4` is known: how many values of it may stand around one \
                 that still recurses",
            ));
        }
        once(&meta, depth.is_some())?;
        depth = Some((number(&meta)?, attribute));
        Ok(())
    })?;
    Ok(depth)
}

/// The settings of a variant.
///
/// # Errors
/// For every setting that does not belong on a variant.
pub(crate) fn of_variant(attributes: &[Attribute]) -> Result<OfVariant> {
    let (mut weight, mut skip) = (None, false);
    each(attributes, |meta, _| {
        if meta.path.is_ident("skip") {
            once(&meta, skip)?;
            skip = true;
            return Ok(());
        }
        if !meta.path.is_ident("weight") {
            return Err(meta.error(
                "on a variant, only `weight = 3` (how often it is drawn) and `skip` (never) are \
                 known",
            ));
        }
        once(&meta, weight.is_some())?;
        let given = number(&meta)?;
        if given == 0 || given > WEIGHTS_MAX {
            return Err(meta.error("a weight lies in 1..=65536; `skip` leaves a variant out"));
        }
        weight = Some(given);
        Ok(())
    })?;
    Ok(OfVariant { weight: weight.unwrap_or(1), skip })
}

/// The generator that the attribute of a field names.
///
/// # Errors
/// For every setting that does not belong on a field.
pub(crate) fn of_field(attributes: &[Attribute]) -> Result<Option<TokenStream>> {
    let mut with = None;
    each(attributes, |meta, _| {
        if !meta.path.is_ident("with") {
            return Err(meta.error(
                "on a field, only `with = generator` is known, as in `with = g::integers(0..10)`",
            ));
        }
        once(&meta, with.is_some())?;
        // Takes all remaining tokens, because a generator may hold commas between angle brackets.
        // The compiler parses them.
        let generator: TokenStream =
            meta.value().and_then(syn::parse::ParseBuffer::parse).unwrap_or_default();
        if generator.is_empty() {
            return Err(meta.error("`with` needs a generator, as in `with = g::integers(0..10)`"));
        }
        if let Ok(generator) = syn::parse2(generator.clone()) {
            ranges::check(&generator)?;
        }
        with = Some(generator);
        Ok(())
    })?;
    Ok(with)
}

fn each(
    attributes: &[Attribute],
    mut read: impl FnMut(ParseNestedMeta<'_>, TokenStream) -> Result<()>,
) -> Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("generate")) {
        let tokens = quote::quote!(#attribute);
        attribute.parse_nested_meta(|meta| read(meta, tokens.clone()))?;
    }
    Ok(())
}

fn once(meta: &ParseNestedMeta<'_>, given: bool) -> Result<()> {
    if given { Err(meta.error("this is given twice")) } else { Ok(()) }
}

fn number(meta: &ParseNestedMeta<'_>) -> Result<usize> {
    let literal: LitInt = meta.value()?.parse().map_err(|error| {
        Error::new(error.span(), "a whole number belongs here, as in `weight = 3` or `depth = 4`")
    })?;
    literal.base10_parse()
}

//! The shape of a type, as its generator needs it.

use proc_macro2::{Ident, Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Attribute, Data, DataEnum, DeriveInput, Error, Field, Fields, Member, Result, Type};

use crate::attributes::{self, OfVariant};
use crate::walk::{Node, through_type};

/// A struct, or an enum with its variants.
pub(crate) enum Shape<'a> {
    /// All parts of one value.
    Struct(Parts<'a>),
    /// One of several variants. Those that mention the type itself come last.
    Enum(Variants<'a>),
}

/// The variants of an enum. Those that mention the type itself come last.
pub(crate) struct Variants<'a> {
    /// All variants, at least two.
    pub(crate) all: Vec<Parts<'a>>,
    /// How many variants do not mention the type itself.
    pub(crate) leaves: usize,
    /// For each variant, the sum of all weights up to it.
    pub(crate) ends: Vec<u32>,
    /// How many values of the type may surround one that still recurses, if the type sets a limit.
    pub(crate) depth: Option<usize>,
}

/// The parts that one constructor needs.
pub(crate) struct Parts<'a> {
    /// The variant, or `None` for a struct.
    pub(crate) variant: Option<&'a Ident>,
    /// How often it is drawn, as its share of all weights.
    pub(crate) weight: usize,
    /// Its fields in order.
    pub(crate) fields: Vec<Part<'a>>,
}

/// One field.
pub(crate) struct Part<'a> {
    /// Its name or number.
    pub(crate) member: Member,
    /// Its type.
    pub(crate) ty: &'a Type,
    /// The generator to draw it with, if it replaces the generator of the type.
    pub(crate) with: Option<TokenStream>,
}

impl Shape<'_> {
    /// The types of all fields that are drawn with the generator of their type.
    pub(crate) fn types(&self) -> impl Iterator<Item = &Type> {
        let constructors = match self {
            Shape::Struct(parts) => std::slice::from_ref(parts),
            Shape::Enum(variants) => &variants.all,
        };
        constructors.iter().flat_map(|parts| {
            parts.fields.iter().filter(|field| field.with.is_none()).map(|field| field.ty)
        })
    }
}

/// Reads the shape of a type.
///
/// # Errors
/// For types without a generator: unions, and enums without variants. Also for our attributes in
/// places where they have no meaning.
pub(crate) fn shape_of(input: &DeriveInput) -> Result<Shape<'_>> {
    let depth = attributes::of_type(&input.attrs)?;
    let shape = match &input.data {
        Data::Struct(data) => Shape::Struct(parts_of(None, 1, &data.fields)?),
        Data::Enum(data) => shape_of_enum(input, data, depth.as_ref().map(|(depth, _)| *depth))?,
        Data::Union(data) => {
            return Err(Error::new(
                data.union_token.span(),
                "`Generate` cannot be derived for a union: the field to draw is not known; write \
                 `impl Generate` for it",
            ));
        }
    };
    match (depth, &shape) {
        (Some((_, attribute)), Shape::Struct(_)) => {
            Err(Error::new_spanned(attribute, DEPTH_OF_WHAT))
        }
        (Some((_, attribute)), Shape::Enum(variants))
            if variants.leaves == 0 || variants.leaves == variants.all.len() =>
        {
            Err(Error::new_spanned(attribute, DEPTH_OF_WHAT))
        }
        _ => Ok(shape),
    }
}

const DEPTH_OF_WHAT: &str = "`depth` belongs on an enum with a variant that mentions the enum \
                             itself and one that does not, to be drawn where the depth is reached";

const BORROWED: &str = "a drawn value owns its fields: write `String` for `&str`, `Vec<T>` for \
                        `&[T]` and `T` for `&T`, or name a generator of references with \
                        `#[generate(with = ..)]`";

fn shape_of_enum<'a>(
    input: &'a DeriveInput,
    data: &'a DataEnum,
    depth: Option<usize>,
) -> Result<Shape<'a>> {
    let mut all = Vec::with_capacity(data.variants.len());
    for variant in &data.variants {
        refuse_attributes(&variant.attrs)?;
        let OfVariant { weight, skip } = attributes::of_variant(&variant.attrs)?;
        let parts = parts_of(Some(&variant.ident), weight, &variant.fields)?;
        if !skip {
            all.push(parts);
        }
    }
    match all.len() {
        0 if data.variants.is_empty() => Err(Error::new(
            input.ident.span(),
            "`Generate` cannot be derived for an enum without variants: it has no values",
        )),
        0 => Err(Error::new(input.ident.span(), "every variant is skipped: leave one to be drawn")),
        1 => Ok(Shape::Struct(all.remove(0))),
        _ => {
            let recurses =
                |parts: &Parts| parts.fields.iter().any(|field| mentions(field.ty, &input.ident));
            all.sort_by_cached_key(recurses);
            let common = all.iter().fold(0, |common, parts| divisor(common, parts.weight));
            for parts in &mut all {
                parts.weight /= common;
            }
            let count: usize = all.iter().map(|parts| parts.weight).sum();
            if count > attributes::WEIGHTS_MAX {
                return Err(Error::new(
                    input.ident.span(),
                    format!(
                        "the weights of the variants add up to {count}: 65536 in all is the most"
                    ),
                ));
            }
            let mut end = 0;
            let ends = all.iter().map(|parts| {
                end += parts.weight;
                end as u32
            });
            let ends = ends.collect();
            let leaves = all.iter().filter(|parts| !recurses(parts)).count();
            Ok(Shape::Enum(Variants { all, leaves, ends, depth }))
        }
    }
}

fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// Whether `ty` contains the name of the type `name`.
pub(crate) fn mentions(ty: &Type, name: &Ident) -> bool {
    let mut found = false;
    through_type(ty, &mut |node| {
        if let Node::Path(path) = node {
            let of_this_module = path.segments.len() == 1
                || path.segments.first().is_some_and(|first| {
                    ["self", "crate", "super"].iter().any(|word| first.ident == word)
                });
            let last = path.segments.last().is_some_and(|last| last.ident == *name);
            found |= path.is_ident("Self") || (of_this_module && last);
        }
        true
    });
    found
}

fn parts_of<'a>(
    variant: Option<&'a Ident>,
    weight: usize,
    fields: &'a Fields,
) -> Result<Parts<'a>> {
    let field = |(index, field): (usize, &'a Field)| {
        refuse_attributes(&field.attrs)?;
        let with = attributes::of_field(&field.attrs)?;
        if with.is_none() && matches!(field.ty, Type::Reference(_)) {
            return Err(Error::new_spanned(&field.ty, BORROWED));
        }
        Ok(Part { member: member_of(index, field), ty: &field.ty, with })
    };
    Ok(Parts {
        variant,
        weight,
        fields: fields.iter().enumerate().map(field).collect::<Result<_>>()?,
    })
}

fn member_of(index: usize, field: &Field) -> Member {
    match &field.ident {
        Some(name) => Member::Named(name.clone()),
        None => Member::Unnamed(syn::Index { index: index as u32, span: Span::call_site() }),
    }
}

fn refuse_attributes(attributes: &[Attribute]) -> Result<()> {
    match attributes.iter().find(|attribute| attribute.path().is_ident("dwindle")) {
        Some(attribute) => Err(Error::new_spanned(
            attribute,
            "`dwindle` attributes belong on the type, not on its fields or variants",
        )),
        None => Ok(()),
    }
}

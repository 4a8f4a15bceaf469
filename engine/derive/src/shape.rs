//! What a type looks like to a generator.

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Data, DeriveInput, Error, Field, Fields, Member, Result, Type};

/// A struct, or an enum with its variants.
pub(crate) enum Shape<'a> {
    /// All parts of one value.
    Struct(Parts<'a>),
    /// One of several, those that mention the type itself last.
    Enum { variants: Vec<Parts<'a>>, leaves: usize },
}

/// What one constructor needs.
pub(crate) struct Parts<'a> {
    /// The variant, none for a struct.
    pub(crate) variant: Option<&'a Ident>,
    /// Its fields in order.
    pub(crate) fields: Vec<(Member, &'a Type)>,
}

impl Shape<'_> {
    /// The types of all fields.
    pub(crate) fn types(&self) -> impl Iterator<Item = &Type> {
        let constructors = match self {
            Shape::Struct(parts) => std::slice::from_ref(parts),
            Shape::Enum { variants, .. } => variants,
        };
        constructors.iter().flat_map(|parts| parts.fields.iter().map(|(_, ty)| *ty))
    }
}

/// Looks at a type.
///
/// # Errors
/// For what has no generator: unions, enums without variants; and for our attribute where it means nothing.
pub(crate) fn shape_of(input: &DeriveInput) -> Result<Shape<'_>> {
    match &input.data {
        Data::Struct(data) => Ok(Shape::Struct(parts_of(None, &data.fields)?)),
        Data::Enum(data) => {
            let mut variants = Vec::with_capacity(data.variants.len());
            for variant in &data.variants {
                refuse_attributes(&variant.attrs)?;
                variants.push(parts_of(Some(&variant.ident), &variant.fields)?);
            }
            match variants.len() {
                0 => Err(Error::new(input.ident.span(), "`Generate` cannot be derived for an enum without variants: it has no values")),
                1 => Ok(Shape::Struct(variants.remove(0))),
                count => {
                    let recurses = |parts: &Parts| parts.fields.iter().any(|(_, ty)| mentions(ty, &input.ident));
                    variants.sort_by_cached_key(recurses);
                    let leaves = count - variants.iter().filter(|parts| recurses(parts)).count();
                    Ok(Shape::Enum { variants, leaves })
                }
            }
        }
        Data::Union(data) => {
            Err(Error::new(data.union_token.span(), "`Generate` cannot be derived for a union: which of its fields holds a value is not known"))
        }
    }
}

/// Whether `ty` names the type `name` anywhere in it.
pub(crate) fn mentions(ty: &Type, name: &Ident) -> bool {
    struct Search<'a> {
        name: &'a Ident,
        found: bool,
    }

    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_path(&mut self, path: &'ast syn::Path) {
            let of_this_module =
                path.segments.len() == 1 || path.segments.first().is_some_and(|first| ["self", "crate", "super"].iter().any(|word| first.ident == word));
            let last = path.segments.last().is_some_and(|last| last.ident == *self.name);
            self.found |= path.is_ident("Self") || (of_this_module && last);
            visit::visit_path(self, path);
        }
    }

    let mut search = Search { name, found: false };
    search.visit_type(ty);
    search.found
}

fn parts_of<'a>(variant: Option<&'a Ident>, fields: &'a Fields) -> Result<Parts<'a>> {
    for field in fields {
        refuse_attributes(&field.attrs)?;
    }
    Ok(Parts { variant, fields: fields.iter().enumerate().map(|(index, field)| (member_of(index, field), &field.ty)).collect() })
}

fn member_of(index: usize, field: &Field) -> Member {
    match &field.ident {
        Some(name) => Member::Named(name.clone()),
        None => Member::Unnamed(syn::Index { index: index as u32, span: Span::call_site() }),
    }
}

fn refuse_attributes(attributes: &[Attribute]) -> Result<()> {
    match attributes.iter().find(|attribute| attribute.path().is_ident("dwindle")) {
        Some(attribute) => Err(Error::new_spanned(attribute, "`dwindle` attributes belong on the type, not on its fields or variants")),
        None => Ok(()),
    }
}

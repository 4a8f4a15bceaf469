//! The arguments of a property and their sources.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Error, Expr, FnArg, Pat, Result, Signature, Type};

use super::names;
use crate::errors::and;
use crate::place;
use crate::ranges;

/// One argument.
pub(super) enum Argument {
    /// A drawn value.
    Drawn(Box<Drawn>),
    /// The test case itself, with its name if it has one.
    TestCase(Option<Ident>),
}

/// An argument that is drawn, or borrowed from a drawn value.
pub(super) struct Drawn {
    variable: Ident,
    /// The pattern as the report shows it.
    name: String,
    ty: Type,
    /// For an argument `&T`: the type `T`.
    borrowed: Option<Type>,
    generator: Option<Expr>,
}

/// Reads the arguments of a function and removes their attributes.
///
/// # Errors
/// For `self`, for a second test case, and for attributes without a meaning here.
pub(super) fn of(signature: &mut Signature) -> Result<Vec<Argument>> {
    let (mut arguments, mut mistakes) = (Vec::with_capacity(signature.inputs.len()), None);
    for (index, input) in signature.inputs.iter_mut().enumerate() {
        match of_one(index, input) {
            Ok(Argument::TestCase(_))
                if arguments.iter().any(|known| matches!(known, Argument::TestCase(_))) =>
            {
                let message = "there is one test case only; remove this argument";
                and(&mut mistakes, Error::new_spanned(input, message));
            }
            Ok(argument) => arguments.push(argument),
            Err(error) => and(&mut mistakes, error),
        }
    }
    mistakes.map_or(Ok(arguments), Err)
}

fn of_one(index: usize, input: &mut FnArg) -> Result<Argument> {
    let typed = match input {
        FnArg::Receiver(receiver) => {
            let message = "a property is a function without `self`: draw the value as an argument";
            return Err(Error::new_spanned(receiver, message));
        }
        FnArg::Typed(typed) => typed,
    };
    let (ours, others): (Vec<_>, Vec<_>) = std::mem::take(&mut typed.attrs)
        .into_iter()
        .partition(|attribute| attribute.path().is_ident("generate"));
    typed.attrs = others;
    let generator = generator(&ours)?;
    if is_test_case(&typed.ty)? {
        if let Some(attribute) = ours.first() {
            return Err(Error::new_spanned(
                attribute,
                "the test case is not drawn: remove `generate`",
            ));
        }
        let name =
            if let Pat::Ident(pattern) = &*typed.pat { Some(pattern.ident.clone()) } else { None };
        return Ok(Argument::TestCase(name));
    }
    // The variable keeps the name that the user chose, so that later generators can use it. A
    // pattern with several variables gets a generated name.
    let variable = match &*typed.pat {
        Pat::Ident(pattern) => pattern.ident.clone(),
        _ => format_ident!("argument_{index}", span = Span::mixed_site()),
    };
    Ok(Argument::Drawn(Box::new(Drawn {
        variable,
        name: names::of_pattern(&typed.pat),
        ty: (*typed.ty).clone(),
        borrowed: borrowed(&typed.ty)?.cloned(),
        generator,
    })))
}

/// The type `T` of an argument `&T`. A `&'static T` is a value like any other.
fn borrowed(ty: &Type) -> Result<Option<&Type>> {
    match ty {
        Type::Reference(reference) if reference.mutability.is_some() => Err(Error::new_spanned(
            ty,
            "a value is lent for reading only: take it by value, as in `mut values: Vec<u8>`",
        )),
        Type::Reference(reference) if reference.lifetime.is_none() => Ok(Some(&reference.elem)),
        Type::ImplTrait(_) => Err(Error::new_spanned(
            ty,
            "a property cannot be generic: name the type that is to be drawn",
        )),
        _ => Ok(None),
    }
}

fn generator(attributes: &[Attribute]) -> Result<Option<Expr>> {
    const MISSING: &str = "a generator is missing: `#[generate(with = g::integers(0..10))]`";
    let mut generator = None;
    for attribute in attributes {
        if attribute.meta.require_list().is_err() {
            return Err(Error::new_spanned(attribute, MISSING));
        }
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("with") {
                return Err(meta.error(
                    "on an argument, only `with = generator` is known, as in \
                     `#[generate(with = g::integers(0..10))]`",
                ));
            }
            if generator.is_some() {
                return Err(meta.error(
                    "`with` is given twice: an argument has one generator, and `g::one_of` draws \
                     from several",
                ));
            }
            let given: Expr = meta.value()?.parse()?;
            ranges::check(&given)?;
            generator = Some(given);
            Ok(())
        })?;
        if generator.is_none() {
            return Err(Error::new_spanned(attribute, MISSING));
        }
    }
    Ok(generator)
}

/// Whether the type is `&mut TestCase`, with any path.
fn is_test_case(ty: &Type) -> Result<bool> {
    let (lent, named) = match ty {
        Type::Reference(reference) => (reference.mutability.is_some(), &*reference.elem),
        ty => (false, ty),
    };
    let Type::Path(path) = named else { return Ok(false) };
    let is_test_case = path.path.segments.last().is_some_and(|last| last.ident == "TestCase");
    if is_test_case && !lent {
        return Err(Error::new_spanned(ty, "the test case is lent: write `&mut TestCase`"));
    }
    Ok(is_test_case)
}

impl Argument {
    /// The name of the test case, if this argument is the test case.
    pub(super) fn test_case(&self) -> Option<&Ident> {
        if let Argument::TestCase(name) = self { name.as_ref() } else { None }
    }

    /// The statement that draws this argument.
    pub(super) fn draw(&self, dwindle: &TokenStream, tc: &Ident) -> TokenStream {
        let Argument::Drawn(drawn) = self else { return TokenStream::new() };
        let Drawn { variable, name, ty, borrowed, generator } = &**drawn;
        let (function, drawn_type) = match borrowed {
            None => (Ident::new("argument", Span::call_site()), ty),
            Some(borrowed) => (Ident::new("lender", Span::call_site()), borrowed),
        };
        let value = if let Some(generator) = generator {
            let function = quote!(#dwindle::__private::#function);
            let arguments = quote!(&mut *#tc, #name, #generator);
            place::call(generator, function, TokenStream::new(), arguments)
        } else {
            let function = format_ident!("{function}_of_type");
            let function = quote!(#dwindle::__private::#function);
            place::call(ty, function, quote!(#drawn_type), quote!(&mut *#tc, #name))
        };
        match borrowed {
            None => quote!(let #variable: #ty = #value;),
            Some(borrowed) => {
                let drawn = value;
                let lender = format_ident!("lender_of_{variable}", span = Span::mixed_site());
                let function = quote!(#dwindle::__private::lend);
                let value = place::call(borrowed, function, quote!(#borrowed, _), quote!(&#lender));
                quote! {
                    let #lender = #drawn;
                    let #variable = #value;
                }
            }
        }
    }

    /// The expression that passes this argument to the function.
    pub(super) fn value(&self, tc: &Ident) -> TokenStream {
        match self {
            Argument::Drawn(drawn) => drawn.variable.to_token_stream(),
            Argument::TestCase(_) => quote!(&mut *#tc),
        }
    }
}

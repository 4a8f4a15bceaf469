//! The arguments of a property and their sources.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, FnArg, Pat, PatType, Result, Signature, Type};

use super::names;

/// One argument.
pub(super) enum Argument {
    /// A drawn value.
    Drawn { variable: Ident, name: String, ty: Box<Type>, generator: Option<Box<Expr>> },
    /// The test case itself, with its name if it has one.
    TestCase(Option<Ident>),
}

/// Reads the arguments of a function and removes their attributes.
///
/// # Errors
/// For `self`, for a second test case, and for attributes without a meaning here.
pub(super) fn of(signature: &mut Signature) -> Result<Vec<Argument>> {
    let mut arguments = Vec::with_capacity(signature.inputs.len());
    for (index, input) in signature.inputs.iter_mut().enumerate() {
        let argument = match input {
            FnArg::Receiver(receiver) => {
                return Err(Error::new_spanned(
                    receiver,
                    "a property is a function without `self`",
                ));
            }
            FnArg::Typed(typed) => of_one(index, typed)?,
        };
        if matches!(argument, Argument::TestCase(_))
            && arguments.iter().any(|argument| matches!(argument, Argument::TestCase(_)))
        {
            return Err(Error::new_spanned(
                input,
                "there is one test case only; remove this argument",
            ));
        }
        arguments.push(argument);
    }
    Ok(arguments)
}

fn of_one(index: usize, typed: &mut PatType) -> Result<Argument> {
    let (ours, others): (Vec<_>, Vec<_>) = std::mem::take(&mut typed.attrs)
        .into_iter()
        .partition(|attribute| attribute.path().is_ident("generate"));
    typed.attrs = others;
    let generator = generator(&ours)?;
    if is_test_case(&typed.ty) {
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
    Ok(Argument::Drawn {
        variable,
        name: names::of_pattern(&typed.pat),
        ty: typed.ty.clone(),
        generator: generator.map(Box::new),
    })
}

fn generator(attributes: &[Attribute]) -> Result<Option<Expr>> {
    let mut generator = None;
    for attribute in attributes {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("with") {
                return Err(meta.error("an argument has `#[generate(with = ..)]` only"));
            }
            if generator.is_some() {
                return Err(meta.error("`with` is given twice"));
            }
            generator = Some(meta.value()?.parse()?);
            Ok(())
        })?;
        if generator.is_none() {
            return Err(Error::new_spanned(
                attribute,
                "a generator is missing: `#[generate(with = g::integers(0..10))]`",
            ));
        }
    }
    Ok(generator)
}

/// Whether the type is `&mut TestCase`, with any path.
fn is_test_case(ty: &Type) -> bool {
    let Type::Reference(reference) = ty else { return false };
    let Type::Path(path) = &*reference.elem else { return false };
    reference.mutability.is_some()
        && path.path.segments.last().is_some_and(|last| last.ident == "TestCase")
}

impl Argument {
    /// The name of the test case, if this argument is the test case.
    pub(super) fn test_case(&self) -> Option<&Ident> {
        if let Argument::TestCase(name) = self { name.as_ref() } else { None }
    }

    /// The statement that draws this argument.
    pub(super) fn draw(&self, dwindle: &TokenStream, tc: &Ident) -> TokenStream {
        let Argument::Drawn { variable, name, ty, generator } = self else {
            return TokenStream::new();
        };
        // This span makes the compiler report a type without a generator at the argument.
        let generator = generator.as_ref().map_or_else(
            || quote_spanned!(ty.span()=> #dwindle::any::<#ty>()),
            ToTokens::to_token_stream,
        );
        quote!(let #variable: #ty = #dwindle::TestCase::draw_named(&mut *#tc, #name, #generator);)
    }

    /// The expression that passes this argument to the function.
    pub(super) fn value(&self, tc: &Ident) -> TokenStream {
        match self {
            Argument::Drawn { variable, .. } => variable.to_token_stream(),
            Argument::TestCase(_) => quote!(&mut *#tc),
        }
    }
}

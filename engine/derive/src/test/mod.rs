//! `#[dwindle::test]` writes a test from a property. Fuzzers can still use the property.

mod settings;
mod arguments;
mod names;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, Expr, GenericParam, ItemFn, LitStr, Result, ReturnType, Safety, parse2,
};

use crate::place;
use crate::ranges;
use arguments::Argument;
use settings::Settings;

/// Writes the test and the type of the property. The type contains the function as the user wrote
/// it.
///
/// # Errors
/// For a function that cannot be a test, and for unknown settings.
pub(crate) fn test(attribute: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let settings: Settings = parse2(attribute)?;
    let mut function: ItemFn = parse2(item)
        .map_err(|error| Error::new(error.span(), "`#[dwindle::test]` belongs on a function"))?;
    refuse(&function)?;
    let dwindle = settings.location();
    let attributes = Attributes::of(std::mem::take(&mut function.attrs))?;
    let arguments = arguments::of(&mut function.sig)?;
    ranges::check_block(&function.block)?;
    if let Some(name) = arguments.iter().find_map(Argument::test_case) {
        names::keep(&mut function.block, name);
    }

    let (name, visibility) =
        (&function.sig.ident, std::mem::replace(&mut function.vis, syn::Visibility::Inherited));
    let (tests, conditions, others, inputs) = (
        &attributes.of_the_test,
        &attributes.conditions,
        &attributes.of_the_property,
        &attributes.inputs,
    );
    let tc = Ident::new("tc", Span::mixed_site());
    let draws = arguments.iter().map(|argument| argument.draw(&dwindle, &tc));
    let values = arguments.iter().map(|argument| argument.value(&tc));
    // The function needs a separate name, because an argument may have the same name as the
    // function.
    let body = Ident::new("body", Span::mixed_site());
    let called = awaited(quote!(#body(#(#values),*)), &function, &settings, &dwindle)?;
    let run = settled(&called, &function.sig.output, &dwindle);
    let about = format!("The property of the test `{name}`.");
    Ok(quote! {
        #(#conditions)*
        #[doc = #about]
        #[allow(non_camel_case_types, dead_code)]
        #visibility struct #name {}

        #(#conditions)*
        #[automatically_derived]
        impl #name {
            /// Draws what the property needs, and runs it.
            #[allow(dead_code)]
            #visibility fn property(#tc: &mut #dwindle::TestCase) {
                #(#others)*
                #[allow(
                    clippy::needless_pass_by_value,
                    clippy::trivially_copy_pass_by_ref,
                    clippy::unnecessary_wraps,
                    clippy::unused_async
                )]
                #function
                let #body = #name;
                #(#draws)*
                #run
            }
        }

        #(#conditions)*
        #(#tests)*
        #[::core::prelude::v1::test]
        fn #name() {
            let property = #dwindle::__private::property::Property {
                name: ::core::stringify!(#name),
                path: ::core::concat!(::core::module_path!(), "::", ::core::stringify!(#name)),
                manifest_dir: ::core::env!("CARGO_MANIFEST_DIR"),
                inputs: &[#(#inputs),*],
            };
            #dwindle::__private::property::run(&property, #settings, #name::property);
        }
    })
}

/// Moves this attribute after `#[dwindle::test]` on the function, which then reads it.
///
/// # Errors
/// If the function has no `#[dwindle::test]`, or if the attribute holds anything but a string.
pub(crate) fn reproduce_failure(attribute: &TokenStream, item: TokenStream) -> Result<TokenStream> {
    let input: LitStr = parse2(attribute.clone()).map_err(|_| {
        let message = "`reproduce_failure` takes the string that the message of a failure names: \
                       #[dwindle::reproduce_failure(\"..\")]";
        Error::new(attribute.span(), message)
    })?;
    let misplaced = || {
        Error::new(
            Span::call_site(),
            "`#[dwindle::reproduce_failure]` belongs on a function that has `#[dwindle::test]`",
        )
    };
    let mut function: ItemFn = parse2(item).map_err(|_| misplaced())?;
    let is_ours =
        |attribute: &Attribute| attribute.path().segments.len() > 1 && ends_with(attribute, "test");
    let at = function.attrs.iter().position(is_ours).ok_or_else(misplaced)?;
    function.attrs.insert(at + 1, syn::parse_quote!(#[dwindle::reproduce_failure(#input)]));
    Ok(function.into_token_stream())
}

/// The call of the property. An executor runs the future of an `async fn`.
///
/// # Errors
/// For an executor of a function that is not `async`.
fn awaited(
    called: TokenStream,
    function: &ItemFn,
    settings: &Settings,
    dwindle: &TokenStream,
) -> Result<TokenStream> {
    match (&function.sig.asyncness, settings.executor()) {
        (None, None) => Ok(called),
        (None, Some((key, _))) => Err(Error::new_spanned(
            key,
            "`executor` runs the future of an `async fn`, and this function is not `async`",
        )),
        (Some(_), None) => Ok(quote!(#dwindle::__private::property::block_on(#called))),
        (Some(_), Some((_, Expr::Path(executor)))) => Ok(quote!(#executor(#called))),
        (Some(_), Some((_, executor))) => Ok(quote!((#executor)(#called))),
    }
}

/// Calls the property. If it returns a value, an error in it is a failure.
fn settled(called: &TokenStream, output: &ReturnType, dwindle: &TokenStream) -> TokenStream {
    match output {
        ReturnType::Default => quote!(#called;),
        // This span makes an error a failure at the place of the return type.
        ReturnType::Type(_, ty) => {
            let settle = quote!(#dwindle::__private::property::settle);
            let settled = place::call(ty, settle, quote!(#ty), called.clone());
            quote!(#settled;)
        }
    }
}

fn ends_with(attribute: &Attribute, name: &str) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == name)
}

fn refuse(function: &ItemFn) -> Result<()> {
    let signature = &function.sig;
    let has_lifetimes_only =
        signature.generics.params.iter().all(|one| matches!(one, GenericParam::Lifetime(_)));
    let wrong: Option<(&dyn ToTokens, &str)> = if let Safety::Unsafe(word) = &signature.safety {
        Some((word, "a property cannot be unsafe; put an unsafe block into it"))
    } else if let Some(word) = &signature.abi {
        Some((word, "a property cannot be extern"))
    } else if signature.generics.params.is_empty() {
        None
    } else if has_lifetimes_only {
        Some((
            &signature.generics,
            "a property has no lifetimes: remove them; a borrowed argument such as `&str` needs \
             none",
        ))
    } else {
        Some((
            &signature.generics,
            "a property cannot be generic: name the types that are to be drawn",
        ))
    };
    match wrong {
        Some((tokens, message)) => Err(Error::new_spanned(tokens, message)),
        None => Ok(()),
    }
}

/// The attributes of the function, sorted by their purpose.
struct Attributes {
    of_the_test: Vec<Attribute>,
    of_the_property: Vec<Attribute>,
    /// The `#[cfg(..)]` attributes, which apply to all generated items.
    conditions: Vec<Attribute>,
    /// The inputs that `reproduce_failure` names.
    inputs: Vec<LitStr>,
}

impl Attributes {
    fn of(attributes: Vec<Attribute>) -> Result<Attributes> {
        let mut sorted = Attributes {
            of_the_test: Vec::new(),
            of_the_property: Vec::new(),
            conditions: Vec::new(),
            inputs: Vec::new(),
        };
        for attribute in attributes {
            let is = |name: &str| attribute.path().is_ident(name);
            if ends_with(&attribute, "reproduce_failure") {
                let message = "`reproduce_failure` takes the string that the message of a failure \
                               names: #[dwindle::reproduce_failure(\"..\")]";
                sorted.inputs.push(
                    attribute.parse_args().map_err(|_| Error::new_spanned(&attribute, message))?,
                );
            } else if ends_with(&attribute, "test") {
                return Err(Error::new_spanned(
                    attribute,
                    "`#[dwindle::test]` makes the test; remove this attribute",
                ));
            } else if is("cfg") {
                sorted.conditions.push(attribute);
            } else if ["doc", "allow", "expect", "warn", "deny", "forbid"]
                .iter()
                .any(|name| is(name))
            {
                sorted.of_the_property.push(attribute);
            } else {
                sorted.of_the_test.push(attribute);
            }
        }
        Ok(sorted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(attribute: TokenStream, item: TokenStream) -> String {
        test(attribute, item).expect_err("it is refused").to_string()
    }

    fn with_a_property(attribute: TokenStream) -> String {
        error(
            attribute,
            quote!(
                fn holds(x: u32) {}
            ),
        )
    }

    fn as_a_property(item: TokenStream) -> String {
        error(quote!(crate = dwindle), item)
    }

    #[test]
    fn settings_that_are_none_say_which_there_are() {
        let known = "the settings are `max_cases`, `seed`, `max_choices`, `store`, `name`, \
                     `suppress_health_check`, `executor`, `settings` and `crate`";
        assert_eq!(with_a_property(quote!(case = 3)), format!("`case` is no setting; {known}"));
        assert_eq!(
            with_a_property(quote!(500)),
            format!("a setting is written `name = value`; {known}")
        );
        assert_eq!(
            with_a_property(quote!(cases)),
            format!("a setting is written `name = value`; {known}")
        );
        assert_eq!(
            with_a_property(quote!(max_cases = 1, max_cases = 2)),
            "`max_cases` is given twice"
        );
        assert_eq!(
            with_a_property(quote!(store = 3)),
            "`store` is a folder in quotes, or None to keep nothing"
        );
        assert_eq!(
            with_a_property(quote!(max_cases = 1.5)),
            "`max_cases` takes a whole number, as in `max_cases = 500`"
        );
        assert_eq!(with_a_property(quote!(seed = -3)), "`seed` takes a whole number from 0 on");
        assert_eq!(with_a_property(quote!(name = 3)), "`name` takes a text in quotes");
        assert_eq!(
            with_a_property(quote!(crate = dwindle, executor = pollster::block_on)),
            "`executor` runs the future of an `async fn`, and this function is not `async`"
        );
    }

    #[test]
    fn functions_that_cannot_be_properties_are_refused_with_the_reason() {
        let refused = [
            (
                quote!(
                    fn f<'a>(x: &'a str) {}
                ),
                "a property has no lifetimes: remove them; a borrowed argument such as `&str` \
                 needs none",
            ),
            (
                quote!(
                    fn f(x: &mut Vec<u8>) {}
                ),
                "a value is lent for reading only: take it by value, as in `mut values: Vec<u8>`",
            ),
            (
                quote!(
                    fn f(tc: &TestCase) {}
                ),
                "the test case is lent: write `&mut TestCase`",
            ),
            (
                quote!(
                    fn f(x: impl Generate) {}
                ),
                "a property cannot be generic: name the type that is to be drawn",
            ),
            (
                quote!(
                    unsafe fn f(x: u32) {}
                ),
                "a property cannot be unsafe; put an unsafe block into it",
            ),
            (
                quote!(
                    extern "C" fn f(x: u32) {}
                ),
                "a property cannot be extern",
            ),
            (
                quote!(
                    fn f<T>(x: T) {}
                ),
                "a property cannot be generic: name the types that are to be drawn",
            ),
            (
                quote!(
                    fn f(&self, x: u32) {}
                ),
                "a property is a function without `self`: draw the value as an argument",
            ),
            (
                quote!(
                    fn f(a: &mut TestCase, b: &mut TestCase) {}
                ),
                "there is one test case only; remove this argument",
            ),
            (
                quote!(
                    struct F;
                ),
                "`#[dwindle::test]` belongs on a function",
            ),
        ];
        for (item, message) in refused {
            assert_eq!(as_a_property(item), message);
        }
    }

    #[test]
    fn attributes_of_arguments_that_mean_nothing_are_refused() {
        let refused = [
            (
                quote!(
                    fn f(#[generate(from = 3)] x: u32) {}
                ),
                "on an argument, only `with = generator` is known, as in \
                 `#[generate(with = g::integers(0..10))]`",
            ),
            (
                quote!(
                    fn f(#[generate(with = a, with = b)] x: u32) {}
                ),
                "`with` is given twice: an argument has one generator, and `g::one_of` draws from \
                 several",
            ),
            (
                quote!(
                    fn f(#[generate()] x: u32) {}
                ),
                "a generator is missing: `#[generate(with = g::integers(0..10))]`",
            ),
            (
                quote!(
                    fn f(#[generate(with = a)] tc: &mut dwindle::TestCase) {}
                ),
                "the test case is not drawn: remove `generate`",
            ),
            (
                quote!(
                    #[test]
                    fn f(x: u32) {}
                ),
                "`#[dwindle::test]` makes the test; remove this attribute",
            ),
        ];
        for (item, message) in refused {
            assert_eq!(as_a_property(item), message);
        }
    }

    #[test]
    fn the_code_names_dwindle_or_the_given_path() {
        let item = quote!(
            fn holds(x: u32) {}
        );
        let written = |attribute| test(attribute, item.clone()).expect("a property").to_string();
        let plain = written(TokenStream::new());
        assert!(plain.contains(":: dwindle :: __private"), "{plain}");
        let renamed = written(quote!(crate = some::path));
        let names_it = renamed.contains("some :: path :: __private");
        assert!(names_it && !renamed.contains(":: dwindle ::"), "{renamed}");
    }

    #[test]
    fn reproduce_moves_behind_the_test_attribute_and_wants_a_string_and_a_test() {
        let input = quote!("1abc");
        let moved = reproduce_failure(
            &input,
            quote!(
                #[ignore]
                #[dwindle::test(max_cases = 3)]
                #[should_panic]
                fn f(x: u32) {}
            ),
        )
        .expect("it has the attribute");
        let meant = quote!(
            #[ignore]
            #[dwindle::test(max_cases = 3)]
            #[dwindle::reproduce_failure("1abc")]
            #[should_panic]
            fn f(x: u32) {}
        );
        assert_eq!(moved.to_string(), meant.to_string());
        let wrong = |attribute: TokenStream, item: TokenStream| {
            reproduce_failure(&attribute, item).expect_err("it is refused").to_string()
        };
        assert_eq!(
            wrong(
                input.clone(),
                quote!(
                    #[test]
                    fn f() {}
                )
            ),
            "`#[dwindle::reproduce_failure]` belongs on a function that has `#[dwindle::test]`"
        );
        assert_eq!(
            wrong(
                input,
                quote!(
                    struct F;
                )
            ),
            "`#[dwindle::reproduce_failure]` belongs on a function that has `#[dwindle::test]`"
        );
        let wants = "`reproduce_failure` takes the string that the message of a failure names: \
                     #[dwindle::reproduce_failure(\"..\")]";
        assert_eq!(
            wrong(
                TokenStream::new(),
                quote!(
                    #[dwindle::test]
                    fn f() {}
                )
            ),
            wants
        );
        assert_eq!(
            as_a_property(quote!(
                #[dwindle::reproduce_failure(3)]
                fn f() {}
            )),
            wants
        );
    }
}

//! Writes the generated code.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;

use super::Settings;
use super::block::Machine;
use super::parts;
use super::rule::{Argument, Rule};
use crate::place;

/// Writes the original block, a method for each step with drawn arguments, and the impl of
/// `StateMachine`. `location` is the path to the engine.
pub(super) fn machine(
    machine: &Machine,
    settings: &Settings,
    location: &TokenStream,
) -> TokenStream {
    let block = &machine.block;
    let ty = &block.self_ty;
    let (parameters, _, clause) = block.generics.split_for_impl();
    let methods = machine.rules.iter().map(|rule| methods(rule, location));
    let rules = machine.rules.iter().map(|rule| entry(rule, location));
    let name = settings.name.as_ref().map(|name| {
        quote! {
            fn name(&self) -> &'static str {
                #name
            }
        }
    });
    let steps_max = settings.steps_max.as_ref().map(|steps_max| {
        quote! {
            fn steps_max(&self) -> usize {
                #steps_max
            }
        }
    });
    let invariants = machine
        .invariants
        .iter()
        .map(|(name, conditions)| quote!(#(#conditions)* Self::#name(self);));
    quote! {
        #block

        #[automatically_derived]
        #[allow(clippy::explicit_auto_deref)]
        impl #parameters #ty #clause {
            #(#methods)*
        }

        #[automatically_derived]
        impl #parameters #location::state_machine::StateMachine for #ty #clause {
            const RULES: &'static [#location::state_machine::Rule<Self>] = &[#(#rules),*];
            #name
            #steps_max

            fn invariants(&self) {
                #(#invariants)*
            }
        }
    }
}

/// Writes the entry of one rule in the list of rules.
fn entry(rule: &Rule, location: &TokenStream) -> TokenStream {
    let name = rule.name.to_string();
    let take = take_of(rule);
    let when = words(rule).map(|words| {
        let when = when_of(rule);
        quote!(.when(#words, Self::#when))
    });
    let (weight, conditions) = (rule.weight, &rule.conditions);
    quote! {
        #(#conditions)*
        #location::state_machine::Rule::worded(#name, Self::#take) #when .weight(#weight)
    }
}

/// The text of the condition that enables the rule, or `None` if it is always enabled.
fn words(rule: &Rule) -> Option<TokenStream> {
    let mut words: Vec<TokenStream> = needs(rule)
        .into_iter()
        .map(|(pool, count)| {
            let words = if count == 1 {
                format!("a value in `{pool}`")
            } else {
                format!("{count} values in `{pool}`")
            };
            quote!(#words)
        })
        .collect();
    words.extend(
        rule.when.as_ref().map(|when| quote!(::core::concat!("`", ::core::stringify!(#when), "`"))),
    );
    let (first, rest) = words.split_first()?;
    Some(quote!(::core::concat!(#first #(, " and ", #rest)*)))
}

/// Each pool that the rule draws from, and how many values it needs there.
fn needs(rule: &Rule) -> Vec<(&Ident, usize)> {
    let mut needs: Vec<(&Ident, usize)> = Vec::new();
    for (pool, _) in rule.arguments.iter().filter_map(Argument::pool) {
        if needs.iter().all(|(known, _)| *known != pool) {
            let of_it = || {
                rule.arguments.iter().filter_map(Argument::pool).filter(|(other, _)| *other == pool)
            };
            let apart = of_it().filter(|(_, is_apart)| *is_apart).count();
            needs.push((pool, apart + usize::from(of_it().any(|(_, is_apart)| !is_apart))));
        }
    }
    needs
}

fn take_of(rule: &Rule) -> Ident {
    format_ident!("__dwindle_take_{}", rule.name)
}

fn when_of(rule: &Rule) -> Ident {
    format_ident!("__dwindle_when_{}", rule.name)
}

/// Writes the method that tests whether the rule is enabled, and the method that takes the step.
fn methods(rule: &Rule, location: &TokenStream) -> TokenStream {
    let when = words(rule).map(|_| {
        let name = when_of(rule);
        let pools = needs(rule).into_iter().map(|(pool, count)| {
            let pool = parts::pool(pool, location);
            quote!(#pool.len() >= #count)
        });
        // The condition of the user is a separate statement, so that no lint reports superfluous
        // brackets.
        let condition = rule.when.as_ref().map_or_else(|| quote!(true), ToTokens::to_token_stream);
        let conditions = &rule.conditions;
        quote! {
            #(#conditions)*
            fn #name(&self) -> bool {
                let condition: bool = #condition;
                condition #(&& #pools)*
            }
        }
    });
    let take = take(rule, location);
    quote!(#when #take)
}

/// Writes the method that draws the arguments, shows the step and takes it.
fn take(rule: &Rule, location: &TokenStream) -> TokenStream {
    let (name, method) = (take_of(rule), &rule.name);
    let words = method.to_string();
    let drawn = || {
        rule.arguments
            .iter()
            .enumerate()
            .map(|(index, argument)| (format_ident!("__argument_{index}"), argument))
    };
    let apart =
        drawn().filter_map(|(name, argument)| parts::taken_first(&name, argument, location));
    let others = drawn().filter_map(|(name, argument)| parts::drawn(&name, argument, location));
    let shown = drawn().map(|(name, argument)| parts::shown(&name, argument, location));
    let given = drawn().map(|(name, argument)| parts::given(&name, argument, location));
    let back = drawn().filter_map(|(name, argument)| parts::given_back(&name, argument, location));
    let (reserve, result, fill) = match &rule.into {
        Some(pool) => {
            let (changed, read) =
                (parts::pool_to_change(pool, location), parts::pool(pool, location));
            let filled = rule.made.as_ref().map(|ty| {
                let value = Ident::new("__made", ty.span());
                place::call(ty, quote!(fill_as), quote!(#ty), quote!(__number, #value))
            });
            (
                quote!(let __number = #changed.reserve();),
                quote!(::core::option::Option::Some(#read.variable(__number, ""))),
                quote!(#changed.#filled;),
            )
        }
        None => (TokenStream::new(), quote!(::core::option::Option::None), quote!(let _ = __made;)),
    };
    let conditions = &rule.conditions;
    quote! {
        #(#conditions)*
        fn #name(&mut self, __tc: &mut #location::TestCase) {
            #(#apart)*
            #(#others)*
            #reserve
            if __tc.is_heard() {
                let __machine = <Self as #location::state_machine::StateMachine>::name(self);
                __tc.say_step(__machine, #words, #result, &[#(#shown),*]);
            }
            let __made = Self::#method(self, #(#given),*);
            #(#back)*
            #fill
        }
    }
}

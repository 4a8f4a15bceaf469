//! `#[derive(Generate)]`: a generator for a type, written from its definition. `#[dwindle::test]`: a test, written from a property.
//! `#[state_machine]`: a stateful test, written from an impl block.

mod attributes;
mod shape;
mod bounds;
mod location;
mod expand;
mod test;
mod state_machine;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Gives a struct or an enum its own generator.
///
/// Every field's type must be `Generate` too; type parameters that fields use get that bound.
///
/// - A struct draws its fields in order, in one span. One that begins with an alternative (its first field is an enum, say) passes that on, so that a
///   collection fuses it with its continue choice.
/// - An enum draws one alternative, then the fields of that variant. Variants stand in the order they are written, but those that mention the type itself
///   come after those that do not: alternative 0 ends a recursion wherever one can end. An enum of one variant is drawn as a struct is.
/// - `#[generate(with = generator)]` on a field draws it with that generator in place of its type's own. The expression is evaluated for each value.
/// - `#[generate(weight = 3)]` on a variant draws it three times as often as one without a weight. What is simplest stays the order of the variants. Weights that
///   add up to 255 or less are read best: see `OneOf::weights`.
/// - `#[generate(skip)]` on a variant never draws it; the types of its fields then need no generator.
/// - `#[generate(depth = 4)]` on an enum: a value with 4 others of its type around it no longer recurses, whatever was chosen: a variant that does not mention the
///   type is drawn. Only recursion that the variants mention themselves counts.
/// - `DEPTH_MAX` values deep, a variant that mentions the type itself is replaced by one that does not; without such a variant, the test case is rejected.
///   A recursion through other types is not seen by the derive: it goes on to `DEPTH_HARD` values and is rejected there.
///
/// The generated code names the crate `dwindle`, or else `dwindle-engine`, as the Cargo.toml of the deriving crate does. Where neither is found there,
/// `#[dwindle(crate = "some::path")]` on the type says where `Generate`, `TestCase`, `Alternatives` and `Label` are.
///
/// Unions, enums without variants and other `#[dwindle(..)]` and `#[generate(..)]` attributes are compile errors.
#[proc_macro_derive(Generate, attributes(dwindle, generate))]
pub fn derive_generate(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let expanded = shape::shape_of(&input).and_then(|shape| Ok(expand::expand(&input, &shape, &location::location_of(&input)?)));
    expanded.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a test of a property: `cargo test` runs it on many cases, and prints the smallest one that fails.
///
/// ```ignore
/// use dwindle::prelude::*;
///
/// #[dwindle::test]
/// fn sorting_keeps_the_length(numbers: Vec<u32>, #[generate(with = g::integers(1..=4))] times: usize) {
///     let mut sorted = numbers.clone();
///     (0..times).for_each(|_| sorted.sort_unstable());
///     assert_eq!(sorted.len(), numbers.len());
/// }
///
/// #[dwindle::test(cases = 200, seed = 7)]
/// fn drawn_as_it_goes(tc: &mut TestCase) -> Result<(), std::num::ParseIntError> {
///     let number = tc.draw(any::<u32>());
///     assert_eq!(number.to_string().parse::<u32>()?, number);
///     Ok(())
/// }
/// ```
///
/// **Arguments** are drawn in order: from `any::<T>()`, or from the generator in `#[generate(with = ..)]`, which may use the arguments before it. One that is a
/// `&mut TestCase` draws what it needs; `let name = tc.draw(..)` keeps the name for the message (a closure in which `tc` is something else is left alone).
/// The function returns nothing or a `Result` whose error is `Debug`: an error is a failure, at the place of the return type.
///
/// **A run** first replays the bugs that are kept of this property. If one of them fails, that is the result; of one that is fixed a line is printed. Then come
/// random cases, as many as `cases` says. After a failure they go on for as many cases again as it took to the last new one, at least 100, but no longer than
/// a second, and no further than `cases`; each distinct failure (by place and [`bug_key`], at most 10) is minimized as itself, those met on the way too, kept
/// once, and all are told of in one message.
///
/// **The seed** is new in each run, so that many runs see many cases; the message names it, and `DWINDLE_SEED=..` runs the same cases again.
///
/// **Settings** in the attribute: `cases` (1,000), `seed`, `choices` (65,536: how many one case may make), `store` (a folder in quotes, beside the Cargo.toml:
/// `"crashes"`; or `None`), `name` (what the property is called in the store: the path of the function), `suppress = [..]` (health checks to do without, see
/// `HealthCheck`), `settings` (an expression of type `Settings` with all others), `crate` (the path to `dwindle`, where it is re-exported). The environment wins
/// over them: `DWINDLE_CASES`, `DWINDLE_SEED`, `DWINDLE_CHOICES_MAX`, `DWINDLE_BUDGET_CALLS`, `DWINDLE_BUDGET_SECONDS`, and `DWINDLE_STORE`, which is empty to
/// keep nothing and does not bring back a store that is `None`.
///
/// **Other attributes** stay: `#[should_panic(expected = "..")]` sees the message, which holds that of the property's panic; `#[ignore]`, `#[cfg(..)]`, lints.
///
/// **A fuzz target** is made of the same property by `dwindle::fuzz_target!(path::to::function);`. For that the function is a type too, with a function
/// `property(tc: &mut TestCase)`.
///
/// [`bug_key`]: https://docs.rs/dwindle/latest/dwindle/struct.TestCase.html#method.bug_key
#[proc_macro_attribute]
pub fn test(attribute: TokenStream, item: TokenStream) -> TokenStream {
    test::test(attribute.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Has a `#[dwindle::test]` run one input only: the one that a message of its failure names, as `#[dwindle::reproduce("..")]`.
///
/// The test fails as it did there, and nothing is minimized or kept. It also fails where the input does not fail any more: then the attribute has done its work.
/// A string that is broken, of another property or of another version says so.
#[proc_macro_attribute]
pub fn reproduce(attribute: TokenStream, item: TokenStream) -> TokenStream {
    test::reproduce(&attribute.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a state machine of an impl block: its methods marked `#[rule]` become rules, those marked `#[invariant]` invariants.
///
/// `#[rule]` stands on a method that takes `&mut self` or `&self`, then
/// - `tc: &mut TestCase`, to draw from,
/// - arguments that are drawn: by their type (`any::<T>()`), or from a generator, `#[generate(with = expr)]`; the expression may look at `self`. What is drawn is
///   shown, so its type is `Debug`,
/// - arguments marked `#[from(pool)]`, a value of the field `pool`, a `Pool`: `&T` and `&mut T` are lent for the step, `T` is taken out. Such a rule is enabled
///   only while the pool has values enough. What is taken out, or lent as `&mut T`, is drawn before all other arguments.
///
/// `#[rule(when = expr)]` enables it only in states for which the expression, which looks at `self`, is true; `weight = 3` lets it come up three times as often
/// (1 to 255); `into = pool` puts what the method gives back into that field.
///
/// `#[invariant]` stands on a method that takes `&self` alone and panics if something is wrong. They run before the first step and behind each, in their order.
///
/// Other methods and constants stay what they are, and so do the marked ones.
///
/// On the block, `#[state_machine(name = "queue")]` is what the machine is called in the program that a failure is shown as (else `machine`), `steps_max = 50` ends
/// a run after that number of steps, and `crate = some::path` says where `Pool` and `TestCase` are, if neither `dwindle` nor `dwindle-engine` is a dependency.
///
/// No rules, and all other forms, are compile errors.
#[proc_macro_attribute]
pub fn state_machine(arguments: TokenStream, block: TokenStream) -> TokenStream {
    state_machine::expand(arguments.into(), block.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

//! `#[derive(Generate)]`: a generator for a type, written from its definition.

mod attributes;
mod shape;
mod bounds;
mod location;
mod expand;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Gives a struct or an enum a generator of its own.
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
/// - `DEPTH_MAX` values deep, a variant that mentions the type itself is replaced by one that does not; if there is none, the test case is rejected.
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

//! The attributes that write code for dwindle.
//!
//! - `#[derive(Generate)]` writes a generator from the definition of a type.
//! - `#[dwindle::test]` writes a test from a property.
//! - `#[state_machine]` writes a stateful test from an impl block.

mod errors;
mod place;
mod walk;
mod ranges;
mod recovery;
mod attributes;
mod shape;
mod bounds;
mod location;
mod expand;
mod test;
mod target;
mod state_machine;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use crate::location::Home;

/// Gives a struct or an enum its own generator.
///
/// The type of every field must be `Generate` too. Type parameters that fields use get that bound.
///
/// - A struct draws its fields in order, in one span. If its first field begins with an alternative
///   (an enum, for example), so does the struct. A collection then fuses that choice with its
///   continue choice.
/// - An enum draws one alternative, then the fields of that variant. The variants keep their order,
///   but variants that mention the type itself come last. So alternative 0 ends a recursion
///   wherever a variant can end it. An enum of one variant is drawn like a struct.
/// - `#[generate(with = generator)]` on a field draws it with that generator instead of the
///   generator of its type. The expression is evaluated for each value.
/// - `#[generate(weight = 3)]` on a variant draws it three times as often as a variant without a
///   weight. The order of the variants still decides which is the simplest. Weights that add up to
///   255 or less work best, see `OneOf::weights`.
/// - `#[generate(skip)]` on a variant excludes it. The types of its fields then need no generator.
/// - `#[generate(depth = 4)]` on an enum limits its depth: a value inside 4 others of its type ends
///   the recursion. It draws a variant that does not mention the type, whatever was chosen. Only
///   recursion that the variants themselves mention counts.
/// - At 32 values deep, a variant that mentions the type itself is replaced by one that
///   does not. If every variant mentions the type, the test case is rejected. The derive cannot see
///   a recursion through other types: at 128 values, such a recursion rejects the test
///   case.
///
/// The generated code names the crate `dwindle`. If the deriving crate knows it under another name,
/// or only through another crate, put `#[dwindle(crate = "some::path")]` on the type, with the path
/// to `dwindle`.
///
/// Unions, enums without variants, borrowed fields without a generator and other `#[dwindle(..)]`
/// and `#[generate(..)]` attributes are compile errors.
#[proc_macro_derive(Generate, attributes(dwindle, generate))]
pub fn derive_generate(input: TokenStream) -> TokenStream {
    generate(input, Home::Dwindle)
}

/// [`Generate`](derive@Generate) for crates that depend on `dwindle-engine` alone.
#[doc(hidden)]
#[proc_macro_derive(GenerateOfEngine, attributes(dwindle, generate))]
pub fn derive_generate_of_engine(input: TokenStream) -> TokenStream {
    generate(input, Home::Engine)
}

fn generate(input: TokenStream, home: Home) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let location = match location::location_of(&input, home) {
        Ok(location) => location,
        Err(error) => return error.into_compile_error().into(),
    };
    let expanded = shape::shape_of(&input).map(|shape| expand::expand(&input, &shape, &location));
    expanded.unwrap_or_else(|error| after(&error, recovery::generate(&input, &location))).into()
}

// `dwindle` puts the first lines of the documentation and an example before this, where the example
// compiles.
/// **Arguments** are drawn in order: from `any::<T>()`, or from the generator in
/// `#[generate(with = ..)]`. Such a generator can use the arguments before it. An argument of type
/// `&mut TestCase` is the test case, for draws in the body. `let name = tc.draw(..)` keeps its name
/// for the report. In a closure where `tc` is something else, the attribute changes nothing.
///
/// **Borrowed arguments** are lent from a drawn value: `&str` from a `String`, `&[T]` from a
/// `Vec<T>`, `&Path` from a `PathBuf`, and `&T` from a `T`. A generator in the attribute draws that
/// owner, or a reference. The report shows the owner. A `&'static T` needs a generator of such
/// references.
///
/// **An `async fn`** runs in each case until its future is ready. The default executor polls it on
/// the thread of the test and knows no timers or sockets. The setting `executor` names another one.
///
/// The function returns nothing or a `Result` whose error is `Debug`. An error is a failure at the
/// place of the return type.
///
/// **A run** has two parts. First it replays the kept bugs of this property. If one of them fails,
/// that is the result. For each fixed bug, the run prints a line. Then it runs as many random cases
/// as `max_cases` says.
///
/// After a failure, the run continues to look for other bugs. It runs as many cases again as it
/// needed up to the last new failure, and at least 100. It stops after a second, and after
/// `max_cases` cases. Each distinct failure (by place and [`bug_key`], at most 10) is minimized
/// separately and kept once. This includes failures found while minimizing. One message reports all
/// of them.
///
/// **The seed** is new in each run, so that many runs see many cases. The message names it, and
/// `DWINDLE_SEED=..` runs the same cases again.
///
/// **Settings** in the attribute:
///
/// - `max_cases`: how many random cases to run (1,000).
/// - `seed`: the seed of the run.
/// - `max_choices`: how many choices one case may make (65,536).
/// - `store`: the folder for bugs, in quotes, beside the Cargo.toml (`"crashes"`); or `None`.
/// - `name`: the name of the property in the store (the path of the function).
/// - `suppress_health_check = [..]`: health checks to skip, see `HealthCheck`.
/// - `executor`: a function that runs the future of an `async fn` and returns its output, for
///   example `executor = tokio_test::block_on` or `executor = |future| runtime().block_on(future)`.
/// - `settings`: an expression of type `Settings` with all other settings.
/// - `crate`: the path to `dwindle`, if this crate knows it under another name.
///
/// Environment variables override these settings: `DWINDLE_CASES`, `DWINDLE_SEED`,
/// `DWINDLE_CHOICES_MAX`, `DWINDLE_BUDGET_CALLS`, `DWINDLE_BUDGET_SECONDS` and `DWINDLE_STORE`. An
/// empty `DWINDLE_STORE` keeps nothing. `DWINDLE_STORE` has no effect if the store is `None`.
///
/// **Other attributes** stay. `#[should_panic(expected = "..")]` sees the report, which contains
/// the panic message of the property. `#[ignore]`, `#[cfg(..)]` and lints work as usual.
///
/// **A fuzz target** comes from the same property: `dwindle::fuzz_target!(path::to::function);`.
/// For this, the attribute also writes a type with the name of the function. It has a function
/// `property(tc: &mut TestCase)`.
///
/// [`bug_key`]: https://docs.rs/dwindle/latest/dwindle/struct.TestCase.html#method.bug_key
#[proc_macro_attribute]
pub fn test(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let item = proc_macro2::TokenStream::from(item);
    test::test(attribute.into(), item.clone())
        .unwrap_or_else(|error| after(&error, recovery::function(item)))
        .into()
}

/// Runs a `#[dwindle::test]` on one input only. The report of a failure names that input as
/// `#[dwindle::reproduce_failure("..")]`.
///
/// The test fails as it did before, and it minimizes and keeps nothing. It also fails if the input
/// does not fail any more: then the attribute has done its work. A string that is damaged, or of
/// another property or version, gives an error that says so.
#[proc_macro_attribute]
pub fn reproduce_failure(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let item = proc_macro2::TokenStream::from(item);
    test::reproduce_failure(&attribute.into(), item.clone())
        .unwrap_or_else(|error| after(&error, recovery::function(item)))
        .into()
}

/// Turns an impl block into a state machine. Methods marked `#[rule]` become rules, and methods
/// marked `#[invariant]` become invariants.
///
/// `#[rule]` stands on a method that takes `&mut self` or `&self` first. These arguments may
/// follow:
///
/// - `tc: &mut TestCase`, for draws in the body.
/// - Arguments that are drawn by their type (`any::<T>()`), or from a generator with
///   `#[generate(with = expr)]`. The expression can read `self`. The report shows the drawn value,
///   so its type is `Debug`.
/// - Arguments marked `#[from(pool)]`: a value of the field `pool`, a `Pool`. `&T` and `&mut T` are
///   lent for the step, and `T` is taken out. Such a rule is enabled only while the pool has enough
///   values. Values that are taken out or lent as `&mut T` are drawn before all other arguments.
///
/// `#[rule(when = expr)]` enables the rule only in states for which the expression is true. The
/// expression can read `self`. `weight = 3` draws the rule three times as often (1 to 255).
/// `into = pool` puts the return value of the method into that field.
///
/// `#[invariant]` stands on a method that takes only `&self` and panics if something is wrong.
/// Invariants run before the first step and after each step, in the order of the methods.
///
/// Other methods and constants stay unchanged, and the marked methods stay callable.
///
/// The attribute on the block has these settings:
///
/// - `#[state_machine(name = "queue")]` names the machine in the program that shows a failure. The
///   default is `machine`.
/// - `steps_max = 50` ends a run after that number of steps.
/// - `crate = some::path` is the path to `dwindle`, if this crate knows it under another name.
///
/// A block without rules is a compile error, and so are all other forms.
#[proc_macro_attribute]
pub fn state_machine(arguments: TokenStream, block: TokenStream) -> TokenStream {
    machine(arguments, block, Home::Dwindle)
}

/// [`macro@state_machine`] for crates that depend on `dwindle-engine` alone.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn state_machine_of_engine(arguments: TokenStream, block: TokenStream) -> TokenStream {
    machine(arguments, block, Home::Engine)
}

fn machine(arguments: TokenStream, block: TokenStream, home: Home) -> TokenStream {
    let block = proc_macro2::TokenStream::from(block);
    state_machine::expand(arguments.into(), block.clone(), home)
        .unwrap_or_else(|error| after(&error, recovery::machine(block, &home.path(None))))
        .into()
}

/// What is wrong with the argument of a `fuzz_target!`. The macro gives all tokens after the first
/// `|`.
#[doc(hidden)]
#[proc_macro]
pub fn target_mistake(tokens: TokenStream) -> TokenStream {
    target::mistake(tokens.into()).into_compile_error().into()
}

/// The error, and the code that stays after it.
fn after(error: &syn::Error, code: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let mut tokens = error.to_compile_error();
    tokens.extend(code);
    tokens
}

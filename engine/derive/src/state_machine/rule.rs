//! Reads one rule: its mark and its arguments.

use proc_macro2::Ident;
use syn::{
    Attribute, Error, Expr, FnArg, ImplItemFn, LitInt, PatType, ReceiverKind, Result, ReturnType,
    Type,
};

use super::methods::{conditions, refuse_special, taken};
use super::once;
use crate::ranges;

const WEIGHT: &str =
    "the weight of a rule is a number from 1 to 255; to switch a rule off, write `when = false`";

/// One rule.
pub(super) struct Rule {
    pub(super) name: Ident,
    pub(super) weight: u8,
    pub(super) when: Option<Expr>,
    /// The pool that receives the return value.
    pub(super) into: Option<Ident>,
    /// The type of the return value.
    pub(super) made: Option<Type>,
    pub(super) arguments: Vec<Argument>,
    /// The `#[cfg(..)]` attributes of the method.
    pub(super) conditions: Vec<Attribute>,
}

/// The source of one argument.
pub(super) enum Argument {
    /// The test case itself.
    TestCase,
    /// A drawn value: from the generator, or by its type if there is no generator.
    Drawn(Box<Type>, Option<Expr>),
    /// A value of a pool, lent for reading, with the type behind the reference.
    Lent(Ident, Box<Type>),
    /// A value of a pool, lent for changes, with the type behind the reference.
    LentToChange(Ident, Box<Type>),
    /// A value that is taken out of a pool, with its type.
    Taken(Ident, Box<Type>),
}

impl Argument {
    /// The pool of the argument, and whether its value must differ from that of all other
    /// arguments.
    pub(super) fn pool(&self) -> Option<(&Ident, bool)> {
        match self {
            Argument::TestCase | Argument::Drawn(..) => None,
            Argument::Lent(pool, _) => Some((pool, false)),
            Argument::LentToChange(pool, _) | Argument::Taken(pool, _) => Some((pool, true)),
        }
    }
}

impl Rule {
    /// Reads a method and its mark, and removes the marks of its arguments.
    pub(super) fn of(mark: &Attribute, method: &mut ImplItemFn) -> Result<Rule> {
        let (mut weight, mut when, mut into) = (None, None, None);
        if mark.meta.require_path_only().is_err() {
            mark.parse_nested_meta(|meta| {
                if meta.path.is_ident("weight") {
                    once::<LitInt>(&meta, &mut weight, WEIGHT)
                } else if meta.path.is_ident("when") {
                    once(&meta, &mut when, "`when` takes a condition")
                } else if meta.path.is_ident("into") {
                    let message = "`into` takes the name of a field of the machine, a `Pool`";
                    once::<Ident>(&meta, &mut into, message)
                } else {
                    Err(meta.error(
                        "`rule` knows `when = condition`, `weight = 1..=255` and `into = pool`, a \
                         field of the machine",
                    ))
                }
            })?;
        }
        refuse_special(method, "a rule")?;
        let conditions = conditions(method);
        let signature = &mut method.sig;
        if !signature.inputs.first().is_some_and(|first| is_receiver(first, true)) {
            return Err(Error::new_spanned(
                &*signature,
                "a rule takes `&mut self` or `&self` first: it is a step of the machine",
            ));
        }
        if let (Some(into), ReturnType::Default) = (&into, &signature.output) {
            return Err(Error::new_spanned(
                into,
                "nothing would go into this pool: let the rule give back the value, or leave \
                 `into` out",
            ));
        }
        let weight = weight.map_or(Ok(1), |weight: LitInt| match weight.base10_parse::<u8>() {
            Ok(1..) => weight.base10_parse(),
            _ => Err(Error::new_spanned(weight, WEIGHT)),
        })?;
        let arguments = signature.inputs.iter_mut().filter_map(|input| {
            if let FnArg::Typed(input) = input { Some(argument_of(input)) } else { None }
        });
        Ok(Rule {
            name: signature.ident.clone(),
            weight,
            when,
            into,
            made: match &signature.output {
                ReturnType::Default => None,
                ReturnType::Type(_, ty) => Some((**ty).clone()),
            },
            arguments: arguments.collect::<Result<_>>()?,
            conditions,
        })
    }
}

/// Whether the input is `&self`, or `&mut self` if `may_change` is set.
pub(super) fn is_receiver(input: &FnArg, may_change: bool) -> bool {
    let FnArg::Receiver(receiver) = input else { return false };
    match &receiver.kind {
        ReceiverKind::Reference(_, _, mutability) => may_change || mutability.is_none(),
        _ => false,
    }
}

fn argument_of(input: &mut PatType) -> Result<Argument> {
    let (generate, from) = (taken(&mut input.attrs, "generate"), taken(&mut input.attrs, "from"));
    match (generate, from, &*input.ty) {
        (Some(_), Some(from), _) => Err(Error::new_spanned(
            from,
            "an argument is drawn from a generator or from a pool, not from both",
        )),
        (None, Some(from), ty) => {
            let message = "`from` names a pool, a field of the machine: #[from(handles)]";
            let pool =
                from.parse_args::<Ident>().map_err(|_| Error::new_spanned(&from, message))?;
            Ok(match ty {
                Type::Reference(reference) if reference.mutability.is_some() => {
                    Argument::LentToChange(pool, reference.elem.clone())
                }
                Type::Reference(reference) => Argument::Lent(pool, reference.elem.clone()),
                _ => Argument::Taken(pool, Box::new(ty.clone())),
            })
        }
        (None, None, Type::Reference(reference))
            if reference.mutability.is_some() && is_test_case(&reference.elem) =>
        {
            Ok(Argument::TestCase)
        }
        (Some(mark), None, ty) if is_reference(ty) => Err(Error::new_spanned(
            mark,
            "the test case and values of pools are not drawn from a generator",
        )),
        (None, None, ty) if is_reference(ty) => {
            let message = "an argument is drawn as a value of its own: take it by value (`String` \
                           for `&str`, `Vec<T>` for `&[T]`), or from a pool with #[from(pool)]";
            Err(Error::new_spanned(ty, message))
        }
        (mark, None, ty) => Ok(Argument::Drawn(
            Box::new(ty.clone()),
            mark.map(|mark| generator_of(&mark)).transpose()?,
        )),
    }
}

fn generator_of(mark: &Attribute) -> Result<Expr> {
    let mut generator = None;
    let message =
        "`generate` takes the generator of the argument: #[generate(with = g::integers(0..10))]";
    if mark.meta.require_list().is_err() {
        return Err(Error::new_spanned(mark, message));
    }
    mark.parse_nested_meta(|meta| {
        if meta.path.is_ident("with") {
            once(&meta, &mut generator, message)?;
            generator.as_ref().map_or(Ok(()), ranges::check)
        } else {
            Err(meta.error(message))
        }
    })?;
    generator.ok_or_else(|| Error::new_spanned(mark, message))
}

fn is_reference(ty: &Type) -> bool {
    matches!(ty, Type::Reference(_))
}

fn is_test_case(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "TestCase")
}

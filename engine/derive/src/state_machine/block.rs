//! Reads the impl block: which of its methods are rules and which are invariants.

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, Error, ImplItem, ImplItemFn, ItemImpl, Result, ReturnType, parse_quote};

use super::methods::{conditions, refuse_special, taken};
use super::rule::{Rule, is_receiver};
use crate::errors::and;

/// Maximum rules. A step is one byte of a fuzzer's input, and the byte 0 ends the run.
const RULES_MAX: usize = 255;

/// A block with its rules and invariants.
pub(super) struct Machine {
    /// The block without the marks.
    pub(super) block: ItemImpl,
    pub(super) rules: Vec<Rule>,
    /// The name of each invariant, and the `#[cfg(..)]` attributes of its method.
    pub(super) invariants: Vec<(Ident, Vec<Attribute>)>,
}

/// Reads a block.
///
/// # Errors
/// All mistakes in the block at once.
pub(super) fn machine_of(block: TokenStream) -> Result<Machine> {
    let message = "#[state_machine] stands on an impl block, whose methods marked #[rule] are what \
                   can be done with the machine";
    let mut block: ItemImpl = syn::parse2(block)
        .map_err(|error| Error::new(error.span(), format!("{message}: {error}")))?;
    if let Some((path, _)) = &block.trait_ {
        return Err(Error::new_spanned(
            path,
            "#[state_machine] stands on an impl block of the type itself, not of a trait: it \
             writes that of `StateMachine`",
        ));
    }
    let (mut rules, mut invariants, mut errors) = (Vec::new(), Vec::new(), None);
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        match (taken(&mut method.attrs, "rule"), taken(&mut method.attrs, "invariant")) {
            (None, None) => {}
            (Some(rule), None) => match Rule::of(&rule, method) {
                Ok(rule) => {
                    rules.push(rule);
                    // The form of an argument says where its value comes from, so lints that
                    // suggest another form do not apply.
                    method.attrs.push(parse_quote!(#[allow(
                        clippy::needless_pass_by_value,
                        clippy::trivially_copy_pass_by_ref,
                        clippy::unused_self,
                        reason = "a rule"
                    )]));
                }
                Err(error) => and(&mut errors, error),
            },
            (None, Some(invariant)) => match check_invariant(&invariant, method) {
                Ok(()) => invariants.push((method.sig.ident.clone(), conditions(method))),
                Err(error) => and(&mut errors, error),
            },
            (Some(_), Some(invariant)) => and(
                &mut errors,
                Error::new_spanned(invariant, "a method is a rule or an invariant, not both"),
            ),
        }
    }
    if let Some(errors) = errors {
        return Err(errors);
    }
    if rules.is_empty() {
        return Err(Error::new_spanned(
            &block.self_ty,
            "a state machine without rules takes no steps: mark at least one method with #[rule]",
        ));
    }
    if rules.len() > RULES_MAX {
        let message = format!(
            "a state machine has at most {RULES_MAX} rules, and this one {}: let one rule draw \
             what it does",
            rules.len()
        );
        return Err(Error::new_spanned(&block.self_ty, message));
    }
    Ok(Machine { block, rules, invariants })
}

fn check_invariant(mark: &Attribute, method: &ImplItemFn) -> Result<()> {
    if mark.meta.require_path_only().is_err() {
        return Err(Error::new_spanned(
            mark,
            "#[invariant] takes nothing: an invariant that holds in some states only asks for that \
             itself",
        ));
    }
    let signature = &method.sig;
    let receives = signature.inputs.first().is_some_and(|first| is_receiver(first, false));
    if !receives || signature.inputs.len() > 1 {
        return Err(Error::new_spanned(
            signature,
            "an invariant takes `&self` alone: what needs to draw or to change the machine is a \
             rule",
        ));
    }
    if !matches!(signature.output, ReturnType::Default) {
        return Err(Error::new_spanned(
            &signature.output,
            "an invariant gives nothing back: let it `assert!` what must hold",
        ));
    }
    refuse_special(method, "an invariant")
}

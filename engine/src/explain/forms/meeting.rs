//! An input in which two causes meet: it has the operations of one and the values of the other.
//!
//! Several operations may lead to one state, and each way is a cause with its claims. The claims
//! of one way may allow the other way only with greater values: characters can be removed only
//! from a text that has some. So neither explains the minimized input of the other, but both
//! explain an input with the operations of one and the values of the other.

use crate::choice::{Choice, Value};
use crate::explain::causes::cause::Cause;
use crate::explain::classes::claims::{Place, Relation, Says, Term};
use crate::explain::classes::operations::{last_operation, outermost_elements};
use crate::shrink::place::is_datum;
use crate::trace::Trace;

/// The values of an input with the operations of `form`, each with the data that it has in
/// `values`, if it stands there at the same place. What must be equal in `form` is equal.
///
/// `None` if it is one of the two, if the last operations differ, or if the inputs do not have the
/// same number of operations.
pub(super) fn meeting(form: &Cause, values: &Trace) -> Option<Vec<Value>> {
    let Cause { minimized: form, claims } = form;
    last_operation(form).filter(|last| Some(*last) == last_operation(values))?;
    let mut met = form.values();
    let mut is_taken = vec![false; form.len()];
    let mut others = outermost_elements(values);
    for range in outermost_elements(form) {
        let other = &values.choices[others.next()?];
        let own = &form.choices[range.clone()];
        if own.len() == other.len() && own.iter().zip(other).all(|(own, other)| is_like(own, other))
        {
            is_taken[range.clone()].fill(true);
            met.splice(range, other.iter().map(|choice| choice.value.clone()));
        }
    }
    for claim in &claims.claims {
        if let (Place::Choice(at), Says::Related(Relation::Equal, Term::Value(term))) =
            (claim.place, &claim.says)
        {
            let (from, to) =
                if is_taken[at] && !is_taken[*term] { (at, *term) } else { (*term, at) };
            met[to] = met[from].clone();
        }
    }
    let is_new = met != form.values() && met != values.values();
    (others.next().is_none() && is_new).then_some(met)
}

/// Whether one choice may take the value of the other, and both continue with the same parts.
fn is_like(own: &Choice, other: &Choice) -> bool {
    own.value == other.value || is_datum(own) && own.constraint.allows(&other.value)
}

//! What must be free so that another value can be related to it.

use crate::explain::classes::claims::{Claim, Place, Says, Term};
use crate::explain::classes::study::Study;

/// The ways to free the value at `place`: wholly, or as far as it is claimed already. What it
/// relates to itself stays free with it.
pub(super) fn roots(study: &Study<'_>, claims: &[Claim], place: Place) -> Vec<Vec<Claim>> {
    let of = |place: Place| claims.iter().filter(move |claim| claim.place == place);
    let mut claimed: Vec<Claim> = of(place).cloned().collect();
    if let Place::Span(span) = place {
        // The collection may be free as a part of a span around it.
        let range = study.base.spans[span].range();
        let around = claims.iter().find(|claim| match claim.place {
            Place::Span(free) if matches!(claim.says, Says::Any | Says::Deep(_)) => {
                let free = study.base.spans[free].range();
                free.start <= range.start && range.end <= free.end
            }
            _ => false,
        });
        claimed.extend(around.filter(|claim| claim.place != place).cloned());
    }
    let mut at = 0;
    while let Some(claim) = claimed.get(at) {
        if let Says::Related(_, Term::Value(other)) = claim.says {
            let next: Vec<Claim> = of(Place::Choice(other)).cloned().collect();
            claimed.extend(next);
        }
        at += 1;
    }
    let is_wholly = claimed.iter().any(|claim| claim.says == Says::Any);
    let wholly = vec![Claim::untried(place, Says::Any)];
    let is_chain = claimed.iter().any(|claim| matches!(claim.says, Says::Related(..)));
    let mut roots = Vec::new();
    if !is_wholly && !is_chain {
        roots.push(wholly);
    }
    if !claimed.is_empty() {
        roots.push(claimed);
    }
    roots
}

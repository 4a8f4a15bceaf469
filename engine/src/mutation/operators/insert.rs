//! Inserts an element before or after another one: a copy of it, or one from the pool.

use super::{Context, Edit};

pub(super) fn edit(context: &mut Context<'_>) -> Option<Edit> {
    let at = context.element()?;
    let part = &context.parent.parts()[at];
    let place = part.place();
    let replacement = if context.rng.u8(..4) == 0 {
        context.parent.bytes()[place.clone()].to_vec()
    } else {
        context.pool.donor(part.key, context.rng)?.part().to_vec()
    };
    let place = if context.rng.bool() { place.start } else { place.end };
    Some(Edit { place: place..place, replacement })
}

//! Replaces a part by one with the same key, from another input or from this one.

use super::{Context, Edit};

pub(super) fn edit(context: &mut Context<'_>) -> Option<Edit> {
    let part = &context.parent.parts()[context.part(|_| true)?];
    let donor = context.pool.donor(part.key, context.rng)?;
    Some(Edit { place: part.place(), replacement: donor.part().to_vec() })
}

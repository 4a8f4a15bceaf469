//! Replaces a part and all bytes after it by those of another input.

use super::{Context, Edit};

pub(super) fn edit(context: &mut Context<'_>) -> Option<Edit> {
    let part = &context.parent.parts()[context.part(|_| true)?];
    let donor = context.pool.donor(part.key, context.rng)?;
    let place = part.place().start..context.parent.bytes().len();
    Some(Edit { place, replacement: donor.tail().to_vec() })
}

//! Deletes one or several elements in a row.

use super::super::parent::Kind;
use super::{Context, Edit};

pub(super) fn edit(context: &mut Context<'_>) -> Option<Edit> {
    let at = context.element()?;
    let parts = context.parent.parts();
    let mut place = parts[at].place();
    while context.rng.u8(..3) != 0
        && let Some(next) = parts[at + 1..]
            .iter()
            .find(|part| part.kind == Kind::Element && part.place().start == place.end)
    {
        place.end = next.place().end;
    }
    Some(Edit { place, replacement: Vec::new() })
}

//! Exchanges two parts that have the same key.

use super::{Context, Edit};

pub(super) fn edit(context: &mut Context<'_>) -> Option<Edit> {
    let parts = context.parent.parts();
    let one = &parts[context.part(|_| true)?];
    let key = one.key;
    let one = one.place();
    let other = parts[context.part(|part| {
        let place = part.place();
        part.key == key && (place.end <= one.start || one.end <= place.start)
    })?]
    .place();
    let (first, second) = if one.start < other.start { (one, other) } else { (other, one) };
    let bytes = context.parent.bytes();
    let replacement =
        [&bytes[second.clone()], &bytes[first.end..second.start], &bytes[first.clone()]].concat();
    Some(Edit { place: first.start..second.end, replacement })
}

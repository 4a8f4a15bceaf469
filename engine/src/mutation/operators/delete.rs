//! One or several elements in a row go.

use super::super::parent::Kind;
use super::{Context, Edit};

pub(super) fn edit(context: &mut Context<'_>) -> Option<Edit> {
    let at = context.element()?;
    let parts = context.parent.parts();
    let first = parts[at].place();
    let mut end = first.end;
    for part in &parts[at + 1..] {
        if context.rng.u8(..3) == 0 {
            break;
        }
        let next = part.place();
        if part.kind == Kind::Element && next.start == end {
            end = next.end;
        }
    }
    Some(Edit { place: first.start..end, replacement: Vec::new() })
}

//! Applies the fuzzer's own mutation to the bytes of one part. That mutation knows the operands of
//! comparisons that the target has made.

use super::super::parent::Kind;
use super::{Context, Edit};
use crate::codec::{TEXT_END, escape, unescape};

/// Room for the growth of a part.
const GROWTH: usize = 64;

pub(super) fn edit(context: &mut Context<'_>) -> Option<Edit> {
    let at = context.part(|_| true)?;
    let part = &context.parent.parts()[at];
    let place = part.place();
    let bytes = &context.parent.bytes()[place.clone()];
    let mut mutated = |mut bytes: Vec<u8>, max: usize| {
        (context.bytewise)(&mut bytes, max);
        bytes
    };
    let replacement = match part.kind {
        Kind::Number => {
            let mut number = mutated(bytes.to_vec(), bytes.len());
            number.resize(bytes.len(), 0);
            number
        }
        Kind::Text => {
            let inner = bytes.strip_suffix(&[TEXT_END]);
            let text = inner.unwrap_or(bytes);
            let text = mutated(text.to_vec(), text.len() + GROWTH);
            let mut text = String::from_utf8_lossy(&text).into_owned().into_bytes();
            text.extend(inner.map(|_| TEXT_END));
            text
        }
        Kind::Bytes => {
            let string = unescape(bytes);
            let max = string.len() + GROWTH;
            escape(&mutated(string, max))
        }
        Kind::Raw | Kind::Element | Kind::Span => mutated(bytes.to_vec(), bytes.len() + GROWTH),
    };
    Some(Edit { place, replacement })
}

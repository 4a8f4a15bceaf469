//! Applies the fuzzer's own mutation to the bytes of one part. That mutation knows the operands of
//! comparisons that the target has made.

use super::super::byte_list::{from_list, to_list};
use super::super::parent::Kind;
use super::{Context, Edit};
use crate::codec::{TEXT_END, escape, unescape};

/// Room for the growth of a part.
const GROWTH: usize = 64;

pub(super) fn edit(context: &mut Context<'_>) -> Option<Edit> {
    let lists = context.parent.byte_lists();
    if !lists.is_empty() && context.rng.bool() {
        let place = lists[context.rng.usize(..lists.len())].clone();
        let replacement = list(&context.parent.bytes()[place.clone()], context);
        return Some(Edit { place, replacement });
    }
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
            if inner.is_some() {
                valid(&text).chain([TEXT_END]).collect()
            } else {
                // The number of characters stays.
                String::from_utf8_lossy(&text).into_owned().into_bytes()
            }
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

/// A collection of single bytes, mutated as if they stood side by side.
fn list(encoded: &[u8], context: &mut Context<'_>) -> Vec<u8> {
    let mut bytes = from_list(encoded);
    let length = bytes.len();
    let has_end = encoded.len() > 2 * length;
    (context.bytewise)(&mut bytes, length + GROWTH);
    if !has_end {
        // The collection has its greatest length.
        bytes.resize(length, 0);
    }
    to_list(&bytes, has_end)
}

/// The bytes that are part of a character. The others would end the text.
fn valid(text: &[u8]) -> impl Iterator<Item = u8> {
    text.utf8_chunks().flat_map(|chunk| chunk.valid().bytes())
}

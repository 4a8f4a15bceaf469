//! Gives a number another value. All bytes after it stay. Often the value is a constant that the
//! target compares with.

use fastrand::Rng;

use super::super::parent::Kind;
use super::{Context, Edit};

pub(super) fn edit(context: &mut Context<'_>) -> Option<Edit> {
    let at = context.part(|part| part.kind == Kind::Number)?;
    let place = context.parent.parts()[at].place();
    let constant = if context.rng.u8(..4) == 0 { context.constants.number() } else { None };
    let changed = if let Some(constant) = constant {
        u128::from(constant)
    } else {
        let mut number = [0; 16];
        let bytes = &context.parent.bytes()[place.clone()];
        number[..bytes.len()].copy_from_slice(bytes);
        changed(u128::from_le_bytes(number), 8 * place.len() as u32, context.rng)
    };
    // A number outside its range wraps when it is decoded, and further bytes are cut off.
    let replacement = changed.to_le_bytes()[..place.len()].to_vec();
    Some(Edit { place, replacement })
}

/// Another number of this width, often a near one.
fn changed(number: u128, bits: u32, rng: &mut Rng) -> u128 {
    match rng.u8(..8) {
        0..3 => number ^ 1 << rng.u32(..bits),
        3 => rng.u128(..),
        4 => number.wrapping_add(1 << rng.u32(..bits)),
        5 => u128::from(rng.u8(..16)),
        6 => number.wrapping_add(rng.u128(1..=16)),
        _ => number.wrapping_sub(rng.u128(1..=16)),
    }
}

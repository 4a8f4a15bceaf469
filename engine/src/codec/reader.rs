//! Reads choices from bytes. This code must be fast.

use crate::alphabet::Alphabet;
use crate::choice::{Coin, FloatRange, Length};

/// Bytes and the position of the next read. After the last byte, the reader returns zeros.
#[derive(Clone, Debug, Default)]
pub struct ByteReader {
    bytes: Vec<u8>,
    at: usize,
}

impl ByteReader {
    /// Starts over with `input` and reuses the buffer.
    #[inline]
    pub fn load(&mut self, input: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(input);
        self.at = 0;
    }

    /// How many bytes were read, at most the length of the input.
    pub fn consumed(&self) -> usize {
        self.at.min(self.bytes.len())
    }

    /// Reads one byte.
    #[inline]
    pub fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    /// Reads `N` bytes.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        match self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<N>) {
            Some(chunk) => {
                self.at += N;
                *chunk
            }
            None => self.cut_off(),
        }
    }

    #[cold]
    fn cut_off<const N: usize>(&mut self) -> [u8; N] {
        let mut array = [0; N];
        let rest = self.rest();
        array[..rest.len()].copy_from_slice(rest);
        self.at = self.bytes.len();
        array
    }

    /// Reads all bytes that are still unread.
    pub fn take_rest(&mut self) -> &[u8] {
        let start = self.at.min(self.bytes.len());
        self.at = self.bytes.len();
        &self.bytes[start..]
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Reads a coin.
    #[inline]
    pub fn coin(&mut self, coin: Coin) -> bool {
        let raw = match coin.bytes {
            1 => u64::from(self.byte()),
            2 => u64::from(u16::from_le_bytes(self.array())),
            4 => u64::from(u32::from_le_bytes(self.array())),
            _ => u64::from_le_bytes(self.array()),
        };
        coin.forced.unwrap_or(raw >= coin.threshold)
    }

    /// Reads whether one more element follows.
    #[inline]
    pub fn more(&mut self) -> bool {
        self.byte() != 0
    }

    /// Reads 0 to stop, or one of `count` alternatives plus 1.
    #[inline]
    pub fn element(&mut self, count: u8) -> u8 {
        match self.byte() {
            0 => 0,
            byte if byte <= count => byte,
            byte => (byte - 1) % count + 1,
        }
    }

    /// Reads 0 to stop, or one of the rules with a positive weight, plus 1. The byte names the
    /// rule. A byte that names no such rule selects one by the weights.
    #[inline]
    pub fn step(&mut self, weights: &[u8]) -> usize {
        match usize::from(self.byte()) {
            0 => 0,
            byte if weights.get(byte - 1).is_some_and(|weight| *weight > 0) => byte,
            byte => {
                let total: usize = weights.iter().map(|weight| usize::from(*weight)).sum();
                weighted(weights, (byte - 1) % total) + 1
            }
        }
    }

    /// Reads one of more than 256 alternatives.
    #[cold]
    pub fn alternative(&mut self, count: usize) -> usize {
        if count <= 1 << 16 {
            usize::from(u16::from_le_bytes(self.array())) % count
        } else {
            u32::from_le_bytes(self.array()) as usize % count
        }
    }

    /// Reads a float.
    pub fn float(&mut self, range: &FloatRange) -> f64 {
        let (raw, zero, fraction) = if range.type_bytes == 4 {
            let bits = u32::from_le_bytes(self.array());
            (f64::from(f32::from_bits(bits)), bits == 0, f64::from(bits) / 2f64.powi(32))
        } else {
            let bits = u64::from_le_bytes(self.array());
            (f64::from_bits(bits), bits == 0, (bits >> 11) as f64 / 2f64.powi(53))
        };
        if raw.is_nan() && range.nan {
            return f64::NAN;
        }
        if range.allows(raw) {
            return raw;
        }
        if zero {
            return range.simplest();
        }
        let greatest = range.greatest_finite();
        let (min, max) =
            (range.min.clamp(-greatest, greatest), range.max.clamp(-greatest, greatest));
        // Scales each end before the addition, because the width of a range can exceed the greatest
        // float.
        let placed = min * (1.0 - fraction) + max * fraction;
        let placed = if range.type_bytes == 4 { f64::from(placed as f32) } else { placed };
        placed.clamp(range.min, range.max)
    }

    /// Reads a text.
    #[inline]
    pub fn text(&mut self, length: Length, alphabet: &Alphabet) -> String {
        if length.min > 0 || length.max < usize::MAX || !alphabet.is_any() {
            return self.bounded_text(length, alphabet);
        }
        let text = valid_prefix(self.rest()).to_owned();
        self.at += text.len() + 1;
        text
    }

    fn bounded_text(&mut self, length: Length, alphabet: &Alphabet) -> String {
        let rest = self.rest();
        // The window is bounded, so that a short text at the start of a long input costs only its
        // length.
        let window = &rest[..rest.len().min(length.max.saturating_mul(4))];
        let (taken, count) = prefix_of(valid_prefix(window), length.max);
        let mut text = if alphabet.is_any() {
            taken.to_owned()
        } else {
            taken.chars().map(|c| alphabet.nearest(c)).collect()
        };
        text.extend(std::iter::repeat_n(alphabet.simplest(), length.min.saturating_sub(count)));
        self.at += taken.len() + usize::from(count < length.max);
        text
    }

    /// Reads a text of one character.
    pub fn character(&mut self, alphabet: &Alphabet) -> char {
        let rest = self.rest();
        let window = &rest[..rest.len().min(4)];
        let valid = valid_prefix(window);
        let c = valid.chars().next();
        self.at += c.map_or(1, char::len_utf8);
        c.map_or(alphabet.simplest(), |c| alphabet.nearest(c))
    }

    /// Reads a byte string.
    pub fn string(&mut self, length: Length) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < length.max {
            let byte = match self.byte() {
                0 => break,
                1 => self.byte(),
                byte => byte,
            };
            bytes.push(byte);
        }
        bytes.resize(bytes.len().max(length.min), 0);
        bytes
    }
}

/// The index whose share contains `at`, which is less than the sum of all weights. Each index has a
/// share as large as its weight.
#[inline]
pub(crate) fn weighted(weights: &[u8], at: usize) -> usize {
    let mut behind = at;
    for (index, weight) in weights.iter().enumerate() {
        match behind.checked_sub(usize::from(*weight)) {
            Some(left) => behind = left,
            None => return index,
        }
    }
    unreachable!("less than the sum of all weights")
}

/// The longest prefix of `window` that is valid UTF-8. Only the standard library has loops here: a
/// fuzzer would take the loops of instrumented code for coverage of the target.
#[inline]
fn valid_prefix(window: &[u8]) -> &str {
    match std::str::from_utf8(window) {
        Ok(valid) => valid,
        Err(error) => std::str::from_utf8(&window[..error.valid_up_to()]).unwrap_or_default(),
    }
}

/// The first `max` characters, or all of them if there are fewer, and their number.
fn prefix_of(text: &str, max: usize) -> (&str, usize) {
    let mut count = 0;
    for (at, _) in text.char_indices() {
        if count == max {
            return (&text[..at], max);
        }
        count += 1;
    }
    (text, count)
}

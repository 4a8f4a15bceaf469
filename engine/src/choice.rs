//! One typed draw: a value and the constraint that it was drawn under.

use std::fmt;
use std::sync::Arc;

use crate::alphabet::Alphabet;
use crate::misuse::require;
use crate::shares::Shares;

/// A drawn value and its constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The drawn value.
    pub value: Value,
    /// The values that were possible.
    pub constraint: Constraint,
}

impl Choice {
    /// Whether this choice already has its simplest value.
    pub fn is_simplest(&self) -> bool {
        match (&self.value, &self.constraint) {
            (Value::Integer(value), Constraint::Integer(range)) => *value == range.towards,
            (Value::Boolean(value), Constraint::Boolean(coin)) => *value == coin.simplest(),
            (Value::Bytes(input), Constraint::Rest) => input.is_empty(),
            (Value::Bytes(steps), Constraint::Path) => steps.iter().all(|step| *step == 0),
            (value, constraint) => *value == constraint.simplest(),
        }
    }
}

/// A choice is shown by its value.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.value, &self.constraint) {
            (Value::Boolean(value), _) => write!(f, "{value}"),
            (Value::Integer(value), Constraint::Integer(range)) if range.offset => {
                write!(f, "{}", *value as u128 ^ 1 << 127)
            }
            (Value::Integer(value), _) => write!(f, "{value}"),
            (Value::Float(value), _) => write!(f, "{value:?}"),
            (Value::Bytes(value), _) => write!(f, "{value:?}"),
            (Value::Text(value), _) => write!(f, "{value:?}"),
        }
    }
}

/// The value of one choice.
///
/// Clones share the content of a long value, so cloning never copies it.
#[derive(Clone, Debug)]
pub enum Value {
    /// A coin, fair or not, or the continue choice of a collection.
    Boolean(bool),
    /// An integer of any primitive type. A `u128` is shifted down by 2^127 to fit, see
    /// [`IntegerRange::offset`].
    Integer(i128),
    /// A float. It holds an `f32` exactly.
    Float(f64),
    /// A byte string.
    Bytes(Arc<[u8]>),
    /// A text, or one character.
    Text(Arc<str>),
}

/// Floats are equal if their bits are: a NaN equals itself, and 0.0 differs from -0.0.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Boolean(a), Value::Boolean(b)) => a == b,
            (Value::Integer(a), Value::Integer(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Bytes(a), Value::Bytes(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

/// The possible values of a choice, by kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Constraint {
    /// `true` or `false`.
    Boolean(Coin),
    /// An integer of a range.
    Integer(IntegerRange),
    /// A float of a range.
    Float(FloatRange),
    /// A byte string of a length.
    Bytes(Length),
    /// A text of a length, over an alphabet.
    Text(Length, Alphabet),
    /// The rest of the input as it stands, which can be any bytes. When bytes are decoded, every
    /// choice after it has its simplest value.
    Rest,
    /// The path from a value down along the shrinks given for it, see `TestCase::path`.
    ///
    /// Each byte is one step: the index of the simpler value that was taken, counted from 0.
    /// `PATH_END` stands at the end if a simpler value remained. A missing step means 0.
    Path,
}

/// The last step of a [path](Constraint::Path) that stops before its end.
pub(crate) const PATH_END: u8 = 0xFF;

/// The greatest number of steps in a [path](Constraint::Path).
pub const PATH_MAX: usize = 1024;

impl Constraint {
    /// The value that sorts before all others under this constraint.
    pub fn simplest(&self) -> Value {
        match self {
            Constraint::Boolean(coin) => Value::Boolean(coin.simplest()),
            Constraint::Integer(range) => Value::Integer(range.towards),
            Constraint::Float(range) => Value::Float(range.simplest()),
            Constraint::Bytes(length) => Value::Bytes(vec![0; length.min].into()),
            Constraint::Text(length, alphabet) => {
                let simplest = alphabet.simplest();
                Value::Text(std::iter::repeat_n(simplest, length.min).collect::<String>().into())
            }
            Constraint::Rest | Constraint::Path => Value::Bytes([].into()),
        }
    }

    /// Whether `value` is possible under this constraint.
    pub fn allows(&self, value: &Value) -> bool {
        match (self, value) {
            (Constraint::Boolean(coin), Value::Boolean(value)) => coin.allows(*value),
            (Constraint::Integer(range), Value::Integer(value)) => {
                range.min <= *value && *value <= range.max
            }
            (Constraint::Float(range), Value::Float(value)) => range.allows(*value),
            (Constraint::Bytes(length), Value::Bytes(value)) => length.allows(value.len()),
            (Constraint::Rest | Constraint::Path, Value::Bytes(_)) => true,
            (Constraint::Text(length, alphabet), Value::Text(value)) => {
                length.allows(value.chars().count()) && value.chars().all(|c| alphabet.contains(c))
            }
            _ => false,
        }
    }

    /// Adapts `value` to this constraint: returns the possible value nearest to it in meaning.
    ///
    /// A possible value stays as it is. An integer becomes the nearest one of the range. A string
    /// is cut or filled up. An integer becomes a float. Any other value of another kind becomes the
    /// simplest value.
    pub fn nearest(&self, value: &Value) -> Value {
        match (self, value) {
            (Constraint::Integer(range), Value::Integer(value)) => {
                Value::Integer((*value).clamp(range.min, range.max))
            }
            // Bytes cannot distinguish NaNs, so all NaNs become one.
            (Constraint::Float(range), Value::Float(value)) if value.is_nan() && range.nan => {
                Value::Float(f64::NAN)
            }
            _ if self.allows(value) => value.clone(),
            (Constraint::Float(range), Value::Integer(value)) => {
                Value::Float(range.nearest(*value as f64))
            }
            (Constraint::Float(range), Value::Float(value)) => Value::Float(range.nearest(*value)),
            (Constraint::Bytes(length), Value::Bytes(value)) => {
                let mut bytes = value[..value.len().min(length.max)].to_vec();
                bytes.resize(bytes.len().max(length.min), 0);
                Value::Bytes(bytes.into())
            }
            (Constraint::Text(length, alphabet), Value::Text(value)) => {
                let mut text: String =
                    value.chars().take(length.max).map(|c| alphabet.nearest(c)).collect();
                let missing = length.min.saturating_sub(text.chars().count());
                text.extend(std::iter::repeat_n(alphabet.simplest(), missing));
                Value::Text(text.into())
            }
            _ => self.simplest(),
        }
    }
}

/// The meaning and the probability of a boolean choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coin {
    /// The least raw number for which the coin is `true`, unless `forced` fixes the value.
    pub threshold: u64,
    /// How many bytes the raw number has: 1, 2, 4 or 8.
    pub bytes: u8,
    /// Whether the coin decides that one more element follows.
    pub more: bool,
    /// The only possible value, if there is one.
    pub forced: Option<bool>,
}

impl Coin {
    /// The continue choice before an element. `forced` means that the collection is still below its
    /// least length.
    pub fn more(forced: bool) -> Coin {
        Coin { threshold: 1, bytes: 1, more: true, forced: forced.then_some(true) }
    }

    /// A coin that is `true` with probability `p`, in the fewest bytes that hold `p`.
    ///
    /// # Panics
    /// If `p` is not in 0.0..=1.0.
    #[track_caller]
    pub fn weighted(p: f64) -> Coin {
        require!((0.0..=1.0).contains(&p), "a probability must lie in 0.0..=1.0, and {p} does not");
        let forced = if p == 0.0 {
            Some(false)
        } else if p >= 1.0 {
            Some(true)
        } else {
            None
        };
        let bytes = [1u8, 2, 4]
            .into_iter()
            .find(|bytes| (p * 2f64.powi(8 * i32::from(*bytes))).fract() == 0.0)
            .unwrap_or(8);
        let sides = 1u128 << (8 * u32::from(bytes));
        // A positive `p` never rounds down to "never", and a `p` below 1.0 never rounds up to
        // "always".
        let winning = ((p * sides as f64) as u128).clamp(1, sides - 1);
        Coin { threshold: (sides - winning) as u64, bytes, more: false, forced }
    }

    fn simplest(self) -> bool {
        self.forced.unwrap_or(false)
    }

    fn allows(self, value: bool) -> bool {
        self.forced.is_none_or(|forced| forced == value)
    }
}

/// The range of integers of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntegerRange {
    /// The least integer.
    pub min: i128,
    /// The greatest integer.
    pub max: i128,
    /// The simplest integer: 0 if the range holds it, otherwise the end nearer to 0, unless the
    /// user chose another one.
    pub towards: i128,
    /// How many bytes the type of the integer has.
    pub type_bytes: u8,
    /// Whether the values are those of a `u128` minus 2^127.
    pub offset: bool,
    /// The purpose of the integer.
    pub role: Role,
    /// How often each alternative is drawn. Equal for numbers.
    pub shares: Shares,
}

impl IntegerRange {
    /// The first place of an alternative in place of the alternative, and the range of all places.
    /// `ends` holds the end of the places of each alternative. There is at least one.
    pub fn in_places(&self, value: i128, ends: &[u32]) -> (i128, IntegerRange) {
        let fused = i128::from(self.role == Role::Element);
        // 0 ends a collection, and the first alternative begins at place 0.
        let place = |value: i128| match usize::try_from(value - fused) {
            Ok(0) | Err(_) => value,
            Ok(index) => i128::from(ends[index - 1]) + fused,
        };
        let max = place(self.max + 1) - 1;
        (place(value), IntegerRange { max, shares: Shares::EQUAL, ..*self })
    }
}

/// The purpose of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A number of the test case.
    Number,
    /// The index of the chosen alternative, counted from 0.
    Alternative,
    /// The continue choice of a collection, fused with the alternative that the element begins
    /// with. 0 stops; other values are the alternative plus 1.
    Element,
}

/// The range of floats of a choice: `min..=max`, and NaN if both ends are open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatRange {
    /// The least float, possibly infinite.
    pub min: f64,
    /// The greatest float, possibly infinite.
    pub max: f64,
    /// Whether NaN is possible.
    pub nan: bool,
    /// 4 for `f32`, 8 for `f64`.
    pub type_bytes: u8,
}

impl FloatRange {
    /// Whether `value` is possible. Unlike a numeric comparison, this excludes -0.0 from a range
    /// that begins at 0.0.
    pub fn allows(&self, value: f64) -> bool {
        if value.is_nan() {
            return self.nan;
        }
        let exact = self.type_bytes == 8 || f64::from(value as f32).to_bits() == value.to_bits();
        exact && self.min.total_cmp(&value).is_le() && value.total_cmp(&self.max).is_le()
    }

    /// The float of the range that sorts first.
    ///
    /// If every float of the range has more than 60 binary places, it is the end nearer to zero.
    pub fn simplest(&self) -> f64 {
        if self.allows(0.0) {
            return 0.0;
        }
        // Rounds the end nearer to zero away from zero: first to an integer, then with one more
        // binary place each time. The first candidate in the range is the simplest.
        let negative = self.max.is_sign_negative();
        let (near, far) = if negative { (-self.max, -self.min) } else { (self.min, self.max) };
        let signed = |magnitude: f64| if negative { -magnitude } else { magnitude };
        for places in 0..=60 {
            let scale = 2f64.powi(places);
            let candidate = signed((near * scale).ceil() / scale);
            if (candidate.abs() <= far) && self.allows(candidate) {
                return candidate;
            }
        }
        signed(near)
    }

    pub(crate) fn greatest_finite(&self) -> f64 {
        if self.type_bytes == 4 { f64::from(f32::MAX) } else { f64::MAX }
    }

    fn nearest(&self, value: f64) -> f64 {
        let rounded = if self.type_bytes == 4 { f64::from(value as f32) } else { value };
        if rounded.is_nan() {
            self.simplest()
        } else if rounded.total_cmp(&self.min).is_lt() {
            self.min
        } else if rounded.total_cmp(&self.max).is_gt() {
            self.max
        } else {
            rounded
        }
    }
}

/// The possible lengths of a string: bytes of a byte string, characters of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// The least length.
    pub min: usize,
    /// The greatest length.
    pub max: usize,
}

impl Length {
    fn allows(self, length: usize) -> bool {
        self.min <= length && length <= self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "these are exact")]
    fn the_simplest_float_of_a_range_lies_in_it() {
        let range = |min, max| FloatRange { min, max, nan: false, type_bytes: 8 };
        assert_eq!(range(-1.0, 1.0).simplest(), 0.0);
        assert_eq!(range(1.5, 9.0).simplest(), 2.0);
        assert_eq!(range(-9.0, -1.5).simplest(), -2.0);
        assert_eq!(range(0.3, 0.4).simplest(), 0.375);
        assert_eq!(range(0.1, 0.1).simplest(), 0.1);
        assert_eq!(range(f64::INFINITY, f64::INFINITY).simplest(), f64::INFINITY);
        assert_eq!(range(1e-320, 2e-320).simplest(), 1e-320);
    }
}

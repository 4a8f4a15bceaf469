//! Random integers and floats: edges, earlier values and their neighbours, and uniform ones.

use super::Random;
use crate::choice::{Choice, Constraint, FloatRange, IntegerRange, Role, Value};

impl Random {
    pub(super) fn integer(&mut self, range: &IntegerRange, earlier: &[Choice]) -> i128 {
        let roll = self.rng.u8(..);
        // A uniform draw from a large range almost never gives equal values, or neighbours of equal
        // values.
        if roll < 24
            && range.role == Role::Number
            && let Some(value) = self.integer_again(range, earlier)
        {
            return value;
        }
        let width = range.max.abs_diff(range.min);
        if roll < 44 && range.role == Role::Number {
            return self.edge(range);
        }
        if let Some(bits) = self.profile.small_bits.filter(|_| roll < 224) {
            let magnitude = self.rng.u128(..1 << bits);
            return self.away_from_simplest(range, magnitude);
        }
        if width <= 0xFF || roll > 200 {
            return self.uniform(range.min, width);
        }
        // Every number of bits is equally likely.
        let bits = self.rng.u32(1..=128 - width.leading_zeros());
        let magnitude = self.rng.u128(..) >> (128 - bits);
        self.away_from_simplest(range, magnitude)
    }

    /// Draws an earlier number or a neighbour of it, if it lies in the range.
    fn integer_again(&mut self, range: &IntegerRange, earlier: &[Choice]) -> Option<i128> {
        let recent = self.recent(earlier).iter().filter_map(|choice| {
            match (&choice.value, &choice.constraint) {
                (Value::Integer(value), Constraint::Integer(drawn_from))
                    if drawn_from.role == Role::Number =>
                {
                    // A number of another type keeps its value if both types can hold it.
                    Some(if drawn_from.offset == range.offset { *value } else { value ^ i128::MIN })
                }
                _ => None,
            }
        });
        let count = recent.clone().count();
        if count == 0 {
            return None;
        }
        let value = recent.clone().nth(self.rng.usize(..count))?;
        let value = value.saturating_add([0, 0, 0, 1, -1][self.rng.usize(..5)]);
        (range.min <= value && value <= range.max).then_some(value)
    }

    /// Draws an end of the range, the simplest value, a power of two, or a neighbour of one of
    /// these.
    pub(super) fn edge(&mut self, range: &IntegerRange) -> i128 {
        let near = i128::from(self.rng.u8(..3));
        let edge = match self.rng.u8(..6) {
            0 => range.min.saturating_add(near),
            1 => range.max.saturating_sub(near),
            2 => range.towards.saturating_add(near),
            3 => range.towards.saturating_sub(near),
            _ => {
                let bits = 128 - range.max.abs_diff(range.min).leading_zeros();
                let power = 1 << self.rng.u32(..bits.max(1));
                let near_power = [power, power, power - 1, power + 1][self.rng.usize(..4)];
                return self.away_from_simplest(range, near_power);
            }
        };
        edge.clamp(range.min, range.max)
    }

    /// Goes up or down from the simplest value by `magnitude`, at most to the end of the range.
    fn away_from_simplest(&mut self, range: &IntegerRange, magnitude: u128) -> i128 {
        let above = range.max.abs_diff(range.towards);
        let below = range.min.abs_diff(range.towards);
        let down = below > 0 && (above == 0 || self.rng.bool());
        if down {
            range.towards.wrapping_sub(magnitude.min(below) as i128)
        } else {
            range.towards.wrapping_add(magnitude.min(above) as i128)
        }
    }

    fn uniform(&mut self, min: i128, width: u128) -> i128 {
        let steps = if width == u128::MAX { self.rng.u128(..) } else { self.rng.u128(..=width) };
        min.wrapping_add(steps as i128)
    }

    pub(super) fn float(&mut self, range: &FloatRange, earlier: &[Choice]) -> f64 {
        const EDGES: [f64; 12] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::MIN,
            f64::EPSILON,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        if let Some(Value::Float(value)) = self.again(&Constraint::Float(*range), earlier) {
            return value;
        }
        for _ in 0..8 {
            let drawn = match self.rng.u8(..8) {
                0 => EDGES[self.rng.usize(..EDGES.len())],
                1 => range.min,
                2 => range.max,
                3 => f64::from_bits(self.rng.u64(..)),
                4 => f64::from(self.rng.i8(..)),
                5 => f64::from(self.rng.i32(-1000..1000)) / f64::from(self.rng.u8(1..=100)),
                _ => {
                    let (min, max) = (range.min.max(-1e6), range.max.min(1e6));
                    let fraction = self.rng.f64();
                    min * (1.0 - fraction) + max * fraction
                }
            };
            let drawn = if range.type_bytes == 4 { f64::from(drawn as f32) } else { drawn };
            if range.allows(drawn) {
                return if drawn.is_nan() { f64::NAN } else { drawn };
            }
        }
        range.simplest()
    }
}

//! Numbers of all kinds as points of a line, in ascending order.

use crate::choice::{Choice, Constraint, FloatRange, IntegerRange, Role, Value};

/// The points that a number may have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NumberLine {
    Integers(IntegerRange),
    Floats(FloatRange),
}

impl NumberLine {
    /// The line that the number of a choice lies on.
    pub(crate) fn of(choice: &Choice) -> Option<NumberLine> {
        NumberLine::under(&choice.constraint)
    }

    /// The line of the numbers that a constraint allows.
    pub(crate) fn under(constraint: &Constraint) -> Option<NumberLine> {
        match constraint {
            Constraint::Integer(range) if range.role == Role::Number => {
                Some(NumberLine::Integers(*range))
            }
            Constraint::Float(range) => Some(NumberLine::Floats(*range)),
            _ => None,
        }
    }

    pub(crate) fn min(self) -> i128 {
        match self {
            NumberLine::Integers(range) => range.min,
            NumberLine::Floats(range) => float_point(range.min),
        }
    }

    pub(crate) fn max(self) -> i128 {
        match self {
            NumberLine::Integers(range) => range.max,
            NumberLine::Floats(range) => float_point(range.max),
        }
    }

    /// The point of a value. A NaN has none.
    pub(crate) fn point(self, value: &Value) -> Option<i128> {
        match (self, value) {
            (NumberLine::Integers(_), Value::Integer(value)) => Some(*value),
            (NumberLine::Floats(_), Value::Float(value)) if !value.is_nan() => {
                Some(float_point(*value))
            }
            _ => None,
        }
    }

    /// The value at a point. If the line has no such value, the nearest one.
    pub(crate) fn value(self, point: i128) -> Value {
        match self {
            NumberLine::Integers(_) => Value::Integer(point),
            NumberLine::Floats(range) => {
                Constraint::Float(range).nearest(&Value::Float(float_at(point)))
            }
        }
    }

    /// The value at a point. `None` outside of the line.
    pub(crate) fn value_at(self, point: i128) -> Option<Value> {
        (self.min()..=self.max()).contains(&point).then(|| self.value(point))
    }

    /// The value that is greater by a number. `None` outside of the line, or if a float is too
    /// large for that difference.
    pub(crate) fn moved(self, value: &Value, by: i128) -> Option<Value> {
        match (self, value) {
            (NumberLine::Integers(_), Value::Integer(value)) => {
                self.value_at(value.checked_add(by)?)
            }
            (NumberLine::Floats(range), Value::Float(float)) => {
                let moved = float + by as f64;
                let is_so_far = (moved - float - by as f64).abs() < 0.5;
                (is_so_far && range.allows(moved)).then_some(Value::Float(moved))
            }
            _ => None,
        }
    }

    /// The constraint that allows the points from `min` to `max`.
    pub(crate) fn between(self, min: i128, max: i128) -> Constraint {
        match self {
            NumberLine::Integers(range) => Constraint::Integer(IntegerRange {
                min,
                max,
                towards: range.towards.clamp(min, max),
                ..range
            }),
            NumberLine::Floats(range) => Constraint::Float(FloatRange {
                min: float_at(min),
                max: float_at(max),
                nan: false,
                ..range
            }),
        }
    }
}

/// The place of a float in the total order.
fn float_point(value: f64) -> i128 {
    let bits = value.to_bits() as i64;
    i128::from(bits ^ (((bits >> 63) as u64) >> 1) as i64)
}

fn float_at(point: i128) -> f64 {
    let bits = point as i64;
    f64::from_bits((bits ^ (((bits >> 63) as u64) >> 1) as i64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_and_their_points_have_one_order() {
        let floats = [f64::NEG_INFINITY, -1.5, -0.0, 0.0, 5e-324, 1.0, 1e300, f64::INFINITY];
        for pair in floats.windows(2) {
            assert!(float_point(pair[0]) < float_point(pair[1]), "{pair:?}");
        }
        for float in floats {
            assert_eq!(float_at(float_point(float)).to_bits(), float.to_bits());
        }
        assert_eq!(float_point(0.0) - float_point(-0.0), 1);
    }

    #[test]
    fn a_float_moves_by_its_value() {
        let range = FloatRange { min: -2.0, max: 1e300, nan: true, type_bytes: 8 };
        let line = NumberLine::Floats(range);
        let moved = |from, by| line.moved(&Value::Float(from), by);
        assert_eq!(moved(0.5, 2), Some(Value::Float(2.5)));
        assert_eq!(moved(-1.5, -1), None);
        assert_eq!(moved(1e18, 1), None);
        assert_eq!(moved(f64::NAN, 1), None);
    }
}

//! Values at which a claim is most likely wrong: equal to other values, beside them, their sums,
//! and values where the behaviour of programs changes.

use crate::choice::{Choice, Constraint, IntegerRange, Role, Value};

/// At most this number of values for one choice.
const VALUES_MAX: usize = 48;
/// At most this number of other values are compared.
const OTHERS_MAX: usize = 24;
/// At most this number of other values are added up in pairs.
const PAIRS_MAX: usize = 6;

/// The targeted values for the place of `choice`, which differ from its own. `others` are the other
/// values of the test case, and `lengths` the lengths of its collections.
pub(crate) fn values(choice: &Choice, others: &[Value], lengths: &[usize]) -> Vec<Value> {
    let found = match (&choice.value, &choice.constraint) {
        (Value::Boolean(value), _) => vec![Value::Boolean(!value)],
        (Value::Integer(value), Constraint::Integer(range)) if range.role == Role::Number => {
            integers(*value, range, others, lengths).into_iter().map(Value::Integer).collect()
        }
        (Value::Float(value), Constraint::Float(_)) => {
            floats(*value, others).into_iter().map(Value::Float).collect()
        }
        (Value::Text(text), Constraint::Text(_, alphabet)) => {
            let simplest = alphabet.simplest();
            texts(text, simplest, others).into_iter().map(|text| Value::Text(text.into())).collect()
        }
        (Value::Bytes(bytes), Constraint::Bytes(_) | Constraint::Rest) => {
            byte_strings(bytes, others)
                .into_iter()
                .map(|bytes| Value::Bytes(bytes.into()))
                .collect()
        }
        _ => Vec::new(),
    };
    let mut distinct: Vec<Value> = Vec::new();
    for value in found {
        // An integer outside the range says nothing new, but a string is adapted.
        let value = match value {
            Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => value,
            value => choice.constraint.nearest(&value),
        };
        if distinct.len() < VALUES_MAX
            && value != choice.value
            && choice.constraint.allows(&value)
            && !distinct.contains(&value)
        {
            distinct.push(value);
        }
    }
    distinct
}

fn integers(value: i128, range: &IntegerRange, others: &[Value], lengths: &[usize]) -> Vec<i128> {
    let near = |value: i128| [value, value.saturating_add(1), value.saturating_sub(1)];
    let drawn = others.iter().filter_map(|other| match other {
        Value::Integer(other) => Some(*other),
        Value::Float(other) if other.fract() == 0.0 => Some(*other as i128),
        Value::Text(text) => Some(text.chars().count() as i128),
        Value::Bytes(bytes) => Some(bytes.len() as i128),
        Value::Boolean(_) | Value::Float(_) => None,
    });
    let mut others: Vec<i128> = Vec::new();
    for other in drawn.chain(lengths.iter().map(|length| *length as i128)) {
        if !others.contains(&other) && others.len() < OTHERS_MAX {
            others.push(other);
        }
    }
    let mut found: Vec<i128> = near(value)[1..].to_vec();
    for other in &others {
        found.extend(near(*other));
    }
    found.extend([range.min, range.max, range.towards]);
    found.extend(near(0));
    let (mut sums, mut differences) = (Vec::new(), Vec::new());
    let few = &others[..others.len().min(PAIRS_MAX)];
    for (at, a) in few.iter().enumerate() {
        for b in &few[at..] {
            sums.push(a.saturating_add(*b));
            differences.push(a.saturating_sub(*b).saturating_abs());
        }
    }
    found.extend(sums);
    found.extend(differences);
    for other in others {
        let (sum, difference) = (value.saturating_add(other), value.saturating_sub(other));
        found.extend([sum, difference, other.saturating_neg()]);
    }
    found.extend([value.saturating_mul(2), value / 2, value.saturating_neg()]);
    found.extend([range.min.saturating_add(1), range.max.saturating_sub(1)]);
    found
}

fn floats(value: f64, others: &[Value]) -> Vec<f64> {
    let others: Vec<f64> = others
        .iter()
        .filter_map(|other| match other {
            Value::Float(other) => Some(*other),
            Value::Integer(other) => Some(*other as f64),
            _ => None,
        })
        .take(OTHERS_MAX)
        .collect();
    let mut found = vec![value.next_up(), value.next_down(), value + 1.0, value - 1.0, -value];
    for other in &others {
        found.extend([*other, other.next_up(), other.next_down()]);
    }
    found.extend([0.0, -0.0, 1.0, -1.0, 0.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
    found.extend([f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::from(f32::MAX)]);
    for other in &others {
        found.extend([value + other, value - other]);
    }
    found
}

fn texts(text: &str, simplest: char, others: &[Value]) -> Vec<String> {
    let others = others.iter().filter_map(|other| match other {
        Value::Text(other) => Some(&**other),
        _ => None,
    });
    let mut found: Vec<String> = Vec::new();
    for other in others.take(OTHERS_MAX) {
        found.extend([other.to_owned(), format!("{other}{simplest}"), format!("{text}{other}")]);
    }
    found.extend([String::new(), simplest.to_string(), format!("{text}{simplest}")]);
    found.extend([format!("{simplest}{text}"), format!("{text}{text}")]);
    found.extend([text.to_uppercase(), text.to_lowercase(), text.chars().rev().collect()]);
    found.extend([text.chars().skip(1).collect::<String>(), " ".to_owned(), "\u{e9}".to_owned()]);
    found
}

fn byte_strings(bytes: &[u8], others: &[Value]) -> Vec<Vec<u8>> {
    let others = others.iter().filter_map(|other| match other {
        Value::Bytes(other) => Some(&**other),
        _ => None,
    });
    let mut found: Vec<Vec<u8>> = Vec::new();
    for other in others.take(OTHERS_MAX) {
        found.extend([other.to_vec(), [other, &[0]].concat(), [bytes, other].concat()]);
    }
    found.extend([vec![], vec![0], vec![0xFF], [bytes, &[0]].concat(), [&[0], bytes].concat()]);
    found.extend([bytes.iter().rev().copied().collect(), bytes.repeat(2)]);
    found.push(bytes.iter().skip(1).copied().collect());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::Alphabet;
    use crate::choice::Length;
    use crate::integer::Integer;

    #[test]
    fn numbers_meet_other_numbers_lengths_sums_and_bounds() {
        let range = u8::range(0, 200, Role::Number);
        let choice = Choice { value: Value::Integer(9), constraint: Constraint::Integer(range) };
        let found = values(&choice, &[Value::Integer(40), Value::Integer(100)], &[17]);
        for wanted in [8, 10, 39, 40, 41, 0, 200, 17, 18, 140, 60, 49, 1, 199] {
            assert!(found.contains(&Value::Integer(wanted)), "{wanted}");
        }
        assert!(!found.contains(&Value::Integer(9)));
        assert!(found.iter().all(|value| choice.constraint.allows(value)));
    }

    #[test]
    fn texts_meet_equal_texts_within_their_alphabet() {
        let length = Length { min: 1, max: 3 };
        let alphabet = Alphabet::new([('a', 'c')]);
        let constraint = Constraint::Text(length, alphabet);
        let choice = Choice { value: Value::Text("ab".into()), constraint };
        let found = values(&choice, &[Value::Text("cab".into())], &[]);
        assert!(found.contains(&Value::Text("cab".into())));
        assert!(found.contains(&Value::Text("aba".into())));
        assert!(found.iter().all(|value| choice.constraint.allows(value)));
    }
}

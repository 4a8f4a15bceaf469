//! Inputs whose strings hold numbers between those of two inputs.
//!
//! A parser may fail from a number on. What a cause says of a string, it says of each character
//! alone. So no cause says it, and `1850` is another cause than `1900` and `10000`. Between the
//! numbers of two faults inputs pass.

use crate::choice::Value;
use crate::explain::classes::strings::{items, value_of};
use crate::explain::classes::tree::Tree;
use crate::trace::Trace;

/// The inputs that are looked at, in twelfths of the way from the first input to the second one.
const TWELFTHS: [i128; 5] = [6, 4, 8, 3, 9];

/// Some inputs between two that differ in numbers in strings alone. No input if they differ in
/// something else.
pub(super) fn numerals(one: &Trace, other: &Trace) -> Vec<Vec<Value>> {
    if !Tree::is_alike(one, other) {
        return Vec::new();
    }
    let (from, to) = (one.values(), other.values());
    let input = |twelfths: i128| -> Option<Vec<Value>> {
        let values = from.iter().zip(&to).zip(&one.choices).map(|((from, to), choice)| {
            if from == to {
                return Some(from.clone());
            }
            between(from, to, twelfths).filter(|value| choice.constraint.allows(value))
        });
        values.collect()
    };
    let mut inputs: Vec<Vec<Value>> = Vec::new();
    for values in TWELFTHS.into_iter().filter_map(input) {
        // Between near numbers are few others.
        if values != from && values != to && !inputs.contains(&values) {
            inputs.push(values);
        }
    }
    inputs
}

/// A part of a string.
enum Part {
    /// A number, and how many digits it has.
    Number(i128, usize),
    Other(char),
}

/// The parts of a string. `None` if the value is another one, or a number in it is too long.
fn parts(string: &Value) -> Option<Vec<Part>> {
    let items = items(string)?;
    let of_one_part = |one: &char, other: &char| one.is_ascii_digit() && other.is_ascii_digit();
    let part = |part: &[char]| match part {
        [first, ..] if first.is_ascii_digit() => {
            let number = part.iter().collect::<String>().parse().ok()?;
            Some(Part::Number(number, part.len()))
        }
        part => part.first().copied().map(Part::Other),
    };
    items.chunk_by(of_one_part).map(part).collect()
}

/// The string with numbers that are some twelfths of the way from those of one string to those of
/// another one. `None` if the strings differ in something else.
fn between(from: &Value, to: &Value, twelfths: i128) -> Option<Value> {
    let (one, other) = (parts(from)?, parts(to)?);
    if one.len() != other.len() {
        return None;
    }
    let mut string = String::new();
    for pair in one.iter().zip(&other) {
        match pair {
            (Part::Other(one), Part::Other(other)) if one == other => string.push(*one),
            (Part::Number(one, digits), Part::Number(other, digits_of_other)) => {
                let way = other - one;
                let number = one + way / 12 * twelfths + way % 12 * twelfths / 12;
                // Zeros at the beginning stay.
                let width = *digits.min(digits_of_other);
                let number = format!("{number:0width$}");
                string.push_str(&number);
            }
            _ => return None,
        }
    }
    Some(value_of(from, &string.chars().collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::{between, numerals};
    use crate::choice::Value;
    use crate::execute::execute;
    use crate::prelude::*;
    use crate::shrink::Candidate;
    use crate::test_case::Driver;
    use crate::trace::Trace;

    fn drawn(text: &str) -> Trace {
        let mut driver = Driver::new();
        driver.start_candidate(Candidate::replaying(&[Value::Text(text.into())]), 1);
        let ended = execute(&mut driver, |tc| assert_eq!(tc.draw(any::<String>()), text));
        assert!(ended.or_unwind().is_ok());
        driver.trace().clone()
    }

    #[test]
    fn no_input_comes_twice() {
        let between = |from, to| numerals(&drawn(from), &drawn(to)).len();
        assert_eq!(between("v5", "v6"), 0);
        assert_eq!(between("v5", "v7"), 1);
        assert_eq!(between("v5", "v500"), 5);
        assert_eq!(between("v5", "w500"), 0);
    }

    fn middle(from: &str, to: &str) -> Option<String> {
        match between(&Value::Text(from.into()), &Value::Text(to.into()), 6)? {
            Value::Text(text) => Some(text.to_string()),
            _ => None,
        }
    }

    #[test]
    fn each_number_is_in_the_middle() {
        assert_eq!(middle("v1.20.3", "v5.10.300").as_deref(), Some("v3.15.151"));
        assert_eq!(middle("007", "011").as_deref(), Some("009"));
        assert_eq!(middle("9", "11").as_deref(), Some("10"));
    }

    #[test]
    fn other_differences_have_no_middle() {
        assert_eq!(middle("a1", "b5"), None);
        assert_eq!(middle("1", "1.5"), None);
        assert_eq!(middle(&"9".repeat(50), "1"), None);
    }
}

//! The order of choice sequences is total, and its least element is the simplest value.

use std::cmp::Ordering;

use dwindle::prelude::*;
use dwindle_engine::internals::choice::{
    Alphabet, Choice, Coin, Constraint, FloatRange, IntegerRange, Length, Role, Shares, Value,
    char_rank,
};
use dwindle_engine::internals::order::{compare, compare_choices, compare_inputs};

/// A constraint of some kind. Few kinds of strings and ranges, so that choices often share one.
#[derive(Clone, Debug, Generate)]
enum Kind {
    Boolean,
    Weighted {
        #[generate(with = g::sampled_from([0.0, 0.25, 1.0]))]
        probability: f64,
    },
    Integer {
        #[generate(with = g::integers(-300..=300))]
        min: i128,
        #[generate(with = g::integers(0..=600))]
        width: i128,
        #[generate(with = g::integers(0..=600))]
        towards: i128,
    },
    Float {
        #[generate(with = g::sampled_from([4, 8]))]
        type_bytes: u8,
        #[generate(with = ends())]
        min: f32,
        #[generate(with = ends())]
        max: f32,
        is_open: bool,
    },
    #[generate(weight = 2)]
    Bytes(
        #[generate(with = g::integers(0..=2))] usize,
        #[generate(with = g::integers(0..=2))] usize,
    ),
    Text {
        #[generate(with = g::integers(0..=2))]
        min: usize,
        #[generate(with = g::integers(0..=2))]
        more: usize,
        #[generate(with = ranges())]
        range: (char, char),
    },
    #[generate(weight = 2)]
    Rest,
    Path,
}

/// An end of a range of floats. Nearer to zero, floats have more binary places than
/// [`FloatRange::simplest`] compares.
fn ends() -> impl Generator<Value = f32> {
    any::<f32>().map(|end| if end.abs() < 1e-9 { end.signum() * 0.0 } else { end })
}

fn ranges() -> impl Generator<Value = (char, char)> {
    g::sampled_from([('\0', char::MAX), ('a', 'c'), ('Y', 'b'), ('ß', 'ä')])
}

impl Kind {
    fn constraint(&self) -> Constraint {
        match self {
            Kind::Boolean => Constraint::Boolean(Coin::more(false)),
            Kind::Weighted { probability } => Constraint::Boolean(Coin::weighted(*probability)),
            Kind::Integer { min, width, towards } => Constraint::Integer(IntegerRange {
                min: *min,
                max: min + width,
                towards: min + towards.min(width),
                type_bytes: 4,
                offset: false,
                role: Role::Number,
                shares: Shares::EQUAL,
            }),
            Kind::Float { type_bytes, min, max, is_open } => {
                let (min, max) = if *is_open || min.is_nan() || max.is_nan() {
                    (f32::NEG_INFINITY, f32::INFINITY)
                } else if min.total_cmp(max).is_le() {
                    (*min, *max)
                } else {
                    (*max, *min)
                };
                let nan = min == f32::NEG_INFINITY && max == f32::INFINITY;
                let (min, max) = (f64::from(min), f64::from(max));
                Constraint::Float(FloatRange { min, max, nan, type_bytes: *type_bytes })
            }
            Kind::Bytes(min, more) => Constraint::Bytes(Length { min: *min, max: min + more }),
            Kind::Text { min, more, range } => {
                let length = Length { min: *min, max: min + more };
                Constraint::Text(length, Alphabet::new([*range]))
            }
            Kind::Rest => Constraint::Rest,
            Kind::Path => Constraint::Path,
        }
    }
}

/// A choice of this kind, whose value is any that its constraint allows.
fn choice(tc: &mut TestCase, kind: &Kind) -> Choice {
    let constraint = kind.constraint();
    let bytes = || g::vec(g::integers(0..=2u8)).len(..=3);
    let value = match kind {
        Kind::Boolean | Kind::Weighted { .. } => Value::Boolean(tc.draw_silent(any::<bool>())),
        Kind::Integer { .. } => Value::Integer(tc.draw_silent(g::integers(-300..=900))),
        Kind::Float { .. } => {
            let simple = g::integers(-8..=8i8).map(|eighths| f64::from(eighths) / 8.0);
            let narrow = any::<f32>().map(f64::from);
            Value::Float(tc.draw_silent(g::one_of((simple, narrow, any::<f64>()))))
        }
        Kind::Bytes(..) | Kind::Rest | Kind::Path => Value::Bytes(tc.draw_silent(bytes()).into()),
        Kind::Text { .. } => {
            let text = g::one_of((g::text().alphabet("abcYZß0"), g::text()));
            Value::Text(tc.draw_silent(text).into())
        }
    };
    let value = constraint.nearest(&value);
    assert!(constraint.allows(&value), "{value:?} under {constraint:?}");
    Choice { value, constraint }
}

/// Choices as they stand at one place of several sequences: mostly of one kind.
fn choices_at_one_place<const N: usize>() -> impl Generator<Value = [Choice; N]> {
    g::from_fn(|tc| {
        let kind = tc.draw_silent(any::<Kind>());
        std::array::from_fn(|_| {
            let is_other = tc.draw_silent(g::booleans());
            let kind = if is_other { &tc.draw_silent(any::<Kind>()) } else { &kind };
            choice(tc, kind)
        })
    })
}

/// Whether two choices are one to the order: a missing step of a path means 0.
fn is_same(left: &Choice, right: &Choice) -> bool {
    let steps = |choice: &Choice| match &choice.value {
        Value::Bytes(steps) if choice.constraint == Constraint::Path => {
            let last = steps.iter().rposition(|step| *step != 0);
            Some(steps[..last.map_or(0, |last| last + 1)].to_vec())
        }
        _ => None,
    };
    match (steps(left), steps(right)) {
        (Some(left), Some(right)) => left == right,
        _ => left.value == right.value,
    }
}

#[dwindle::test(store = None, max_cases = 6000, seed = 1)]
fn the_order_of_choices_is_antisymmetric(
    #[generate(with = choices_at_one_place())] [a, b]: [Choice; 2],
) {
    assert_eq!(compare_choices(&a, &a), Ordering::Equal);
    assert_eq!(compare_choices(&a, &b), compare_choices(&b, &a).reverse());
}

#[dwindle::test(store = None, max_cases = 6000, seed = 1)]
fn the_order_of_choices_is_transitive(
    #[generate(with = choices_at_one_place())] [a, b, c]: [Choice; 3],
) {
    let mut sorted = [a, b, c];
    sorted.sort_by(compare_choices);
    let [least, middle, greatest] = &sorted;
    assert!(compare_choices(least, middle).is_le());
    assert!(compare_choices(middle, greatest).is_le());
    assert!(compare_choices(least, greatest).is_le());
    let is_between =
        compare_choices(least, middle).is_lt() || compare_choices(middle, greatest).is_lt();
    assert_eq!(compare_choices(least, greatest).is_lt(), is_between);
}

#[dwindle::test(store = None, max_cases = 6000, seed = 1)]
fn choices_of_one_constraint_are_equal_in_the_order_if_their_values_are(tc: &mut TestCase) {
    let kind = tc.draw(any::<Kind>());
    let [a, b] = tc.draw(g::from_fn(|tc| [choice(tc, &kind), choice(tc, &kind)]));
    assert_eq!(compare_choices(&a, &b).is_eq(), is_same(&a, &b));
}

#[dwindle::test(store = None, max_cases = 6000, seed = 1)]
fn nothing_sorts_before_the_simplest_value(tc: &mut TestCase) {
    let kind = tc.draw(any::<Kind>());
    let any = tc.draw(g::from_fn(|tc| choice(tc, &kind)));
    let simplest = Choice { value: kind.constraint().simplest(), ..any.clone() };
    assert!(simplest.is_simplest() && simplest.constraint.allows(&simplest.value));
    assert!(compare_choices(&simplest, &any).is_le(), "{any:?} is simpler than {simplest:?}");
    assert_eq!(any.is_simplest(), is_same(&any, &simplest));
}

#[dwindle::test(store = None, seed = 1)]
fn fewer_choices_sort_first_and_then_the_first_difference_decides(
    #[generate(with = g::vec(choices_at_one_place()).len(..=4))] pairs: Vec<[Choice; 2]>,
    #[generate(with = g::option(choices_at_one_place()))] longer: Option<[Choice; 1]>,
) {
    let (left, mut right): (Vec<_>, Vec<_>) = pairs.into_iter().map(|[a, b]| (a, b)).unzip();
    let first = left.iter().zip(&right).map(|(a, b)| compare_choices(a, b)).find(|o| o.is_ne());
    let expected = if longer.is_some() { Ordering::Less } else { first.unwrap_or(Ordering::Equal) };
    right.extend(longer.into_iter().flatten());
    assert_eq!(compare(&left, &right), expected);
    assert_eq!(compare(&right, &left), expected.reverse());
}

#[dwindle::test(store = None, seed = 1)]
fn inputs_sort_as_their_numbers_and_texts_by_the_ranks_of_their_characters(
    #[generate(with = g::bytes().len(..=16))] left: Vec<u8>,
    #[generate(with = g::bytes().len(..=16))] right: Vec<u8>,
    #[generate(with = g::text().len(..=3))] text: String,
    #[generate(with = g::text().len(..=3))] other: String,
) {
    let number =
        |bytes: &[u8]| bytes.iter().rev().fold(0u128, |sum, byte| sum << 8 | u128::from(*byte));
    let key = |bytes: &[u8]| (bytes.len(), number(bytes));
    assert_eq!(compare_inputs(&left, &right), key(&left).cmp(&key(&right)));
    let constraint = Constraint::Text(Length { min: 0, max: 3 }, Alphabet::ANY);
    let choice =
        |text: &str| Choice { value: Value::Text(text.into()), constraint: constraint.clone() };
    let key = |text: &str| (text.len(), text.chars().map(char_rank).collect::<Vec<_>>());
    assert_eq!(compare_choices(&choice(&text), &choice(&other)), key(&text).cmp(&key(&other)));
}

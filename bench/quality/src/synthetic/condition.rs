//! Conditions on values, made at random. What meets the condition fails.

use fastrand::Rng;
use serde::Serialize;

use super::statistic::Statistic;
use super::value::{Value, View, bits};

/// When a value fails.
#[derive(Clone, Debug, Serialize)]
pub enum Condition {
    /// A statistic is at least this.
    AtLeast(Statistic, i128),
    /// A statistic is at least this, and leaves this remainder.
    Remainder(Statistic, i128, i128, i128),
    /// A statistic is exactly this.
    Exactly(Statistic, i128),
    /// A number has all of these bits.
    Bits(i128),
    /// Two equal numbers stand so far apart, or further, and are not simply 0.
    EqualApart(usize),
    /// The number at one place is that at another plus this.
    Offset(usize, usize, i128),
    /// Two numbers that follow each other descend by more than this.
    Descends(i128),
    /// Numbers with these properties stand in this order.
    Numbers(Vec<Number>),
    /// Alternatives stand in this order.
    Tags(Vec<usize>),
    /// An alternative lies inside another.
    Inside(usize, usize),
    /// Two numbers have a common divisor greater than this.
    CommonDivisor(i128),
    /// A number is the place of another number that is at least this.
    Refers(i128),
    /// Characters of these classes stand in this order in one text.
    Characters(Vec<Class>),
    /// One character stands twice, so far apart or further.
    SameCharacter(usize),
    /// Lower case, then upper case, is not upper case.
    CaseIsLost,
    /// A text with one character more than another begins with it.
    Begins(usize),
    /// A float that is not 0 changes nothing when added to another.
    Absorbed,
    /// A float has a fraction and is at least this.
    Fraction(#[serde(with = "bits")] f64),
    /// Two floats differ by less than 1, but differ.
    Close,
    /// A float is not a number, or infinite.
    NotFinite,
    /// Two collections with this number of elements are equal.
    EqualLists(usize),
    /// A collection with this number of elements stands behind a longer one.
    ShorterBehind(usize),
    /// Both hold.
    Both(Box<Condition>, Box<Condition>),
}

/// What a number is.
#[derive(Clone, Copy, Debug, Serialize)]
pub enum Number {
    AtLeast(i128),
    Negative,
    Odd,
    Leaves(i128, i128),
    Is(i128),
}

/// What a character is.
#[derive(Clone, Copy, Debug, Serialize)]
pub enum Class {
    Digit,
    Upper,
    Lower,
    Space,
    Punctuation,
    NotAscii,
    Is(char),
}

impl Number {
    fn random(rng: &mut Rng, seen: &[i128]) -> Number {
        match rng.u8(..6) {
            0 | 1 if !seen.is_empty() => Number::AtLeast(seen[rng.usize(..seen.len())]),
            2 => Number::Negative,
            3 => Number::Odd,
            4 => {
                let modulus = rng.i128(3..12);
                Number::Leaves(modulus, rng.i128(1..modulus))
            }
            _ => Number::Is(rng.i128(1..9)),
        }
    }

    fn holds(self, value: i128) -> bool {
        match self {
            Number::AtLeast(least) => value >= least,
            Number::Negative => value < 0,
            Number::Odd => value & 1 == 1,
            Number::Leaves(modulus, rest) => value.rem_euclid(modulus) == rest,
            Number::Is(number) => value == number,
        }
    }
}

impl Class {
    fn random(rng: &mut Rng) -> Class {
        match rng.u8(..8) {
            0 => Class::Digit,
            1 => Class::Upper,
            2 => Class::Lower,
            3 => Class::Space,
            4 => Class::Punctuation,
            5 => Class::NotAscii,
            _ => Class::Is(char::from(b"ab019([x"[rng.usize(..8)])),
        }
    }

    fn holds(self, character: char) -> bool {
        match self {
            Class::Digit => character.is_ascii_digit(),
            Class::Upper => character.is_uppercase(),
            Class::Lower => character.is_lowercase(),
            Class::Space => character.is_whitespace(),
            Class::Punctuation => character.is_ascii_punctuation(),
            Class::NotAscii => !character.is_ascii(),
            Class::Is(one) => character == one,
        }
    }
}

/// The families of conditions, by which results are counted.
pub const FAMILIES: [&str; 9] = [
    "threshold",
    "remainder",
    "bits or divisor",
    "places",
    "order",
    "reference",
    "characters",
    "floats",
    "two at once",
];

impl Condition {
    /// A condition that speaks about what `samples` hold, if the one that was drawn does.
    pub fn random(rng: &mut Rng, samples: &[Value]) -> Option<Condition> {
        if rng.u8(..4) == 0 {
            let (one, other) = (Condition::single(rng, samples)?, Condition::single(rng, samples)?);
            return Some(Condition::Both(Box::new(one), Box::new(other)));
        }
        Condition::single(rng, samples)
    }

    fn single(rng: &mut Rng, samples: &[Value]) -> Option<Condition> {
        let views: Vec<View<'_>> = samples.iter().map(View::of).collect();
        let view = &views[rng.usize(..views.len())];
        let numbers: Vec<i128> =
            views.iter().flat_map(|view| view.numbers.iter().copied()).take(1000).collect();
        let places = |count: usize| (view.numbers.len() >= count).then_some(());
        let texts = || (!view.texts.is_empty()).then_some(());
        Some(match rng.u8(..28) {
            0..8 => {
                let statistic = Statistic::random(rng, &numbers);
                Condition::AtLeast(statistic, statistic.threshold(rng, &views)?)
            }
            8 => {
                let statistic = Statistic::random(rng, &numbers);
                Condition::Exactly(statistic, statistic.threshold(rng, &views)?)
            }
            9 | 10 => {
                let statistic = Statistic::random(rng, &numbers);
                let modulus = [2, 3, 5, 7, 10, 16][rng.usize(..6)];
                let least = statistic.threshold(rng, &views)?;
                Condition::Remainder(statistic, least, modulus, rng.i128(0..modulus))
            }
            11 => {
                places(1)?;
                let width = [8, 12, 16, 31][rng.usize(..4)];
                Condition::Bits(
                    (0..rng.usize(2..=4)).fold(0, |mask, _| mask | 1 << rng.u32(..width)),
                )
            }
            12 => {
                places(2)?;
                Condition::EqualApart(rng.usize(1..=4))
            }
            13 => {
                places(2)?;
                let one = rng.usize(..view.numbers.len().min(6));
                let other = rng.usize(..view.numbers.len().min(6));
                (one != other).then_some(())?;
                Condition::Offset(one, other, rng.i128(-3..=10))
            }
            14 => {
                places(2)?;
                Condition::Descends(rng.i128(0..20))
            }
            15 | 16 => {
                places(2)?;
                let count = rng.usize(2..=3);
                Condition::Numbers((0..count).map(|_| Number::random(rng, &numbers)).collect())
            }
            17 | 18 => {
                let tags: Vec<usize> = view.tags.iter().map(|(tag, _)| *tag).collect();
                (tags.len() >= 2).then_some(())?;
                let mut places: Vec<usize> =
                    (0..rng.usize(2..=4)).map(|_| rng.usize(..tags.len())).collect();
                places.sort_unstable();
                Condition::Tags(places.into_iter().map(|place| tags[place]).collect())
            }
            19 => {
                (view.tags.len() >= 2).then_some(())?;
                let tag = |rng: &mut Rng| view.tags[rng.usize(..view.tags.len())].0;
                Condition::Inside(tag(rng), tag(rng))
            }
            20 => {
                places(2)?;
                Condition::CommonDivisor(rng.i128(1..30))
            }
            21 => {
                places(2)?;
                Condition::Refers(numbers[rng.usize(..numbers.len())])
            }
            22 | 23 => {
                texts()?;
                Condition::Characters((0..rng.usize(1..=3)).map(|_| Class::random(rng)).collect())
            }
            24 => {
                texts()?;
                match rng.u8(..3) {
                    0 => Condition::CaseIsLost,
                    1 if view.texts.len() > 1 => Condition::Begins(rng.usize(1..4)),
                    _ => Condition::SameCharacter(rng.usize(1..5)),
                }
            }
            25 | 26 => {
                (!view.floats.is_empty()).then_some(())?;
                match rng.u8(..5) {
                    0 => Condition::NotFinite,
                    1 if view.floats.len() > 1 => Condition::Absorbed,
                    2 if view.floats.len() > 1 => Condition::Close,
                    _ => Condition::Fraction(view.floats[rng.usize(..view.floats.len())]),
                }
            }
            _ => {
                (view.lists.len() > 1).then_some(())?;
                if rng.bool() {
                    Condition::EqualLists(rng.usize(1..4))
                } else {
                    Condition::ShorterBehind(rng.usize(1..4))
                }
            }
        })
    }

    /// The index of its family.
    pub fn family(&self) -> &'static str {
        match self {
            Condition::AtLeast(..) | Condition::Exactly(..) => FAMILIES[0],
            Condition::Remainder(..) => FAMILIES[1],
            Condition::Bits(_) | Condition::CommonDivisor(_) => FAMILIES[2],
            Condition::EqualApart(_)
            | Condition::Offset(..)
            | Condition::EqualLists(_)
            | Condition::ShorterBehind(_) => FAMILIES[3],
            Condition::Descends(_)
            | Condition::Numbers(_)
            | Condition::Tags(_)
            | Condition::Inside(..) => FAMILIES[4],
            Condition::Refers(_) => FAMILIES[5],
            Condition::Characters(_)
            | Condition::SameCharacter(_)
            | Condition::CaseIsLost
            | Condition::Begins(_) => FAMILIES[6],
            Condition::Absorbed
            | Condition::Fraction(_)
            | Condition::Close
            | Condition::NotFinite => FAMILIES[7],
            Condition::Both(..) => FAMILIES[8],
        }
    }

    /// Whether `value` fails.
    pub fn holds(&self, value: &Value) -> bool {
        self.holds_for(&View::of(value))
    }

    fn holds_for(&self, view: &View<'_>) -> bool {
        let numbers = &view.numbers;
        match self {
            Condition::AtLeast(statistic, least) => {
                statistic.of(view).is_some_and(|value| value >= *least)
            }
            Condition::Exactly(statistic, exactly) => statistic.of(view) == Some(*exactly),
            Condition::Remainder(statistic, least, modulus, rest) => statistic
                .of(view)
                .is_some_and(|value| value >= *least && value.rem_euclid(*modulus) == *rest),
            Condition::Bits(mask) => numbers.iter().any(|number| number & mask == *mask),
            Condition::EqualApart(apart) => pairs(numbers, *apart).any(|(a, b)| a == b && *a != 0),
            Condition::Offset(one, other, by) => numbers
                .get(*one)
                .zip(numbers.get(*other))
                .is_some_and(|(one, other)| one.checked_sub(*other) == Some(*by)),
            Condition::Descends(by) => {
                numbers.windows(2).any(|pair| pair[0].saturating_sub(pair[1]) > *by)
            }
            Condition::Numbers(wanted) => {
                is_subsequence(wanted, numbers.iter(), |wanted, number| wanted.holds(**number))
            }
            Condition::Tags(wanted) => {
                is_subsequence(wanted, view.tags.iter(), |wanted, (tag, _)| tag == wanted)
            }
            Condition::Inside(outer, inner) => is_inside(&view.tags, *outer, *inner),
            Condition::CommonDivisor(least) => pairs(numbers, 1).take(2000).any(|(a, b)| {
                *a != 0
                    && *b != 0
                    && divisor(a.unsigned_abs(), b.unsigned_abs()) > least.unsigned_abs()
            }),
            Condition::Refers(least) => numbers.iter().enumerate().any(|(at, number)| {
                usize::try_from(*number)
                    .is_ok_and(|to| to != at && numbers.get(to).is_some_and(|value| value >= least))
            }),
            Condition::Characters(wanted) => view.texts.iter().any(|text| {
                is_subsequence(wanted, text.chars(), |wanted, character| wanted.holds(*character))
            }),
            Condition::SameCharacter(apart) => view.texts.iter().any(|text| {
                let characters: Vec<char> = text.chars().collect();
                pairs(&characters, *apart).any(|(a, b)| a == b)
            }),
            Condition::CaseIsLost => view
                .texts
                .iter()
                .any(|text| text.to_lowercase().to_uppercase() != text.to_uppercase()),
            Condition::Begins(by) => pairs(&view.texts, 1).any(|(one, other)| {
                let (short, long) =
                    if one.len() < other.len() { (one, other) } else { (other, one) };
                long.starts_with(*short)
                    && long.chars().count() >= short.chars().count() + by
                    && !short.is_empty()
            }),
            Condition::Absorbed => {
                pairs(&view.floats, 1).any(|(a, b)| (a + b).total_cmp(a).is_eq() && b.abs() > 0.0)
            }
            Condition::Fraction(least) => {
                view.floats.iter().any(|float| float >= least && float.fract() != 0.0)
            }
            Condition::Close => {
                pairs(&view.floats, 1).any(|(a, b)| (a - b).abs() > 0.0 && (a - b).abs() < 1.0)
            }
            Condition::NotFinite => view.floats.iter().any(|float| !float.is_finite()),
            Condition::EqualLists(least) => {
                pairs(&view.lists, 1).any(|(a, b)| a.len() >= *least && a == b)
            }
            Condition::ShorterBehind(least) => {
                pairs(&view.lists, 1).any(|(a, b)| b.len() >= *least && a.len() > b.len())
            }
            Condition::Both(one, other) => one.holds_for(view) && other.holds_for(view),
        }
    }
}

/// All pairs of items at least so far apart, the first one first.
fn pairs<T>(items: &[T], apart: usize) -> impl Iterator<Item = (&T, &T)> {
    items
        .iter()
        .enumerate()
        .flat_map(move |(at, one)| items.iter().skip(at + apart).map(move |other| (one, other)))
}

fn is_subsequence<W, I>(
    wanted: &[W],
    items: impl Iterator<Item = I>,
    holds: impl Fn(&W, &I) -> bool,
) -> bool {
    let mut wanted = wanted.iter().peekable();
    for item in items {
        wanted.next_if(|wanted| holds(wanted, &item));
    }
    wanted.peek().is_none()
}

fn is_inside(tags: &[(usize, usize)], outer: usize, inner: usize) -> bool {
    tags.iter().enumerate().any(|(at, (tag, depth))| {
        *tag == outer
            && tags[at + 1..]
                .iter()
                .take_while(|(_, below)| below > depth)
                .any(|(tag, _)| *tag == inner)
    })
}

fn divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { divisor(b, a % b) }
}

//! Numbers that sum up a value.

use std::collections::BTreeSet;

use fastrand::Rng;
use serde::Serialize;

use super::value::View;

/// The greatest number of parts that a condition may ask for.
const COUNT_MAX: i128 = 30;

/// One number about a value.
#[derive(Clone, Copy, Debug, Serialize)]
pub enum Statistic {
    Sum,
    Max,
    Spread,
    /// How many numbers are at least this.
    CountAtLeast(i128),
    Distinct,
    Descents,
    /// The length of the longest run of numbers that ascend.
    Ascent,
    /// The product of the first two numbers.
    Product,
    /// The number at this place minus the one before it.
    Step(usize),
    Xor,
    /// How many numbers stand in front of the greatest.
    PlaceOfMax,
    /// The elements of all collections.
    Elements,
    /// The longest collection.
    Longest,
    /// How many collections are not empty.
    Filled,
    Depth,
    /// How many alternatives there are.
    Tags,
    /// How many alternatives have this index.
    TagsOf(usize),
    /// The characters of all texts.
    Characters,
    DistinctCharacters,
    /// How many booleans are true.
    Trues,
    /// The sum of all floats, rounded down.
    FloatSum,
}

impl Statistic {
    /// Any statistic; `seen` are numbers of some values.
    pub fn random(rng: &mut Rng, seen: &[i128]) -> Statistic {
        match rng.u8(..25) {
            0..3 => Statistic::Sum,
            3 => Statistic::Max,
            4 => Statistic::Spread,
            5 | 6 if !seen.is_empty() => Statistic::CountAtLeast(seen[rng.usize(..seen.len())]),
            7 => Statistic::Distinct,
            8 => Statistic::Descents,
            9 => Statistic::Ascent,
            10 => Statistic::Product,
            11 => Statistic::Step(rng.usize(1..4)),
            12 => Statistic::Xor,
            13 => Statistic::PlaceOfMax,
            14 | 15 => Statistic::Elements,
            16 => Statistic::Longest,
            17 => Statistic::Filled,
            18 => Statistic::Depth,
            19 => Statistic::Tags,
            20 => Statistic::TagsOf(rng.usize(..3)),
            21 => Statistic::Characters,
            22 => Statistic::DistinctCharacters,
            23 => Statistic::Trues,
            _ => Statistic::FloatSum,
        }
    }

    /// A value of this statistic that lies above most of those of `views`, if they differ. Failures
    /// that need very many parts are not wanted: there are few such bugs.
    pub fn threshold(self, rng: &mut Rng, views: &[View<'_>]) -> Option<i128> {
        let threshold = self.quantile(rng, views)?;
        (!self.is_count() || threshold <= COUNT_MAX).then_some(threshold)
    }

    fn is_count(self) -> bool {
        !matches!(
            self,
            Statistic::Sum
                | Statistic::Max
                | Statistic::Spread
                | Statistic::Product
                | Statistic::Step(_)
                | Statistic::Xor
                | Statistic::FloatSum
        )
    }

    fn quantile(self, rng: &mut Rng, views: &[View<'_>]) -> Option<i128> {
        let mut values: Vec<i128> = views.iter().filter_map(|view| self.of(view)).collect();
        values.sort_unstable();
        (values.first()? != values.last()?).then_some(())?;
        let chance = rng.f64().powi(3) * 0.7;
        let mut above = values.len() - 1;
        while above > 0 && (values.len() - above) as f64 <= values.len() as f64 * chance {
            above -= 1;
        }
        Some(values[above])
    }

    /// The statistic of one value. `None` if it has none.
    pub fn of(self, view: &View<'_>) -> Option<i128> {
        let numbers = &view.numbers;
        let count = |count: usize| Some(count as i128);
        match self {
            Statistic::Sum => {
                Some(numbers.iter().fold(0, |sum: i128, number| sum.saturating_add(*number)))
            }
            Statistic::Max => numbers.iter().max().copied(),
            Statistic::Spread => Some(numbers.iter().max()?.saturating_sub(*numbers.iter().min()?)),
            Statistic::CountAtLeast(least) => {
                count(numbers.iter().filter(|number| **number >= least).count())
            }
            Statistic::Distinct => count(numbers.iter().collect::<BTreeSet<_>>().len()),
            Statistic::Descents => {
                count(numbers.windows(2).filter(|pair| pair[0] > pair[1]).count())
            }
            Statistic::Ascent => count(ascent(numbers)),
            Statistic::Product => Some(numbers.first()?.saturating_mul(*numbers.get(1)?)),
            Statistic::Step(at) => Some(numbers.get(at)?.saturating_sub(numbers[at - 1])),
            Statistic::Xor => Some(numbers.iter().fold(0, |all, number| all ^ number)),
            Statistic::PlaceOfMax => {
                count(numbers.iter().position(|number| Some(number) == numbers.iter().max())?)
            }
            Statistic::Elements => count(view.lists.iter().map(|list| list.len()).sum()),
            Statistic::Longest => count(view.lists.iter().map(|list| list.len()).max()?),
            Statistic::Filled => count(view.lists.iter().filter(|list| !list.is_empty()).count()),
            Statistic::Depth => count(view.depth),
            Statistic::Tags => count(view.tags.len()),
            Statistic::TagsOf(tag) => count(view.tags.iter().filter(|(it, _)| *it == tag).count()),
            Statistic::Characters => {
                count(view.texts.iter().map(|text| text.chars().count()).sum())
            }
            Statistic::DistinctCharacters => count(
                view.texts.iter().flat_map(|text| text.chars()).collect::<BTreeSet<_>>().len(),
            ),
            Statistic::Trues => count(view.trues),
            Statistic::FloatSum => {
                let sum: f64 = view.floats.iter().sum();
                (!view.floats.is_empty() && sum.is_finite()).then_some(sum.floor() as i128)
            }
        }
    }
}

fn ascent(numbers: &[i128]) -> usize {
    let (mut longest, mut run) = (usize::from(!numbers.is_empty()), 1);
    for pair in numbers.windows(2) {
        run = if pair[0] < pair[1] { run + 1 } else { 1 };
        longest = longest.max(run);
    }
    longest
}

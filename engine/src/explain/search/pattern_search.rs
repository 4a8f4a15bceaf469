//! Finds the pattern of a string: which items must stand in it, and between which of them others
//! may.

use std::ops::Range;

use crate::choice::Constraint;
use crate::explain::classes::claims::{Kinds, Pattern};
use crate::explain::classes::draw::Piece;
use crate::explain::classes::pattern::{ANY, KINDS, Kind, OTHERS, is_in, kind};
use crate::explain::classes::strings::{items, value_of};
use crate::explain::classes::study::Study;

/// The longest string that is looked at.
const ITEMS_MAX: usize = 48;
/// Some characters of each [kind](KINDS).
const SOME: [&[char]; KINDS.len()] = [
    &['0', '5', '9'],
    &['A', 'M', 'Z'],
    &['a', 'm', 'z'],
    &['\u{80}', '\u{ff}', '\u{3bb}', '\u{1f600}'],
];
/// The other characters of ASCII, and some of each range. They are tried for an item that may have
/// several kinds.
const BETWEEN: [(Kind, &[char]); 5] = [
    ((0, 0x1F), &['\0', '\t', '\u{1f}']),
    ((0x20, 0x2F), &[' ', '-', '/']),
    ((0x3A, 0x40), &[':', '=', '@']),
    ((0x5B, 0x60), &['[', '_', '`']),
    ((0x7B, 0x7F), &['{', '~', '\u{7f}']),
];
/// For how many items all kinds are tried, and the numbers near them.
const WIDE_MAX: usize = 4;
/// The characters of an alphabet up to this size are tried one by one.
const LETTERS_MAX: usize = 16;
/// How many different items are looked at that a string has more than once.
const EQUAL_MAX: usize = 4;
/// The range of numbers near an item ends before this power of two.
const REACH: u32 = 9;

/// Which items the string of a choice may have. `None` for a long one.
pub(super) fn pattern(study: &mut Study<'_>, at: usize) -> Option<Pattern> {
    let own = items(&study.base.choices[at].value)?;
    if own.len() > ITEMS_MAX {
        return None;
    }
    let letters = letters(&study.base.choices[at].constraint);
    let mut search = Search { study, at, own, letters };
    let mut items: Vec<Kinds> = Vec::new();
    let mut fixed = 0;
    for index in 0..search.own.len() {
        let kinds = search.kinds(index, fixed < WIDE_MAX);
        fixed += usize::from(kinds != [ANY]);
        items.push(kinds);
    }
    let gaps: Vec<Kinds> = (0..=items.len()).map(|index| search.gap(index, &items)).collect();
    let equal = search.equal(&items);
    Some(Pattern { choice: at, items, gaps, equal })
}

impl Pattern {
    /// Whether it allows another string than the minimized one.
    pub(super) fn says_something(&self) -> bool {
        let Pattern { items, gaps, equal, .. } = self;
        !equal.is_empty() || items.iter().chain(gaps).any(|kinds| !kinds.is_empty())
    }
}

struct Search<'s, 'a> {
    study: &'s mut Study<'a>,
    at: usize,
    own: Vec<char>,
    /// All characters of a small alphabet.
    letters: Option<Vec<char>>,
}

/// Other items in place of some of the string's.
type Change = (Range<usize>, Vec<char>);

impl Search<'_, '_> {
    /// What an item may be, other than itself. `is_wide`: also what its own kind does not hold.
    fn kinds(&mut self, index: usize, is_wide: bool) -> Kinds {
        let with = |item: &char| (index..index + 1, vec![*item]);
        if self.letters.is_some() {
            return self.letters_for(index);
        }
        let number = u32::from(self.own[index]);
        let of_own_kind = KINDS.into_iter().zip(SOME).find(|(kind, _)| is_in(*kind, number));
        let of_own_kind = of_own_kind.map_or(&[][..], |(_, some)| some);
        if self.all_fail(OTHERS.iter().chain(of_own_kind).map(with)) {
            return vec![ANY];
        }
        let mut kinds = Kinds::new();
        for (kind, some) in KINDS.into_iter().zip(SOME) {
            if (is_wide || is_in(kind, number)) && self.all_fail(some.iter().map(with)) {
                kinds.push(kind);
            }
        }
        if kinds.len() > 1 {
            for (kind, some) in BETWEEN {
                kinds.extend(self.all_fail(some.iter().map(with)).then_some(kind));
            }
        }
        if is_wide && !kinds.iter().any(|kind| is_in(*kind, number)) {
            let mut fails = |number| self.fails(&with(&char::from_u32(number)?));
            let near = range(number, &mut fails);
            kinds.extend(Some(near).filter(|(least, greatest)| least < greatest));
        }
        kinds
    }

    /// What may stand before an item: any items, or some like those beside.
    fn gap(&mut self, index: usize, items: &[Kinds]) -> Kinds {
        let with = |added: &[char]| (index..index, added.to_vec());
        if self.letters.is_some() {
            return self.letters_before(index);
        }
        if self.all_fail(OTHERS.map(|item| with(&[item, 'z', item]))) {
            return vec![ANY];
        }
        let beside = [index.checked_sub(1), Some(index).filter(|index| *index < items.len())];
        let beside = beside.into_iter().flatten().map(|beside| {
            let number = u32::from(self.own[beside]);
            let own = vec![(number, number)];
            if items[beside].is_empty() { own } else { items[beside].clone() }
        });
        let mut beside: Vec<Kinds> = beside.filter(|kinds| *kinds != [ANY]).collect();
        beside.dedup();
        let mut all_fail = |kinds: &Kinds| {
            let ends = kinds.iter().flat_map(|(least, greatest)| [*least, *greatest]);
            let ends: Vec<char> = ends.filter_map(char::from_u32).collect();
            self.all_fail(ends.iter().flat_map(|item| [with(&[*item]), with(&[*item; 2])]))
        };
        beside.into_iter().find(|kinds| all_fail(kinds)).unwrap_or_default()
    }

    /// What an item of a small alphabet may be. Where most others pass, the failure of one may have
    /// another reason. Then only those of the item's own kind count.
    fn letters_for(&mut self, index: usize) -> Kinds {
        let own = self.own[index];
        let others: Vec<char> =
            self.letters.iter().flatten().copied().filter(|letter| *letter != own).collect();
        let with = |letter| vec![(index..index + 1, vec![letter])];
        let (mut failing, passing) = self.tried(&others, &with);
        if failing.len() < passing {
            failing.retain(|letter| kind(own).is_some_and(|kind| is_in(kind, (*letter).into())));
        }
        kinds_of(&failing, passing)
    }

    /// Which items of a small alphabet may stand before an item, in any order.
    fn letters_before(&mut self, index: usize) -> Kinds {
        let all: Vec<char> = self.letters.iter().flatten().copied().collect();
        let with = |added: Vec<char>| (index..index, added);
        let (failing, passing) =
            self.tried(&all, &|letter| vec![with(vec![letter]), with(vec![letter; 2])]);
        let mut fail_together = |letters: &[char]| {
            let back = letters.iter().rev().copied().collect();
            [letters.to_vec(), back].into_iter().all(|all| self.fails(&with(all)) != Some(false))
        };
        if fail_together(&failing) {
            return kinds_of(&failing, passing);
        }
        let mut kept: Vec<char> = Vec::new();
        for letter in failing {
            kept.push(letter);
            if !fail_together(&kept) {
                kept.pop();
            }
        }
        kinds_of(&kept, all.len() - kept.len())
    }

    /// The letters with which all of their changes fail, and how many there are with which one
    /// passes.
    fn tried(
        &mut self,
        letters: &[char],
        changes: &dyn Fn(char) -> Vec<Change>,
    ) -> (Vec<char>, usize) {
        let (mut failing, mut passing) = (Vec::new(), 0);
        for letter in letters {
            let verdicts: Vec<Option<bool>> =
                changes(*letter).iter().map(|change| self.fails(change)).collect();
            if verdicts.contains(&Some(false)) {
                passing += 1;
            } else if verdicts.contains(&Some(true)) {
                failing.push(*letter);
            }
        }
        (failing, passing)
    }

    /// Equal items that must stand in the string, and may all be another item.
    fn equal(&mut self, items: &[Kinds]) -> Vec<usize> {
        let own = self.own.clone();
        let places = |item: char| -> Vec<usize> {
            (0..own.len()).filter(|at| own[*at] == item && items[*at].is_empty()).collect()
        };
        let mut different = own.clone();
        different.sort_unstable();
        different.dedup();
        let repeated = different.into_iter().map(places).filter(|places| places.len() > 1);
        let mut repeated = repeated.take(EQUAL_MAX);
        let found = repeated.find(|places| {
            let with = |item: char| {
                let mut changed = own.clone();
                for at in places {
                    changed[*at] = item;
                }
                (0..own.len(), changed)
            };
            let others = OTHERS.into_iter().filter(|item| !own.contains(item));
            self.all_fail(others.map(with))
        });
        found.unwrap_or_default()
    }

    /// Whether the failure stays with each of these changes, and there is one.
    fn all_fail(&mut self, changes: impl IntoIterator<Item = Change>) -> bool {
        let mut failed = 0;
        for change in changes {
            match self.fails(&change) {
                Some(true) => failed += 1,
                Some(false) => return false,
                None => {}
            }
        }
        failed > 0
    }

    /// Whether the input fails with the changed string. `None` for one that is not allowed, or that
    /// a choice of the input has already: two strings may have to differ.
    fn fails(&mut self, (range, put): &Change) -> Option<bool> {
        let base = self.study.base;
        let mut changed = self.own.clone();
        changed.splice(range.clone(), put.iter().copied());
        let value = value_of(&base.choices[self.at].value, &changed);
        let is_taken = base.choices.iter().any(|choice| choice.value == value);
        // A byte has no number above 255.
        let is_kept = items(&value)? == changed && base.choices[self.at].constraint.allows(&value);
        let is_tried = is_kept && !is_taken;
        is_tried.then(|| self.study.fails(&[Piece::choice(0, self.at, value)])).flatten()
    }
}

/// The kinds of some letters. [`ANY`] if all others are not possible.
fn kinds_of(letters: &[char], passing: usize) -> Kinds {
    match letters {
        [_, ..] if passing == 0 => vec![ANY],
        _ => letters.iter().map(|letter| (u32::from(*letter), u32::from(*letter))).collect(),
    }
}

/// All characters of a small alphabet.
fn letters(constraint: &Constraint) -> Option<Vec<char>> {
    let Constraint::Text(_, alphabet) = constraint else { return None };
    let all = alphabet.ranges()?.iter().flat_map(|(first, last)| *first..=*last);
    let letters: Vec<char> = all.take(LETTERS_MAX + 1).collect();
    (letters.len() <= LETTERS_MAX).then_some(letters)
}

/// The numbers around an item with which the string fails, down to one that passes and up to one.
fn range(item: u32, fails: &mut dyn FnMut(u32) -> Option<bool>) -> (u32, u32) {
    let mut end = |to: &dyn Fn(u32) -> Option<u32>| {
        let (mut reached, mut passes) = (0, None);
        for by in (0..REACH).map(|power| 1 << power) {
            match to(by).and_then(&mut *fails) {
                Some(true) => reached = by,
                // A string that the input already has says nothing.
                None if by == 1 => {}
                _ => {
                    passes = Some(by);
                    break;
                }
            }
        }
        let mut passes = passes.filter(|_| reached > 0)?;
        while passes - reached > 1 {
            let middle = u32::midpoint(reached, passes);
            if to(middle).and_then(&mut *fails) == Some(true) {
                reached = middle;
            } else {
                passes = middle;
            }
        }
        to(reached)
    };
    let greatest = end(&|by| item.checked_add(by)).unwrap_or(item);
    let least = end(&|by| item.checked_sub(by)).unwrap_or(item);
    (least, greatest)
}

//! Changes two numbers so that their sum or their distance stays the same.

use super::gallop::Gallop;
use super::place::Number;
use super::search::{Fruitless, Search, Verdict};
use crate::choice::Value;
use crate::sorted::sort_by;

/// How many calls without an improvement end a pass over pairs.
const FRUITLESS_MAX: u64 = 100;
/// How many numbers further on a near partner may stand.
const APART_MAX: usize = 6;

/// Mirrors a number at another, so that they lie as far apart as before: 10 and 11 become 10 and 9.
pub(super) fn mirror(search: &mut Search<'_>) {
    each_pair(search, &mut |search, one, other| {
        let (Some(u), Some(v)) = (number(search, one), number(search, other)) else { return };
        for (at, mirrored, around) in [(other, v, u), (one, u, v)] {
            let Some(offset) = around
                .offset()
                .checked_mul(2)
                .and_then(|twice| twice.checked_sub(mirrored.offset()))
            else {
                continue;
            };
            if (offset.unsigned_abs(), offset < 0) < (mirrored.distance(), mirrored.is_below())
                && let Some(value) = mirrored.at_offset(offset)
            {
                search.set(&[(at, value)]).holds();
            }
        }
    });
}

/// Takes an amount from a number and gives it to a later one, so that the sum stays the same.
pub(super) fn transfer(search: &mut Search<'_>) {
    each_pair(search, &mut |search, one, other| {
        if let (Some(from), Some(to)) = (number(search, one), number(search, other))
            && from.distance() > 0
        {
            give(search, (one, from), (other, to));
        }
    });
}

/// Does the same, but only with the greatest amount that the partner can take. It runs before any
/// value is bisected, when sums are still loose.
pub(super) fn give_all(search: &mut Search<'_>) {
    each_pair(search, &mut |search, one, other| {
        if let (Some(from), Some(to)) = (number(search, one), number(search, other))
            && let Some(lowered) = from.at(from.distance() - most(from, to))
            && most(from, to) > 0
        {
            let given = if from.is_below() {
                to.value.checked_sub_unsigned(most(from, to))
            } else {
                to.value.checked_add_unsigned(most(from, to))
            };
            if let Some(given) = given
                && search.set(&[(one, lowered), (other, Value::Integer(given))]).holds()
            {
                hand_on(search, other);
            }
        }
    });
}

/// Lets a number that received an amount give it to a later one, together with the numbers between
/// them. The first taker is the next number but one. Then the amount goes as much further as
/// possible.
fn hand_on(search: &mut Search<'_>, from: usize) {
    let mut from = from;
    let mut gallop = Gallop::new();
    gallop.went(true);
    while let Some(count) = gallop.step() {
        let numbers = (from..search.len()).filter_map(|at| {
            number(search, at).filter(|number| number.distance() > 0).map(|number| (at, number))
        });
        let chain: Vec<(usize, Number)> = numbers.take(count + 1).collect();
        let Some(((last, taker), givers)) =
            chain.split_last().filter(|(_, givers)| givers.len() == count)
        else {
            return;
        };
        let sum = givers
            .iter()
            .try_fold(taker.offset(), |sum, (_, giver)| sum.checked_add(giver.offset()));
        let Some(sum) = sum.and_then(|sum| taker.at_offset(sum)) else { return };
        let lowered = givers.iter().filter_map(|(at, giver)| Some((*at, giver.at(0)?)));
        if search.set(&lowered.chain([(*last, sum)]).collect::<Vec<_>>()) != Verdict::Better {
            return;
        }
        from = *last;
        gallop.went(true);
    }
}

/// How much of a number another number can take. If the giver lies below the value it shrinks
/// towards, the taker moves down; otherwise it moves up.
fn most(from: Number, to: Number) -> u128 {
    let room = if from.is_below() {
        to.value.abs_diff(to.range.min)
    } else {
        to.range.max.abs_diff(to.value)
    };
    from.distance().min(room)
}

fn give(search: &mut Search<'_>, (one, from): (usize, Number), (other, to): (usize, Number)) {
    let most = most(from, to);
    let mut part = |amount: u128| {
        let given = if from.is_below() {
            to.value.checked_sub_unsigned(amount)
        } else {
            to.value.checked_add_unsigned(amount)
        };
        match (from.at(from.distance() - amount), given) {
            (Some(lowered), Some(given)) => {
                search.set(&[(one, lowered), (other, Value::Integer(given))]).holds()
            }
            _ => false,
        }
    };
    if most == 0 || part(most) {
        return;
    }
    if most > 1 && part(most / 2) {
        let (mut low, mut high) = (most / 2, most);
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if part(middle) { low = middle } else { high = middle }
        }
        return;
    }
    // Try just short of the whole amount: the partner may lack a little room, or the number may
    // have to keep a little.
    let mut short = 1;
    while short < most / 2 {
        if part(most - short) {
            return;
        }
        short *= 2;
    }
    let mut amount = 1;
    while amount < most / 2 && part(amount) {
        amount *= 2;
    }
}

/// Lowers both numbers by one amount, so that their difference stays the same.
pub(super) fn lower_both(search: &mut Search<'_>) {
    each_pair(search, &mut |search, one, other| {
        let (Some(u), Some(v)) = (number(search, one), number(search, other)) else { return };
        let room = u.distance().min(v.distance());
        if room == 0 {
            return;
        }
        let mut amount = room;
        let mut tries = 0;
        while amount > 0 && tries < 3 {
            tries += 1;
            if let (Some(one_value), Some(other_value)) =
                (u.at(u.distance() - amount), v.at(v.distance() - amount))
                && search.set(&[(one, one_value), (other, other_value)]).holds()
            {
                return;
            }
            amount = if tries == 1 { room / 2 } else { 1 };
        }
    });
}

/// Makes a number the simplest and shifts a later one by the same amount. The difference stays the
/// same where the later one crosses the value it shrinks towards, and where the two lie on
/// different sides of it.
pub(super) fn shift(search: &mut Search<'_>) {
    each_pair(search, &mut |search, one, other| {
        if let (Some(u), Some(v)) = (number(search, one), number(search, other))
            && let (Some(simplest), Some(shifted)) =
                (u.at(0), v.offset().checked_sub(u.offset()).and_then(|offset| v.at_offset(offset)))
            && (u.is_below() != v.is_below() || v.distance() < u.distance())
        {
            search.set(&[(one, simplest), (other, shifted)]);
        }
    });
}

/// Lowers one number, and raises another to a greater value that stands elsewhere in the trace. The
/// second one may come down again by itself, but in another way.
pub(super) fn borrow(search: &mut Search<'_>) {
    each_pair(search, &mut |search, one, other| {
        let (Some(u), Some(v)) = (number(search, one), number(search, other)) else { return };
        let mut greater: Vec<u128> = search
            .choices()
            .iter()
            .filter_map(Number::of)
            .map(Number::distance)
            .filter(|distance| *distance > v.distance())
            .collect();
        sort_by(&mut greater, Ord::cmp);
        greater.dedup();
        for raised in greater.into_iter().take(BORROWED_MAX) {
            for lowered in [u.distance() / 2, u.distance() - 1] {
                if let (Some(lowered), Some(raised)) = (u.at(lowered), v.at(raised))
                    && search.set(&[(one, lowered), (other, raised)]).holds()
                {
                    return;
                }
            }
        }
    });
}

const BORROWED_MAX: usize = 3;

/// Visits numbers in order, each with the numbers that follow close by and with the last number.
/// The first number of each pair is not the simplest.
fn each_pair(search: &mut Search<'_>, pass: &mut dyn FnMut(&mut Search<'_>, usize, usize)) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    let mut one = 0;
    while one < search.len() {
        if number(search, one).is_some_and(|number| number.distance() > 0) {
            let is_number = |at: &usize| number(search, *at).is_some();
            let near: Vec<usize> =
                (one + 1..search.len()).filter(is_number).take(APART_MAX).collect();
            let behind = near.last().map_or(search.len(), |last| last + 1);
            let last = (behind..search.len()).rev().find(is_number);
            for other in near.into_iter().chain(last) {
                // The pair before may have made this number the simplest.
                if number(search, one).is_none_or(|number| number.distance() == 0) {
                    break;
                }
                pass(search, one, other);
                if fruitless.is_enough(search) {
                    return;
                }
            }
        }
        one += 1;
    }
}

fn number(search: &Search<'_>, at: usize) -> Option<Number> {
    search.choices().get(at).and_then(Number::of)
}

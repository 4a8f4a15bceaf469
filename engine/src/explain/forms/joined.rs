//! Whether two causes say the same.

use super::meeting::meeting;
use super::numerals::numerals;
use super::on_a_line::{Point, on_a_line};
use super::regrouped::{Regrouped, regrouped};
use super::reordered::reordered;
use super::shared_bound::share_a_bound;
use crate::choice::Value;
use crate::explain::Budget;
use crate::explain::causes::cause::Cause;
use crate::explain::causes::contains::Contained;
use crate::explain::causes::contexts::Contexts;
use crate::explain::causes::known::KnownCauses;
use crate::explain::causes::wanted::Wanted;
use crate::explain::classes::claims::{Claims, Place, Says};
use crate::explain::classes::number_line::NumberLine;
use crate::explain::classes::operations::outermost_elements;
use crate::explain::classes::study::Study;
use crate::explain::classes::tree::Tree;
use crate::explain::classes::trials::Trials;
use crate::explain::search::loose_strings::has_sum;
use crate::outcome::Origin;
use crate::shrink::Runner;
use crate::shrink::place::is_datum;
use crate::trace::Trace;

/// The index of a known cause that says the same as `cause`: one explains the minimized input of
/// the other, or both need the same bound in their last operation. Neither may have
/// [two reasons](Claims::is_mixed).
///
/// - Parts that must be [equal](Claims::equal) are compared as they are: equal parts of another
///   cause need not be its reason.
/// - Another alternative may fail for the reason of the other cause. So both inputs must also fail
///   and pass alike when something changes behind it.
/// - Where only [loose](Claims::loose) values differ, the numbers in the middle between both must
///   fail, too. Between two pairs with one sum there is a third pair with it. Between two faults
///   inputs pass.
/// - Both may explain an input in which they [meet](super::meeting), several operations may be
///   [one](super::regrouped) or stand in another [order](super::reordered), and further inputs may
///   fail on the [line](super::on_a_line) through both.
/// - Strings in which they differ may both have the right checksum, or [numbers](super::numerals)
///   between which all fail.
pub(super) fn joined(
    cause: &Cause,
    known: &[Cause],
    origin: Origin,
    runner: &mut dyn Runner,
    mut budget: Budget<'_>,
) -> Option<usize> {
    let strict: Vec<Cause> = known.iter().chain([cause]).map(strictly).collect();
    (0..known.len()).find(|index| {
        let other = &known[*index];
        let (strict, budget) = (&strict, &mut budget);
        let mut pair = Joining { one: cause, other, index: *index, strict, origin, runner, budget };
        !cause.claims.is_mixed && !other.claims.is_mixed && pair.is_joined()
    })
}

/// The cause with its claims alone.
fn strictly(cause: &Cause) -> Cause {
    let claims = Claims { loose: Vec::new(), equal: Vec::new(), ..cause.claims.clone() };
    Cause { minimized: cause.minimized.clone(), claims }
}

fn without_alternatives(cause: &Cause) -> Cause {
    let mut cause = cause.clone();
    cause.claims.claims.retain(|claim| !matches!(claim.says, Says::Alternatives(_)));
    cause
}

/// Two causes that are compared.
struct Joining<'a, 'b> {
    one: &'a Cause,
    other: &'a Cause,
    /// The index of the second one.
    index: usize,
    /// All known causes and, behind them, the new one: with their claims alone.
    strict: &'a [Cause],
    origin: Origin,
    runner: &'a mut dyn Runner,
    budget: &'a mut Budget<'b>,
}

impl Joining<'_, '_> {
    fn is_joined(&mut self) -> bool {
        share_a_bound(self.one, self.other)
            || self.contain_one_another(&without_alternatives)
            || self.contain_one_another(&Cause::clone) && !self.differ_behind()
            || self.meet() && !self.differ_behind()
            || self.are_regrouped()
            || self.are_on_a_line()
            || self.have_numbers_between()
            || self.have_sums()
            || self.are_reordered()
    }

    /// Whether all further inputs on a line through both fail, at least two, and no claim says so
    /// of one of them. Beside each of them an input passes.
    fn are_on_a_line(&mut self) -> bool {
        let lines = on_a_line(&self.other.minimized, &self.one.minimized);
        lines.into_iter().any(|points| {
            points.len() >= 2
                && self.fail_unsaid(points.iter().map(|point| &point.values))
                && points.iter().all(|Point { beside, .. }| {
                    beside.is_empty() || beside.iter().any(|values| self.passes(values))
                })
        })
    }

    /// Whether numbers in strings differ alone, and all between them fail, at least two.
    fn have_numbers_between(&mut self) -> bool {
        let between = numerals(&self.other.minimized, &self.one.minimized);
        between.len() >= 2 && between.iter().all(|values| self.failing(values).is_some())
    }

    /// Whether all of these inputs fail, and no claim says so of one of them.
    fn fail_unsaid<'v>(&mut self, inputs: impl IntoIterator<Item = &'v Vec<Value>>) -> bool {
        let failing: Option<Vec<Trace>> =
            inputs.into_iter().map(|values| self.failing(values)).collect();
        let is_said = |trace: &Trace| self.strict.iter().any(|cause| cause.explains(trace));
        failing.is_some_and(|failing| !failing.iter().all(is_said))
    }

    /// Whether only strings differ, and items of each string make good what its other items lose:
    /// both have the right checksum.
    fn have_sums(&mut self) -> bool {
        let (one, other) = (&self.one.minimized, &self.other.minimized);
        if !Tree::is_alike(one, other) {
            return false;
        }
        let mut differing =
            (0..one.len()).filter(|at| one.choices[*at].value != other.choices[*at].value);
        let pair = [self.one, self.other];
        differing.all(|at| pair.iter().all(|cause| self.has_sum(cause, at)))
    }

    fn has_sum(&mut self, cause: &Cause, at: usize) -> bool {
        let Claims { loose, patterns, .. } = &cause.claims;
        let pattern = patterns.iter().find(|pattern| pattern.choice == at);
        let pattern = pattern.filter(|_| loose.contains(&Place::Choice(at)));
        pattern
            .is_some_and(|pattern| self.studied(&cause.minimized, |study| has_sum(study, pattern)))
    }

    /// Whether one input has the operations of the other in another order.
    fn are_reordered(&mut self) -> bool {
        [(self.one, self.other), (self.other, self.one)].into_iter().any(|(one, other)| {
            reordered(&other.minimized).iter().any(|values| {
                self.failing(values).is_some_and(|trace| strictly(one).explains(&trace))
            })
        })
    }

    fn studied(&mut self, base: &Trace, ask: impl FnOnce(&mut Study<'_>) -> bool) -> bool {
        let Budget { runs_max, seed, stop } = &mut *self.budget;
        let trials =
            Trials::new(&mut *self.runner, self.origin, *runs_max, &mut **stop, base.len());
        let mut study = Study::new(base, trials, *seed);
        let answer = ask(&mut study);
        *runs_max = runs_max.saturating_sub(study.trials.runs());
        answer
    }

    /// Whether one cause explains the other with two operations as one, and neither needs its
    /// groups: the same operation makes good a missing item in both.
    fn are_regrouped(&mut self) -> bool {
        let operations = |cause: &Cause| outermost_elements(&cause.minimized).count();
        [(self.one, self.other), (self.other, self.one)].into_iter().any(|(fine, coarse)| {
            operations(fine) == operations(coarse) + 1
                && regrouped(&fine.minimized).iter().any(|regrouped| {
                    let Regrouped { merged, less, made_good } = regrouped;
                    self.failing(merged).is_some_and(|merged| strictly(coarse).explains(&merged))
                        && less.iter().all(|values| self.passes(values))
                        && made_good.iter().all(|values| self.failing(values).is_some())
                })
        })
    }

    /// Whether a run with these values does not fail. False when the budget is used up, too.
    fn passes(&mut self, values: &[Value]) -> bool {
        self.failing(values).is_none() && self.budget.runs_max > 0 && !(self.budget.stop)()
    }

    /// What a run with these values draws, if it fails. `None` when the budget is used up, too.
    fn failing(&mut self, values: &[Value]) -> Option<Trace> {
        self.budget.failing(values, self.origin, self.runner)
    }

    /// Whether both explain a failing input that has the form of one and the values of the other.
    fn meet(&mut self) -> bool {
        let pair = [self.one, self.other];
        let explain = |trace: &Trace| pair.iter().all(|cause| strictly(cause).explains(trace));
        [(self.one, self.other), (self.other, self.one)].into_iter().any(|(form, values)| {
            let met = meeting(form, &values.minimized);
            met.and_then(|met| self.failing(&met)).is_some_and(|met| explain(&met))
        })
    }

    fn contain_one_another(&mut self, reduced: &dyn Fn(&Cause) -> Cause) -> bool {
        let (one, other) = (reduced(self.one), reduced(self.other));
        let pairs = [(&one, &other), (&other, &one)];
        pairs.iter().any(|(one, other)| strictly(one).explains(&other.minimized))
            || pairs.iter().any(|(one, other)| self.is_there_loosely(one, other))
    }

    /// Whether some change behind the part that differs lets only one of the inputs fail, and no
    /// other cause is the reason. What alternatives of other causes say does not count: they may
    /// fail for another reason.
    fn differ_behind(&mut self) -> bool {
        let (one, other) = (&self.one.minimized, &self.other.minimized);
        let is_other = |at: &usize| *at != self.index && *at + 1 != self.strict.len();
        let others = (0..self.strict.len())
            .filter(is_other)
            .map(|at| without_alternatives(&self.strict[at]));
        let others: Vec<Cause> = others.collect();
        let others: Vec<Wanted<'_>> = others.iter().map(Cause::wanted).collect();
        self.studied(one, |study| Contexts::of(one, other).behind().differ(study, &others))
    }

    /// Whether the second input contains the first cause, perhaps with other loose values.
    fn is_there_loosely(&mut self, one: &Cause, other: &Cause) -> bool {
        let mut wanted = strictly(one);
        wanted.claims.loose.clone_from(&one.claims.loose);
        let wanted = [wanted];
        let mut wanted = KnownCauses::new(&wanted, self.origin);
        let found = wanted.contained_in(&other.minimized, self.runner);
        self.budget.runs_max = self.budget.runs_max.saturating_sub(wanted.runs);
        match found {
            Some((_, Contained::At(matched))) => self.fails_between(one, other, &matched),
            found => found.is_some(),
        }
    }

    /// Whether the second cause fails with numbers in the middle between its values and those that
    /// stand for them in the first one. Neighbours have no middle. Then numbers at the same
    /// distance beyond them must fail. A failure that the claims of a cause allow says nothing.
    fn fails_between(&mut self, one: &Cause, other: &Cause, matched: &[(usize, usize)]) -> bool {
        let (own, base) = (&one.minimized.choices, &other.minimized.choices);
        let mut differing = Vec::new();
        for (of_one, at) in matched.iter().copied().filter(|(_, at)| is_datum(&base[*at])) {
            let (from, to) = (&own[of_one].value, &base[at].value);
            let line = NumberLine::of(&base[at]);
            let points = line.and_then(|line| Some((line, line.point(from)?, line.point(to)?)));
            let is_loose =
                |cause: &Cause, at: usize| cause.claims.loose.contains(&Place::Choice(at));
            match points {
                _ if from == to => {}
                Some((line, from, to)) => differing.push((at, line, from, to)),
                None if is_loose(one, of_one) || is_loose(other, at) => return true,
                None => {}
            }
        }
        let mut fails = |point: &dyn Fn(i128, i128) -> Option<i128>| {
            let mut values = other.minimized.values();
            for (at, line, from, to) in differing.iter().copied() {
                let point = point(from, to.checked_sub(from)?)?;
                values[at] = line.value_at(point)?;
            }
            let is_said = |drawn: &Trace| self.strict.iter().any(|cause| cause.explains(drawn));
            Some(self.failing(&values).is_some_and(|drawn| !is_said(&drawn)))
        };
        let has_middle = differing.iter().any(|(.., from, to)| from.abs_diff(*to) > 1);
        let verdicts = if has_middle {
            // The middle of an odd distance is one number or the other one.
            [
                fails(&|from, by| from.checked_add(by / 2)),
                fails(&|from, by| from.checked_add(by - by / 2)),
            ]
        } else {
            [
                fails(&|from, by| from.checked_add(by.checked_mul(2)?)),
                fails(&|from, by| from.checked_sub(by)),
            ]
        };
        verdicts.contains(&Some(true)) || verdicts == [None, None]
    }
}

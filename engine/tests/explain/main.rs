//! Claims about minimized failures.

#[path = "../shrink_support/mod.rs"]
mod shrink_support;
mod alternatives;
mod bounds;
mod strings;
mod trees;

use dwindle_engine::TestCase;
use dwindle_engine::internals::choice::{Constraint, Value};
use dwindle_engine::internals::explain::{
    Budget, Claim, Claims, Ending, Fresh, Place, RUNS, Relation, Says, Sides, Step, Term, explain,
};
use dwindle_engine::internals::shrink::{Candidate, Runner};
use dwindle_engine::internals::{Origin, Outcome, Trace};
use dwindle_engine::prelude::*;
use shrink_support::{FAILED, InProcess, shrink_from};

/// A minimized failure and what is claimed of it.
struct Explained<'a> {
    runner: InProcess<'a>,
    minimized: Trace,
    claims: Claims,
}

fn judged<'a>(property: impl Fn(&mut TestCase) -> bool + 'a) -> InProcess<'a> {
    InProcess::judged(
        move |tc| if property(tc) { Outcome::Passed } else { Outcome::Failed(FAILED) },
    )
}

/// Finds a failure of a property, shrinks it and looks for claims.
fn explained<'a>(property: impl Fn(&mut TestCase) -> bool + 'a) -> Explained<'a> {
    let mut runner = judged(property);
    let start = runner.find(1, 1);
    let minimized = shrink_from(&start, &mut runner).best;
    let claims = within(RUNS, &minimized, &mut runner, 7);
    Explained { runner, minimized, claims }
}

fn within(runs_max: u64, minimized: &Trace, runner: &mut dyn Runner, seed: u64) -> Claims {
    explain(minimized, FAILED, runner, Budget { runs_max, seed, stop: &mut || false })
}

impl Explained<'_> {
    /// What is said of the choice at this index.
    fn says(&self, at: usize) -> Option<&Says> {
        let place = Place::Choice(at);
        self.claims.claims.iter().find(|claim| claim.place == place).map(|claim| &claim.says)
    }

    /// The choices that lie in a span that is free, or are free themselves.
    fn free(&self) -> Vec<usize> {
        let range = |claim: &Claim| match claim.place {
            Place::Span(span) => self.minimized.spans[span].range(),
            Place::Choice(at) => at..at + 1,
        };
        let free = self.claims.claims.iter().filter(|claim| claim.says == Says::Any);
        let mut free: Vec<usize> = free.flat_map(range).collect();
        free.sort_unstable();
        free
    }

    /// The interval that is claimed of the choice at this index.
    fn interval(&self, at: usize) -> Option<(i128, i128)> {
        match self.says(at) {
            Some(Says::Within(Constraint::Integer(range))) => Some((range.min, range.max)),
            _ => None,
        }
    }

    fn lines(&self) -> Vec<String> {
        let name = |place: Place| match place {
            Place::Span(span) => format!("s{span}"),
            Place::Choice(at) => format!("c{at}"),
        };
        self.claims.lines(&self.minimized, &name, 20)
    }

    /// Whether all fresh inputs of the claimed class fail. Of the draws, at least a third must come
    /// to an input of the class that the target accepts.
    fn is_sound(&mut self) -> bool {
        let (failed, of) = self.fresh(200);
        failed == of && of >= 66
    }

    /// How many of `count` fresh inputs of the claimed class fail, and how many there are.
    fn fresh(&mut self, count: usize) -> (usize, usize) {
        let mut never = || false;
        let mut inputs = Vec::new();
        let mut source =
            Fresh::new(&self.claims, &self.minimized, &mut self.runner, 99, &mut never);
        for _ in 0..count {
            inputs.extend(source.draw());
        }
        let (mut failed, mut of) = (0, 0);
        for input in inputs {
            let mut trace = Trace::default();
            let outcome = self.runner.run(Candidate::replaying(&input), 5000, &mut trace);
            let is_judged = !matches!(outcome, Outcome::Rejected | Outcome::Overrun);
            if is_judged && self.claims.covers(&self.minimized, &trace) {
                of += 1;
                failed += usize::from(outcome == Outcome::Failed(FAILED));
            }
        }
        (failed, of)
    }
}

#[test]
fn what_does_not_matter_is_free_and_says_in_how_many_tries() {
    let mut found = explained(|tc| {
        let _ = tc.draw(any::<u32>());
        tc.draw(any::<u32>()) < 100
    });
    assert_eq!(found.says(0), Some(&Says::Any));
    assert_eq!(found.interval(1), Some((100, i128::from(u32::MAX))));
    for claim in &found.claims.claims {
        assert_eq!(claim.tries.failed, claim.tries.of);
        assert!(claim.tries.of >= 100, "{claim:?}");
    }
    assert_eq!(found.lines()[2], "passes if c1 is 99");
    assert!(found.lines()[0].starts_with("c0: any value ("));
    assert!(found.is_sound());
}

#[test]
fn equal_values_are_related_and_not_free_alone() {
    let mut found = explained(|tc| tc.draw(any::<u32>()) != tc.draw(any::<u32>()));
    assert_eq!(found.says(0), Some(&Says::Any));
    assert_eq!(found.says(1), Some(&Says::Related(Relation::Equal, Term::Value(0))));
    assert!(found.is_sound());
}

#[test]
fn booleans_are_equal_to_the_first_one_or_different_from_it() {
    let mut found = explained(|tc| {
        let [one, other, third] = [(); 3].map(|()| tc.draw(any::<bool>()));
        let number = tc.draw(any::<u8>());
        one == other || one != third || number < 10
    });
    assert_eq!(found.says(0), Some(&Says::Any));
    let related = |relation| Some(Says::Related(relation, Term::Value(0)));
    assert_eq!(found.says(1).cloned(), related(Relation::Different));
    assert_eq!(found.says(2).cloned(), related(Relation::Equal));
    assert!(found.is_sound());
}

#[test]
fn equal_booleans_do_not_hide_equal_numbers() {
    let mut found = explained(|tc| {
        let [one, other] = [(); 2].map(|()| tc.draw(any::<bool>()));
        let [first, second, third] = [(); 3].map(|()| tc.draw(any::<u8>()));
        one != other || first != second || second != third
    });
    let related = |at| Some(Says::Related(Relation::Equal, Term::Value(at)));
    assert_eq!(found.says(1).cloned(), related(0));
    assert_eq!([3, 4].map(|at| found.says(at).cloned()), [related(2), related(2)]);
    assert!(found.is_sound());
}

#[test]
fn equal_texts_are_related() {
    let mut found = explained(|tc| tc.draw(g::text()) != tc.draw(g::text()));
    assert_eq!(found.says(1), Some(&Says::Related(Relation::Equal, Term::Value(0))));
    assert!(found.is_sound());
}

#[test]
fn a_value_that_must_differ_from_another_is_not_called_free() {
    let mut found = explained(|tc| tc.draw(any::<u64>()) == tc.draw(any::<u64>()));
    assert_eq!(found.free(), [0]);
    assert_eq!(found.says(1), Some(&Says::Related(Relation::Different, Term::Value(0))));
    assert!(found.is_sound());
}

#[test]
fn values_in_order_are_related() {
    let mut found = explained(|tc| tc.draw(any::<i32>()) >= tc.draw(any::<i32>()));
    assert_eq!(found.says(1), Some(&Says::Related(Relation::Greater, Term::Value(0))));
    assert!(found.is_sound());
    let mut found = explained(|tc| {
        let (low, high) = (tc.draw(any::<u16>()), tc.draw(any::<u16>()));
        low.checked_add(1) != Some(high)
    });
    assert_eq!(found.says(1), Some(&Says::Related(Relation::OneMore, Term::Value(0))));
    assert!(found.is_sound());
}

#[test]
fn further_elements_are_claimed_from_a_length_on() {
    let mut found = explained(|tc| tc.draw(any::<Vec<u8>>()).len() < 3);
    let further = |claim: &Claim| claim.says == Says::Further(Sides::Anywhere);
    assert!(found.claims.claims.iter().any(further));
    assert_eq!(found.free().len(), 6);
    assert!(found.is_sound());
    let passing = found.claims.passing.as_ref().expect("a shorter one passes");
    assert_eq!(passing.step, Step::Deleted);

    // At exactly three, no further element is claimed.
    let mut found = explained(|tc| tc.draw(any::<Vec<u8>>()).len() != 3);
    assert!(!found.claims.claims.iter().any(further));
    assert_eq!(found.free().len(), 6);
    assert!(found.is_sound());
}

#[test]
fn texts_contain_what_matters_or_have_a_length() {
    let mut found = explained(|tc| !tc.draw(g::text()).contains("ab"));
    assert_eq!(found.says(0), Some(&Says::Containing(Sides::Anywhere)));
    assert!(found.is_sound());
    let mut found = explained(|tc| !tc.draw(g::text()).starts_with('x'));
    assert_eq!(found.says(0), Some(&Says::Containing(Sides::Behind)));
    assert!(found.is_sound());
    let found = explained(|tc| tc.draw(g::text()).chars().count() < 4);
    assert!(
        matches!(found.says(0), Some(Says::Within(Constraint::Text(length, _))) if length.min == 4)
    );
}

#[test]
fn parts_of_an_exact_sum_are_not_free() {
    let mut found = explained(|tc| {
        let number = || g::integers(0..1000u32);
        tc.draw(number()) + tc.draw(number()) + tc.draw(number()) != 1500
    });
    assert_eq!(found.free(), []);
    assert!(found.is_sound());
}

#[test]
fn an_index_is_compared_with_the_length() {
    let mut found = explained(|tc| {
        let list: Vec<u8> = tc.draw(any());
        let index: usize = tc.draw(g::integers(0..100usize));
        index < list.len()
    });
    let related = found
        .claims
        .claims
        .iter()
        .any(|claim| matches!(claim.says, Says::Related(Relation::AtLeast, Term::Length(_))));
    assert!(related, "{:?}", found.lines());
    assert!(found.is_sound());
}

#[test]
fn an_element_that_another_draw_names_is_related_to_it() {
    let mut found = explained(|tc| {
        let list: Vec<u32> = tc.draw(any());
        let wanted: u32 = tc.draw(any());
        !list.contains(&wanted)
    });
    assert_eq!(found.says(3), Some(&Says::Related(Relation::Equal, Term::Value(1))));
    assert!(found.is_sound());
}

#[test]
fn a_remainder_is_no_interval() {
    let mut found = explained(|tc| tc.draw(any::<u32>()) % 7 != 3);
    assert!(found.claims.claims.is_empty(), "{:?}", found.lines());
    assert!(found.is_sound());
}

#[test]
fn parts_that_are_free_only_one_at_a_time_are_not_both_free() {
    let mut found = explained(|tc| {
        let (one, other) = (tc.draw(any::<u16>()), tc.draw(any::<u16>()));
        one != 0 && other != 0
    });
    assert_eq!(found.free().len(), 1, "{:?}", found.lines());
    assert!(found.is_sound());
}

#[test]
fn alternatives_say_which_were_seen_to_fail() {
    let found = explained(|tc| {
        let letter = tc.draw(g::sampled_from(['a', 'b', 'c', 'd']));
        letter == 'a' || letter == 'c'
    });
    let Some(Says::Alternatives(all)) = found.says(0) else { panic!("{:?}", found.lines()) };
    let failed: Vec<(i128, u64)> =
        all.iter().map(|alternative| (alternative.value, alternative.tries.failed)).collect();
    assert_eq!(failed, [(0, 0), (2, 0), (3, 1)]);
    assert_eq!(
        found.lines()[0],
        "c0: alternatives fail, too: 3 (1 of 1); but not: 0 (0 of 1), 2 (0 of 1)"
    );
}

#[test]
fn alternatives_with_other_draws_are_drawn_whole() {
    #[derive(Debug, Generate)]
    #[expect(dead_code, reason = "only the variant matters")]
    enum Shape {
        Dot,
        Circle(u8),
        Box(u8, u8),
    }
    let mut found = explained(|tc| matches!(tc.draw(any::<Shape>()), Shape::Dot));
    let alternatives = found.claims.claims.iter().find_map(|claim| match &claim.says {
        Says::Alternatives(all) if matches!(claim.place, Place::Span(_)) => Some(all),
        _ => None,
    });
    let all = alternatives.expect("other alternatives were tried");
    assert_eq!(
        all.iter().map(|one| (one.value, one.always_fails())).collect::<Vec<_>>(),
        [(0, false), (2, true)]
    );
    assert!(found.is_sound());
}

#[test]
fn floats_fail_in_an_interval() {
    let mut found = explained(|tc| tc.draw(any::<f64>()) < 1e6);
    let Some(Says::Within(Constraint::Float(range))) = found.says(0) else {
        panic!("{:?}", found.lines())
    };
    assert_eq!(
        (range.min.to_bits(), range.max.to_bits()),
        (1e6f64.to_bits(), f64::INFINITY.to_bits())
    );
    assert!(found.is_sound());
}

#[test]
fn the_nearest_passing_input_passes() {
    let mut found = explained(|tc| {
        let list: Vec<u8> = tc.draw(any());
        tc.draw(any::<u8>()) < 20 || list.len() < 2
    });
    let passing = found.claims.passing.clone().expect("19 passes");
    assert_eq!(passing.step, Step::Changed(Value::Integer(19)));
    let outcome =
        found.runner.run(Candidate::replaying(&passing.values), 100, &mut Trace::default());
    assert_eq!(outcome, Outcome::Passed);
}

#[test]
fn a_failure_that_does_not_repeat_gets_no_claims() {
    let runs = std::cell::Cell::new(0u32);
    let mut runner = InProcess::judged(|tc| {
        let _ = tc.draw(any::<u32>());
        runs.set(runs.get() + 1);
        if runs.get().is_multiple_of(3) { Outcome::Passed } else { Outcome::Failed(FAILED) }
    });
    let minimized = runner.find(0, 1);
    let claims = within(RUNS, &minimized, &mut runner, 0);
    assert_eq!(claims.ending, Ending::Flaky);
    assert!(claims.claims.is_empty() && claims.passing.is_none());
    let lines = claims.lines(&minimized, &|_| String::new(), 3);
    assert_eq!(lines, ["the failure does not repeat, so nothing is claimed of it"]);
}

#[test]
fn rejected_runs_say_nothing() {
    let mut found = explained(|tc| {
        let (one, other) = (tc.draw(any::<u8>()), tc.draw(any::<u8>()));
        tc.assume(one % 2 == 0);
        other < 9
    });
    // Half of the values are rejected. The rest fails.
    assert_eq!(found.says(0), Some(&Says::Any));
    assert!(found.is_sound());

    let found = explained(|tc| {
        let (one, other) = (tc.draw(any::<u32>()), tc.draw(any::<u8>()));
        tc.assume(one == 0);
        other < 9
    });
    assert_eq!(found.says(0), None, "all other values are rejected");
}

#[test]
fn a_failure_with_another_origin_is_evidence_against_a_claim() {
    let mut runner = InProcess::judged(|tc| {
        let number = tc.draw(any::<u32>());
        Outcome::Failed(if number < 50 { FAILED } else { Origin(2) })
    });
    let mut minimized = Trace::default();
    let zero = [Value::Integer(0)];
    assert_eq!(
        runner.run(Candidate::replaying(&zero), 10, &mut minimized),
        Outcome::Failed(FAILED)
    );
    let claims = within(RUNS, &minimized, &mut runner, 0);
    let Says::Within(Constraint::Integer(range)) = &claims.claims[0].says else {
        panic!("{claims:?}")
    };
    assert_eq!((range.min, range.max), (0, 49));
    assert_eq!(claims.passing, None, "every input fails in some way");
}

#[test]
fn the_budget_is_kept_and_an_early_end_claims_less() {
    let property = |tc: &mut TestCase| {
        let list: Vec<(u8, bool, u32)> = tc.draw(any());
        list.len() < 6
    };
    let mut found = explained(property);
    assert!(found.claims.runs <= RUNS);
    for runs_max in [0, 1, 10, 100, 400] {
        found.claims = within(runs_max, &found.minimized, &mut found.runner, 3);
        assert!(found.claims.runs <= runs_max, "{runs_max}");
        assert_eq!(found.claims.ending, Ending::Budget);
        assert!(found.is_sound());
    }
    let mut asked = 0;
    let stop: &mut dyn FnMut() -> bool = &mut || {
        asked += 1;
        asked > 50
    };
    let budget = Budget { runs_max: RUNS, seed: 0, stop };
    let claims = explain(&found.minimized, FAILED, &mut found.runner, budget);
    assert!(claims.runs <= 50);
}

#[test]
fn one_seed_gives_one_result() {
    let property = |tc: &mut TestCase| {
        let list: Vec<Option<u8>> = tc.draw(any());
        list.iter().flatten().count() < 2
    };
    let mut found = explained(property);
    let first = format!("{:?}", found.claims);
    let again = within(RUNS, &found.minimized, &mut found.runner, 7);
    assert_eq!(format!("{again:?}"), first);
}

#[test]
fn a_class_covers_its_own_inputs_and_no_others() {
    let found = explained(|tc| {
        let list: Vec<u8> = tc.draw(any());
        let limit = tc.draw(any::<u8>());
        limit < 200 || list.len() < 2
    });
    let mut runner = found.runner;
    let mut covers = |values: &[Value]| {
        let mut trace = Trace::default();
        runner.run(Candidate::replaying(values), 100, &mut trace);
        found.claims.covers(&found.minimized, &trace)
    };
    let (yes, no, number) = (Value::Boolean(true), Value::Boolean(false), Value::Integer);
    let three =
        [yes.clone(), number(4), yes.clone(), number(9), yes.clone(), number(1), no.clone()];
    assert!(covers(&[&three[..], &[number(250)]].concat()));
    assert!(!covers(&[&three[..], &[number(199)]].concat()));
    assert!(!covers(&[yes, number(4), no, number(250)]));
    assert!(covers(&found.minimized.values()));
}

#[test]
fn elements_that_begin_with_an_alternative_may_be_followed_by_others() {
    #[derive(Debug, Generate)]
    enum Step {
        #[expect(dead_code, reason = "only the variant matters")]
        Push(u8),
        Pop,
        Clear,
    }
    let mut found = explained(|tc| {
        let steps: Vec<Step> = tc.draw(any());
        !matches!(steps.first(), Some(Step::Pop))
    });
    let is_behind = |claim: &Claim| claim.says == Says::Further(Sides::Behind);
    assert!(found.claims.claims.iter().any(is_behind), "{:?}", found.lines());
    assert!(found.is_sound());
}

#[test]
fn values_that_move_together_keep_their_interval() {
    let mut found = explained(|tc| {
        let (one, other) = (tc.draw(any::<u32>()), tc.draw(any::<u32>()));
        one != other || one < 10
    });
    assert_eq!(found.interval(0), Some((10, i128::from(u32::MAX))));
    assert_eq!(found.says(1), Some(&Says::Related(Relation::Equal, Term::Value(0))));
    assert!(found.is_sound());
}

#[test]
fn three_values_in_order_are_related_as_a_chain() {
    let mut found = explained(|tc| {
        let [a, b, c]: [u16; 3] = [tc.draw(any()), tc.draw(any()), tc.draw(any())];
        !(a < b && b < c)
    });
    assert_eq!(found.says(0), Some(&Says::Any));
    assert_eq!(found.says(1), Some(&Says::Related(Relation::Greater, Term::Value(0))));
    assert_eq!(found.says(2), Some(&Says::Related(Relation::Greater, Term::Value(1))));
    let (failed, of) = found.fresh(200);
    assert!(failed == of && of > 20, "{failed} of {of}");
}

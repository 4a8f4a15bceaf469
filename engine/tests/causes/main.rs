//! Several causes of one failing assertion.

#[path = "../shrink_support/mod.rs"]
mod shrink_support;
mod joined;
mod lines;
mod steps;
mod strings;
mod trees;

use std::cell::Cell;

use dwindle_engine::TestCase;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::explain::{
    Budget, Cause, Claim, Claims, KnownCauses, Outside, Place, RUNS, Relation, Says, Term, Tries,
    explain, further_form, next,
};
use dwindle_engine::internals::shrink::{Candidate, Runner};
use dwindle_engine::internals::{Driver, Outcome, Trace, execute};
use dwindle_engine::prelude::*;
use shrink_support::{FAILED, InProcess, shrink_from};

fn judged<'a>(passes: impl Fn(&mut TestCase) -> bool + 'a) -> InProcess<'a> {
    InProcess::judged(move |tc| if passes(tc) { Outcome::Passed } else { Outcome::Failed(FAILED) })
}

fn budget(runs_max: u64, stop: &mut dyn FnMut() -> bool) -> Budget<'_> {
    Budget { runs_max, seed: 3, stop }
}

/// All causes of a property, in the order in which they are found, with what they are the same as.
fn causes(runner: &mut InProcess<'_>) -> Vec<(Cause, Option<usize>)> {
    let mut found: Vec<(Cause, Option<usize>)> = Vec::new();
    loop {
        let known: Vec<Cause> = found.iter().map(|(cause, _)| cause.clone()).collect();
        let mut never = || false;
        let Some(start) = next(&known, FAILED, runner, 4000, budget(20_000, &mut never)).found
        else {
            return found;
        };
        let minimized = minimized_outside(runner, &known, &start);
        let mut never = || false;
        let claims = explain(&minimized, FAILED, runner, budget(RUNS, &mut never));
        let mut never = || false;
        let mut cause = Cause { minimized, claims };
        let form = further_form(&mut cause, &known, FAILED, runner, budget(4000, &mut never));
        let own = KnownCauses::new(std::slice::from_ref(&cause), FAILED)
            .explaining(&cause.minimized, runner);
        assert_eq!(own, Some(0), "a cause does not explain its own input: {}", shown(&cause));
        found.push((cause, form));
        assert!(found.len() < 20, "the search does not end");
    }
}

fn minimized_outside(runner: &mut InProcess<'_>, known: &[Cause], start: &Trace) -> Trace {
    shrink_from(start, &mut Outside::new(runner, known, FAILED)).best
}

fn shown(cause: &Cause) -> String {
    let choices: Vec<String> = cause.minimized.choices.iter().map(ToString::to_string).collect();
    choices.join(" ")
}

/// The causes that are no further form of another one.
fn kept(passes: impl Fn(&mut TestCase) -> bool) -> Vec<String> {
    let found = causes(&mut judged(passes));
    let kept = found.iter().filter(|(_, same)| same.is_none());
    kept.map(|(cause, _)| shown(cause)).collect()
}

#[test]
fn numbers_with_one_sum_are_one_cause() {
    let kept =
        kept(|tc| tc.draw(any::<Vec<u8>>()).iter().map(|n| u32::from(*n)).sum::<u32>() < 600);
    assert_eq!(kept.len(), 1, "{kept:?}");
}

#[derive(Debug, Generate)]
enum Tree {
    Leaf(bool),
    Pair(Box<Tree>, Box<Tree>),
    Three(Box<Tree>, Box<Tree>, Box<Tree>),
}

fn depth(tree: &Tree) -> usize {
    let inner = match tree {
        Tree::Leaf(_) => Vec::new(),
        Tree::Pair(a, b) => vec![a, b],
        Tree::Three(a, b, c) => vec![a, b, c],
    };
    inner.into_iter().map(|tree| 1 + depth(tree)).max().unwrap_or(0)
}

#[test]
fn trees_of_one_depth_are_one_cause() {
    let kept = kept(|tc| {
        let tree = tc.draw(any::<Tree>());
        depth(&tree) < 4 && !matches!(tree, Tree::Leaf(true))
    });
    assert_eq!(kept.len(), 2, "{kept:?}");
}

/// Whether a `Three` of this tree has a `Leaf(true)` anywhere below it.
fn has_leaf_below_three(tree: &Tree, is_below: bool) -> bool {
    match tree {
        Tree::Leaf(value) => is_below && *value,
        Tree::Pair(a, b) => [a, b].iter().any(|one| has_leaf_below_three(one, is_below)),
        Tree::Three(a, b, c) => [a, b, c].iter().any(|one| has_leaf_below_three(one, true)),
    }
}

#[test]
fn what_stands_anywhere_below_another_value_is_one_cause_for_each_place() {
    let kept = kept(|tc| !has_leaf_below_three(&tc.draw(any::<Tree>()), false));
    // The leaf is below the first, the second or the third tree.
    assert_eq!(kept.len(), 3, "{kept:?}");
}

#[test]
fn what_must_stand_directly_below_another_value_does_not_explain_deeper_ones() {
    let kept = kept(|tc| {
        let tree = tc.draw(any::<Tree>());
        let is_direct = matches!(&tree, Tree::Pair(a, _) if matches!(**a, Tree::Leaf(true)));
        let is_deep = matches!(&tree, Tree::Pair(a, _)
            if matches!(&**a, Tree::Pair(_, b) if matches!(**b, Tree::Leaf(true))));
        !(is_direct || is_deep)
    });
    assert_eq!(kept.len(), 2, "{kept:?}");
}

#[derive(Debug, PartialEq, Generate)]
enum Expr {
    Const(i16),
    Not(Box<Expr>),
    Times(Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

fn form_of(cause: &Cause, known: &[Cause], runner: &mut InProcess<'_>) -> Option<usize> {
    let mut cause = cause.clone();
    further_form(&mut cause, known, FAILED, runner, budget(4000, &mut || false))
}

/// The cause at the failing input with these numbers, as it is.
fn cause_at(runner: &mut InProcess<'_>, numbers: &[i128]) -> Cause {
    let values: Vec<Value> = numbers.iter().map(|number| Value::Integer(*number)).collect();
    cause_with(runner, &values)
}

/// The cause at the failing input with these values, as it is.
fn cause_with(runner: &mut InProcess<'_>, values: &[Value]) -> Cause {
    let mut minimized = Trace::default();
    let ended = runner.run(Candidate::replaying(values), 100, &mut minimized);
    assert_eq!(ended, Outcome::Failed(FAILED));
    let mut never = || false;
    let claims = explain(&minimized, FAILED, runner, budget(RUNS, &mut never));
    Cause { minimized, claims }
}

#[test]
fn an_input_with_two_reasons_is_no_form_of_an_input_with_one_of_them() {
    let mut runner = judged(|tc| match tc.draw(any::<Expr>()) {
        Expr::If(condition, yes, no) => *condition != Expr::Const(0) && yes != no,
        _ => true,
    });
    let two = cause_at(&mut runner, &[3, 0, 0, 0, 0, 0, 0]);
    let one = cause_at(&mut runner, &[3, 0, 0, 0, 0, 0, 1]);
    assert_eq!((two.claims.is_mixed, one.claims.is_mixed), (true, false));
    assert!(one.explains(&two.minimized));
    assert_eq!(form_of(&one, &[two], &mut runner), None);
}

#[test]
fn an_alternative_that_needs_nothing_is_another_cause_in_a_tree() {
    let mut runner = judged(|tc| match tc.draw(any::<Expr>()) {
        Expr::Not(inner) => match *inner {
            Expr::Not(_) => false,
            Expr::Times(_, other) => *other != Expr::Const(0),
            _ => true,
        },
        _ => true,
    });
    let times = cause_at(&mut runner, &[1, 2, 0, 0, 0, 0]);
    let further = cause_at(&mut runner, &[1, 2, 1, 0, 7, 0, 0]);
    let not = cause_at(&mut runner, &[1, 1, 0, 0]);
    assert!(times.explains(&further.minimized));
    assert!(!times.explains(&not.minimized));
}

#[test]
fn two_equal_parts_are_one_cause() {
    let kept = kept(|tc| match tc.draw(any::<Expr>()) {
        Expr::If(_, yes, no) => yes != no,
        _ => true,
    });
    assert_eq!(kept, ["3 0 0 0 0 0 0"]);
}

#[test]
fn an_element_and_a_part_that_must_be_equal_are_one_cause() {
    let kept = kept(|tc| {
        let list = tc.draw(any::<Vec<Expr>>());
        let wanted = tc.draw(any::<Expr>());
        !(matches!(wanted, Expr::Not(_)) && list.contains(&wanted))
    });
    assert_eq!(kept, ["2 0 0 0 1 0 0"]);
}

#[test]
fn two_equal_parts_of_another_cause_are_not_its_reason() {
    // Between the inputs and beyond them others pass.
    let mut runner = judged(|tc| match tc.draw(any::<Expr>()) {
        Expr::If(_, yes, _) => !matches!(*yes, Expr::Const(0 | 7)),
        _ => true,
    });
    let mut cause = |numbers: &[i128], equal: Vec<(usize, usize)>| {
        let minimized = cause_at(&mut runner, numbers).minimized;
        Cause { minimized, claims: Claims { equal, ..Claims::none() } }
    };
    let equal = cause(&[3, 0, 0, 0, 0, 0, 0], vec![(3, 4)]);
    let sevens = cause(&[3, 0, 0, 0, 7, 0, 7], Vec::new());
    let others = cause(&[3, 0, 0, 0, 7, 0, 8], Vec::new());
    assert!(equal.explains(&sevens.minimized));
    assert!(!equal.explains(&others.minimized));
    assert_eq!(form_of(&equal, &[sevens], &mut runner), None);
}

#[test]
fn of_three_equal_parts_each_must_be_equal() {
    let mut runner = judged(|tc| !matches!(tc.draw(any::<Expr>()), Expr::If(..)));
    let mut minimized = |numbers: &[i128]| cause_at(&mut runner, numbers).minimized;
    let equal = vec![(2, 3), (2, 4), (3, 4)];
    let claims = Claims { equal, ..Claims::none() };
    let cause = Cause { minimized: minimized(&[3, 0, 0, 0, 0, 0, 0]), claims };
    assert!(cause.explains(&minimized(&[3, 0, 5, 0, 5, 0, 5])));
    for other in [[3, 0, 5, 0, 6, 0, 5], [3, 0, 5, 0, 5, 0, 6], [3, 0, 6, 0, 5, 0, 5]] {
        assert!(!cause.explains(&minimized(&other)), "{other:?}");
    }
}

#[test]
fn numbers_of_a_sum_and_of_a_difference_are_loose() {
    let mut sum = judged(|tc| {
        let (one, other) = (tc.draw(any::<u8>()), tc.draw(any::<u8>()));
        2 * u32::from(one) + u32::from(other) <= 300
    });
    let both = [Place::Choice(0), Place::Choice(1)];
    assert_eq!(cause_at(&mut sum, &[77, 147]).claims.loose, both);
    let mut difference =
        judged(|tc| tc.draw(any::<u8>()).checked_sub(tc.draw(any::<u8>())) != Some(30));
    assert_eq!(cause_at(&mut difference, &[40, 10]).claims.loose, both);
}

#[test]
fn equal_numbers_among_many_that_differ_are_loose() {
    let mut runner = judged(|tc| {
        let ranges = tc.draw(any::<Vec<(u8, u8, u8)>>());
        let touch = |[before, one, other]: &[(u8, u8, u8); 3]| {
            let end = one.0.saturating_add(one.1);
            let is_inside = (before.0..before.0.saturating_add(before.1)).contains(&end);
            before.2 != one.2 && one.2 == other.2 && end == other.0 && is_inside
        };
        !ranges.array_windows().any(touch)
    });
    let range = |numbers: [i128; 3]| {
        std::iter::once(Value::Boolean(true)).chain(numbers.map(Value::Integer))
    };
    let ranges = [[0, 3, 0], [0, 2, 2], [2, 1, 2]].into_iter().flat_map(range);
    let values: Vec<Value> = ranges.chain([Value::Boolean(false)]).collect();
    let loose = cause_with(&mut runner, &values).claims.loose;
    assert!([7, 11].iter().all(|at| loose.contains(&Place::Choice(*at))), "{loose:?}");
}

#[test]
fn loose_numbers_do_not_explain_failures_that_do_not_need_them() {
    let mut runner = judged(|tc| {
        let seventy_seven = tc.draw(any::<i16>()) == 77;
        let (one, other) = (tc.draw(any::<u8>()), tc.draw(any::<u8>()));
        !(seventy_seven || u32::from(one) + u32::from(other) > 400)
    });
    let sum = cause_at(&mut runner, &[0, 146, 255]);
    let same_sum = cause_at(&mut runner, &[0, 200, 201]);
    let greater = cause_at(&mut runner, &[5, 240, 230]);
    let another = cause_at(&mut runner, &[77, 0, 0]);
    assert!([&same_sum, &greater, &another].iter().all(|cause| sum.explains(&cause.minimized)));
    let known = [sum];
    let mut known_causes = KnownCauses::new(&known, FAILED);
    assert_eq!(known_causes.explaining(&same_sum.minimized, &mut runner), Some(0));
    assert_eq!(known_causes.explaining(&greater.minimized, &mut runner), Some(0));
    assert_eq!(known_causes.explaining(&another.minimized, &mut runner), None);
    assert_eq!(form_of(&same_sum, &known, &mut runner), Some(0));
    assert_eq!(form_of(&another, &known, &mut runner), None);
}

#[test]
fn a_sum_is_no_form_of_a_failure_between_which_inputs_pass() {
    let mut runner = judged(|tc| {
        let (one, other) = (tc.draw(any::<u8>()), tc.draw(any::<u8>()));
        !(one == 0 && other > 0 || u32::from(one) + u32::from(other) > 400)
    });
    let zero = cause_at(&mut runner, &[0, 1]);
    let sum = cause_at(&mut runner, &[146, 255]);
    let same_sum = cause_at(&mut runner, &[255, 146]);
    assert!(sum.explains(&zero.minimized));
    assert_eq!(form_of(&sum, &[zero, same_sum], &mut runner), Some(1));
}

#[derive(Debug, Generate)]
#[expect(dead_code, reason = "a value with a link has one, whatever the link holds")]
enum Node {
    Empty,
    Bold(Box<Node>),
    Link(Box<Node>),
    Note(Box<Node>),
}

fn has_link(node: &Node) -> bool {
    match node {
        Node::Empty => false,
        Node::Bold(inner) => has_link(inner),
        Node::Link(_) | Node::Note(_) => true,
    }
}

#[test]
fn what_nearly_every_deep_value_holds_is_no_depth() {
    let mut runner = judged(|tc| !has_link(&tc.draw(any::<Node>())));
    let linked = cause_at(&mut runner, &[1, 1, 1, 1, 1, 1, 1, 1, 2, 0]);
    let is_deep = |claim: &Claim| matches!(claim.says, Says::Deep(_));
    assert!(!linked.claims.claims.iter().any(is_deep), "{:?}", linked.claims.claims);
}

#[test]
fn two_values_at_one_place_are_two_causes() {
    let kept = kept(|tc| !matches!(tc.draw(any::<u8>()), 40 | 200));
    assert_eq!(kept, ["40", "200"]);
}

#[test]
fn a_cause_that_needs_a_length_does_not_explain_longer_lists() {
    let kept = kept(|tc| {
        let numbers = tc.draw(any::<Vec<u8>>());
        numbers.len() != 2 && !(numbers.len() > 4 && numbers[0] > 9)
    });
    assert_eq!(kept.len(), 2, "{kept:?}");
}

#[test]
fn the_next_cause_is_found_behind_a_frequent_one() {
    let passes = |tc: &mut TestCase| {
        let numbers = tc.draw(any::<Vec<u8>>());
        !numbers.iter().any(|number| *number > 9) && !numbers.contains(&7)
    };
    let kept = kept(passes);
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert!(kept.iter().any(|cause| cause.contains(" 7 ")), "{kept:?}");
}

#[test]
fn an_input_is_not_another_cause_while_that_is_undecided() {
    let numbers = |values: &[u8]| {
        let mut input: Vec<u8> = values.iter().flat_map(|value| [1, *value]).collect();
        input.push(0);
        let mut driver = Driver::new();
        driver.start_bytes_recorded(&input, 10_000);
        execute(&mut driver, |tc| drop(tc.draw(any::<Vec<u8>>())));
        driver.trace().clone()
    };
    // Any twelve numbers in their order, of which the last is one more than the first.
    let place = |at: usize| Place::Choice(2 * at + 1);
    let mut claims = Claims::none();
    claims.loose = (1..11).map(place).collect();
    claims.claims = vec![
        Claim { place: place(0), says: Says::Any, tries: Tries::default() },
        Claim {
            place: place(11),
            says: Says::Related(Relation::OneMore, Term::Value(1)),
            tries: Tries::default(),
        },
    ];
    let cause = Cause { minimized: numbers(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]), claims };
    assert!(cause.explains(&numbers(&[5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6])));
    assert!(!cause.explains(&numbers(&[5; 12])));
    // There are too many ways to choose twelve of these.
    assert!(cause.explains(&numbers(&[5; 60])));
}

#[test]
fn the_next_cause_is_no_undecided_failure() {
    let draw = |tc: &mut TestCase| tc.draw(g::vec(g::integers(0..=9u8)).len(..60));
    let mut driver = Driver::new();
    let mut input: Vec<u8> = [[1, 0]; 11].concat();
    input.extend([1, 9, 0]);
    driver.start_bytes_recorded(&input, 10_000);
    execute(&mut driver, |tc| drop(draw(tc)));
    // Eleven numbers, of which the second is at least the first, and a nine behind them.
    let place = |at: usize| Place::Choice(2 * at + 1);
    let mut claims = Claims::none();
    claims.loose = (0..11).map(place).collect();
    claims.claims = vec![Claim {
        place: place(1),
        says: Says::Related(Relation::AtLeast, Term::Value(1)),
        tries: Tries::default(),
    }];
    let cause = Cause { minimized: driver.trace().clone(), claims };
    // No failure contains a nine, but a decision takes too long.
    let failures = Cell::new(0);
    let mut runner = judged(|tc| {
        let drawn = draw(tc);
        let passes = drawn.len() < 30 || drawn.contains(&9);
        failures.set(failures.get() + u32::from(!passes));
        passes
    });
    let mut never = || false;
    let next = next(&[cause], FAILED, &mut runner, 4000, budget(2000, &mut never));
    assert!(failures.get() > 0, "{next:?}");
    assert!(next.found.is_none(), "{next:?}");
}

#[test]
fn floats_with_one_remainder_are_one_cause() {
    for rest in [0.5, 3.0] {
        let one = kept(|tc| (tc.draw(any::<f64>()) % 10.0).total_cmp(&rest).is_ne());
        assert_eq!(one.len(), 1, "{rest}: {one:?}");
    }
}

#[test]
fn numbers_with_one_remainder_are_one_cause() {
    let one = kept(|tc| tc.draw(any::<u16>()) % 7 != 3);
    assert_eq!(one.len(), 1, "{one:?}");
    for (by, rest) in [(11, 3), (13, 9), (64, 9)] {
        let one = kept(|tc| tc.draw(any::<u16>()) % by != rest);
        assert_eq!(one.len(), 1, "{by}: {one:?}");
    }
    let two = kept(|tc| tc.draw(any::<u16>()) % 7 != 3 || tc.draw(any::<u16>()) % 5 != 2);
    assert_eq!(two.len(), 1, "{two:?}");
}

#[test]
fn loose_values_do_not_explain_what_passes_with_them_alone() {
    let kept = kept(|tc| {
        let bytes = tc.draw(any::<Vec<u8>>());
        let ends_odd = bytes.last().is_some_and(|byte| byte % 8 == 3);
        !ends_odd && !bytes.array_windows().any(|[one, other]| *one == 0x80 && one == other)
    });
    assert_eq!(kept.len(), 2, "{kept:?}");
}

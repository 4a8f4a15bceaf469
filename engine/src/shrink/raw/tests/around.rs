//! The search around an input that no pass improves.

use super::*;
use crate::shrink::{AROUND, Around, search_around};

fn divisor(a: u16, b: u16) -> u16 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// No two different numbers have a common divisor greater than 10.
const DIVISORS: Property = |input| {
    let (a, b) = value::<(u16, u16)>(input)?;
    Some(a != b && a.min(b) > 0 && divisor(a, b) > 10)
};

/// Begins with the passes, or with the search around `start`.
type Begins =
    fn(&Trace, Origin, &mut dyn Runner, Budget<'_>, &mut dyn FnMut(&Trace, u64)) -> Shrunk;

fn shrink_with(begins: Begins, start: &Trace, runner: &mut InProcess<'_>, around: u64) -> Shrunk {
    let around = Some(Around { calls_max: around, stop: &mut || false });
    let budget =
        Budget { calls_max: 1_000_000, exhaust_max: THOROUGH, around, stop: &mut || false };
    begins(start, FAILED, runner, budget, &mut |_, _| {})
}

#[test]
fn it_leaves_local_minima_of_bytes() {
    let (mut runner, mut stuck) = (on_bytes(DIVISORS), 0);
    for seed in 0..10 {
        let start = find(&mut runner, seed, 1);
        let best = shrink_thoroughly(&start, &mut runner).best;
        stuck += u32::from(**best.raw_input().unwrap() != [22, 0, 11, 0]);
        let around = shrink_with(search_around, &best, &mut runner, AROUND);
        assert_eq!(**around.best.raw_input().unwrap(), [22, 0, 11, 0], "seed {seed}");
        assert_eq!(around.finish, Finish::Fixpoint);
    }
    assert!(stuck > 0, "the passes alone find every minimum, so this property shows nothing");
}

#[test]
fn what_it_returns_is_never_larger_and_does_not_change_when_it_is_shrunk_again() {
    for case in CASES {
        let mut runner = on_bytes(case.property);
        let start = find(&mut runner, 3, 1);
        let without = shrink_with(shrink, &start, &mut runner, 0);
        let once = shrink_with(shrink, &start, &mut runner, 2000);
        let twice = shrink_with(shrink, &once.best, &mut runner, 2000);
        assert!(order::compare(&once.best.choices, &without.best.choices).is_le(), "{}", case.name);
        assert_eq!(once.best.values(), twice.best.values(), "{}", case.name);
        assert_eq!(once.calls_to_fixpoint, without.calls_to_fixpoint, "{}", case.name);
        let around_max = 2000 + THOROUGH;
        assert!(twice.calls_to_exhaust <= around_max, "{} calls", twice.calls_to_exhaust);
    }
}

#[test]
fn it_tries_all_lower_values_of_a_single_byte() {
    let mut runner = on_bytes(|input| Some([[118], [239]].contains(input.first_chunk()?)));
    let mut start = Trace::default();
    start.set_raw_input([239]);
    let stuck = shrink_with(shrink, &start, &mut runner, 0);
    assert_eq!(stuck.best.raw_input(), start.raw_input(), "the passes find it");
    let around = shrink_with(search_around, &start, &mut runner, AROUND);
    assert_eq!(**around.best.raw_input().unwrap(), [118]);
    let again = shrink_with(search_around, &around.best, &mut runner, AROUND);
    assert_eq!(again.best.raw_input(), around.best.raw_input());
    assert!(again.calls <= 118, "{} calls", again.calls);
}

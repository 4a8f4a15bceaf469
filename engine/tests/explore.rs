//! What scores and rejections lead the random search to.

use dwindle_engine::generators as g;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::{CHOICES_MAX, Driver, Explorer, Outcome, case_seed, execute};
use dwindle_engine::{TestCase, any};

/// After how many cases of a run the target first says that it has arrived; `None` if not within
/// `cases_max`.
fn arrives(seed: u64, cases_max: u64, target: impl Fn(&mut TestCase) -> bool) -> Option<u64> {
    let mut tc = Driver::new();
    let mut explorer = Explorer::new(seed, cases_max / 10);
    (1..=cases_max).find(|case| {
        explorer.start(&mut tc, *case, CHOICES_MAX);
        let mut arrived = false;
        if let Outcome::Passed = execute(&mut tc, |tc| arrived = target(tc)) {
            explorer.passed(&tc);
        }
        arrived
    })
}

#[track_caller]
fn arrives_always(cases_max: u64, target: impl Fn(&mut TestCase, bool) -> bool) {
    let took: Vec<_> = (0..5).map(|seed| arrives(seed, cases_max, |tc| target(tc, true))).collect();
    let without: Vec<_> =
        (0..1).map(|seed| arrives(seed, cases_max, |tc| target(tc, false))).collect();
    println!("{took:?} without {without:?}");
    assert!(took.iter().all(Option::is_some), "{took:?}");
    assert!(without.iter().all(Option::is_none), "it is found without scores: {without:?}");
}

const SECRET: u64 = 0x8D2C_51F3_0B97_E64A;

#[test]
fn bits_that_must_be_right_one_after_the_other() {
    arrives_always(20_000, |tc, scored| {
        let number = tc.draw_silent(any::<u64>());
        let right = (number ^ SECRET).leading_zeros();
        if scored {
            tc.target(f64::from(right), "right");
        }
        right == 64
    });
}

#[test]
fn moves_that_must_be_right_one_after_the_other() {
    arrives_always(20_000, |tc, scored| {
        let moves = tc.draw_silent(g::vec(g::integers(0..=3u8)));
        let right = moves
            .iter()
            .enumerate()
            .take_while(|(at, step)| {
                u64::from(**step) == SECRET.rotate_left(2 * *at as u32 + 2) & 3
            })
            .count();
        if scored {
            tc.target(right as f64, "right");
        }
        right >= 32
    });
}

#[test]
fn a_number_is_approached_by_its_distance() {
    arrives_always(10_000, |tc, scored| {
        let number = tc.draw_silent(any::<i64>());
        let distance = number.abs_diff(-731_946_028_117);
        if scored {
            tc.target(-(distance as f64), "distance");
        }
        distance < 1000
    });
}

#[test]
fn a_float_is_approached_by_its_distance() {
    arrives_always(10_000, |tc, scored| {
        let number: f64 = tc.draw_silent(g::floats(0.0..=1000.0));
        let distance = (number * number - 2.0).abs();
        if scored {
            tc.target(-distance, "distance");
        }
        distance < 1e-9
    });
}

#[test]
fn a_text_is_approached_letter_by_letter() {
    arrives_always(20_000, |tc, scored| {
        let text = tc.draw_silent(g::text().alphabet("abcdefghijklmnopqrstuvwxyz "));
        let right = text.chars().zip("open sesame".chars()).filter(|(a, b)| a == b).count();
        if scored {
            tc.target(right as f64, "letters");
        }
        right == 11
    });
}

#[test]
fn two_scores_are_pursued_beside_each_other() {
    arrives_always(60_000, |tc, scored| {
        let (a, b) = (tc.draw_silent(any::<u64>()), tc.draw_silent(any::<u64>()));
        let (right_a, right_b) = ((a ^ SECRET).leading_zeros(), (b ^ !SECRET).leading_zeros());
        if scored {
            tc.target(f64::from(right_a), "a");
            tc.target(f64::from(right_b), "b");
        }
        right_a >= 30 || right_b >= 30
    });
}

#[test]
fn one_seed_gives_one_run() {
    let run = || {
        arrives(3, 20_000, |tc| {
            let right = (tc.draw_silent(any::<u64>()) ^ SECRET).leading_zeros();
            tc.target(f64::from(right), "right");
            right == 64
        })
    };
    assert_eq!(run(), run());
}

#[test]
fn of_scores_told_twice_the_greatest_counts() {
    let mut tc = Driver::new();
    Explorer::new(0, 10).start(&mut tc, 1, CHOICES_MAX);
    for score in [1.0, 3.0, 2.0] {
        tc.target(score, "one");
    }
    tc.target(-5.0, "other");
    let scores: Vec<f64> = tc.scores().iter().map(|score| score.score).collect();
    assert_eq!(scores, [3.0, -5.0]);
}

#[test]
fn a_replay_keeps_no_scores_and_a_score_that_is_no_number_fails_in_it_too() {
    let mut tc = Driver::new();
    tc.start_replay(&[], CHOICES_MAX);
    tc.target(1.0, "one");
    assert!(tc.scores().is_empty());
    for score in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        tc.start_replay(&[], CHOICES_MAX);
        let Outcome::Failed(payload) = execute(&mut tc, |tc| tc.target(score, "one")) else {
            panic!("{score} is taken")
        };
        let words = payload.downcast_ref::<String>().expect("a message");
        assert!(words.starts_with("a score must be a finite number, and "), "{words}");
    }
}

/// The values of the cases of a run, each with whether it was accepted.
fn run(seed: u64, cases: u64, property: impl Fn(&mut TestCase)) -> Vec<(Vec<Value>, bool)> {
    let mut tc = Driver::new();
    let mut explorer = Explorer::new(seed, cases / 10);
    let mut one = |case| {
        explorer.start(&mut tc, case, 200);
        let is_accepted = matches!(execute(&mut tc, &property), Outcome::Passed);
        if is_accepted {
            explorer.passed(&tc);
        } else {
            explorer.rejected();
        }
        (tc.trace().values(), is_accepted)
    };
    (1..=cases).map(&mut one).collect()
}

/// The same run, if every case were new.
fn run_of_new_cases(
    seed: u64,
    cases: u64,
    property: impl Fn(&mut TestCase),
) -> Vec<(Vec<Value>, bool)> {
    let mut tc = Driver::new();
    let mut one = |case| {
        tc.start_random(case_seed(seed, case), 200);
        let is_accepted = matches!(execute(&mut tc, &property), Outcome::Passed);
        (tc.trace().values(), is_accepted)
    };
    (1..=cases).map(&mut one).collect()
}

/// How many different cases were accepted.
fn accepted(run: &[(Vec<Value>, bool)]) -> usize {
    let mut accepted: Vec<String> = run
        .iter()
        .filter(|(_, is_accepted)| *is_accepted)
        .map(|(values, _)| format!("{values:?}"))
        .collect();
    accepted.sort_unstable();
    accepted.dedup();
    accepted.len()
}

#[track_caller]
fn accepts_three_times_as_many(property: impl Fn(&mut TestCase)) {
    for seed in 0..5 {
        let (learned, new) = (run(seed, 4000, &property), run_of_new_cases(seed, 4000, &property));
        let (learned, new) = (accepted(&learned), accepted(&new));
        println!("{learned} and {new} of 4000");
        assert!(new < 80, "too easy: {new} of 4000 are accepted");
        assert!(learned > 3 * new.max(1), "seed {seed}: {learned} and {new} of 4000");
    }
}

fn ascending(tc: &mut TestCase) {
    let list: Vec<i32> = tc.draw_silent(any());
    tc.assume(list.len() >= 8 && list.windows(2).all(|pair| pair[0] < pair[1]));
}

fn three_small(tc: &mut TestCase) {
    let three: (u16, u16, u16) = tc.draw_silent(any());
    tc.assume(three.0 < 600 && three.1 < 500 && (1..100).contains(&three.2));
}

#[test]
fn what_a_profile_decides_is_learned() {
    accepts_three_times_as_many(ascending);
}

#[test]
fn what_single_values_decide_is_learned() {
    accepts_three_times_as_many(|tc| {
        let numbers: (u16, u16) = tc.draw_silent(any());
        tc.assume((1300..1400).contains(&numbers.0) && numbers.1 > 1000);
    });
}

#[test]
fn what_asks_for_too_many_choices_is_avoided() {
    accepts_three_times_as_many(|tc| {
        let count: u16 = tc.draw_silent(g::integers(1000..));
        if !(5000..5100).contains(&count) {
            loop {
                tc.draw_silent(any::<u8>());
            }
        }
    });
}

#[test]
fn a_property_that_rejects_less_than_half_of_the_cases_gets_only_new_ones() {
    for seed in 0..3 {
        let property = |tc: &mut TestCase| {
            let number = tc.draw_silent(g::integers(0..=255u8));
            tc.assume(number % 5 != 1);
        };
        // The first cases may be rejected by chance.
        let (learned, new) = (run(seed, 1000, property), run_of_new_cases(seed, 1000, property));
        let other = learned.iter().zip(&new).filter(|(learned, new)| learned != new).count();
        assert!(other <= 10, "seed {seed}: {other} cases differ");
        let never = |tc: &mut TestCase| drop(tc.draw_silent(any::<Vec<u8>>()));
        assert!(run(seed, 1000, never) == run_of_new_cases(seed, 1000, never));
    }
}

#[test]
fn a_quarter_of_the_cases_stay_new() {
    let (learned, new) = (run(1, 4000, three_small), run_of_new_cases(1, 4000, three_small));
    let same = learned.iter().zip(&new).filter(|(learned, new)| learned == new).count();
    assert!((900..1900).contains(&same), "{same} of 4000 cases are new");
}

#[test]
fn one_seed_gives_one_run_with_rejections_too() {
    assert!(run(5, 3000, ascending) == run(5, 3000, ascending));
    assert!(run(5, 3000, ascending) != run(6, 3000, ascending));
}

#[test]
fn cases_do_not_grow_without_benefit() {
    let property = |tc: &mut TestCase| {
        let list = tc.draw_silent(g::vec(any::<bool>()));
        tc.assume(list.iter().filter(|item| **item).count() >= 40);
    };
    let run = run(2, 6000, property);
    let lengths = run[5000..].iter().filter(|case| case.1).map(|case| case.0.len());
    let (count, sum) = lengths.fold((0, 0), |(count, sum), length| (count + 1, sum + length));
    assert!(count > 100 && sum / count < 150, "{count} cases of {} choices", sum / count.max(1));
}

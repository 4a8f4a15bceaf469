//! What the random source finds, and how soon: without coverage it has only its distributions.

use dwindle_engine::generators as g;
use dwindle_engine::internals::{CHOICES_MAX, Driver, Label, Outcome, execute};
use dwindle_engine::{Generate, Generator, TestCase, any};

/// Over ten seeds, each finds what `wanted` wants within `cases_max` cases.
#[track_caller]
fn finds(cases_max: u64, wanted: impl Fn(&mut TestCase) -> bool) {
    let mut tc = Driver::new();
    let mut took = [0; 10];
    for (seed, took) in took.iter_mut().enumerate() {
        let found = (1..=cases_max).find(|case| {
            tc.start_random((seed as u64) << 32 | case, CHOICES_MAX);
            let mut found = false;
            let ended = execute(&mut tc, |tc| found = wanted(tc));
            assert!(!matches!(ended, Outcome::Failed(_)));
            found
        });
        *took = found.unwrap_or(u64::MAX);
    }
    println!("{took:?}");
    assert!(took.iter().all(|cases| *cases <= cases_max), "{took:?}");
}

/// A draw that reports do not show, to keep the lines short.
fn one<T: Generate>(tc: &mut TestCase) -> T {
    tc.draw_silent(any::<T>())
}

fn some<G: Generator>(tc: &mut TestCase, generator: &G) -> G::Value {
    tc.draw_silent(generator)
}

#[test]
fn equal_values_of_large_types() {
    finds(500, |tc| one::<i32>(tc) == one::<i32>(tc));
    finds(500, |tc| one::<u64>(tc) == one::<u64>(tc) && one::<bool>(tc));
    finds(500, |tc| one::<i128>(tc) == i128::from(one::<i64>(tc)));
    finds(500, |tc| {
        let (a, b) = (one::<String>(tc), one::<String>(tc));
        a.chars().count() > 2 && a == b
    });
    finds(500, |tc| {
        let (a, b) = (some(tc, &g::bytes()), some(tc, &g::bytes()));
        a.len() > 2 && a == b
    });
    finds(500, |tc| {
        let (a, b) = (one::<f64>(tc), one::<f64>(tc));
        a.fract() != 0.0 && a.to_bits() == b.to_bits()
    });
    finds(500, |tc| {
        let list = one::<Vec<u64>>(tc);
        list.windows(3).any(|three| three[0] == three[2] && three[0] > 1000)
    });
}

#[test]
fn neighbours_and_edges() {
    finds(1000, |tc| one::<i32>(tc).checked_add(1) == Some(one::<i32>(tc)));
    finds(1000, |tc| one::<i64>(tc) == i64::MIN);
    finds(1000, |tc| one::<u32>(tc) == u32::MAX);
    finds(1000, |tc| some(tc, &g::integers(-10i64..=1_000_000)) == 1_000_000);
    finds(8000, |tc| one::<u16>(tc) == 256);
    finds(1000, |tc| one::<f64>(tc).is_nan());
    finds(1000, |tc| one::<f32>(tc).is_infinite());
    finds(1000, |tc| one::<f64>(tc).to_bits() == (-0.0f64).to_bits());
    finds(1000, |tc| one::<u32>(tc).is_power_of_two() && one::<u32>(tc) > 1 << 30);
}

#[test]
fn sizes_small_and_large() {
    finds(100, |tc| one::<Vec<u8>>(tc).is_empty());
    finds(200, |tc| one::<Vec<u8>>(tc).len() >= 20);
    finds(1000, |tc| one::<Vec<bool>>(tc).len() >= 60);
    finds(4000, |tc| one::<Vec<u8>>(tc).len() >= 200);
    finds(500, |tc| one::<String>(tc).len() >= 40);
    finds(500, |tc| some(tc, &g::vec(any::<u8>()).len(..=1000)).len() >= 50);
    finds(500, |tc| some(tc, &g::vec(any::<u8>()).len(3..=7)).len() == 7);
    finds(500, |tc| one::<Vec<Vec<u8>>>(tc).iter().filter(|inner| inner.len() > 10).count() >= 3);
}

#[test]
fn orders_and_sums() {
    finds(100, |tc| one::<Vec<i32>>(tc).windows(2).any(|pair| pair[0] > 0 && pair[1] < 0));
    finds(8000, |tc| {
        let list = one::<Vec<i16>>(tc);
        list.len() >= 5 && list.is_sorted()
    });
    finds(200, |tc| one::<Vec<u8>>(tc).into_iter().map(u32::from).sum::<u32>() > 3000);
    finds(1000, |tc| {
        let list = one::<Vec<u8>>(tc);
        list.len() >= 5 && list.iter().all(|value| *value < 50)
    });
}

#[test]
fn texts_of_every_sort() {
    finds(500, |tc| one::<String>(tc).contains('\0'));
    finds(500, |tc| one::<String>(tc).contains(char::is_whitespace));
    finds(500, |tc| one::<String>(tc).chars().any(|c| c > '\u{FFFF}'));
    finds(2000, |tc| {
        let text = one::<String>(tc);
        text.len() >= 5 && text.chars().all(|c| c.is_ascii_digit())
    });
    finds(1000, |tc| {
        let text = one::<String>(tc);
        text.len() >= 4 && text.chars().rev().eq(text.chars())
    });
}

#[derive(Debug, Generate)]
#[expect(dead_code, reason = "only drawn")]
enum Operation {
    Push(i32),
    Pop,
    Clear,
    Get(usize),
}

/// A sequence of commands in which one operation is rare, or never comes: what swarm testing is
/// for.
#[test]
fn runs_of_operations() {
    finds(1000, |tc| {
        let mut size = 0usize;
        one::<Vec<Operation>>(tc).iter().any(|operation| {
            match operation {
                Operation::Push(_) => size += 1,
                Operation::Pop => size = size.saturating_sub(1),
                Operation::Clear => size = 0,
                Operation::Get(_) => {}
            }
            size >= 12
        })
    });
    finds(20_000, |tc| {
        let hit = |four: &[Operation]| match four {
            [Operation::Push(a), Operation::Push(b), Operation::Pop, Operation::Get(_)] => a == b,
            _ => false,
        };
        one::<Vec<Operation>>(tc).windows(4).any(hit)
    });
}

#[derive(Debug, Generate)]
enum Expr {
    Literal(i32),
    Negate(Box<Expr>),
    Add(Box<Expr>, Box<Expr>),
    Divide(Box<Expr>, Box<Expr>),
}

fn evaluate(expr: &Expr) -> Option<i32> {
    Some(match expr {
        Expr::Literal(value) => *value,
        Expr::Negate(inner) => evaluate(inner)?.wrapping_neg(),
        Expr::Add(left, right) => evaluate(left)?.wrapping_add(evaluate(right)?),
        Expr::Divide(left, right) => evaluate(left)?.checked_div(evaluate(right)?)?,
    })
}

#[test]
fn recursive_values_of_some_depth() {
    // A division by zero that is not written as one.
    fn hidden(expr: &Expr) -> bool {
        match expr {
            Expr::Literal(_) => false,
            Expr::Negate(inner) => hidden(inner),
            Expr::Add(left, right) => hidden(left) || hidden(right),
            Expr::Divide(left, right) => {
                hidden(left)
                    || hidden(right)
                    || (matches!(**right, Expr::Add(..)) && evaluate(right) == Some(0))
            }
        }
    }
    finds(5000, |tc| hidden(&one::<Expr>(tc)));
}

#[test]
fn random_cases_are_of_bearable_size() {
    let mut tc = Driver::new();
    let (mut choices, mut overruns) = (0, 0);
    for seed in 0..2000 {
        tc.start_random(seed, CHOICES_MAX);
        let ended = execute(&mut tc, |tc| {
            tc.span(Label::TUPLE, |tc| drop(one::<(Vec<Vec<Operation>>, Expr, String)>(tc)));
        });
        overruns += usize::from(!matches!(ended, Outcome::Passed));
        choices += tc.trace().len();
    }
    assert_eq!(overruns, 0);
    assert!((20..400).contains(&(choices / 2000)), "{} choices for each case", choices / 2000);
}

/// What independent draws from one flat distribution would not find in millions of cases.
#[test]
fn values_that_have_something_in_common() {
    finds(1000, |tc| {
        let list = one::<Vec<i32>>(tc);
        list.len() >= 20 && list.iter().all(|value| *value == list[0])
    });
    finds(1000, |tc| {
        let pushes = one::<Vec<Operation>>(tc);
        pushes.len() >= 40 && pushes.iter().all(|operation| matches!(operation, Operation::Push(_)))
    });
    finds(1000, |tc| {
        one::<Vec<Operation>>(tc)
            .split(|operation| matches!(operation, Operation::Pop))
            .any(|run| run.len() >= 40)
    });
    finds(1000, |tc| {
        let list = one::<Vec<i64>>(tc);
        list.len() >= 20 && list.is_sorted() && list[0] < list[19]
    });
    finds(1000, |tc| {
        let list = one::<Vec<u32>>(tc);
        list.len() >= 10 && list[0] != list[1] && list.iter().eq(list.iter().rev())
    });
    finds(1000, |tc| {
        let list = one::<Vec<bool>>(tc);
        list.len() >= 30 && list.iter().all(|value| *value)
    });
    finds(1000, |tc| {
        let list = one::<Vec<(u8, String)>>(tc);
        list.len() >= 5 && list.iter().all(|pair| *pair == list[0]) && !list[0].1.is_empty()
    });
}

#[test]
fn trees_that_are_deep() {
    fn depth(expr: &Expr) -> usize {
        match expr {
            Expr::Literal(_) => 0,
            Expr::Negate(inner) => 1 + depth(inner),
            Expr::Add(left, right) | Expr::Divide(left, right) => 1 + depth(left).max(depth(right)),
        }
    }
    finds(1000, |tc| depth(&one::<Expr>(tc)) >= 16);
}

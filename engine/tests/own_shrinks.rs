//! Shrinks that the user gives: towards a value, or along values named for another.

mod shrink_support;

use dwindle_engine::generators::Integer;
use dwindle_engine::internals::Driver;
use dwindle_engine::internals::codec::encode;
use dwindle_engine::{Generator, generators as g};
use shrink_support::{Property, minimal};

fn shrinks_to(property: &Property, minimum: &[&str]) {
    for seed in 0..10 {
        let minimal = minimal(seed, property);
        assert_eq!(minimal.draws, minimum, "seed {seed}");
        assert!(minimal.shrunk.calls < 300, "seed {seed}: {} calls", minimal.shrunk.calls);
    }
}

/// What `generator` makes of `input`, and the canonical bytes of that.
fn read<G: Generator>(generator: &G, input: &[u8]) -> (G::Value, Vec<u8>) {
    let mut tc = Driver::new();
    tc.start_bytes_recorded(input, 100);
    let value = generator.generate(&mut tc);
    tc.finish();
    (value, encode(&tc.trace().choices))
}

#[test]
fn integers_shrink_to_the_value_they_are_told() {
    shrinks_to(&|tc| tc.draw(g::integers(..).shrink_towards(2024i32)) % 2 != 0, &["2024"]);
    shrinks_to(&|tc| tc.draw(g::integers(..).shrink_towards(2024i32)) >= 2000, &["1999"]);
    shrinks_to(&|tc| tc.draw(g::integers(..=5000).shrink_towards(2024u16)) <= 2100, &["2101"]);
    shrinks_to(
        &|tc| tc.draw(g::integers(..).shrink_towards(u128::MAX)) >= u128::MAX - 1000,
        &[&(u128::MAX - 1001).to_string()],
    );
    shrinks_to(
        &|tc| tc.draw(g::vec(g::integers(0..=9u8).shrink_towards(7))).len() < 2,
        &["[7, 7]"],
    );
}

#[test]
fn others_shrink_to_the_value_they_are_told() {
    shrinks_to(
        &|tc| {
            tc.draw((
                g::booleans().shrink_towards(true),
                g::characters().shrink_towards('x'),
                g::floats(0.0..=2.0f64).shrink_towards(1.0),
            ))
            .2 > 3.0
        },
        &["(true, 'x', 1.0)"],
    );
    // 'a' stands where 'm' stood, so that 'b' is next.
    shrinks_to(&|tc| tc.draw(g::characters().range('a', 'z').shrink_towards('m')) == 'm', &["'b'"]);
    shrinks_to(&|tc| tc.draw(g::floats::<f32>(..).shrink_towards(2.5)) > -1.0, &["-1.0"]);
    shrinks_to(&|tc| tc.draw(g::booleans().shrink_towards(true)), &["false"]);
}

fn keeps_its_bytes<T: Integer>(min: T, max: T, towards: T) {
    let generator = g::integers(min..=max).shrink_towards(towards);
    assert_eq!(read(&generator, &[]).0, towards, "no bytes are the simplest value");
    for seed in 0..300 {
        let mut tc = Driver::new();
        tc.start_random(seed, 10);
        let value = generator.generate(&mut tc);
        let bytes = encode(&tc.trace().choices);
        assert_eq!(
            read(&generator, &bytes),
            (value, bytes),
            "{min:?} to {max:?} towards {towards:?}, seed {seed}"
        );
        tc.start_bytes(&encode(&tc.trace().choices), 10);
        assert_eq!(
            generator.generate(&mut tc),
            value,
            "with and without a record the same is read"
        );
    }
}

#[test]
fn integers_that_shrink_towards_a_value_have_canonical_bytes() {
    keeps_its_bytes(0u8, 255, 200);
    keeps_its_bytes(10u8, 20, 15);
    keeps_its_bytes(-100i8, 100, -7);
    keeps_its_bytes(300u16, 400, 399);
    keeps_its_bytes(-5000i32, -1000, -3000);
    keeps_its_bytes(0u64, u64::MAX, 1 << 63);
    keeps_its_bytes(3u128, u128::MAX, u128::MAX / 3);
    keeps_its_bytes(u128::MAX - 9, u128::MAX, u128::MAX - 4);
    keeps_its_bytes(i128::MIN, i128::MAX, 1);
    keeps_its_bytes(7usize, 7, 7);
    // A raw value stands for itself, but for the two that change places.
    let generator = g::integers(0..=1000u16).shrink_towards(500);
    assert_eq!([[0, 0], [0xF4, 1], [1, 0]].map(|bytes| read(&generator, &bytes).0), [500, 0, 1]);
}

#[test]
#[should_panic(expected = "30 is not in the range 0 to 9, so nothing shrinks towards it")]
fn a_value_outside_the_range_is_refused() {
    let _ = g::integers(0..=9u8).shrink_towards(30);
}

#[test]
fn a_value_becomes_one_that_is_named_for_it() {
    // Rounded to hundreds, as no bisection would: the other digits are what the user wants to see
    // gone.
    let prices = || {
        g::integers(100..=99_999u32).shrink_with(|&price| {
            [price / 1000 * 1000, price / 100 * 100].into_iter().filter(move |lower| *lower < price)
        })
    };
    shrinks_to(
        &move |tc| tc.draw(prices()) < 12_345 || tc.draw(g::booleans()),
        &["12345", "false"],
    );
    // Of what cannot shrink by itself only what is named is tried.
    shrinks_to(
        &|tc| tc.draw(g::just(99u32).shrink_with(|number| number.checked_sub(7))) < 50,
        &["50"],
    );
    shrinks_to(&|tc| tc.draw(g::just(99u32).shrink_with(|number| 0..*number)) < 50, &["50"]);
    shrinks_to(
        &|tc| {
            tc.draw(
                g::just("a needle in hay")
                    .shrink_with(|text| text.find(' ').map(|end| &text[end + 1..])),
            )
            .len()
                < 3
        },
        &["\"hay\""],
    );
}

/// The value itself goes down as well as what is named for it.
#[test]
fn given_shrinks_mix_with_the_others() {
    let words = || {
        g::vec(g::integers(0..=99u8))
            .map(|numbers| numbers.iter().map(|number| u32::from(*number)).sum::<u32>())
            .shrink_with(|sum| [sum / 2])
    };
    shrinks_to(&move |tc| tc.draw(words()) < 20, &["20"]);
    let tree = || {
        g::vec(g::vec(g::integers(0..=9u8)))
            .shrink_with(|lists: &Vec<Vec<u8>>| (lists.len() > 1).then(|| vec![lists.concat()]))
    };
    shrinks_to(
        &move |tc| tc.draw(tree()).iter().flatten().filter(|number| **number > 3).count() < 3,
        &["[[4, 4, 4]]"],
    );
}

#[test]
fn a_path_is_one_byte_for_each_step() {
    let generator = (
        g::just(10u8).shrink_with(|&number: &u8| {
            [number / 2, number.saturating_sub(1)].into_iter().filter(move |lower| *lower < number)
        }),
        g::integers(0..=9u8),
    );
    for (input, value, canonical) in [
        (&[0xFF, 3][..], (10, 3), &[0xFF, 3][..]),
        // 10, 9, 4, and there it stops: there is no third value.
        (&[1, 0, 2, 3], (4, 3), &[1, 0, 0xFF, 3]),
        // 10, 5, 2, 1, 0, below which there is nothing.
        (&[0, 0, 0, 0, 3], (0, 3), &[0, 0, 0, 0, 3]),
        (&[], (0, 0), &[0, 0, 0, 0, 0]),
    ] {
        assert_eq!(read(&generator, input), (value, canonical.to_vec()), "{input:?}");
        let mut tc = Driver::new();
        tc.start_bytes(input, 100);
        assert_eq!((generator.generate(&mut tc), tc.bytes_consumed()), (value, input.len()));
    }
}

#[test]
fn random_values_are_those_of_the_generator() {
    let (mut plain, mut shrinking) = (Driver::new(), Driver::new());
    for seed in 0..50 {
        plain.start_random(seed, 10);
        shrinking.start_random(seed, 10);
        assert_eq!(
            plain.draw(g::integers(0..=1000u32)),
            shrinking.draw(g::integers(0..=1000u32).shrink_with(|number| number.checked_sub(1)))
        );
    }
}

#[test]
fn a_path_that_goes_round_ends() {
    let (value, bytes) = read(&g::just(1).shrink_with(|number| [-number]), &[]);
    assert_eq!((value, bytes.len()), (1, dwindle_engine::internals::choice::PATH_MAX));
}

//! The values that generators draw.
#![allow(dead_code, reason = "each test file uses a part of this")]

use std::fmt::Debug;

use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::{CHOICES_MAX, Driver, Halt, execute};
use dwindle_engine::{Generate, Generator, any};
use fastrand::Rng;

/// The value that a started test case draws, or why the test case stopped the run.
pub(crate) fn draw<G: Generator>(tc: &mut Driver, generator: &G) -> Result<G::Value, Halt> {
    let mut value = None;
    execute(tc, |tc| value = Some(generator.generate(tc))).or_unwind()?;
    Ok(value.expect("it returned"))
}

/// The value that `bytes` decode to, without a record.
pub(crate) fn decoded<T: Generate>(bytes: &[u8]) -> T {
    let mut tc = Driver::new();
    tc.start_bytes(bytes, CHOICES_MAX);
    draw(&mut tc, &any()).expect("a value")
}

/// Draws values in `runs` runs, half of them from random choices and half from random bytes, and
/// hands each to `check`. Returns the number of runs that drew a value.
pub(crate) fn values<G: Generator>(
    generator: &G,
    runs: u64,
    mut check: impl FnMut(G::Value),
) -> usize {
    let mut tc = Driver::new();
    let mut rng = Rng::with_seed(1);
    let mut came = 0;
    for seed in 0..runs {
        if seed % 2 == 0 {
            tc.start_random(seed, CHOICES_MAX);
        } else {
            let input: Vec<u8> = (0..rng.usize(..100)).map(|_| rng.u8(..)).collect();
            tc.start_bytes(&input, CHOICES_MAX);
        }
        if let Ok(value) = draw(&mut tc, generator) {
            check(value);
            came += 1;
        }
    }
    came
}

/// Draws a value in each of `runs` random runs. Checks that each is the same when it is decoded
/// from its own bytes.
pub(crate) fn random<G>(generator: &G, runs: u64) -> Vec<G::Value>
where
    G: Generator<Value: PartialEq + Debug>,
{
    let mut tc = Driver::new();
    let one = |seed| {
        tc.start_random(seed, CHOICES_MAX);
        let value = draw(&mut tc, generator).expect("a value");
        let bytes = encode(&tc.trace().choices);
        tc.start_bytes(&bytes, CHOICES_MAX);
        assert_eq!(draw(&mut tc, generator).as_ref(), Ok(&value));
        value
    };
    (0..runs).map(one).collect()
}

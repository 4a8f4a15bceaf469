//! What every peer's program does: `PROPERTY SEEDS` in, one line of JSON for each seed out (`null`
//! where nothing failed).

use crate::case::Case;
use crate::probe;
use crate::property::Property;

/// Runs `run` for each seed. It gives back the value it ended at, if that need not be the last one
/// that failed.
///
/// # Panics
/// If the arguments are not as said above.
pub fn main(run: impl Fn(Property, u64) -> Option<Case>) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [property, seeds] = &arguments[..] else { panic!("use: PROPERTY SEEDS") };
    let property = Property::named(property).expect("a property of the bench");
    let seeds: u64 = seeds.parse().expect("a number of seeds");
    // Panics are how a property fails here, hundreds of thousands of times.
    std::panic::set_hook(Box::new(|_| {}));
    for seed in 0..seeds {
        probe::start();
        let value = run(property, seed);
        println!(
            "{}",
            serde_json::to_string(&probe::end(value.as_ref())).expect("a measure is plain data")
        );
    }
}

//! The true minima, shown by trying what is simpler, or the best known.

use std::collections::BTreeMap;

use dwindle_engine::internals::order;

use crate::property::Property;
use crate::running::Running;
use crate::simpler::{Found, enumerate};

/// Tries what the property says is to be tried.
pub fn proven(property: &Property) -> Found {
    let tried = &property.tried;
    enumerate(&mut Running::new(property.run), &tried.alphabet, tried.choices_max, tried.proven)
}

/// Prints the proven minima, and the simplest failure of each place that long searches from
/// `seeds` seeds end at.
pub fn search(property: &Property, seeds: u64) {
    let mut running = Running::new(property.run);
    let mut best = BTreeMap::new();
    for seed in 1..=seeds {
        let Some((start, origin)) = running.find(seed) else { continue };
        let end = running.search(&start, origin);
        let known = best.entry(origin.0).or_insert_with(|| end.clone());
        if order::compare(&end.choices, &known.choices).is_lt() {
            *known = end;
        }
    }
    println!("{} {}: simplest {:?}", property.of, property.name, proven(property).minima);
    for best in best.values() {
        let (count, value) = (best.len(), running.value(best));
        println!("    {count} choices: {value}");
    }
}

#[cfg(test)]
mod tests {
    use dwindle_engine::internals::shrink::AROUND;

    use super::*;
    use crate::property::ALL;

    #[test]
    fn no_simpler_case_fails() {
        for property in ALL {
            let found = proven(property).minima;
            assert_eq!(found, property.minima[..property.tried.proven], "{}", property.of);
        }
    }

    /// Half of the calls around the result: the engine is built without optimizations here.
    #[test]
    fn shrinks_from_two_seeds_end_at_the_minima() {
        for property in ALL {
            let mut running = Running::new(property.run);
            let reached = [1, 2].into_iter().filter(|seed| {
                let (start, origin) = running.find(*seed).expect("some case fails");
                let shrunk = running.shrink(&start, origin, AROUND / 2);
                property.minima.contains(&running.value(&shrunk.best).as_str())
            });
            let reached = reached.count();
            assert_eq!(reached, 2, "{}", property.name);
        }
    }
}

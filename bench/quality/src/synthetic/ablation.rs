//! What shrink passes and kicks bring on properties that a program makes.

use dwindle_engine::internals::order;

use super::made::{Made, Running};
use super::{Row, shrunk};
use crate::left_out::Set;
use crate::processors::on_all_processors;

/// The shares and calls of all properties without some passes.
struct Without<'a> {
    set: &'a Set,
    /// How many shrinks ended at the best known.
    best: usize,
    /// How many shrinks ended at a simpler one.
    better: usize,
    calls: u64,
}

/// Shrinks all starts of `rows` again without each of the sets, and prints what that changes. Those
/// that bring least stand first.
pub fn print(rows: &[Row], sets: &[Set], seed: u64, around: u64) {
    let sets: Vec<&Set> = sets.iter().collect();
    let mut results = on_all_processors(&sets, |set| without(set, rows, seed, around));
    results.sort_by_key(|without| (std::cmp::Reverse(without.best), without.calls));
    let all: Vec<_> = rows.iter().flat_map(|row| &row.ends).collect();
    let of_all = |count: f64| count / all.len() as f64;
    let best = all.iter().filter(|ended| ended.is_best).count();
    let calls = all.iter().map(|ended| ended.calls).sum::<u64>();
    println!("| without | best % | points lost | calls | calls saved % | better ends |");
    println!("| --- | --- | --- | --- | --- | --- |");
    println!(
        "| nothing | {:.2} | | {:.1} | | |",
        100.0 * of_all(best as f64),
        of_all(calls as f64)
    );
    for without in results {
        println!(
            "| {} | {:.2} | {:.2} | {:.1} | {:.1} | {} |",
            without.set.join(", "),
            100.0 * of_all(without.best as f64),
            100.0 * of_all(best as f64 - without.best as f64),
            of_all(without.calls as f64),
            100.0 * (without.calls as f64 / calls as f64 - 1.0),
            without.better
        );
    }
}

fn without<'a>(set: &'a Set, rows: &[Row], seed: u64, around: u64) -> Without<'a> {
    let mut without = Without { set, best: 0, better: 0, calls: 0 };
    for row in rows {
        let (made, starts) = Made::new(seed, row.number);
        let mut running = Running::new(&made);
        let (best, _) = running.decode(&row.best).expect("the best known fails");
        for start in &starts {
            let shrunk = shrunk(set, start, around, &mut running);
            let than_best = order::compare(&shrunk.best.choices, &best.choices);
            without.best += usize::from(than_best.is_le());
            without.better += usize::from(than_best.is_lt());
            without.calls += shrunk.calls_to_fixpoint;
        }
    }
    without
}

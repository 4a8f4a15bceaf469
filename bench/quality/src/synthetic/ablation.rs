//! What each shrink pass and each kick brings on properties that a program makes.

use dwindle_engine::internals::order;
use dwindle_engine::internals::shrink::passes;

use super::made::{Made, Running};
use super::{Row, shrunk};
use crate::processors::on_all_processors;

/// The shares and calls of all properties without one pass.
struct Without {
    pass: &'static str,
    /// How many shrinks ended at the best known.
    best: usize,
    /// How many shrinks ended at a simpler one.
    better: usize,
    calls: u64,
}

/// Shrinks all starts of `rows` again without each of the passes and kicks, and prints what that
/// changes. Those that bring least stand first.
pub fn print(rows: &[Row], seed: u64, around: u64) {
    let passes: Vec<&str> = passes().collect();
    let mut results = on_all_processors(&passes, |pass| without(pass, rows, seed, around));
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
            without.pass,
            100.0 * of_all(without.best as f64),
            100.0 * of_all(best as f64 - without.best as f64),
            of_all(without.calls as f64),
            100.0 * (without.calls as f64 / calls as f64 - 1.0),
            without.better
        );
    }
}

fn without(pass: &'static str, rows: &[Row], seed: u64, around: u64) -> Without {
    let mut without = Without { pass, best: 0, better: 0, calls: 0 };
    for row in rows {
        let (made, starts) = Made::new(seed, row.number);
        let mut running = Running::new(&made);
        let (best, _) = running.decode(&row.best).expect("the best known fails");
        for start in &starts {
            let shrunk = shrunk(pass, start, around, &mut running);
            let than_best = order::compare(&shrunk.best.choices, &best.choices);
            without.best += usize::from(than_best.is_le());
            without.better += usize::from(than_best.is_lt());
            without.calls += shrunk.calls_to_fixpoint;
        }
    }
    without
}
